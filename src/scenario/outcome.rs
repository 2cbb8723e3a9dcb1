//! What a scenario came to.

use crate::client::notice::LineKind;

/// What a scenario came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The kind, which decides the exit code.
    pub class: Class,
    /// What went wrong, in one plain sentence; `None` when all is well.
    pub message: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// How many must-level findings there were that no step expected.
    pub must: usize,
    /// How many should-level findings there were that no step expected.
    pub should: usize,
}

/// The kinds of [`Outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// All is well.
    Ok,
    /// The steps went well, and the agent broke a rule.
    Findings,
    /// A step did not come to what it should.
    Expectation,
    /// The form of a URL, the configuration.
    Usage,
    /// The card is incompatible or out of bounds.
    Card,
    /// Connection, address policy, HTTP status; a session that ended under the scenario.
    Connection,
    /// Connecting or the whole run took too long.
    Timeout,
    /// A device.
    Device,
    /// Our own fault.
    Internal,
}

impl From<LineKind> for Class {
    fn from(kind: LineKind) -> Self {
        match kind {
            LineKind::Usage => Self::Usage,
            LineKind::Card => Self::Card,
            LineKind::Connection => Self::Connection,
            LineKind::Timeout => Self::Timeout,
            LineKind::Device => Self::Device,
            LineKind::Gate | LineKind::Info => Self::Expectation,
        }
    }
}
