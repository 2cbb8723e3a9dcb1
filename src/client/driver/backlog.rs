//! What waits to be sent. An agent that does not read must not stop the engine, so the engine puts its frames
//! here and never waits; `link` drains it while it waits for the agent. What may wait is bounded: the
//! session asks for one turn at a time and one ack each 50 ms, so more than this is an agent that is lost.

use std::collections::VecDeque;

use tokio::sync::mpsc;

use crate::transport::Outgoing;

/// Most bytes that may wait: eight frames of the largest size.
pub(super) const BYTES: usize = 8 * crate::protocol::bounds::FRAME_BYTES;
/// Most messages that may wait: more than a minute of acks.
pub(super) const MESSAGES: usize = 2048;

/// More came than may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow {
    /// How many messages wait.
    pub messages: usize,
    /// How many bytes of text they have.
    pub bytes: usize,
}

/// The messages that the transport has not taken yet, in order.
pub(super) struct Backlog {
    transport: mpsc::Sender<Outgoing>,
    waiting: VecDeque<Outgoing>,
    bytes: usize,
    overflow: Option<Overflow>,
}

impl Backlog {
    /// Nothing waits yet; `transport` takes what there is room for.
    pub fn new(transport: mpsc::Sender<Outgoing>) -> Self {
        Self { transport, waiting: VecDeque::new(), bytes: 0, overflow: None }
    }

    /// How many messages wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Hands a message to the transport, or keeps it until there is room. Beyond the bounds nothing is kept
    /// any more, and [`Backlog::drain`] says so.
    pub fn put(&mut self, message: Outgoing) {
        let message = match self.waiting.is_empty() {
            true => match self.transport.try_send(message) {
                Ok(()) => return,
                Err(mpsc::error::TrySendError::Full(message)) => message,
                // A link that is gone says so itself through its other end.
                Err(mpsc::error::TrySendError::Closed(_)) => return,
            },
            false => message,
        };
        let size = size(&message);
        if self.waiting.len() >= MESSAGES || self.bytes + size > BYTES {
            self.overflow = Some(Overflow { messages: self.waiting.len() + 1, bytes: self.bytes + size });
            return;
        }
        self.bytes += size;
        self.waiting.push_back(message);
    }

    /// Hands on what waits as the transport takes it. Ends only with an overflow; may be dropped and begun
    /// anew at any time.
    pub async fn drain(&mut self) -> Overflow {
        while self.overflow.is_none() && !self.waiting.is_empty() {
            let Ok(room) = self.transport.reserve().await else {
                self.waiting.clear();
                self.bytes = 0;
                break;
            };
            if let Some(message) = self.waiting.pop_front() {
                self.bytes -= size(&message);
                room.send(message);
            }
        }
        match self.overflow {
            Some(overflow) => overflow,
            None => std::future::pending().await,
        }
    }
}

fn size(message: &Outgoing) -> usize {
    match message {
        Outgoing::Text(text) => text.len(),
        Outgoing::Close => 0,
    }
}

#[cfg(test)]
mod tests;
