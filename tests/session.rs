//! The engine as a face uses it: requests in, notices out, against the embedded agent on a loopback port.
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod common;

use std::time::Duration;

use agentcall::agent::{AgentConfig, Running, serve};
use agentcall::client::notice::Connection;
use agentcall::client::request::{Aim, Observe};
use agentcall::client::{Client, Notice, Request};
use agentcall::protocol::Event;
use agentcall::protocol::observation::Intent;
use agentcall::trace::record::Body;
use common::engine::{asset, client};

/// An agent, an engine, and what was heard of it since the last question.
struct Table {
    client: Client,
    _agent: Running,
    _state: tempfile::TempDir,
    heard: Vec<Notice>,
}

impl Table {
    async fn set() -> Self {
        let agent = serve(AgentConfig::default()).await.unwrap();
        let state = tempfile::tempdir().unwrap();
        let client = client(&agent.card_url, state.path());
        let mut table = Self { client, _agent: agent, _state: state, heard: Vec::new() };
        table.ask(Request::Connect).await;
        table.until(|n| matches!(n, Notice::Connection(Connection::Live))).await;
        table
    }

    async fn ask(&self, request: Request) {
        self.client.requests.send(request).await.unwrap();
    }

    /// Waits for a notice; fails with everything that was heard instead.
    async fn until(&mut self, wanted: impl Fn(&Notice) -> bool) -> Notice {
        self.heard.clear();
        loop {
            let next = tokio::time::timeout(Duration::from_secs(10), self.client.notices.recv()).await;
            let Ok(Some(notice)) = next else { panic!("it did not come; heard: {:#?}", self.heard) };
            if wanted(&notice) {
                return notice;
            }
            self.heard.push(notice);
        }
    }

    /// The text of the next run.
    async fn answer(&mut self) -> String {
        self.until(|n| event(n).is_some_and(|e| *e == Event::RunCompleted)).await;
        self.heard
            .iter()
            .filter_map(event)
            .filter_map(|event| match event {
                Event::TextDelta(delta) => Some(delta.text.as_str()),
                _ => None,
            })
            .collect()
    }

    async fn say(&mut self, text: &str) -> String {
        self.ask(Request::Say(text.to_owned())).await;
        self.answer().await
    }

    async fn scan(&mut self, tag: &str) -> String {
        self.ask(observe(Some(&asset(&format!("tags/{tag}"))), None)).await;
        self.answer().await
    }
}

fn event(notice: &Notice) -> Option<&Event> {
    match notice {
        Notice::Frame(record) => match &record.body {
            Body::Event(event) => Some(event),
            _ => None,
        },
        _ => None,
    }
}

fn observe(tag: Option<&str>, picture: Option<&str>) -> Request {
    Request::Observe(Observe {
        tag: tag.map(str::to_owned),
        picture: picture.map(str::to_owned),
        intent: Intent::Identify,
        aim: Aim::Answering,
        passport: None,
        insist: false,
    })
}

#[tokio::test]
async fn a_person_teaches_an_agent_an_object() {
    let mut table = Table::set().await;
    let unknown = table.scan("router.ndef").await;
    assert!(unknown.contains("do not know"), "{unknown}");
    let proposal = table.say("teach object Workshop router").await;
    assert!(proposal.contains("Workshop router"), "{proposal}");
    table.say("confirm object").await;
    let known = table.scan("router.ndef").await;
    assert!(known.contains("Workshop router"), "{known}");
}

#[tokio::test]
async fn a_photo_answers_the_agents_request_once() {
    let mut table = Table::set().await;
    table.ask(Request::Say("take a photo".to_owned())).await;
    table.until(|n| matches!(event(n), Some(Event::InteractionRequested(_)))).await;
    table.until(|n| event(n).is_some_and(|e| *e == Event::RunCompleted)).await;
    table.ask(observe(None, Some(&asset("pictures/desk.png")))).await;
    let resolved = table.until(|n| matches!(event(n), Some(Event::InteractionResolved(_)))).await;
    let Some(Event::InteractionResolved(resolved)) = event(&resolved).cloned() else { unreachable!() };
    assert_eq!(resolved.outcome, "answered");
    let answer = table.answer().await;
    assert!(answer.contains("JPEG"), "{answer}");
}

#[tokio::test]
async fn an_empty_tag_goes_as_an_alias_and_the_test_card_as_a_photo() {
    let mut table = Table::set().await;
    table.ask(observe(Some("uid=04A1B2C3D4E5F6"), Some(""))).await;
    let sent = table.until(|n| matches!(n, Notice::Frame(r) if r.kind == "user.observation")).await;
    let Notice::Frame(record) = sent else { unreachable!() };
    let Body::Show { object_ref, image, .. } = &record.body else { panic!("{record:?}") };
    assert!(object_ref.as_deref().is_some_and(|r| r.starts_with("urn:agentcall:local:")), "{object_ref:?}");
    assert!(image.as_ref().is_some_and(|i| i.width == 1024 && i.bytes <= 61_440), "{image:?}");
    table.answer().await;
}

#[tokio::test]
async fn cancelling_a_long_answer_ends_it() {
    let mut table = Table::set().await;
    table.ask(Request::Say("tell a story".to_owned())).await;
    table.until(|n| matches!(event(n), Some(Event::TextDelta(_)))).await;
    table.ask(Request::Cancel).await;
    table.until(|n| matches!(event(n), Some(Event::Failure(f)) if f.code == "cancelled")).await;
    let after = table.say("help").await;
    assert!(!after.is_empty());
}

#[tokio::test]
async fn quitting_ends_the_session_in_order() {
    let mut table = Table::set().await;
    table.ask(Request::Quit).await;
    table.until(|n| matches!(n, Notice::Frame(r) if r.kind == "session.end")).await;
    table.until(|n| matches!(n, Notice::Stopped)).await;
}

#[tokio::test]
async fn a_tag_that_cannot_be_read_is_not_placed() {
    let mut table = Table::set().await;
    for (spec, why) in [("/no/such/tag.ndef", "cannot be read"), ("/tmp", "not a plain file")] {
        table.ask(Request::PlaceTag(spec.to_owned())).await;
        let told = table.until(|n| matches!(n, Notice::Failed(_) | Notice::Info(_))).await;
        assert!(matches!(&told, Notice::Failed(line) if line.text.contains(why)), "{told:?}");
    }
    table.ask(Request::PlaceTag(asset("tags/router.ndef"))).await;
    table.until(|n| matches!(n, Notice::Info(line) if line.text.contains("router.ndef"))).await;
}
