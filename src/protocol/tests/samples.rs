//! Messages that keep every rule, for the other tests to break one thing at a time.

use crate::protocol::client::{
    AudioTurnControl, ClientCapabilities, ClientMessage, ContextEntry, PhysicalCapabilities, SessionStart,
    UserObservation, UserTurn,
};
use crate::protocol::observation::{
    Assurance, Carrier, ImageData, ImageInput, Intent, ObjectInput, Observation, Passport,
};
use crate::protocol::{Modality, sha256_hex};
use crate::redact::ImageBytes;

pub fn passport() -> Passport {
    let text = r#"{"schemaVersion":"0.1","title":"Router","actions":[{"name":"reboot","requiresConfirmation":true}]}"#;
    Passport::parse(text.as_bytes()).unwrap()
}

pub fn object() -> ObjectInput {
    ObjectInput {
        object_ref: "urn:agentcall:object:workshop-router".to_owned(),
        carrier: Carrier::Ndef,
        assurance: Assurance::UnverifiedTag,
        payload_sha256: sha256_hex(b"carrier"),
        passport: None,
    }
}

/// Bytes that pass for a JPEG wherever nobody decodes them.
pub fn image_of(bytes: &[u8]) -> ImageInput {
    ImageInput {
        media_type: "image/jpeg".to_owned(),
        data: ImageData::encode(&ImageBytes::new(bytes.to_vec())),
        byte_count: bytes.len() as u64,
        sha256: sha256_hex(bytes),
        pixel_width: 640,
        pixel_height: 480,
    }
}

pub fn image() -> ImageInput {
    image_of(&(0..3000_u32).map(|n| (n * 31 % 251) as u8).collect::<Vec<u8>>())
}

pub fn observation() -> Observation {
    Observation {
        schema_version: "0.1".to_owned(),
        observation_id: "scan-1".to_owned(),
        captured_at: "2026-09-07T10:00:00Z".to_owned(),
        intent: Intent::Identify,
        object: Some(object()),
        image: Some(image()),
    }
}

pub fn start() -> SessionStart {
    SessionStart {
        session_id: "proof-1".to_owned(),
        client_capabilities: ClientCapabilities {
            physical_observations: Some(PhysicalCapabilities { modalities: Modality::ALL.to_vec() }),
            audio_turn_control: Some(AudioTurnControl { mode: "explicit".to_owned() }),
        },
    }
}

pub fn turn() -> UserTurn {
    let context = ContextEntry { description: "physical focus".to_owned(), value: "urn:x:y".to_owned() };
    UserTurn { turn: 2, text: "What is this?".to_owned(), context: vec![context] }
}

pub fn shown() -> UserObservation {
    let mut observation = observation();
    observation.object = Some(ObjectInput { passport: Some(passport()), ..object() });
    UserObservation { turn: 1, interaction_id: Some("ix-1".to_owned()), observation }
}

/// One of each client message.
pub fn messages() -> Vec<ClientMessage> {
    vec![
        ClientMessage::SessionStart(start()),
        ClientMessage::UserTurn(turn()),
        ClientMessage::UserObservation(shown()),
        ClientMessage::Ack { sequence: 1 },
        ClientMessage::ResponseCancel,
        ClientMessage::SessionEnd,
        ClientMessage::AudioTurnStart { turn: 3 },
        ClientMessage::AudioTurnCommit { turn: 3 },
        ClientMessage::AudioTurnCancel { turn: 3 },
    ]
}
