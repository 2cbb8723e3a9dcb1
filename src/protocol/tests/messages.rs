use proptest::prelude::*;
use serde_json::json;

use super::samples;
use crate::protocol::server::{
    Failure, InteractionRequested, InteractionResolved, SessionEstablished, SpeechSegment, TextDelta,
};
use crate::protocol::{ClientMessage, Dialect, Envelope, Event, Finding, bounds};
use crate::units::Sequence;

fn client(text: &str) -> Result<ClientMessage, Finding> {
    ClientMessage::decode(text, &Dialect::default()).map(|decoded| decoded.message)
}

fn event(body: &str) -> String {
    let text = format!(r#"{{"sequence":7,"event":{body}}}"#);
    match Envelope::decode(&text, &Dialect::default()) {
        Ok(decoded) => {
            let notes: Vec<String> = decoded
                .findings
                .iter()
                .map(|f| format!(" {}{}", f.rule.id, f.pointer.as_deref().unwrap_or("")))
                .collect();
            format!("{}{}", decoded.message.event.kind(), notes.concat())
        }
        Err(refused) => {
            let f = refused.finding;
            format!("{} {}: {}", f.rule.id, f.pointer.unwrap_or_default(), f.detail)
        }
    }
}

#[test]
fn every_client_message_comes_back_as_it_went() {
    for message in samples::messages() {
        let text = message.encode(&Dialect::default()).to_string();
        assert_eq!(client(&text).as_ref(), Ok(&message), "{}", message.kind());
        assert!(text.starts_with(&format!("{{\"type\":\"{}\"", message.kind())), "the type comes first");
    }
}

#[test]
fn the_examples_of_the_profile_are_read() {
    let start = r#"{"type":"session.start","sessionId":"proof-1","clientCapabilities":{"physicalObservations":{"modalities":["nfc","photo"]}}}"#;
    let observation = r#"{"type":"user.observation","turn":1,"observation":{"schemaVersion":"0.1","observationId":"scan-1","capturedAt":"2026-09-07T10:00:00Z","intent":"identify","object":{"objectRef":"urn:agentcall:object:workshop-router","carrier":"localTag","assurance":"unverifiedTag","payloadSha256":"0000000000000000000000000000000000000000000000000000000000000000"}}}"#;
    let turn = r#"{"type":"user.turn","turn":2,"text":"What is this?"}"#;
    for text in [start, observation, turn, r#"{"type":"ack","sequence":1}"#] {
        let message = client(text).unwrap();
        assert_eq!(
            message.encode(&Dialect::default()),
            serde_json::from_str::<serde_json::Value>(text).unwrap()
        );
    }
    assert_eq!(event(r#"{"type":"session.established","resumed":false}"#), "session.established");
}

#[test]
fn client_messages_that_are_wrong_say_where_and_how() {
    for (text, answer) in [
        ("[]", "MSG-1 /type: expected an object with a string type"),
        (r#"{"type":1}"#, "MSG-1 /type: expected an object with a string type"),
        (r#"{"type":"user.shout"}"#, "MSG-1 /type: this message type is not known"),
        (r#"{"type":"user.turn","turn":1}"#, "MSG-1 : missing member `text`"),
        (
            r#"{"type":"user.turn","turn":"1","text":"x"}"#,
            "MSG-1 /turn: expected a whole number that is not negative, came a string",
        ),
        (
            r#"{"type":"user.turn","turn":-1,"text":"x"}"#,
            "MSG-1 /turn: expected a whole number that is not negative",
        ),
        (r#"{"type":"user.turn","turn":1,"text":5}"#, "MSG-1 /text: expected a string, came a number"),
        (r#"{"type":"user.turn","turn":1,"text":1.5}"#, "MSG-1 /text: expected a string, came a number"),
        (r#"{"type":"user.turn","turn":1,"text":true}"#, "MSG-1 /text: expected a string, came a boolean"),
        (r#"{"type":"user.turn","turn":1,"text":null}"#, "MSG-1 /text: expected a string, came null"),
        (r#"{"type":"user.turn","turn":1,"text":{}}"#, "MSG-1 /text: expected a string, came an object"),
        (r#"{"type":"user.turn","turn":1,"text":[]}"#, "MSG-1 /text: expected a string, came an array"),
        (
            r#"{"type":"user.turn","turn":1,"text":"x","context":{}}"#,
            "MSG-1 /context: expected an array, came an object",
        ),
        (
            r#"{"type":"user.turn","turn":1,"text":"x","context":[["d","v"]]}"#,
            "MSG-1 /context/0: expected an object, came an array",
        ),
        (
            r#"{"type":"session.start","sessionId":"a","clientCapabilities":[]}"#,
            "MSG-1 /clientCapabilities: expected an object, came an array",
        ),
        (
            r#"{"type":"session.start","sessionId":"a","clientCapabilities":{"physicalObservations":{"modalities":["smell"]}}}"#,
            "MSG-1 /clientCapabilities/physicalObservations/modalities/0: expected `nfc` or `photo`",
        ),
        (
            r#"{"type":"user.observation","turn":1,"observation":[]}"#,
            "MSG-1 /observation: expected an object, came an array",
        ),
        (r#"{"type":"user.observation","turn":1}"#, "MSG-1 : missing member `observation`"),
        (r#"{"type":"ack"}"#, "MSG-1 : missing member `sequence`"),
        ("{", "FRAME-3 : it is not one JSON value: the text ends in an object at line 1 column 1"),
    ] {
        let finding = client(text).expect_err(text);
        let line = format!("{} {}: {}", finding.rule.id, finding.pointer.unwrap_or_default(), finding.detail);
        assert_eq!(line, answer, "{text}");
    }
}

#[test]
fn a_frame_over_the_bound_is_refused_unparsed() {
    let text = format!(r#"{{"type":"user.turn","turn":1,"text":"{}"}}"#, "x".repeat(bounds::FRAME_BYTES));
    assert_eq!(client(&text).unwrap_err().rule.id, "FRAME-1");
    let refused = Envelope::decode(&text, &Dialect::default()).unwrap_err();
    assert_eq!((refused.finding.rule.id, refused.value), ("FRAME-1", None));
    let text = format!(r#"{{"type":"session.end","x":"{}"}}"#, "x".repeat(bounds::FRAME_BYTES - 29));
    assert_eq!((text.len(), client(&text)), (bounds::FRAME_BYTES, Ok(ClientMessage::SessionEnd)));
}

#[test]
fn every_event_comes_back_as_it_went() {
    for event in [
        Event::SessionEstablished(SessionEstablished { resumed: false }),
        Event::RunStarted,
        Event::TextDelta(TextDelta { text: "Hello".to_owned() }),
        Event::SpeechSegment(SpeechSegment {
            segment_id: "s1".to_owned(),
            text: "Hello.".to_owned(),
            stable: true,
        }),
        Event::RunCompleted,
        Event::Failure(Failure { code: "invalid_message".to_owned(), message: "No.".to_owned() }),
        Event::InteractionRequested(InteractionRequested {
            interaction_id: "ix-1".to_owned(),
            kind: InteractionRequested::NFC.to_owned(),
            prompt: "Scan it".to_owned(),
            spoken_prompt: "Please scan it".to_owned(),
            options: vec![],
            allows_freeform: false,
        }),
        Event::InteractionResolved(InteractionResolved {
            interaction_id: "ix-1".to_owned(),
            outcome: "answered".to_owned(),
        }),
    ] {
        let envelope = Envelope { sequence: Sequence(9), event };
        let text = envelope.encode(&Dialect::default()).to_string();
        let decoded = Envelope::decode(&text, &Dialect::default()).unwrap();
        assert_eq!((decoded.message, decoded.findings), (envelope, vec![]), "{text}");
    }
}

#[test]
fn events_are_read_with_a_note_or_refused_with_a_reason() {
    let long = "x".repeat(1025);
    for (body, answer) in [
        (r#"{"type":"run.started","future":{"member":1}}"#, "run.started"),
        (r#"{"type":"text.delta","text":""}"#, "text.delta EV-4/event/text"),
        (r#"{"type":"speech.segment","segmentId":"s","text":"t"}"#, "speech.segment EV-3/event/stable"),
        (r#"{"type":"failure"}"#, "failure EV-1/event/code"),
        (&format!(r#"{{"type":"failure","code":"c","message":"{long}"}}"#), "failure EV-2/event/message"),
        (
            &format!(
                r#"{{"type":"interaction.requested","interactionId":"i","kind":"k","prompt":"{long}"}}"#
            ),
            "interaction.requested EV-2/event/prompt",
        ),
        (r#"{"type":"THINKING_START"}"#, "THINKING_START EV-7/event/type"),
        (r#"{"type":"RUN_CANCELLED","text":5}"#, "RUN_CANCELLED EV-7/event/type"),
        (r#"{"type":"text.delta"}"#, "EV-1 /event: missing member `text`"),
        (r#"{"type":"text.delta","text":5}"#, "EV-1 /event/text: expected a string, came a number"),
        (
            r#"{"type":"interaction.requested","interactionId":"i","kind":"k","options":{}}"#,
            "EV-1 /event/options: expected an array, came an object",
        ),
        (
            r#"{"type":"interaction.requested","interactionId":"i","kind":"k","allowsFreeform":"no"}"#,
            "EV-1 /event/allowsFreeform: expected a boolean, came a string",
        ),
        (r#"{"type":null}"#, "ENV-1 /event/type: expected a string"),
        ("[]", "ENV-1 /event/type: expected a string"),
    ] {
        assert_eq!(event(body), answer, "{body}");
    }
}

#[test]
fn envelopes_without_a_sequence_or_an_event_are_refused() {
    for (text, pointer) in [
        ("[1]", ""),
        (r#"{"event":{"type":"run.started"}}"#, "/sequence"),
        (r#"{"sequence":0,"event":{"type":"run.started"}}"#, "/sequence"),
        (r#"{"sequence":-1,"event":{"type":"run.started"}}"#, "/sequence"),
        (r#"{"sequence":1.5,"event":{"type":"run.started"}}"#, "/sequence"),
        (r#"{"sequence":"1","event":{"type":"run.started"}}"#, "/sequence"),
        (r#"{"sequence":18446744073709551616,"event":{"type":"run.started"}}"#, "/sequence"),
        (r#"{"sequence":1}"#, "/event"),
    ] {
        let refused = Envelope::decode(text, &Dialect::default()).expect_err(text);
        assert_eq!(
            (refused.finding.rule.id, refused.finding.pointer.as_deref()),
            ("ENV-1", Some(pointer)),
            "{text}"
        );
        assert!(refused.value.is_some(), "the JSON is kept for display");
    }
    let refused =
        Envelope::decode(r#"{"sequence":5,"event":{"type":"text.delta"}}"#, &Dialect::default()).unwrap_err();
    assert_eq!(refused.sequence, Some(Sequence(5)), "a bad event still counts its sequence");
}

#[test]
fn a_cut_character_costs_no_frame() {
    let text = r#"{"sequence":2,"event":{"type":"text.delta","text":"Hi \ud83d"}}"#;
    let decoded = Envelope::decode(text, &Dialect::default()).unwrap();
    assert_eq!(decoded.message.event, Event::TextDelta(TextDelta { text: "Hi \u{fffd}".to_owned() }));
    assert_eq!(decoded.findings[0].rule.id, "FRAME-6");
}

#[test]
fn the_value_keeps_what_the_types_do_not_know() {
    let text = r#"{"sequence":2,"event":{"type":"run.started","future":[1]},"also":true}"#;
    let decoded = Envelope::decode(text, &Dialect::default()).unwrap();
    assert_eq!(
        decoded.value.into_value(),
        json!({"sequence": 2, "event": {"type": "run.started", "future": [1]}, "also": true})
    );
}

proptest! {
    /// Whatever stands where something else belongs, the finding does not repeat it.
    #[test]
    fn no_finding_repeats_a_value(secret in r#"SECRET[a-z, `"]{0,20}(, expected )?SECRET"#, at in 0_usize..8) {
        let mut message = ClientMessage::UserObservation(samples::shown()).encode(&Dialect::default());
        let place = ["/turn", "/observation", "/observation/intent", "/observation/object", "/observation/object/carrier",
            "/observation/image/byteCount", "/observation/image/pixelWidth", "/observation/object/passport/actions/0"][at];
        *message.pointer_mut(place).unwrap() = json!(secret);
        let finding = client(&message.to_string()).unwrap_err();
        prop_assert!(!finding.to_string().contains("SECRET"), "{}", finding);
        let text = json!({"sequence": 1, "event": {"type": "interaction.requested", "interactionId": "i", "kind": "k", "options": secret}});
        let refused = Envelope::decode(text.to_string(), &Dialect::default()).unwrap_err();
        prop_assert!(!refused.finding.to_string().contains("SECRET"), "{}", refused.finding);
    }

    #[test]
    fn no_text_makes_a_decoder_panic(text in any::<String>()) {
        let _ = client(&text);
        let _ = Envelope::decode(&text, &Dialect::default());
    }

    #[test]
    fn no_member_makes_a_decoder_panic(kind in 0_usize..9, name in "[a-zA-Z]{1,12}", value in any::<Option<i64>>()) {
        let mut message = samples::messages()[kind].encode(&Dialect::default());
        message[name.as_str()] = json!(value);
        let _ = client(&message.to_string());
    }
}

/// Found by fuzzing: writing an envelope with an unknown event must not end the program.
#[test]
fn an_unknown_event_is_written_by_its_type_alone() {
    let text = r#"{"sequence":7,"event":{"type":"STATE_DELTA","delta":[1]}}"#;
    let decoded = Envelope::decode(text, &Dialect::default()).unwrap();
    let written = decoded.message.encode(&Dialect::default());
    assert_eq!(written, serde_json::json!({"sequence": 7, "event": {"type": "STATE_DELTA"}}));
}
