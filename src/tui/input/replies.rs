//! Replies of the terminal itself (colours, names, graphics), which must not become typing.
//!
//! A reply is `ESC ]`, `ESC P`, `ESC _`, `ESC ^` or `ESC X`, printable characters, then BEL or `ESC \`. The
//! terminal library knows none of them: it reports `Alt+]`, then every character as a key. [`Replies`] sees each
//! event before anybody else and drops such a run. Pure: the time comes in.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// A reply comes at once; after this long without more of it, what comes is typing.
const QUIET: Duration = Duration::from_millis(200);
/// Nothing is dropped for longer than this, so that fast typing after a real `Alt+]` gets through.
const LONGEST: Duration = Duration::from_secs(1);

/// What stands between the keys that arrive and the keys that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replies {
    /// No reply is under way.
    #[default]
    None,
    /// Inside a reply.
    Inside {
        /// When it began.
        since: Duration,
        /// When the last of it came.
        last: Duration,
    },
    /// Inside a reply, after an Esc that was cut off from its `\`.
    Ending {
        /// When it began.
        since: Duration,
        /// When the Esc came.
        last: Duration,
    },
}

impl Replies {
    /// Whether this event counts: `false` for a part of a reply. `now` never steps back.
    pub fn counts(&mut self, event: &Event, now: Duration) -> bool {
        let Event::Key(key) = event else {
            if matches!(event, Event::Paste(_)) {
                *self = Self::None;
            }
            return true;
        };
        if let Some((since, last)) = self.times()
            && now.saturating_sub(last) <= QUIET
            && now.saturating_sub(since) <= LONGEST
        {
            return self.within(key, since, now);
        }
        let begins = introduces(key);
        *self = if begins { Self::Inside { since: now, last: now } } else { Self::None };
        !begins
    }

    const fn times(self) -> Option<(Duration, Duration)> {
        match self {
            Self::None => None,
            Self::Inside { since, last } | Self::Ending { since, last } => Some((since, last)),
        }
    }

    fn within(&mut self, key: &KeyEvent, since: Duration, now: Duration) -> bool {
        let cut = matches!(self, Self::Ending { .. });
        let (next, counts) = match key.code {
            KeyCode::Char('g') if key.modifiers == KeyModifiers::CONTROL => (Self::None, false),
            KeyCode::Char('\\') if cut || key.modifiers == KeyModifiers::ALT => (Self::None, false),
            _ if introduces(key) => (Self::Inside { since: now, last: now }, false),
            KeyCode::Esc if !cut => (Self::Ending { since, last: now }, false),
            KeyCode::Char(_) if !cut && (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                (Self::Inside { since, last: now }, false)
            }
            // No reply holds such a key: somebody types.
            _ => (Self::None, true),
        };
        *self = next;
        counts
    }
}

fn introduces(key: &KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::ALT)
        && !key.modifiers.contains(KeyModifiers::CONTROL)
        && matches!(key.code, KeyCode::Char(']' | 'P' | '_' | '^' | 'X'))
}
