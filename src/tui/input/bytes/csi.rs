//! CSI and SS3 sequences that are keys or focus reports (ECMA-48; xterm's control sequences; the Kitty keyboard
//! protocol). Everything else that a terminal says so is a reply, and nothing.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What `ESC O` and this byte mean.
pub(super) fn ss3(last: u8) -> Option<Event> {
    let code = match last {
        b'M' => KeyCode::Enter,
        b'I' => KeyCode::Tab,
        // The keypad in application mode: its characters, 0x40 higher.
        b'j'..=b'y' => KeyCode::Char(char::from(last - 0x40)),
        _ => arrow(last)?,
    };
    Some(Event::Key(code.into()))
}

/// What `ESC [`, these parameters and this last byte mean.
pub(super) fn event(parameters: &[u8], last: u8) -> Option<Event> {
    match (parameters, last) {
        (b"", b'I') => return Some(Event::FocusGained),
        (b"", b'O') => return Some(Event::FocusLost),
        _ => {}
    }
    // Private parameters and intermediate bytes are replies.
    if parameters.iter().any(|byte| !(byte.is_ascii_digit() || matches!(byte, b';' | b':'))) {
        return None;
    }
    let text = std::str::from_utf8(parameters).ok()?;
    let fields: Vec<Vec<Option<u32>>> =
        text.split(';').map(|field| field.split(':').map(|number| number.parse().ok()).collect()).collect();
    let number = |field: usize, part: usize| fields.get(field)?.get(part).copied().flatten();
    let mut modifiers = held(number(1, 0).unwrap_or(1));
    let code = match last {
        b'~' if number(0, 0) == Some(27) => character(number(2, 0)?, None, modifiers)?,
        b'~' => numbered(number(0, 0)?)?,
        b'u' => character(number(0, 0)?, number(0, 1), modifiers)?,
        b'Z' => KeyCode::BackTab,
        // `CSI 1;5R` is F3 or where the cursor is; neither is a key here.
        _ => arrow(last)?,
    };
    if code == KeyCode::BackTab {
        modifiers |= KeyModifiers::SHIFT;
    }
    let kind = match number(1, 1) {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    Some(Event::Key(KeyEvent::new_with_kind(code, modifiers, kind)))
}

fn arrow(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        _ => return None,
    })
}

fn numbered(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        _ => return None,
    })
}

/// One more than a mask of what is held; locks do not count.
fn held(number: u32) -> KeyModifiers {
    let mask = number.saturating_sub(1);
    let mut held = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ] {
        if mask & bit != 0 {
            held |= modifier;
        }
    }
    held
}

/// A key by its code point, and by what it types with Shift held. Keys that type nothing have private ones (Kitty).
fn character(point: u32, shifted: Option<u32>, held: KeyModifiers) -> Option<KeyCode> {
    Some(match point {
        27 => KeyCode::Esc,
        13 | 57_414 => KeyCode::Enter,
        9 => KeyCode::Tab,
        8 | 127 => KeyCode::Backspace,
        57_399..=57_413 => KeyCode::Char(char::from(*b"0123456789./*-+".get(point as usize - 57_399)?)),
        57_415 => KeyCode::Char('='),
        57_417 => KeyCode::Left,
        57_418 => KeyCode::Right,
        57_419 => KeyCode::Up,
        57_420 => KeyCode::Down,
        57_421 => KeyCode::PageUp,
        57_422 => KeyCode::PageDown,
        57_423 => KeyCode::Home,
        57_424 => KeyCode::End,
        57_425 => KeyCode::Insert,
        57_426 => KeyCode::Delete,
        57_344..=63_743 => return None,
        _ => {
            let plain = char::from_u32(point).filter(|c| !c.is_control())?;
            let shifted = shifted.and_then(char::from_u32).filter(|c| !c.is_control());
            let upper = || plain.to_uppercase().next().unwrap_or(plain);
            let shift = held.contains(KeyModifiers::SHIFT);
            KeyCode::Char(if shift { shifted.unwrap_or_else(upper) } else { plain })
        }
    })
}
