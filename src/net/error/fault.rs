//! What can be wrong in one part of the way: the URL's form, TLS, a redirect, the proxy. A
//! [`NetError`](super::NetError) names the operation and the address around it.

use std::net::SocketAddr;
use std::time::Duration;

use thiserror::Error;

use super::reason_phrase;
use crate::units::Bytes;

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
    /// It leads to an address that is not allowed: the agent chose it, not the user.
    #[error("{0}")]
    Address(String),
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
