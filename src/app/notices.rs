//! What the engine tells becomes part of the model.

use std::sync::Arc;

use super::conversation::Answer;
use super::edit::Editor;
use super::facts::{ActivityFacts, CardFacts, Link, PhysicalFacts, SectionFacts, SessionFacts};
use super::message::Effect;
use super::model::{Mode, Model, Pane, Status, Tone};
use crate::client::Notice;
use crate::client::devices::{DeviceEvent, DeviceReport, Did};
use crate::client::notice::{Connection, Line, LineKind, PhysicalView};
use crate::device::nfc::Happened;
use crate::protocol::rules;
use crate::safe_text::SafeText;
use crate::session::{Phase, RunState, SessionView};
use crate::trace::record::{Body, Record};

impl Model {
    pub(super) fn hear(&mut self, notice: Notice) -> Vec<Effect> {
        match notice {
            Notice::Connection(connection) => self.connection(connection),
            Notice::Card(card) => {
                self.card = Some(CardFacts {
                    agent: SafeText::line(&card.agent).cut(60),
                    endpoint: SafeText::line(&card.endpoint).cut(80),
                    lines: card.explanation.iter().map(|line| SafeText::line(line)).collect(),
                    findings: card.notes.len(),
                });
                // That an agent lists no A2A interfaces is what the profile asks for (R28): no news for a person.
                let news = card.notes.iter().filter(|f| f.rule.id != rules::CARD_INTERFACES_EMPTY.id);
                for finding in news {
                    self.conversation.note(SafeText::line(&format!("card: {finding}")));
                }
            }
            Notice::Frame(record) => self.frame(&record),
            Notice::Session(view) => self.session_changed(&view),
            Notice::Physical(view) => self.physical_changed(&view),
            Notice::Preview(preview) => self.preview = self.is_aiming().then(|| Arc::clone(&preview)),
            Notice::Refused(line) => {
                self.say(&line, Tone::Trouble);
                self.open_again();
                self.give_back();
            }
            Notice::Failed(line) => {
                self.say(&line, Tone::Trouble);
                self.open_again();
            }
            Notice::Info(line) => {
                self.say(&line, Tone::Note);
                self.asked = None;
            }
            Notice::Device(event) => self.device(&event),
            Notice::Devices(report) => self.devices_found(&report),
            Notice::Voice(view) => self.voice_changed(view.as_deref()),
            Notice::Levels(levels) => {
                self.now = self.now.max(levels.at);
                self.measured(|voice| voice.levels = Some(levels));
            }
            Notice::Media(stats) => self.measured(|voice| voice.stats = Some(stats)),
            Notice::Spoken(spoken) => self.measured(|voice| voice.spoken = Some(spoken)),
            Notice::Speaking(is_on) => self.speaking = is_on,
            Notice::Finding { finding, .. } => self.conversation.note(SafeText::line(&finding.to_string())),
            Notice::Stopped => return vec![Effect::Exit],
        }
        Vec::new()
    }

    fn frame(&mut self, record: &Arc<Record>) {
        self.now = self.now.max(record.at);
        if matches!(record.body, Body::Say { .. }) {
            self.unsent = None;
        }
        let cancelling = matches!(self.session.run, RunState::Cancelling { .. });
        self.conversation.hear(record, cancelling);
        self.conversation.hear_broken(record);
        let selected = self.events.selected().map(|row| row.number);
        self.events.push(record);
        if self.events.selected().map(|row| row.number) != selected {
            self.inspected = 0;
        }
    }

    /// What happened at a device stands between the frames. What changes what can be used is said, unless the armed pane
    /// says it already.
    fn device(&mut self, event: &Arc<DeviceEvent>) {
        self.now = self.now.max(event.at);
        let selected = self.events.selected().map(|row| row.number);
        self.events.push_device(event);
        if self.events.selected().map(|row| row.number) != selected {
            self.inspected = 0;
        }
        let is_news = match &event.did {
            Did::Appeared | Did::Gone => true,
            Did::Reader(Happened::Trouble(_)) => event.times == 1,
            Did::Reader(Happened::Recovered(_)) => true,
            Did::Reader(_) | Did::Camera(_) => false,
        };
        if is_news && self.physical.activity.armed().is_none() {
            let tone = if event.is_trouble() { Tone::Trouble } else { Tone::Note };
            self.tell(tone, &event.to_string(), event.hint().as_deref());
        }
    }

    /// A list that nobody looks at any more comes to nothing.
    fn devices_found(&mut self, report: &DeviceReport) {
        if matches!(self.mode, Mode::Devices(_)) {
            self.devices = report.sections.iter().map(SectionFacts::from).collect();
        }
    }

    fn session_changed(&mut self, view: &SessionView) {
        let before = self.session.phase;
        self.session = SessionFacts::from(view);
        if before == Phase::Live && self.session.phase != Phase::Live {
            self.conversation.close(Answer::Broken);
        }
        // What Enter would confirm is what the person has read, or nothing.
        if let Mode::Confirming(object, label) = &self.mode {
            let still = self.session.proposal.as_ref().is_some_and(|p| (&p.0, &p.1) == (object, label));
            if !still {
                self.mode = Mode::Panes;
                self.trouble("the proposal is no longer the one that was shown; nothing was confirmed");
            }
        }
    }

    fn physical_changed(&mut self, view: &PhysicalView) {
        let was_idle = self.physical.activity == ActivityFacts::Idle;
        self.physical = PhysicalFacts::from(view);
        let is_idle = self.physical.activity == ActivityFacts::Idle;
        if !self.is_aiming() {
            self.preview = None;
        }
        if was_idle != is_idle {
            self.reviewed = 0;
        }
        // On a narrow screen what is armed or reviewed comes to the front, and goes back when it is over.
        if was_idle && !is_idle && self.is_narrow() {
            self.back_to = Some(std::mem::replace(&mut self.pane, Pane::Physical));
        }
        if !was_idle
            && is_idle
            && let Some(pane) = self.back_to.take()
            && self.pane == Pane::Physical
        {
            // Whoever began on this pane wants to see what is answered to what was sent.
            let sent = self.physical.last.as_ref().is_some_and(|(_, at)| *at == self.now);
            self.pane = if sent && pane == Pane::Physical { Pane::Talk } else { pane };
        }
    }

    /// A path that was refused is typed on where it was typed, unless something else is open by now.
    fn open_again(&mut self) {
        if let Some(field) = self.asked.take()
            && matches!(self.mode, Mode::Panes)
        {
            self.mode = field;
        }
    }

    /// A message that was refused goes back to where it was typed, unless something else is being typed there.
    fn give_back(&mut self) {
        if self.session.held.is_none()
            && self.draft.text().is_empty()
            && let Some(text) = self.unsent.take()
        {
            self.draft = Editor::with(&text);
        }
    }

    fn connection(&mut self, connection: Connection) {
        self.link = match connection {
            Connection::Idle => Link::Idle,
            Connection::Fetching(_) => Link::Busy("fetching the card"),
            Connection::Dialling(_) => Link::Busy("dialling"),
            Connection::Starting => Link::Busy("starting the session"),
            Connection::Live => Link::Live,
            Connection::Over(line) => {
                let (text, hint) = (SafeText::line(&line.text), line.hint.as_deref().map(SafeText::line));
                self.conversation.close(Answer::Broken);
                if line.kind == LineKind::Info {
                    self.conversation.note(text.clone());
                } else {
                    self.conversation.trouble(text.clone(), hint.clone());
                }
                Link::Over(text, hint)
            }
        };
    }

    fn say(&mut self, line: &Line, tone: Tone) {
        self.now = self.now.max(line.at);
        let hint = line.hint.as_deref().map(SafeText::line);
        self.status = Some(Status { text: SafeText::line(&line.text), hint, tone, at: line.at });
    }
}
