//! A hostile agent that keeps what it gets and repeats it in every spelling: in its card, in its refusals, and in each
//! field of each event, whole and in pieces.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use crate::secrets::{Photo, TOKEN, UIDS, echoes, of_token};

/// Where it repeats the token besides its card and its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nowhere: it talks.
    None,
    /// In the body and the headers of an answer that is no card.
    Card,
    /// In the address to which it sends the request on.
    Redirect,
    /// In the fields of a card that is refused.
    Fields,
    /// In the head and the body of a refused upgrade.
    Upgrade,
    /// In the reason for which it closes.
    Close,
}

/// What it was sent, and what it said.
#[derive(Default)]
pub struct Heard {
    /// Heads of requests for the card, and of upgrades without their `Authorization`.
    pub heads: Vec<String>,
    pub tokens: Vec<String>,
    pub frames: Vec<String>,
    /// What it sent over the WebSocket.
    pub said: Vec<String>,
}

#[derive(Clone)]
pub struct Hostile {
    pub origin: String,
    refusal: Refusal,
    heard: Arc<Mutex<Heard>>,
}

impl Hostile {
    pub async fn start(refusal: Refusal) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let hostile = Self { origin, refusal, heard: Arc::default() };
        let server = hostile.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(server.clone().serve(stream));
            }
        });
        hostile
    }

    pub fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap()
    }

    async fn serve(self, mut stream: TcpStream) {
        let mut head = [0; 9];
        while stream.peek(&mut head).await.unwrap() < head.len() {}
        if head.starts_with(b"GET /agui") && self.refusal != Refusal::Upgrade {
            return self.talk(stream).await;
        }
        let mut request = vec![0; 16 * 1024];
        let length = stream.read(&mut request).await.unwrap();
        let request = String::from_utf8_lossy(&request[..length]).into_owned();
        let may = request.to_ascii_lowercase().contains("authorization: bearer ");
        let safe = if may { request.replace(TOKEN, "") } else { request.clone() };
        self.heard().heads.push(safe);
        let all = of_token().join(" | ").replace(['\r', '\n', '\u{200b}'], "");
        let (status, extra, body) = match self.refusal {
            _ if !may => ("401 Unauthorized".to_owned(), String::new(), String::new()),
            Refusal::Upgrade if !head.starts_with(b"GET /agui") => {
                ("200 OK".to_owned(), String::new(), self.card())
            }
            Refusal::Card | Refusal::Upgrade => {
                (format!("403 {TOKEN}"), format!("x-token: {all}\r\nretry-after: {TOKEN}\r\n"), all)
            }
            Refusal::Redirect => {
                let to =
                    format!("{}/{TOKEN}?t={TOKEN}#{TOKEN}", self.origin.replace("127.0.0.1", "127.0.0.2"));
                ("302 Found".to_owned(), format!("location: {to}\r\n"), all)
            }
            _ => ("200 OK".to_owned(), String::new(), self.card()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{extra}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        let _ = stream.shutdown().await;
    }

    fn card(&self) -> String {
        let all = of_token().join(" | ");
        let mut card = json!({
            "name": format!("Echo {TOKEN}"), "description": all, "version": TOKEN, "supportedInterfaces": [],
            "provider": { "organization": all, "url": format!("https://agent.example/?token={TOKEN}") },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
            "securitySchemes": { "b": { "httpAuthSecurityScheme": { "scheme": "bearer" } } },
            "securityRequirements": [{ "schemes": { "b": { "list": [] } } }],
            "capabilities": { "extensions": [{
                "uri": "https://agentcall.smartycode.com/ext/agentcall-agui/0.1",
                "description": all,
                "params": {
                    "schemaVersion": "0.1",
                    "agui": { "url": format!("{}/agui", self.origin), "transport": "websocket" },
                    "voice": { "owner": "client" },
                    "physicalObservations": { "accepted": ["nfc", "photo"], "agentRequests": ["nfc", "photo"] },
                },
            }] },
        });
        if self.refusal == Refusal::Fields {
            let extension = &mut card["capabilities"]["extensions"][0]["params"];
            extension["schemaVersion"] = json!(TOKEN);
            extension["agui"] = json!({ "url": format!("ftp://{TOKEN}/{TOKEN}"), "transport": TOKEN });
            extension["physicalObservations"]["accepted"] = json!([TOKEN, all]);
            card["securitySchemes"][TOKEN] = json!({ TOKEN: TOKEN });
        }
        card.to_string()
    }

    async fn talk(self, stream: TcpStream) {
        #[allow(clippy::result_large_err, reason = "the signature is the library's")]
        let note = |request: &Request, response: Response| {
            let bearer = request.headers().get("authorization").map(|v| v.to_str().unwrap().to_owned());
            let others: Vec<_> =
                request.headers().iter().filter(|(name, _)| *name != "authorization").collect();
            let mut heard = self.heard();
            heard.tokens.extend(bearer);
            heard.heads.push(format!("{} {others:?}", request.uri()));
            Ok(response)
        };
        let mut socket = tokio_tungstenite::accept_hdr_async(stream, note).await.unwrap();
        if self.refusal == Refusal::Close {
            let _ = socket.next().await;
            let close =
                CloseFrame { code: 4001.into(), reason: format!("{TOKEN} {}", &of_token()[3][..80]).into() };
            let _ = socket.close(Some(close)).await;
            while let Some(Ok(_)) = socket.next().await {}
            return;
        }
        let (mut sequence, mut scanned, mut photo) = (0, 0, None);
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            self.heard().frames.push(text.to_string());
            let message: Value = serde_json::from_str(&text).unwrap();
            // It spells what it could have learnt had an id left the client: those of the tags shown so far.
            let is_scan = message["type"] == "user.observation" && text.contains("objectRef");
            scanned += usize::from(is_scan);
            if let Some(data) = message.pointer("/observation/image/data").and_then(Value::as_str) {
                photo = Some(Photo::of(data));
            }
            let ids = &UIDS[..scanned.min(UIDS.len())];
            for event in answers(&message, ids, &echoes(ids, photo.as_ref()), sequence) {
                sequence += 1;
                let envelope = json!({ "sequence": sequence, "event": event }).to_string();
                if self.say(&mut socket, envelope).await.is_none() {
                    return;
                }
            }
        }
    }

    async fn say(&self, socket: &mut WebSocketStream<TcpStream>, text: String) -> Option<()> {
        self.heard().said.push(text.clone());
        socket.send(Message::text(text)).await.ok()
    }
}

/// Repeats what came, and every one of these spellings, in every event that has room for it.
fn answers(message: &Value, ids: &[[u8; 7]], echoes: &[String], sequence: u64) -> Vec<Value> {
    match message["type"].as_str().unwrap() {
        "session.start" => vec![json!({ "type": "session.established", "resumed": false })],
        "user.turn" | "user.observation" => {
            let mut events = vec![json!({ "type": "run.started" })];
            if message["text"] == "in pieces" {
                events.extend(in_pieces(echoes));
            } else {
                events.extend(whole(message, ids, echoes, sequence));
            }
            let end = match message["text"].as_str() {
                Some("fail") => json!({ "type": "failure", "code": TOKEN, "message": of_token().join(" ") }),
                _ => json!({ "type": "run.completed", "echo": message }),
            };
            events.push(end);
            // Nothing runs any more: these are refused, and shown as such.
            events.push(json!({ "type": "text.delta", "text": TOKEN }));
            events.extend(cut(TOKEN, 4).map(|piece| json!({ "type": "text.delta", "text": piece })));
            events
        }
        _ => Vec::new(),
    }
}

fn whole(message: &Value, ids: &[[u8; 7]], echoes: &[String], sequence: u64) -> Vec<Value> {
    let echo = echoes.join(" ; ");
    // Faces cut long texts: another one begins with what this one ends with.
    let turned = echoes.iter().rev().cloned().collect::<Vec<_>>().join(" ; ");
    let prompt = &of_token().join(" ")[..1_000];
    let mut keys = serde_json::Map::new();
    keys.extend(echoes.iter().map(|echo| (echo.clone(), json!([echo, { TOKEN: 1 }]))));
    vec![
        json!({ "type": "text.delta", "text": echo }),
        json!({ "type": "speech.segment", "segmentId": TOKEN, "text": turned, "stable": true }),
        json!({ "type": format!("odd.{TOKEN}"), "anything": { "deep": [echo, { TOKEN: message }] } }),
        json!({ "type": "odd.keys", "keys": keys }),
        json!({ "type": "odd.lists", "ids": ids, "token": TOKEN.as_bytes(), "letters": TOKEN.split("").collect::<Vec<_>>() }),
        json!({ "type": "interaction.requested", "interactionId": format!("ix-{sequence}"), "kind": "physical.photo.capture",
                "prompt": prompt, "spokenPrompt": TOKEN, "options": [], "allowsFreeform": false }),
        json!({ "type": "interaction.resolved", "interactionId": format!("ix-{sequence}"), "outcome": turned }),
        json!({ "type": "interaction.requested", "interactionId": TOKEN, "kind": TOKEN, "prompt": TOKEN }),
        json!({ "type": "interaction.resolved", "interactionId": TOKEN }),
        json!({ "type": "run.started", "text": echo }),
    ]
}

/// Each spelling over several deltas, none of which says anything by itself.
fn in_pieces(echoes: &[String]) -> Vec<Value> {
    let mut events = Vec::new();
    for (number, echo) in echoes.iter().enumerate() {
        let length = [3, 7, 1, 12][number % 4];
        events.extend(cut(echo, length).map(|piece| json!({ "type": "text.delta", "text": piece })));
        events.push(json!({ "type": "text.delta", "text": " ;\t" }));
    }
    events.extend(
        cut(TOKEN, 9).map(
            |piece| json!({ "type": "speech.segment", "segmentId": "s", "text": piece, "stable": true }),
        ),
    );
    events
}

/// The text in pieces of so many characters.
pub fn cut(text: &str, length: usize) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(length).map(|piece| piece.iter().collect()).collect::<Vec<String>>().into_iter()
}
