//! No size and no text breaks the screen, and no cell holds anything that a terminal would obey.

use proptest::prelude::*;
use serde_json::json;

use super::{drawn, text};
use crate::app::Message;
use crate::app::tests::stage::{Stage, both_review, photo_review, preview, tag_review, unknown_event};
use crate::client::devices::Trouble;
use crate::client::notice::{Activity, Connection, DeviceLine, LineKind, PhysicalView};
use crate::client::{Notice, Request};
use crate::protocol::Modality;
use crate::tui::theme::Theme;

/// Everything that a person can have on the screen.
fn situations(stage: &mut Stage, which: usize) {
    stage.exchange("hello", &["an answer 工房 with words\nand lines"]);
    stage.came_with(1, json!({"type": "mystery.event"}), true, vec![unknown_event()]);
    stage.asks(Modality::Nfc, "Please show me the tag");
    stage.proposes("Workshop router");
    stage.holds("held");
    stage.is_camera_open = true;
    let armed = stage.armed(Modality::Photo, true);
    match which {
        0 => stage.physical(Activity::Armed(stage.armed(Modality::Nfc, true))),
        1 => {
            stage.physical(Activity::Armed(armed));
            stage.notice(Notice::Preview(preview()));
        }
        2 => stage.reviews(tag_review(), None),
        3 => stage.reviews(photo_review(), None),
        4 => stage.reviews(both_review(), None),
        5 => {
            stage.reviews(tag_review(), Some(armed));
            stage.notice(Notice::Preview(preview()));
        }
        6 => drop(stage.press("?")),
        7 => drop(stage.press(":")),
        8 => drop(stage.press("p")),
        9 => drop(stage.press("o")),
        10 => drop(stage.press("q")),
        11 => drop(stage.press("i a Ctrl+J b Ctrl+J c")),
        12 => drop(stage.press("2 g")),
        13 => drop(stage.press("3 G")),
        14 => drop(stage.press("1 g Down")),
        15 => drop(stage.press("d")),
        _ => {
            let line = stage.line(LineKind::Connection, "The connection is gone.");
            stage.connection(Connection::Over(line));
        }
    }
}

#[test]
fn every_situation_at_every_small_and_odd_size() {
    for which in 0..17 {
        let mut stage = Stage::live(120, 40);
        situations(&mut stage, which);
        let small = (1..=30).flat_map(|columns| (1..=10).map(move |rows| (columns, rows)));
        let columns = (0..=220).step_by(11).chain([59, 60, 61, 99, 100, 101]);
        let larger = columns.flat_map(|columns| {
            let rows = (0..=60).step_by(6).chain([1, 2, 3, 15, 16, 17]);
            rows.map(move |rows| (columns, rows))
        });
        for (columns, rows) in small.chain(larger) {
            stage.model.update(Message::Resized(columns, rows));
            if columns > 0 && rows > 0 {
                drawn(&mut stage.model, Theme::with(true));
            }
        }
    }
}

/// Texts that want to be obeyed, or to be drawn wrongly.
fn hostile() -> Vec<String> {
    vec![
        "\u{1b}[31m\u{1b}]52;c;cm0gLXJmIC8=\u{7}\u{1b}c\u{1b}[6n".to_owned(),
        "\u{9b}31m\u{9d}0;title\u{9c}".to_owned(),
        "\u{202e}gnp.exe\u{2066}\u{200b}\u{feff}".to_owned(),
        "a\tb\r\nc\rd\u{0}".to_owned(),
        "工房のルーター".repeat(40),
        "👩‍👩‍👧‍👦🇩🇪👍🏽".repeat(20),
        format!("z{}", "\u{300}".repeat(500)),
        "x".repeat(100 * 1024),
        "\n".repeat(3_000),
        "\u{e000}\u{fdd0}\u{10ffff}".to_owned(),
    ]
}

fn everywhere(stage: &mut Stage, text: &str) {
    stage.notice(Notice::Card(crate::client::notice::CardNotice {
        agent: text.to_owned(),
        endpoint: text.to_owned(),
        explanation: vec![text.to_owned()],
        notes: Vec::new(),
    }));
    stage.exchange(text, &[text, text]);
    stage.came(1, json!({"type": "speech.segment", "segmentId": text, "text": text, "stable": true}));
    stage.came(1, json!({"type": "failure", "code": text, "message": text}));
    stage.came(1, json!({"type": text, text: [text, {text: text}]}));
    stage.asks(Modality::Nfc, text);
    stage.proposes(text);
    stage.holds(text);
    stage.notice(Notice::Failed(stage.line(LineKind::Device, text)));
    let device = || DeviceLine {
        name: text.to_owned(),
        simulated: false,
        trouble: Some(Trouble::new(text, Some(text.to_owned()))),
    };
    let view = PhysicalView {
        readers: vec![device(), device()],
        camera: device(),
        camera_open: true,
        activity: Activity::Idle,
        last: Some((text.to_owned(), stage.at())),
    };
    stage.notice(Notice::Physical(view.into()));
}

fn review_of(text: &str) -> crate::client::notice::Review {
    let mut review = both_review();
    if let Some(tag) = &mut review.tag {
        tag.technology = text.to_owned();
        tag.object_ref = text.to_owned();
        tag.other_content = vec![text.to_owned(); 5];
        tag.notes = vec![text.to_owned(); 5];
    }
    if let Some(photo) = &mut review.photo {
        photo.source = text.to_owned();
    }
    review.answers = Some(text.to_owned());
    review
}

fn assert_harmless(stage: &mut Stage, what: &str) {
    for theme in [Theme::with(true), Theme::with(false)] {
        let backend = drawn(&mut stage.model, theme);
        for cell in backend.buffer().content() {
            let hidden = |c: char| {
                c.is_control()
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
                        && c != '\u{200d}'
            };
            assert!(!cell.symbol().contains(hidden), "{what}: a cell holds {:?}", cell.symbol());
        }
    }
}

#[test]
fn hostile_texts_are_drawn_harmlessly_wherever_they_come_from() {
    for text in hostile() {
        for (columns, rows) in [(200, 50), (100, 30), (60, 16)] {
            let mut stage = Stage::live(columns, rows);
            everywhere(&mut stage, &text);
            for keys in ["1", "2", "3", "4", "o", "Esc"] {
                stage.press(keys);
                assert_harmless(&mut stage, keys);
            }
            stage.pastes(&text);
            assert_harmless(&mut stage, "typing");
            stage.press("Esc /");
            stage.pastes(&text);
            stage.press("Enter");
            assert_harmless(&mut stage, "filter");
            stage.press("p");
            stage.pastes(&text);
            assert_harmless(&mut stage, "picker");
            stage.press("Esc");
            stage.reviews(review_of(&text), None);
            assert_harmless(&mut stage, "review");
        }
    }
}

#[test]
fn without_colours_everything_is_said_all_the_same() {
    let mut stage = Stage::live(100, 30);
    stage.exchange("hello", &["hi"]);
    stage.came_with(1, json!({"type": "mystery.event"}), true, vec![unknown_event()]);
    stage.asks(Modality::Nfc, "Please show me the tag");
    let coloured = text(&mut stage.model);
    let backend = drawn(&mut stage.model, Theme::with(false));
    for cell in backend.buffer().content() {
        assert_eq!((cell.fg, cell.bg), (ratatui::style::Color::Reset, ratatui::style::Color::Reset));
    }
    for word in ["! ← mystery.event", "! The agent asks", "● live"] {
        assert!(coloured.contains(word), "{word} is said in words:\n{coloured}");
    }
}

/// A glyph of two cells of which something else covers the second: a terminal would draw one over the other.
fn cut_glyphs(model: &mut crate::app::Model) -> Vec<String> {
    let backend = drawn(model, Theme::with(true));
    let buffer = backend.buffer();
    let area = *buffer.area();
    let mut cut = Vec::new();
    for row in 0..area.height {
        for column in 0..area.width {
            let symbol = buffer[(column, row)].symbol();
            let behind = (column + 1 < area.width).then(|| buffer[(column + 1, row)].symbol());
            if unicode_width::UnicodeWidthStr::width(symbol) == 2 && !matches!(behind, Some("" | " ")) {
                cut.push(format!("{symbol} at column {column}, row {row}, then {behind:?}"));
            }
        }
    }
    cut
}

#[test]
fn g7_a_wide_glyph_is_never_cut_by_what_opens_over_it_or_stands_beside_it() {
    // Every other column, so that each edge of each overlay cuts through a glyph at one of them.
    for columns in 96..=107 {
        let mut stage = Stage::live(columns, 30);
        stage.exchange("工房", &["工".repeat(2_000).as_str()]);
        stage.said(&"房".repeat(300));
        for keys in ["1", "2", "3", "4", "?", "Esc :", "Esc p", "Esc q", "n o", "Esc i", "Esc /"] {
            stage.press(keys);
            assert_eq!(cut_glyphs(&mut stage.model), Vec::<String>::new(), "{columns} columns, {keys}");
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Key(char),
    Named(&'static str),
    Resize(u16, u16),
    Stream(String),
    Paste(String),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => proptest::char::range(' ', '~').prop_map(Step::Key),
        4 => proptest::sample::select(vec!["Enter", "Esc", "Tab", "Up", "Down", "PgUp", "PgDn", "Home", "End", "Ctrl+J"])
            .prop_map(Step::Named),
        2 => (1_u16..=220, 1_u16..=60).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => any::<String>().prop_map(Step::Stream),
        1 => any::<String>().prop_map(Step::Paste),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is pressed, streamed, pasted and resized: it is drawn, and nothing is confirmed by accident.
    #[test]
    fn a_random_walk_is_always_drawn(steps in proptest::collection::vec(step(), 1..60)) {
        let mut stage = Stage::live(100, 30);
        for step in steps {
            let effects = match step {
                Step::Key(c) => stage.model.update(Message::Key(crate::command::Key::Char(c))),
                Step::Named(name) => stage.press(name),
                Step::Resize(columns, rows) => stage.model.update(Message::Resized(columns, rows)),
                Step::Stream(text) => {
                    stage.streams(&[&text]);
                    Vec::new()
                }
                Step::Paste(text) => stage.model.update(Message::Paste(text)),
            };
            let confirmed = effects.contains(&crate::app::Effect::Ask(Request::Say("confirm object".to_owned())));
            prop_assert!(!confirmed, "there was no proposal to confirm");
            drawn(&mut stage.model, Theme::with(true));
        }
    }
}

#[test]
fn names_that_differ_at_their_ends_stay_apart_when_they_are_cut() {
    use super::super::text::fit_ends;
    assert_eq!(fit_ends("ACS ACR122U PICC Interface 00 01", 17), "ACS ACR122U…00 01");
    assert_eq!(fit_ends("short", 5), "short");
    for width in 0..40 {
        let cut = fit_ends("日本語の名前 Reader 00 01", width);
        assert!(unicode_width::UnicodeWidthStr::width(cut.as_str()) <= width, "{width}: {cut}");
    }
}
