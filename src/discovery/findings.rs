//! Collects what is wrong with a card, all of it, and walks the JSON with its pointers.

use serde_json::Value;

use crate::protocol::Finding;
use crate::protocol::json::pointer_token;
use crate::protocol::rules::Rule;
use crate::protocol::shape::kind_of;

/// Most findings of one kind that are kept: a hostile card must not flood the screen.
const MOST: usize = 64;
/// Longest text from a card that a finding repeats, in characters.
const QUOTED: usize = 80;

/// Refusals make the card unusable, notes do not.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Why the card is refused, in the order in which it was found.
    pub refusals: Vec<Finding>,
    /// What is worth a note and no reason to refuse.
    pub notes: Vec<Finding>,
}

impl Findings {
    /// Adds a reason to refuse, at this JSON pointer.
    pub fn refuse(&mut self, rule: &'static Rule, pointer: &str, detail: impl Into<String>) {
        push(&mut self.refusals, Finding::at(rule, pointer, detail));
    }

    /// Adds a note, at this JSON pointer.
    pub fn note(&mut self, rule: &'static Rule, pointer: &str, detail: impl Into<String>) {
        push(&mut self.notes, Finding::at(rule, pointer, detail));
    }
}

fn push(list: &mut Vec<Finding>, finding: Finding) {
    if list.len() < MOST {
        list.push(finding);
    }
}

/// One place of the card: the value there, if there is one, and its pointer.
#[derive(Clone, Debug)]
pub(super) struct At<'a> {
    /// What stands there; `None` when nothing does.
    pub value: Option<&'a Value>,
    /// Where, as a JSON pointer (RFC 6901).
    pub pointer: String,
}

impl<'a> At<'a> {
    /// The whole card.
    pub fn root(value: &'a Value) -> Self {
        Self { value: Some(value), pointer: String::new() }
    }

    /// The member of that name.
    pub fn member(&self, name: &str) -> Self {
        let value = self.value.and_then(Value::as_object).and_then(|map| map.get(name));
        Self { value, pointer: format!("{}/{}", self.pointer, pointer_token(name)) }
    }

    /// The elements, none if this is not an array.
    pub fn elements(&self) -> impl Iterator<Item = Self> {
        let items = self.value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let pointer = self.pointer.clone();
        items
            .iter()
            .enumerate()
            .map(move |(index, item)| At { value: Some(item), pointer: format!("{pointer}/{index}") })
    }

    /// The named members, none if this is not an object.
    pub fn members(&self) -> impl Iterator<Item = (&'a str, Self)> {
        let pointer = self.pointer.clone();
        self.value.and_then(Value::as_object).into_iter().flatten().map(move |(name, value)| {
            let pointer = format!("{pointer}/{}", pointer_token(name));
            (name.as_str(), At { value: Some(value), pointer })
        })
    }

    /// The string that stands there, if it is one.
    pub fn text(&self) -> Option<&'a str> {
        self.value.and_then(Value::as_str)
    }

    /// Whether anything stands there.
    pub fn is_there(&self) -> bool {
        self.value.is_some()
    }

    /// `came a number`, `it is missing`.
    pub fn came(&self) -> String {
        self.value.map_or_else(|| "it is missing".to_owned(), |value| format!("came {}", kind_of(value)))
    }

    /// `came "0.2"` for a string, else as [`At::came`].
    pub fn came_quoted(&self) -> String {
        match self.value {
            Some(Value::String(text)) => format!("came {}", quoted(text)),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => format!("came {value}"),
            _ => self.came(),
        }
    }
}

/// Text from the card in quotation marks, cut to a readable length.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("\"{}…\"", &text[..at]),
        None => format!("\"{text}\""),
    }
}
