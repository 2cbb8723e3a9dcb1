//! Everything that a run writes, searched for what must never be written: ids of tags, the token, the photo.
//!
//! The agent here is hostile: it repeats whatever it was sent, the token too, and spells ids of tags.
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod common;

use std::path::Path;
use std::sync::{Arc, Mutex};

use common::{Done, Running, command, finish, root};
use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

const TOKEN: &str = "tok-4f1c9a7e2b-WorkshopBench";
/// Of `tag:uid=`, and of `assets/tags/plant.nfc` and `toolbox.nfc`.
const UIDS: [[u8; 7]; 3] = [
    [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6],
    [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66],
    [0x04, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76],
];

/// The common ways to write an id down, in both byte orders.
fn spellings(uid: [u8; 7]) -> Vec<String> {
    let mut reversed = uid;
    reversed.reverse();
    [uid, reversed].iter().flat_map(one_order).collect()
}

fn one_order(bytes: &[u8; 7]) -> Vec<String> {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let list = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let mut all: Vec<String> = ["", ":", "-", " ", "."].iter().map(|mark| hex.join(mark)).collect();
    all.extend([HEXLOWER.encode(bytes), number.to_string(), list]);
    all.extend([BASE64_NOPAD.encode(bytes), BASE64URL_NOPAD.encode(bytes)]);
    all
}

// ── a hostile agent that keeps what it gets ──

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    /// Heads of requests for the card, and of upgrades without their `Authorization`.
    heads: Vec<String>,
    tokens: Vec<String>,
    frames: Vec<String>,
}

struct Hostile {
    origin: String,
    seen: Seen,
}

impl Hostile {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen = Seen::default();
        let hostile = Self { origin: origin.clone(), seen: seen.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, origin.clone(), seen.clone()));
            }
        });
        hostile
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.seen.0.lock().unwrap()
    }
}

async fn serve(mut stream: TcpStream, origin: String, seen: Seen) {
    let mut head = [0; 9];
    while stream.peek(&mut head).await.unwrap() < head.len() {}
    if head.starts_with(b"GET /agui") {
        return talk(stream, seen).await;
    }
    let mut request = vec![0; 16 * 1024];
    let length = stream.read(&mut request).await.unwrap();
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let may = request.to_ascii_lowercase().contains("authorization: bearer ");
    let (mut safe, body) = (request.clone(), card(&origin).to_string());
    if may {
        safe = safe.replace(TOKEN, "");
    }
    seen.0.lock().unwrap().heads.push(safe);
    let (status, body) = if may { ("200 OK", body) } else { ("401 Unauthorized", String::new()) };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

fn card(origin: &str) -> Value {
    json!({
        "name": format!("Echo {TOKEN}"), "description": TOKEN, "version": "1", "supportedInterfaces": [],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
        "securitySchemes": { "b": { "httpAuthSecurityScheme": { "scheme": "bearer" } } },
        "securityRequirements": [{ "schemes": { "b": { "list": [] } } }],
        "capabilities": { "extensions": [{
            "uri": "https://agentcall.smartycode.com/ext/agentcall-agui/0.1",
            "params": {
                "schemaVersion": "0.1",
                "agui": { "url": format!("{origin}/agui"), "transport": "websocket" },
                "voice": { "owner": "client" },
                "physicalObservations": { "accepted": ["nfc", "photo"], "agentRequests": ["nfc", "photo"] },
            },
        }] },
    })
}

async fn talk(stream: TcpStream, seen: Seen) {
    #[allow(clippy::result_large_err, reason = "the signature is the library's")]
    let note = |request: &Request, response: Response| {
        let bearer = request.headers().get("authorization").map(|v| v.to_str().unwrap().to_owned());
        seen.0.lock().unwrap().tokens.extend(bearer);
        let others: Vec<_> = request.headers().iter().filter(|(name, _)| *name != "authorization").collect();
        seen.0.lock().unwrap().heads.push(format!("{} {others:?}", request.uri()));
        Ok(response)
    };
    let mut socket = tokio_tungstenite::accept_hdr_async(stream, note).await.unwrap();
    let (mut sequence, mut scanned) = (0, 0);
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        seen.0.lock().unwrap().frames.push(text.to_string());
        // It spells what it could have learnt had an id left the client: those of the tags shown so far.
        scanned += usize::from(text.contains("objectRef"));
        for event in answers(&text, &UIDS[..scanned.min(UIDS.len())], sequence) {
            sequence += 1;
            let envelope = json!({ "sequence": sequence, "event": event }).to_string();
            if socket.send(Message::text(envelope)).await.is_err() {
                return;
            }
        }
    }
}

/// Repeats what came, the token, and every spelling of these ids, in every event that has room for it.
fn answers(text: &str, uids: &[[u8; 7]], sequence: u64) -> Vec<Value> {
    let message: Value = serde_json::from_str(text).unwrap();
    match message["type"].as_str().unwrap() {
        "session.start" => vec![json!({ "type": "session.established", "resumed": false })],
        "user.turn" | "user.observation" => {
            let ids = uids.iter().flat_map(|uid| spellings(*uid)).collect::<Vec<_>>().join(" | ");
            let data = message.pointer("/observation/image/data").and_then(Value::as_str).unwrap_or_default();
            let echo = format!("{TOKEN} {} {ids} {data}", BASE64.encode(TOKEN.as_bytes()));
            let mut events = vec![
                json!({ "type": "run.started" }),
                json!({ "type": "text.delta", "text": echo }),
                json!({ "type": "speech.segment", "segmentId": TOKEN, "text": echo, "stable": true }),
                // In pieces, each of which says nothing by itself.
                json!({ "type": "text.delta", "text": format!(" in pieces: {}", &TOKEN[..9]) }),
                json!({ "type": "text.delta", "text": &TOKEN[9..] }),
                json!({ "type": format!("odd.{TOKEN}"), "anything": { "deep": [echo.clone(), { TOKEN: message.clone() }] } }),
                json!({ "type": "interaction.requested", "interactionId": format!("ix-{sequence}"), "kind": "physical.photo.capture",
                        "prompt": echo, "spokenPrompt": TOKEN, "options": [], "allowsFreeform": false }),
                json!({ "type": "interaction.resolved", "interactionId": format!("ix-{sequence}"), "outcome": echo }),
                json!({ "type": "run.started", "text": echo }),
            ];
            let end = match message["text"].as_str() {
                Some("fail") => json!({ "type": "failure", "code": TOKEN, "message": echo }),
                _ => json!({ "type": "run.completed", "echo": message }),
            };
            events.push(end);
            events
        }
        _ => Vec::new(),
    }
}

// ── the search ──

/// What must not be in `text`, found all the same.
fn leaks(text: &[u8], photo: &Photo) -> Vec<String> {
    let whole = String::from_utf8_lossy(text);
    let lower = whole.to_ascii_lowercase();
    let bare: String = lower.chars().filter(|c| !" :-._,\\\"\n".contains(*c)).collect();
    let mut found = Vec::new();
    for uid in UIDS {
        found.extend(spellings(uid).into_iter().filter(|spelt| whole.contains(spelt.as_str())));
        for order in [uid.to_vec(), uid.iter().rev().copied().collect()] {
            let hex = HEXLOWER.encode(&order);
            found.extend(bare.contains(&hex).then_some(hex));
            found.extend(text.windows(7).any(|w| w == order).then(|| "the bytes of an id".to_owned()));
        }
    }
    let token = TOKEN.to_ascii_lowercase();
    for spelt in [token.clone(), HEXLOWER.encode(TOKEN.as_bytes())] {
        found.extend(lower.contains(&spelt).then_some(spelt));
    }
    for spelt in [BASE64.encode(TOKEN.as_bytes()), HEXUPPER.encode(TOKEN.as_bytes())] {
        found.extend(whole.contains(&spelt).then_some(spelt));
    }
    found.extend(photo.pieces(&whole, text));
    found
}

/// The photo as it went over the wire.
struct Photo {
    base64: String,
    jpeg: Vec<u8>,
}

impl Photo {
    /// Any piece of 64 characters or 48 bytes of it.
    fn pieces(&self, whole: &str, raw: &[u8]) -> Option<String> {
        let text = (0..self.base64.len().saturating_sub(64)).step_by(61).map(|at| &self.base64[at..at + 64]);
        let has_text = text.into_iter().any(|piece| whole.contains(piece));
        // The first bytes of a JPEG are the same for many; those of its content are its own.
        let middle = self.jpeg.len() / 2;
        let has_bytes = raw.windows(48).any(|window| window == &self.jpeg[middle..middle + 48]);
        (has_text || has_bytes).then(|| "a piece of the photo".to_owned())
    }
}

/// Every file below `dir`.
fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

const STEPS: &str = "\
say hello
scan tag:uid=04A1B2C3D4E5F6
scan tag:ASSETS/tags/plant.nfc
scan tag:ASSETS/tags/toolbox.nfc
capture file:ASSETS/pictures/desk.png
say what did you see
say fail
expect failure
scan tag:uid=04A1B2C3D4E5F6 unrelated
expect text \"never said\" within 100ms
";

async fn run(hostile: &Hostile, home: &Path, scripts: &Path, flags: &[&str]) -> Done {
    let assets = root().join("assets").display().to_string();
    let script = scripts.join("steps.agentcall");
    std::fs::write(&script, STEPS.replace("ASSETS", &assets)).unwrap();
    let script = script.display().to_string();
    let args = ["run", "--local", "--token-env", "WORKSHOP_TOKEN", &hostile.origin, &script];
    let args: Vec<&str> = args.into_iter().chain(flags.iter().copied()).collect();
    let mut command = command(home, &args);
    command.env("WORKSHOP_TOKEN", TOKEN);
    finish(command).await
}

#[tokio::test]
async fn nothing_that_is_written_holds_an_id_the_token_or_the_photo() {
    for flags in [vec!["--json"], vec![]] {
        let hostile = Hostile::start().await;
        let (home, scripts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let done = run(&hostile, home.path(), scripts.path(), &flags).await;
        assert_eq!(done.code, 1, "the last expectation fails, and says what came instead: {done:?}");

        // The wire: the token in the upgrade's header alone, the photo in one frame alone, an id nowhere.
        let heard = hostile.heard();
        assert_eq!(heard.tokens, [format!("Bearer {TOKEN}")]);
        let (with, without): (Vec<&String>, Vec<&String>) =
            heard.frames.iter().partition(|frame| frame.contains("\"image\""));
        assert_eq!(with.len(), 1, "one capture, one frame");
        let observation: Value = serde_json::from_str(with[0]).unwrap();
        let base64 = observation["observation"]["image"]["data"].as_str().unwrap().to_owned();
        let jpeg = BASE64.decode(base64.as_bytes()).unwrap();
        assert_eq!(with[0].matches(&base64).count(), 1);
        let photo = Photo { base64: base64.clone(), jpeg };
        let rest = with[0].replace(&base64, "");
        for text in without.into_iter().map(String::as_str).chain([rest.as_str()]) {
            assert_eq!(leaks(text.as_bytes(), &photo), Vec::<String>::new(), "{text}");
        }
        for head in &heard.heads {
            assert_eq!(leaks(head.as_bytes(), &photo), Vec::<String>::new(), "{head}");
        }
        assert!(heard.frames.iter().filter(|f| f.contains("objectRef")).count() >= 4, "the tags were sent");

        // What people and programs read. It says that something was hidden, so the search has seen it.
        assert!(done.out.contains("[scrubbed: token]"), "{}", done.out);
        assert_eq!(leaks(done.out.as_bytes(), &photo), Vec::<String>::new());
        assert!(done.out.contains("[scrubbed: tag id]"), "{}", done.out);
        assert_eq!(leaks(done.err.as_bytes(), &photo), Vec::<String>::new(), "{}", done.err);

        // What is on disk, temporary files too: the device key, and nothing else.
        let left = files(home.path());
        let names: Vec<_> = left.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["device.key"]);
        for path in left {
            assert_eq!(
                leaks(&std::fs::read(&path).unwrap(), &photo),
                Vec::<String>::new(),
                "{}",
                path.display()
            );
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
    }
}

#[test]
fn the_search_finds_what_it_looks_for() {
    let jpeg: Vec<u8> = (0..=255).cycle().take(2_000).map(|n: u8| n.wrapping_mul(37)).collect();
    let photo = Photo { base64: BASE64.encode(&jpeg), jpeg: jpeg.clone() };
    for uid in UIDS {
        for spelt in spellings(uid) {
            assert!(!leaks(format!("x {spelt} y").as_bytes(), &photo).is_empty(), "{spelt}");
        }
    }
    assert!(!leaks(TOKEN.as_bytes(), &photo).is_empty());
    assert!(!leaks(format!("..{}..", &photo.base64[700..900]).as_bytes(), &photo).is_empty());
    assert!(!leaks(&jpeg[900..1_200], &photo).is_empty());
    assert!(leaks(b"nothing of the kind 04A1B2", &photo).is_empty());
}

#[tokio::test]
async fn what_is_typed_wrong_is_not_repeated() {
    let scripts = tempfile::tempdir().unwrap();
    let photo = Photo { base64: String::new(), jpeg: vec![0; 200] };
    let script = |text: &str| {
        let path = scripts.path().join("wrong.agentcall");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let slip = script("scan tag:uid=04A1B2C3D4E5F6 intent=buy\n");
    for args in [
        vec!["run", "http://127.0.0.1:1", slip.as_str()],
        vec!["run", "http://127.0.0.1:1", "s", "--uid=04A1B2C3D4E5F6"],
        vec!["card", "http://127.0.0.1:1", "tag:uid=04A1B2C3D4E5F6"],
        vec!["card", "https://agent.example/?token=tok-4f1c9a7e2b-WorkshopBench", "--token-env", TOKEN],
        vec!["card", "http://u:tok-4f1c9a7e2b-WorkshopBench@agent.example/"],
    ] {
        for json in [false, true] {
            let args: Vec<&str> = args.iter().copied().chain(json.then_some("--json")).collect();
            let done = common::agentcall(&args).await;
            assert!(done.code != 0, "{args:?}");
            let said = format!("{}{}", done.out, done.err);
            assert_eq!(leaks(said.as_bytes(), &photo), Vec::<String>::new(), "{said}");
        }
    }
}

// ── processes ──

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_list_shows_no_token_and_children_inherit_none() {
    let hostile = Hostile::start().await;
    let (home, scripts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let script = scripts.path().join("shots.agentcall");
    std::fs::write(&script, "capture camera:\"test card\"\n".repeat(10)).unwrap();
    let script = script.display().to_string();
    let mut command =
        command(home.path(), &["run", "--local", "--token-env", "WORKSHOP_TOKEN", &hostile.origin, &script]);
    command.env("WORKSHOP_TOKEN", TOKEN);
    let run = Running::start(command);
    let parent = run.child.id().unwrap();
    let mut watching = tokio::task::spawn_blocking(move || watch(parent));
    let children =
        tokio::time::timeout(common::PATIENCE, &mut watching).await.expect("a child is seen").unwrap();
    assert!(children > 0);
    assert_eq!(run.end().await.code, 1, "the agent broke rules, as it does");
}

/// Looks at the process and its children until it ends; how many looks found a child.
#[cfg(target_os = "linux")]
fn watch(parent: u32) -> usize {
    let mut looks = 0;
    let of = |pid: u32, what: &str| std::fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
    let has_token = |bytes: &[u8]| bytes.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes());
    loop {
        let arguments = of(parent, "cmdline");
        if arguments.is_empty() {
            return looks;
        }
        assert!(!has_token(&arguments));
        for child in children_of(parent) {
            // Between fork and exec it still is the parent, whose own environment holds what the user put there; so
            // the environment counts when the arguments, read first, are the child's.
            let (arguments, environment) = (of(child, "cmdline"), of(child, "environ"));
            assert!(!has_token(&arguments), "child {child}");
            let is_camera = arguments.windows(8).any(|window| window == b"__camera");
            assert!(!is_camera || !has_token(&environment), "child {child}");
            looks += usize::from(is_camera);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
fn children_of(parent: u32) -> Vec<u32> {
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // `pid (name) state parent …`
    let parent_of = |pid: u32| {
        stat(pid).rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok())
    };
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}
