//! The agent's own A2A 1.0 card (§ Discovery).
//!
//! `supportedInterfaces` is empty, because the agent speaks no A2A transport and the profile forbids
//! invented entries (R28).

use serde_json::{Value, json};

use crate::protocol::card::{
    AguiEndpoint, CANONICAL_URI, CardExtension, ExtensionParams, LEGACY_URI, PhysicalObservations,
    SCHEMA_VERSION, SessionOffer, TransportProfile, Voice, WEBRTC, WEBSOCKET, WebRtcOffer,
};
use crate::protocol::{Modalities, Modality};

/// The agent's name.
pub const NAME: &str = "Workshop agent";

/// What the card says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardOptions {
    /// How to talk to it.
    pub transport: TransportProfile,
    /// What the agent accepts and may ask for; nothing makes it text-only.
    pub accepted: Modalities,
    /// What the agent may ask for.
    pub agent_requests: Modalities,
    /// Whether the legacy URI identifies the extension (§ Version and migration).
    pub legacy_uri: bool,
    /// Whether a bearer token is required (R17).
    pub bearer: bool,
}

/// The card, for an endpoint at `agui_url`, which is an http or https URL (R23).
pub fn card(options: &CardOptions, agui_url: &str) -> Value {
    let mut card = json!({
        "name": NAME,
        "description": "Reference agent of the AgentCall AG-UI extension: talks, asks for tags and photos, and \
                        remembers what a tag is called for as long as the session lasts.",
        "version": env!("CARGO_PKG_VERSION"),
        "supportedInterfaces": [],
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extensions": [extension(options, agui_url)],
        },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": skills(options.accepted),
    });
    if options.bearer {
        card["securitySchemes"] = json!({ "bearer": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } });
        card["securityRequirements"] = json!([{ "schemes": { "bearer": { "list": [] } } }]);
    }
    card
}

fn extension(options: &CardOptions, agui_url: &str) -> CardExtension {
    let is_call = options.transport == TransportProfile::WebRtc;
    let physical = (!options.accepted.is_empty()).then(|| PhysicalObservations {
        accepted: options.accepted.iter().collect(),
        agent_requests: options.accepted.intersection(options.agent_requests).iter().collect(),
    });
    CardExtension {
        uri: if options.legacy_uri { LEGACY_URI } else { CANONICAL_URI }.to_owned(),
        description: Some(description(options.accepted).to_owned()),
        required: false,
        params: ExtensionParams {
            schema_version: SCHEMA_VERSION.to_owned(),
            agui: AguiEndpoint {
                url: agui_url.to_owned(),
                transport: if is_call { WEBRTC } else { WEBSOCKET }.to_owned(),
                session: Some(SessionOffer { resume: false, replay: false }),
                webrtc: is_call.then(WebRtcOffer::of_profile),
            },
            voice: Some(Voice { owner: if is_call { "agent" } else { "client" }.to_owned() }),
            physical_observations: physical,
        },
    }
}

const fn description(accepted: Modalities) -> &'static str {
    if accepted.is_empty() {
        "AgentCall AG-UI extension 0.1: public base"
    } else {
        "AgentCall AG-UI extension 0.1: public base and physical observations"
    }
}

fn skills(accepted: Modalities) -> Value {
    let mut skills = vec![json!({
        "id": "talk",
        "name": "Talk",
        "description": "Small talk in text; \"help\" lists what it understands.",
        "tags": ["text"],
        "examples": ["help", "tell a story"],
    })];
    if accepted.contains(Modality::Nfc) {
        skills.push(json!({
            "id": "teach",
            "name": "Remember objects",
            "description": "Remembers what a scanned tag is called, after a proposal and a confirmation, until \
                            the session ends.",
            "tags": ["nfc"],
            "examples": ["scan an object", "teach object Workshop router", "confirm object"],
        }));
    }
    if accepted.contains(Modality::Photo) {
        skills.push(json!({
            "id": "look",
            "name": "Look at a photo",
            "description": "Verifies a photo and says its facts; keeps nothing.",
            "tags": ["photo"],
            "examples": ["take a photo"],
        }));
    }
    Value::Array(skills)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(accepted: Modalities) -> CardOptions {
        let transport = TransportProfile::WebSocket;
        CardOptions { transport, accepted, agent_requests: accepted, legacy_uri: false, bearer: false }
    }

    #[test]
    fn the_extension_reads_back_as_the_profile_shows_it() {
        let card = card(&options(Modalities::BOTH), "https://agent.example/agui");
        let profile = json!({
            "uri": "https://agentcall.smartycode.com/ext/agentcall-agui/0.1",
            "description": "AgentCall AG-UI extension 0.1: public base and physical observations",
            "required": false,
            "params": {
                "schemaVersion": "0.1",
                "agui": {
                    "url": "https://agent.example/agui",
                    "transport": "websocket",
                    "session": { "resume": false, "replay": false }
                },
                "voice": { "owner": "client" },
                "physicalObservations": { "accepted": ["nfc", "photo"], "agentRequests": ["nfc", "photo"] }
            }
        });
        assert_eq!(card["capabilities"]["extensions"], json!([profile]));
    }

    #[test]
    fn the_card_of_calls_has_the_exact_objects_and_explicit_turns() {
        let options = CardOptions { transport: TransportProfile::WebRtc, ..options(Modalities::BOTH) };
        let params =
            card(&options, "https://agent.example/agui")["capabilities"]["extensions"][0]["params"].take();
        assert_eq!(
            (&params["agui"]["transport"], &params["voice"]["owner"]),
            (&json!("webrtc"), &json!("agent"))
        );
        let profile = json!({
            "profile": "agentcall-webrtc-0.1",
            "audio": { "codec": "opus", "clockRateHz": 48000, "channels": 1, "direction": "sendrecv" },
            "events": {
                "transport": "datachannel",
                "label": "agentcall.events",
                "protocol": "agentcall-agui-dc-0.1",
                "ordered": true
            },
            "supportsExplicitTurns": true
        });
        assert_eq!(params["agui"]["webrtc"], profile);
    }

    #[test]
    fn without_modalities_the_card_declares_none_and_offers_no_such_skill() {
        let card = card(&options(Modalities::NONE), "https://agent.example/agui");
        assert_eq!(card.pointer("/capabilities/extensions/0/params/physicalObservations"), None);
        assert_eq!(card["skills"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn it_asks_only_for_what_it_accepts() {
        let nfc = Modalities::NONE.with(Modality::Nfc);
        let card =
            card(&CardOptions { agent_requests: Modalities::BOTH, ..options(nfc) }, "https://a.example/");
        let physical = card.pointer("/capabilities/extensions/0/params/physicalObservations").cloned();
        assert_eq!(physical, Some(json!({ "accepted": ["nfc"], "agentRequests": ["nfc"] })));
    }

    #[test]
    fn the_legacy_uri_stands_alone() {
        let card = card(&CardOptions { legacy_uri: true, ..options(Modalities::BOTH) }, "https://a.example/");
        let extensions = &card["capabilities"]["extensions"];
        assert_eq!((extensions[0]["uri"].as_str(), extensions[1].as_str()), (Some(LEGACY_URI), None));
    }
}
