//! What the ports have to say, and their errors, in one line each.

use std::time::Duration;

use crate::client::notice::{Line, LineKind};
use crate::net::NetErrorKind;

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

/// Begins with a capital and ends with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    // A URL stays as it is: a person copies it.
    let url = text.split_whitespace().next().is_some_and(|word| word.contains("://"));
    let mut out = String::with_capacity(text.len() + 1);
    if !url {
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
    }
    out.push_str(chars.as_str());
    if !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}
