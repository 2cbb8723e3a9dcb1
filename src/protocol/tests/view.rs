use proptest::prelude::*;
use serde_json::{Value, json};

use super::samples;
use crate::protocol::view::{for_trace, mask_text, summary};
use crate::protocol::{ClientMessage, Dialect, sha256_hex};

/// The base64 of the sample image, as it would stand on the wire.
fn base64() -> String {
    let image = serde_json::to_value(samples::image()).unwrap();
    image["data"].as_str().unwrap().to_owned()
}

#[test]
fn an_image_is_replaced_by_its_size_and_hash_in_any_dialect() {
    let message = ClientMessage::UserObservation(samples::shown());
    let image = samples::image();
    for name in ["data", "bytes", "mediaType2"] {
        let dialect = Dialect { image_data: name.to_owned(), ..Dialect::default() };
        let wire = message.encode(&dialect);
        let kept = for_trace(&wire);
        assert_eq!(
            kept["observation"]["image"][name],
            json!({"bytes": image.byte_count, "sha256": image.sha256})
        );
        let mut rest = wire.clone();
        rest["observation"]["image"][name] = kept["observation"]["image"][name].clone();
        assert_eq!(kept, rest, "nothing else changes");
    }
}

#[test]
fn images_are_found_wherever_they_stand() {
    let data = base64();
    let wrapped: String =
        data.as_bytes().chunks(76).map(|c| format!("{}\r\n", std::str::from_utf8(c).unwrap())).collect();
    let numbers: Vec<u8> = data.bytes().collect();
    for (case, value) in [
        ("a short image", json!({"image": {"data": "/9j/4AA="}})),
        ("an image that is only a string", json!({"image": "/9j/4AA="})),
        ("an echo in a delta", json!({"sequence": 1, "event": {"type": "text.delta", "text": data}})),
        ("a data URL", json!({"text": format!("data:image/jpeg;base64,{data}")})),
        ("in the middle of a text", json!({"text": format!("You sent {data}, thank you")})),
        ("in broken lines", json!({"text": wrapped})),
        ("for URLs", json!({"text": data.replace('+', "-").replace('/', "_")})),
        ("as numbers", json!({"x": [numbers]})),
        ("deep in an image", json!({"image": {"parts": [{"part": &data[..64]}, {"part": &data[64..]}]}})),
    ] {
        let kept = for_trace(&value).to_string();
        for piece in [&data[..40], &data[100..140], "/9j/"] {
            assert!(!kept.contains(piece), "{case}: {kept}");
        }
        assert!(kept.contains("sha256") || kept.contains("characters of base64"), "{case}: {kept}");
    }
}

#[test]
fn what_is_no_image_is_kept() {
    let prose = "word ".repeat(1500);
    for value in [
        json!({"text": prose}),
        json!({"text": format!("teach object {}", "a".repeat(256))}),
        json!({"payloadSha256": sha256_hex(b"x"), "image": {"sha256": sha256_hex(b"y"), "byteCount": 5}}),
        json!({"numbers": [1, 2, 3], "nothing": null, "yes": true}),
    ] {
        assert_eq!(for_trace(&value), value);
    }
}

#[test]
fn a_long_text_is_cut() {
    let kept = mask_text(&"ü ".repeat(50_000));
    assert!(kept.len() < 33 * 1024 && kept.ends_with("more bytes)"));
}

#[test]
fn every_frame_has_a_line() {
    let client: Vec<String> =
        samples::messages().iter().map(|m| summary(&m.encode(&Dialect::default()))).collect();
    assert_eq!(
        client,
        [
            "session proof-1",
            "turn 2 \"What is this?\"",
            "turn 1 object and image answers ix-1",
            "1",
            "",
            "",
            "turn 3",
            "turn 3",
            "turn 3",
        ]
    );
    for (event, line) in [
        (json!({"type": "session.established", "resumed": false}), ""),
        (json!({"type": "session.established", "resumed": true}), "resumed"),
        (json!({"type": "text.delta", "text": "x".repeat(50)}), &format!("\"{}…\"", "x".repeat(40)) as &str),
        (json!({"type": "failure", "code": "run_active", "message": "No."}), "run_active \"No.\""),
        (
            json!({"type": "interaction.requested", "kind": "physical.nfc.scan", "interactionId": "ix-2"}),
            "scan ix-2",
        ),
        (
            json!({"type": "interaction.requested", "kind": "physical.photo.capture", "interactionId": "ix-2"}),
            "photo ix-2",
        ),
        (
            json!({"type": "interaction.resolved", "outcome": "answered", "interactionId": "ix-2"}),
            "answered ix-2",
        ),
        (json!({"type": "THINKING"}), ""),
    ] {
        assert_eq!(summary(&json!({"sequence": 1, "event": event})), line);
    }
}

proptest! {
    #[test]
    fn no_image_survives(bytes in proptest::collection::vec(any::<u8>(), 400..900), before in "[a-z \"]{0,20}", after in " ?[.!,]") {
        let data = data_encoding::BASE64.encode(&bytes);
        let value = json!({"event": {"text": format!("{before} {data}{after}"), "list": [[data]], "image": {"x": data}}});
        let kept = for_trace(&value).to_string();
        prop_assert!(!kept.contains(&data[..32]) && !kept.contains(&data[data.len() - 32..]));
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let value = json!({"type": text, "text": text, "image": text, "event": {"type": "failure", "code": text}});
        let _ = (for_trace(&value), summary(&value), mask_text(&text), for_trace(&Value::String(text)));
    }
}
