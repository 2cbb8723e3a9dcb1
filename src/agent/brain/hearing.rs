//! Audio turns (§ WebSocket and WebRTC, R5). The brain hears nothing: it says when to listen, and is told what was heard.

use std::time::Duration;

use crate::protocol::rules;

use super::conversation::Conversation;
use super::failure::{FailureCode, Refusal};
use super::outbox::{Outbox, Reply};
use super::words;

/// What a session's sound is good for, and the open turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hearing {
    /// The transport carries sound, and the client has declared explicit turns.
    is_negotiated: bool,
    /// The open audio turn.
    open: Option<u64>,
    /// A turn that was committed; what was heard of it is still to be told.
    committed: Option<u64>,
}

impl Hearing {
    pub(super) const fn new(is_negotiated: bool) -> Self {
        Self { is_negotiated, open: None, committed: None }
    }

    /// Whether other turns must wait.
    pub(super) const fn is_busy(self) -> bool {
        self.open.is_some() || self.committed.is_some()
    }
}

/// What the driver does with the sound that comes, and with what it has recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Begin to record.
    Start,
    /// Stop, and tell the brain at once what was heard: [`super::Brain::heard`].
    Stop,
    /// Stop, and forget what was recorded.
    Forget,
    /// Play what was recorded, then forget it.
    PlayBack,
}

/// What was heard in a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// How long it was, without what came after the bound of a recording.
    pub duration: Duration,
    /// Root mean square in dBFS.
    pub level_db: f32,
    /// Packets of sound.
    pub packets: u64,
}

impl Conversation {
    pub(super) fn open_audio(&mut self, turn: u64, out: &mut Outbox) -> Result<(), Refusal> {
        if !self.hearing.is_negotiated {
            return Err(Refusal::new(FailureCode::Unsupported));
        }
        if self.hearing.is_busy() {
            return Err(Refusal::by(&rules::AUDIO_ONE_OPEN, "/turn"));
        }
        self.check_turn(turn)?;
        self.last_turn = turn;
        self.hearing.open = Some(turn);
        out.reply(Reply::Listen(Listen::Start));
        Ok(())
    }

    pub(super) fn commit_audio(&mut self, turn: u64, out: &mut Outbox) -> Result<(), Refusal> {
        self.take_audio(turn)?;
        self.hearing.committed = Some(turn);
        out.reply(Reply::Listen(Listen::Stop));
        Ok(())
    }

    /// A cancelled turn leaves nothing.
    pub(super) fn cancel_audio(&mut self, turn: u64, out: &mut Outbox) -> Result<(), Refusal> {
        self.take_audio(turn)?;
        out.reply(Reply::Listen(Listen::Forget));
        Ok(())
    }

    fn take_audio(&mut self, turn: u64) -> Result<(), Refusal> {
        if self.hearing.open != Some(turn) {
            return Err(Refusal::by(&rules::AUDIO_ONE_OPEN, "/turn"));
        }
        self.hearing.open = None;
        Ok(())
    }

    /// Answers the committed turn.
    pub(super) fn heard(&mut self, now: Duration, heard: Heard, out: &mut Outbox) {
        if self.hearing.committed.take().is_none() {
            return;
        }
        let answer = words::heard(heard);
        self.start_run(now, &answer.into());
        if heard.packets > 0 {
            out.reply(Reply::Listen(Listen::PlayBack));
        }
    }

    /// The session ends, or everything is cancelled: nothing of a turn stays.
    pub(super) fn stop_listening(&mut self, out: &mut Outbox) {
        if self.hearing.is_busy() {
            (self.hearing.open, self.hearing.committed) = (None, None);
            out.reply(Reply::Listen(Listen::Forget));
        }
    }
}
