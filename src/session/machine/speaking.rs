//! Audio turns (§ WebSocket and WebRTC, R5): opened, then committed or cancelled. The sound itself travels beside the
//! session, and whoever drives both stops the microphone before either end.

use std::time::Duration;

use super::Session;
use crate::protocol::{ClientMessage, rules};
use crate::session::gate;
use crate::session::output::{Output, Refusal, RefusalKind};
use crate::session::view::{AudioTurn, Latency, RunState};

impl Session {
    /// Opens an audio turn. One is open at a time, and none is opened into an active run (R14).
    pub(super) fn open_audio(&mut self, now: Duration) -> Result<(), Refusal> {
        gate::live(self.phase)?;
        if !self.terms.explicit_turns {
            return Err(Refusal::by(
                &rules::AUDIO_EXPLICIT,
                "not sent: this agent does not support explicit audio turns",
            ));
        }
        if self.audio.is_some() {
            return Err(Refusal::by(&rules::AUDIO_ONE_OPEN, "not sent: an audio turn is already open"));
        }
        if self.judge.run.is_active() {
            return Err(Refusal::by(
                &rules::TURN_ONE_RUN,
                "not sent: the agent is still answering; wait for its end, or cancel the response",
            ));
        }
        let turn = self.next_turn()?;
        self.last_turn = turn.0;
        self.audio = Some(AudioTurn { turn, since: now });
        self.send(ClientMessage::AudioTurnStart { turn: turn.0 });
        Ok(())
    }

    /// Commits the open audio turn: from now on the agent answers it. `asked` is when the user wanted that.
    pub(super) fn commit_audio(&mut self, now: Duration, asked: Duration) -> Result<(), Refusal> {
        let AudioTurn { turn, .. } = self.take_audio("commit")?;
        // A run that the agent began by itself meanwhile can only be taken for the answer: two cannot be told apart.
        let started = matches!(self.judge.run, RunState::Running { .. }).then_some(now);
        self.judge.run = match started {
            Some(_) => RunState::Running { turn: Some(turn) },
            None => RunState::InFlight { turn },
        };
        self.judge.latency =
            Some(Latency { turn, asked, sent: now, started, first_text: None, completed: None });
        self.send(ClientMessage::AudioTurnCommit { turn: turn.0 });
        Ok(())
    }

    /// Cancels the open audio turn: it never was. A turn that waited for it is sent.
    pub(super) fn cancel_audio(&mut self, now: Duration) -> Result<(), Refusal> {
        let AudioTurn { turn, .. } = self.take_audio("cancel")?;
        self.send(ClientMessage::AudioTurnCancel { turn: turn.0 });
        self.outputs.push_back(Output::TurnOver(turn));
        if !self.judge.run.is_active() {
            self.send_held(now);
        }
        Ok(())
    }

    fn take_audio(&mut self, what: &str) -> Result<AudioTurn, Refusal> {
        gate::live(self.phase)?;
        self.audio.take().ok_or_else(|| {
            Refusal::of(RefusalKind::Nothing, format!("no audio turn is open that one could {what}"))
        })
    }
}
