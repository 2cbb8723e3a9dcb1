//! One frame as a face may show it: images replaced by their facts, texts scrubbed, times since the start.

use std::borrow::Cow;
use std::time::Duration;

use crate::protocol::observation::Intent;
use crate::protocol::{Content, Event, Finding};
use crate::units::{Sequence, Turn};

/// Which way a frame went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From us to the agent.
    Out,
    /// From the agent to us.
    In,
}

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its number in this run of the program, from 0.
    pub index: u64,
    /// When, since the program connected first.
    pub at: Duration,
    /// Which way.
    pub direction: Direction,
    /// The envelope's sequence, for frames that came.
    pub sequence: Option<Sequence>,
    /// `type` of the message or event; `(binary)`, `(oversized)` or `(not JSON)` where there is none.
    pub kind: Cow<'static, str>,
    /// Its size on the wire in bytes.
    pub bytes: usize,
    /// Its JSON with images replaced by size and hash; `None` when it is not JSON.
    pub value: Option<Content>,
    /// What it says, for the conversation.
    pub body: Body,
    /// Whether it was acted on; always true for frames that went out.
    pub acted: bool,
    /// Whether it went past the gate on purpose.
    pub deliberate: bool,
    /// What was noticed.
    pub findings: Vec<Finding>,
    /// Text of earlier deltas that was kept back, since it could have become a secret, and did not: it stands before
    /// what this frame says.
    pub late: Option<String>,
}

/// What a frame says, typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// `user.turn`.
    Say {
        /// Its turn.
        turn: Turn,
        /// Its text.
        text: String,
    },
    /// `user.observation`.
    Show {
        /// Its turn.
        turn: Turn,
        /// The reference of the object in it.
        object_ref: Option<String>,
        /// The facts of the image in it.
        image: Option<ImageFacts>,
        /// Its intent.
        intent: Intent,
        /// The interaction that it answers.
        answers: Option<String>,
    },
    /// Any other client message.
    Client,
    /// A server event.
    Event(Event),
    /// A frame that could not be read.
    Unread,
}

/// What stays of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFacts {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hexadecimal.
    pub sha256: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}
