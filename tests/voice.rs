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

/// How many pieces of 20 ms of a WAV file are louder than −40 dBFS.
fn loud_pieces(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let samples = agentcall::media::file::read(&bytes, agentcall::media::file::Bound::default()).unwrap();
    let is_loud = |piece: &&[f32]| piece.iter().map(|s| s * s).sum::<f32>() / 960.0 > 1e-4;
    samples.chunks(960).filter(is_loud).count()
}

#[tokio::test]
async fn with_a_voice_the_reply_is_spoken_after_the_recording() {
    if std::process::Command::new("espeak-ng").arg("--version").output().is_err() {
        eprintln!("SKIPPED: espeak-ng is not installed, so no spoken reply was heard; make test installs it");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    tone(&dir.path().join("question.wav"), 1, 0.5);
    let scenario = dir.path().join("talk.agentcall");
    let steps = "talk file:question.wav\nexpect text \"I heard 1.0 s\"\nhear within 10s\nwait 6s\nend";
    std::fs::write(&scenario, steps).unwrap();
    let mut heard = Vec::new();
    for speak in [false, true] {
        let agent = serve(AgentConfig { speak, transports: Transports::WebRtc, ..AgentConfig::default() });
        let agent = agent.await.unwrap();
        let wav = dir.path().join(format!("heard-{speak}.wav"));
        let (origin, speaker) = (format!("http://{}", agent.addr), format!("file:{}", wav.display()));
        let scenario = scenario.display().to_string();
        let done = agentcall(&["run", "--json", "--local", "--speaker", &speaker, &origin, &scenario]).await;
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
        heard.push(loud_pieces(&wav));
        agent.stop().await;
    }
    let [echo, spoken] = heard[..] else { panic!("two were heard") };
    assert!(echo >= 40, "the recording is played back: {echo} pieces");
    assert!(
        spoken >= echo + 40,
        "a reply of seconds comes after it: {spoken} pieces, and {echo} of the echo"
    );
}

#[tokio::test]
async fn a_voice_that_is_not_installed_or_not_on_a_call_is_said_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let mut agent = common::command(
        dir.path(),
        &["agent", "--speak", "--transport", "webrtc", "--listen", "127.0.0.1:0"],
    );
    agent.env("PATH", dir.path());
    let done = common::finish(agent).await;
    assert_eq!((done.code, done.out.as_str()), (6, ""), "{}", done.err);
    assert!(done.err.contains("Install espeak-ng, or leave --speak out"), "{}", done.err);
    let done = agentcall(&["agent", "--speak", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("--transport webrtc"), "{}", done.err);
}
