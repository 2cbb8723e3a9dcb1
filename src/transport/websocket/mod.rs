//! The WebSocket transport (`agentcall-agui-ws-0.1`): the upgrade here, the open link in `pump`.
//!
//! The address is resolved, checked and pinned anew, whatever the card fetch found (R23); the bearer goes
//! in the upgrade's `Authorization` header where R17 allows it; no redirect is followed, no subprotocol is
//! asked for, and no `A2A-Extensions` header is sent (R24).

mod measured;
mod pump;

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::handshake::{client::generate_key, derive_accept_key};
use url::Url;

use super::refusal::refusal;
use super::{DialError, Dialer, INCOMING_QUEUE, Link, OUTGOING_QUEUE, PeerInfo};
use crate::net::{Bearer, Credentials, NetContext, NetError, Target, TokenFate, http, shown};
use crate::protocol::bounds;

/// Times and bounds of an open link.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often a ping is sent; 20 s by default.
    pub ping_every: Duration,
    /// How long without anything until the link counts as dead; 60 s by default.
    pub dead_after: Duration,
    /// How long the agent may take nothing of what is sent until that is said; 5 s by default.
    pub stalled_after: Duration,
    /// How long a close may take; 2 s by default.
    pub close_within: Duration,
    /// Largest frame that is handed on; 128 KiB by default.
    pub frame_bytes: usize,
    /// Largest message that is still discarded instead of closing the link; 1 MiB by default (R30).
    pub message_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ping_every: Duration::from_secs(20),
            dead_after: Duration::from_secs(60),
            stalled_after: Duration::from_secs(5),
            close_within: Duration::from_secs(2),
            frame_bytes: bounds::FRAME_BYTES,
            message_bytes: bounds::CLOSE_BEYOND_BYTES,
        }
    }
}

/// Everything needed to open WebSocket links to one agent.
#[derive(Clone)]
pub struct WebSocketDialer {
    /// The card's `agui.url`.
    pub url: Url,
    /// Policy, resolver, TLS, times.
    pub net: NetContext,
    /// The token and where it may go.
    pub credentials: Credentials,
    /// Times and bounds.
    pub options: Options,
}

impl Dialer for WebSocketDialer {
    fn dial(&self) -> BoxFuture<'_, Result<Link, DialError>> {
        Box::pin(async { Ok(open(&self.url, &self.net, &self.credentials, self.options).await?) })
    }
}

/// Opens a link to the `https:` (with `--local` also `http:`) URL of `agui.url`.
///
/// # Errors
/// [`NetError::Form`] for a literal `ws:` or `wss:`; [`NetError::Status`] with the beginning of the body
/// when the agent refuses the upgrade; [`NetError::Redirect`]; everything else of resolving and connecting.
pub async fn open(
    url: &Url,
    net: &NetContext,
    credentials: &Credentials,
    options: Options,
) -> Result<Link, NetError> {
    let target = net.resolve(url).await?;
    let bearer = credentials.bearer_for(&target, net.policy);
    let authorized = matches!(bearer, Bearer::Send(_));
    let connection = net.connect(&target).await?;
    let (address, tls) = (connection.peer, connection.tls);
    let bound = net.timeouts.exchange;
    let upgraded = tokio::time::timeout(bound, upgrade(net, &target, connection, bearer))
        .await
        .map_err(|_| NetError::Timeout { operation: "the upgrade of", url: shown(url), after: bound })??;
    let (outgoing, to_send) = mpsc::channel(OUTGOING_QUEUE);
    let (came, incoming) = mpsc::channel(INCOMING_QUEUE);
    tokio::spawn(pump::run(TokioIo::new(upgraded), to_send, came, options));
    let status = Some(StatusCode::SWITCHING_PROTOCOLS.as_u16());
    let peer = PeerInfo { address: Some(address), tls, status, authorized };
    Ok(Link { outgoing, incoming, peer, sound: None })
}

/// Asks for the upgrade and checks the answer (RFC 6455, section 4.1).
async fn upgrade(
    net: &NetContext,
    target: &Target,
    connection: crate::net::Connection,
    bearer: Bearer<'_>,
) -> Result<hyper::upgrade::Upgraded, NetError> {
    let (key, token) = (generate_key(), TokenFate::from(bearer));
    let ask = http::Ask { method: Method::GET, headers: fields(&key), body: Bytes::new(), bearer };
    let (answer, _driver) = http::send(net, target, connection, ask).await?;
    let url = target.url();
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(refusal(answer, url, token).await);
    }
    let faulty = |reason: String| NetError::Http { url: shown(url), reason };
    check_accepted(answer.headers(), &key).map_err(|reason| faulty(reason.to_owned()))?;
    hyper::upgrade::on(answer).await.map_err(|e| faulty(format!("the upgrade failed ({e})")))
}

fn fields(key: &str) -> Vec<(header::HeaderName, HeaderValue)> {
    let key = HeaderValue::from_str(key).expect("a WebSocket key is base64");
    vec![
        (header::CONNECTION, HeaderValue::from_static("Upgrade")),
        (header::UPGRADE, HeaderValue::from_static("websocket")),
        (header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13")),
        (header::SEC_WEBSOCKET_KEY, key),
    ]
}

/// RFC 6455, section 4.1: what a client must find in a `101`.
fn check_accepted(headers: &HeaderMap, key: &str) -> Result<(), &'static str> {
    if !single(headers, header::UPGRADE).eq_ignore_ascii_case("websocket") {
        return Err("it switched to another protocol than WebSocket");
    }
    // A list, which may be spread over several fields.
    let lists = headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    if !lists.flat_map(|list| list.split(',')).any(|token| token.trim().eq_ignore_ascii_case("upgrade")) {
        return Err("its upgrade lacks \"Connection: Upgrade\"");
    }
    if single(headers, header::SEC_WEBSOCKET_ACCEPT) != derive_accept_key(key.as_bytes()) {
        return Err("its Sec-WebSocket-Accept does not match the key that was sent");
    }
    if headers.contains_key(header::SEC_WEBSOCKET_PROTOCOL) {
        return Err("it chose a subprotocol though none was offered");
    }
    if headers.contains_key(header::SEC_WEBSOCKET_EXTENSIONS) {
        return Err("it chose a WebSocket extension though none was offered");
    }
    Ok(())
}

/// The text of a field that stands there once; nothing if it is missing, doubled or no text.
fn single(headers: &HeaderMap, name: header::HeaderName) -> &str {
    let mut values = headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    }
}
