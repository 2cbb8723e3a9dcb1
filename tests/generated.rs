//! Files that are made from the code stand in the repository, and differ from the code never.
//!
//! `AGENTCALL_BLESS=1 cargo test --test generated` (`make generate`) writes them anew.

#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

use std::path::Path;

use agentcall::discovery::CardRecord;
use agentcall::protocol::card::CardExtension;
use agentcall::protocol::client::{ClientMessage, SessionStart, UserTurn};
use agentcall::protocol::observation::{
    Assurance, Carrier, ImageData, ImageInput, Intent, ObjectInput, Observation, Passport,
};
use agentcall::protocol::{Dialect, Envelope, schema, sha256_hex};
use agentcall::redact::ImageBytes;
use agentcall::trace::output::{self, OutputLine};
use serde_json::{Value, json};

/// Compares a file below the crate with what the code makes of it; writes it when `AGENTCALL_BLESS=1`.
fn check_or_bless(path: &str, content: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("AGENTCALL_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        return std::fs::write(&file, content).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(there == content, "{path} differs from the code that it is made from: run `make generate`");
}

fn schemas() -> Vec<(&'static str, Value)> {
    let mut all = schema::all();
    all.push(output::schema::<CardRecord>());
    all
}

fn validator(name: &str) -> jsonschema::Validator {
    let (_, schema) = schemas().into_iter().find(|(other, _)| *other == name).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[track_caller]
fn fits(validator: &jsonschema::Validator, value: &Value) {
    let errors: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{value}\n{}", errors.join("\n"));
}

#[test]
fn the_schemas_are_up_to_date() {
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        check_or_bless(&format!("assets/schemas/{name}.schema.json"), &text);
    }
}

#[test]
fn every_schema_is_one_of_draft_2020_12_and_says_what_it_is() {
    for (name, schema) in schemas() {
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], format!("urn:agentcall-tui:schema:{name}"));
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{name}");
    }
}

fn observation() -> Observation {
    let jpeg = vec![0xFF_u8; 300];
    let passport =
        br#"{"schemaVersion":"0.1","title":"x","actions":[{"requiresConfirmation":true,"name":"reboot"}]}"#;
    Observation {
        schema_version: "0.1".to_owned(),
        observation_id: "scan-1".to_owned(),
        captured_at: "2026-09-07T10:00:00Z".to_owned(),
        intent: Intent::Act,
        object: Some(ObjectInput {
            object_ref: "urn:agentcall:object:router".to_owned(),
            carrier: Carrier::Ndef,
            assurance: Assurance::UnverifiedTag,
            payload_sha256: sha256_hex(b"x"),
            passport: Some(Passport::parse(passport).unwrap()),
        }),
        image: Some(ImageInput {
            media_type: "image/jpeg".to_owned(),
            data: ImageData::encode(&ImageBytes::new(jpeg.clone())),
            byte_count: 300,
            sha256: sha256_hex(&jpeg),
            pixel_width: 4,
            pixel_height: 3,
        }),
    }
}

#[test]
fn what_we_send_fits_the_schemas() {
    let client = validator("agentcall-agui-ws-client-0.1");
    let shown = agentcall::protocol::client::UserObservation {
        turn: 1,
        interaction_id: Some("ix-1".to_owned()),
        observation: observation(),
    };
    for message in [
        ClientMessage::SessionStart(SessionStart {
            session_id: "proof-1".to_owned(),
            client_capabilities: Default::default(),
        }),
        ClientMessage::UserTurn(UserTurn { turn: 1, text: "Hello".to_owned(), context: vec![] }),
        ClientMessage::UserObservation(shown),
        ClientMessage::Ack { sequence: 1 },
        ClientMessage::ResponseCancel,
        ClientMessage::SessionEnd,
        ClientMessage::AudioTurnStart { turn: 1 },
        ClientMessage::AudioTurnCommit { turn: 1 },
        ClientMessage::AudioTurnCancel { turn: 1 },
    ] {
        fits(&client, &message.encode(&Dialect::default()));
    }
    fits(&validator("agentcall-physical-observation-0.1"), &serde_json::to_value(observation()).unwrap());
    let passport = observation().object.unwrap().passport.unwrap();
    fits(&validator("agentcall-object-passport-0.1"), &serde_json::to_value(passport).unwrap());
}

#[test]
fn the_examples_of_the_profile_fit() {
    fits(
        &validator("agentcall-agui-ws-client-0.1"),
        &json!({"type": "session.start", "sessionId": "proof-1", "clientCapabilities": {"physicalObservations": {"modalities": ["nfc", "photo"]}}}),
    );
    fits(
        &validator("agentcall-events-0.1"),
        &json!({"sequence": 1, "event": {"type": "session.established", "resumed": false}}),
    );
    let card = json!({
        "uri": "https://agentcall.smartycode.com/ext/agentcall-agui/0.1", "description": "x", "required": false,
        "params": {"schemaVersion": "0.1", "agui": {"url": "https://agent.example/agui", "transport": "websocket", "session": {"resume": false, "replay": false}},
            "voice": {"owner": "client"}, "physicalObservations": {"accepted": ["nfc", "photo"], "agentRequests": ["nfc", "photo"]}}
    });
    fits(&validator("agentcall-card-0.1"), &card);
    assert!(serde_json::from_value::<CardExtension>(card).is_ok());
}

/// What the decoders take and what the schemas take is the same for a message of the profile.
#[test]
fn the_schemas_refuse_what_breaks_them() {
    for (name, pointer, value) in [
        ("agentcall-physical-observation-0.1", "/schemaVersion", json!("0.2")),
        ("agentcall-physical-observation-0.1", "/observationId", json!("")),
        ("agentcall-physical-observation-0.1", "/intent", json!("buy")),
        ("agentcall-physical-observation-0.1", "/object/payloadSha256", json!("A")),
        ("agentcall-physical-observation-0.1", "/object/passport/schemaVersion", json!("1")),
        (
            "agentcall-physical-observation-0.1",
            "/object/passport/actions/0/requiresConfirmation",
            json!(false),
        ),
        ("agentcall-physical-observation-0.1", "/object", json!(null)),
        ("agentcall-physical-observation-0.1", "/image/mediaType", json!("image/png")),
        ("agentcall-physical-observation-0.1", "/image/byteCount", json!(61441)),
        ("agentcall-physical-observation-0.1", "/image/pixelWidth", json!(1025)),
    ] {
        let mut broken = serde_json::to_value(observation()).unwrap();
        *broken.pointer_mut(pointer).unwrap() = value;
        assert!(!validator(name).is_valid(&broken), "{pointer}");
    }
    let mut empty = serde_json::to_value(observation()).unwrap();
    empty.as_object_mut().unwrap().retain(|name, _| name != "object" && name != "image");
    assert!(!validator("agentcall-physical-observation-0.1").is_valid(&empty));
    let client = validator("agentcall-agui-ws-client-0.1");
    for broken in [
        json!({"type": "user.shout"}),
        json!({"type": "user.turn", "turn": 0, "text": "x"}),
        json!({"type": "user.turn", "turn": 1, "text": ""}),
        json!({"type": "session.start", "sessionId": "a b"}),
        json!({"type": "session.start", "sessionId": "a", "clientCapabilities": {"physicalObservations": {"modalities": ["nfc", "nfc"]}}}),
    ] {
        assert!(!client.is_valid(&broken), "{broken}");
    }
}

#[test]
fn every_event_that_the_agent_side_writes_fits() {
    let events = validator("agentcall-events-0.1");
    for event in [
        json!({"type": "session.established", "resumed": false}),
        json!({"type": "run.started"}),
        json!({"type": "text.delta", "text": "Hi"}),
        json!({"type": "speech.segment", "segmentId": "s1", "text": "Hi.", "stable": true}),
        json!({"type": "run.completed"}),
        json!({"type": "failure", "code": "run_active", "message": "No."}),
        json!({"type": "interaction.requested", "interactionId": "ix-1", "kind": "physical.nfc.scan", "prompt": "Scan", "spokenPrompt": "Scan", "options": [], "allowsFreeform": false}),
        json!({"type": "interaction.resolved", "interactionId": "ix-1", "outcome": "answered"}),
    ] {
        let text = json!({"sequence": 1, "event": event}).to_string();
        let written =
            Envelope::decode(&text, &Dialect::default()).unwrap().message.encode(&Dialect::default());
        fits(&events, &written);
    }
    assert!(!events.is_valid(&json!({"sequence": 0, "event": {"type": "run.started"}})));
}

#[test]
fn every_kind_of_output_line_fits() {
    use agentcall::discovery::{CardContext, validate};
    use output::{
        CardLine, Direction, ErrorLine, ErrorRecord, FindingLine, FrameLine, SessionLine, SessionRecord,
        StepLine,
    };
    let t = output::Seconds::from(std::time::Duration::from_millis(1500));
    let report = validate(b"{}", &CardContext::default());
    let finding = (&report.refusals[0]).into();
    let error = ErrorRecord { kind: "card".to_owned(), message: "No.".to_owned(), hint: None };
    let session =
        SessionRecord { state: "open".to_owned(), reason: None, modalities: Some(vec!["nfc".to_owned()]) };
    let step = StepLine {
        t,
        step: 1,
        ok: false,
        verb: Some("say".to_owned()),
        detail: Some("x".to_owned()),
        file: None,
        line: Some(3),
    };
    let validator = validator("output");
    for (line, text) in [
        (
            OutputLine::Frame(FrameLine {
                t,
                dir: Direction::Out,
                frame: json!({"type": "ack"}),
                deliberate: false,
            }),
            r#"{"t":1.5,"dir":"out","frame":{"type":"ack"}}"#,
        ),
        (OutputLine::Step(step), r#"{"t":1.5,"step":1,"ok":false,"verb":"say","detail":"x","line":3}"#),
        (
            OutputLine::Session(SessionLine { t, session }),
            r#"{"t":1.5,"session":{"state":"open","modalities":["nfc"]}}"#,
        ),
        (OutputLine::Error(ErrorLine { error }), r#"{"error":{"kind":"card","message":"No."}}"#),
        (OutputLine::Finding(FindingLine { t: None, finding }), r#"{"finding":{"id":"CARD-3","#),
        (OutputLine::Card(CardLine { card: report.record() }), r#"{"card":{"usable":false,"#),
    ] {
        let line = line.to_line();
        assert!(line.starts_with(text), "{line}");
        fits(&validator, &serde_json::from_str(&line).unwrap());
    }
}

#[test]
fn the_configuration_page_is_up_to_date() {
    check_or_bless("docs/configuration.md", &agentcall::config::docs::markdown());
}

#[test]
fn the_page_of_keys_is_up_to_date() {
    check_or_bless("docs/keys.md", &agentcall::command::docs::keys_markdown());
}

#[test]
fn the_page_of_scenarios_is_up_to_date() {
    check_or_bless("docs/scenarios.md", &agentcall::scenario::grammar::markdown());
}

#[test]
fn the_page_of_rules_is_up_to_date() {
    check_or_bless("docs/rules.md", &agentcall::protocol::rules::markdown());
}

#[test]
fn the_example_of_a_passport_is_one() {
    let bytes =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/passports/router.json")).unwrap();
    let passport = Passport::parse(&bytes).unwrap();
    assert_eq!(passport.actions.len(), 1);
    fits(&validator("agentcall-object-passport-0.1"), &serde_json::to_value(passport).unwrap());
}
