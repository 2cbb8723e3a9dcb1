//! What the agent can do wrong on request, for people who write clients (`agentcall agent --fault NAME`).
//!
//! A fault decorates events on their way to the outbox; what the brain itself thinks stays sound.

use std::fmt;

use serde_json::{Value, json};

use crate::protocol::server::{InteractionRequested, InteractionResolved, SessionEstablished, TextDelta};
use crate::protocol::{Event, bounds};

macro_rules! faults {
    ($($name:ident = $wire:literal, $help:literal;)*) => {
        /// One deliberate mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Fault {
            $(#[doc = $help] $name,)*
        }

        impl Fault {
            /// Every fault, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $wire,)* }
            }

            /// What it does, in one sentence.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$name => $help,)* }
            }
        }
    };
}

faults! {
    SequenceStepBack = "sequence-step-back", "The second text.delta of each run carries a sequence that was already used.";
    EventBeforeEstablished = "event-before-established", "A text.delta comes before session.established.";
    SecondRun = "second-run", "Each run.started is followed by a second one inside the same run.";
    RequestWhilePending = "request-while-pending", "Each interaction.requested is followed by another while the first is pending.";
    UnknownResolve = "unknown-resolve", "Each run resolves an interaction that was never requested.";
    OversizedFrame = "oversized-frame", "Each run sends one text.delta in a frame over 128 KiB.";
    BinaryFrame = "binary-frame", "Each run sends one binary frame.";
    InvalidJson = "invalid-json", "Each run sends one frame that breaks off in the middle of its JSON.";
    CloseMidRun = "close-mid-run", "The connection is closed after the first text.delta of the first run.";
    Silent = "silent", "After the first run.started nothing is read or written any more, while the connection stays open.";
    UnknownEvent = "unknown-event", "Each run sends an event of a type that the profile does not name.";
    Resumed = "resumed", "session.established says resumed: true.";
}

impl Fault {
    /// Reads a name as it stands on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What becomes of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Emission {
    /// An event under the next sequence.
    Event(Event),
    /// An event under a sequence that was already used.
    StepBack(Event),
    /// Any JSON as an event, under the next sequence.
    Foreign(Value),
    /// A frame as it is, without a sequence.
    Text(String),
    Binary(Vec<u8>),
    Close,
    Silence,
}

#[derive(Debug)]
pub(super) struct Faults {
    active: Vec<Fault>,
    /// `text.delta`s of the current run so far.
    deltas: usize,
    /// Deliberate requests so far, for their ids.
    requests: usize,
}

impl Faults {
    pub(super) fn new(active: &[Fault]) -> Self {
        Self { active: active.to_vec(), deltas: 0, requests: 0 }
    }

    /// The event, with what the faults make of it and add to it.
    pub(super) fn decorate(&mut self, event: Event) -> Vec<Emission> {
        match &event {
            Event::RunStarted => self.deltas = 0,
            Event::TextDelta(_) => self.deltas += 1,
            Event::InteractionRequested(_) => self.requests += 1,
            _ => {}
        }
        if self.active.is_empty() {
            return vec![Emission::Event(event)];
        }
        let mut emissions = vec![Emission::Event(event.clone())];
        for i in 0..self.active.len() {
            self.apply(self.active[i], &event, &mut emissions);
        }
        emissions
    }

    fn apply(&self, fault: Fault, event: &Event, out: &mut Vec<Emission>) {
        let delta = |text: &str| Event::TextDelta(TextDelta { text: text.to_owned() });
        match (fault, event) {
            (Fault::SequenceStepBack, Event::TextDelta(_)) if self.deltas == 2 => {
                replace(out, Emission::StepBack(event.clone()));
            }
            (Fault::EventBeforeEstablished, Event::SessionEstablished(_)) => {
                out.insert(0, Emission::Event(delta("too early")));
            }
            (Fault::Resumed, Event::SessionEstablished(_)) => {
                replace(
                    out,
                    Emission::Event(Event::SessionEstablished(SessionEstablished { resumed: true })),
                );
            }
            (Fault::SecondRun, Event::RunStarted) => out.push(Emission::Event(Event::RunStarted)),
            (Fault::OversizedFrame, Event::RunStarted) => {
                let text = "x".repeat(bounds::FRAME_BYTES);
                out.push(Emission::Event(delta(&text)));
            }
            (Fault::BinaryFrame, Event::RunStarted) => out.push(Emission::Binary(vec![0, 1, 2, 3])),
            (Fault::InvalidJson, Event::RunStarted) => {
                out.push(Emission::Text(r#"{"sequence":"#.to_owned()));
            }
            (Fault::UnknownEvent, Event::RunStarted) => out.push(Emission::Foreign(
                json!({ "type": "mystery.event", "execute": "rm -rf /", "capability": "camera" }),
            )),
            (Fault::RequestWhilePending, Event::InteractionRequested(first)) => {
                let interaction_id = format!("fault-{}", self.requests);
                let second = InteractionRequested { interaction_id, ..first.clone() };
                out.push(Emission::Event(Event::InteractionRequested(second)));
            }
            (Fault::UnknownResolve, Event::RunStarted) => {
                let (interaction_id, outcome) = ("never-requested".to_owned(), "answered".to_owned());
                let resolved = InteractionResolved { interaction_id, outcome };
                out.push(Emission::Event(Event::InteractionResolved(resolved)));
            }
            (Fault::CloseMidRun, Event::TextDelta(_)) => out.push(Emission::Close),
            (Fault::Silent, Event::RunStarted) => out.push(Emission::Silence),
            _ => {}
        }
    }
}

/// Puts `new` in the place of the event itself, which other faults may have put something before.
fn replace(out: &mut [Emission], new: Emission) {
    let own = out.iter_mut().find(|e| matches!(e, Emission::Event(e) if same_kind(e, &new)));
    if let Some(own) = own {
        *own = new;
    }
}

fn same_kind(event: &Event, emission: &Emission) -> bool {
    matches!(emission, Emission::Event(new) | Emission::StepBack(new) if new.kind() == event.kind())
}
