//! What the agent answers over HTTP: its cards, the upgrade to a session over WebSocket, and offers of one over WebRTC.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::service::Service;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

use super::{Shared, Transports, caller, reachable};
use crate::agent::card;
use crate::protocol::card::TransportProfile;
use crate::redact::Token;

#[cfg(feature = "webrtc")]
#[path = "offers.rs"]
mod offers;
#[cfg(not(feature = "webrtc"))]
#[path = "unavailable.rs"]
mod offers;

/// Where an A2A 1.0 card is (§ Discovery).
pub(super) const CARD_PATH: &str = "/.well-known/agent-card.json";
/// Where the card of the WebRTC transport is, beside that of the WebSocket.
pub(super) const CALL_CARD_PATH: &str = "/webrtc/agent-card.json";
/// Where sessions are.
const AGUI_PATH: &str = "/agui";

/// Each answer but the upgrade ends its connection. `keep_alive(false)` would do the same, but hyper then
/// says `close` in the answer to an upgrade as well.
const CLOSE: HeaderValue = HeaderValue::from_static("close");

type Answer = Response<Full<Bytes>>;

/// What an exchange agreed to, for its task to go on with.
pub(super) enum Next {
    /// The connection becomes a WebSocket.
    WebSocket(OnUpgrade),
    /// An offer was answered, and a call is to come.
    #[cfg(feature = "webrtc")]
    Call(Box<crate::call::Answering>),
}

/// What comes after an exchange, and its place among the sessions.
#[derive(Clone, Default)]
pub(super) struct Upgraded(Arc<Mutex<Option<(Next, OwnedSemaphorePermit)>>>);

impl Upgraded {
    pub(super) fn take(&self) -> Option<(Next, OwnedSemaphorePermit)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, next: Next, place: OwnedSemaphorePermit) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((next, place));
    }
}

/// The service of one connection.
pub(super) fn service(
    shared: Arc<Shared>,
    upgraded: Upgraded,
) -> impl Service<
    Request<Incoming>,
    Response = Answer,
    Error = Infallible,
    Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>,
> {
    hyper::service::service_fn(move |request: Request<Incoming>| {
        let (shared, upgraded) = (Arc::clone(&shared), upgraded.clone());
        Box::pin(async move { Ok(answer(request, &shared, &upgraded).await) })
            as Pin<Box<dyn Future<Output = _> + Send>>
    })
}

async fn answer(mut request: Request<Incoming>, shared: &Shared, upgraded: &Upgraded) -> Answer {
    if let Err(stranger) = caller::check(&request) {
        return plain(stranger.status(), stranger.words());
    }
    let transports = shared.config.transports;
    let path = request.uri().path();
    let is_call_card = path == CALL_CARD_PATH && transports == Transports::Both;
    if path != CARD_PATH && path != AGUI_PATH && !is_call_card {
        return plain(
            StatusCode::NOT_FOUND,
            "There is nothing here. The card is at /.well-known/agent-card.json.\n",
        );
    }
    let is_offer = path == AGUI_PATH && request.method() == Method::POST && transports.has_calls();
    if request.method() != Method::GET && !is_offer {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "Only GET is answered here.\n");
    }
    if !authorized(&request, shared.config.bearer.as_ref()) {
        let mut refused = plain(StatusCode::UNAUTHORIZED, "A bearer token is needed.\n");
        refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return refused;
    }
    if path != AGUI_PATH {
        let transport = if is_call_card { TransportProfile::WebRtc } else { transports.first() };
        return card_answer(&request, shared, transport);
    }
    if is_offer {
        return offers::answer(request, shared, upgraded).await;
    }
    if !transports.has_sockets() {
        return plain(
            StatusCode::METHOD_NOT_ALLOWED,
            "Offers of calls are answered here: POST application/sdp.\n",
        );
    }
    match create_response_with_body(&request, Full::default) {
        Ok(switching) => match Arc::clone(&shared.places).try_acquire_owned() {
            Ok(place) => {
                upgraded.put(Next::WebSocket(hyper::upgrade::on(&mut request)), place);
                switching
            }
            Err(_) => full(),
        },
        Err(_) => plain(StatusCode::UPGRADE_REQUIRED, "This is a WebSocket endpoint.\n"),
    }
}

fn full() -> Answer {
    plain(StatusCode::SERVICE_UNAVAILABLE, "All places for sessions are taken; end one first.\n")
}

fn card_answer(request: &Request<Incoming>, shared: &Shared, transport: TransportProfile) -> Answer {
    let authority = advertised(request, shared);
    let card = card::card(&shared.config.card(transport), &format!("http://{authority}{AGUI_PATH}"));
    let mut answer = Response::new(Full::new(Bytes::from(card.to_string())));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONNECTION, CLOSE);
    answer
}

/// The bound address. Where every address was bound, the name under which the client has come; what that
/// may be was checked before.
fn advertised(request: &Request<Incoming>, shared: &Shared) -> String {
    match caller::named(request) {
        Some(authority) if shared.addr.ip().is_unspecified() => authority.to_string(),
        _ => reachable(shared.addr).to_string(),
    }
}

fn authorized(request: &Request<Incoming>, bearer: Option<&Token>) -> bool {
    let Some(token) = bearer else { return true };
    let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let sent = sent.and_then(|value| value.split_once(' '));
    sent.is_some_and(|(scheme, sent)| scheme.eq_ignore_ascii_case("bearer") && &Token::new(sent) == token)
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer.headers_mut().insert(CONNECTION, CLOSE);
    answer
}
