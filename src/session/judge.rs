//! The judge: what we receive. It reports, and seldom refuses; a frame that breaks a must-level rule is not
//! acted on, and the session goes on.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use super::input::Terms;
use super::view::{Latency, Pending, PendingState, Phase, RunState};
use crate::protocol::server::{InteractionRequested, InteractionResolved};
use crate::protocol::{Event, Finding, bounds, rules};
use crate::units::{Sequence, Turn};

/// How many interaction ids of the past are remembered, so that a repeated one is noticed (IX-7).
const REMEMBERED_IDS: usize = 256;

/// What the judge knows of the agent's side.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The highest sequence seen.
    last: Option<Sequence>,
    /// The active run.
    pub run: RunState,
    /// The pending request.
    pub pending: Option<Pending>,
    /// Times of the turn in flight or the last one.
    pub latency: Option<Latency>,
    /// A run that was taken as ended (R15) and that the agent may still end.
    abandoned: bool,
    /// Requests that are over, the newest last.
    over: VecDeque<Over>,
    /// Their ids.
    over_ids: HashSet<String>,
}

/// A request that is over.
#[derive(Debug)]
struct Over {
    interaction_id: String,
    /// We have cancelled it, and the agent's word on that has not come: one resolution of either outcome is
    /// no fault, since an answer and a cancel may cross on the wire.
    awaits_word: bool,
}

/// What a well-formed event did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// The session is now established.
    pub established: bool,
    /// A turn or run has ended.
    pub run_over: Option<Option<Turn>>,
    /// It ended with a failure.
    pub failed: bool,
}

impl Judge {
    /// Judges the sequence of an envelope (R12). `Err` means: not acted on.
    pub fn sequence(&mut self, sequence: Sequence, notes: &mut Vec<Finding>) -> Result<(), Finding> {
        let at = "/sequence";
        match self.last {
            Some(last) if sequence <= last => {
                return Err(Finding::at(
                    &rules::ENV_SEQUENCE,
                    at,
                    format!("expected more than {last}, came {sequence}; it was not acted on"),
                ));
            }
            Some(last) if sequence.0 > last.0 + 1 => {
                let (first, newest) = (last.0 + 1, sequence.0 - 1);
                let detail = match first == newest {
                    true => format!("sequence {first} did not come"),
                    false => format!("sequences {first} to {newest} did not come"),
                };
                notes.push(Finding::at(&rules::ENV_GAP, at, detail));
            }
            _ => {}
        }
        self.last = Some(sequence);
        Ok(())
    }

    /// Judges an event in its place. `Err` means: not acted on.
    pub fn event(
        &mut self,
        now: Duration,
        phase: Phase,
        terms: &Terms,
        sequence: Sequence,
        event: &Event,
        notes: &mut Vec<Finding>,
    ) -> Result<Effect, Finding> {
        if phase == Phase::Starting {
            return established(sequence, event, notes);
        }
        match event {
            Event::SessionEstablished(_) => Err(Finding::new(
                &rules::SES_AGAIN,
                "the session is already established; it was not acted on",
            )),
            Event::RunStarted => self.started(now, notes),
            Event::TextDelta(delta) => {
                self.inside("text.delta")?;
                self.first_text(now, !delta.text.is_empty());
                Ok(Effect::default())
            }
            Event::SpeechSegment(_) => self.inside("speech.segment").map(|()| Effect::default()),
            Event::RunCompleted => {
                self.inside("run.completed")?;
                Ok(self.ended(now, false))
            }
            Event::Failure(_) => Ok(self.ended(now, true)),
            Event::InteractionRequested(request) => {
                self.requested(terms, request).map(|()| Effect::default())
            }
            Event::InteractionResolved(resolved) => {
                self.resolved(resolved, notes).map(|()| Effect::default())
            }
            Event::Unknown { .. } => Ok(Effect::default()),
        }
    }

    fn started(&mut self, now: Duration, notes: &mut Vec<Finding>) -> Result<Effect, Finding> {
        self.abandoned = false;
        self.run = match self.run {
            RunState::InFlight { turn } => RunState::Running { turn: Some(turn) },
            RunState::Cancelling { turn, started: false, until } => {
                RunState::Cancelling { turn, started: true, until }
            }
            RunState::Idle => {
                notes.push(Finding::new(&rules::RUN_UNASKED, "no turn of this client is waiting for a run"));
                RunState::Running { turn: None }
            }
            RunState::Running { .. } | RunState::Cancelling { .. } => {
                return Err(Finding::new(&rules::RUN_NESTED, "a run is already active; it was not acted on"));
            }
        };
        if let Some(latency) = self.timed() {
            latency.started.get_or_insert(now);
        }
        Ok(Effect::default())
    }

    /// Refuses what needs a run that has started.
    fn inside(&mut self, what: &str) -> Result<(), Finding> {
        match self.run {
            RunState::Running { .. } | RunState::Cancelling { started: true, .. } => Ok(()),
            _ if self.abandoned => {
                self.abandoned = what != "run.completed";
                Err(Finding::new(
                    &rules::RUN_CANCEL,
                    format!(
                        "{what} belongs to the cancelled run that was taken as ended; it was not acted on"
                    ),
                ))
            }
            _ => Err(Finding::new(
                &rules::RUN_OUTSIDE,
                format!("{what} came without an active run; it was not acted on"),
            )),
        }
    }

    /// Takes a cancelled run as ended (R15), if that is due; gives its turn.
    pub fn give_up(&mut self, now: Duration) -> Option<Option<Turn>> {
        let RunState::Cancelling { turn, started, until } = self.run else { return None };
        if now < until {
            return None;
        }
        self.run = RunState::Idle;
        self.abandoned = started;
        Some(turn)
    }

    fn first_text(&mut self, now: Duration, has_text: bool) {
        if let Some(latency) = self.timed().filter(|_| has_text) {
            latency.first_text.get_or_insert(now);
        }
    }

    /// The times of the turn that the run belongs to.
    fn timed(&mut self) -> Option<&mut Latency> {
        let turn = self.run.turn()?;
        self.latency.as_mut().filter(|latency| latency.turn == turn)
    }

    /// Ends the run (R15). A failure makes an answered request pending again (R25).
    fn ended(&mut self, now: Duration, failed: bool) -> Effect {
        if failed && let Some(pending) = &mut self.pending {
            pending.state = PendingState::Open;
        }
        let active = self.run.is_active();
        if let Some(latency) = self.timed() {
            latency.completed.get_or_insert(now);
        }
        let turn = self.run.turn();
        self.run = RunState::Idle;
        self.abandoned = false;
        Effect { run_over: active.then_some(turn), failed, established: false }
    }

    fn requested(&mut self, terms: &Terms, request: &InteractionRequested) -> Result<(), Finding> {
        let id = &request.interaction_id;
        let Some(modality) = request.modality() else {
            return Err(Finding::at(
                &rules::IX_KIND,
                "/event/kind",
                "expected physical.nfc.scan or physical.photo.capture; no key is offered for it",
            ));
        };
        if !request.options.is_empty() || request.allows_freeform {
            let at = if request.allows_freeform { "/event/allowsFreeform" } else { "/event/options" };
            return Err(Finding::at(
                &rules::IX_OPTIONS,
                at,
                "expected no options and no free form; no key is offered for it",
            ));
        }
        // A longer id could not be given back within our own bounds (R11).
        if id.is_empty() || id.chars().count() > bounds::ID || self.has_come(id) {
            return Err(Finding::at(
                &rules::IX_ID,
                "/event/interactionId",
                format!("expected a new id of 1 to {} characters; no key is offered for it", bounds::ID),
            ));
        }
        if self.pending.is_some() {
            return Err(Finding::new(
                &rules::IX_ONE_PENDING,
                "another request is pending, which stays; no key is offered for this one",
            ));
        }
        let allowed = terms.agent_requests.intersection(terms.negotiated());
        if !allowed.contains(modality) {
            return Err(Finding::at(
                &rules::IX_ALLOWED,
                "/event/kind",
                format!(
                    "it asks for {modality}, in this session it may ask for: {allowed}; no key is offered for it"
                ),
            ));
        }
        self.pending = Some(Pending {
            interaction_id: id.clone(),
            modality,
            prompt: request.prompt.clone(),
            state: PendingState::Open,
        });
        Ok(())
    }

    fn resolved(&mut self, resolved: &InteractionResolved, notes: &mut Vec<Finding>) -> Result<(), Finding> {
        if !matches!(resolved.outcome.as_str(), "answered" | "cancelled") {
            notes.push(Finding::at(&rules::IX_OUTCOME, "/event/outcome", "expected answered or cancelled"));
        }
        let id = &resolved.interaction_id;
        if self.pending.as_ref().is_some_and(|p| p.interaction_id == *id) {
            self.retire(false);
            return Ok(());
        }
        if let Some(over) = self.over.iter_mut().find(|o| o.awaits_word && o.interaction_id == *id) {
            over.awaits_word = false;
            return Ok(());
        }
        Err(Finding::at(
            &rules::IX_UNKNOWN,
            "/event/interactionId",
            "no request of this id is pending; it was not acted on",
        ))
    }

    /// Whether a request of this id has already come.
    fn has_come(&self, id: &str) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.interaction_id == id)
            || self.over_ids.contains(id)
    }

    /// Forgets the pending request because we cancel it (R25); its id cannot come again.
    pub fn cancel_pending(&mut self) {
        self.retire(true);
    }

    fn retire(&mut self, awaits_word: bool) {
        if let Some(Pending { interaction_id, .. }) = self.pending.take() {
            self.over_ids.insert(interaction_id.clone());
            self.over.push_back(Over { interaction_id, awaits_word });
            if self.over.len() > REMEMBERED_IDS
                && let Some(oldest) = self.over.pop_front()
            {
                self.over_ids.remove(&oldest.interaction_id);
            }
        }
    }
}

fn established(sequence: Sequence, event: &Event, notes: &mut Vec<Finding>) -> Result<Effect, Finding> {
    let Event::SessionEstablished(established) = event else {
        return Err(Finding::at(
            &rules::SES_FIRST,
            "/event/type",
            "expected session.established first; this was not acted on",
        ));
    };
    if established.resumed {
        return Err(Finding::at(
            &rules::SES_RESUMED,
            "/event/resumed",
            "expected false; this client never resumes",
        ));
    }
    if sequence.0 != 1 {
        notes.push(Finding::at(
            &rules::SES_FIRST_SEQUENCE,
            "/sequence",
            format!("expected 1, came {sequence}"),
        ));
    }
    Ok(Effect { established: true, ..Effect::default() })
}
