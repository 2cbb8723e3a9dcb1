//! From a URL to an open call: offer, POST, answer.

use bytes::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use tokio::sync::mpsc;
use url::Url;

use super::{Options, bridge};
use crate::call::sdp::SDP_BYTES;
use crate::call::{CallError, Offering};
use crate::net::{Bearer, Credentials, NetContext, NetError, Target, TokenFate, http, shown};
use crate::safe_text::SafeText;
use crate::transport::refusal::refusal;
use crate::transport::{DialError, INCOMING_QUEUE, Link, OUTGOING_QUEUE, PeerInfo, SoundLine};

/// The media type of both descriptions.
const SDP: &str = "application/sdp";
/// The header that names the session (R29).
const SESSION_ID: HeaderName = HeaderName::from_static("agentcall-session-id");
/// How much of a wrong media type is shown.
const SHOWN: usize = 80;

/// Opens a call with the agent at the `https:` (with `--local` also `http:`) URL of `agui.url`, for the session
/// `session_id` (R29).
///
/// # Errors
/// Everything of resolving and connecting; [`NetError::Status`], [`NetError::Redirect`] and [`NetError::TooLarge`] for the
/// answer to the POST; [`DialError::MediaType`]; [`DialError::Call`] for an answer that is wrong, with its line, and for a
/// call that does not open.
pub async fn open(
    url: &Url,
    net: &NetContext,
    credentials: &Credentials,
    options: &Options,
    session_id: &str,
) -> Result<Link, DialError> {
    let target = net.resolve(url).await?;
    let bearer = credentials.bearer_for(&target, net.policy);
    let authorized = matches!(bearer, Bearer::Send(_));
    let failed = |error: CallError| call_error(url, &error);
    // Addresses are gathered while the connection opens.
    let offering = async { Offering::prepare(options.for_peer(target.is_loopback())).await.map_err(failed) };
    let connecting = async { net.connect(&target).await.map_err(DialError::from) };
    let (offering, connection) = tokio::try_join!(offering, connecting)?;
    let (address, tls) = (connection.peer, connection.tls);
    let ask = http::Ask {
        method: Method::POST,
        headers: fields(url, session_id)?,
        body: Bytes::from(offering.sdp().to_owned()),
        bearer,
    };
    let (status, answer) = exchange(net, &target, connection, ask, options).await?;
    let call = offering.connect(&answer).await.map_err(failed)?;
    let (outgoing, to_send) = mpsc::channel(OUTGOING_QUEUE);
    let (came, incoming) = mpsc::channel(INCOMING_QUEUE);
    let sound = SoundLine { outgoing: call.sound.outgoing, incoming: call.sound.incoming, facts: call.facts };
    tokio::spawn(bridge::run((call.outgoing, call.incoming), to_send, came));
    let peer = PeerInfo { address: Some(address), tls, status: Some(status), authorized };
    Ok(Link { outgoing, incoming, peer, sound: Some(sound) })
}

/// Sends the offer and reads the answer: its status first, then its media type, then so much of it as is allowed.
async fn exchange(
    net: &NetContext,
    target: &Target,
    connection: crate::net::Connection,
    ask: http::Ask<'_>,
    options: &Options,
) -> Result<(u16, String), DialError> {
    let (url, token) = (target.url(), TokenFate::from(ask.bearer));
    let (answer, _driver) = http::send(net, target, connection, ask).await?;
    let status = answer.status();
    if !matches!(status, StatusCode::OK | StatusCode::CREATED) {
        return Err(refusal(answer, url, token).await.into());
    }
    check_media_type(answer.headers(), url)?;
    let body = http::read_whole(answer, url, SDP_BYTES, options.answer_within).await?;
    // What is not text is no SDP, and is refused with the line where that shows.
    Ok((status.as_u16(), String::from_utf8_lossy(&body).into_owned()))
}

fn check_media_type(headers: &header::HeaderMap, url: &Url) -> Result<(), DialError> {
    let said = headers.get(header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let essence = said.as_deref().and_then(|said| said.split(';').next()).unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(SDP) {
        return Ok(());
    }
    let came = match essence {
        "" => "no media type".to_owned(),
        essence => SafeText::line(essence).cut(SHOWN).to_string(),
    };
    Err(DialError::MediaType { url: shown(url), came })
}

fn fields(url: &Url, session_id: &str) -> Result<Vec<(HeaderName, HeaderValue)>, NetError> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let id = HeaderValue::from_str(session_id).ok().filter(|_| session_id.bytes().all(fits));
    let refused = || NetError::Http {
        url: shown(url),
        reason: "the id of the session does not fit a header (R29)".to_owned(),
    };
    Ok(vec![
        (header::CONTENT_TYPE, HeaderValue::from_static(SDP)),
        (header::ACCEPT, HeaderValue::from_static(SDP)),
        (header::ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        (SESSION_ID, id.ok_or_else(refused)?),
    ])
}

fn call_error(url: &Url, error: &CallError) -> DialError {
    DialError::Call {
        url: shown(url),
        late: matches!(error, CallError::Late { .. }),
        reason: error.to_string(),
        hint: error.hint(),
    }
}
