use super::samples;
use crate::protocol::client::{ClientMessage, ContextEntry, PhysicalCapabilities};
use crate::protocol::observation::{Assurance, ImageInput, Observation, Passport};
use crate::protocol::{Finding, Modalities, Modality, bounds};

fn line(result: Result<(), Finding>) -> String {
    match result {
        Ok(()) => "fine".to_owned(),
        Err(finding) => format!("{} {}", finding.rule.id, finding.pointer.unwrap_or_default()),
    }
}

#[test]
fn every_sample_keeps_the_rules() {
    for message in samples::messages() {
        assert_eq!(line(message.check(Modalities::BOTH)), "fine", "{}", message.kind());
    }
}

#[test]
fn an_observation_breaks_one_rule_at_a_time() {
    let broken = |change: &dyn Fn(&mut Observation)| {
        let mut observation = samples::observation();
        change(&mut observation);
        line(observation.check(Modalities::BOTH))
    };
    type Change = &'static dyn Fn(&mut Observation);
    let cases: [(Change, &str); 17] = [
        (&|_| {}, "fine"),
        (&|o| (o.object, o.image) = (None, None), "OBS-1 /observation"),
        (&|o| o.schema_version = "0.2".to_owned(), "OBS-9 /observation/schemaVersion"),
        (&|o| o.observation_id.clear(), "OBS-9 /observation/observationId"),
        (&|o| o.observation_id = "i".repeat(129), "OBS-9 /observation/observationId"),
        (&|o| o.captured_at = "yesterday".to_owned(), "OBS-9 /observation/capturedAt"),
        (&|o| o.object.as_mut().unwrap().object_ref.clear(), "OBS-5 /observation/object/objectRef"),
        (&|o| o.object.as_mut().unwrap().object_ref = "u".repeat(513), "OBS-5 /observation/object/objectRef"),
        (&|o| o.object.as_mut().unwrap().object_ref = "ü".repeat(512), "fine"),
        (
            &|o| o.object.as_mut().unwrap().payload_sha256 = "A".repeat(64),
            "OBS-5 /observation/object/payloadSha256",
        ),
        (
            &|o| o.object.as_mut().unwrap().payload_sha256.truncate(63),
            "OBS-5 /observation/object/payloadSha256",
        ),
        (
            &|o| o.object.as_mut().unwrap().assurance = Assurance::SignedTag,
            "OBS-6 /observation/object/assurance",
        ),
        (
            &|o| o.image.as_mut().unwrap().media_type = "image/png".to_owned(),
            "OBS-3 /observation/image/mediaType",
        ),
        (&|o| o.image.as_mut().unwrap().pixel_width = 1025, "OBS-3 /observation/image/pixelWidth"),
        (&|o| o.image.as_mut().unwrap().pixel_height = 0, "OBS-3 /observation/image/pixelHeight"),
        (&|o| o.image.as_mut().unwrap().byte_count += 1, "OBS-4 /observation/image/byteCount"),
        (&|o| o.image.as_mut().unwrap().sha256 = "0".repeat(64), "OBS-4 /observation/image/sha256"),
    ];
    for (at, (change, answer)) in cases.into_iter().enumerate() {
        assert_eq!(broken(change), answer, "case {at}");
    }
}

#[test]
fn an_image_is_strict_base64_within_the_bound() {
    let with_data = |text: &str| {
        let mut value = serde_json::to_value(samples::image()).unwrap();
        value["data"] = text.into();
        let image: ImageInput = serde_json::from_value(value).unwrap();
        line(image.check())
    };
    let place = "OBS-3 /observation/image/data";
    for text in ["", "AAA", "AAA=A", "AB==", "AA\n==", " AAAA", "AA-_", "data:image/jpeg;base64,AAAA"] {
        assert_eq!(with_data(text), place, "{text:?}");
    }
    assert_eq!(line(samples::image_of(&vec![7; bounds::IMAGE_BYTES]).check()), "fine");
    assert_eq!(line(samples::image_of(&vec![7; bounds::IMAGE_BYTES + 1]).check()), place);
}

#[test]
fn an_observation_keeps_to_what_was_negotiated() {
    let both = samples::observation();
    let object = Observation { image: None, ..both.clone() };
    let image = Observation { object: None, ..both.clone() };
    let (nfc, photo) = (Modalities::NONE.with(Modality::Nfc), Modalities::NONE.with(Modality::Photo));
    let (no_object, no_image) = ("OBS-2 /observation/object", "OBS-2 /observation/image");
    for (observation, negotiated, answer) in [
        (&object, nfc, "fine"),
        (&image, photo, "fine"),
        (&both, Modalities::BOTH, "fine"),
        (&object, photo, no_object),
        (&image, nfc, no_image),
        (&both, nfc, no_image),
        (&both, photo, no_object),
        (&both, Modalities::NONE, no_object),
    ] {
        assert_eq!(line(observation.check(negotiated)), answer, "{negotiated}");
    }
}

#[test]
fn captured_at_is_rfc_3339_and_nothing_else() {
    let fits = |text: &str| {
        let observation = Observation { captured_at: text.to_owned(), ..samples::observation() };
        observation.check(Modalities::BOTH).is_ok()
    };
    for good in [
        "2026-09-07T10:00:00Z",
        "2026-09-07t10:00:00z",
        "2026-09-07T10:00:00.123456789012Z",
        "2026-09-07T10:00:00+02:00",
        "2026-12-31T23:59:60Z",
        "2024-02-29T00:00:00-05:30",
    ] {
        assert!(fits(good), "{good}");
    }
    for bad in [
        "",
        "2026-09-07",
        "2026-09-07 10:00:00Z",
        "2026-09-07T10:00:00",
        "2026-09-07T10:00Z",
        "2026-13-07T10:00:00Z",
        "2026-02-30T10:00:00Z",
        "2026-09-07T24:00:00Z",
        "2026-09-07T10:00:00.Z",
        "2026-09-07T10:00:00+0200",
        "2026-09-07T10:00:00Z[UTC]",
        "20260907T100000Z",
        "２026-09-07T10:00:00Z",
        "2026-09-07T10:00:00Zé",
    ] {
        assert!(!fits(bad), "{bad}");
    }
}

#[test]
fn a_text_turn_keeps_its_bounds() {
    let entry = |d: usize, v: usize| ContextEntry { description: "d".repeat(d), value: "v".repeat(v) };
    for (turn, text, context, answer) in [
        (1, "x".to_owned(), vec![], "fine"),
        (0, "x".to_owned(), vec![], "TURN-1 /turn"),
        (1, String::new(), vec![], "TURN-2 /text"),
        (1, "ü".repeat(8192), vec![], "fine"),
        (1, "x".repeat(8193), vec![], "TURN-2 /text"),
        (1, "x".to_owned(), vec![entry(256, 2048); 16], "fine"),
        (1, "x".to_owned(), vec![entry(1, 1); 17], "TURN-3 /context"),
        (1, "x".to_owned(), vec![entry(1, 1), entry(257, 1)], "TURN-3 /context/1/description"),
        (1, "x".to_owned(), vec![entry(1, 2049)], "TURN-3 /context/0/value"),
    ] {
        let message = crate::protocol::client::UserTurn { turn, text, context };
        assert_eq!(line(message.check()), answer);
    }
}

#[test]
fn a_session_start_keeps_its_bounds() {
    for (id, answer) in [
        ("proof-1", "fine"),
        ("A_z-09", "fine"),
        ("", "MSG-1 /sessionId"),
        ("a b", "MSG-1 /sessionId"),
        ("a\r\nX: y", "MSG-1 /sessionId"),
        ("ü", "MSG-1 /sessionId"),
        (&"a".repeat(129), "MSG-1 /sessionId"),
    ] {
        let mut start = samples::start();
        start.session_id = id.to_owned();
        assert_eq!(line(start.check()), answer, "{id:?}");
    }
    let mut start = samples::start();
    start.client_capabilities.physical_observations =
        Some(PhysicalCapabilities { modalities: vec![Modality::Nfc, Modality::Nfc] });
    assert_eq!(line(start.check()), "MSG-1 /clientCapabilities/physicalObservations/modalities/1");
    let mut start = samples::start();
    start.client_capabilities.audio_turn_control.as_mut().unwrap().mode = "implicit".to_owned();
    assert_eq!(line(start.check()), "MSG-1 /clientCapabilities/audioTurnControl/mode");
}

#[test]
fn numbers_start_at_one() {
    for (message, answer) in [
        (ClientMessage::Ack { sequence: 0 }, "MSG-1 /sequence"),
        (ClientMessage::AudioTurnStart { turn: 0 }, "TURN-1 /turn"),
        (ClientMessage::AudioTurnCommit { turn: 0 }, "TURN-1 /turn"),
        (ClientMessage::AudioTurnCancel { turn: 0 }, "TURN-1 /turn"),
    ] {
        assert_eq!(line(message.check(Modalities::BOTH)), answer);
    }
}

#[test]
fn a_passport_needs_a_confirmation_for_every_action() {
    let parse = |text: &str| line(Passport::parse(text.as_bytes()).map(drop));
    let with = |members: &str| parse(&format!(r#"{{"schemaVersion":"0.1",{members}}}"#));
    for (text, answer) in [
        ("", "OBS-8 "),
        ("[]", "OBS-8 "),
        ("{}", "OBS-8 /schemaVersion"),
        (r#"{"schemaVersion":"1.0"}"#, "OBS-8 /schemaVersion"),
        (r#"{"schemaVersion":0.1}"#, "OBS-8 /schemaVersion"),
        (r#"{"schemaVersion":"0.1"}"#, "fine"),
    ] {
        assert_eq!(parse(text), answer, "{text}");
    }
    for (members, answer) in [
        (r#""actions":[]"#, "fine"),
        (r#""actions":[{"requiresConfirmation":true,"x":[1]}],"name":"Router""#, "fine"),
        (r#""actions":[{"requiresConfirmation":true},{}]"#, "OBS-8 /actions/1/requiresConfirmation"),
        (r#""actions":[{"requiresConfirmation":false}]"#, "OBS-8 /actions/0/requiresConfirmation"),
        (r#""actions":[{"requiresConfirmation":"true"}]"#, "OBS-8 /actions/0/requiresConfirmation"),
        (r#""actions":["reboot"]"#, "OBS-8 /actions/0/requiresConfirmation"),
        (r#""actions":{"reboot":{}}"#, "OBS-8 /actions"),
        (r#""actions":null"#, "OBS-8 /actions"),
        (r#""actionRecipes":[{"name":"reboot"}]"#, "OBS-8 /actionRecipes/0/requiresConfirmation"),
        (r#""parts":[{"actions":[{}]}]"#, "OBS-8 /parts/0/actions/0/requiresConfirmation"),
        (r#""deep":{"requiresConfirmation":false}"#, "OBS-8 /deep/requiresConfirmation"),
        (r#""transactions":[{"x":1}]"#, "fine"),
    ] {
        assert_eq!(with(members), answer, "{members}");
    }
    assert_eq!(with(&format!(r#""x":"{}""#, "x".repeat(bounds::PASSPORT_BYTES))), "OBS-8 ");
}

#[test]
fn a_passport_inside_an_observation_is_checked_too() {
    let mut shown = samples::shown();
    let passport = shown.observation.object.as_mut().unwrap().passport.as_mut().unwrap();
    passport.actions[0].requires_confirmation = false;
    let place = "OBS-8 /observation/object/passport/actions/0/requiresConfirmation";
    assert_eq!(line(shown.check(Modalities::BOTH)), place);
    shown.interaction_id = Some("i".repeat(129));
    assert_eq!(line(shown.check(Modalities::BOTH)), "OBS-9 /interactionId");
}
