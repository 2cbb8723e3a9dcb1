//! An open session: the turn counter, the one run, the one pending request, the teaching.
//!
//! Each message is checked whole before anything changes; see the contract in [`super`].

use std::time::Duration;

use crate::protocol::client::{UserObservation, UserTurn};
use crate::protocol::observation::Intent;
use crate::protocol::server::{InteractionRequested, InteractionResolved};
use crate::protocol::{ClientMessage, Event, Modalities, Modality, rules};

use super::BrainConfig;
use super::failure::{FailureCode, Refusal};
use super::hearing::Hearing;
use super::outbox::Outbox;
use super::run::{Run, Step};
use super::teaching::Teaching;
use super::verify::{self, Verified};
use super::words::{self, Command};

/// Most refusals that are held back for the end of a run; with one more the session is closed.
const HELD: usize = 8;

/// Whether the session goes on after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Goes,
    Ends,
}

#[derive(Debug)]
pub(super) struct Conversation {
    usable: Modalities,
    requestable: Modalities,
    interval: Duration,
    pub(super) last_turn: u64,
    pub(super) hearing: Hearing,
    run: Option<Run>,
    pending: Option<Pending>,
    teaching: Teaching,
    /// Refusals during the active run, said when it has ended.
    held: Vec<Refusal>,
    segments: u64,
    requests: u64,
}

/// The request that waits for an answer.
#[derive(Debug)]
struct Pending {
    id: String,
    modality: Modality,
}

/// What a turn is answered with.
pub(super) struct Answer {
    text: String,
    ask: Option<Modality>,
    /// How many times slower than usual it is said.
    slower: u32,
}

/// A story is told at a pace at which a person can cancel it, or queue a turn behind it.
const STORY_PACE: u32 = 8;

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self { text, ask: None, slower: 1 }
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Conversation {
    pub(super) fn new(config: &BrainConfig, usable: Modalities, hearing: Hearing) -> Self {
        Self {
            usable,
            requestable: usable.intersection(config.agent_requests),
            interval: config.delta_interval,
            last_turn: 0,
            hearing,
            run: None,
            pending: None,
            teaching: Teaching::default(),
            held: Vec::new(),
            segments: 0,
            requests: 0,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.run.as_ref().map(Run::next_at)
    }

    /// Takes every step of the run that is due.
    pub(super) fn advance(&mut self, now: Duration, out: &mut Outbox) {
        while let Some(step) = self.run.as_mut().and_then(|run| run.due(now)) {
            match step {
                Step::Say(event) => out.event(event),
                Step::Ask(modality) => self.ask(modality, out),
            }
            if self.run.as_ref().is_some_and(Run::is_over) {
                self.end_run(out);
            }
        }
    }

    /// Acts on one message, or says why not.
    pub(super) fn handle(
        &mut self,
        now: Duration,
        message: ClientMessage,
        out: &mut Outbox,
    ) -> Result<Flow, Refusal> {
        match message {
            ClientMessage::SessionStart(_) => {
                return Err(Refusal::new(FailureCode::SessionAlreadyStarted));
            }
            ClientMessage::UserTurn(turn) => self.user_turn(now, &turn)?,
            ClientMessage::UserObservation(turn) => self.user_observation(now, &turn, out)?,
            ClientMessage::Ack { sequence } => {
                if sequence == 0 || sequence > out.last_sequence() {
                    return Err(Refusal::by(&rules::MSG_KNOWN, "/sequence"));
                }
            }
            ClientMessage::ResponseCancel => self.cancel(out),
            ClientMessage::SessionEnd => {
                self.cancel(out);
                return Ok(Flow::Ends);
            }
            ClientMessage::AudioTurnStart { turn } => self.open_audio(turn, out)?,
            ClientMessage::AudioTurnCommit { turn } => self.commit_audio(turn, out)?,
            ClientMessage::AudioTurnCancel { turn } => self.cancel_audio(turn, out)?,
        }
        Ok(Flow::Goes)
    }

    /// Says that a message was refused: at once, or when the active run has ended.
    pub(super) fn refuse(&mut self, refusal: Refusal, out: &mut Outbox) -> Flow {
        if self.run.is_none() {
            out.event(refusal.into_event());
            return Flow::Goes;
        }
        if self.held.len() < HELD {
            self.held.push(refusal);
            return Flow::Goes;
        }
        out.event(Refusal::new(FailureCode::TooManyRefused).into_event());
        Flow::Ends
    }

    fn user_turn(&mut self, now: Duration, turn: &UserTurn) -> Result<(), Refusal> {
        self.check_turn(turn.turn)?;
        verify::user_turn(turn)?;
        self.last_turn = turn.turn;
        let answer = self.answer(Command::parse(&turn.text));
        self.start_run(now, &answer);
        Ok(())
    }

    fn user_observation(
        &mut self,
        now: Duration,
        turn: &UserObservation,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        self.check_turn(turn.turn)?;
        let used = turn.observation.modalities();
        if turn.interaction_id.as_deref().is_some_and(|id| !self.answers(id, used)) {
            return Err(Refusal::by(&rules::OBS_INTERACTION, "/interactionId"));
        }
        let verified = verify::observation(&turn.observation, self.usable)?;
        self.last_turn = turn.turn;
        if turn.interaction_id.is_some() {
            self.resolve("answered", out);
        }
        let answer = self.observed(&verified);
        self.start_run(now, &answer);
        Ok(())
    }

    /// The number of a turn: refused without effect when it was used, or while a run is active.
    pub(super) fn check_turn(&self, turn: u64) -> Result<(), Refusal> {
        if turn == 0 {
            return Err(Refusal::by(&rules::TURN_ORDER, "/turn"));
        }
        if turn <= self.last_turn {
            return Err(Refusal::new(FailureCode::TurnReplayed));
        }
        match self.run {
            Some(_) => Err(Refusal::new(FailureCode::RunActive)),
            // An audio turn is a turn in flight, and one turn is in flight at a time.
            None if self.hearing.is_busy() => Err(Refusal::by(&rules::AUDIO_ONE_OPEN, "/turn")),
            None => Ok(()),
        }
    }

    fn answers(&self, id: &str, used: Modalities) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.id == id && used.contains(pending.modality))
    }

    fn answer(&mut self, command: Command) -> Answer {
        match command {
            Command::Help => words::help(self.usable, self.requestable).into(),
            Command::Greeting => words::greeting(self.usable).into(),
            Command::Story => Answer { slower: STORY_PACE, ..words::STORY.into() },
            Command::Ask(modality) => self.answer_ask(modality),
            Command::Assent if self.teaching.has_proposal() => words::ASSENT.into(),
            Command::Assent => words::NOTHING_PROPOSED.into(),
            Command::Other(text) => words::echo(&text).into(),
            _ if !self.usable.contains(Modality::Nfc) => {
                "I know no objects in this session: it has not negotiated nfc.".into()
            }
            Command::WhatIsThis => match self.teaching.in_view() {
                Some(label) => named(label).into(),
                None => "Nothing has been shown to me yet.".into(),
            },
            Command::Teach(label) => match self.teaching.propose(&label) {
                Ok(object_ref) => words::proposal(object_ref, &label).into(),
                Err(why) => words::not_taught(why).into(),
            },
            Command::Confirm => match self.teaching.confirm() {
                Ok(label) => format!("I will remember \"{label}\" until this session ends.").into(),
                Err(why) => words::not_taught(why).into(),
            },
            Command::CancelTeaching if self.teaching.cancel() => {
                "The proposal is dropped. Nothing was stored.".into()
            }
            Command::CancelTeaching => "There is no proposal to drop.".into(),
        }
    }

    fn answer_ask(&self, modality: Modality) -> Answer {
        if !self.requestable.contains(modality) {
            return words::cannot_ask(modality).into();
        }
        if self.pending.is_some() {
            return "I am still waiting for what I asked for; cancel that first.".into();
        }
        Answer { text: format!("{}.", words::prompt(modality)), ask: Some(modality), slower: 1 }
    }

    fn observed(&mut self, verified: &Verified) -> Answer {
        let photo = verified.photo.map(|p| words::photo(p.width, p.height, p.bytes));
        let object = verified.object_ref.as_deref().map(|object| named(self.teaching.scan(object)));
        let act = match (verified.intent, verified.recipes) {
            (Intent::Act, _) => Some("I carry out no actions.".to_owned()),
            (_, 0) => None,
            (_, n) => Some(format!("The passport describes {n} action(s); I carry out none.")),
        };
        let parts: Vec<String> = [photo, object, act].into_iter().flatten().collect();
        parts.join(" ").into()
    }

    pub(super) fn start_run(&mut self, now: Duration, answer: &Answer) {
        self.run =
            Some(Run::new(now, self.interval * answer.slower, &answer.text, answer.ask, &mut self.segments));
    }

    fn end_run(&mut self, out: &mut Outbox) {
        self.run = None;
        for refusal in std::mem::take(&mut self.held) {
            out.event(refusal.into_event());
        }
    }

    fn ask(&mut self, modality: Modality, out: &mut Outbox) {
        self.requests += 1;
        let id = format!("ix-{}", self.requests);
        let kind = match modality {
            Modality::Nfc => InteractionRequested::NFC,
            Modality::Photo => InteractionRequested::PHOTO,
        };
        let prompt = words::prompt(modality).to_owned();
        out.event(Event::InteractionRequested(InteractionRequested {
            interaction_id: id.clone(),
            kind: kind.to_owned(),
            spoken_prompt: format!("{prompt}."),
            prompt,
            options: Vec::new(),
            allows_freeform: false,
        }));
        self.pending = Some(Pending { id, modality });
    }

    /// Cancels the run, the pending request and the proposal (§ Session and input).
    fn cancel(&mut self, out: &mut Outbox) {
        self.stop_listening(out);
        self.teaching.cancel();
        if self.run.is_some() {
            out.event(Refusal::new(FailureCode::Cancelled).into_event());
        }
        self.resolve("cancelled", out);
        self.end_run(out);
    }

    /// Consumes the pending request, if there is one.
    fn resolve(&mut self, outcome: &str, out: &mut Outbox) {
        if let Some(Pending { id: interaction_id, .. }) = self.pending.take() {
            let outcome = outcome.to_owned();
            out.event(Event::InteractionResolved(InteractionResolved { interaction_id, outcome }));
        }
    }
}

#[cfg(test)]
impl Conversation {
    /// How many labels are stored.
    pub(super) fn labels(&self) -> usize {
        self.teaching.count()
    }
}

fn named(label: Option<&str>) -> String {
    label.map_or_else(|| words::UNKNOWN_OBJECT.to_owned(), |label| format!("This is {label}."))
}
