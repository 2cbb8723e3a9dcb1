//! One line of input, or a few: what is typed, and the keys that edit it.

use tui_input::{Input, InputRequest};

use crate::command::Key;

/// Most characters that are typed or pasted; a turn holds fewer, and refusing it loses nothing.
const MOST: usize = 32 * 1024;

/// A text being typed. It never sends by itself.
#[derive(Clone, Debug, Default)]
pub struct Editor {
    input: Input,
}

impl Editor {
    /// An editor with this text, the cursor behind it.
    pub fn with(text: &str) -> Self {
        Self { input: Input::new(text.to_owned()) }
    }

    /// What is typed.
    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// Where the cursor is, in characters.
    pub fn cursor(&self) -> usize {
        self.input.cursor()
    }

    /// Takes the text and begins anew.
    pub fn take(&mut self) -> String {
        self.input.value_and_reset()
    }

    /// A pasted text: line ends become new lines, other control characters are left out. Says how many characters
    /// found no room.
    pub fn paste(&mut self, text: &str) -> usize {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let kept = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
        let room = MOST.saturating_sub(self.text().chars().count());
        let at = self.byte(self.cursor());
        let fits: String = text.chars().filter(kept).take(room).collect();
        let cursor = self.cursor() + fits.chars().count();
        let (before, behind) = self.text().split_at(at);
        self.input = Input::new(format!("{before}{fits}{behind}")).with_cursor(cursor);
        text.chars().filter(kept).count().saturating_sub(room)
    }

    /// Where the character of this number begins.
    fn byte(&self, character: usize) -> usize {
        self.text().char_indices().nth(character).map_or(self.text().len(), |(at, _)| at)
    }

    /// An editing key; `false` when it is none.
    pub fn key(&mut self, key: Key) -> bool {
        let request = match key {
            Key::Char(c) if self.text().chars().count() < MOST => InputRequest::InsertChar(c),
            Key::Char(_) => return true,
            Key::Backspace | Key::Ctrl('h') => InputRequest::DeletePrevChar,
            Key::Delete => InputRequest::DeleteNextChar,
            Key::Left | Key::Ctrl('b') => InputRequest::GoToPrevChar,
            Key::Right | Key::Ctrl('f') => InputRequest::GoToNextChar,
            Key::Home | Key::Ctrl('a') => InputRequest::GoToStart,
            Key::End | Key::Ctrl('e') => InputRequest::GoToEnd,
            Key::Ctrl('w') => InputRequest::DeletePrevWord,
            Key::Ctrl('u') => InputRequest::DeleteFromStart,
            Key::Ctrl('k') => InputRequest::DeleteTillEnd,
            _ => return false,
        };
        self.input.handle(request);
        true
    }
}
