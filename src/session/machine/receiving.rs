//! The receiving half: every frame goes to the judge, and what it did to the session is carried out.

use std::time::Duration;

use super::Session;
use crate::protocol::frame::RawFrame;
use crate::protocol::server::Undecodable;
use crate::protocol::{Content, Decoded, Envelope, Event, Finding, rules};
use crate::session::judge::Effect;
use crate::session::output::{Judged, Output};
use crate::session::view::Phase;
use crate::units::Bytes;

impl Session {
    pub(super) fn receive(&mut self, now: Duration, frame: RawFrame) {
        let (judged, effect) = match frame {
            RawFrame::Text(text) => self.judge_text(now, text),
            RawFrame::Binary { bytes } => {
                let detail =
                    format!("expected text, came {} binary bytes; they were discarded", Bytes(bytes));
                (unread(bytes, Finding::new(&rules::FRAME_BINARY, detail)), Effect::default())
            }
            RawFrame::Oversized { bytes } => {
                let detail = format!("it has {} bytes; it was discarded unparsed", Bytes(bytes));
                (unread(bytes, Finding::new(&rules::FRAME_SIZE, detail)), Effect::default())
            }
        };
        let acked = judged.sequence.filter(|_| judged.acted && self.terms.acks);
        self.outputs.push_back(Output::Judged(judged));
        self.apply(now, effect);
        if acked.is_some() {
            self.ack_due = acked;
            self.tick(now);
        }
    }

    fn judge_text(&mut self, now: Duration, text: String) -> (Judged, Effect) {
        let bytes = text.len();
        match Envelope::decode(text, &self.terms.dialect) {
            Err(Undecodable { finding, sequence, value }) => {
                let mut findings = vec![finding];
                // Its number is spent, so that the next envelope is not taken for a gap.
                if let Some(sequence) = sequence.filter(|_| self.listens())
                    && let Err(step_back) = self.judge.sequence(sequence, &mut findings)
                {
                    findings.push(step_back);
                }
                let value = value.map(Content::from);
                (Judged { sequence, value, event: None, bytes, acted: false, findings }, Effect::default())
            }
            Ok(Decoded { message, value, mut findings }) => {
                let verdict = self.judge_envelope(now, &message, &mut findings);
                let Envelope { sequence, event } = message;
                let acted = verdict.is_some() && !matches!(event, Event::Unknown { .. });
                let (sequence, value, event) = (Some(sequence), Some(value), Some(event));
                let judged = Judged { sequence, value, event, bytes, acted, findings };
                (judged, verdict.unwrap_or_default())
            }
        }
    }

    /// `None` when the envelope is not acted on. The violation, if there is one, comes first in `findings`.
    fn judge_envelope(
        &mut self,
        now: Duration,
        envelope: &Envelope,
        findings: &mut Vec<Finding>,
    ) -> Option<Effect> {
        if !self.listens() {
            return None;
        }
        let Envelope { sequence, event } = envelope;
        let verdict = self
            .judge
            .sequence(*sequence, findings)
            .and_then(|()| self.judge.event(now, self.phase, &self.terms, *sequence, event, findings));
        verdict.map_err(|violation| findings.insert(0, violation)).ok()
    }

    /// Before the start and after the end a frame is shown, and nothing is made of it.
    fn listens(&self) -> bool {
        matches!(self.phase, Phase::Starting | Phase::Live)
    }

    fn apply(&mut self, now: Duration, effect: Effect) {
        if effect.established {
            self.phase = Phase::Live;
        }
        if let Some(turn) = effect.run_over {
            self.run_over(now, turn, effect.failed);
        } else if effect.failed
            && let Some(audio) = self.audio.take()
        {
            // A failure without a run ends the turn in flight (R15), and that is the one that is open.
            self.run_over(now, Some(audio.turn), true);
        }
    }
}

/// A frame that was not even parsed.
fn unread(bytes: usize, finding: Finding) -> Judged {
    Judged { sequence: None, value: None, event: None, bytes, acted: false, findings: vec![finding] }
}
