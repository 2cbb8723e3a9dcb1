//! What the engine tells: conversation, failures, disconnection, requests, unknown events.

use serde_json::json;

use super::stage::{Stage, unknown_event};
use crate::app::{Item, Link, Tone};
use crate::client::Notice;
use crate::client::notice::{Connection, LineKind};
use crate::session::{Phase, SessionView};

fn stage() -> Stage {
    Stage::live(120, 40)
}

/// The conversation in a few words an item, without what came before the first turn.
fn talk(stage: &Stage) -> Vec<String> {
    let items = stage.model.conversation.items().iter();
    let words = items.map(|item| match item {
        Item::You(text) => format!("you {text}"),
        Item::Showed(text) => format!("showed {text}"),
        Item::Agent { text, segments, state } => format!("agent {text} ♪{} {state:?}", segments.len()),
        Item::Failure(code, message) => format!("failure {code} {message}"),
        Item::Trouble(text, _) => format!("trouble {text}"),
        Item::Asked(text) => format!("asked {text}"),
        Item::Note(text) => format!("note {text}"),
    });
    words.filter(|line| line != "note session established").collect()
}

#[test]
fn streamed_text_becomes_one_answer_that_ends_with_its_run() {
    let mut stage = stage();
    stage.said("What is this?");
    stage.streams(&["I do not ", "know."]);
    assert_eq!(talk(&stage), ["you What is this?", "agent I do not know. ♪0 Streaming"]);
    stage.came(
        1,
        json!({"type": "speech.segment", "segmentId": "s1", "text": "I do not know.", "stable": true}),
    );
    stage.completes();
    assert_eq!(talk(&stage), ["you What is this?", "agent I do not know. ♪1 Done"]);
}

#[test]
fn a_run_without_text_leaves_nothing_behind() {
    let mut stage = stage();
    stage.exchange("hello", &[]);
    assert_eq!(talk(&stage), ["you hello"]);
}

#[test]
fn a_failure_breaks_the_answer_off_and_is_shown() {
    let mut stage = stage();
    stage.said("take a photo");
    stage.streams(&["One mo"]);
    stage.came(
        1,
        json!({"type": "failure", "code": "physical_disabled", "message": "No photo was negotiated."}),
    );
    assert_eq!(
        talk(&stage),
        ["you take a photo", "agent One mo ♪0 Broken", "failure physical_disabled No photo was negotiated."]
    );
}

#[test]
fn a_connection_that_ends_in_a_run_breaks_the_answer_off_and_says_why() {
    let mut stage = stage();
    stage.said("hello");
    stage.streams(&["I do"]);
    stage.session = SessionView { phase: Phase::Ended, ..SessionView::default() };
    stage.tell();
    let line = stage.line(LineKind::Connection, "The agent closed the connection.");
    stage.connection(Connection::Over(line));
    assert_eq!(
        talk(&stage),
        ["you hello", "agent I do ♪0 Broken", "trouble The agent closed the connection."]
    );
    assert!(matches!(stage.model.link, Link::Over(..)));
}

#[test]
fn an_unknown_event_is_a_row_with_its_finding_and_nothing_else() {
    let mut stage = stage();
    let event = json!({"type": "mystery.event", "execute": "rm -rf /", "capability": "camera"});
    stage.came_with(1, event, true, vec![unknown_event()]);
    assert!(talk(&stage).is_empty());
    assert_eq!(stage.model.events.findings(), 1);
    assert_eq!(stage.press("Esc"), Vec::new());
}

#[test]
fn a_frame_that_was_not_acted_on_says_nothing() {
    let mut stage = stage();
    stage.came_with(1, json!({"type": "text.delta", "text": "outside a run"}), false, Vec::new());
    stage.came_with(1, json!({"type": "failure", "code": "x", "message": "y"}), false, Vec::new());
    assert!(talk(&stage).is_empty());
}

#[test]
fn a_second_run_does_not_continue_the_first() {
    let mut stage = stage();
    stage.streams(&["one"]);
    stage.streams(&["two"]);
    stage.completes();
    assert_eq!(talk(&stage), ["agent one ♪0 Broken", "agent two ♪0 Done"]);
}

#[test]
fn an_endless_answer_is_bounded_and_says_so() {
    let mut stage = stage();
    let chunk = "word ".repeat(1_000);
    stage.streams(&[chunk.as_str(); 40]);
    stage.completes();
    let Some(Item::Agent { text, .. }) = stage.model.conversation.items().back() else { panic!("an answer") };
    assert!(text.as_str().len() <= 66 * 1024, "{}", text.as_str().len());
    assert!(text.as_str().ends_with("the events hold the rest)"));
}

#[test]
fn a_long_conversation_is_bounded_and_keeps_its_numbers() {
    let mut stage = stage();
    for n in 0..3_000 {
        stage.exchange(&format!("question {n}"), &["answer"]);
    }
    let conversation = &stage.model.conversation;
    assert_eq!(conversation.items().len(), 5_000);
    assert_eq!(conversation.first() + 5_000, 6_001, "one note and six thousand items were added");
}

#[test]
fn what_the_agent_asks_is_in_the_conversation_too() {
    let mut stage = stage();
    stage.asks(crate::protocol::Modality::Nfc, "Please show me\nthe tag\u{1b}[31m");
    assert_eq!(talk(&stage), ["asked Please show me⏎the tag␛[31m"]);
    stage.came(9, json!({"type": "interaction.resolved", "interactionId": "ix-2", "outcome": "answered"}));
    assert_eq!(talk(&stage)[1], "note the request is answered");
}

#[test]
fn a_line_stays_for_a_while_and_the_next_request_clears_it() {
    let mut stage = stage();
    let line = stage.line(LineKind::Device, "The tag left the reader.");
    stage.notice(Notice::Failed(line.clone()));
    assert!(stage.model.status.as_ref().is_some_and(|status| status.tone == Tone::Trouble));
    stage.later(11_000);
    assert!(stage.model.status.is_some());
    stage.later(2_000);
    assert!(stage.model.status.is_none());
    stage.notice(Notice::Failed(line));
    stage.press("s");
    assert!(stage.model.status.is_none());
}

#[test]
fn the_engines_end_is_the_end() {
    assert_eq!(stage().notice(Notice::Stopped), vec![crate::app::Effect::Exit]);
}

#[test]
fn a_cancel_of_the_users_own_is_no_failure() {
    let mut stage = stage();
    stage.said("tell a story");
    stage.model.session.run = crate::session::RunState::Cancelling {
        turn: None,
        started: true,
        until: std::time::Duration::from_secs(9),
    };
    stage.came(5, json!({"type": "failure", "code": "cancelled", "message": "The response was cancelled."}));
    let last = stage.model.conversation.items().back().cloned();
    assert!(matches!(&last, Some(Item::Note(text)) if text.as_str().contains("as you asked")), "{last:?}");
}
