//! What a face may know of a session.

use std::time::Duration;

use crate::protocol::observation::{Assurance, Carrier};
use crate::protocol::{Modalities, Modality};
use crate::units::Turn;

/// How far the session has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The transport is not open yet.
    #[default]
    Idle,
    /// `session.start` is sent, `session.established` has not come.
    Starting,
    /// Turns can be sent.
    Live,
    /// Over; a new session is a new value.
    Ended,
}

/// The one active run (§ Session and input, R14, R15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// No turn is being processed.
    #[default]
    Idle,
    /// A turn was sent, `run.started` has not come.
    InFlight {
        /// The turn.
        turn: Turn,
    },
    /// The agent is answering.
    Running {
        /// The turn; `None` for a run that no turn of ours has started.
        turn: Option<Turn>,
    },
    /// `response.cancel` was sent, the run has not ended.
    Cancelling {
        /// The turn; `None` for a run that no turn of ours has started.
        turn: Option<Turn>,
        /// Whether `run.started` has come.
        started: bool,
        /// When the run is taken as ended all the same (R15), as time of the session.
        until: Duration,
    },
}

impl RunState {
    /// Whether a turn must wait.
    pub const fn is_active(self) -> bool {
        !matches!(self, Self::Idle)
    }

    /// The turn in it, if there is one.
    pub const fn turn(self) -> Option<Turn> {
        match self {
            Self::Idle => None,
            Self::InFlight { turn } => Some(turn),
            Self::Running { turn } | Self::Cancelling { turn, .. } => turn,
        }
    }
}

/// The one open audio turn (§ WebSocket and WebRTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioTurn {
    /// Its number.
    pub turn: Turn,
    /// Since when it is open, as time of the session.
    pub since: Duration,
}

/// The one request of the agent (§ Agent-requested collection).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Opaque.
    pub interaction_id: String,
    /// What it asks for.
    pub modality: Modality,
    /// Text from the agent, for the screen.
    pub prompt: String,
    /// Whether it can be answered.
    pub state: PendingState,
}

/// Whether a request can be answered (R25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingState {
    /// It can be answered.
    Open,
    /// An answer was sent; `interaction.resolved` has not come.
    Awaiting,
}

/// The object that the conversation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    /// The exact reference.
    pub object_ref: String,
    /// What carried it.
    pub carrier: Carrier,
    /// How far it is trusted.
    pub assurance: Assurance,
}

/// What the agent would remember, as the user asked for it (R32). Not yet stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The exact object that it is tied to.
    pub object_ref: String,
    /// The label that the user gave.
    pub label: String,
}

/// A turn that waits for the end of the active run (R14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// A text.
    Say(String),
    /// An observation with these modalities.
    Show(Modalities),
}

/// The times of one turn, as time of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The turn.
    pub turn: Turn,
    /// The user's key.
    pub asked: Duration,
    /// The message was handed to the transport.
    pub sent: Duration,
    /// `run.started` came.
    pub started: Option<Duration>,
    /// The first `text.delta` with text came.
    pub first_text: Option<Duration>,
    /// `run.completed` or `failure` came.
    pub completed: Option<Duration>,
}

/// A snapshot of a session. Its texts come from outside and are not yet made safe to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionView {
    /// How far it has come.
    pub phase: Phase,
    /// Its id.
    pub session_id: String,
    /// The usable modalities.
    pub negotiated: Modalities,
    /// The last turn sent; 0 before the first.
    pub last_turn: u64,
    /// The active run.
    pub run: RunState,
    /// The open audio turn.
    pub audio: Option<AudioTurn>,
    /// The held turn.
    pub held: Option<Held>,
    /// The pending request.
    pub pending: Option<Pending>,
    /// The object in focus.
    pub focus: Option<Focus>,
    /// The proposal.
    pub proposal: Option<Proposal>,
    /// The times of the last turn.
    pub latency: Option<Latency>,
}
