//! Snapshots: every situation of a session at 200×50, 100×30 and 60×16. `INSTA_UPDATE=always` writes them anew.

use serde_json::json;

use super::text;
use crate::app::Pane;
use crate::app::tests::stage::{ROUTER, Stage, photo_review, step_back, unknown_event};
use crate::client::Notice;
use crate::client::notice::{Activity, Connection, Line, LineKind};
use crate::device::nfc::NfcError;
use crate::protocol::Modality;
use crate::session::Phase;

const SIZES: [(u16, u16); 3] = [(200, 50), (100, 30), (60, 16)];

/// One snapshot a size of what `play` makes of a live session.
pub(super) fn scene(name: &str, play: impl Fn(&mut Stage)) {
    for (columns, rows) in SIZES {
        let mut stage = Stage::live(columns, rows);
        play(&mut stage);
        snapshot(&format!("{name}-{columns}x{rows}"), &mut stage);
    }
}

pub(super) fn snapshot(name: &str, stage: &mut Stage) {
    let screen = text(&mut stage.model);
    assert_snapshot(name, &screen);
}

fn assert_snapshot(name: &str, screen: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name.to_owned(), screen));
}

/// A conversation as a newcomer would have it.
pub(super) fn conversation(stage: &mut Stage) {
    stage.exchange(
        "What is this?",
        &[
            "I do not know this object yet. ",
            "Say \"teach object …\" ",
            "and I will propose what to remember.",
        ],
    );
    stage.went(40, json!({"type": "ack", "sequence": 6}), crate::trace::record::Body::Client);
    stage.showed(None);
}

#[test]
fn empty_start() {
    for (columns, rows) in SIZES {
        let mut stage = Stage::new(columns, rows);
        stage.connection(Connection::Fetching("https://agent.example/card".to_owned()));
        snapshot(&format!("start-{columns}x{rows}"), &mut stage);
    }
}

#[test]
fn live_and_nothing_said() {
    scene("live", |_| ());
}

#[test]
fn streaming() {
    scene("streaming", |stage| {
        conversation(stage);
        stage.said("Tell me more about it, please: what it does, where it belongs and who looks after it.");
        stage.streams(&[
            "It forwards ",
            "packets ",
            "between the ",
            "workshop and the office. 工房のルーター。",
        ]);
        stage.came(3, json!({"type": "speech.segment", "segmentId": "s3", "text": "It forwards packets.", "stable": true}));
    });
}

#[test]
fn findings_and_inspector() {
    scene("findings", |stage| {
        conversation(stage);
        stage.came_with(
            2,
            json!({"type": "mystery.event", "execute": "rm -rf /", "capability": "camera"}),
            true,
            vec![unknown_event()],
        );
        stage.came_with(2, json!({"type": "run.completed"}), false, vec![step_back()]);
        stage.model.pane = Pane::Events;
        stage.press("Up");
        if stage.model.is_narrow() {
            stage.press("Enter");
        }
    });
}

#[test]
fn long_lists_are_folded_and_unfold() {
    let long = |stage: &mut Stage| {
        let many: Vec<_> = (0..40).map(|at| json!({"at": at})).collect();
        stage.came_with(2, json!({"type": "mystery.event", "values": many}), true, vec![unknown_event()]);
        stage.press("2 G Enter G");
    };
    scene("folded", long);
    let mut stage = Stage::live(100, 30);
    long(&mut stage);
    assert!(text(&mut stage.model).contains("… 32 more · Space unfolds"));
    stage.press("Space G");
    let whole = text(&mut stage.model);
    assert!(whole.contains("\"at\": 39") && !whole.contains(" more · "), "{whole}");
    stage.press("Space G");
    assert!(!text(&mut stage.model).contains("\"at\": 39"));
}

#[test]
fn a_path_that_was_refused_stands_in_the_field_with_its_reason() {
    scene("picker-refused", |stage| {
        stage.press("p");
        stage.types("tags/ruoter.ndef");
        stage.press("Enter");
        let missing =
            NfcError::File { path: "tags/ruoter.ndef".into(), source: std::io::Error::from_raw_os_error(2) };
        let text = missing.to_string();
        let line = Line { at: stage.model.now, kind: LineKind::Device, text, hint: None };
        stage.notice(Notice::Failed(line));
    });
}

#[test]
fn events_on_a_narrow_screen() {
    let mut stage = Stage::live(60, 16);
    conversation(&mut stage);
    stage.came_with(2, json!({"type": "mystery.event"}), true, vec![unknown_event()]);
    stage.press("2");
    snapshot("events-60x16", &mut stage);
}

#[test]
fn filtered_to_nothing() {
    let mut stage = Stage::live(100, 30);
    stage.press("/");
    stage.types("failure");
    stage.press("Enter");
    snapshot("filtered-100x30", &mut stage);
}

#[test]
fn the_agent_asks() {
    scene("asks", |stage| {
        stage.exchange("scan an object", &["I have asked for a scan."]);
        stage.asks(Modality::Nfc, "Please show me the tag");
    });
}

#[test]
fn a_long_request() {
    let mut stage = Stage::live(60, 16);
    stage.asks(Modality::Photo, &"Please take a photo of the label on the back. ".repeat(12));
    snapshot("asks-long-60x16", &mut stage);
}

/// `NO_COLOR`: a picture is shades, and every mark stays.
#[test]
fn without_colours() {
    let mut stage = Stage::live(100, 30);
    stage.came_with(2, json!({"type": "mystery.event"}), true, vec![unknown_event()]);
    stage.reviews(photo_review(), None);
    let screen = super::text_in(&mut stage.model, crate::tui::theme::Theme::with(false));
    assert_snapshot("no-colour-100x30", &screen);
}

#[test]
fn proposal() {
    scene("proposal", |stage| {
        conversation(stage);
        stage.exchange(
            "teach object Workshop router",
            &[&format!("I would remember:\nWorkshop router\n{ROUTER}\nSay \"confirm object\".")],
        );
        stage.proposes("Workshop router");
    });
}

#[test]
fn confirming() {
    scene("confirm", |stage| {
        conversation(stage);
        stage.proposes("Workshop router");
        stage.press("o");
    });
}

#[test]
fn typing_a_message() {
    scene("typing", |stage| {
        stage.press("i");
        stage.types("What is this?");
        stage.press("Ctrl+J");
        stage.types("And who made it?");
    });
}

#[test]
fn queued_turn() {
    scene("queued", |stage| {
        stage.said("What is this?");
        stage.streams(&["Let me "]);
        stage.holds("and what does it do?");
    });
}

#[test]
fn help() {
    scene("help", |stage| {
        stage.press("?");
    });
}

#[test]
fn palette() {
    scene("palette", |stage| {
        stage.press(":");
        stage.types("scan");
        stage.press("Down");
    });
}

/// Every description, as far as there is room for it.
#[test]
fn whole_palette() {
    scene("palette-all", |stage| {
        stage.press(":");
    });
}

#[test]
fn picker() {
    scene("picker", |stage| {
        stage.press("p Down");
    });
}

#[test]
fn quitting_while_a_run_is_active() {
    scene("quit", |stage| {
        stage.said("What is this?");
        stage.press("q");
    });
}

#[test]
fn a_run_fails() {
    scene("failure", |stage| {
        stage.said("take a photo");
        stage.streams(&["One mo"]);
        stage.came(
            30,
            json!({"type": "failure", "code": "physical_disabled", "message": "No photo was negotiated."}),
        );
        stage.session.run = crate::session::RunState::Idle;
        stage.tell();
    });
}

#[test]
fn disconnected() {
    scene("over", |stage| {
        stage.said("What is this?");
        stage.streams(&["I do not kn"]);
        stage.session = crate::session::SessionView { phase: Phase::Ended, ..Default::default() };
        stage.tell();
        let line = Line {
            hint: Some("r connects again, as a new session.".to_owned()),
            ..stage.line(
                LineKind::Connection,
                "The agent at agent.example closed the connection in the middle of a run (1006).",
            )
        };
        stage.connection(Connection::Over(line));
    });
}

#[test]
fn refused_card() {
    scene("refused", |stage| {
        stage.session = crate::session::SessionView::default();
        stage.tell();
        let text = "The card at agent.example was refused: it declares the AgentCall extension twice (CARD-4, § Version and migration). Nothing was sent.";
        let line = stage.line(LineKind::Card, text);
        stage.connection(Connection::Over(line));
    });
}

#[test]
fn a_line_about_what_happened() {
    scene("status", |stage| {
        let line = Line {
            hint: Some("Scan it again, and hold it still.".to_owned()),
            ..stage.line(LineKind::Device, "The tag left the reader while it was read.")
        };
        stage.notice(Notice::Failed(line));
    });
}

#[test]
fn text_only() {
    let mut stage = Stage::live(100, 30);
    stage.session.negotiated = crate::protocol::Modalities::NONE;
    stage.tell();
    snapshot("text-only-100x30", &mut stage);
}

#[test]
fn too_small() {
    let mut stage = Stage::live(50, 10);
    stage.is_camera_open = true;
    let armed = stage.armed(Modality::Photo, false);
    stage.physical(Activity::Armed(armed));
    snapshot("too-small-50x10", &mut stage);
}

#[test]
fn scrolled_back() {
    let mut stage = Stage::live(100, 30);
    for n in 1..30 {
        stage.exchange(&format!("question {n}"), &[&format!("answer {n}")]);
    }
    text(&mut stage.model);
    stage.press("Up Up Up");
    text(&mut stage.model);
    stage.exchange("one more", &["while it is held"]);
    snapshot("scrolled-100x30", &mut stage);
}
