//! What the ports have to say, and their errors, in one line each.

use std::time::Duration;

use crate::client::notice::{Line, LineKind};
use crate::net::NetErrorKind;
use crate::words::sentence;

/// A line about a device; the engine puts in the time.
pub(super) fn device(text: impl Into<String>) -> Line {
    Line { at: Duration::ZERO, text: text.into(), hint: None, kind: LineKind::Device }
}

/// A line that is no trouble yet; the engine puts in the time.
pub(super) fn info(text: impl Into<String>, hint: Option<&str>) -> Line {
    Line { at: Duration::ZERO, text: text.into(), hint: hint.map(str::to_owned), kind: LineKind::Info }
}

/// A line about the network; the engine puts in the time.
pub(super) fn network(kind: NetErrorKind, text: impl Into<String>, hint: Option<String>) -> Line {
    let kind = match kind {
        NetErrorKind::UrlForm | NetErrorKind::Setup => LineKind::Usage,
        NetErrorKind::Bound => LineKind::Card,
        NetErrorKind::Timeout => LineKind::Timeout,
        NetErrorKind::AddressPolicy
        | NetErrorKind::Connect
        | NetErrorKind::Tls
        | NetErrorKind::Status
        | NetErrorKind::Redirect => LineKind::Connection,
    };
    Line { at: Duration::ZERO, text: sentence(&text.into()), hint, kind }
}
