//! What was noticed about a card or a frame, and by which rule.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::rules::{Level, Rule};

/// One thing that differs from what a rule of the table asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule, from the table.
    pub rule: &'static Rule,
    /// What was expected and what came, in one plain sentence without a final full stop. Text from
    /// outside inside it is already cut to a readable length, but not yet made safe to draw.
    pub detail: String,
    /// Where, as a JSON pointer (RFC 6901) into the card or frame; `None` when the whole is meant.
    pub pointer: Option<String>,
}

impl Finding {
    /// A finding about the whole card or frame.
    pub fn new(rule: &'static Rule, detail: impl Into<String>) -> Self {
        Self { rule, detail: detail.into(), pointer: None }
    }

    /// A finding about one place.
    pub fn at(rule: &'static Rule, pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { rule, detail: detail.into(), pointer: Some(pointer.into()) }
    }

    /// Whether the rule is a must.
    pub fn is_must(&self) -> bool {
        self.rule.level == Level::Must
    }
}

/// `CARD-4 must: it declares the extension twice at /capabilities/extensions/1 (§ Version and migration)`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.rule.id, self.rule.level, self.detail)?;
        // An empty pointer is the whole frame or card, which needs no place.
        if let Some(pointer) = self.pointer.as_ref().filter(|pointer| !pointer.is_empty()) {
            write!(f, " at {pointer}")?;
        }
        write!(f, " ({})", self.rule.section)
    }
}

/// A typed message together with the JSON it was read from and what was noticed on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<T> {
    /// The typed message.
    pub message: T,
    /// The whole JSON, unknown fields included, for display and traces.
    pub value: super::Content,
    /// What was noticed; never a reason to refuse.
    pub findings: Vec<Finding>,
}

/// A finding for programs: `{"id","level","section","text","detail","pointer"?,"sequence"?}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingRecord {
    /// The rule, such as `CARD-4`.
    pub id: &'static str,
    /// `must` or `should`.
    pub level: &'static str,
    /// Where the rule stands: a section of the profile, a reading, or both.
    pub section: &'static str,
    /// What the rule asks for.
    pub text: &'static str,
    /// What was expected and what came.
    pub detail: String,
    /// Where, as a JSON pointer (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The sequence of the envelope that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
}

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> Self {
        Self {
            id: finding.rule.id,
            level: match finding.rule.level {
                Level::Must => "must",
                Level::Should => "should",
            },
            section: finding.rule.section,
            text: finding.rule.text,
            detail: finding.detail.clone(),
            pointer: finding.pointer.clone(),
            sequence: None,
        }
    }
}
