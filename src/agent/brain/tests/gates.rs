//! What never reaches the conversation.

use super::*;

#[test]
fn modalities_are_the_intersection_of_card_and_session() {
    let nfc_only = BrainConfig { accepted: Modalities::NONE.with(Modality::Nfc), ..at_once() };
    Dialogue::new(nfc_only).expect(&format!(
        "> start nfc photo\n< established
         > photo 1\n< failure modality_not_negotiated
         > both 1 urn:a\n< failure modality_not_negotiated
         > scan 1 urn:a\n< {UNKNOWN}"
    ));
    Dialogue::new(at_once()).expect(
        r#"> {"type":"session.start","sessionId":"a"}
           < established
           > scan 1 urn:a
           < failure modality_not_negotiated"#,
    );
}

#[test]
fn without_modalities_the_agent_is_text_only() {
    let text_only = BrainConfig { accepted: Modalities::NONE, agent_requests: Modalities::NONE, ..at_once() };
    Dialogue::new(text_only).expect(
        "> start nfc photo\n< established
         > say 1 hello\n< run: Hello from the workshop. We can talk in text; say \"help\" to hear what about.
         > say 2 help\n< run: You can say \"hello\", \"tell a story\" or \"help\".
         > say 3 scan an object\n< run: I cannot ask for that: this session has not negotiated nfc.
         > say 4 teach object Lathe\n< run: I know no objects in this session: it has not negotiated nfc.
         > scan 5 urn:a\n< failure modality_not_negotiated",
    );
}

#[test]
fn the_first_message_is_session_start_and_it_comes_once() {
    for first in ["say 1 hello", "ack 1", "end", r#"{"type":"session.start"}"#, "{", "[]"] {
        let mut dialogue = Dialogue::new(at_once());
        let replies = dialogue.brain.receive(Duration::ZERO, &client(first));
        let said = dialogue.shown(&replies);
        assert_eq!(said.last().map(String::as_str), Some("close 1008"), "{first}: {said:?}");
        assert!(said[0].starts_with("failure "), "{first}: {said:?}");
        assert!(dialogue.brain.receive(Duration::ZERO, &client("start nfc")).is_empty());
    }
    Dialogue::open().expect("> start nfc\n< failure session_already_started\n> say 1 hi\n< run: Hello from the workshop. Show me a tag or a photo, or say \"help\".");
}

#[test]
fn session_ids_and_declared_modalities_are_checked() {
    for bad in [
        json!({ "sessionId": "" }),
        json!({ "sessionId": "a b" }),
        json!({ "sessionId": "x".repeat(129) }),
        json!({ "sessionId": "a", "clientCapabilities": { "physicalObservations": { "modalities": ["nfc", "nfc"] } } }),
        json!({ "sessionId": "a", "clientCapabilities": { "physicalObservations": { "modalities": ["lidar"] } } }),
    ] {
        let mut start = bad;
        start["type"] = json!("session.start");
        Dialogue::new(at_once()).expect(&format!("> {start}\n< failure invalid_message\n< close 1008"));
    }
}

#[test]
fn a_session_that_does_not_start_is_closed() {
    Dialogue::new(at_once()).expect("@ 0\n@ 29999\n@ 30000\n< failure session_not_started\n< close 1008");
}

#[test]
fn used_turns_are_refused_without_effect() {
    let script = format!(
        "> say 5 hi\n< run: Hello from the workshop. Show me a tag or a photo, or say \"help\".
         > scan 5 urn:a\n< failure turn_replayed
         > say 4 hi\n< failure turn_replayed
         > say 0 hi\n< failure invalid_message
         > say 6 teach object Lathe\n< run: Show me the object first. Nothing was proposed.
         > scan 7 urn:a\n< {UNKNOWN}
         > say 7 teach object Lathe\n< failure turn_replayed
         > say 8 confirm object\n< {NO_PROPOSAL}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn unknown_messages_fields_and_audio_turns_grant_nothing() {
    Dialogue::open().expect(
        r#"> {"type":"mystery.message"}
           < failure invalid_message
           > {"type":"audio.turn.start","turn":1}
           < failure unsupported
           > {"type":"user.turn","turn":1,"text":"hi","capability":"camera","resume":true}
           < run: Hello from the workshop. Show me a tag or a photo, or say "help".
           > ack 1
           > ack 4000
           < failure invalid_message"#,
    );
}

#[test]
fn texts_and_contexts_keep_their_bounds_and_contexts_are_no_commands() {
    let entry = |d: usize, v: usize| json!({ "description": "d".repeat(d), "value": "v".repeat(v) });
    let bad = [
        json!({ "text": "" }),
        json!({ "text": " \n" }),
        json!({ "text": "x".repeat(8193) }),
        json!({ "text": "hi", "context": vec![entry(1, 1); 17] }),
        json!({ "text": "hi", "context": [entry(257, 1)] }),
        json!({ "text": "hi", "context": [entry(1, 2049)] }),
    ];
    let mut dialogue = Dialogue::open();
    for mut turn in bad {
        turn["type"] = json!("user.turn");
        turn["turn"] = json!(1);
        dialogue.expect(&format!("> {turn}\n< failure invalid_message"));
    }
    dialogue.expect(&format!(
        "> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}
         > {}\n< run: Hello from the workshop. Show me a tag or a photo, or say \"help\".
         > scan 4 urn:a\n< {UNKNOWN}",
        json!({ "type": "user.turn", "turn": 3, "text": "hi",
                "context": [{ "description": "user", "value": "confirm object" }] })
    ));
}
