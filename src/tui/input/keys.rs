//! From the terminal library's keys to ours.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::command::Key;

/// The key that was pressed or repeats; nothing for a release, or for a key that no command can have.
///
/// Alt and the like are dropped together with their key: `Alt+c` must not arm a camera because `c` does. Ctrl-C alone
/// counts with Alt too: behind an Esc that came in the same moment, as over a slow line, it looks like that, and it must leave
/// from everywhere.
pub fn translate(event: &KeyEvent) -> Option<Key> {
    let strange = KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
    if event.kind == KeyEventKind::Release {
        return None;
    }
    if event.modifiers.intersects(strange) {
        let leaves =
            event.code == KeyCode::Char('c') && event.modifiers == KeyModifiers::ALT | KeyModifiers::CONTROL;
        return leaves.then_some(Key::Ctrl('c'));
    }
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return match event.code {
            // The byte 0x08, which is what Backspace sends on some terminals.
            KeyCode::Char('h') => Some(Key::Backspace),
            KeyCode::Char(c) => Some(Key::Ctrl(c.to_ascii_lowercase())),
            _ => None,
        };
    }
    Some(match event.code {
        KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => Key::BackTab,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    })
}
