//! Panes, help, palette; and that no key is lost on the way.

use super::stage::{Stage, asks, tag_review};
use crate::app::{Editor, Effect, Message, Mode, Palette, Pane, Question, Seen, Spot};
use crate::client::devices::{DeviceReport, DeviceSection, DeviceSort, FoundDevice};
use crate::client::notice::Activity;
use crate::client::request::Aim;
use crate::client::voice::MicrophoneState;
use crate::client::{Notice, Request};
use crate::command::{ALL, Context, Key};
use crate::protocol::Modality;

fn stage() -> Stage {
    Stage::live(120, 40)
}

#[test]
fn tab_goes_round_and_numbers_go_straight() {
    let mut stage = stage();
    let mut been = Vec::new();
    for _ in 0..4 {
        been.push(stage.model.pane);
        stage.press("Tab");
    }
    assert_eq!(been, Pane::ALL);
    assert_eq!(stage.model.pane, Pane::Talk);
    stage.press("BackTab");
    assert_eq!(stage.model.pane, Pane::Physical);
    stage.press("3");
    assert_eq!(stage.model.pane, Pane::Inspect);
}

#[test]
fn help_scrolls_and_closes() {
    let mut stage = stage();
    stage.press("? Down PgDn");
    assert!(matches!(stage.model.mode, Mode::Help(11)));
    stage.model.update(Message::Drawn(Seen { page: Some(7), ..Seen::default() }));
    assert!(matches!(stage.model.mode, Mode::Help(7)), "no further than the page goes");
    assert_eq!(stage.press("Esc"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Panes));
}

#[test]
fn the_palette_finds_a_command_by_its_words_and_does_it() {
    let mut stage = stage();
    stage.press(":");
    stage.types("not answering sca");
    assert_eq!(stage.press("Enter"), asks(Request::ArmScan(Aim::Unrelated)));
    stage.press(":");
    stage.types("help");
    assert_eq!(stage.press("Enter"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Help(_)));
    stage.press("Esc :");
    stage.types("zzzz");
    assert_eq!(stage.press("Enter"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Panes));
}

/// Titles that the palette lists for what is typed.
fn found(typed: &str) -> Vec<&'static str> {
    let mut stage = stage();
    stage.press(":");
    stage.types(typed);
    let Mode::Palette(palette) = &stage.model.mode else { panic!("the palette is open") };
    palette.found().into_iter().map(|command| command.title).collect()
}

fn report(looking: bool) -> DeviceReport {
    let readers = DeviceSection {
        sort: DeviceSort::Reader,
        looking,
        trouble: None,
        devices: vec![FoundDevice { name: "A".to_owned(), what: "contactless".to_owned(), trouble: None }],
    };
    DeviceReport { sections: vec![readers] }
}

#[test]
fn devices_are_looked_for_as_long_as_somebody_looks() {
    let mut stage = stage();
    assert_eq!(stage.press("d"), asks(Request::ListDevices));
    stage.notice(Notice::Devices(report(true).into()));
    assert!(stage.model.devices[0].looking);
    assert_eq!(stage.press("r"), asks(Request::ListDevices));
    stage.notice(Notice::Devices(report(false).into()));
    assert_eq!(stage.model.devices[0].devices[0].1.as_str(), "contactless");
    for leaving in ["Esc", "Enter"] {
        assert_eq!(stage.press(leaving), asks(Request::EndDevices), "{leaving}");
        assert!(matches!(stage.model.mode, Mode::Panes));
        stage.notice(Notice::Devices(report(false).into()));
        assert!(stage.model.devices.is_empty(), "what comes late is not kept");
        stage.press("d");
    }
    stage.press("Esc : r");
    assert!(matches!(stage.model.mode, Mode::Palette(_)), "r is a letter there");
    stage.press("Esc");
    assert_eq!(stage.press("? r"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Help(_)), "r means nothing there");
}

#[test]
fn the_palette_forgives_skipped_letters_and_finds_nothing_by_chance() {
    assert_eq!(found("scan")[0], "scan");
    assert_eq!(found("cptr")[0], "capture");
    assert_eq!(found("recnct")[0], "reconnect");
    assert_eq!(found("nxt fnd")[0], "next finding");
    assert!(
        found("clipboard").contains(&"copy"),
        "what the sentence says, as it is typed: {:?}",
        found("clipboard")
    );
    // Letters that only stand somewhere in a sentence are no reason.
    assert!(!found("pho").contains(&"teach") && !found("pho").contains(&"up"), "{:?}", found("pho"));
    assert_eq!(found("xyzzy"), Vec::<&str>::new());
}

#[test]
fn the_palette_forgives_letters_left_out_and_one_typo() {
    let best = |typed: &str| {
        let mut stage = stage();
        stage.press(":");
        stage.types(typed);
        let Mode::Palette(palette) = &stage.model.mode else { panic!("the palette is open") };
        palette.choice().map(|choice| choice.id)
    };
    for typed in ["cancel", "cncl", "cancell", "cabcel", "cacnel", "CANCEK"] {
        assert_eq!(best(typed), Some("cancel"), "{typed}");
    }
    for typed in ["zzzz", "cabcez", "xylophone"] {
        assert_eq!(best(typed), None, "{typed}");
    }
}

/// Every title with each of its letters left out, doubled, replaced or swapped finds the command.
#[test]
fn one_slip_anywhere_in_a_title_still_finds_the_command() {
    for command in ALL.iter().filter(|command| command.palette && command.title.chars().count() >= 5) {
        let title: Vec<char> = command.title.chars().collect();
        for at in (0..title.len()).filter(|at| title[*at].is_alphanumeric()) {
            let mut slips = [title.clone(), title.clone(), title.clone(), title.clone()];
            slips[0].remove(at);
            slips[1].insert(at, title[at]);
            slips[2][at] = 'ß';
            slips[3].swap(at, (at + 1).min(title.len() - 1));
            for slip in slips.map(String::from_iter) {
                let palette = Palette { editor: Editor::with(&slip), chosen: 0 };
                let found: Vec<_> = palette.found().iter().map(|found| found.id).collect();
                assert!(found.contains(&command.id), "{slip:?} of {:?}: {found:?}", command.title);
            }
        }
    }
}

#[test]
fn the_palette_reaches_every_command_that_it_lists() {
    let listed = ALL.iter().filter(|command| command.palette);
    for (at, command) in listed.enumerate() {
        let mut stage = stage();
        stage.press(":");
        for _ in 0..at {
            stage.press("Down");
        }
        let Mode::Palette(palette) = &stage.model.mode else { panic!("the palette is open") };
        assert_eq!(palette.choice().map(|choice| choice.id), Some(command.id));
    }
}

#[test]
fn the_conversation_is_held_from_the_line_that_was_on_top() {
    let mut stage = stage();
    stage.exchange("hello", &["hi"]);
    assert_eq!(stage.press("Down"), Vec::new());
    assert_eq!(stage.model.held_at, None);
    let top = Some(Spot { item: 5, line: 2 });
    stage.model.update(Message::Drawn(Seen { top, newest: true, ..Seen::default() }));
    stage.press("Up Up PgUp Down");
    assert_eq!(stage.model.held_at, Some(Spot { item: 5, line: -9 }));
    stage.model.update(Message::Drawn(Seen { top, newest: false, ..Seen::default() }));
    assert_eq!(stage.model.held_at, top, "drawing settles where that is");
    stage.press("G");
    assert_eq!(stage.model.held_at, None);
}

#[test]
fn sending_follows_the_conversation_again() {
    let mut stage = stage();
    stage.press("g i");
    stage.types("hello");
    assert!(stage.model.held_at.is_some());
    stage.press("Enter");
    assert_eq!(stage.model.held_at, None);
}

/// Every key of the registry, in its context, does something: it asks, or it changes what is shown.
#[test]
fn every_key_of_every_context_is_taken() {
    for command in ALL {
        for context in command.contexts {
            for key in command.keys {
                let mut stage = in_context(*context);
                assert_eq!(stage.model.context(), *context);
                let found = stage.model.options.keymap.find(*context, *key).map(|command| command.id);
                assert_eq!(found, Some(command.id));
                stage.model.update(Message::Key(*key));
            }
        }
    }
}

fn in_context(context: Context) -> Stage {
    let mut stage = stage();
    match context {
        Context::Panes => {}
        Context::Talking => stage.voice(MicrophoneState::Opening),
        Context::Armed => {
            let armed = stage.armed(Modality::Photo, false);
            stage.physical(Activity::Armed(armed));
        }
        Context::Review => stage.reviews(tag_review(), None),
        Context::Typing => drop(stage.press("i")),
        Context::Overlay => drop(stage.press("?")),
    }
    stage
}

#[test]
fn a_key_without_a_meaning_changes_nothing() {
    let mut stage = stage();
    for key in [Key::Char('~'), Key::Ctrl('l'), Key::Backspace, Key::Delete, Key::Left] {
        assert_eq!(stage.model.update(Message::Key(key)), Vec::new());
        assert!(matches!(stage.model.mode, Mode::Panes));
    }
}

#[test]
fn what_would_end_a_live_session_is_asked_about() {
    let mut stage = stage();
    assert!(stage.press("r").is_empty());
    assert!(matches!(stage.model.mode, Mode::Asking(Question::Reconnect)));
    assert!(stage.press("Esc").is_empty());
    assert!(stage.press("E").is_empty());
    assert_eq!(stage.press("y"), [Effect::Ask(Request::End)]);
    assert!(stage.press("r").is_empty());
    assert!(stage.press("Enter").is_empty(), "Enter answers nothing");
    assert_eq!(stage.press("y"), [Effect::Ask(Request::Reconnect)]);
}

#[test]
fn a_message_typed_outside_its_field_neither_ends_nor_arms_what_it_must_not() {
    let mut stage = stage();
    // Its `r` asks, and nothing of what follows answers.
    for key in ["W", "o", "r", "k", "s", "h", "o", "p", "r", "o", "u", "t", "e", "r", "Enter"] {
        let effects = stage.press(key);
        assert!(effects.is_empty(), "{key}: {effects:?}");
    }
    assert!(matches!(stage.model.mode, Mode::Asking(Question::Reconnect)));
}

#[test]
fn on_a_screen_that_is_too_small_only_leaving_keys_count() {
    let mut stage = stage();
    stage.model.update(Message::Resized(50, 14));
    for key in ["Enter", "s", "i", "r"] {
        assert!(stage.press(key).is_empty(), "{key}");
    }
    assert!(matches!(stage.model.mode, Mode::Panes));
    assert_eq!(stage.press("q"), [Effect::Ask(Request::Quit)]);
}

#[test]
fn a_key_that_means_nothing_here_says_where_it_counts() {
    let mut stage = stage();
    stage.press("P");
    let status = stage.model.status.clone().expect("a line");
    assert!(status.text.as_str().contains("while reviewing"), "{}", status.text);
    stage.press("z");
    assert!(stage.model.status.clone().expect("a line").text.as_str().contains("means nothing here"));
}
