//! Keys: what they mean here, and what they change.

use std::time::Duration;

use super::edit::Editor;
use super::message::{Effect, Message};
use super::model::{Mode, Model, Pane, Status, Tone};
use super::palette::Palette;
use crate::client::Request;
use crate::command::registry::{CONFIRM_OBJECT, TEACH_OBJECT};
use crate::command::{Act, Context, Key, View};
use crate::safe_text::SafeText;

/// How long a status line stays.
const STATUS_STAYS: Duration = Duration::from_secs(12);
/// Lines of a page.
const PAGE: isize = 10;

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
        self.status = Some(Status { text: SafeText::line(text), hint: None, tone: Tone::Note, at: self.now });
    }

    pub(super) fn trouble(&mut self, text: &str) {
        self.status =
            Some(Status { text: SafeText::line(text), hint: None, tone: Tone::Trouble, at: self.now });
    }

    /// A pasted text goes into what is typed; pasting into the panes begins a message. It never sends.
    fn pasted(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Teaching(editor)
            | Mode::Passport(editor)
            | Mode::Filtering(editor)
            | Mode::Picker(editor, _) => {
                editor.paste(text.trim_end_matches(['\r', '\n']));
            }
            Mode::Palette(palette) => palette.editor.paste(text),
            Mode::Panes | Mode::Typing => {
                self.mode = Mode::Typing;
                self.draft.paste(text);
            }
            Mode::Confirming | Mode::Help(_) | Mode::Quitting => {}
        }
    }

    fn key_pressed(&mut self, key: Key) -> Vec<Effect> {
        if key == Key::Ctrl('c') {
            return self.quit(true);
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
            Mode::Teaching(editor) | Mode::Passport(editor) | Mode::Filtering(editor) => editor.key(key),
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

    /// `y` and `n` answer the question whether to quit.
    fn answer_question(&mut self, key: Key) -> Vec<Effect> {
        match (&self.mode, key) {
            (Mode::Quitting, Key::Char('y' | 'q')) => self.quit(true),
            (Mode::Quitting, Key::Char('n')) => self.leave(),
            _ => Vec::new(),
        }
    }

    /// Carries out a command.
    pub(super) fn act(&mut self, act: &Act) -> Vec<Effect> {
        match act {
            Act::Ask(request) => {
                self.status = None;
                vec![Effect::Ask(request.clone())]
            }
            Act::View(view) => self.view(*view),
        }
    }

    fn view(&mut self, view: View) -> Vec<Effect> {
        match view {
            View::NextPane => self.turn_pane(1),
            View::PreviousPane => self.turn_pane(Pane::ALL.len() - 1),
            View::Pane(number) => self.pane = Pane::ALL[usize::from(number.clamp(1, 4)) - 1],
            View::Help => self.mode = Mode::Help(0),
            View::Palette => self.mode = Mode::Palette(Palette::default()),
            View::Quit => return self.quit(false),
            View::Type => self.mode = Mode::Typing,
            View::Teach => self.teach(),
            View::Confirm => self.confirm(),
            View::Picker => self.mode = Mode::Picker(Editor::default(), 0),
            View::Passport => self.mode = Mode::Passport(Editor::default()),
            View::Up => self.step(-1),
            View::Down => self.step(1),
            View::PageUp => self.step(-PAGE),
            View::PageDown => self.step(PAGE),
            View::First => self.end(false),
            View::Last => self.end(true),
            View::Follow => self.events.toggle_follow(),
            View::Filter => self.mode = Mode::Filtering(Editor::with(self.events.filter())),
            View::Copy => return self.copy(),
            View::Inspect => self.pane = Pane::Inspect,
            View::Accept => return self.accept(),
            View::Leave => return self.leave(),
            View::NewLine => {
                if matches!(self.mode, Mode::Typing) {
                    self.draft.paste("\n");
                }
            }
            View::Suspend => return vec![Effect::Suspend],
        }
        Vec::new()
    }

    fn turn_pane(&mut self, by: usize) {
        let at = Pane::ALL.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = Pane::ALL[(at + by) % Pane::ALL.len()];
    }

    fn teach(&mut self) {
        if self.session.focus.is_none() {
            self.trouble("there is no object in focus to teach; scan one first");
        } else {
            self.mode = Mode::Teaching(Editor::default());
        }
    }

    fn confirm(&mut self) {
        if self.session.proposal.is_none() {
            self.trouble("there is no proposal to confirm; teach the object in focus first");
        } else {
            self.mode = Mode::Confirming;
        }
    }

    fn copy(&mut self) -> Vec<Effect> {
        let Some(row) = self.events.selected() else {
            self.trouble("no frame is selected");
            return Vec::new();
        };
        match &row.record.value {
            Some(value) => vec![Effect::Copy(value.to_string())],
            None => {
                self.trouble("this frame is no JSON and was not kept");
                Vec::new()
            }
        }
    }

    /// Up and down: in the list that is open, else in the pane that has the focus.
    fn step(&mut self, by: isize) {
        match &mut self.mode {
            Mode::Help(scrolled) => *scrolled = scrolled.saturating_add_signed(by),
            Mode::Palette(palette) => {
                let most = palette.found().len().saturating_sub(1);
                palette.chosen = palette.chosen.saturating_add_signed(by).min(most);
            }
            Mode::Picker(editor, chosen) => {
                let typed = editor.text().to_lowercase();
                let fits = |tag: &&super::model::TagChoice| tag.name.as_str().to_lowercase().contains(&typed);
                let most = self.options.tags.iter().filter(fits).count().saturating_sub(1);
                *chosen = chosen.saturating_add_signed(by).min(most);
            }
            _ => match self.pane {
                Pane::Talk => self.scrolled = self.scrolled.saturating_add_signed(-by),
                Pane::Events => {
                    self.events.step(by);
                    self.inspected = 0;
                }
                Pane::Inspect => self.inspected = self.inspected.saturating_add_signed(by),
                Pane::Physical => {}
            },
        }
    }

    fn end(&mut self, last: bool) {
        match (self.pane, last) {
            (Pane::Talk, true) => self.scrolled = 0,
            (Pane::Talk, false) => self.scrolled = usize::MAX / 2,
            (Pane::Inspect, true) => self.inspected = usize::MAX / 2,
            (Pane::Inspect, false) => self.inspected = 0,
            (_, true) => self.events.last(),
            (_, false) => self.events.first(),
        }
    }

    /// Enter in a field or a list.
    fn accept(&mut self) -> Vec<Effect> {
        self.status = None;
        match std::mem::take(&mut self.mode) {
            Mode::Typing if self.draft.text().trim().is_empty() => self.mode = Mode::Typing,
            Mode::Typing => return self.send_draft(),
            Mode::Teaching(editor) => {
                let label = editor.text().trim();
                if !label.is_empty() {
                    return vec![Effect::Ask(Request::Say(format!("{TEACH_OBJECT}{label}")))];
                }
            }
            Mode::Passport(editor) if !editor.text().trim().is_empty() => {
                return vec![Effect::Ask(Request::AttachPassport(editor.text().trim().to_owned()))];
            }
            Mode::Filtering(editor) => {
                self.events.set_filter(editor.text());
                self.pane = Pane::Events;
            }
            Mode::Confirming => return vec![Effect::Ask(Request::Say(CONFIRM_OBJECT.to_owned()))],
            Mode::Palette(palette) => {
                if let Some(command) = palette.choice() {
                    return self.act(&command.act());
                }
            }
            Mode::Picker(editor, chosen) => return self.place(&editor, chosen),
            Mode::Quitting => return self.quit(true),
            Mode::Passport(_) | Mode::Help(_) | Mode::Panes => {}
        }
        Vec::new()
    }

    /// A sent message leaves the field open: the next one is usually typed at once.
    fn send_draft(&mut self) -> Vec<Effect> {
        self.mode = Mode::Typing;
        self.scrolled = 0;
        if self.link != super::facts::Link::Live {
            self.trouble("not sent: there is no live session; your text is kept");
            return Vec::new();
        }
        if self.session.held.is_some() {
            self.trouble("not sent: a turn is already queued for the active run; your text is kept");
            return Vec::new();
        }
        vec![Effect::Ask(Request::Say(self.draft.take()))]
    }

    /// Places the chosen tag, or what was typed if that is a path or an id.
    fn place(&mut self, editor: &Editor, chosen: usize) -> Vec<Effect> {
        let typed = editor.text().trim();
        let is_spec = typed.contains(['/', '\\']) || typed.to_lowercase().starts_with("uid=");
        let spec = match self.picked(typed).get(chosen) {
            Some(tag) if !is_spec => tag.spec.clone(),
            _ if typed.is_empty() => return Vec::new(),
            _ => typed.to_owned(),
        };
        vec![Effect::Ask(Request::PlaceTag(spec))]
    }

    /// Esc: closes what is open, else drops the queued turn, else the filter, else the status line.
    fn leave(&mut self) -> Vec<Effect> {
        if !matches!(self.mode, Mode::Panes) {
            self.mode = Mode::Panes;
        } else if self.session.held.is_some() {
            return vec![Effect::Ask(Request::DropHeld)];
        } else if !self.events.filter().is_empty() {
            self.events.set_filter("");
        } else {
            self.status = None;
        }
        Vec::new()
    }

    /// Quits; asks first while a run is active, unless the user insists.
    fn quit(&mut self, insist: bool) -> Vec<Effect> {
        if self.ending {
            return vec![Effect::Exit];
        }
        if !insist && self.session.run.is_active() {
            self.mode = Mode::Quitting;
            return Vec::new();
        }
        self.mode = Mode::Panes;
        self.ending = true;
        vec![Effect::Ask(Request::Quit)]
    }
}
