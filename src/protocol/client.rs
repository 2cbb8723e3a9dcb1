//! What a client says (§ Session and input; § WebSocket and WebRTC for audio turns).

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect::Dialect;
use super::finding::{Decoded, Finding};
use super::modality::Modality;
use super::observation::Observation;
use super::{bounds, json, rules, shape};

/// One client message. `Serialize` writes the default names; [`ClientMessage::encode`] those of a dialect.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
#[expect(clippy::large_enum_variant, reason = "messages are made one at a time and never kept in numbers")]
pub enum ClientMessage {
    /// The first message of a session.
    #[serde(rename = "session.start")]
    SessionStart(SessionStart),
    /// A turn of text.
    #[serde(rename = "user.turn")]
    UserTurn(UserTurn),
    /// A turn that shows an object or an image.
    #[serde(rename = "user.observation")]
    UserObservation(UserObservation),
    /// Acknowledges every envelope up to a sequence (R16).
    #[serde(rename = "ack")]
    Ack {
        /// The newest sequence acted on.
        #[schemars(range(min = 1))]
        sequence: u64,
    },
    /// Cancels the active run and the pending collection or proposal.
    #[serde(rename = "response.cancel")]
    ResponseCancel,
    /// Cancels pending work and closes the session.
    #[serde(rename = "session.end")]
    SessionEnd,
    /// Opens an audio turn (R5).
    #[serde(rename = "audio.turn.start")]
    AudioTurnStart {
        /// From the shared counter.
        #[schemars(range(min = 1))]
        turn: u64,
    },
    /// Commits an audio turn (R5).
    #[serde(rename = "audio.turn.commit")]
    AudioTurnCommit {
        /// The turn that was opened.
        #[schemars(range(min = 1))]
        turn: u64,
    },
    /// Cancels an audio turn (R5).
    #[serde(rename = "audio.turn.cancel")]
    AudioTurnCancel {
        /// The turn that was opened.
        #[schemars(range(min = 1))]
        turn: u64,
    },
}

/// `session.start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStart {
    /// Fresh and random, at most 128 characters of `A–Z a–z 0–9 - _` (R29).
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,128}$"))]
    pub session_id: String,
    /// What this client can do; missing means the empty set.
    #[serde(default, skip_serializing_if = "ClientCapabilities::is_empty")]
    pub client_capabilities: ClientCapabilities,
}

/// What a client can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// The physical modalities; missing means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_observations: Option<PhysicalCapabilities>,
    /// Explicit audio turns (R4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio_turn_control: Option<AudioTurnControl>,
}

impl ClientCapabilities {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.physical_observations.is_none() && self.audio_turn_control.is_none()
    }
}

/// The physical modalities of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhysicalCapabilities {
    /// Unique, at most two.
    #[schemars(length(max = 2), extend("uniqueItems" = true))]
    pub modalities: Vec<Modality>,
}

/// `{"mode":"explicit"}` (R4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AudioTurnControl {
    /// Always `explicit`.
    #[schemars(extend("const" = "explicit"))]
    pub mode: String,
}

/// `user.turn`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserTurn {
    /// From the shared counter, strictly increasing.
    #[schemars(range(min = 1))]
    pub turn: u64,
    /// 1 to 8,192 characters (R11).
    #[schemars(length(min = 1, max = 8192))]
    pub text: String,
    /// Bounded facts, never instructions (R22).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub context: Vec<ContextEntry>,
}

/// One Context entry of AG-UI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextEntry {
    /// What it is, at most 256 characters (R11).
    #[schemars(length(max = 256))]
    pub description: String,
    /// Its value, at most 2,048 characters (R11).
    #[schemars(length(max = 2048))]
    pub value: String,
}

/// `user.observation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserObservation {
    /// From the shared counter, strictly increasing.
    #[schemars(range(min = 1))]
    pub turn: u64,
    /// The pending interaction that this answers (R7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub interaction_id: Option<String>,
    /// What is shown.
    pub observation: Observation,
}

impl ClientMessage {
    /// The default `type` on the wire.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::SessionStart(_) => "session.start",
            Self::UserTurn(_) => "user.turn",
            Self::UserObservation(_) => "user.observation",
            Self::Ack { .. } => "ack",
            Self::ResponseCancel => "response.cancel",
            Self::SessionEnd => "session.end",
            Self::AudioTurnStart { .. } => "audio.turn.start",
            Self::AudioTurnCommit { .. } => "audio.turn.commit",
            Self::AudioTurnCancel { .. } => "audio.turn.cancel",
        }
    }

    /// The turn it carries, if it is a turn.
    pub const fn turn(&self) -> Option<u64> {
        match self {
            Self::UserTurn(UserTurn { turn, .. })
            | Self::UserObservation(UserObservation { turn, .. })
            | Self::AudioTurnStart { turn }
            | Self::AudioTurnCommit { turn }
            | Self::AudioTurnCancel { turn } => Some(*turn),
            _ => None,
        }
    }

    /// The JSON of this message in the names of `dialect`.
    pub fn encode(&self, dialect: &Dialect) -> Value {
        let mut value = serde_json::to_value(self).expect("client messages have only string keys");
        dialect.outgoing(&mut value);
        value
    }

    /// Reads one client message: what an agent does with a text frame.
    ///
    /// # Errors
    /// [`rules::FRAME_SIZE`], [`rules::FRAME_JSON`], [`rules::FRAME_DEPTH`] or [`rules::MSG_KNOWN`], with
    /// the place. The text of the error never repeats a value from the frame.
    pub fn decode(text: &str, dialect: &Dialect) -> Result<Decoded<Self>, Finding> {
        if text.len() > bounds::FRAME_BYTES {
            return Err(Finding::new(&rules::FRAME_SIZE, format!("it has {} bytes", text.len())));
        }
        let json::Parsed { value, findings } = json::parse(text)?;
        let mut canonical = value.clone();
        dialect.incoming(&mut canonical);
        let message = Self::from_value(canonical)?;
        Ok(Decoded { message, value: value.into(), findings })
    }

    fn from_value(value: Value) -> Result<Self, Finding> {
        let Some(kind) = value.get("type").and_then(Value::as_str).map(str::to_owned) else {
            return Err(Finding::at(&rules::MSG_KNOWN, "/type", "expected an object with a string type"));
        };
        shape::objects(&value, &OBJECTS)
            .map_err(|mismatch| Finding::at(&rules::MSG_KNOWN, mismatch.pointer, mismatch.detail))?;
        #[derive(Deserialize)]
        struct Acked {
            sequence: u64,
        }
        #[derive(Deserialize)]
        struct Turned {
            turn: u64,
        }
        Ok(match kind.as_str() {
            "session.start" => Self::SessionStart(body(value)?),
            "user.turn" => Self::UserTurn(body(value)?),
            "user.observation" => Self::UserObservation(body(value)?),
            "ack" => Self::Ack { sequence: body::<Acked>(value)?.sequence },
            "response.cancel" => Self::ResponseCancel,
            "session.end" => Self::SessionEnd,
            "audio.turn.start" => Self::AudioTurnStart { turn: body::<Turned>(value)?.turn },
            "audio.turn.commit" => Self::AudioTurnCommit { turn: body::<Turned>(value)?.turn },
            "audio.turn.cancel" => Self::AudioTurnCancel { turn: body::<Turned>(value)?.turn },
            _ => return Err(Finding::at(&rules::MSG_KNOWN, "/type", "this message type is not known")),
        })
    }
}

/// Places that hold objects and nothing else.
const OBJECTS: [&str; 7] = [
    "/clientCapabilities",
    "/clientCapabilities/physicalObservations",
    "/clientCapabilities/audioTurnControl",
    "/context/*",
    "/observation",
    "/observation/object",
    "/observation/image",
];

fn body<T: DeserializeOwned>(value: Value) -> Result<T, Finding> {
    shape::read(value).map_err(|mismatch| Finding::at(&rules::MSG_KNOWN, mismatch.pointer, mismatch.detail))
}
