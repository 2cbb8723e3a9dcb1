//! What the engine tells becomes part of the model.

use std::sync::Arc;

use super::facts::{CardFacts, Link, PhysicalFacts, SessionFacts};
use super::message::Effect;
use super::model::{Mode, Model, Status, Tone};
use crate::client::Notice;
use crate::client::notice::{Connection, Line};
use crate::safe_text::SafeText;
use crate::session::Phase;

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
                for finding in &card.notes {
                    self.conversation.note(SafeText::line(&format!("card: {finding}")));
                }
            }
            Notice::Frame(record) => {
                self.now = self.now.max(record.at);
                self.conversation.hear(&record);
                self.events.push(&record);
                if self.events.is_following() {
                    self.inspected = 0;
                }
            }
            Notice::Session(view) => {
                let before = self.session.phase;
                self.session = SessionFacts::from(&*view);
                if before == Phase::Live && self.session.phase != Phase::Live {
                    self.conversation.close();
                }
                if matches!(self.mode, Mode::Confirming) && self.session.proposal.is_none() {
                    self.mode = Mode::Panes;
                }
            }
            Notice::Physical(view) => {
                self.physical = PhysicalFacts::from(&*view);
                if !self.is_aiming() {
                    self.preview = None;
                }
            }
            Notice::Preview(preview) => self.preview = self.is_aiming().then(|| Arc::clone(&preview)),
            Notice::Refused(line) | Notice::Failed(line) => self.say(&line, Tone::Trouble),
            Notice::Info(line) => self.say(&line, Tone::Note),
            Notice::Finding { finding, .. } => self.conversation.note(SafeText::line(&finding.to_string())),
            Notice::Stopped => return vec![Effect::Exit],
        }
        Vec::new()
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
                self.conversation.close();
                self.conversation.note(text.clone());
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
