//! A scenario after it was read.

use std::fmt;
use std::time::Duration;

use crate::client::request::Observe;

/// Every verb, in the order of the help. The verbs of acting steps are those of the command registry.
pub const VERBS: &[&str] =
    &["say", "talk", "hear", "scan", "capture", "observe", "expect", "cancel", "wait", "end"];

/// How long an `expect` without `within` waits.
pub const EXPECT_WITHIN: Duration = Duration::from_secs(10);

/// One scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's name as it was given, for messages.
    pub file: String,
    /// The reader that `reader:"NAME"` asks for; at most one in a scenario.
    pub reader: Option<String>,
    /// The camera that `camera:"NAME"` asks for; at most one in a scenario.
    pub camera: Option<String>,
    /// What looks like a slip and can be read, in sentences with file and line.
    pub notes: Vec<String>,
    /// The steps in order; at least one.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its line in the file, from 1.
    pub line: usize,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Sends a turn of text.
    Say(String),
    /// Speaks a turn.
    Talk {
        /// A sound file in place of the microphone.
        file: Option<String>,
        /// Whether the turn is dropped in the end.
        drop: bool,
    },
    /// Waits until something of the agent's sound was played.
    Hear(Duration),
    /// Collects and sends an observation; the verb is `scan`, `capture` or `observe`.
    Observe {
        /// The verb, for reports.
        verb: &'static str,
        /// What to collect.
        observe: Observe,
    },
    /// Waits for something that comes.
    Expect(Expectation),
    /// Sends `response.cancel`.
    Cancel,
    /// Lets time pass.
    Wait(Duration),
    /// Sends `session.end`.
    End,
}

impl Action {
    /// Its verb.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Say(_) => "say",
            Self::Talk { .. } => "talk",
            Self::Hear(_) => "hear",
            Self::Observe { verb, .. } => verb,
            Self::Expect(_) => "expect",
            Self::Cancel => "cancel",
            Self::Wait(_) => "wait",
            Self::End => "end",
        }
    }

    /// Whether it sends something. Only [`Action::Say`], [`Action::Talk`] and [`Action::Observe`] wait for the end of a run.
    pub const fn acts(&self) -> bool {
        !matches!(self, Self::Expect(_) | Self::Wait(_) | Self::Hear(_))
    }
}

/// What an `expect` step waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What should come, or should not.
    pub what: What,
    /// `expect no …`: it must not come.
    pub absent: bool,
    /// How long; `None` is 10 s, and for `expect no` the end of the active run.
    pub within: Option<Duration>,
}

/// What can be expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// This in the text of one run, across its `text.delta`s, case-sensitive.
    Text(String),
    /// An event of this type, unknown types too.
    Event(String),
    /// A `failure`, of this code if one is named.
    Failure(Option<String>),
    /// A finding of this rule.
    Finding(&'static str),
}

/// `text "do not know"`, `event run.completed`, `failure busy`, `finding ENV-2`.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "text {text:?}"),
            Self::Event(kind) => write!(f, "event {kind}"),
            Self::Failure(Some(code)) => write!(f, "failure {code}"),
            Self::Failure(None) => f.write_str("a failure"),
            Self::Finding(id) => write!(f, "finding {id}"),
        }
    }
}
