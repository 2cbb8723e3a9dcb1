//! One request, one bounded answer, over a connection pinned to a checked address. Called by `discovery`
//! for cards and by `transport` for the upgrade. Follows no redirect.

mod framing;

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Position, Url};

pub use framing::HttpFault;
use framing::{Interim, check};

use super::error::{ANSWERING, EXCHANGING};
use super::{Bearer, Connection, Credentials, NetContext, NetError, Target, TokenFate, policy::shown};

/// Largest head of an answer in bytes.
pub const HEADER_BYTES: usize = 16 * 1024;
/// Most header fields in an answer.
pub const HEADER_FIELDS: usize = 100;
/// How the program names itself.
pub(super) const USER_AGENT: &str = concat!("agentcall/", env!("CARGO_PKG_VERSION"));
/// How much of a refusing body is kept for the error, in bytes.
pub const EXCERPT_BYTES: usize = 200;

/// What to ask for.
pub struct Ask<'a> {
    /// The request's method.
    pub method: Method,
    /// Fields beside `Host`, `User-Agent` and `Authorization`.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The request's body, if any.
    pub body: Bytes,
    /// The token to send along, already allowed to go to this target.
    pub bearer: Bearer<'a>,
}

impl Ask<'_> {
    /// A GET for a media type, without a token.
    pub fn get(accept: &'static str) -> Self {
        Self {
            method: Method::GET,
            headers: vec![
                (header::ACCEPT, HeaderValue::from_static(accept)),
                (header::ACCEPT_ENCODING, HeaderValue::from_static("identity")),
            ],
            body: Bytes::new(),
            bearer: Bearer::NoToken,
        }
    }
}

/// An answer that was read to its end.
#[derive(Debug)]
pub struct Answer {
    /// The status, of any kind: redirects too are only returned.
    pub status: u16,
    /// Its header.
    pub headers: HeaderMap,
    /// Its body, within the bound.
    pub body: Vec<u8>,
    /// The address that answered.
    pub peer: SocketAddr,
    /// What became of the token.
    pub token: TokenFate,
}

impl Answer {
    /// A header field as text, if it is there and readable.
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The media type without its parameters, lower case.
    pub fn media_type(&self) -> Option<String> {
        let value = self.header(header::CONTENT_TYPE)?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// The error that this answer is when another status was awaited.
    pub fn into_status_error(self, url: &Url) -> NetError {
        NetError::Status {
            url: shown(url),
            status: self.status,
            body: excerpt(&self.body),
            token: self.token,
        }
    }
}

/// The first bytes of a body as text. What it holds is not cleaned.
pub(crate) fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES)]).into_owned()
}

/// Resolves, checks, connects, asks and reads the answer, at most `bound` bytes of body. The token of
/// `credentials` goes along only where R17 allows it.
///
/// # Errors
/// Every [`NetError`] but `Status` and `Redirect`, which are for the caller to decide.
pub async fn get(
    net: &NetContext,
    url: &Url,
    accept: &'static str,
    credentials: Option<&Credentials>,
    bound: usize,
) -> Result<Answer, NetError> {
    let target = net.resolve(url).await?;
    let connection = net.connect(&target).await?;
    let bearer = credentials.map_or(Bearer::NoToken, |c| c.bearer_for(&target, net.policy));
    exchange(net, &target, connection, Ask { bearer, ..Ask::get(accept) }, bound).await
}

/// Sends `ask` on an open connection and reads the answer, at most `bound` bytes of body.
///
/// # Errors
/// [`NetError::Answer`], [`NetError::TooLarge`], [`NetError::Timeout`].
pub async fn exchange(
    net: &NetContext,
    target: &Target,
    connection: Connection,
    ask: Ask<'_>,
    bound: usize,
) -> Result<Answer, NetError> {
    let deadline = Instant::now() + net.timeouts.exchange;
    let (peer, token) = (connection.peer, TokenFate::from(ask.bearer));
    let late = || late(EXCHANGING, target.url(), net.timeouts.exchange);
    let (head, _driver) =
        timeout_at(deadline, send(net, target, connection, ask)).await.map_err(|_| late())??;
    let (parts, body) = head.into_parts();
    check(&parts.headers).map_err(|fault| fault.from(target.url()))?;
    let body = timeout_at(deadline, read_body(body, target.url(), bound)).await.map_err(|_| late())??;
    Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body, peer, token })
}

/// Reads an answer whose head came to its end, at most `bound` bytes of body and no longer than `within`.
#[cfg(feature = "webrtc")]
pub(crate) async fn read_whole(
    answer: hyper::Response<Incoming>,
    url: &Url,
    bound: usize,
    within: Duration,
) -> Result<Vec<u8>, NetError> {
    check(answer.headers()).map_err(|fault| fault.from(url))?;
    let body = read_body(answer.into_body(), url, bound);
    timeout(within, body).await.map_err(|_| late(EXCHANGING, url, within))?
}

/// The task that drives a connection; it ends with this value.
pub(crate) struct Driver(JoinHandle<()>);

impl Driver {
    /// Drives `connection`; upgrades are possible while it does.
    pub(super) fn run<I, B>(connection: http1::Connection<I, B>) -> Self
    where
        I: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
        B: Body<Data: Send, Error: std::error::Error + Send + Sync> + Send + 'static,
    {
        Self(tokio::spawn(async move {
            // What goes wrong here is also told to the sender, which reports it.
            let _ = connection.with_upgrades().await;
        }))
    }
}

/// HTTP/1.1 with every bound on the head of an answer.
pub(super) fn bounded() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(HEADER_BYTES).max_header_size(HEADER_BYTES).max_headers(HEADER_FIELDS);
    builder
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends `ask` and waits for the head of the answer. Upgrades are possible while the driver lives.
pub(crate) async fn send(
    net: &NetContext,
    target: &Target,
    connection: Connection,
    ask: Ask<'_>,
) -> Result<(hyper::Response<Incoming>, Driver), NetError> {
    let url = target.url();
    let mut request = build(url, ask)?;
    let interim = Interim::of(&mut request);
    let failed = |e: hyper::Error| HttpFault::in_head(&e).from(url);
    let io = TokioIo::new(connection.stream);
    let (mut sender, connection) = bounded().handshake(io).await.map_err(failed)?;
    let driver = Driver::run(connection);
    let bound = net.timeouts.first_byte;
    let head = async {
        tokio::select! {
            head = sender.send_request(request) => head.map_err(failed),
            () = interim.too_many() => Err(HttpFault::Interim.from(url)),
        }
    };
    let head = timeout(bound, head).await.map_err(|_| late(ANSWERING, url, bound))??;
    Ok((head, driver))
}

fn build(url: &Url, ask: Ask<'_>) -> Result<Request<Full<Bytes>>, NetError> {
    let refuse = |reason: String| NetError::Http { url: shown(url), reason };
    let mut request = Request::builder()
        .method(ask.method)
        .uri(&url[Position::BeforePath..Position::AfterQuery])
        .header(header::HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(header::USER_AGENT, USER_AGENT);
    for (name, value) in ask.headers {
        request = request.header(name, value);
    }
    if let Bearer::Send(token) = ask.bearer {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_for_header()))
            .map_err(|_| refuse("the token does not fit a header".to_owned()))?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    request.body(Full::new(ask.body)).map_err(|e| refuse(e.to_string()))
}

/// Reads a body up to `bound`; one that announces more is refused before a byte of it is read.
async fn read_body(mut body: Incoming, url: &Url, bound: usize) -> Result<Vec<u8>, NetError> {
    let too_large = |declared| NetError::TooLarge { url: shown(url), what: "its body", bound, declared };
    let announced = body.size_hint().exact();
    if let Some(size) = announced.filter(|size| *size > bound as u64) {
        return Err(too_large(Some(size)));
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| HttpFault::in_body(&e, bytes.len(), announced).from(url))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > bound {
            return Err(too_large(None));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// The beginning of a body, whatever its size: what came within `patience`, for an error.
pub(crate) async fn read_excerpt(mut body: Incoming, patience: Duration) -> String {
    let mut bytes = Vec::new();
    let deadline = Instant::now() + patience;
    while bytes.len() < EXCERPT_BYTES {
        let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await else { break };
        bytes.extend_from_slice(&frame.into_data().unwrap_or_default());
    }
    excerpt(&bytes)
}

fn late(operation: &'static str, url: &Url, after: Duration) -> NetError {
    NetError::Timeout { operation, url: shown(url), after }
}
