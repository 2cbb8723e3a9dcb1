//! Scrubbing of parsed JSON: nothing hides in an escape, in a key, or in a list of pieces.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};
use zeroize::Zeroizing;

use super::Scrubber;

impl Scrubber {
    /// A parsed JSON value with every string, key, number and list scrubbed. A number, a list of numbers, a list of
    /// strings or a numbered object that spells a known value becomes a string.
    pub fn scrub_value(&self, value: Value) -> Value {
        if self.knows_nothing() {
            return value;
        }
        match value {
            Value::String(text) => match self.scrub(&text) {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(clean) => Value::String(clean),
            },
            Value::Number(number) if self.is_too_short(characters(&number)) => Value::Number(number),
            Value::Number(number) => match self.scrub(&number.to_string()) {
                Cow::Borrowed(_) => Value::Number(number),
                Cow::Owned(clean) => Value::String(clean),
            },
            Value::Array(items) => self.scrub_list(items),
            Value::Object(members) => self.scrub_members(members),
            Value::Null | Value::Bool(_) => value,
        }
    }

    fn scrub_list(&self, items: Vec<Value>) -> Value {
        match self.spelled_by(&items.iter().collect::<Vec<_>>()) {
            Some(clean) => Value::String(clean),
            None => Value::Array(items.into_iter().map(|item| self.scrub_value(item)).collect()),
        }
    }

    fn scrub_members(&self, members: Map<String, Value>) -> Value {
        // JavaScript writes an array of bytes as `{"0":4,"1":161}`.
        let numbered: Option<Vec<(usize, &Value)>> =
            members.iter().map(|(key, member)| Some((key.parse().ok()?, member))).collect();
        if let Some(mut numbered) = numbered {
            numbered.sort_unstable_by_key(|(place, _)| *place);
            if let Some(clean) =
                self.spelled_by(&numbered.into_iter().map(|(_, item)| item).collect::<Vec<_>>())
            {
                return Value::String(clean);
            }
        }
        if members.keys().all(|key| matches!(self.scrub(key), Cow::Borrowed(_))) {
            let clean = members.into_iter().map(|(key, member)| (key, self.scrub_value(member)));
            return Value::Object(clean.collect());
        }
        let mut clean = Map::with_capacity(members.len());
        for (key, member) in members {
            clean.insert(self.free_key(&clean, &key), self.scrub_value(member));
        }
        Value::Object(clean)
    }

    /// What is shown of a list whose items, all numbers or all strings, spell a known value together; `None` if they do
    /// not, or if each one that does is found by itself.
    fn spelled_by(&self, items: &[&Value]) -> Option<String> {
        if items.len() < 2 {
            return None;
        }
        let mark = match items[0] {
            Value::Number(_) => ",",
            Value::String(_) => "\n",
            _ => return None,
        };
        let part = |item: &&Value| match (item, mark) {
            (Value::Number(number), ",") => Some(number.to_string()),
            (Value::String(text), "\n") => Some(text.clone()),
            _ => None,
        };
        let parts = Zeroizing::new(items.iter().map(part).collect::<Option<Vec<_>>>()?);
        let joined = Zeroizing::new(parts.join(mark));
        let Cow::Owned(clean) = self.scrub(&joined) else { return None };
        // Strings that are found one by one stay a list.
        let alone = Zeroizing::new(parts.iter().map(|part| self.scrub(part)).collect::<Vec<_>>().join(mark));
        (mark == "," || *alone != clean).then_some(clean)
    }

    /// The scrubbed key; numbered where scrubbing made it equal to an earlier one, so no member is lost.
    fn free_key(&self, taken: &Map<String, Value>, key: &str) -> String {
        let clean = self.scrub(key).into_owned();
        if !taken.contains_key(&clean) {
            return clean;
        }
        (2_usize..)
            .map(|n| format!("{clean} {n}"))
            .find(|numbered| !taken.contains_key(numbered))
            .expect("an object has fewer members than there are numbers")
    }
}

/// At most so many characters has the number when it is written.
fn characters(number: &Number) -> usize {
    let digits = |whole: u64| whole.checked_ilog10().map_or(1, |digits| digits as usize + 1);
    number.as_u64().map_or(usize::MAX, digits)
}
