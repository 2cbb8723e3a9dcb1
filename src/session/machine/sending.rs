//! The sending half: what the user asks goes through the gate.

use std::time::Duration;

use super::{CANCEL_PATIENCE, HeldTurn, Session};
use crate::protocol::{ClientMessage, rules};
use crate::session::input::{Answer, Ask, Draft};
use crate::session::output::{Output, Refusal, RefusalKind};
use crate::session::view::{Focus, Latency, PendingState, Phase, RunState};
use crate::session::{gate, teaching};
use crate::units::Turn;

impl Session {
    pub(super) fn ask(&mut self, now: Duration, ask: Ask) -> Result<(), Refusal> {
        match ask {
            Ask::Say(text) => self.hold_or(HeldTurn::Say(text), now),
            Ask::Show(draft) => self.hold_or(HeldTurn::Show(Box::new(draft)), now),
            Ask::Cancel => self.cancel(now),
            Ask::OpenAudio => self.open_audio(now),
            Ask::CommitAudio { asked } => self.commit_audio(now, asked),
            Ask::CancelAudio => self.cancel_audio(now),
            Ask::DropHeld => match self.held.take() {
                Some(_) => Ok(()),
                None => Err(Refusal::of(RefusalKind::Nothing, "no turn is held")),
            },
            Ask::End => self.end(),
            Ask::Deliberate(text) => {
                if !matches!(self.phase, Phase::Starting | Phase::Live) {
                    return gate::live(self.phase);
                }
                self.outputs.push_back(Output::SendDeliberate(text));
                Ok(())
            }
        }
    }

    /// Sends a turn now, or holds it until the active run has ended (R14).
    fn hold_or(&mut self, turn: HeldTurn, now: Duration) -> Result<(), Refusal> {
        gate::live(self.phase)?;
        match &turn {
            HeldTurn::Say(text) => self.check_text(text)?,
            HeldTurn::Show(draft) => {
                gate::draft(draft, self.next_turn()?.0, &self.terms, self.judge.pending.as_ref())?;
            }
        }
        if self.judge.run.is_active() || self.audio.is_some() {
            if self.held.is_some() {
                return Err(Refusal::of(
                    RefusalKind::AlreadyHeld,
                    "not sent: a turn is already waiting for the active one; drop it or cancel that",
                ));
            }
            self.held = Some((turn, now));
            return Ok(());
        }
        match turn {
            HeldTurn::Say(text) => self.say(now, now, &text),
            HeldTurn::Show(draft) => self.show(now, now, &draft),
        }
    }

    fn check_text(&self, text: &str) -> Result<(), Refusal> {
        gate::text(text)?;
        teaching::check(&teaching::read(text), self.focus.as_ref(), self.proposal.as_ref())
    }

    pub(super) fn say(&mut self, now: Duration, asked: Duration, text: &str) -> Result<(), Refusal> {
        self.check_text(text)?;
        let turn = self.next_turn()?;
        let message = gate::turn(turn.0, text, self.focus.as_ref(), &self.terms)?;
        self.begin_turn(turn, now, asked);
        let teaching = teaching::read(text);
        if matches!(teaching, teaching::Teaching::Propose(_)) {
            self.proposal_turn = Some(turn);
        }
        self.proposal = teaching::after(teaching, self.focus.as_ref(), self.proposal.take());
        self.send(ClientMessage::UserTurn(message));
        Ok(())
    }

    pub(super) fn show(&mut self, now: Duration, asked: Duration, draft: &Draft) -> Result<(), Refusal> {
        let turn = self.next_turn()?;
        let message = gate::draft(draft, turn.0, &self.terms, self.judge.pending.as_ref())?;
        self.begin_turn(turn, now, asked);
        if let Answer::To(_) = draft.answer
            && let Some(pending) = &mut self.judge.pending
        {
            pending.state = PendingState::Awaiting;
        }
        if let Some(object) = &draft.object {
            let (object_ref, carrier, assurance) =
                (object.object_ref.clone(), object.carrier, object.assurance);
            self.focus_on(turn, Focus { object_ref, carrier, assurance });
        }
        self.send(ClientMessage::UserObservation(message));
        Ok(())
    }

    /// Another object drops the proposal (§ Security, photos, and exact object lookup). The same object shown
    /// again keeps the turn that first brought it: a failure of the second does not undo the first.
    fn focus_on(&mut self, turn: Turn, focus: Focus) {
        if self.proposal.as_ref().is_some_and(|p| p.object_ref != focus.object_ref) {
            self.proposal = None;
        }
        if self.focus.as_ref().is_none_or(|f| f.object_ref != focus.object_ref) {
            self.focus_turn = Some(turn);
        }
        self.focus = Some(focus);
    }

    pub(super) fn next_turn(&self) -> Result<Turn, Refusal> {
        let next = self.last_turn.checked_add(1).map(Turn);
        next.ok_or_else(|| {
            Refusal::by(&rules::TURN_ORDER, "not sent: the turn counter is at its end; reconnect")
        })
    }

    fn begin_turn(&mut self, turn: Turn, now: Duration, asked: Duration) {
        self.last_turn = turn.0;
        self.judge.run = RunState::InFlight { turn };
        self.judge.latency =
            Some(Latency { turn, asked, sent: now, started: None, first_text: None, completed: None });
    }

    /// `response.cancel` cancels the active run and the pending collection or proposal. An open audio turn is what the
    /// user sees to be cancelled, and is cancelled first.
    fn cancel(&mut self, now: Duration) -> Result<(), Refusal> {
        gate::live(self.phase)?;
        if self.audio.is_some() {
            return self.cancel_audio(now);
        }
        let until = now + CANCEL_PATIENCE;
        self.judge.run = match self.judge.run {
            RunState::Idle if self.judge.pending.is_none() && self.proposal.is_none() => {
                return Err(Refusal::of(RefusalKind::Nothing, "nothing is running and nothing is pending"));
            }
            RunState::Cancelling { .. } => {
                return Err(Refusal::of(RefusalKind::Nothing, "the run is already being cancelled"));
            }
            RunState::Idle => RunState::Idle,
            RunState::InFlight { turn } => RunState::Cancelling { turn: Some(turn), started: false, until },
            RunState::Running { turn } => RunState::Cancelling { turn, started: true, until },
        };
        self.judge.cancel_pending();
        self.proposal = None;
        self.send(ClientMessage::ResponseCancel);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refusal> {
        if !matches!(self.phase, Phase::Starting | Phase::Live) {
            return gate::live(self.phase);
        }
        if let Some(audio) = self.audio {
            self.send(ClientMessage::AudioTurnCancel { turn: audio.turn.0 });
        }
        self.send(ClientMessage::SessionEnd);
        self.drop_everything();
        self.outputs.push_back(Output::Close);
        Ok(())
    }
}
