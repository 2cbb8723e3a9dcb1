//! The quick way of reading an envelope says what the careful one says, or nothing.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::protocol::server::Envelope;
use crate::protocol::{Content, Dialect, json, view};

/// What the careful way would have said of a frame that the quick one takes.
fn agree(text: &str) -> bool {
    let Ok(quick) = Envelope::decode(text, &Dialect::default()) else { return false };
    let Content::Plain(line) = &quick.value else { return false };
    assert_eq!(line, text);
    let careful = Envelope::decode_carefully(text).expect("the careful way takes it too");
    assert_eq!((&quick.message, &quick.findings), (&careful.message, &careful.findings), "{text}");
    let parsed = json::parse(text).expect("it is JSON");
    assert!(parsed.findings.is_empty(), "{text}");
    assert_eq!(view::for_trace(&parsed.value), parsed.value, "it can be shown as it came: {text}");
    assert_eq!(careful.value.value().as_ref(), &parsed.value);
    assert!(!text.contains(['\n', '\r']), "it is one line");
    true
}

/// One of each, as an agent sends them.
fn events() -> Vec<Value> {
    vec![
        json!({"type": "session.established", "resumed": false}),
        json!({"type": "run.started"}),
        json!({"type": "run.completed"}),
        json!({"type": "text.delta", "text": "a \"kettle\" — é 💡"}),
        json!({"type": "text.delta", "text": ""}),
        json!({"type": "speech.segment", "segmentId": "s-1", "text": "one", "stable": true}),
        json!({"type": "speech.segment", "segmentId": "s".repeat(80), "text": "one", "stable": false}),
        json!({"type": "failure", "code": "", "message": "no"}),
        json!({"type": "interaction.requested", "interactionId": "ix-1", "kind": "physical.nfc.scan",
            "prompt": "p", "spokenPrompt": "s", "options": [], "allowsFreeform": false}),
        json!({"type": "interaction.resolved", "interactionId": "ix-1", "outcome": "answered"}),
    ]
}

#[test]
fn what_agents_send_by_the_thousand_goes_the_quick_way() {
    for event in events() {
        let text = json!({"sequence": 7, "event": event}).to_string();
        assert!(agree(&text), "{text}");
    }
}

#[test]
fn whatever_needs_a_second_look_is_left_to_the_careful_way() {
    let long = "x".repeat(300);
    for text in [
        r#"{"sequence":1,"sequence":1,"event":{"type":"run.started"}}"#,
        r#"{"sequence":1,"event":{"type":"run.started"},"event":{"type":"run.started"}}"#,
        r#"{"sequence":1,"event":{"type":"text.delta","text":"a","text":"a"}}"#,
        r#"{"sequence":1,"event":{"type":"run.started","more":1}}"#,
        r#"{"sequence":1,"event":{"type":"run.started"},"more":1}"#,
        r#"{"sequence":1,"event":{"type":"run.started","text":"a"}}"#,
        r#"{"sequence":1,"event":{"type":"mystery"}}"#,
        r#"{"sequence":1,"event":{"type":"text.delta","text":1}}"#,
        r#"{"sequence":1,"event":{"type":"text.delta"}}"#,
        r#"{"sequence":1,"event":{"type":"text.delta","text":"\u0041"}}"#,
        r#"{"sequence":1,"event":{"typ\u0065":"run.started"}}"#,
        r#"{"sequence":0,"event":{"type":"run.started"}}"#,
        r#"{"sequence":-1,"event":{"type":"run.started"}}"#,
        r#"{"sequence":1.0,"event":{"type":"run.started"}}"#,
        r#"{"sequence":1e0,"event":{"type":"run.started"}}"#,
        r#"{"sequence":18446744073709551616,"event":{"type":"run.started"}}"#,
        r#"{"sequence":"1","event":{"type":"run.started"}}"#,
        r#"{"sequence":1,"event":{"type":"run.started"}}{}"#,
        "{\"sequence\":1,\n\"event\":{\"type\":\"run.started\"}}",
        "\u{feff}{\"sequence\":1,\"event\":{\"type\":\"run.started\"}}",
        &json!({"sequence": 1, "event": {"type": "text.delta", "text": long}}).to_string(),
        "[]",
        "",
    ] {
        assert!(!agree(text), "{text}");
    }
}

/// Texts near to an envelope: members in any order, twice, or none of the profile's, values of any kind.
fn near() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "type",
        "text",
        "segmentId",
        "stable",
        "code",
        "message",
        "interactionId",
        "kind",
        "prompt",
        "spokenPrompt",
        "options",
        "allowsFreeform",
        "outcome",
        "resumed",
        "other",
    ]);
    let value = prop_oneof![
        4 => "[a-z ]{0,12}".prop_map(|text| Value::from(text).to_string()),
        2 => "\\PC{0,8}".prop_map(|text| Value::from(text).to_string()),
        1 => prop::sample::select(vec!["true", "false", "[]", "[1]", "{}", "null", "1", "-1", "1.5", "\"\\n\"",
            "\"\\u0061\"", "\"\\ud800\""]).prop_map(str::to_owned),
    ];
    let kind = prop::sample::select(events()).prop_map(|event| event["type"].to_string());
    let sequence =
        prop::sample::select(vec!["1", "0", "18446744073709551615", "1.0", "1e2", "\"1\"", "-3", "007"]);
    (kind, prop::collection::vec((name, value), 0..8), sequence, any::<[bool; 3]>()).prop_map(
        |(kind, members, sequence, [spaced, turned, typed])| {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            if typed {
                members.push(format!("\"type\":{kind}"));
            }
            let event = format!("{{{}}}", members.join(if spaced { " , " } else { "," }));
            if turned {
                format!("{{\"event\":{event},\"sequence\":{sequence}}}")
            } else {
                format!("{{\"sequence\":{sequence},\"event\":{event}}}")
            }
        },
    )
}

/// An envelope of the profile, with some of its characters replaced, added or left out.
fn damaged() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        prop::option::of(prop::sample::select(vec![
            '"', '{', '}', '[', ']', ':', ',', '\\', ' ', '0', 'u', 'n', '\t', '\n', 'é', '\u{202e}',
        ])),
        any::<bool>(),
    );
    (prop::sample::select(events()), 1..1000_u64, prop::collection::vec(change, 0..4)).prop_map(
        |(event, sequence, changes)| {
            let mut text: Vec<char> =
                json!({"sequence": sequence, "event": event}).to_string().chars().collect();
            for (at, to, insert) in changes {
                let at = at.index(text.len());
                match to {
                    Some(c) if insert => text.insert(at, c),
                    Some(c) => text[at] = c,
                    None => drop(text.remove(at)),
                }
            }
            text.into_iter().collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn the_quick_way_never_disagrees(text in prop_oneof![near(), damaged()]) {
        agree(&text);
    }
}
