//! Who may ask. The agent has no login, and whatever runs on this machine can reach loopback, also a page
//! in a browser: a WebSocket is open to every page that knows the port (RFC 6455, section 10.2), and a name
//! that its owner points at 127.0.0.1 makes it the page's own server (DNS rebinding). `http` asks here
//! before it looks at anything else of a request.
//!
//! Two checks, and each alone would not do:
//! - `Host` must be an address, or a name that nobody can own on the public Internet. A rebound name is one
//!   that somebody owns.
//! - `Origin`, which browsers send with each upgrade and other programs do not, must be the agent itself.

use std::net::Ipv4Addr;

use hyper::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{Request, StatusCode};

/// Endings that are never delegated in public DNS: RFC 6761 (localhost), RFC 6762 (local), RFC 8375
/// (home.arpa), and the one that ICANN reserved for private use.
const PRIVATE_ENDINGS: [&str; 4] = [".localhost", ".local", ".home.arpa", ".internal"];

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stranger {
    /// No `Host`, several, or one that is no authority (RFC 9112, section 3.2).
    NoHost,
    /// A name that somebody else could have pointed here.
    PublicName,
    /// A page of another origin.
    Page,
}

impl Stranger {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::NoHost => StatusCode::BAD_REQUEST,
            Self::PublicName => StatusCode::MISDIRECTED_REQUEST,
            Self::Page => StatusCode::FORBIDDEN,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NoHost => "A request needs one proper Host header (RFC 9112, section 3.2).\n",
            Self::PublicName => {
                "This agent is reached by its address or by a local name, not by a public name, which could \
                 have been pointed here by somebody else. Use the address.\n"
            }
            Self::Page => "Pages in a browser may not drive this agent: the Origin is another one.\n",
        }
    }
}

/// Checks `Host` and `Origin`.
///
/// # Errors
/// The first thing that is wrong with them.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Stranger> {
    let host = named(request).ok_or(Stranger::NoHost)?;
    let target = request.uri().authority();
    if !is_local(host.host()) || target.is_some_and(|target| !is_local(target.host())) {
        return Err(Stranger::PublicName);
    }
    let Ok(origin) = single(request, &ORIGIN) else { return Err(Stranger::Page) };
    match origin {
        Some(origin) if !is_own(origin, &host) => Err(Stranger::Page),
        _ => Ok(()),
    }
}

/// The name under which the client has come: its one `Host`.
pub(super) fn named<B>(request: &Request<B>) -> Option<Authority> {
    let host = single(request, &HOST).ok()??.to_str().ok()?;
    let authority = host.parse::<Authority>().ok()?;
    // `user@host` is no Host, nor is a port that is no number, which the parser lets through.
    let port = &authority.as_str()[authority.host().len()..];
    let port_fits = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    // Nor is what only looks like an address: `[]`, or a number too large for one. The card would name it.
    let is_host = url::Url::parse(&format!("http://{authority}/")).is_ok();
    (!authority.as_str().contains('@') && port_fits && is_host && !authority.host().is_empty())
        .then_some(authority)
}

/// The one header of this name; none, or an error if there are several.
fn single<'a, B>(request: &'a Request<B>, name: &HeaderName) -> Result<Option<&'a HeaderValue>, ()> {
    let mut values = request.headers().get_all(name).iter();
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(()),
        (first, None) => Ok(first),
    }
}

/// Whether a host is an address, or a name that can only mean a machine nearby: one without a dot, or with
/// an ending that no public DNS answers for.
fn is_local(host: &str) -> bool {
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return true;
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let is_name = name.split('.').all(|label| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    });
    is_name && (!name.contains('.') || PRIVATE_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// Whether an `Origin` is the agent's own, under the name that the client used.
fn is_own(origin: &HeaderValue, host: &Authority) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_str()))
}

#[cfg(test)]
mod tests;
