//! Arming, collecting, reviewing, sending.

use super::*;
use crate::client::notice::{Line, LineKind, TagName};
use crate::client::request::{Aim, Observe, Orient};
use crate::protocol::observation::Intent;

const UID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];

fn request_of(kind: &str, id: &str) -> String {
    format!(
        r#"{{"type":"interaction.requested","interactionId":"{id}","kind":"{kind}","prompt":"please","spokenPrompt":"please","options":[],"allowsFreeform":false}}"#
    )
}

#[test]
fn nothing_is_armed_without_a_live_session() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.ask(Request::ArmScan(Aim::Answering)),
        ["refused: nothing was armed: there is no live session"]
    );
}

#[test]
fn a_scan_is_armed_reviewed_and_sent() {
    let mut bench = Bench::live();
    assert_eq!(bench.ask(Request::ArmScan(Aim::Answering)), ["scan #1 30s", "physical: armed nfc"]);
    assert_eq!(bench.put(Event::Collected(id(1), Ok(tag(&UID)))), ["physical: review tag identify"]);
    assert_eq!(bench.ask(Request::NextIntent), ["physical: review tag remember"]);
    assert_eq!(bench.ask(Request::SendReviewed), ["→ user.observation", "physical: idle"]);
    let sent = bench.last_sent();
    assert_eq!(sent["turn"], 1);
    assert_eq!(sent["observation"]["intent"], "remember");
    assert_eq!(sent["observation"]["object"]["objectRef"], REF);
    assert!(sent.get("interactionId").is_none());
}

#[test]
fn one_press_is_one_collection() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    assert_eq!(bench.ask(Request::ArmScan(Aim::Answering)), ["refused: a device is already armed"]);
    bench.put(Event::Collected(id(1), Ok(tag(&UID))));
    assert_eq!(
        bench.put(Event::Collected(id(1), Ok(tag(&UID)))),
        [""; 0],
        "a second tag of one scan is dropped"
    );
}

#[test]
fn a_scan_answers_the_pending_request_unless_told_otherwise() {
    let mut bench = Bench::live();
    bench.hear(&request_of("physical.nfc.scan", "ix-2"));
    assert_eq!(bench.ask(Request::ArmScan(Aim::Unrelated))[1], "physical: armed nfc");
    bench.ask(Request::Disarm);
    assert_eq!(
        bench.ask(Request::ArmCapture(Aim::Answering))[1],
        "physical: armed photo",
        "another modality"
    );
    bench.ask(Request::Disarm);
    assert_eq!(bench.ask(Request::ArmScan(Aim::Answering))[1], "physical: armed nfc answering ix-2");
    bench.put(Event::Collected(id(3), Ok(tag(&UID))));
    bench.ask(Request::SendReviewed);
    assert_eq!(bench.last_sent()["interactionId"], "ix-2");
}

#[test]
fn a_request_that_is_gone_is_no_longer_answered() {
    let mut bench = Bench::live();
    bench.hear(&request_of("physical.nfc.scan", "ix-2"));
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(1), Ok(tag(&UID))));
    let out = bench.hear(r#"{"type":"interaction.resolved","interactionId":"ix-2","outcome":"cancelled"}"#);
    assert!(out.contains(&"physical: review tag identify".to_owned()), "{out:?}");
    bench.ask(Request::SendReviewed);
    assert!(bench.last_sent().get("interactionId").is_none());
}

#[test]
fn what_is_added_answers_a_request_for_it_unless_told_otherwise() {
    for (aim, answers) in [(Aim::Answering, Some("ix-2")), (Aim::Unrelated, None)] {
        let mut bench = Bench::live();
        bench.hear(&request_of("physical.photo.capture", "ix-2"));
        bench.ask(Request::ArmScan(aim));
        bench.put(Event::Collected(id(1), Ok(tag(&UID))));
        bench.ask(Request::AddOther);
        bench.put(Event::Collected(id(2), Ok(photo())));
        bench.ask(Request::SendReviewed);
        let sent = bench.last_sent();
        assert_eq!(sent.get("interactionId").and_then(|id| id.as_str()), answers);
    }
}

#[test]
fn an_addition_that_does_not_come_answers_nothing() {
    let mut bench = Bench::live();
    bench.hear(&request_of("physical.photo.capture", "ix-2"));
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(1), Ok(tag(&UID))));
    bench.ask(Request::AddOther);
    bench.ask(Request::Disarm);
    assert_eq!(bench.ask(Request::SendReviewed), ["→ user.observation", "physical: idle"]);
    assert!(bench.last_sent().get("interactionId").is_none());
}

#[test]
fn a_cancel_takes_the_collection_for_the_request_along_and_leaves_an_unrelated_one() {
    let mut bench = Bench::live();
    bench.hear(&request_of("physical.photo.capture", "ix-2"));
    bench.ask(Request::ArmCapture(Aim::Answering));
    let out = bench.ask(Request::Cancel);
    assert_eq!(out, ["→ response.cancel", "disarm", "physical: idle", "physical: idle"]);

    bench.hear(&request_of("physical.photo.capture", "ix-3"));
    bench.ask(Request::ArmCapture(Aim::Answering));
    bench.put(Event::Collected(id(2), Ok(photo())));
    let out = bench.ask(Request::Cancel);
    assert!(out.contains(&"forget picture".to_owned()), "{out:?}");
    assert_eq!(bench.ask(Request::SendReviewed), ["refused: nothing is under review"]);

    bench.hear(&request_of("physical.nfc.scan", "ix-4"));
    bench.ask(Request::ArmScan(Aim::Unrelated));
    bench.put(Event::Collected(id(3), Ok(tag(&UID))));
    assert_eq!(bench.ask(Request::Cancel), ["→ response.cancel"]);
    assert_eq!(bench.ask(Request::SendReviewed), ["→ user.observation", "physical: idle"]);
}

#[test]
fn the_deadline_disarms_with_a_line() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    assert_eq!(
        bench.after(Duration::from_secs(30)),
        ["disarm", "physical: idle", "failed: No tag came within 30 s."]
    );
}

#[test]
fn a_capture_opens_aims_takes_turns_and_sends() {
    let mut bench = Bench::live();
    assert_eq!(bench.ask(Request::ArmCapture(Aim::Answering)), ["aim #1 30s", "physical: armed photo"]);
    assert_eq!(bench.ask(Request::Shutter), ["refused: the camera is still opening"]);
    bench.put(Event::Aiming(id(1), CAMERA.to_owned()));
    assert_eq!(bench.ask(Request::Orient(Orient::Left)), ["orient #1 Left"]);
    let taken = ["shutter #1", "◇ shutter: SIMULATED test card", "physical: preparing photo"];
    assert_eq!(bench.ask(Request::Shutter), taken);
    assert_eq!(bench.put(Event::Collected(id(1), Ok(photo()))), ["physical: review photo identify"]);
    assert_eq!(bench.ask(Request::Orient(Orient::Mirror)), ["orient #1 Mirror"]);
    assert_eq!(bench.ask(Request::SendReviewed), ["refused: the other part is not collected yet"]);
    bench.put(Event::Collected(id(1), Ok(photo())));
    let out = bench.ask(Request::SendReviewed);
    assert_eq!(out, ["→ user.observation", "forget picture", "physical: idle"]);
}

#[test]
fn a_tag_and_a_photo_go_in_one_observation() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(1), Ok(tag(&UID))));
    assert_eq!(bench.ask(Request::AddOther), ["aim #2 30s", "physical: review tag identify, adding photo"]);
    bench.put(Event::Aiming(id(2), CAMERA.to_owned()));
    bench.ask(Request::Shutter);
    assert_eq!(bench.put(Event::Collected(id(2), Ok(photo()))), ["physical: review tag+photo identify"]);
    assert_eq!(bench.ask(Request::AddOther), ["refused: it holds a tag and a photo already"]);
    bench.ask(Request::SendReviewed);
    let sent = bench.last_sent();
    assert!(sent["observation"]["object"].is_object() && sent["observation"]["image"].is_object());
}

#[test]
fn leaving_the_foreground_disarms_and_keeps_what_is_reviewed() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(1), Ok(tag(&UID))));
    bench.ask(Request::AddOther);
    let out = bench.ask(Request::Foreground(false));
    assert_eq!(out[0], "disarm");
    assert_eq!(out[1], "physical: review tag identify");
    assert_eq!(bench.ask(Request::Foreground(true)), [""; 0]);
}

#[test]
fn dropping_forgets_the_picture() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmCapture(Aim::Answering));
    bench.put(Event::Aiming(id(1), CAMERA.to_owned()));
    bench.ask(Request::Shutter);
    bench.put(Event::Collected(id(1), Ok(photo())));
    let out = bench.ask(Request::DropReviewed);
    assert!(
        out.contains(&"forget picture".to_owned())
            && out.last().map(String::as_str) == Some("physical: idle")
    );
    assert_eq!(bench.wire.len(), 1, "only session.start was sent");
}

#[test]
fn disconnecting_forgets_everything_physical() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmCapture(Aim::Answering));
    bench.put(Event::Aiming(id(1), CAMERA.to_owned()));
    bench.ask(Request::Shutter);
    bench.put(Event::Collected(id(1), Ok(photo())));
    let out = bench.ask(Request::Disconnect);
    assert!(out.contains(&"forget picture".to_owned()), "{out:?}");
    assert!(out.contains(&"physical: idle".to_owned()), "{out:?}");
}

#[test]
fn a_refused_observation_stays_under_review() {
    let mut bench = Bench::live();
    bench.ask(Request::Say("one".into()));
    bench.ask(Request::Say("two, held".into()));
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(1), Ok(tag(&UID))));
    let out = bench.ask(Request::SendReviewed);
    assert!(out.iter().any(|l| l.starts_with("refused: not sent: a turn is already waiting")), "{out:?}");
    bench.hear_run();
    bench.hear_run();
    assert_eq!(bench.ask(Request::SendReviewed)[0], "→ user.observation");
}

#[test]
fn a_scenario_step_collects_both_and_sends() {
    let mut bench = Bench::live();
    let step = Observe {
        tag: Some("router.ndef".into()),
        picture: Some("desk.png".into()),
        intent: Intent::Inspect,
        aim: Aim::Answering,
        passport: None,
        insist: false,
    };
    assert_eq!(bench.ask(Request::Observe(step))[0], "scan #1 30s router.ndef");
    assert_eq!(bench.put(Event::Collected(id(1), Ok(tag(&UID))))[1], "aim #2 30s desk.png");
    assert_eq!(bench.put(Event::Aiming(id(2), CAMERA.to_owned()))[1], "shutter #2");
    let out = bench.put(Event::Collected(id(2), Ok(photo())));
    assert!(out.contains(&"→ user.observation".to_owned()), "{out:?}");
    assert_eq!(bench.last_sent()["observation"]["intent"], "inspect");
}

#[test]
fn a_failed_device_costs_one_line_and_the_session_goes_on() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmCapture(Aim::Answering));
    let line =
        Line { at: Duration::ZERO, text: "The camera hung.".into(), hint: None, kind: LineKind::Device };
    let out = bench.put(Event::Collected(id(1), Err(line)));
    assert_eq!(out, ["physical: idle", "failed: The camera hung."]);
    assert_eq!(bench.ask(Request::Say("still here".into())), ["→ user.turn"]);
}

#[test]
fn a_modality_that_was_not_negotiated_is_not_armed() {
    let mut bench = Bench::new();
    bench.ask(Request::Connect);
    let mut text_only = card(TransportProfile::WebSocket);
    text_only.offer.accepted = Modalities::NONE;
    bench.put(Event::Card(Attempt(1), Ok(Box::new(text_only))));
    bench.put(Event::Dialled(Attempt(1), Ok(None)));
    bench.attempt = 1;
    bench.hear(r#"{"type":"session.established"}"#);
    let out = bench.ask(Request::ArmScan(Aim::Answering));
    assert_eq!(
        out,
        ["refused: nothing was armed: this session has negotiated none, so a tag could not be sent"]
    );
}

/// A tag whose id is random, with nothing else on it.
fn random() -> Collected {
    let Collected::Tag(mut collected) = tag(&[8, 1, 2, 3]) else { unreachable!("it is a tag") };
    collected.object.object_ref = "urn:agentcall:local:onetap".to_owned();
    collected.review.name = TagName::Withheld;
    collected.review.random_uid = true;
    Collected::Tag(collected)
}

#[test]
fn a10_a_tag_without_a_stable_identity_is_sent_only_when_the_user_insists() {
    let refused = "refused: not sent: this tag has no stable identity. Its ID is random, another one at every tap, so an \
                   alias of it names this one tap alone";
    let mut bench = Bench::live();
    assert!(bench.ask(Request::Insist)[0].starts_with("refused: there is nothing to insist on"));
    bench.ask(Request::ArmScan(Aim::Answering));
    assert_eq!(bench.put(Event::Collected(id(1), Ok(random()))), ["physical: review tag identify"]);
    assert_eq!(bench.ask(Request::SendReviewed), [refused], "it stays under review");
    assert_eq!(bench.ask(Request::Insist), ["physical: review tag identify"]);
    assert!(bench.ask(Request::Insist)[0].starts_with("refused: there is nothing to insist on"));
    assert_eq!(bench.ask(Request::SendReviewed), ["→ user.observation", "physical: idle"]);
    assert_eq!(bench.last_sent()["observation"]["object"]["objectRef"], "urn:agentcall:local:onetap");
    // One insistence, one tap.
    bench.hear_run();
    bench.ask(Request::ArmScan(Aim::Answering));
    bench.put(Event::Collected(id(2), Ok(random())));
    assert_eq!(bench.ask(Request::SendReviewed), [refused]);
}

#[test]
fn a10_a_scenario_insists_by_a_word_and_otherwise_opens_no_camera_for_nothing() {
    for insist in [false, true] {
        let mut bench = Bench::live();
        let step = Observe {
            tag: Some(String::new()),
            picture: Some("desk.png".into()),
            intent: Intent::Inspect,
            aim: Aim::Answering,
            passport: None,
            insist,
        };
        bench.ask(Request::Observe(step));
        let out = bench.put(Event::Collected(id(1), Ok(random())));
        assert_eq!(out.iter().any(|line| line.starts_with("refused: not sent")), !insist, "{out:?}");
        assert_eq!(out.iter().any(|line| line.starts_with("aim ")), insist, "{out:?}");
    }
}
