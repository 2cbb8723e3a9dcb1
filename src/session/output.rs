//! What comes out of a session.

use thiserror::Error;

use crate::protocol::rules::Rule;
use crate::protocol::{ClientMessage, Content, Event, Finding};
use crate::units::{Sequence, Turn};

/// One thing that a session wants done or known.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Send this message.
    Send(ClientMessage),
    /// Send this text as it is; it went past the gate.
    SendDeliberate(String),
    /// A frame was judged: one for each [`Input::Received`](super::Input::Received), in order.
    Judged(Judged),
    /// Something was noticed that belongs to no frame.
    Noted(Finding),
    /// A turn that was held could not be sent after all.
    HeldRefused(Refusal),
    /// A turn is over, one way or the other.
    TurnOver(Turn),
    /// The transport is to be closed in an orderly way.
    Close,
}

/// What the judge made of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Its sequence, if it could be read.
    pub sequence: Option<Sequence>,
    /// Its JSON, if it is JSON; as it came.
    pub value: Option<Content>,
    /// Its event, if it is an envelope.
    pub event: Option<Event>,
    /// Its size in bytes.
    pub bytes: usize,
    /// Whether it was acted on. A frame that breaks a must-level rule is not.
    pub acted: bool,
    /// What was noticed.
    pub findings: Vec<Finding>,
}

/// Why a request was not carried out. Nothing was sent, and nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}{}", self.rule.map(|r| format!(" ({}, {})", r.id, r.section)).unwrap_or_default())]
pub struct Refusal {
    /// For programs.
    pub kind: RefusalKind,
    /// The rule that it would break, if a rule of the profile stands behind it.
    pub rule: Option<&'static Rule>,
    /// What was expected, what came, and what to do, in one plain sentence.
    pub message: String,
}

/// The kinds of [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// There is no live session.
    NotLive,
    /// A turn is already held.
    AlreadyHeld,
    /// There is nothing that this could act on.
    Nothing,
    /// It would break a rule of the profile.
    Rule,
}

impl Refusal {
    /// A refusal by a rule of the profile.
    pub fn by(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Rule, rule: Some(rule), message: message.into() }
    }

    /// A refusal without a rule.
    pub fn of(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self { kind, rule: None, message: message.into() }
    }
}

impl From<Finding> for Refusal {
    fn from(finding: Finding) -> Self {
        let place = finding.pointer.map(|p| format!(" at {p}")).unwrap_or_default();
        Self::by(finding.rule, format!("not sent: {}{place}", finding.detail))
    }
}
