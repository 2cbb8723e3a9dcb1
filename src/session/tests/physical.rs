//! Observations at the gate, and the physical focus (§ Session and input; § Security, photos, R11, R22).

use std::time::Duration;

use super::dialogue::{draft, image, live, live_under, terms};
use crate::protocol::observation::{Assurance, Carrier, Passport};
use crate::protocol::{ClientMessage, Dialect, Modalities, Modality};
use crate::session::{Answer, Ask, Draft, Input, Output, Refusal, Session, Terms};

/// Shows a draft on a live session and gives what came of it.
fn show(draft: Draft) -> Result<(), Refusal> {
    live("").handle(Duration::ZERO, Input::Ask(Ask::Show(draft)))
}

fn rule(draft: Draft) -> &'static str {
    show(draft).expect_err("it is refused").rule.expect("by a rule").id
}

#[test]
fn every_modality_must_be_negotiated() {
    let offered = Modalities::NONE.with(Modality::Nfc);
    live_under(
        Terms { offered, ..terms() },
        "
        > photo
          refused OBS-2
        > both urn:a
          refused OBS-2
        > nothing
          refused OBS-1
        > scan urn:a
          → user.observation 1 nfc urn:a
        ",
    );
}

#[test]
fn an_observation_keeps_its_bounds() {
    let sound = || draft(Some("urn:a"), true, Answer::Unrelated);
    assert_eq!(show(sound()), Ok(()));
    let object = |change: fn(&mut crate::protocol::observation::ObjectInput)| {
        let mut draft = sound();
        change(draft.object.as_mut().expect("an object"));
        rule(draft)
    };
    let photo = |change: fn(&mut crate::protocol::observation::ImageInput)| {
        let mut draft = sound();
        change(draft.image.as_mut().expect("an image"));
        rule(draft)
    };
    assert_eq!(rule(Draft { observation_id: "x".repeat(129), ..sound() }), "OBS-9");
    assert_eq!(rule(Draft { captured_at: "yesterday".to_owned(), ..sound() }), "OBS-9");
    assert_eq!(object(|o| o.object_ref = "u".repeat(513)), "OBS-5");
    assert_eq!(object(|o| o.payload_sha256 = "00".to_owned()), "OBS-5");
    assert_eq!(object(|o| o.assurance = Assurance::SignedTag), "OBS-6");
    assert_eq!(photo(|i| *i = image(61_441)), "OBS-3");
    assert_eq!(photo(|i| i.pixel_width = 1_025), "OBS-3");
    assert_eq!(photo(|i| i.byte_count += 1), "OBS-4");
    assert_eq!(photo(|i| i.sha256 = "0".repeat(64)), "OBS-4");
}

#[test]
fn a_refusal_says_what_to_do_and_by_which_rule() {
    let refusal = show(Draft { captured_at: "yesterday".to_owned(), ..draft(None, true, Answer::Unrelated) });
    insta::assert_snapshot!(refusal.expect_err("it is refused"), @"not sent: expected a date and time of RFC 3339, such as 2026-09-07T10:00:00Z at /observation/capturedAt (OBS-9, § Session and input)");
}

#[test]
fn a_passport_keeps_its_bound_as_it_would_be_sent() {
    let numbers = vec!["1e15"; 3_000].join(",");
    let json = format!(r#"{{"schemaVersion":"0.1","notes":[{numbers}]}}"#);
    let passport = Passport::parse(json.as_bytes()).expect("within the bound as it was given");
    let mut draft = draft(Some("urn:a"), true, Answer::Unrelated);
    draft.image = Some(image(61_440));
    assert_eq!(show(draft.clone()), Ok(()));
    draft.object.as_mut().expect("an object").passport = Some(passport);
    assert_eq!(rule(draft), "OBS-8");
}

/// Within the default names nothing can grow over a frame; a dialect may have long ones.
#[test]
fn the_whole_frame_keeps_its_bound() {
    let dialect = Dialect { image_data: "d".repeat(60_000), ..Dialect::default() };
    let mut session = live_under(Terms { dialect, ..terms() }, "");
    let mut draft = draft(None, true, Answer::Unrelated);
    draft.image = Some(image(61_440));
    let refusal = session.handle(Duration::ZERO, Input::Ask(Ask::Show(draft))).expect_err("it is refused");
    assert_eq!(refusal.rule.map(|r| r.id), Some("FRAME-1"));
    assert_eq!(session.view().last_turn, 0, "nothing was sent");
}

#[test]
fn what_the_agent_takes_at_most_is_kept_and_said() {
    let terms = Terms { max_message: Some(16_384), ..terms() };
    let mut session = live_under(terms, "");
    let mut draft = draft(None, true, Answer::Unrelated);
    draft.image = Some(image(61_440));
    for ask in [Ask::Show(draft), Ask::Say("é".repeat(8_192))] {
        let refusal = session.handle(Duration::ZERO, Input::Ask(ask)).expect_err("it is refused");
        assert_eq!(refusal.rule.map(|r| r.id), Some("FRAME-1"));
        assert!(refusal.message.ends_with("at most 16,384 are taken by this agent"), "{}", refusal.message);
    }
    assert_eq!(session.view().last_turn, 0, "nothing was sent");
}

#[test]
fn later_turns_carry_the_focus_as_facts_and_never_the_photo() {
    let mut session = live(
        r#"
        > both urn:a
          → user.observation 1 nfc photo urn:a
        < 2 run.started
        < 3 run.completed
          turn 1 over
        ? focus urn:a
        > photo
          → user.observation 2 photo
        < 4 run.started
        < 5 run.completed
          turn 2 over
        ? focus urn:a
        "#,
    );
    session.handle(Duration::ZERO, Input::Ask(Ask::Say("What is it?".to_owned()))).expect("it is sent");
    let Some(Output::Send(message @ ClientMessage::UserTurn(_))) = session.poll() else {
        panic!("a turn is sent")
    };
    insta::assert_snapshot!(message.encode(&Dialect::default()), @r#"{"type":"user.turn","turn":3,"text":"What is it?","context":[{"description":"physical focus: objectRef (untrusted fact)","value":"urn:a"},{"description":"physical focus: carrier","value":"ndef"},{"description":"physical focus: assurance","value":"unverifiedTag"}]}"#);
}

#[test]
fn the_focus_names_the_carrier_as_the_dialect_does() {
    let dialect = Dialect { carrier_ndef: "ndefTag".to_owned(), ..Dialect::default() };
    let mut session: Session = live_under(
        Terms { dialect, ..terms() },
        "
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 failure busy
          turn 1 over
        > scan urn:a
          → user.observation 2 nfc urn:a
        < 3 run.started
        < 4 run.completed
          turn 2 over
        ",
    );
    assert_eq!(session.view().focus.map(|f| f.carrier), Some(Carrier::Ndef));
    session.handle(Duration::ZERO, Input::Ask(Ask::Say("x".to_owned()))).expect("it is sent");
    let Some(Output::Send(ClientMessage::UserTurn(turn))) = session.poll() else { panic!("a turn is sent") };
    assert_eq!(turn.context[1].value, "ndefTag");
}

#[test]
fn an_observation_that_failed_was_never_the_agents_focus() {
    live(
        r#"
        > scan urn:a
          → user.observation 1 nfc urn:a
        ? focus urn:a
        < 2 failure bad_object
          turn 1 over
        ? focus none
        > say "hello"
          → user.turn 2 "hello"
        "#,
    );
}

#[test]
fn the_same_object_shown_again_keeps_focus_and_proposal_though_it_fails() {
    live(
        r#"
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 run.started
        < 3 run.completed
          turn 1 over
        > say "teach object Router"
          → user.turn 2 "teach object Router" about urn:a
        < 4 run.started
        < 5 run.completed
          turn 2 over
        > scan urn:a
          → user.observation 3 nfc urn:a
        < 6 failure busy
          turn 3 over
        ? focus urn:a
        ? proposal urn:a is "Router"
        "#,
    );
}
