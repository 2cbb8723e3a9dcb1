//! What a command changes here, and what it asks of the engine.

use super::edit::Editor;
use super::message::Effect;
use super::model::{Mode, Model, Pane, Question};
use super::palette::Palette;
use super::row::Source;
use crate::client::Request;
use crate::command::registry::{CONFIRM_OBJECT, TEACH_OBJECT};
use crate::command::{Act, View};
use crate::trace::output::DeviceRecord;

/// Lines of a page.
const PAGE: isize = 10;

impl Model {
    /// Carries out a command.
    pub(super) fn act(&mut self, act: &Act) -> Vec<Effect> {
        match act {
            Act::Ask(Request::DropHeld) => self.drop_held(),
            Act::Ask(request) => {
                if let Some(question) = self.question(request) {
                    self.mode = Mode::Asking(question);
                    return Vec::new();
                }
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
            View::Devices => {
                self.mode = Mode::Devices(0);
                return vec![Effect::Ask(Request::ListDevices)];
            }
            View::Call => self.mode = Mode::Call(0),
            View::LookAgain if matches!(self.mode, Mode::Devices(_)) => {
                return vec![Effect::Ask(Request::ListDevices)];
            }
            // From the palette, which is closed by now. In other lists the key means nothing.
            View::LookAgain if matches!(self.mode, Mode::Panes) => return self.view(View::Devices),
            View::LookAgain => {}
            View::Palette => self.mode = Mode::Palette(Palette::default()),
            View::Quit => return self.quit(false),
            View::Type => self.mode = Mode::Typing,
            View::Teach => self.teach(),
            View::Confirm => self.confirm(),
            View::Picker if self.physical.has_real_readers() => self
                .trouble("Tags are placed only on the simulated reader; choose it with --reader simulated"),
            View::Picker => self.mode = Mode::Picker(Editor::default(), 0),
            View::Passport => self.mode = Mode::Passport(Editor::default()),
            View::Up => self.step(-1),
            View::Down => self.step(1),
            View::PageUp => self.step(-PAGE),
            View::PageDown => self.step(PAGE),
            View::First => self.end(false),
            View::Last => self.end(true),
            View::Follow => self.events.toggle_follow(),
            View::Filter => self.begin_filter(),
            View::NextFinding => self.find_finding(true),
            View::PreviousFinding => self.find_finding(false),
            View::Related => self.relate(),
            View::Copy => return self.copy(),
            View::Inspect => {
                self.pane = Pane::Inspect;
                self.inspected = 0;
            }
            View::Fold => self.unfolded = !self.unfolded,
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
        match self.session.proposal.clone() {
            Some((object, label)) => self.mode = Mode::Confirming(object, label),
            None => self.trouble("there is no proposal to confirm; teach the object in focus first"),
        }
    }

    fn copy(&mut self) -> Vec<Effect> {
        let Some(row) = self.events.selected() else {
            self.trouble("no event is selected");
            return Vec::new();
        };
        let record = match &row.source {
            Source::Frame(record) => record,
            Source::Device(event) => {
                let text = serde_json::to_string(&DeviceRecord::from(&**event));
                return text.map(Effect::Copy).into_iter().collect();
            }
        };
        match &record.value {
            Some(value) => vec![Effect::Copy(value.to_string())],
            None => {
                self.trouble("this frame is no JSON and was not kept");
                Vec::new()
            }
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
                let path = editor.text().trim().to_owned();
                self.asked = Some(Mode::Passport(editor));
                return vec![Effect::Ask(Request::AttachPassport(path))];
            }
            Mode::Filtering(filtering) => self.keep_filter(filtering),
            Mode::Confirming(..) => return vec![Effect::Ask(Request::Say(CONFIRM_OBJECT.to_owned()))],
            Mode::Palette(palette) => {
                if let Some(command) = palette.choice() {
                    return self.act(&command.act());
                }
            }
            Mode::Picker(editor, chosen) => return self.place(&editor, chosen),
            // What forgets a session is answered with `y` alone: Enter ends whatever somebody thinks to be typing.
            Mode::Asking(question) => self.mode = Mode::Asking(question),
            Mode::Devices(_) => return self.end_devices(),
            Mode::Passport(_) | Mode::Help(_) | Mode::Call(_) | Mode::Panes => {}
        }
        Vec::new()
    }

    /// A sent message leaves the field open: the next one is usually typed at once.
    fn send_draft(&mut self) -> Vec<Effect> {
        self.mode = Mode::Typing;
        self.held_at = None;
        if self.link != super::facts::Link::Live {
            self.trouble("not sent: there is no live session; your text is kept");
            return Vec::new();
        }
        if self.session.held.is_some() {
            self.trouble("not sent: a turn is already queued for the active run; your text is kept");
            return Vec::new();
        }
        let text = self.draft.take();
        self.unsent = Some(text.clone());
        vec![Effect::Ask(Request::Say(text))]
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
        self.asked = Some(Mode::Picker(editor.clone(), chosen));
        vec![Effect::Ask(Request::PlaceTag(spec))]
    }

    /// Esc: closes what is open, else stops the speech, else drops the queued turn, else the filter, else the status line.
    pub(super) fn leave(&mut self) -> Vec<Effect> {
        if let Mode::Filtering(filtering) = &self.mode {
            let before = filtering.before.clone();
            self.mode = Mode::Panes;
            self.apply_filter(&before);
        } else if let Mode::Devices(_) = self.mode {
            self.mode = Mode::Panes;
            return self.end_devices();
        } else if !matches!(self.mode, Mode::Panes) {
            self.mode = Mode::Panes;
        } else if self.speaking {
            return vec![Effect::Ask(Request::StopSpeaking)];
        } else if self.session.held.is_some() {
            return self.drop_held();
        } else if !self.events.filter().is_empty() {
            self.events.clear_filter();
        } else {
            self.status = None;
        }
        Vec::new()
    }

    /// Nobody looks at the devices any more, so nobody need look for them.
    fn end_devices(&mut self) -> Vec<Effect> {
        self.devices.clear();
        vec![Effect::Ask(Request::EndDevices)]
    }

    /// The turn that waits is forgotten; that is said, since nothing else on the screen changes much.
    fn drop_held(&mut self) -> Vec<Effect> {
        self.unsent = None;
        if self.session.held.is_some() {
            self.note("the queued turn was dropped; it was not sent");
        }
        vec![Effect::Ask(Request::DropHeld)]
    }

    /// What would end a live session is asked about: a slip of a key must not forget what it was taught.
    fn question(&self, request: &Request) -> Option<Question> {
        let live = self.link == super::facts::Link::Live;
        match request {
            Request::Reconnect if live => Some(Question::Reconnect),
            Request::End if live => Some(Question::End),
            _ => None,
        }
    }

    /// The question was answered with yes.
    pub(super) fn answered(&mut self, question: Question) -> Vec<Effect> {
        self.mode = Mode::Panes;
        match question {
            Question::Quit => self.quit(true),
            Question::Reconnect => vec![Effect::Ask(Request::Reconnect)],
            Question::End => vec![Effect::Ask(Request::End)],
        }
    }

    /// Quits; asks first while a run is active, unless the user insists.
    pub(super) fn quit(&mut self, insist: bool) -> Vec<Effect> {
        if self.ending {
            return vec![Effect::Exit];
        }
        if !insist && self.session.run.is_active() {
            self.mode = Mode::Asking(Question::Quit);
            return Vec::new();
        }
        self.mode = Mode::Panes;
        self.ending = true;
        vec![Effect::Ask(Request::Quit)]
    }
}
