//! What is wrong with a description: which line, and what was expected.

use thiserror::Error;

use super::Kind;
use super::lines::Line;
use crate::safe_text::SafeText;

/// How many characters of a wrong line are quoted.
const QUOTED: usize = 80;

/// What is wrong with a description. Everything from outside in it is made drawable and cut.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {expected}", place(*.kind, *.line, .quoted))]
pub struct SdpFault {
    /// Of which of the two.
    pub kind: Kind,
    /// The line, from 1; none where the whole is wrong.
    pub line: Option<usize>,
    /// What stands there; for a missing line, that of the section that lacks it.
    pub quoted: String,
    /// What was expected: `expected a=sendrecv`.
    pub expected: String,
}

fn place(kind: Kind, line: Option<usize>, quoted: &str) -> String {
    match line {
        Some(number) => format!("line {number} of the SDP {}, {quoted}", word(kind)),
        None => format!("the SDP {}", word(kind)),
    }
}

pub(super) fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Offer => "offer",
        Kind::Answer => "answer",
    }
}

/// A line as a fault quotes it. Passwords of ICE are left out.
pub(super) fn quoted(line: Line<'_>) -> String {
    let text = match line.text.split_once("a=ice-pwd:") {
        Some(("", _)) => "a=ice-pwd:…",
        _ => line.text,
    };
    format!("\"{}\"", SafeText::line(text).cut(QUOTED))
}

/// Makes faults of one description.
#[derive(Clone, Copy)]
pub(super) struct Reading(pub Kind);

impl Reading {
    /// A line is wrong; without one, the whole.
    pub fn wrong(self, line: Option<Line<'_>>, expected: impl Into<String>) -> SdpFault {
        SdpFault {
            kind: self.0,
            line: line.map(|line| line.number),
            quoted: line.map(quoted).unwrap_or_default(),
            expected: expected.into(),
        }
    }
}
