//! One row of the event stream: a frame, or a run of text deltas or acknowledgements, and what it weighs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::protocol::{Event, view};
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Direction, Record};

/// Longest summary in characters.
const SUMMARY: usize = 200;
/// Characters of a folded text that its row repeats.
const FOLDED: usize = 60;
/// Bytes of text after which a run of deltas goes on in a new row.
const TEXT: usize = 16 * 1024;
/// What an allocation costs beside what it holds, in bytes.
const ALLOCATION: usize = 16;

/// One row: a frame, or a run of text deltas.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number since the start.
    pub number: u64,
    /// First and last sequence.
    pub sequences: Option<(u64, u64)>,
    /// When the first of it came.
    pub at: Duration,
    /// How long after the frame before.
    pub since: Duration,
    /// Which way.
    pub direction: Direction,
    /// `type` of the message or event.
    pub kind: SafeText,
    /// What it says, in a few words.
    pub summary: SafeText,
    /// Size on the wire, of all its frames.
    pub bytes: usize,
    /// How many frames it holds.
    pub count: usize,
    /// The text of all its deltas.
    pub text: SafeText,
    /// The turn that it belongs to: the one that was sent last before it.
    pub turn: Option<u64>,
    /// The interaction that it asks for, answers or resolves.
    pub interaction: Option<SafeText>,
    /// The last frame.
    pub record: Arc<Record>,
}

/// What frames without findings fold into one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The text of an answer.
    Text,
    /// Our acknowledgements.
    Ack,
}

pub(super) fn fold(record: &Record) -> Option<Fold> {
    if !record.acted || record.deliberate || !record.findings.is_empty() {
        return None;
    }
    match (record.direction, record.kind.as_str()) {
        (Direction::In, "text.delta") => Some(Fold::Text),
        (Direction::Out, "ack") => Some(Fold::Ack),
        _ => None,
    }
}

impl Row {
    pub(super) fn new(number: u64, since: Duration, turn: Option<u64>, record: &Arc<Record>) -> Self {
        let text = text_of(record);
        let summary = text.map_or_else(|| summary_of(record), quoted);
        Self {
            number,
            sequences: record.sequence.map(|s| (s.0, s.0)),
            at: record.at,
            since,
            direction: record.direction,
            kind: SafeText::line(&record.kind).cut(64),
            summary,
            bytes: record.bytes,
            count: 1,
            text: text.map(SafeText::block).unwrap_or_default(),
            turn,
            interaction: interaction_of(record).map(|id| SafeText::line(id).cut(128)),
            record: Arc::clone(record),
        }
    }

    /// Whether one more frame of the same kind finds room.
    pub(super) fn has_room(&self) -> bool {
        self.text.as_str().len() < TEXT
    }

    /// Takes one more frame of the same kind.
    pub(super) fn take(&mut self, record: &Arc<Record>) {
        if let (Some(sequences), Some(sequence)) = (&mut self.sequences, record.sequence) {
            sequences.1 = sequence.0;
        }
        match text_of(record) {
            Some(text) => {
                self.text.push(&SafeText::block(text));
                self.repeat(text);
            }
            None => self.summary = summary_of(record),
        }
        self.count += 1;
        self.bytes += record.bytes;
        self.record = Arc::clone(record);
    }

    /// Says that no frame will be added any more: a text that grew in pieces may hold twice its memory.
    pub(super) fn settle(&mut self) {
        self.text.shrink();
    }

    /// Adds to the text that the row repeats, as long as there is room.
    fn repeat(&mut self, more: &str) {
        let so_far = self.summary.as_str();
        if let Some(open) = so_far.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
            && !open.ends_with('…')
        {
            self.summary = quoted(&format!("{open}{more}"));
        }
    }

    /// Whether `found` says yes to any text of this row: type, summary, rules, the whole text of its deltas, or else
    /// every text of its frame.
    pub(super) fn texts(&self, found: &mut dyn FnMut(&str) -> bool) -> bool {
        found(self.kind.as_str())
            || found(self.summary.as_str())
            || self.record.findings.iter().any(|finding| found(finding.rule.id))
            || if self.text.is_empty() {
                self.record.value.as_ref().is_some_and(|value| any_text(value, found))
            } else {
                found(self.text.as_str())
            }
    }

    /// About the memory that it holds, in bytes.
    pub(super) fn weight(&self) -> usize {
        let own = [&self.kind, &self.summary, &self.text].map(|text| text.as_str().len() + ALLOCATION);
        let id = self.interaction.as_ref().map_or(0, |id| id.as_str().len() + ALLOCATION);
        size_of::<Self>() + own.iter().sum::<usize>() + id + weight_of(&self.record)
    }
}

/// About the memory of a frame: its JSON, and once more what its body holds of it.
fn weight_of(record: &Record) -> usize {
    let value = record.value.as_ref().map_or(0, weigh);
    let body = match &record.body {
        Body::Client | Body::Unread => 0,
        // The image of an observation is not in it.
        Body::Show { .. } => record.bytes.min(value),
        Body::Say { .. } | Body::Event(_) => record.bytes,
    };
    let findings: usize =
        record.findings.iter().map(|finding| size_of_val(finding) + finding.detail.len()).sum();
    size_of::<Record>() + record.kind.len() + value + body + findings + 4 * ALLOCATION
}

fn weigh(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len() + ALLOCATION,
        Value::Array(items) => {
            items.iter().map(|item| size_of::<Value>() + weigh(item)).sum::<usize>() + ALLOCATION
        }
        Value::Object(members) => {
            // An entry also has a hash, and a place in the index.
            let entry = size_of::<Value>() + size_of::<String>() + 2 * size_of::<u64>() + ALLOCATION;
            members.iter().map(|(key, member)| entry + key.len() + weigh(member)).sum::<usize>()
                + 2 * ALLOCATION
        }
    }
}

fn any_text(value: &Value, found: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => found(&number.to_string()),
        Value::String(text) => found(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, found)),
        Value::Object(members) => members.iter().any(|(key, member)| found(key) || any_text(member, found)),
    }
}

/// The text of a text delta.
fn text_of(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Event(Event::TextDelta(delta)) => Some(&delta.text),
        _ => None,
    }
}

/// What a frame says, in a few words.
fn summary_of(record: &Record) -> SafeText {
    SafeText::line(&record.value.as_ref().map(view::summary).unwrap_or_default()).cut(SUMMARY)
}

fn interaction_of(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Event(Event::InteractionRequested(request)) => Some(&request.interaction_id),
        Body::Event(Event::InteractionResolved(resolved)) => Some(&resolved.interaction_id),
        Body::Show { answers, .. } => answers.as_deref(),
        _ => None,
    }
}

fn quoted(text: &str) -> SafeText {
    let text = SafeText::line(text).cut(FOLDED);
    SafeText::line(&format!("\"{text}\""))
}
