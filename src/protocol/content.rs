//! The JSON of one frame, to be shown, kept or printed.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// What a frame holds. Frames come by the thousand, and most are read once and printed or dropped, so one that says
/// nothing unusual stays the text that it came as.
#[derive(Clone, Debug)]
pub enum Content {
    /// One line of JSON as it came: an envelope without a member that the profile does not name, without images or
    /// long strings, without `\u` escapes, with nothing to mend or to note (`protocol::plain`).
    Plain(String),
    /// Anything else.
    Parsed(Value),
}

impl Content {
    /// As a tree.
    pub fn value(&self) -> Cow<'_, Value> {
        match self {
            Self::Plain(text) => Cow::Owned(read(text)),
            Self::Parsed(value) => Cow::Borrowed(value),
        }
    }

    /// As a tree of one's own.
    pub fn into_value(self) -> Value {
        match self {
            Self::Plain(text) => read(&text),
            Self::Parsed(value) => value,
        }
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("a plain frame has been read before")
}

impl From<Value> for Content {
    fn from(value: Value) -> Self {
        Self::Parsed(value)
    }
}

/// Two contents are equal when they say the same.
impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Plain(one), Self::Plain(two)) if one == two => true,
            _ => self.value() == other.value(),
        }
    }
}

/// One line of JSON.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) => f.write_str(text),
            Self::Parsed(value) => value.fmt(f),
        }
    }
}
