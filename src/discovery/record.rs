//! What came of a card, for programs: the `card` of `agentcall card --json`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CardReport, CardVersion};
use crate::protocol::card::TransportProfile;
use crate::protocol::finding::FindingRecord;

/// One card. Texts of the card are as they came.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRecord {
    /// Whether a session can be opened with it.
    pub usable: bool,
    /// Where it came from; absent for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its size in bytes.
    pub bytes: usize,
    /// The shape of the card: `1.0`, `0.3`, `mixed` or `unknown`.
    pub a2a: &'static str,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the agent is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The version of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// Who provides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// How many skills it lists.
    pub skills: usize,
    /// Its A2A interfaces.
    pub interfaces: Vec<InterfaceRecord>,
    /// The URI under which it declares the AgentCall extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// Its other extensions.
    pub other_extensions: Vec<ExtensionRecord>,
    /// `params.agui.transport`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// The profile that the transport comes down to, for a usable card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<&'static str>,
    /// `params.agui.url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// `params.voice.owner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_owner: Option<String>,
    /// The modalities that the agent accepts.
    pub accepted: Vec<String>,
    /// The modalities that the agent may ask for.
    pub agent_requests: Vec<String>,
    /// The authentication that it asks for, in plain words.
    pub security: Vec<String>,
    /// Whether a bearer token is needed, for a usable card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_bearer: Option<bool>,
    /// Why it was refused, empty when it was not.
    pub refusals: Vec<FindingRecord>,
    /// What was noticed besides.
    pub notes: Vec<FindingRecord>,
}

/// One A2A interface.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InterfaceRecord {
    /// Its URL.
    pub url: String,
    /// Its binding.
    pub binding: String,
    /// Its A2A version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether A2A names the binding.
    pub known: bool,
}

/// One extension that is not AgentCall's.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExtensionRecord {
    /// Its URI.
    pub uri: String,
    /// Whether a client has to know it.
    pub required: bool,
}

impl CardReport {
    /// The same for programs.
    pub fn record(&self) -> CardRecord {
        let summary = self.summary.clone();
        let offer = self.offer.as_ref();
        CardRecord {
            usable: offer.is_some(),
            source: summary.source,
            bytes: summary.bytes,
            a2a: match summary.shape {
                CardVersion::V1_0 => "1.0",
                CardVersion::V0_3 => "0.3",
                CardVersion::Mixed => "mixed",
                CardVersion::Unknown => "unknown",
            },
            name: summary.name,
            description: summary.description,
            agent_version: summary.agent_version,
            provider: summary.provider,
            skills: summary.skills,
            interfaces: summary.interfaces.into_iter().map(interface).collect(),
            extension: summary.extension_uri,
            other_extensions: summary.other_extensions.into_iter().map(extension).collect(),
            transport: summary.transport,
            profile: offer.map(|offer| match offer.transport {
                TransportProfile::WebSocket => "agentcall-agui-ws-0.1",
                TransportProfile::WebRtc => "agentcall-webrtc-0.1",
            }),
            endpoint: summary.endpoint,
            voice_owner: summary.voice_owner,
            accepted: summary.accepted,
            agent_requests: summary.agent_requests,
            security: summary.security,
            needs_bearer: offer.map(|offer| offer.needs_bearer),
            refusals: self.refusals.iter().map(FindingRecord::from).collect(),
            notes: self.notes.iter().map(FindingRecord::from).collect(),
        }
    }
}

fn interface(interface: super::Interface) -> InterfaceRecord {
    let super::Interface { url, binding, version, is_known } = interface;
    InterfaceRecord { url, binding, version, known: is_known }
}

fn extension(extension: super::OtherExtension) -> ExtensionRecord {
    ExtensionRecord { uri: extension.uri, required: extension.required }
}
