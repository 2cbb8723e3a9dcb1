//! What is verified before anything uses it.

use super::*;

#[test]
fn observations_are_verified_before_anything_uses_them() {
    let cases: [(&str, &str, Value, &str); 14] = [
        ("schemaVersion", "/observation/schemaVersion", json!("0.2"), "observation_invalid"),
        ("empty id", "/observation/observationId", json!(""), "observation_invalid"),
        ("long id", "/observation/observationId", json!("x".repeat(129)), "observation_invalid"),
        ("a date", "/observation/capturedAt", json!("2026-09-07"), "observation_invalid"),
        ("no offset", "/observation/capturedAt", json!("2026-09-07T10:00:00.00"), "observation_invalid"),
        ("no such day", "/observation/capturedAt", json!("2026-02-30T10:00:00Z"), "observation_invalid"),
        ("a blank for T", "/observation/capturedAt", json!("2026-09-07 10:00:00Z"), "observation_invalid"),
        ("intent", "/observation/intent", json!("steal"), "invalid_message"),
        ("empty ref", "/observation/object/objectRef", json!(""), "observation_invalid"),
        ("long ref", "/observation/object/objectRef", json!("u".repeat(513)), "observation_invalid"),
        ("signed", "/observation/object/assurance", json!("signedTag"), "observation_invalid"),
        ("digest", "/observation/object/payloadSha256", json!("0".repeat(63)), "observation_invalid"),
        ("digest case", "/observation/object/payloadSha256", json!("A".repeat(64)), "observation_invalid"),
        ("carrier", "/observation/object/carrier", json!("qr"), "invalid_message"),
    ];
    let mut dialogue = Dialogue::open();
    for (name, pointer, value, code) in cases {
        let mut scan = observation(1, Some("urn:a"), None, None);
        *scan.pointer_mut(pointer).unwrap() = value;
        let replies = dialogue.brain.receive(Duration::ZERO, &scan.to_string());
        assert_eq!(dialogue.shown(&replies), [format!("failure {code}")], "{name}");
    }
    dialogue.expect(&format!(
        "> {}\n< failure observation_invalid\n> say 1 what is this\n< run: Nothing has been shown to me yet.",
        observation(1, None, None, None)
    ));
}

#[test]
fn offsets_and_fractions_are_rfc_3339_too() {
    for at in ["2026-09-07T10:00:00+02:00", "2026-09-07t10:00:00.123456z", "2026-09-07T10:00:00-00:00"] {
        let mut scan = observation(1, Some("urn:a"), None, None);
        scan["observation"]["capturedAt"] = json!(at);
        Dialogue::open().expect(&format!("> {scan}\n< {UNKNOWN}"));
    }
}

#[test]
fn images_are_what_they_are_said_to_be() {
    let small = jpeg(16, 9);
    let wide = jpeg(1025, 1);
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(4, 4).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let png = png.into_inner();
    let half = &small[..small.len() / 2];
    let with = |field: &str, value: Value| {
        let mut image = image();
        image[field] = value;
        image
    };
    let data = image()["data"].as_str().unwrap().to_owned();
    let cases = [
        ("media type", with("mediaType", json!("image/png"))),
        ("byte count", with("byteCount", json!(small.len() + 1))),
        ("hash", with("sha256", json!("0".repeat(64)))),
        ("forged width", with("pixelWidth", json!(17))),
        ("forged height", with("pixelHeight", json!(10))),
        ("line break in base64", with("data", json!(format!("{}\n{}", &data[..8], &data[8..])))),
        ("no padding", with("data", json!(data.trim_end_matches('=').to_owned() + "A"))),
        ("empty", with("data", json!(""))),
        ("too large", with("data", json!("A".repeat(81_924)))),
        ("not a JPEG", image_of(&png, 4, 4)),
        ("too wide", image_of(&wide, 1025, 1)),
        ("half a JPEG", image_of(half, 16, 9)),
    ];
    let mut dialogue = Dialogue::open();
    for (name, image) in cases {
        let photo = observation(1, None, Some(image), None);
        let replies = dialogue.brain.receive(Duration::ZERO, &photo.to_string());
        assert_eq!(dialogue.shown(&replies), ["failure image_invalid"], "{name}");
    }
    dialogue.expect(&format!("> photo 1\n< run: {}", see()));
}

#[test]
fn passports_are_bounded_and_their_actions_never_run() {
    let mut dialogue = Dialogue::open();
    let mut scan = observation(1, Some("urn:a"), None, None);
    let passport = |passport: Value, scan: &mut Value| scan["observation"]["object"]["passport"] = passport;
    for bad in [
        json!({ "schemaVersion": "0.2" }),
        json!({ "schemaVersion": "0.1", "actions": [{ "name": "reset", "requiresConfirmation": false }] }),
        json!({ "schemaVersion": "0.1", "note": "x".repeat(16 * 1024) }),
    ] {
        passport(bad, &mut scan);
        dialogue.expect(&format!("> {scan}\n< failure observation_invalid"));
    }
    passport(json!({ "schemaVersion": "0.1", "actions": [{ "requiresConfirmation": true }] }), &mut scan);
    dialogue.expect(&format!("> {scan}\n< {UNKNOWN} The passport describes 1 action(s); I carry out none."));
}

#[test]
fn failures_never_repeat_what_came() {
    const SECRET: &str = "s3cr3t";
    let mut passport = observation(1, Some("urn:a"), None, None);
    passport["observation"]["object"]["passport"] =
        json!({ "schemaVersion": "0.1", "actions": [{ SECRET: { SECRET: 1 } }] });
    let mut dialogue = Dialogue::open();
    for frame in [
        SECRET.to_owned(),
        json!({ "type": SECRET }).to_string(),
        json!({ "type": "user.turn", "turn": SECRET, "text": 1 }).to_string(),
        json!({ "type": "user.turn", "turn": 1, "text": { SECRET: SECRET } }).to_string(),
        json!({ "type": "user.turn", "turn": 1, "text": "a", "context": [SECRET] }).to_string(),
        observation(1, Some("urn:a"), None, Some(SECRET.to_owned())).to_string(),
        observation(1, None, Some(json!({ "data": SECRET })), None).to_string(),
        passport.to_string(),
    ] {
        let replies = dialogue.brain.receive(Duration::ZERO, &frame);
        assert!(
            matches!(&replies[..], [Reply::Envelope(e)] if matches!(e.event, Event::Failure(_))),
            "{frame}"
        );
        assert!(!format!("{replies:?}").contains(SECRET), "{replies:?}");
    }
}
