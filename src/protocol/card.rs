//! The AgentCall extension inside an A2A Agent Card (§ Discovery), and what a valid card comes down to.
//!
//! These are the shapes only; `discovery` applies the rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::modality::{Modalities, Modality};

/// The canonical extension URI (§ Version and migration).
pub const CANONICAL_URI: &str = "https://agentcall.smartycode.com/ext/agentcall-agui/0.1";
/// The previous identifier, accepted as an alias (§ Version and migration).
pub const LEGACY_URI: &str = "https://agentcall.invalid/ext/agentcall-agui/0.1";
/// The only `schemaVersion` there is.
pub const SCHEMA_VERSION: &str = "0.1";
/// `transport` of the WebSocket binding.
pub const WEBSOCKET: &str = "websocket";
/// `transport` of the WebRTC binding.
pub const WEBRTC: &str = "webrtc";
/// `profile` of the WebRTC binding.
pub const WEBRTC_PROFILE: &str = "agentcall-webrtc-0.1";

/// The extension as it stands in `capabilities.extensions[]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardExtension {
    /// The canonical URI, or the legacy one as an alias.
    #[schemars(extend("enum" = [CANONICAL_URI, LEGACY_URI]))]
    pub uri: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a client that does not know the extension must stay away.
    #[serde(default)]
    pub required: bool,
    /// What the agent offers.
    pub params: ExtensionParams,
}

/// `params` of the extension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionParams {
    /// Always `"0.1"`.
    #[schemars(extend("const" = "0.1"))]
    pub schema_version: String,
    /// Where and how to talk.
    pub agui: AguiEndpoint,
    /// Who speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voice: Option<Voice>,
    /// What may be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_observations: Option<PhysicalObservations>,
}

/// `params.agui`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AguiEndpoint {
    /// An https URL (R23).
    #[schemars(regex(pattern = r"^https?://"))]
    pub url: String,
    /// `websocket` or `webrtc`; others are named in the refusal (R20).
    #[schemars(extend("enum" = [WEBSOCKET, WEBRTC]))]
    pub transport: String,
    /// Resume and replay, both false (R26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionOffer>,
    /// Required for the transport `webrtc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webrtc: Option<WebRtcOffer>,
}

/// `params.agui.session`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOffer {
    /// Whether the agent can resume; this client never does.
    #[serde(default)]
    pub resume: bool,
    /// Whether the agent can replay; this client never asks.
    #[serde(default)]
    pub replay: bool,
}

/// `params.agui.webrtc` (R31: named members exact, unknown ones ignored).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebRtcOffer {
    /// Always `agentcall-webrtc-0.1`.
    #[schemars(extend("const" = WEBRTC_PROFILE))]
    pub profile: String,
    /// Opus, 48,000 Hz, one channel, both ways.
    pub audio: AudioOffer,
    /// The data channel.
    pub events: EventsOffer,
    /// Whether explicit audio turns are understood (R3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_explicit_turns: Option<bool>,
}

impl WebRtcOffer {
    /// What the profile asks for, word for word, with explicit turns.
    pub fn of_profile() -> Self {
        let owned = |text: &str| text.to_owned();
        Self {
            profile: owned(WEBRTC_PROFILE),
            audio: AudioOffer {
                codec: owned("opus"),
                clock_rate_hz: 48_000,
                channels: 1,
                direction: owned("sendrecv"),
            },
            events: EventsOffer {
                transport: owned("datachannel"),
                label: owned("agentcall.events"),
                protocol: owned("agentcall-agui-dc-0.1"),
                ordered: true,
            },
            supports_explicit_turns: Some(true),
        }
    }
}

/// `params.agui.webrtc.audio`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AudioOffer {
    /// Always `opus`.
    #[schemars(extend("const" = "opus"))]
    pub codec: String,
    /// Always 48000.
    #[schemars(extend("const" = 48000))]
    pub clock_rate_hz: u32,
    /// Always 1.
    #[schemars(extend("const" = 1))]
    pub channels: u32,
    /// Always `sendrecv`.
    #[schemars(extend("const" = "sendrecv"))]
    pub direction: String,
}

/// `params.agui.webrtc.events`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventsOffer {
    /// Always `datachannel`.
    #[schemars(extend("const" = "datachannel"))]
    pub transport: String,
    /// Always `agentcall.events`.
    #[schemars(extend("const" = "agentcall.events"))]
    pub label: String,
    /// Always `agentcall-agui-dc-0.1`.
    #[schemars(extend("const" = "agentcall-agui-dc-0.1"))]
    pub protocol: String,
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ordered: bool,
}

/// `params.voice`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Voice {
    /// `client` or `agent` (R21).
    #[schemars(extend("enum" = ["client", "agent"]))]
    pub owner: String,
}

/// `params.physicalObservations`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalObservations {
    /// What the agent accepts: unique, at most two.
    #[serde(default)]
    #[schemars(length(max = 2), extend("uniqueItems" = true))]
    pub accepted: Vec<Modality>,
    /// What the agent may ask for: unique, at most two, all accepted.
    #[serde(default)]
    #[schemars(length(max = 2), extend("uniqueItems" = true))]
    pub agent_requests: Vec<Modality>,
}

/// The two transport profiles that carry physical inputs (§ Discovery).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportProfile {
    /// `agentcall-agui-ws-0.1`.
    WebSocket,
    /// `agentcall-webrtc-0.1`.
    WebRtc,
}

/// What a valid card comes down to: everything that a session needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The agent's name, as it came.
    pub agent_name: String,
    /// The endpoint as advertised, an http(s) URL.
    pub url: String,
    /// How to talk.
    pub transport: TransportProfile,
    /// What the agent accepts.
    pub accepted: Modalities,
    /// What the agent may ask for; a subset of `accepted`.
    pub agent_requests: Modalities,
    /// `client`, `agent`, or nothing.
    pub voice_owner: Option<String>,
    /// Whether explicit audio turns are understood.
    pub explicit_turns: bool,
    /// Whether the card's security names an HTTP bearer scheme (R17).
    pub needs_bearer: bool,
}
