//! What goes into a session.

use std::time::Duration;

use crate::protocol::card::TransportProfile;
use crate::protocol::frame::RawFrame;
use crate::protocol::observation::{ImageInput, Intent, ObjectInput};
use crate::protocol::{Dialect, Modalities};

/// What a session may use: from the validated card and from the user's choice. Fixed for its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Fresh and random (R29).
    pub session_id: String,
    /// What the card accepts.
    pub accepted: Modalities,
    /// What the agent may ask for, from the card.
    pub agent_requests: Modalities,
    /// What this client offers in `session.start`.
    pub offered: Modalities,
    /// Whether the agent supports explicit audio turns, and its transport carries sound.
    pub explicit_turns: bool,
    /// The largest message that the agent takes, in bytes, where its transport says so (`a=max-message-size`, RFC 8841).
    pub max_message: Option<usize>,
    /// The mapped transport profile; `None` for any other, and then nothing physical is sent (R27).
    pub transport: Option<TransportProfile>,
    /// Whether acks are sent (R16).
    pub acks: bool,
    /// The open names of the wire.
    pub dialect: Dialect,
}

impl Terms {
    /// The usable modalities: card ∩ session (§ Session and input), none on an unmapped profile (R27).
    pub fn negotiated(&self) -> Modalities {
        match self.transport {
            Some(_) => self.accepted.intersection(self.offered),
            None => Modalities::NONE,
        }
    }
}

/// One thing that happens to a session.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "inputs come one at a time; none is stored in number")]
pub enum Input {
    /// The transport is open: the session starts.
    Opened,
    /// A frame came.
    Received(RawFrame),
    /// The user, or a scenario, asks for something.
    Ask(Ask),
    /// A deadline may have passed.
    Tick,
    /// The transport is gone; everything session-local is dropped.
    Closed,
}

/// What a user asks a session to do.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "inputs come one at a time; none is stored in number")]
pub enum Ask {
    /// A turn of text.
    Say(String),
    /// A turn that shows something.
    Show(Draft),
    /// Cancel the active run and whatever is pending (`response.cancel`).
    Cancel,
    /// Open an audio turn.
    OpenAudio,
    /// Commit the open audio turn. The microphone is stopped already.
    CommitAudio {
        /// When the user asked for it, as time of the session: latency counts from there.
        asked: Duration,
    },
    /// Cancel the open audio turn. The microphone is stopped already.
    CancelAudio,
    /// Forget the held turn.
    DropHeld,
    /// End the session (`session.end`).
    End,
    /// Send this text frame as it is, past the gate: for checks, faults and the raw composer. It is marked
    /// in trace and on screen.
    Deliberate(String),
}

/// An observation before it has a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Correlation data, at most 128 characters.
    pub observation_id: String,
    /// RFC 3339.
    pub captured_at: String,
    /// Why it is shown.
    pub intent: Intent,
    /// The scanned object.
    pub object: Option<ObjectInput>,
    /// The photo.
    pub image: Option<ImageInput>,
    /// Whether it answers the pending interaction.
    pub answer: Answer,
}

/// Whether an observation answers an interaction.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Answer {
    /// It answers no request, whatever is pending.
    #[default]
    Unrelated,
    /// It answers the interaction of this id, which must be pending with its modality.
    To(String),
}
