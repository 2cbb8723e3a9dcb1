//! What the agent thinks: one [`Brain`] for each session, sans I/O, with the time passed in.
//!
//! The driver calls, in any order and as often as it likes:
//!
//! 1. [`Brain::receive`] with each text frame (or [`Brain::receive_binary`]),
//! 2. [`Brain::poll`] when [`Brain::next_deadline`] has come,
//!
//! and carries out every [`Reply`] in order. After a [`Reply::Close`] the brain answers nothing more.
//! All times count from one common start, chosen by the driver.
//!
//! # What is refused, and when that is said
//!
//! A refused message changes nothing at all: it consumes no turn, no request and no proposal. It is
//! answered with one `failure` ([`FailureCode`]). A `failure` inside a run ends that run (R15), so a
//! refusal that happens while a run is active is said right after the run has ended; envelopes are
//! ordered, so the client can tell which message is meant.

mod conversation;
mod failure;
pub mod faults;
mod hearing;
mod outbox;
mod run;
mod teaching;
mod verify;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use failure::FailureCode;
pub use hearing::{Heard, Listen};
pub use outbox::{Close, Deliberate, Reply};

use crate::protocol::client::SessionStart;
use crate::protocol::server::SessionEstablished;
use crate::protocol::{ClientMessage, Dialect, Event, Modalities};

use conversation::{Conversation, Flow};
use failure::Refusal;
use faults::Fault;
use hearing::Hearing;
use outbox::Outbox;

/// How a brain behaves.
#[derive(Clone, Debug)]
pub struct BrainConfig {
    /// What the card accepts; nothing makes the agent text-only.
    pub accepted: Modalities,
    /// What the agent may ask for; only what is also in `accepted` counts.
    pub agent_requests: Modalities,
    /// Time between two events of a run; zero sends a whole run at once.
    pub delta_interval: Duration,
    /// How long a new session may stay without `session.start`.
    pub start_within: Duration,
    /// The open names of the wire.
    pub dialect: Dialect,
    /// What to do wrong, deliberately.
    pub faults: Vec<Fault>,
    /// Whether the transport carries sound, so that audio turns can be opened.
    pub sound: bool,
}

impl Default for BrainConfig {
    fn default() -> Self {
        Self {
            accepted: Modalities::BOTH,
            agent_requests: Modalities::BOTH,
            delta_interval: Duration::from_millis(15),
            start_within: Duration::from_secs(30),
            dialect: Dialect::default(),
            faults: Vec::new(),
            sound: false,
        }
    }
}

/// One session of the agent.
#[derive(Debug)]
pub struct Brain {
    config: BrainConfig,
    phase: Phase,
    out: Outbox,
}

#[derive(Debug)]
enum Phase {
    /// Nothing has come yet; since when.
    AwaitingStart {
        since: Option<Duration>,
    },
    Open(Box<Conversation>),
    Closed,
}

impl Brain {
    /// A brain that waits for `session.start`.
    pub fn new(config: BrainConfig) -> Self {
        let out = Outbox::new(&config.faults);
        Self { config, phase: Phase::AwaitingStart { since: None }, out }
    }

    /// Takes one text frame. A frame over [`crate::protocol::bounds::FRAME_BYTES`] is refused unparsed.
    pub fn receive(&mut self, now: Duration, text: &str) -> Vec<Reply> {
        self.advance(now);
        match ClientMessage::decode(text, &self.config.dialect) {
            Ok(decoded) => self.handle(now, decoded.message),
            Err(finding) => self.refuse(Refusal::undecodable(&finding)),
        }
        self.advance(now);
        self.drain()
    }

    /// Takes the news of a binary frame, whose content nobody looked at (§ WebSocket and WebRTC).
    pub fn receive_binary(&mut self, now: Duration) -> Vec<Reply> {
        self.advance(now);
        self.refuse(Refusal::new(FailureCode::BinaryRefused));
        self.drain()
    }

    /// Does what is due at `now`: more of the active run, or giving up on a session that never starts.
    pub fn poll(&mut self, now: Duration) -> Vec<Reply> {
        self.advance(now);
        self.drain()
    }

    /// Takes what was heard in the audio turn that was just committed, after [`Listen::Stop`].
    pub fn heard(&mut self, now: Duration, heard: Heard) -> Vec<Reply> {
        if let Phase::Open(conversation) = &mut self.phase {
            conversation.heard(now, heard, &mut self.out);
        }
        self.advance(now);
        self.drain()
    }

    /// When [`Brain::poll`] has something to do; `None` as long as nothing is due without new input.
    pub fn next_deadline(&self) -> Option<Duration> {
        match &self.phase {
            Phase::AwaitingStart { since } => Some(since.unwrap_or_default() + self.config.start_within),
            Phase::Open(conversation) => conversation.next_deadline(),
            Phase::Closed => None,
        }
    }

    /// Whether the brain has closed the session.
    pub fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Closed)
    }

    fn advance(&mut self, now: Duration) {
        match &mut self.phase {
            Phase::AwaitingStart { since } => {
                let since = *since.get_or_insert(now);
                if now >= since + self.config.start_within {
                    self.refuse(Refusal::new(FailureCode::SessionNotStarted));
                }
            }
            Phase::Open(conversation) => conversation.advance(now, &mut self.out),
            Phase::Closed => {}
        }
    }

    fn handle(&mut self, now: Duration, message: ClientMessage) {
        match (&mut self.phase, message) {
            (Phase::AwaitingStart { .. }, ClientMessage::SessionStart(start)) => self.start(&start),
            (Phase::AwaitingStart { .. }, _) => self.refuse(Refusal::new(FailureCode::SessionNotStarted)),
            (Phase::Open(conversation), message) => {
                let flow = conversation.handle(now, message, &mut self.out);
                match flow {
                    Ok(Flow::Goes) => {}
                    Ok(Flow::Ends) => self.close(Close::NORMAL),
                    Err(refusal) => self.refuse(refusal),
                }
            }
            (Phase::Closed, _) => {}
        }
    }

    fn start(&mut self, start: &SessionStart) {
        let declared = match verify::session_start(start) {
            Ok(declared) => declared,
            Err(refusal) => return self.refuse(refusal),
        };
        let usable = self.config.accepted.intersection(declared);
        self.out.event(Event::SessionEstablished(SessionEstablished { resumed: false }));
        let turns = self.config.sound && start.client_capabilities.audio_turn_control.is_some();
        self.phase = Phase::Open(Box::new(Conversation::new(&self.config, usable, Hearing::new(turns))));
    }

    /// Answers a message that is not acted on. Before the session has started there is nothing to go on
    /// with, so the connection is closed; later the session goes on.
    fn refuse(&mut self, refusal: Refusal) {
        match &mut self.phase {
            Phase::AwaitingStart { .. } => {
                self.out.event(refusal.into_event());
                self.close(Close::POLICY);
            }
            Phase::Open(conversation) => {
                if conversation.refuse(refusal, &mut self.out) == Flow::Ends {
                    self.close(Close::POLICY);
                }
            }
            Phase::Closed => {}
        }
    }

    fn close(&mut self, close: Close) {
        self.out.close(close);
        self.phase = Phase::Closed;
    }

    fn drain(&mut self) -> Vec<Reply> {
        if self.out.is_sealed() {
            self.phase = Phase::Closed;
        }
        self.out.drain()
    }
}
