//! A scenario is played on the engine, against the embedded agent on a loopback port.
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod common;

use std::time::Duration;

use agentcall::agent::{AgentConfig, serve};
use agentcall::client::notice::{CardNotice, Line};
use agentcall::protocol::Finding;
use agentcall::scenario::{Class, Options, Outcome, Sink, StepReport, parse, run};
use agentcall::trace::record::Record;
use common::engine::{asset, client};
use tokio::time::Instant;

/// Everything that was reported, as text.
#[derive(Default)]
struct Told(Vec<String>);

impl Sink for Told {
    fn card(&mut self, card: &CardNotice) {
        self.0.push(format!("card {card:?}"));
    }
    fn frame(&mut self, record: &Record) {
        self.0.push(format!("{record:?}"));
    }
    fn step(&mut self, step: &StepReport) {
        self.0.push(format!("{step:?}"));
    }
    fn finding(&mut self, _: Duration, finding: &Finding) {
        self.0.push(finding.to_string());
    }
    fn line(&mut self, line: &Line) {
        self.0.push(format!("line: {}", line.text));
    }
}

async fn play(name: &str, text: &str) -> (Outcome, Vec<String>) {
    let agent = serve(AgentConfig::default()).await.unwrap();
    let state = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let client = client(&agent.card_url, state.path());
    let scenario = parse(name, text).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { started, timeout: Duration::from_secs(60) };
    let mut told = Told::default();
    let outcome = run(scenario, client.requests, client.notices, options, &mut told).await;
    agent.stop().await;
    (outcome, told.0)
}

#[tokio::test]
async fn the_whole_job_goes_well() {
    let file = asset("scenarios/teach.agentcall");
    let text = std::fs::read_to_string(&file).unwrap();
    let (outcome, told) = play(&file, &text).await;
    assert_eq!(outcome.class, Class::Ok, "{outcome:?}\n{}", told.join("\n"));
    assert_eq!((outcome.must, outcome.should), (0, 0), "{}", told.join("\n"));
    assert!(!told.iter().any(|line| line.starts_with("line: ")), "{}", told.join("\n"));
    let all = told.join("\n").to_uppercase();
    assert!(!all.contains("04A1B2C3D4E5F6"), "a hardware id was told");
}

#[tokio::test]
async fn a_failed_expectation_says_what_came_instead() {
    let (outcome, _) = play("x", "say hello\nexpect text \"goodbye\" within 500ms").await;
    assert_eq!(outcome.class, Class::Expectation);
    let message = outcome.message.unwrap();
    assert!(
        message.starts_with(
            "Step 2 (expect) failed: expected text \"goodbye\" within 500ms; came instead: run.started"
        ),
        "{message}"
    );
}

#[tokio::test]
async fn a_tag_that_cannot_be_read_is_a_device_failure() {
    let (outcome, told) = play("x", "scan tag:/nowhere/at-all.ndef\nsay hello").await;
    assert_eq!(outcome.class, Class::Device, "{outcome:?}");
    assert!(outcome.message.unwrap().contains("/nowhere/at-all.ndef"));
    assert!(!told.iter().any(|line| line.contains("user.turn")), "nothing is sent after a failed step");
}

#[tokio::test]
async fn what_the_gate_refuses_is_a_failed_step() {
    let (outcome, _) = play("x", "say confirm object").await;
    assert_eq!(outcome.class, Class::Expectation);
    assert!(outcome.message.unwrap().contains("TEACH-1"));
}
