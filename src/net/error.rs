//! Everything that can go wrong between a URL and its answer, in sentences that name the operation and the
//! address, with what to do about it.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

use super::http::HttpFault;
use super::phrases::{
    address_hint, address_sentence, attempts_sentence, body_sentence, exceeds, proxy_hint, reason_phrase,
    timeout_hint, tls_hint,
};
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

/// What is wrong with the form of a URL.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum UrlFault {
    /// The text is no URL.
    #[error("it is not a URL ({0})")]
    NotAUrl(String),
    /// Plain HTTP without `--local`.
    #[error("plain HTTP is allowed only for local development")]
    PlainHttp,
    /// A literal `ws:` or `wss:` (R23).
    #[error("it must be an https: URL; the WebSocket address is derived from it (R23)")]
    WebSocketScheme,
    /// A scheme that is not HTTP.
    #[error("the scheme {0:?} is not https")]
    Scheme(String),
    /// A user name or password stands before the host.
    #[error("it carries a user name or password, and credentials never stand in a URL")]
    UserInfo,
    /// There is no host.
    #[error("it names no host")]
    NoHost,
}

/// Why TLS failed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TlsFault {
    /// The certificate is past its end.
    #[error("its certificate has expired")]
    Expired,
    /// The certificate is not valid yet.
    #[error("its certificate is not valid yet")]
    NotYetValid,
    /// No trusted authority signed the certificate.
    #[error("its certificate was issued by nobody this machine trusts")]
    UnknownIssuer,
    /// The certificate is for other names.
    #[error("its certificate is for another name")]
    WrongName,
    /// The certificate was revoked.
    #[error("its certificate was revoked")]
    Revoked,
    /// The certificate is broken in another way.
    #[error("its certificate cannot be used ({0})")]
    Certificate(String),
    /// The other side does not speak TLS.
    #[error("it answers, but not in TLS")]
    NotTls,
    /// The other side offers nothing newer than TLS 1.1, which RFC 8996 forbids.
    #[error("it offers neither TLS 1.2 nor TLS 1.3 (RFC 8996)")]
    OldVersion,
    /// The other side ended the connection during the handshake.
    #[error("it ended the connection during the TLS handshake")]
    Ended,
    /// Anything else.
    #[error("the TLS handshake failed ({0})")]
    Other(String),
}

/// Why a redirect is not followed (R18).
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RedirectFault {
    /// A fourth hop.
    #[error("that is more than {0} redirects")]
    TooMany(usize),
    /// The hop leads back to a URL that was already asked.
    #[error("the redirects go in a circle")]
    Loop,
    /// From HTTPS to HTTP.
    #[error("it leads from HTTPS to plain HTTP")]
    Downgrade,
    /// There is no usable `Location`.
    #[error("it names no usable Location")]
    NoLocation,
    /// The URL policy refuses it.
    #[error("{0}")]
    Url(UrlFault),
    /// A WebSocket upgrade or SDP POST follows none.
    #[error("this request follows no redirect")]
    NotFollowed,
}

/// Why a proxy opens no way.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ProxyFault {
    /// It has no address, or none that takes a connection.
    #[error("the proxy itself cannot be reached: {0}")]
    Unreachable(String),
    /// 407, and it was given no user name and password.
    #[error("it wants a user name and password (407)")]
    CredentialsWanted,
    /// 407, though it was given a user name and password.
    #[error("it does not accept the user name and password that it was given (407)")]
    CredentialsRefused,
    /// Another status than 2xx.
    #[error("it refused to open a way to {address} ({status}{})", reason_phrase(*.status))]
    Refused {
        /// The checked address that it was asked for.
        address: SocketAddr,
        /// The status it answered.
        status: u16,
    },
    /// Something that is not HTTP.
    #[error("its answer to CONNECT is not HTTP")]
    NotHttp,
    /// A head beyond its bound, which is given in bytes.
    #[error("its answer to CONNECT has more than {} bytes of header", Bytes(*.0))]
    TooLarge(usize),
    /// The connection ended first.
    #[error("it ended the connection before its answer to CONNECT was complete")]
    Ended,
    /// No complete answer within this time.
    #[error("it gave no complete answer to CONNECT within {} s", .0.as_secs_f32())]
    Late(Duration),
    /// So many bytes came through the way before anything was sent on it.
    #[error("it sent {} bytes of its own where the TLS handshake begins", Bytes(*.0))]
    SpokeFirst(usize),
    /// Anything else.
    #[error("the exchange with it failed ({0})")]
    Other(String),
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
            Self::Address { .. } => NetErrorKind::AddressPolicy,
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
            Self::Address { class, form, plain, .. } => address_hint(*class, *form, *plain),
            Self::Connect { proxy_variable: Some(name), .. } => Some(format!(
                "{name} is set, but not used: the connection is direct. --proxy environment uses it."
            )),
            Self::Answer { secure, fault, .. } => Some(fault.hint(*secure).to_owned()),
            Self::TooLarge { .. } => Some("No agent needs that much: is it the right URL?".to_owned()),
            Self::Timeout { operation, .. } => timeout_hint(operation).map(str::to_owned),
            Self::Proxy { fault, .. } => Some(proxy_hint(fault).to_owned()),
            Self::Connect { attempts, .. } if self.is_refused() => {
                let (address, _) = attempts.first()?;
                Some(format!("Nothing listens at {address}. Is the agent running?{WAIT_HINT}"))
            }
            Self::Tls { fault, .. } => tls_hint(fault),
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
