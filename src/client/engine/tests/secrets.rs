//! What faces are told holds no secret, whatever the agent repeats.

use super::*;
use crate::client::request::Aim;

#[test]
fn an_agent_that_echoes_token_id_and_image_is_scrubbed() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(1), Ok(tag(&[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]))));
    bench.ask(Request::AddOther);
    bench.put(Event::Aiming(id(2), CAMERA.to_owned()));
    bench.ask(Request::Shutter);
    bench.put(Event::Collected(id(2), Ok(photo())));
    bench.ask(Request::SendReviewed);
    let image = data_encoding::BASE64.encode(jpeg().expose());
    bench.hear(r#"{"type":"run.started"}"#);
    for secret in [TOKEN, "04:a1:b2:c3:d4:e5:f6", "04A1B2C3D4E5F6", &image] {
        bench.hear(&format!(r#"{{"type":"text.delta","text":"you sent {secret}"}}"#));
        bench.hear(&format!(r#"{{"type":"unknown.{secret}","x":"{secret}"}}"#));
    }
    let out = bench.hear(&format!(r#"{{"type":"failure","code":"x","message":"bad token {TOKEN}"}}"#));
    assert_eq!(out[0], "← failure EV-8", "a failure that leaks is a finding");
    for secret in [TOKEN, "04:a1:b2:c3:d4:e5:f6", "04A1B2C3D4E5F6", &image, &image[..80]] {
        assert!(!bench.told.contains(secret), "told: {secret}");
    }
}

#[test]
fn the_image_is_on_the_wire_once_and_in_no_notice() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmCapture(Aim::Answering));
    bench.put(Event::Aiming(id(1), CAMERA.to_owned()));
    bench.ask(Request::Shutter);
    bench.put(Event::Collected(id(1), Ok(photo())));
    bench.ask(Request::SendReviewed);
    let image = data_encoding::BASE64.encode(jpeg().expose());
    assert_eq!(bench.wire.iter().filter(|text| text.contains(&image)).count(), 1);
    assert!(!bench.told.contains(&image[..64]));
}
