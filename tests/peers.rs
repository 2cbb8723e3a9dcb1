//! A whole session against an agent that is not ours: Python and `websockets`, written from the profile alone
//! (`tests/peers/workshop_agent.py`). It says what it saw, so that both ends of the wire are compared.
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]
#![allow(clippy::print_stderr, reason = "a skipped test says so loudly")]

mod common;

use std::path::PathBuf;
use std::process::Stdio;

use common::{Done, PATIENCE, command, finish, root};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// The peer's process. It ends when its standard input is closed.
struct Peer {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    origin: String,
    dir: tempfile::TempDir,
}

impl Peer {
    /// Starts it, or says loudly why it cannot be started: that fails in CI and skips elsewhere.
    async fn start() -> Option<Self> {
        let Some(python) = python().await else {
            let why = "no Python with the package `websockets`: run `make target/peer-venv/ready`";
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{why}");
            eprintln!("\n!!! SKIPPED, NOT PASSED: {why}\n");
            return None;
        };
        let mut child = Command::new(python)
            .arg(root().join("tests/peers/workshop_agent.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap().unwrap();
        let origin = ready.strip_prefix("ready ").unwrap().to_owned();
        Some(Self { child, lines, origin, dir: tempfile::tempdir().unwrap() })
    }

    async fn run(&self, flags: &[&str], steps: &str) -> Done {
        let path = self.dir.path().join("test.agentcall");
        let assets = root().join("assets").display().to_string();
        std::fs::write(&path, steps.replace("ASSETS", &assets)).unwrap();
        let path = path.display().to_string();
        let args: Vec<&str> = ["run", "--json", "--local", &self.origin, &path]
            .into_iter()
            .chain(flags.iter().copied())
            .collect();
        finish(command(self.dir.path(), &args)).await
    }

    /// Ends it; everything it saw.
    async fn saw(mut self) -> Vec<Value> {
        drop(self.child.stdin.take());
        let mut saw = Vec::new();
        while let Some(line) = timeout(PATIENCE, self.lines.next_line()).await.unwrap().unwrap() {
            saw.push(serde_json::from_str(&line).unwrap());
        }
        saw
    }
}

/// A Python that can import `websockets`: ours from the Makefile, else the system's.
async fn python() -> Option<PathBuf> {
    for python in [root().join("target/peer-venv/bin/python"), PathBuf::from("python3")] {
        let mut import = Command::new(&python);
        import.args(["-c", "import websockets.asyncio.server"]).stderr(Stdio::null());
        if import.status().await.is_ok_and(|status| status.success()) {
            return Some(python);
        }
    }
    None
}

fn of<'a>(saw: &'a [Value], kind: &str) -> Vec<&'a Value> {
    saw.iter().filter(|line| line["saw"] == kind).collect()
}

fn sent<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter_map(|line| line.get("frame")).filter(|frame| frame["type"] == kind).collect()
}

const SESSION: &str = r#"
say hello there
expect text "You said hello there"
say scan an object
expect event interaction.requested
scan tag:ASSETS/tags/router.ndef
expect text "I do not know this object."
expect event interaction.resolved
say take a photo
expect event interaction.requested
capture file:ASSETS/pictures/desk.png
expect text "I see a photo of "
expect event interaction.resolved
say teach object Workshop router
expect text "I would remember: Workshop router"
scan tag:ASSETS/tags/router.ndef
expect text "I do not know this object."
say teach object Workshop router
expect text "I would remember: Workshop router"
say confirm object
expect text "Remembered: Workshop router"
scan tag:ASSETS/tags/router.ndef
expect text "This is Workshop router."
say echo my context
expect text "workshop-router"
scan tag:uid=04A1B2C3D4E5F6
expect text "I do not know this object."
observe tag:ASSETS/tags/drill.ndef file:ASSETS/pictures/shelf.png intent=inspect
expect text "I see a photo of "
say fail
expect failure model_down
say take a photo
expect event interaction.requested
cancel
expect event interaction.resolved
say still here
expect text "still here"
wait 100ms
end
"#;

#[tokio::test]
async fn a_whole_session() {
    let Some(peer) = Peer::start().await else { return };
    let done = peer.run(&["--strict"], SESSION).await;
    let saw = peer.saw().await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}\n{saw:#?}", done.out);
    let lines = done.json_lines();

    assert!(of(&saw, "refused").is_empty(), "{saw:#?}");
    assert_eq!(of(&saw, "start")[0]["modalities"], serde_json::json!(["nfc", "photo"]));
    assert_eq!(of(&saw, "start")[0]["sessionId"], sent(&lines, "session.start")[0]["sessionId"]);
    assert_eq!((of(&saw, "cancel").len(), of(&saw, "end").len()), (1, 1));
    // What we say we sent is what arrived: photos with the facts that the peer has computed itself.
    let images: Vec<&Value> = sent(&lines, "user.observation")
        .into_iter()
        .filter_map(|frame| frame.pointer("/observation/image"))
        .collect();
    let arrived = of(&saw, "image");
    assert_eq!((images.len(), arrived.len()), (2, 2));
    for (image, arrived) in images.iter().zip(arrived) {
        for fact in ["byteCount", "sha256", "pixelWidth", "pixelHeight"] {
            assert_eq!(image[fact], arrived[fact], "{fact}");
        }
        assert_eq!(image["data"]["sha256"], arrived["sha256"]);
    }
    // One counter for turns of both kinds, strictly increasing, and acks too.
    let turns: Vec<u64> = lines.iter().filter_map(|l| l.pointer("/frame/turn")?.as_u64()).collect();
    assert!(turns.windows(2).all(|pair| pair[0] < pair[1]) && turns.len() == 16, "{turns:?}");
    let acks: Vec<u64> = of(&saw, "ack").iter().map(|ack| ack["sequence"].as_u64().unwrap()).collect();
    assert!(!acks.is_empty() && acks.windows(2).all(|pair| pair[0] < pair[1]), "{acks:?}");
    facts_travel_and_nothing_else(&saw);
}

/// Physical focus comes as Context on later turns: reference and assurance, never a photo.
fn facts_travel_and_nothing_else(saw: &[Value]) {
    let turns = of(saw, "turn");
    assert_eq!(turns[0]["context"], serde_json::json!([]), "nothing was scanned yet");
    let with_focus = turns.iter().find(|turn| turn["text"] == "echo my context").unwrap();
    let facts = with_focus["context"].to_string();
    assert!(
        facts.contains("urn:agentcall:object:workshop-router") && facts.contains("unverifiedTag"),
        "{facts}"
    );
    for turn in turns {
        assert!(turn["context"].to_string().len() < 2_000, "{turn}");
    }
    let alias =
        of(saw, "object").iter().find_map(|o| (o["carrier"] == "localTag").then(|| o["objectRef"].clone()));
    let alias = alias.unwrap().as_str().unwrap().to_owned();
    let body = alias.strip_prefix("urn:agentcall:local:").unwrap();
    assert!(
        body.len() == 26 && body.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
        "{alias}"
    );
}

#[tokio::test]
async fn an_answer_of_the_wrong_kind_or_an_unrelated_scan_does_not_answer() {
    let Some(peer) = Peer::start().await else { return };
    let steps = r#"
say take a photo
expect event interaction.requested
scan tag:ASSETS/tags/router.ndef
expect text "I do not know this object."
capture file:ASSETS/pictures/desk.png unrelated
expect text "I see a photo"
capture file:ASSETS/pictures/desk.png
expect event interaction.resolved
"#;
    let done = peer.run(&[], steps).await;
    let saw = peer.saw().await;
    assert_eq!(done.code, 0, "{}\n{saw:#?}", done.out);
    assert!(of(&saw, "refused").is_empty(), "{saw:#?}");
    let lines = done.json_lines();
    let answers: Vec<&Value> =
        sent(&lines, "user.observation").iter().map(|frame| &frame["interactionId"]).collect();
    assert_eq!(answers, [&Value::Null, &Value::Null, &Value::from("ask-1")]);
}

#[tokio::test]
async fn a_peer_that_goes_away_in_the_middle_of_a_run_is_one_clear_line() {
    let Some(peer) = Peer::start().await else { return };
    let done = peer.run(&[], "say close on me\nexpect event run.completed\n").await;
    assert_eq!(done.code, 4, "{}", done.out);
    let lines = done.json_lines();
    let errors: Vec<&Value> = lines.iter().filter_map(|line| line.get("error")).collect();
    assert_eq!(errors.len(), 1, "{}", done.out);
    let message = errors[0]["message"].as_str().unwrap();
    assert!(message.contains("going away") && message.contains("A run was active"), "{message}");
    drop(peer.saw().await);
}

#[tokio::test]
async fn a_text_only_client_offers_nothing_and_is_asked_for_nothing_it_takes() {
    let Some(peer) = Peer::start().await else { return };
    let steps = "say scan an object\nexpect finding IX-1\nsay hello\nexpect text \"hello\"\n";
    let done = peer.run(&["--modalities", "none"], steps).await;
    let saw = peer.saw().await;
    assert_eq!(done.code, 0, "{}", done.out);
    assert_eq!(of(&saw, "start")[0]["modalities"], serde_json::json!([]));
}
