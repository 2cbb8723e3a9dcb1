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

#[test]
fn a_filter_shows_rows_with_all_of_its_words() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    stage.came_with(1, json!({"type": "mystery.event"}), true, vec![unknown_event()]);
    for (filter, count) in [("in est", 1), ("in run", 2), ("OUT user", 1), ("ev-7", 1), ("nothing", 0)] {
        stage.press("/ Ctrl+U");
        stage.types(filter);
        stage.press("Enter");
        assert_eq!(stage.model.events.counts().0, count, "{filter}");
    }
    stage.press("Esc");
    assert_eq!(stage.model.events.counts(), (7, 7));
}

#[test]
fn the_oldest_rows_go_first_and_are_counted() {
    let mut stage = stage();
    for _ in 0..60_000 {
        stage.came(0, json!({"type": "run.started"}));
        stage.came(0, json!({"type": "run.completed"}));
    }
    assert_eq!(stage.model.events.counts(), (100_000, 100_000));
    assert_eq!(stage.model.events.dropped(), 20_002);
    stage.press("g");
    assert!(stage.model.events.selected().is_some());
    stage.came(0, json!({"type": "run.started"}));
    assert!(stage.model.events.selected().is_some(), "the selection moves to the oldest that is kept");
}

#[test]
fn large_frames_are_bounded_by_their_bytes() {
    let mut stage = stage();
    let text = "x y ".repeat(30_000);
    for _ in 0..600 {
        stage.came(0, json!({"type": "speech.segment", "segmentId": "s", "text": text, "stable": true}));
    }
    let (_, rows) = stage.model.events.counts();
    assert!(rows * text.len() <= 48 * 1024 * 1024 && rows > 300, "{rows} rows");
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
