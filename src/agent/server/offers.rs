//! Offers of calls (§ WebSocket and WebRTC): an SDP offer comes in, and an answer goes out.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};

use super::{Answer, CLOSE, Next, Upgraded, full, plain};
use crate::agent::server::{Shared, call};
use crate::call::sdp::SDP_BYTES;

/// The media type of both descriptions.
const SDP: &str = "application/sdp";
/// The header with the id of the session (R29).
const SESSION_ID: &str = "agentcall-session-id";

/// Answers one offer; the call comes when the client has the answer.
pub(super) async fn answer(request: Request<Incoming>, shared: &Shared, upgraded: &Upgraded) -> Answer {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| value.split(';').next()).map(str::trim);
    if !media_type.is_some_and(|name| name.eq_ignore_ascii_case(SDP)) {
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "An offer is application/sdp.\n");
    }
    if !request.headers().contains_key(SESSION_ID) {
        return plain(StatusCode::BAD_REQUEST, "An offer comes with AgentCall-Session-ID.\n");
    }
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else { return full() };
    let Ok(body) = Limited::new(request.into_body(), SDP_BYTES).collect().await else {
        return plain(StatusCode::PAYLOAD_TOO_LARGE, "An offer is whole, and has at most 128 KiB.\n");
    };
    let body = body.to_bytes();
    let Ok(offer) = std::str::from_utf8(&body) else {
        return plain(StatusCode::BAD_REQUEST, "An offer is text.\n");
    };
    match call::answer(offer, shared).await {
        Ok(answering) => {
            let mut answer = Response::new(Full::new(Bytes::from(answering.sdp().to_owned())));
            *answer.status_mut() = StatusCode::CREATED;
            let headers = answer.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(SDP));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert(CONNECTION, CLOSE);
            upgraded.put(Next::Call(Box::new(answering)), place);
            answer
        }
        Err(error) => {
            let mut refused = plain(StatusCode::BAD_REQUEST, "");
            *refused.body_mut() = Full::new(Bytes::from(format!("{error}\n")));
            refused
        }
    }
}
