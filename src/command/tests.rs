//! The invariants of the registry.

use std::collections::HashSet;

use super::key::Key;
use super::keymap::{Keymap, KeymapError};
use super::registry::{ALL, Act, Context, View};
use crate::client::Request;

#[test]
fn no_key_has_two_meanings_in_one_context() {
    assert!(Keymap::with([]).is_ok(), "{:?}", Keymap::with([]).err());
}

#[test]
fn ids_are_unique_and_every_command_is_documented() {
    let ids: HashSet<_> = ALL.iter().map(|command| command.id).collect();
    assert_eq!(ids.len(), ALL.len());
    for command in ALL {
        assert!(!command.title.is_empty() && command.title.len() <= 24, "{}: title", command.id);
        assert!(command.help.ends_with('.') && command.help.len() > 8, "{}: help is a sentence", command.id);
        assert!(!command.contexts.is_empty(), "{}: reachable", command.id);
    }
}

/// What a command asks of the engine stays at this desk: nothing goes on the wire, now or by it later.
fn stays_here(request: &Request) -> bool {
    matches!(
        request,
        Request::Reconnect | Request::DropHeld | Request::Disarm | Request::DropReviewed | Request::Orient(_)
    )
}

#[test]
fn session_commands_have_a_key_a_palette_entry_and_a_verb() {
    for command in ALL {
        let Act::Ask(request) = command.act() else { continue };
        assert!(!command.keys.is_empty(), "{}: key", command.id);
        assert!(command.palette, "{}: palette", command.id);
        assert_eq!(command.verb.is_none(), stays_here(&request), "{}: verb", command.id);
    }
}

#[test]
fn view_commands_have_a_key_and_a_palette_entry() {
    // Enter, Esc and the new line belong to what is open; in the palette they would mean the palette itself.
    let of_what_is_open = [View::Accept, View::Leave, View::NewLine];
    for command in ALL {
        assert!(!command.keys.is_empty(), "{}: key", command.id);
        let exempt = matches!(command.act(), Act::View(view) if of_what_is_open.contains(&view));
        assert_eq!(command.palette, !exempt, "{}: palette", command.id);
    }
}

#[test]
fn what_does_not_exist_yet_is_nowhere() {
    for command in ALL {
        let words = format!("{} {} {}", command.id, command.title, command.help).to_lowercase();
        for word in ["record", "replay"] {
            assert!(!words.contains(word), "{}: {word}", command.id);
        }
    }
}

#[test]
fn every_key_can_be_written_and_read() {
    for command in ALL {
        for key in command.keys {
            assert_eq!(key.to_string().parse(), Ok(*key));
        }
    }
}

#[test]
fn a_users_keys_are_laid_over_and_conflicts_are_named() {
    let map = Keymap::with([("scan", "F"), ("scan", "Ctrl+S")]).expect("free keys");
    assert_eq!(map.shown("scan"), "F");
    assert_eq!(map.find(Context::Panes, Key::Ctrl('s')).map(|c| c.id), Some("scan"));
    assert!(map.find(Context::Panes, Key::Char('s')).is_none());
    let conflict = Keymap::with([("scan", "q")]).expect_err("q quits");
    assert!(matches!(conflict, KeymapError::Conflict { key: Key::Char('q'), .. }), "{conflict}");
    assert!(matches!(Keymap::with([("fly", "q")]), Err(KeymapError::UnknownCommand(_))));
    assert!(matches!(Keymap::with([("scan", "qq")]), Err(KeymapError::NotAKey { .. })));
}

#[test]
fn a_key_that_would_be_dead_is_refused() {
    let typed = Keymap::with([("accept", "z")]).expect_err("z is text while typing");
    assert!(typed.to_string().contains("where characters are text"), "{typed}");
    let reserved = Keymap::with([("scan", "Ctrl+C")]).expect_err("Ctrl+C quits");
    assert_eq!(
        reserved.to_string(),
        "[keys] scan: Ctrl+C always quits and cannot mean anything else; choose another key"
    );
}

#[test]
fn two_commands_can_swap_their_keys() {
    let map = Keymap::with([("scan", "c"), ("capture", "s")]).expect("each key once");
    assert_eq!((map.shown("scan"), map.shown("capture")), ("c".to_owned(), "s".to_owned()));
}
