//! A person speaks with the reference agent: the real program, over WebRTC, with sound files for a microphone.
#![cfg(feature = "webrtc")]
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod common;

use std::path::Path;

use agentcall::agent::{AgentConfig, Running, Transports, serve};
use agentcall::media::signal;
use common::{Done, agentcall, root};
use serde_json::Value;

async fn agent() -> Running {
    let config = AgentConfig {
        transports: Transports::WebRtc,
        delta_interval: std::time::Duration::ZERO,
        ..AgentConfig::default()
    };
    serve(config).await.unwrap()
}

/// A tone as a sound file.
fn tone(path: &Path, seconds: usize, amplitude: f64) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = hound::WavWriter::create(path, spec).unwrap();
    for sample in signal::tone(440.0, amplitude, 48_000 * seconds) {
        #[allow(clippy::cast_possible_truncation, reason = "it is at most full scale")]
        file.write_sample((sample * 32_767.0) as i16).unwrap();
    }
    file.finalize().unwrap();
}

/// Plays a scenario, in which ASSETS stands for the assets.
async fn run(agent: &Running, dir: &Path, steps: &str) -> Done {
    let path = dir.join("talk.agentcall");
    std::fs::write(&path, steps.replace("ASSETS", &root().join("assets").display().to_string())).unwrap();
    let origin = format!("http://{}", agent.addr);
    agentcall(&["run", "--json", "--local", &origin, &path.display().to_string()]).await
}

/// The types of the messages that went out, without acks.
fn sent(done: &Done) -> Vec<String> {
    let lines = done.json_lines();
    let out = lines.iter().filter(|line| line["dir"] == "out");
    let kinds = out.filter_map(|line| line["frame"]["type"].as_str());
    kinds.filter(|kind| *kind != "ack").map(str::to_owned).collect()
}

fn text(done: &Done) -> String {
    let lines = done.json_lines();
    lines.iter().filter_map(|line: &Value| line["frame"]["event"]["text"].as_str()).collect()
}

#[tokio::test]
async fn the_teaching_conversation_and_a_photo_go_over_a_call() {
    let (agent, dir) = (agent().await, tempfile::tempdir().unwrap());
    let done = run(
        &agent,
        dir.path(),
        "scan tag:ASSETS/tags/router.ndef\nexpect text \"do not know\"\nsay teach object Workshop router\n\
         expect text \"would remember\"\nsay confirm object\nexpect text \"will remember\"\n\
         scan tag:ASSETS/tags/router.ndef\nexpect text \"This is Workshop router\"\n\
         capture file:ASSETS/pictures/desk.png\nexpect text \"I see a JPEG\"\nend",
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    agent.stop().await;
}

#[tokio::test]
async fn a_spoken_turn_is_heard_answered_and_played_back() {
    let (agent, dir) = (agent().await, tempfile::tempdir().unwrap());
    tone(&dir.path().join("question.wav"), 1, 0.5);
    let done = run(
        &agent,
        dir.path(),
        "talk file:question.wav\nexpect text \"I heard 1.0 s at -9 dBFS\"\nhear within 5s\nend",
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    assert_eq!(sent(&done), ["session.start", "audio.turn.start", "audio.turn.commit", "session.end"]);
    let start = &done.json_lines().into_iter().find(|line| line["frame"]["type"] == "session.start").unwrap();
    assert_eq!(start["frame"]["clientCapabilities"]["audioTurnControl"]["mode"], "explicit");
    agent.stop().await;
}

#[tokio::test]
async fn a_dropped_turn_leaves_nothing_and_the_next_one_is_heard_alone() {
    let (agent, dir) = (agent().await, tempfile::tempdir().unwrap());
    tone(&dir.path().join("question.wav"), 1, 0.5);
    let done = run(&agent, dir.path(), "talk cancel\nsay hello\nexpect text \"Hello\"\ntalk file:question.wav\nexpect text \"I heard 1.0 s\"\nend").await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    assert_eq!(
        sent(&done),
        [
            "session.start",
            "audio.turn.start",
            "audio.turn.cancel",
            "user.turn",
            "audio.turn.start",
            "audio.turn.commit",
            "session.end"
        ]
    );
    assert_eq!(text(&done).matches("I heard").count(), 2, "once as text, once as speech: {}", text(&done));
    agent.stop().await;
}

#[tokio::test]
async fn silence_is_told_from_speech() {
    let (agent, dir) = (agent().await, tempfile::tempdir().unwrap());
    tone(&dir.path().join("silence.wav"), 1, 0.0);
    let done = run(&agent, dir.path(), "talk file:silence.wav\nexpect text \"of silence\"\nend").await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    agent.stop().await;
}

#[tokio::test]
async fn over_a_websocket_there_is_no_sound_and_that_is_said() {
    let agent = serve(AgentConfig::default()).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let done = run(&agent, dir.path(), "talk cancel").await;
    assert_ne!(done.code, 0, "{}", done.out);
    assert!(done.out.contains("this agent takes no sound"), "{}", done.out);
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_serves_both_has_a_card_for_each() {
    let config = AgentConfig { transports: Transports::Both, ..AgentConfig::default() };
    let agent = serve(config).await.unwrap();
    let call = agent.call_card_url.clone().unwrap();
    for (url, transport) in [(agent.card_url.clone(), "websocket"), (call, "webrtc")] {
        let done = agentcall(&["card", "--json", "--local", &url]).await;
        assert_eq!(done.code, 0, "{done:?}");
        assert!(done.out.contains(transport), "{transport}: {}", done.out);
    }
    agent.stop().await;
}
