//! Keys as a person names them: `s`, `Enter`, `Ctrl+J`, `PgUp`.

use std::fmt;
use std::str::FromStr;

/// One key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character, as it is typed: capitals are characters of their own.
    Char(char),
    /// A letter with Ctrl held.
    Ctrl(char),
    /// Enter (0x0D). The byte 0x0A arrives as `Ctrl+J`.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift+Tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
}

/// The names of keys that are no characters.
const NAMED: &[(&str, Key)] = &[
    ("Enter", Key::Enter),
    ("Esc", Key::Esc),
    ("Tab", Key::Tab),
    ("BackTab", Key::BackTab),
    ("Backspace", Key::Backspace),
    ("Delete", Key::Delete),
    ("Up", Key::Up),
    ("Down", Key::Down),
    ("Left", Key::Left),
    ("Right", Key::Right),
    ("PgUp", Key::PageUp),
    ("PgDn", Key::PageDown),
    ("Home", Key::Home),
    ("End", Key::End),
    ("Space", Key::Char(' ')),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, key)| key == self) {
            return f.pad(name);
        }
        match self {
            Self::Char(c) => f.pad(&c.to_string()),
            Self::Ctrl(c) => f.pad(&format!("Ctrl+{}", c.to_uppercase())),
            _ => f.pad("?"),
        }
    }
}

/// A name that is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a key such as s, Enter, Ctrl+J or PgUp, came {0:?}")]
pub struct NotAKey(pub String);

impl FromStr for Key {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        if let Some((_, key)) = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(*key);
        }
        let one = |text: &str| {
            let mut chars = text.chars();
            chars.next().filter(|c| chars.next().is_none() && !c.is_control())
        };
        if let Some(letter) =
            text.get(..5).filter(|p| p.eq_ignore_ascii_case("ctrl+")).and_then(|_| one(&text[5..]))
        {
            return Ok(Self::Ctrl(letter.to_ascii_lowercase()));
        }
        one(text).map(Self::Char).ok_or_else(|| NotAKey(text.to_owned()))
    }
}
