//! One line of input, or a few: what is typed, and the keys that edit it.

use tui_input::{Input, InputRequest};

use crate::command::Key;

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

    /// A pasted text: line ends become new lines, other control characters are left out.
    pub fn paste(&mut self, text: &str) {
        for c in text.replace("\r\n", "\n").replace('\r', "\n").chars() {
            if c == '\n' || c == '\t' || !c.is_control() {
                self.input.handle(InputRequest::InsertChar(c));
            }
        }
    }

    /// An editing key; `false` when it is none.
    pub fn key(&mut self, key: Key) -> bool {
        let request = match key {
            Key::Char(c) => InputRequest::InsertChar(c),
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
