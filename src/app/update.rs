//! Messages, and which command a key means here.

use std::time::Duration;

use super::message::{Effect, Message};
use super::model::{Mode, Model, Question, Status, Tone};
use crate::client::Request;
use crate::command::{Context, Key};
use crate::safe_text::SafeText;

/// How long a status line stays.
const STATUS_STAYS: Duration = Duration::from_secs(12);

impl Model {
    /// Takes one message.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Key(key) => {
                let effects = self.key_pressed(key);
                return self.nothing_unseen(effects);
            }
            Message::Paste(text) => self.pasted(&text),
            Message::Focus(front) => return vec![Effect::Ask(Request::Foreground(front))],
            Message::Resized(columns, rows) => self.size = (columns, rows),
            Message::Notice(notice) => return self.hear_watching_reviews(notice),
            Message::Tick(now) => {
                self.now = self.now.max(now);
                if self.status.as_ref().is_some_and(|status| now > status.at + STATUS_STAYS) {
                    self.status = None;
                }
            }
            Message::Drawn(seen) => self.drawn(seen),
            Message::Copied(result) => self.copied(result),
        }
        Vec::new()
    }

    fn copied(&mut self, result: Result<usize, String>) {
        match result {
            Ok(bytes) => self.note(&format!("copied {bytes} bytes to the clipboard (OSC 52)")),
            Err(why) => self.trouble(&format!("not copied: {why}")),
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.tell(Tone::Note, text, None);
    }

    pub(super) fn trouble(&mut self, text: &str) {
        self.tell(Tone::Trouble, text, None);
    }

    /// Puts up the status line; the hint stands behind the text where there is room.
    pub(super) fn tell(&mut self, tone: Tone, text: &str, hint: Option<&str>) {
        let (text, hint) = (SafeText::line(text), hint.map(SafeText::line));
        self.status = Some(Status { text, hint, tone, at: self.now });
    }

    /// A pasted text goes into what is typed; pasting into the panes begins a message. It never sends.
    fn pasted(&mut self, text: &str) {
        let one_line = text.trim_end_matches(['\r', '\n']);
        let left_out = match &mut self.mode {
            Mode::Teaching(editor) | Mode::Passport(editor) => editor.paste(one_line),
            Mode::Filtering(filtering) => filtering.editor.paste(one_line),
            Mode::Picker(editor, chosen) => {
                *chosen = 0;
                editor.paste(one_line)
            }
            Mode::Palette(palette) => {
                palette.chosen = 0;
                palette.editor.paste(one_line)
            }
            Mode::Panes | Mode::Typing => {
                self.mode = Mode::Typing;
                self.draft.paste(text)
            }
            Mode::Confirming(..) | Mode::Help(_) | Mode::Devices(_) | Mode::Call(_) | Mode::Asking(_) => 0,
        };
        self.filter_typed();
        if left_out > 0 {
            self.trouble(&format!("{left_out} characters of the pasted text found no room"));
        }
    }

    fn key_pressed(&mut self, key: Key) -> Vec<Effect> {
        if key == Key::Ctrl('c') {
            return self.quit(true);
        }
        // What a key would do cannot be seen; only what leaves still counts.
        if self.is_too_small() && !matches!(key, Key::Esc | Key::Char('q') | Key::Ctrl('z')) {
            return Vec::new();
        }
        let context = self.context();
        let command = self.options.keymap.find(context, key);
        // In a field, and in a list with a field, characters are typed and mean nothing else.
        let typed = matches!(key, Key::Char(_)) && self.has_field();
        match command.filter(|_| !typed) {
            Some(command) => self.act(&command.act()),
            None if self.edit(key) => Vec::new(),
            None => self.answer_question(key),
        }
    }

    fn has_field(&self) -> bool {
        self.context() == Context::Typing || matches!(self.mode, Mode::Palette(_) | Mode::Picker(..))
    }

    fn edit(&mut self, key: Key) -> bool {
        match &mut self.mode {
            Mode::Typing => self.draft.key(key),
            Mode::Teaching(editor) | Mode::Passport(editor) => editor.key(key),
            Mode::Filtering(_) => self.filter_key(key),
            Mode::Picker(editor, chosen) => {
                *chosen = 0;
                editor.key(key)
            }
            Mode::Palette(palette) => {
                palette.chosen = 0;
                palette.editor.key(key)
            }
            _ => false,
        }
    }

    /// `y` and `n` answer a question; a key that means nothing here says so.
    fn answer_question(&mut self, key: Key) -> Vec<Effect> {
        match (&self.mode, key) {
            (Mode::Asking(question), Key::Char('y')) => {
                let question = *question;
                self.answered(question)
            }
            (Mode::Asking(Question::Quit), Key::Char('q')) => self.quit(true),
            (Mode::Asking(_), Key::Char('n')) => self.leave(),
            (Mode::Panes, Key::Char(_)) => {
                self.unbound(key);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn unbound(&mut self, key: Key) {
        let help = self.key("help");
        let elsewhere = Context::ALL.into_iter().find_map(|context| {
            let command = self.options.keymap.find(context, key)?;
            Some(format!("{key} ({}) counts {}; {help} lists every key", command.title, context.title()))
        });
        self.trouble(
            &elsewhere.unwrap_or_else(|| format!("{key} means nothing here; {help} lists every key")),
        );
    }
}
