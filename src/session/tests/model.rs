//! A simple model of the session, written apart from it: it reads the profile's rules off what goes in and
//! what comes out, and knows nothing of gate or judge.
//!
//! It is told everything in order, and complains in words as soon as a rule is broken.

use std::collections::HashSet;
use std::time::Duration;

use crate::protocol::{ClientMessage, Event, Modalities, Modality};
use crate::session::{Output, PendingState, SessionView, Terms};

/// What the model remembers.
#[derive(Debug, Default)]
pub struct Model {
    negotiated: Modalities,
    requestable: Modalities,
    acks: bool,
    started: bool,
    established: bool,
    over: bool,
    highest: u64,
    last_turn: u64,
    explicit_turns: bool,
    /// The open audio turn.
    audio: Option<u64>,
    /// It was cancelled, and the session has yet to say that it is over.
    cancelled: bool,
    /// A turn was sent and neither an end nor the patience of a cancel has come since.
    busy: bool,
    /// The request that can be answered, and whether an answer is under way.
    request: Option<(String, Modality, bool)>,
    answered: HashSet<String>,
    acted: HashSet<u64>,
    last_ack: Option<(u64, Duration)>,
}

type Verdict = Result<(), String>;

fn must(holds: bool, rule: impl Into<String>) -> Verdict {
    if holds { Ok(()) } else { Err(rule.into()) }
}

impl Model {
    pub fn new(terms: &Terms) -> Self {
        let both = terms.accepted.intersection(terms.offered);
        let negotiated = if terms.transport.is_some() { both } else { Modalities::NONE };
        let requestable = terms.agent_requests.intersection(negotiated);
        let (acks, explicit_turns) = (terms.acks, terms.explicit_turns);
        Self { negotiated, requestable, acks, explicit_turns, ..Self::default() }
    }

    /// The transport is gone, or the user has ended the session.
    pub fn closed(&mut self) {
        self.over = true;
        self.request = None;
        self.busy = false;
        self.audio = None;
    }

    /// One thing came out of the session at `now`.
    pub fn came_out(&mut self, now: Duration, output: &Output) -> Verdict {
        match output {
            Output::Send(message) => self.sent(now, message),
            Output::Judged(judged) if judged.acted => {
                let sequence = judged.sequence.map(|s| s.0).ok_or("acted on without a sequence")?;
                must(!judged.findings.iter().any(|f| f.is_must()), "a violation was acted on")?;
                must(self.acted.insert(sequence), "a sequence was acted on twice")?;
                self.received(sequence, judged.event.as_ref().ok_or("acted on without an event")?)
            }
            Output::TurnOver(turn) => {
                must(turn.0 == self.last_turn, "another turn than the last is over")?;
                // One that was open goes alone; what the agent runs by itself goes on.
                if self.audio.take().is_none() && !std::mem::take(&mut self.cancelled) {
                    self.busy = false;
                }
                Ok(())
            }
            Output::SendDeliberate(_) => must(!self.over, "sent past the gate after the end"),
            // R15: a cancelled run, of ours or not, is given up.
            Output::Noted(finding) if finding.rule.id == "RUN-4" => {
                self.busy = false;
                Ok(())
            }
            Output::Judged(_) | Output::Noted(_) | Output::HeldRefused(_) | Output::Close => Ok(()),
        }
    }

    fn sent(&mut self, now: Duration, message: &ClientMessage) -> Verdict {
        must(!self.over, format!("{} was sent after the end", message.kind()))?;
        if let ClientMessage::SessionStart(_) = message {
            must(!self.started, "session.start was sent twice")?;
            self.started = true;
            return Ok(());
        }
        must(self.started, "session.start was not the first message")?;
        match message {
            ClientMessage::AudioTurnCommit { turn } => {
                must(self.audio.take() == Some(*turn), "an audio turn was committed that is not open")?;
                self.busy = true;
                return Ok(());
            }
            ClientMessage::AudioTurnCancel { turn } => {
                must(self.audio.take() == Some(*turn), "an audio turn was cancelled that is not open")?;
                self.cancelled = true;
                return Ok(());
            }
            _ => must(
                self.audio.is_none() || message.turn().is_none(),
                "a turn was sent into an open audio turn",
            )?,
        }
        if let Some(turn) = message.turn() {
            must(self.established, "a turn was sent before session.established")?;
            must(turn > self.last_turn, "the turn counter did not increase")?;
            must(!self.busy, "two turns were sent into one active run")?;
            self.last_turn = turn;
            if let ClientMessage::AudioTurnStart { .. } = message {
                must(self.explicit_turns, "an audio turn was opened that the agent does not support")?;
                self.audio = Some(turn);
                return Ok(());
            }
            self.busy = true;
        }
        match message {
            ClientMessage::UserObservation(shown) => {
                let used = shown.observation.modalities();
                must(!used.is_empty(), "an observation without content was sent")?;
                must(used.is_subset(self.negotiated), "a modality was sent that is not negotiated")?;
                let Some(id) = &shown.interaction_id else { return Ok(()) };
                let Some((pending, modality, under_way)) = &mut self.request else {
                    return Err("an answer was sent while nothing was pending".to_owned());
                };
                must(id == pending, "an answer was sent to another request")?;
                must(used.contains(*modality), "an answer of the wrong modality was sent")?;
                must(!*under_way, "a request was answered twice")?;
                must(!self.answered.contains(id), "a request was consumed twice")?;
                *under_way = true;
                Ok(())
            }
            ClientMessage::UserTurn(turn) => must(
                !serde_json::to_string(turn).is_ok_and(|json| json.contains("image")),
                "a photo was repeated on a turn of text",
            ),
            ClientMessage::Ack { sequence } => self.acknowledged(now, *sequence),
            ClientMessage::ResponseCancel => {
                self.request = None;
                Ok(())
            }
            ClientMessage::SessionEnd => {
                self.closed();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn acknowledged(&mut self, now: Duration, sequence: u64) -> Verdict {
        must(self.acks, "an ack was sent though acks are off")?;
        must(self.acted.contains(&sequence), "a frame was acknowledged that was not acted on")?;
        if let Some((last, at)) = self.last_ack {
            must(sequence > last, "acknowledged sequences did not increase")?;
            must(now >= at + Duration::from_millis(50), "two acks within 50 ms")?;
        }
        self.last_ack = Some((sequence, now));
        Ok(())
    }

    /// An envelope was acted on.
    fn received(&mut self, sequence: u64, event: &Event) -> Verdict {
        must(!self.over, "an envelope was acted on after the end")?;
        must(sequence > self.highest, "a step back was acted on")?;
        self.highest = sequence;
        must(self.established || matches!(event, Event::SessionEstablished(_)), "acted on before the start")?;
        match event {
            Event::SessionEstablished(_) => self.established = true,
            Event::RunStarted => self.busy = true,
            Event::RunCompleted => self.busy = false,
            Event::Failure(_) => {
                self.busy = false;
                if let Some((_, _, under_way)) = &mut self.request {
                    *under_way = false;
                }
            }
            Event::InteractionRequested(request) => {
                must(self.request.is_none(), "a second request became pending")?;
                let modality = request.modality().ok_or("a request of unknown kind became pending")?;
                must(self.requestable.contains(modality), "a request became pending that is not allowed")?;
                self.request = Some((request.interaction_id.clone(), modality, false));
            }
            Event::InteractionResolved(resolved) => {
                if self.request.as_ref().is_some_and(|(id, ..)| *id == resolved.interaction_id) {
                    self.answered.extend(self.request.take().map(|(id, ..)| id));
                }
            }
            Event::Unknown { .. } => return Err("an unknown event was acted on".to_owned()),
            Event::TextDelta(_) | Event::SpeechSegment(_) => {}
        }
        Ok(())
    }

    /// Whether the model's memory and the session's view agree.
    pub fn agrees(&self, view: &SessionView) -> Verdict {
        must(view.last_turn == self.last_turn, "the views of the turn counter differ")?;
        let pending = view.pending.as_ref().map(|p| (&p.interaction_id, p.state == PendingState::Awaiting));
        let request = self.request.as_ref().map(|(id, _, under_way)| (id, *under_way));
        must(pending == request, "the pending requests differ")?;
        let audio = view.audio.map(|audio| audio.turn.0);
        must(audio == self.audio, "the views of the open audio turn differ")?;
        must(
            view.held.is_none() || view.run.is_active() || audio.is_some(),
            "a turn is held though nothing is active",
        )?;
        must(self.busy == view.run.is_active(), "the views of the active run differ")?;
        let proposed = view.proposal.as_ref().map(|p| &p.object_ref);
        must(
            proposed.is_none() || proposed == view.focus.as_ref().map(|f| &f.object_ref),
            "a stray proposal",
        )?;
        if !self.over {
            return Ok(());
        }
        let forgotten = view.focus.is_none() && view.proposal.is_none() && view.held.is_none();
        must(forgotten && view.pending.is_none() && !view.run.is_active(), "something outlived the end")
    }
}
