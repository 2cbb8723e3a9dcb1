//! What is typed, and the keys that edit it: graphemes and words by `tui-input`; lines, paste and bounds here.

use tui_input::{Input, InputRequest};

use crate::command::Key;

#[cfg(test)]
mod tests;

/// Most characters that are kept. A message may have 8,192 (R11): the gate says so, with nothing lost.
const MOST: usize = 32_768;

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

    /// A text at the cursor, in one step however long it is: line ends become new lines, other control
    /// characters and what is beyond [`MOST`] are left out.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let room = MOST.saturating_sub(self.text().chars().count());
        let kept: String =
            text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).take(room).collect();
        let (before, after) = self.text().split_at(self.byte());
        let whole = format!("{before}{kept}{after}");
        let cursor = self.cursor() + kept.chars().count();
        self.input = std::mem::take(&mut self.input).with_value(whole).with_cursor(cursor);
    }

    /// An editing key; `false` when it is none.
    pub fn key(&mut self, key: Key) -> bool {
        let request = match key {
            Key::Char(c) => {
                self.paste(c.encode_utf8(&mut [0; 4]));
                return true;
            }
            Key::Backspace | Key::Ctrl('h') => InputRequest::DeletePrevChar,
            Key::Delete | Key::Ctrl('d') => InputRequest::DeleteNextChar,
            Key::Left | Key::Ctrl('b') => InputRequest::GoToPrevChar,
            Key::Right | Key::Ctrl('f') => InputRequest::GoToNextChar,
            Key::Up => return self.vertical(true),
            Key::Down => return self.vertical(false),
            Key::Home | Key::Ctrl('a') => InputRequest::SetCursor(self.line_start()),
            Key::End | Key::Ctrl('e') => InputRequest::SetCursor(self.line_end()),
            Key::Ctrl('w') => InputRequest::DeletePrevWord,
            Key::Ctrl('u') => InputRequest::DeleteFromStart,
            Key::Ctrl('k') => InputRequest::DeleteTillEnd,
            _ => return false,
        };
        self.input.handle(request);
        true
    }

    /// Where the cursor is, in bytes.
    fn byte(&self) -> usize {
        self.text().char_indices().nth(self.cursor()).map_or(self.text().len(), |(at, _)| at)
    }

    fn line_start(&self) -> usize {
        let before = &self.text()[..self.byte()];
        before.rfind('\n').map_or(0, |at| before[..=at].chars().count())
    }

    fn line_end(&self) -> usize {
        let after = &self.text()[self.byte()..];
        self.cursor() + after.split('\n').next().unwrap_or_default().chars().count()
    }

    /// One line up or down, to the same character of that line or to its end.
    fn vertical(&mut self, up: bool) -> bool {
        let column = self.cursor() - self.line_start();
        let edge = if up { self.line_start().checked_sub(1) } else { Some(self.line_end() + 1) };
        let Some(edge) = edge.filter(|edge| *edge <= self.text().chars().count()) else { return true };
        self.input.handle(InputRequest::SetCursor(edge));
        let to = (self.line_start() + column).min(self.line_end());
        self.input.handle(InputRequest::SetCursor(to));
        true
    }
}
