//! The event stream: folding, findings, selection, follow and freeze, filter, bounds, copy.

use serde_json::json;

use super::stage::{Stage, step_back, unknown_event};
use crate::app::{Effect, Pane};
use crate::trace::record::Body;

fn stage() -> Stage {
    let mut stage = Stage::live(120, 40);
    stage.press("2");
    stage
}

/// `type ×count "summary"` of every row.
fn rows(stage: &Stage) -> Vec<String> {
    let rows = stage.model.events.window(1_000);
    rows.into_iter().map(|(row, _)| format!("{} ×{} {}", row.kind, row.count, row.summary)).collect()
}

fn selected(stage: &Stage) -> String {
    stage.model.events.selected().map(|row| row.kind.to_string()).unwrap_or_default()
}

#[test]
fn text_deltas_fold_into_one_row_that_repeats_their_text() {
    let mut stage = stage();
    stage.said("hello");
    stage.streams(&["I do ", "not ", "know"]);
    stage.completes();
    assert_eq!(
        rows(&stage)[2..],
        [
            "user.turn ×1 turn 1 \"hello\"",
            "run.started ×1 ",
            "text.delta ×3 \"I do not know\"",
            "run.completed ×1 ",
        ]
    );
    let folded = stage.model.events.window(9)[4].0;
    assert_eq!(folded.sequences, Some((3, 5)));
    let frame = |n: u64, text: &str| json!({"sequence": n, "event": {"type": "text.delta", "text": text}});
    let alone = [frame(3, "I do "), frame(4, "not "), frame(5, "know")].map(|frame| frame.to_string().len());
    let alone: usize = alone.iter().sum();
    assert_eq!(folded.bytes, alone, "the size of all of them");
}

#[test]
fn acknowledgements_between_deltas_break_neither_row() {
    let mut stage = stage();
    stage.said("hello");
    for n in 0..20 {
        stage.came(5, json!({"type": "text.delta", "text": "x"}));
        stage.went(5, json!({"type": "ack", "sequence": n}), Body::Client);
    }
    assert_eq!(rows(&stage)[3..], ["text.delta ×20 \"xxxxxxxxxxxxxxxxxxxx\"", "ack ×20 19"]);
    assert_eq!(selected(&stage), "text.delta", "following shows what says something");
}

#[test]
fn a_delta_with_a_finding_stands_alone() {
    let mut stage = stage();
    stage.came(1, json!({"type": "text.delta", "text": "a"}));
    stage.came_with(1, json!({"type": "text.delta", "text": "b"}), false, vec![step_back()]);
    stage.came(1, json!({"type": "text.delta", "text": "c"}));
    assert_eq!(rows(&stage)[2..].len(), 3);
    assert_eq!(stage.model.events.findings(), 1);
}

#[test]
fn the_time_since_the_last_frame_counts_from_the_last_of_a_fold() {
    let mut stage = stage();
    for _ in 0..10 {
        stage.came(100, json!({"type": "text.delta", "text": "x"}));
    }
    stage.came(30, json!({"type": "run.completed"}));
    assert_eq!(stage.model.events.selected().expect("the newest").since.as_millis(), 30);
}

#[test]
fn moving_freezes_and_reaching_the_end_follows() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    assert!(stage.model.events.is_following());
    stage.press("Up");
    assert_eq!(selected(&stage), "text.delta");
    assert!(!stage.model.events.is_following());
    stage.exchange("more", &["yes"]);
    assert_eq!(selected(&stage), "text.delta", "a frozen selection stays");
    stage.press("g");
    assert_eq!(selected(&stage), "session.start");
    stage.press("G");
    assert_eq!(selected(&stage), "run.completed");
    assert!(stage.model.events.is_following());
    stage.press("f");
    assert!(!stage.model.events.is_following());
    stage.press("PgUp PgDn");
    assert!(stage.model.events.is_following());
}

/// Types a filter and keeps it; how many rows are shown.
fn filtered(stage: &mut Stage, filter: &str) -> usize {
    stage.press("/ Ctrl+U");
    stage.types(filter);
    stage.press("Enter");
    stage.model.events.counts().0
}

#[test]
fn a_filter_shows_rows_for_which_every_term_holds() {
    let mut stage = stage();
    stage.exchange("hello", &["hi ", "There"]);
    stage.came_with(
        1,
        json!({"type": "mystery.event", "note": {"deep": ["Kettle"]}}),
        true,
        vec![unknown_event()],
    );
    // session.start, session.established, user.turn, run.started, text.delta, run.completed, mystery.event
    let cases = [
        ("", 7),
        ("in est", 1),
        ("in run", 2),
        ("out user", 1),
        ("dir:out", 2),
        ("type:run.", 2),
        ("type:*.started", 1),
        ("type:s*ed", 1),
        ("-type:run. -out", 3),
        ("!in", 2),
        ("ev-7", 1),
        ("finding", 1),
        ("-finding", 6),
        ("finding:EV-7", 1),
        ("finding:ev-*", 1),
        ("finding:should", 1),
        ("finding:must", 0),
        ("turn:1", 5),
        ("turn:2", 0),
        ("\"hi there\"", 1),
        ("there", 1),
        ("There", 1),
        ("tHere", 0),
        ("kettle", 1),
        ("\"in\"", 0),
        ("nothing", 0),
    ];
    for (filter, count) in cases {
        assert_eq!(filtered(&mut stage, filter), count, "{filter}");
    }
    filtered(&mut stage, "type:run.");
    stage.press("Esc");
    assert_eq!(stage.model.events.counts(), (7, 7));
}

#[test]
fn a_filter_counts_while_it_is_typed_and_esc_brings_the_one_before_back() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    filtered(&mut stage, "run.");
    stage.press("/ Ctrl+U");
    stage.types("hi");
    assert_eq!(stage.model.events.counts().0, 1, "before Enter");
    stage.press("Esc");
    assert_eq!(stage.model.events.filter(), "run.");
    // Up brings back what was used before.
    filtered(&mut stage, "out");
    stage.press("/ Up Up Enter");
    assert_eq!(stage.model.events.filter(), "run.");
}

#[test]
fn what_cannot_be_read_is_said_and_changes_nothing() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    for (typed, said) in [
        ("turn:x", "expected the number of a turn, came turn:x"),
        ("dir:up", "expected dir:in, dir:out or dir:device, came dir:up"),
        ("type:", "expected something after type:"),
        ("tpye:text.*", "tpye: is no key, did you mean type:?"),
        ("-Findig:must", "findig: is no key, did you mean finding:?"),
        ("trun:1", "trun: is no key, did you mean turn:?"),
        ("ids:ix-1", "ids: is no key, did you mean id:?"),
        ("level:must", "level: is no key, did you mean finding:?"),
        ("rule:ENV-2", "rule: is no key, did you mean finding:?"),
    ] {
        filtered(&mut stage, "hello");
        assert_eq!(filtered(&mut stage, typed), 1, "{typed}");
        let status = stage.model.status.as_ref().map(|status| status.text.to_string()).unwrap_or_default();
        assert!(status.starts_with(said), "{status}");
        stage.press("Esc");
        assert_eq!(stage.model.events.filter(), "hello");
    }
}

#[test]
fn what_only_holds_a_colon_is_a_word() {
    for word in [
        "urn:agentcall:object:1",
        "did:web:a",
        "12:30",
        "https://a.example",
        "x:y",
        "text:a",
        "\"tpye:a\"",
        "naïd:1",
    ] {
        let mut stage = stage();
        stage.exchange(&format!("say {}", word.replace('"', "")), &["hi"]);
        stage.exchange("another", &["hi"]);
        assert_eq!(filtered(&mut stage, word), 1, "{word}");
        assert_eq!(stage.model.events.filter(), word);
    }
}

#[test]
fn one_key_goes_from_finding_to_finding() {
    let mut stage = stage();
    for n in 0..3 {
        stage.exchange("hello", &["hi"]);
        stage.came_with(1, json!({"type": "mystery.event", "n": n}), true, vec![unknown_event()]);
    }
    let number = |stage: &Stage| stage.model.events.selected().map(|row| row.number);
    stage.press("g .");
    let first = number(&stage);
    stage.press(".");
    assert!(number(&stage) > first && selected(&stage) == "mystery.event");
    stage.press(",");
    assert_eq!(number(&stage), first);
    stage.press(",");
    assert_eq!(number(&stage), first, "there is none before, and that is said");
    assert!(
        stage.model.status.as_ref().is_some_and(|status| status.text.as_str().contains("no earlier finding"))
    );
}

#[test]
fn one_key_shows_what_belongs_to_a_turn_or_an_interaction() {
    let mut stage = stage();
    stage.exchange("one", &["hi"]);
    stage.exchange("two", &["there"]);
    stage.press("v");
    assert_eq!((stage.model.events.filter(), stage.model.events.counts().0), ("turn:2", 4));
    stage.press("v");
    assert_eq!(stage.model.events.counts(), (10, 10));
    let request = json!({"type": "interaction.requested", "interactionId": "ix 1", "kind": "physical.nfc.scan",
        "prompt": "p", "spokenPrompt": "p"});
    stage.came(1, request);
    stage.came(1, json!({"type": "interaction.resolved", "interactionId": "ix 1", "outcome": "answered"}));
    stage.press("v");
    assert_eq!((stage.model.events.filter(), stage.model.events.counts().0), ("id:\"ix 1\"", 2));
    stage.press("Esc");
    assert_eq!(stage.model.events.filter(), "");
}

#[test]
fn the_oldest_events_go_first_and_each_frame_is_counted() {
    let mut stage = Stage::within(200_000);
    let mut frames = 0;
    for _ in 0..300 {
        stage.streams(&["one ", "two ", "three"]);
        stage.completes();
        frames += 5;
    }
    let kept: usize = stage.model.events.window(10_000).iter().map(|(row, _)| row.count).sum();
    assert!(kept > 50 && kept < frames, "{kept} of {frames}");
    assert_eq!(stage.model.events.dropped() as usize + kept, frames);
    stage.press("2 g");
    assert!(stage.model.events.selected().is_some());
    // A selected row that goes gives the selection to the oldest that is left.
    stage.press("f");
    for _ in 0..300 {
        stage.came(0, json!({"type": "run.started"}));
    }
    assert!(stage.model.events.selected().is_some());
}

#[test]
fn the_whole_text_of_folded_deltas_is_kept_and_found() {
    let mut stage = stage();
    stage.said("tell me");
    let words: Vec<String> = (0..5_000).map(|n| format!("word{n} ")).collect();
    stage.streams(&words.iter().map(String::as_str).collect::<Vec<_>>());
    stage.completes();
    filtered(&mut stage, "word4999");
    let rows = stage.model.events.window(10);
    assert_eq!(rows.len(), 1, "of the rows that a long text is split into");
    assert!(rows[0].0.text.as_str().ends_with("word4999 "));
    assert!(rows[0].0.text.as_str().len() < 20_000);
}

#[test]
fn large_frames_are_bounded_by_their_bytes() {
    let mut stage = stage();
    let text = "x y ".repeat(30_000);
    for _ in 0..600 {
        stage.came(0, json!({"type": "speech.segment", "segmentId": "s", "text": text, "stable": true}));
    }
    let (_, rows) = stage.model.events.counts();
    assert!(rows * text.len() <= crate::app::BUDGET && rows > 300, "{rows} rows");
}

#[test]
fn the_selected_frame_is_copied_as_its_json() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    let copied = stage.press("y");
    let [Effect::Copy(text)] = copied.as_slice() else { panic!("{copied:?}") };
    assert_eq!(text, r#"{"sequence":4,"event":{"type":"run.completed"}}"#);
    stage.model.update(crate::app::Message::Copied(Ok(text.len())));
    let status = stage.model.status.as_ref().map(|status| status.text.to_string());
    assert_eq!(status.as_deref(), Some("copied 47 bytes to the clipboard (OSC 52)"));
}

#[test]
fn inspecting_goes_to_the_inspector_and_scrolls_there() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    stage.press("Enter Down Down");
    assert_eq!((stage.model.pane, stage.model.inspected), (Pane::Inspect, 2));
    stage.came(1, json!({"type": "run.started"}));
    assert_eq!(stage.model.inspected, 0, "another frame is read from its top");
}

#[test]
fn a_filter_that_hides_the_selected_row_selects_the_next_one() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    stage.press("g");
    assert_eq!(selected(&stage), "session.start");
    stage.press("/");
    stage.types("run");
    stage.press("Enter");
    assert_eq!(selected(&stage), "run.started");
}
