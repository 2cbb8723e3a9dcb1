//! The reference agent over real sockets: its card, its upgrade, its sessions, its end.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use agentcall::agent::{AgentConfig, AgentError, Fault, Running, serve};
use agentcall::discovery::{CardContext, validate};
use agentcall::protocol::card::{CANONICAL_URI, LEGACY_URI};
use agentcall::protocol::{Dialect, Envelope, Event, Modalities};
use agentcall::redact::Token;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Longer than anything here takes, so that a hang is a failure and not a wait.
const PATIENCE: Duration = Duration::from_secs(10);

fn quick() -> AgentConfig {
    AgentConfig { delta_interval: Duration::ZERO, ..AgentConfig::default() }
}

/// One HTTP exchange by hand: status line, headers and body as text.
async fn http(agent: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(agent.addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    answer
}

async fn get(agent: &Running, path: &str, headers: &str) -> (u16, String, String) {
    let answer = http(agent, &format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", agent.addr)).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

async fn card(agent: &Running) -> Value {
    let (status, _, body) = get(agent, "/.well-known/agent-card.json", "").await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn dial(agent: &Running, bearer: Option<&str>) -> Result<Self, WsError> {
        let mut request = format!("ws://{}/agui", agent.addr).into_client_request()?;
        if let Some(token) = bearer {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        let stream = TcpStream::connect(agent.addr).await?;
        Ok(Self(client_async(request, stream).await?.0))
    }

    /// Dials and starts a session with both modalities.
    async fn start(agent: &Running) -> Self {
        let mut client = Self::dial(agent, None).await.unwrap();
        let modalities = json!({ "physicalObservations": { "modalities": ["nfc", "photo"] } });
        client
            .send(json!({ "type": "session.start", "sessionId": "wire-1", "clientCapabilities": modalities }))
            .await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn say(&mut self, turn: u64, text: &str) -> String {
        self.send(json!({ "type": "user.turn", "turn": turn, "text": text })).await;
        self.run().await
    }

    async fn scan(&mut self, turn: u64, object_ref: &str) -> String {
        self.send(json!({ "type": "user.observation", "turn": turn, "observation": {
            "schemaVersion": "0.1", "observationId": "o", "capturedAt": "2026-09-07T10:00:00Z", "intent": "identify",
            "object": { "objectRef": object_ref, "carrier": "localTag", "assurance": "unverifiedTag",
                        "payloadSha256": "0".repeat(64) }
        }})).await;
        self.run().await
    }

    async fn next(&mut self) -> Message {
        timeout(PATIENCE, self.0.next())
            .await
            .expect("the agent answers")
            .expect("the session is open")
            .unwrap()
    }

    async fn event(&mut self) -> Event {
        let message = self.next().await;
        let Message::Text(text) = &message else { panic!("expected an envelope, came {message:?}") };
        Envelope::decode(text.as_str(), &Dialect::default()).unwrap().message.event
    }

    /// The text of the next run, or the code of the next failure.
    async fn run(&mut self) -> String {
        let mut text = String::new();
        loop {
            match self.event().await {
                Event::TextDelta(delta) => text.push_str(&delta.text),
                Event::Failure(failure) => return failure.code,
                Event::RunCompleted => return text,
                _ => {}
            }
        }
    }

    /// The code with which the agent closes.
    async fn closed(&mut self) -> Option<u16> {
        loop {
            if let Message::Close(frame) = self.next().await {
                // Reading on sends our half of the close handshake.
                while let Some(Ok(_)) = timeout(PATIENCE, self.0.next()).await.expect("the agent hangs up") {}
                return frame.map(|frame| frame.code.into());
            }
        }
    }
}

#[tokio::test]
async fn the_card_names_the_bound_address_and_the_extension() {
    let agent = serve(quick()).await.unwrap();
    assert!(agent.addr.ip().is_loopback());
    assert_eq!(agent.card_url, format!("http://{}/.well-known/agent-card.json", agent.addr));
    let (status, head, body) = get(&agent, "/.well-known/agent-card.json", "").await;
    assert_eq!(status, 200);
    assert!(
        head.contains("content-type: application/json") && head.contains("cache-control: no-store"),
        "{head}"
    );
    let card: Value = serde_json::from_str(&body).unwrap();
    let extension = &card["capabilities"]["extensions"][0];
    assert_eq!(extension["uri"], CANONICAL_URI);
    assert_eq!(extension["params"]["agui"]["url"], format!("http://{}/agui", agent.addr));
    assert_eq!(extension["params"]["physicalObservations"]["accepted"], json!(["nfc", "photo"]));
}

#[tokio::test]
async fn the_card_follows_the_options() {
    let config = AgentConfig { accepted: Modalities::NONE, legacy_uri: true, ..quick() };
    let card = card(&serve(config).await.unwrap()).await;
    let extension = &card["capabilities"]["extensions"][0];
    assert_eq!(extension["uri"], LEGACY_URI);
    assert_eq!(extension["params"].get("physicalObservations"), None);
}

#[tokio::test]
async fn discovery_has_nothing_to_say_against_the_card_but_the_empty_interfaces_and_the_legacy_uri() {
    for (accepted, legacy_uri, bearer) in [
        (Modalities::BOTH, false, None),
        (Modalities::NONE, false, None),
        (Modalities::BOTH, true, None),
        (Modalities::BOTH, false, Some("s3cr3t")),
    ] {
        let config = AgentConfig { accepted, legacy_uri, bearer: bearer.map(Token::new), ..quick() };
        let agent = serve(config).await.unwrap();
        let token = bearer.map(|t| format!("Authorization: Bearer {t}\r\n")).unwrap_or_default();
        let (_, _, body) = get(&agent, "/.well-known/agent-card.json", &token).await;
        let context = CardContext {
            final_url: Some(agent.card_url.clone()),
            content_type: Some("application/json".to_owned()),
            local: true,
            dialect: Dialect::default(),
        };
        let report = validate(body.as_bytes(), &context);
        let offer = report.offer.expect("the card is compatible");
        assert_eq!((offer.accepted, offer.agent_requests), (accepted, accepted));
        assert_eq!(offer.needs_bearer, bearer.is_some());
        let notes: Vec<&str> = report.notes.iter().map(|note| note.rule.id).collect();
        let legacy: &[&str] = if legacy_uri { &["CARD-18"] } else { &[] };
        assert_eq!(
            notes.iter().filter(|id| **id != "CARD-15").copied().collect::<Vec<_>>(),
            legacy,
            "{notes:?}"
        );
    }
}

#[tokio::test]
async fn an_agent_on_every_address_names_the_one_the_client_used() {
    let agent = serve(AgentConfig { listen: "0.0.0.0:0".parse().unwrap(), ..quick() }).await.unwrap();
    let local = format!("127.0.0.1:{}", agent.addr.port());
    assert_eq!(agent.card_url, format!("http://{local}/.well-known/agent-card.json"));
    let request = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: bench.local:99\r\n\r\n";
    let mut stream = TcpStream::connect(&local).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.contains("\"url\":\"http://bench.local:99/agui\""), "{answer}");
}

#[tokio::test]
async fn everything_else_is_a_small_refusal() {
    let agent = serve(quick()).await.unwrap();
    assert_eq!(get(&agent, "/", "").await.0, 404);
    assert_eq!(get(&agent, "/agui/more", "").await.0, 404);
    assert_eq!(get(&agent, "/agui", "").await.0, 426);
    let post = http(&agent, "POST /agui HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").await;
    assert!(post.starts_with("HTTP/1.1 405"), "{post}");
    let endless = format!("GET / HTTP/1.1\r\nX-a: {}\r\n\r\n", "a".repeat(20 * 1024));
    assert!(http(&agent, &endless).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn a_required_bearer_guards_card_and_upgrade() {
    let agent = serve(AgentConfig { bearer: Some(Token::new("s3cr3t")), ..quick() }).await.unwrap();
    let path = "/.well-known/agent-card.json";
    let (status, head, _) = get(&agent, path, "").await;
    assert!(status == 401 && head.contains("www-authenticate: bearer"), "{head}");
    assert_eq!(get(&agent, path, "Authorization: Bearer other\r\n").await.0, 401);
    let (status, _, body) = get(&agent, path, "Authorization: Bearer s3cr3t\r\n").await;
    assert!(status == 200 && body.contains("securityRequirements") && !body.contains("s3cr3t"), "{body}");
    for bad in [None, Some("other")] {
        let refused = Client::dial(&agent, bad).await.err();
        assert!(matches!(&refused, Some(WsError::Http(r)) if r.status() == 401), "{refused:?}");
    }
    assert!(Client::dial(&agent, Some("s3cr3t")).await.is_ok());
}

#[tokio::test]
async fn the_reference_proof_holds_on_the_wire_and_sessions_are_isolated() {
    let agent = serve(quick()).await.unwrap();
    let (mut one, mut other) = (Client::start(&agent).await, Client::start(&agent).await);
    assert!(matches!(one.event().await, Event::SessionEstablished(e) if !e.resumed));
    assert!(one.scan(1, "urn:a").await.contains("do not know"));
    assert!(one.say(2, "teach object Workshop router").await.contains("Nothing is stored yet"));
    assert!(one.scan(3, "urn:a").await.contains("do not know"));
    assert!(one.say(4, "confirm object").await.contains("I will remember"));
    assert_eq!(one.scan(5, "urn:a").await, "This is Workshop router.");
    assert_eq!(one.scan(5, "urn:a").await, "turn_replayed");
    assert!(one.scan(6, "urn:b").await.contains("do not know"));
    assert!(other.scan(1, "urn:a").await.contains("do not know"));
    one.send(json!({ "type": "session.end" })).await;
    assert_eq!(one.closed().await, Some(1000));
}

#[tokio::test]
async fn a_streaming_answer_is_cancelled() {
    let slow = AgentConfig { delta_interval: Duration::from_millis(5), ..AgentConfig::default() };
    let agent = serve(slow).await.unwrap();
    let mut client = Client::start(&agent).await;
    client.send(json!({ "type": "user.turn", "turn": 1, "text": "tell a story" })).await;
    while !matches!(client.event().await, Event::TextDelta(_)) {}
    client.send(json!({ "type": "response.cancel" })).await;
    assert_eq!(client.run().await, "cancelled");
    assert!(client.say(2, "hello").await.starts_with("Hello"));
}

#[tokio::test]
async fn bad_frames_are_refused_and_the_session_goes_on() {
    let agent = serve(quick()).await.unwrap();
    let mut client = Client::start(&agent).await;
    client.0.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(client.run().await, "binary_refused");
    client.0.send(Message::text("{")).await.unwrap();
    assert_eq!(client.run().await, "invalid_message");
    assert_eq!(client.say(1, &"x".repeat(200 * 1024)).await, "too_large");
    assert!(client.say(1, "hello").await.starts_with("Hello"));
    client.0.send(Message::Ping(vec![7].into())).await.unwrap();
    assert_eq!(client.next().await, Message::Pong(vec![7].into()));
}

#[tokio::test]
async fn a_frame_beyond_every_bound_closes_the_session() {
    let agent = serve(quick()).await.unwrap();
    let mut client = Client::start(&agent).await;
    // The agent stops reading before the frame is whole, so sending it may fail; the session ends either way.
    let _ = client.0.send(Message::text("x".repeat(1_100_000))).await;
    loop {
        match timeout(PATIENCE, client.0.next()).await.expect("the session ends") {
            Some(Ok(Message::Close(frame))) => {
                assert_eq!(frame.map(|f| u16::from(f.code)), Some(1009));
                return;
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return,
        }
    }
}

#[tokio::test]
async fn a_quiet_client_is_pinged_and_a_dead_one_dropped() {
    let agent = serve(AgentConfig { ping_every: Duration::from_millis(30), ..quick() }).await.unwrap();
    let mut client = Client::start(&agent).await;
    client.event().await;
    assert!(matches!(client.next().await, Message::Ping(_)));
    // Not reading from here on means not answering pings either.
    let mut stream = client.0.into_inner();
    let mut rest = Vec::new();
    let ended = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the session is still open");
}

#[tokio::test]
async fn stopping_says_goodbye_and_frees_the_address() {
    let agent = serve(quick()).await.unwrap();
    let addr = agent.addr;
    let mut client = Client::start(&agent).await;
    client.event().await;
    let (code, ()) = tokio::join!(client.closed(), agent.stop());
    assert_eq!(code, Some(1001));
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn an_address_in_use_is_one_clear_line() {
    let agent = serve(quick()).await.unwrap();
    let AgentError::Listen { addr, .. } =
        serve(AgentConfig { listen: agent.addr, ..quick() }).await.err().unwrap()
    else {
        panic!("another failure")
    };
    assert_eq!(addr, agent.addr);
}

#[tokio::test]
async fn a_silent_agent_keeps_the_connection_and_says_nothing() {
    let agent = serve(AgentConfig { faults: vec![Fault::Silent], ..quick() }).await.unwrap();
    let mut client = Client::start(&agent).await;
    client.event().await;
    client.send(json!({ "type": "user.turn", "turn": 1, "text": "hello" })).await;
    assert_eq!(client.event().await, Event::RunStarted);
    client.0.send(Message::Ping(vec![7].into())).await.unwrap();
    assert!(timeout(Duration::from_millis(150), client.0.next()).await.is_err(), "it is not silent");
}

#[tokio::test]
async fn an_agent_that_closes_mid_run_does() {
    let agent = serve(AgentConfig { faults: vec![Fault::CloseMidRun], ..quick() }).await.unwrap();
    let mut client = Client::start(&agent).await;
    client.send(json!({ "type": "user.turn", "turn": 1, "text": "hello" })).await;
    assert_eq!(client.closed().await, Some(1011));
}
