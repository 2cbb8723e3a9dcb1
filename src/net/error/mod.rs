//! Everything that can go wrong between a URL and its answer, in sentences that name the operation and the
//! address, with what to do about it.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

mod fault;
mod hint;

pub use fault::{ProxyFault, RedirectFault, TlsFault, UrlFault};

use super::http::HttpFault;
use super::{AddressClass, AddressForm, TokenFate};
use crate::files;
use crate::units::Bytes;

/// The end of the hint where nothing listens; whoever has waited already leaves it out.
pub const WAIT_HINT: &str = " --wait waits for it.";

/// The operation of a [`NetError::Timeout`] between the request and the head of its answer.
pub(super) const ANSWERING: &str = "waiting for an answer from";
/// The operation of a [`NetError::Timeout`] until the answer is whole.
pub(super) const EXCHANGING: &str = "the exchange with";

/// What kind of failure a [`NetError`] is, for exit codes and `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetErrorKind {
    /// A URL refused for its form (exit 2).
    UrlForm,
    /// A file or variable named by the user cannot be used (exit 2).
    Setup,
    /// An address the policy refuses (exit 4).
    AddressPolicy,
    /// The name cannot be resolved, nothing answers, or what answers speaks no HTTP (exit 4).
    Connect,
    /// TLS failed (exit 4).
    Tls,
    /// An HTTP status that is not the awaited one (exit 4).
    Status,
    /// An answer beyond its bound (exit 3).
    Bound,
    /// Something took too long (exit 5).
    Timeout,
    /// A redirect that is not followed (exit 4).
    Redirect,
}

/// A failure between a URL and its answer.
#[derive(Debug, Error)]
pub enum NetError {
    /// The URL is refused for its form.
    #[error("the URL {url} was refused: {fault}")]
    Form {
        /// The URL, without secrets.
        url: String,
        /// What is wrong.
        fault: UrlFault,
    },
    /// A file or variable named by the user cannot be used.
    #[error("{what} {name} cannot be used: {reason}")]
    Setup {
        /// What it was to be: `the certificate file`.
        what: &'static str,
        /// Its path or name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// An address the policy refuses.
    #[error("{}", address_sentence(.host, *.address, *.class, *.form, *.plain))]
    Address {
        /// The host that stands for it.
        host: String,
        /// The address.
        address: IpAddr,
        /// What it is for, after unwrapping.
        class: AddressClass,
        /// How it was written.
        form: AddressForm,
        /// Whether the URL was plain HTTP.
        plain: bool,
    },
    /// The host name has no address.
    #[error("the host {host} cannot be resolved: {reason}")]
    Resolve {
        /// The name.
        host: String,
        /// What the resolver said.
        reason: String,
    },
    /// No address took the connection.
    #[error("cannot connect to {host}: {}", attempts_sentence(.attempts))]
    Connect {
        /// The host.
        host: String,
        /// What each address said.
        attempts: Vec<(SocketAddr, std::io::Error)>,
        /// The proxy variable that is set and not used.
        proxy_variable: Option<&'static str>,
    },
    /// The user's proxy opens no way.
    #[error("no way to {host} through the proxy {proxy}: {fault}")]
    Proxy {
        /// The proxy, without its user name and password.
        proxy: String,
        /// The host that was to be reached.
        host: String,
        /// What is wrong.
        fault: ProxyFault,
    },
    /// TLS failed.
    #[error("no secure connection to {host} at {peer}: {fault}")]
    Tls {
        /// The host.
        host: String,
        /// The address.
        peer: SocketAddr,
        /// What is wrong.
        fault: TlsFault,
    },
    /// What came is not put together as HTTP asks, or the connection broke.
    #[error("{url} gave no proper HTTP answer: {fault}")]
    Answer {
        /// The URL, without secrets.
        url: String,
        /// Whether TLS was spoken.
        secure: bool,
        /// What is wrong.
        fault: HttpFault,
    },
    /// A request that cannot be made, or an upgrade that was not made right.
    #[error("{url} gave no proper HTTP answer: {reason}")]
    Http {
        /// The URL, without secrets.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// A status that is not the awaited one.
    #[error("{url} answered {status}{}{}", reason_phrase(*.status), body_sentence(.body))]
    Status {
        /// The URL, without secrets.
        url: String,
        /// The status.
        status: u16,
        /// The first 200 bytes of the body, as they came: text from outside.
        body: String,
        /// What became of the user's token.
        token: TokenFate,
    },
    /// An answer beyond its bound.
    #[error("{url} was refused: {what} {} more than {} bytes", exceeds(*.declared), Bytes(*.bound))]
    TooLarge {
        /// The URL, without secrets.
        url: String,
        /// What is too large: `its body`.
        what: &'static str,
        /// The bound in bytes.
        bound: usize,
        /// The size that `Content-Length` announced, when that was already too much.
        declared: Option<u64>,
    },
    /// Something took too long.
    #[error("{operation} {url} took more than {} s", .after.as_secs_f32())]
    Timeout {
        /// What was being done: `connecting to`.
        operation: &'static str,
        /// The URL or host, without secrets.
        url: String,
        /// The bound.
        after: Duration,
    },
    /// A redirect that is not followed.
    #[error("{url} redirects to {location}, which was refused: {fault}")]
    Redirect {
        /// The URL that answered, without secrets.
        url: String,
        /// Where it leads, without secrets.
        location: String,
        /// Why it is not followed.
        fault: RedirectFault,
    },
}

impl NetError {
    /// The kind of failure, for exit codes.
    pub fn kind(&self) -> NetErrorKind {
        match self {
            Self::Form { .. } => NetErrorKind::UrlForm,
            Self::Setup { .. } => NetErrorKind::Setup,
            Self::Address { .. } | Self::Redirect { fault: RedirectFault::Address(_), .. } => {
                NetErrorKind::AddressPolicy
            }
            Self::Proxy { fault: ProxyFault::Late(_), .. } => NetErrorKind::Timeout,
            Self::Answer { fault, .. } if fault.is_bound() => NetErrorKind::Bound,
            Self::Resolve { .. }
            | Self::Connect { .. }
            | Self::Proxy { .. }
            | Self::Answer { .. }
            | Self::Http { .. } => NetErrorKind::Connect,
            Self::Tls { .. } => NetErrorKind::Tls,
            Self::Status { .. } => NetErrorKind::Status,
            Self::TooLarge { .. } => NetErrorKind::Bound,
            Self::Timeout { .. } => NetErrorKind::Timeout,
            Self::Redirect { .. } => NetErrorKind::Redirect,
        }
    }

    /// What the user can do about it, as one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Form { fault: UrlFault::PlainHttp, .. } => {
                Some("Use https, or --local for an agent on this machine or network.".to_owned())
            }
            Self::Form { fault: UrlFault::UserInfo, .. } => {
                Some("Give a token with --token-env or --token-file.".to_owned())
            }
            Self::Address { class, form, plain, .. } => hint::address(*class, *form, *plain),
            Self::Connect { proxy_variable: Some(name), .. } => Some(format!(
                "{name} is set, but not used: the connection is direct. --proxy environment uses it."
            )),
            Self::Answer { secure, fault, .. } => Some(fault.hint(*secure).to_owned()),
            Self::TooLarge { .. } => Some("No agent needs that much: is it the right URL?".to_owned()),
            Self::Timeout { operation, .. } => hint::timeout(operation).map(str::to_owned),
            Self::Proxy { fault, .. } => Some(hint::proxy(fault).to_owned()),
            Self::Connect { attempts, .. } if self.is_refused() => {
                let (address, _) = attempts.first()?;
                Some(format!("Nothing listens at {address}. Is the agent running?{WAIT_HINT}"))
            }
            Self::Tls { fault, .. } => hint::tls(fault),
            Self::Status { status: 401, token, .. } => Some(token.hint().to_owned()),
            Self::Status { status: 403, token: TokenFate::Sent, .. } => {
                Some("The token does not allow this.".to_owned())
            }
            _ => None,
        }
    }

    /// Whether nothing listened at any address: what `--wait` waits out.
    pub fn is_refused(&self) -> bool {
        let refused = |e: &std::io::Error| e.kind() == std::io::ErrorKind::ConnectionRefused;
        matches!(self, Self::Connect { attempts, .. } if attempts.iter().all(|(_, e)| refused(e)))
    }

    pub(crate) fn setup_file(what: &'static str, path: &Path, reason: String) -> Self {
        Self::Setup { what, name: files::shown(path), reason }
    }
}

fn address_sentence(
    host: &str,
    address: IpAddr,
    class: AddressClass,
    form: AddressForm,
    plain: bool,
) -> String {
    let literal = host.trim_matches(['[', ']']).parse::<IpAddr>() == Ok(address);
    let at = if literal { format!("the address {address}") } else { format!("the host {host} at {address}") };
    let class = match form {
        AddressForm::Plain => class.to_string(),
        form => format!("{class} in {form} form"),
    };
    let rule = if plain { ", and plain HTTP goes only to loopback and private addresses" } else { "" };
    format!("{at} was refused: it is {class}{rule}. Nothing was sent")
}

pub(super) fn attempts_sentence(attempts: &[(SocketAddr, std::io::Error)]) -> String {
    let one = |(address, error): &(SocketAddr, std::io::Error)| format!("{address}: {error}");
    attempts.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn reason_phrase(status: u16) -> String {
    let known = hyper::StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason());
    known.map(|reason| format!(" {reason}")).unwrap_or_default()
}

fn body_sentence(body: &str) -> String {
    let words = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

fn exceeds(declared: Option<u64>) -> String {
    match declared {
        Some(size) => format!("announces {} bytes,", Bytes(usize::try_from(size).unwrap_or(usize::MAX))),
        None => "has".to_owned(),
    }
}
