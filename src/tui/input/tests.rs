//! Keys and replies, told as what arrives and what counts.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::replies::Replies;
use super::{Input, translate};
use crate::command::Key;

const NONE: KeyModifiers = KeyModifiers::NONE;

fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
    match translate(Event::Key(KeyEvent::new(code, modifiers))) {
        Some(Input::Key(key)) => Some(key),
        None => None,
        other => panic!("no key: {other:?}"),
    }
}

#[test]
fn keys_that_a_command_can_have_arrive_by_our_names() {
    let shift = KeyModifiers::SHIFT;
    let control = KeyModifiers::CONTROL;
    for (code, modifiers, name) in [
        (KeyCode::Char('s'), NONE, "s"),
        (KeyCode::Char('S'), shift, "S"),
        (KeyCode::Char('é'), NONE, "é"),
        (KeyCode::Char(' '), NONE, "Space"),
        (KeyCode::Char('j'), control, "Ctrl+J"),
        (KeyCode::Char('C'), control | shift, "Ctrl+C"),
        (KeyCode::Char('h'), control, "Backspace"),
        (KeyCode::Enter, NONE, "Enter"),
        (KeyCode::Esc, NONE, "Esc"),
        (KeyCode::Tab, NONE, "Tab"),
        (KeyCode::Tab, shift, "BackTab"),
        (KeyCode::BackTab, shift, "BackTab"),
        (KeyCode::PageDown, NONE, "PgDn"),
        (KeyCode::Up, shift, "Up"),
    ] {
        assert_eq!(pressed(code, modifiers), Some(name.parse().unwrap()), "{code:?} {modifiers:?}");
    }
}

#[test]
fn keys_that_no_command_can_have_are_dropped_and_never_taken_for_others() {
    for (code, modifiers) in [
        (KeyCode::Char('c'), KeyModifiers::ALT),
        (KeyCode::Char('c'), KeyModifiers::SUPER | KeyModifiers::CONTROL),
        (KeyCode::Char('q'), KeyModifiers::ALT | KeyModifiers::CONTROL),
        (KeyCode::Char('c'), KeyModifiers::SUPER),
        (KeyCode::Enter, KeyModifiers::ALT),
        (KeyCode::Left, KeyModifiers::CONTROL),
        (KeyCode::F(1), NONE),
        (KeyCode::Insert, NONE),
        (KeyCode::CapsLock, NONE),
    ] {
        assert_eq!(pressed(code, modifiers), None, "{code:?} {modifiers:?}");
    }
}

#[test]
fn a_held_key_repeats_and_its_release_is_not_a_second_press() {
    let of = |kind| translate(Event::Key(KeyEvent::new_with_kind(KeyCode::Char('s'), NONE, kind)));
    assert_eq!(of(KeyEventKind::Press), Some(Input::Key(Key::Char('s'))));
    assert_eq!(of(KeyEventKind::Repeat), Some(Input::Key(Key::Char('s'))));
    assert_eq!(of(KeyEventKind::Release), None);
}

/// What arrives, as the terminal library reports these bytes: `^x` Ctrl, `~x` Alt, `!` Esc, `%` Enter, the rest as is.
fn events(text: &str) -> Vec<Event> {
    let mut chars = text.chars();
    let mut out = Vec::new();
    while let Some(c) = chars.next() {
        let (code, modifiers) = match c {
            '^' => (KeyCode::Char(chars.next().unwrap()), KeyModifiers::CONTROL),
            '~' => (KeyCode::Char(chars.next().unwrap()), KeyModifiers::ALT),
            '!' => (KeyCode::Esc, NONE),
            '%' => (KeyCode::Enter, NONE),
            c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
            c => (KeyCode::Char(c), NONE),
        };
        out.push(Event::Key(KeyEvent::new(code, modifiers)));
    }
    out
}

/// Bursts, each with the milliseconds when it comes; what counts of them, with the names of the keys.
fn counting(bursts: &[(u64, &str)]) -> String {
    let mut replies = Replies::default();
    let mut out = Vec::new();
    for (at, burst) in bursts {
        for event in events(burst) {
            if replies.counts(&event, Duration::from_millis(*at)) {
                out.push(match translate(event) {
                    Some(Input::Key(key)) => key.to_string(),
                    _ => "-".to_owned(),
                });
            }
        }
    }
    out.join(" ")
}

#[test]
fn a_reply_is_not_typing_whichever_way_it_begins_and_ends() {
    for reply in [
        "~]11;rgb:1E1E/1e1e/2E2E^g",
        "~]11;rgb:1e1e/1e1e/2e2e~\\",
        "~P>|XTerm(397)~\\",
        "~_Gi=31;OK~\\",
        "~^note~\\",
        "~Xstring~\\",
    ] {
        assert_eq!(counting(&[(0, "a"), (5, reply), (5, "b")]), "a b", "{reply}");
    }
}

#[test]
fn a_reply_in_pieces_is_still_a_reply() {
    assert_eq!(counting(&[(0, "~]11;rgb:1e"), (150, "1e/1e1e"), (300, "/2e2e^g"), (301, "b")]), "b");
    assert_eq!(counting(&[(0, "~]11;x!"), (10, "\\b")]), "b", "cut between Esc and its backslash");
    assert_eq!(counting(&[(0, "~]11;x^g~]10;y^gb")]), "b", "two in a row");
    assert_eq!(counting(&[(0, "~]11;x~]10;y^gb")]), "b", "one that a second cuts short");
}

#[test]
fn typing_comes_through_after_an_unfinished_reply() {
    assert_eq!(counting(&[(0, "~]"), (201, "hi")]), "h i", "after a pause");
    assert_eq!(counting(&[(0, "~]"), (100, "%"), (110, "hi")]), "Enter h i", "no reply holds Enter");
    assert_eq!(
        counting(&[(0, "~]"), (100, "!"), (110, "hi")]),
        "h i",
        "no reply holds Esc before another key"
    );
    let typed: Vec<(u64, &str)> = (0..15).map(|n| (n * 100, if n == 0 { "~]" } else { "x" })).collect();
    assert_eq!(counting(&typed), "x x x x", "fast typing, after a second");
}

#[test]
fn what_is_no_key_is_never_part_of_a_reply() {
    let mut replies = Replies::default();
    let at = Duration::ZERO;
    assert!(!replies.counts(&events("~]")[0], at));
    assert!(replies.counts(&Event::FocusLost, at));
    assert!(!replies.counts(&events("1")[0], at), "and does not end it");
    assert!(replies.counts(&Event::Paste("1".to_owned()), at));
    assert!(replies.counts(&events("1")[0], at), "a paste is whole: the reply had ended");
}
