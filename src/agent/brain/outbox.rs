//! What leaves the brain: events become numbered envelopes here, after the faults have had their say.

use crate::protocol::{Envelope, Event};
use crate::units::Sequence;

use super::faults::{Emission, Fault, Faults};
use super::hearing::Listen;

/// One thing for the driver to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Send this envelope.
    Envelope(Envelope),
    /// Do this instead of what the profile asks: a fault that was asked for.
    Deliberate(Deliberate),
    /// Do this with the sound of the session.
    Listen(Listen),
    /// Close the connection; nothing comes after it.
    Close(Close),
}

/// What no sound agent sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deliberate {
    /// Send this text frame as it is.
    Text(String),
    /// Send this binary frame.
    Binary(Vec<u8>),
    /// Keep the connection open and neither read nor write any more, not even a pong.
    Silence,
}

/// How a connection is closed (RFC 6455 § 7.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Close {
    /// The close code.
    pub code: u16,
    /// For people.
    pub reason: &'static str,
}

impl Close {
    /// The session has ended as it should.
    pub const NORMAL: Self = Self { code: 1000, reason: "session ended" };
    /// The client broke a rule after which there is nothing to go on with.
    pub const POLICY: Self = Self { code: 1008, reason: "refused; see the failure" };
    /// The server is going away.
    pub const AWAY: Self = Self { code: 1001, reason: "the agent is shutting down" };
    /// A fault that was asked for.
    pub const FAULT: Self = Self { code: 1011, reason: "a deliberate fault" };
}

#[derive(Debug)]
pub(super) struct Outbox {
    last: u64,
    faults: Faults,
    replies: Vec<Reply>,
    sealed: bool,
}

impl Outbox {
    pub(super) fn new(faults: &[Fault]) -> Self {
        Self { last: 0, faults: Faults::new(faults), replies: Vec::new(), sealed: false }
    }

    /// The newest sequence that was given out.
    pub(super) const fn last_sequence(&self) -> u64 {
        self.last
    }

    /// Whether the connection was closed or has fallen silent.
    pub(super) const fn is_sealed(&self) -> bool {
        self.sealed
    }

    pub(super) fn event(&mut self, event: Event) {
        for emission in self.faults.decorate(event) {
            self.emit(emission);
        }
    }

    pub(super) fn reply(&mut self, reply: Reply) {
        self.push(reply);
    }

    pub(super) fn close(&mut self, close: Close) {
        self.push(Reply::Close(close));
        self.sealed = true;
    }

    pub(super) fn drain(&mut self) -> Vec<Reply> {
        std::mem::take(&mut self.replies)
    }

    fn emit(&mut self, emission: Emission) {
        match emission {
            Emission::Event(event) => {
                let sequence = self.next();
                self.push(Reply::Envelope(Envelope { sequence, event }));
            }
            Emission::StepBack(event) => {
                let sequence = Sequence(self.last.saturating_sub(1).max(1));
                self.push(Reply::Envelope(Envelope { sequence, event }));
            }
            Emission::Foreign(event) => {
                let frame = serde_json::json!({ "sequence": self.next().0, "event": event });
                self.push(Reply::Deliberate(Deliberate::Text(frame.to_string())));
            }
            Emission::Text(text) => self.push(Reply::Deliberate(Deliberate::Text(text))),
            Emission::Binary(bytes) => self.push(Reply::Deliberate(Deliberate::Binary(bytes))),
            Emission::Close => self.close(Close::FAULT),
            Emission::Silence => {
                self.push(Reply::Deliberate(Deliberate::Silence));
                self.sealed = true;
            }
        }
    }

    fn next(&mut self) -> Sequence {
        self.last += 1;
        Sequence(self.last)
    }

    fn push(&mut self, reply: Reply) {
        if !self.sealed {
            self.replies.push(reply);
        }
    }
}
