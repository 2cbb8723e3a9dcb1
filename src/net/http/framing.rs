//! Whether an answer is put together as HTTP/1.1 asks (RFC 9112), and what is said where it is not. `hyper`
//! parses; here stands what it lets through, because it need not mind, and where its words become ours.

use std::error::Error as _;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::Request;
use hyper::header::{self, HeaderMap};
use thiserror::Error;
use tokio::sync::Notify;

use super::{HEADER_BYTES, HEADER_FIELDS};
use crate::net::NetError;
use crate::units::Bytes;

/// Most interim answers (`1xx`) before the answer itself. Servers send one or two.
const INTERIM: usize = 16;

/// What is wrong with the form of an answer.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum HttpFault {
    /// Nothing that begins with HTTP/1.1 or 1.0.
    #[error("what it sends is not HTTP/1.1: an answer begins with that (RFC 9112, section 4)")]
    NotHttp,
    /// HTTP/2, which was not agreed on.
    #[error("what it sends is HTTP/2, and HTTP/1.1 was spoken to it")]
    NotAgreed,
    /// A status line without a status.
    #[error("its status line has no status of three digits after HTTP/1.1 (RFC 9112, section 4)")]
    StatusLine,
    /// A length that is no length.
    #[error("its Content-Length is not one number of at most 64 bits (RFC 9112, section 6.3)")]
    Length,
    /// A header that is no header; in the words of the parser.
    #[error(
        "its header breaks the rules of HTTP: a line of it is not `NAME: VALUE` ({0}; RFC 9112, section 5)"
    )]
    Head(String),
    /// The header ends too late, or never.
    #[error(
        "its header goes beyond {} bytes, {HEADER_FIELDS} fields, or a length of 64 bits",
        Bytes(HEADER_BYTES)
    )]
    HeadTooLarge,
    /// Two ways to tell where the body ends, which may contradict each other.
    #[error("it announces both a length and chunks, and only one can be right (RFC 9112, section 6.3)")]
    TwoLengths,
    /// Another transfer coding than chunks.
    #[error("its body is sent as {0:?}, and nothing but chunked was accepted (RFC 9112, section 6.1)")]
    Coding(String),
    /// A body we did not ask to be compressed: its size could not be bounded by what is sent.
    #[error("its body is encoded as {0:?}, though none but identity was accepted (RFC 9110, section 8.4)")]
    Encoding(String),
    /// Interim answers without end.
    #[error("it sent more than {INTERIM} interim answers (1xx) and not the answer itself")]
    Interim,
    /// The end came first.
    #[error("the connection ended before its header was complete")]
    EndedInHead,
    /// The end came in the body.
    #[error("the connection ended after {} {}", Bytes(*.came), body_words(*.announced))]
    EndedInBody {
        /// How many bytes of the body had come.
        came: usize,
        /// How many there were to be; none where that was not announced.
        announced: Option<u64>,
    },
    /// Chunks that cannot be read.
    #[error("its chunks break the rules of HTTP ({0}; RFC 9112, section 7.1)")]
    Chunks(String),
    /// Anything else that the operating system says.
    #[error("the connection broke ({0})")]
    Broken(String),
}

fn body_words(announced: Option<u64>) -> String {
    match announced {
        Some(size) => format!("of {} bytes of its body", Bytes(usize::try_from(size).unwrap_or(usize::MAX))),
        None => "bytes of its body, before it was whole".to_owned(),
    }
}

impl HttpFault {
    /// What the user can do about it; `secure` says whether TLS was spoken.
    pub(in crate::net) fn hint(&self, secure: bool) -> &'static str {
        match self {
            Self::NotHttp | Self::NotAgreed if secure => "Is the port that of an agent's web server?",
            Self::NotHttp | Self::NotAgreed => {
                "Is the port that of an agent's web server? If it speaks TLS there, use https://."
            }
            Self::EndedInHead | Self::EndedInBody { .. } | Self::Broken(_) => {
                "The agent, or something between, gave up: its log may say why."
            }
            _ => "The fault is the agent's web server's, or that of something between.",
        }
    }

    /// Whether it is too much rather than wrong.
    pub(in crate::net) fn is_bound(&self) -> bool {
        matches!(self, Self::HeadTooLarge | Self::Interim)
    }

    /// The error of an answer from `url`.
    pub(super) fn from(self, url: &url::Url) -> NetError {
        NetError::Answer { url: crate::net::shown(url), secure: url.scheme() == "https", fault: self }
    }

    /// What `error` means before the head is complete.
    pub(super) fn in_head(error: &hyper::Error) -> Self {
        if error.is_parse_too_large() {
            Self::HeadTooLarge
        } else if error.is_parse() {
            Self::unread(error)
        } else if error.is_incomplete_message() || error.is_canceled() || ended(error) {
            Self::EndedInHead
        } else {
            Self::Broken(words(error))
        }
    }

    /// What could not be read of a head. `hyper` has no type for some of it, only its words.
    fn unread(error: &hyper::Error) -> Self {
        let said = error.to_string();
        if error.is_parse_status() {
            Self::StatusLine
        } else if error.is_parse_version_h2() {
            Self::NotAgreed
        } else if said.contains("version") {
            Self::NotHttp
        } else if said.contains("content-length") {
            Self::Length
        } else {
            Self::Head(said)
        }
    }

    /// What `error` means after `came` bytes of a body of `announced` ones.
    pub(super) fn in_body(error: &hyper::Error, came: usize, announced: Option<u64>) -> Self {
        if error.is_incomplete_message() || error.is_canceled() || ended(error) {
            Self::EndedInBody { came, announced }
        } else if announced.is_none() && cause(error).is_some_and(is_about_chunks) {
            Self::Chunks(error.source().map(ToString::to_string).unwrap_or_default())
        } else {
            Self::Broken(words(error))
        }
    }
}

fn cause(error: &hyper::Error) -> Option<&std::io::Error> {
    error.source().and_then(|cause| cause.downcast_ref())
}

/// `hyper` says what is wrong with a chunk as an I/O error; TLS does the same with a broken record.
fn is_about_chunks(cause: &std::io::Error) -> bool {
    let of_tls = cause.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
    matches!(cause.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData) && !of_tls
}

fn ended(error: &hyper::Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let ends = [BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof];
    cause(error).is_some_and(|cause| ends.contains(&cause.kind()))
}

fn words(error: &hyper::Error) -> String {
    let cause = error.source().map(|cause| format!(" ({cause})")).unwrap_or_default();
    format!("{error}{cause}")
}

/// Refuses a head that leaves open where its body ends, or whose body would have to be unpacked.
pub(super) fn check(headers: &HeaderMap) -> Result<(), HttpFault> {
    let shown = |name| {
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        values.collect::<Vec<_>>().join(", ")
    };
    let coding = shown(header::TRANSFER_ENCODING);
    if !coding.is_empty() && headers.contains_key(header::CONTENT_LENGTH) {
        return Err(HttpFault::TwoLengths);
    }
    if !coding.is_empty() && !coding.eq_ignore_ascii_case("chunked") {
        return Err(HttpFault::Coding(coding));
    }
    let encoding = shown(header::CONTENT_ENCODING);
    if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
        Ok(())
    } else {
        Err(HttpFault::Encoding(encoding))
    }
}

/// Counts the interim answers to a request; [`Self::too_many`] ends when there are too many.
pub(super) struct Interim(Arc<(AtomicUsize, Notify)>);

impl Interim {
    /// Counts those to `request`.
    pub(super) fn of<B>(request: &mut Request<B>) -> Self {
        let count = Arc::new((AtomicUsize::new(0), Notify::new()));
        let counted = count.clone();
        hyper::ext::on_informational(request, move |_| {
            if counted.0.fetch_add(1, Ordering::Relaxed) == INTERIM {
                counted.1.notify_one();
            }
        });
        Self(count)
    }

    /// Ends when there are too many.
    pub(super) async fn too_many(&self) {
        self.0.1.notified().await;
    }
}
