//! How the program ends: the exit codes, and the failures that lead to them.
//!
//! Everything that a subcommand can fail with is one [`Failure`]; its [`Kind`] decides the exit code and the
//! `kind` of the JSON error. This is the only place where exit codes stand.

use std::process::ExitCode;

use crate::client::notice::{Line, LineKind};
use crate::discovery::fetch::FetchError;
use crate::net::{NetError, NetErrorKind};
use crate::words::sentence;

/// How a subcommand ends when nothing failed outright.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: all well.
    Well,
    /// 1: a must-level finding, a should-level one with `--strict`, or a failed expectation.
    Findings,
}

/// What a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 1: the session's gate refused something; nothing was sent.
    Gate,
    /// 2: usage, configuration, a URL refused for its form, a file that cannot be used.
    Usage,
    /// 3: the card is incompatible or out of bounds.
    Card,
    /// 4: connection, address policy, TLS, HTTP status.
    Connection,
    /// 5: connecting or the whole run took too long.
    Timeout,
    /// 6: a device.
    Device,
    /// 70: our own fault.
    Internal,
    /// 128 + the signal's number: the user, or the system, ended it. The session was ended in order.
    Interrupted(Signal),
    /// 141, as for a program ended by SIGPIPE: nobody reads standard output any more. Nothing is said.
    BrokenPipe,
}

/// The signals that end the program in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The terminal is gone.
    Hangup,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-\\ from outside.
    Quit,
    /// Somebody ends the program.
    Terminate,
}

impl Signal {
    /// Its number (POSIX).
    const fn number(self) -> u8 {
        match self {
            Self::Hangup => 1,
            Self::Interrupt => 2,
            Self::Quit => 3,
            Self::Terminate => 15,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hangup => "SIGHUP",
            Self::Interrupt => "SIGINT",
            Self::Quit => "SIGQUIT",
            Self::Terminate => "SIGTERM",
        }
    }
}

impl Kind {
    /// The name in `{"error":{"kind":…}}`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Usage => "usage",
            Self::Card => "card",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::Device => "device",
            Self::Internal => "internal",
            Self::Interrupted(_) => "interrupted",
            Self::BrokenPipe => "broken_pipe",
        }
    }

    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Gate => 1,
            Self::Usage => 2,
            Self::Card => 3,
            Self::Connection => 4,
            Self::Timeout => 5,
            Self::Device => 6,
            Self::Internal => 70,
            Self::Interrupted(signal) => 128 + signal.number(),
            Self::BrokenPipe => 128 + 13,
        }
    }
}

impl From<NetErrorKind> for Kind {
    fn from(kind: NetErrorKind) -> Self {
        match kind {
            NetErrorKind::UrlForm | NetErrorKind::Setup => Self::Usage,
            NetErrorKind::Bound => Self::Card,
            NetErrorKind::Timeout => Self::Timeout,
            NetErrorKind::AddressPolicy
            | NetErrorKind::Connect
            | NetErrorKind::Tls
            | NetErrorKind::Status
            | NetErrorKind::Redirect => Self::Connection,
        }
    }
}

/// A subcommand gave up: one plain sentence, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What it is about.
    pub kind: Kind,
    /// The sentence. It may hold text from outside: the printer makes it safe.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure of that kind; the message becomes a sentence.
    pub fn new(kind: Kind, message: impl AsRef<str>) -> Self {
        Self { kind, message: sentence(message.as_ref()), hint: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<Option<String>>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// A failure of which everything was said already.
    pub fn silent(kind: Kind) -> Self {
        Self { kind, message: String::new(), hint: None }
    }

    /// Writing to standard output failed.
    pub fn output(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::silent(Kind::BrokenPipe),
            _ => Self::new(Kind::Usage, format!("writing to standard output failed: {error}")),
        }
    }
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        Self::new(error.kind().into(), error.to_string()).hint(error.hint())
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Self::new(error.kind().into(), error.to_string()).hint(error.hint())
    }
}

/// A line of the engine that says what failed; [`LineKind::Info`] is none.
impl TryFrom<&Line> for Failure {
    type Error = ();

    fn try_from(line: &Line) -> Result<Self, ()> {
        let kind = match line.kind {
            LineKind::Usage => Kind::Usage,
            LineKind::Card => Kind::Card,
            LineKind::Connection => Kind::Connection,
            LineKind::Timeout => Kind::Timeout,
            LineKind::Device => Kind::Device,
            LineKind::Gate => Kind::Gate,
            LineKind::Info => return Err(()),
        };
        Ok(Self::new(kind, &line.text).hint(line.hint.clone()))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Well => Self::SUCCESS,
            Exit::Findings => Self::from(1),
        }
    }
}
