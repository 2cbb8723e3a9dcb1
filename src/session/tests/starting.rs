//! How a session starts (§ Session and input, R13, R27, R29).

use super::dialogue::{live, live_under, play, terms};
use crate::protocol::{Modalities, Modality};
use crate::session::Terms;

#[test]
fn session_start_is_the_first_message_and_the_session_is_live_when_established() {
    play(
        terms(),
        r#"
        > say "too early"
          refused NotLive
        open
          → session.start s-1 nfc photo
        > say "still too early"
          refused NotLive
        ? phase Starting
        < 1 session.established
        ? phase Live
        > say "hello"
          → user.turn 1 "hello"
        "#,
    );
}

#[test]
fn opening_twice_starts_once() {
    play(
        terms(),
        "
        open
          → session.start s-1 nfc photo
        open
        ",
    );
}

#[test]
fn anything_before_session_established_is_not_acted_on() {
    play(
        terms(),
        r#"
        open
          → session.start s-1 nfc photo
        < 1 run.started
          not acted on SES-1
        < 2 asks nfc ix-1
          not acted on SES-1
        ? pending none
        < 3 failure busy
          not acted on SES-1
        < 4 some.thing
          not acted on SES-1 EV-7
        < 5 session.established
          acted on SES-2
        ? phase Live
        "#,
    );
}

#[test]
fn another_positive_start_is_noted_and_a_resumed_session_is_a_violation() {
    play(
        terms(),
        r#"
        open
          → session.start s-1 nfc photo
        < 7 session.established {"resumed":true}
          not acted on SES-3
        ? phase Starting
        < 8 session.established
          acted on SES-2
        ? phase Live
        "#,
    );
}

#[test]
fn established_twice_is_a_violation() {
    live(
        "
        < 2 session.established
          not acted on SES-4
        ? phase Live
        ",
    );
}

#[test]
fn the_usable_modalities_are_the_intersection_of_card_and_session() {
    let nfc = Modalities::NONE.with(Modality::Nfc);
    let photo = Modalities::NONE.with(Modality::Photo);
    for (accepted, offered, usable) in [
        (Modalities::BOTH, Modalities::BOTH, "nfc photo"),
        (Modalities::BOTH, nfc, "nfc"),
        (photo, Modalities::BOTH, "photo"),
        (photo, nfc, "none"),
        (Modalities::NONE, Modalities::BOTH, "none"),
    ] {
        live_under(Terms { accepted, offered, ..terms() }, &format!("? negotiated {usable}"));
    }
}

#[test]
fn an_unmapped_profile_suppresses_everything_physical_whatever_the_card_said() {
    play(
        Terms { transport: None, ..terms() },
        "
        open
          → session.start s-1 none
        < 1 session.established
        ? negotiated none
        > scan urn:a
          refused CARD-9
        > photo
          refused CARD-9
        < 2 asks nfc ix-1
          not acted on IX-1
        ",
    );
}
