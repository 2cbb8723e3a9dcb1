//! Acks (R16).

use super::dialogue::{live, live_under, play, terms};
use crate::session::Terms;

fn with_acks() -> Terms {
    Terms { acks: true, ..terms() }
}

#[test]
fn every_envelope_acted_on_is_acknowledged() {
    play(
        with_acks(),
        "
        open
          → session.start s-1 nfc photo
        < 1 session.established
          → ack 1
        ? deadline none
        ",
    );
}

#[test]
fn there_is_at_most_one_ack_in_50_ms_with_the_newest_sequence() {
    live_under(
        with_acks(),
        r#"
        > say "hello"
          → user.turn 1 "hello"
        < 2 run.started
          → ack 2
        < 3 text.delta "a"
        < 4 text.delta "b"
        ? deadline 50ms
        + 49ms
        < 5 text.delta "c"
        + 1ms
          → ack 5
        ? deadline none
        + 20ms
        < 6 text.delta "d"
        ? deadline 100ms
        + 30ms
          → ack 6
        + 60ms
        < 7 run.completed
          turn 1 over
          → ack 7
        "#,
    );
}

#[test]
fn a_violation_is_never_acknowledged() {
    live_under(
        with_acks(),
        r#"
        < 2 run.completed
          not acted on RUN-2
        < 3 some.thing
          not acted on EV-7
        < {"sequence":4,"event":{"type":"text.delta"}}
          not acted on EV-1
        < binary 9
          not acted on FRAME-2
        < 5 failure alone
          → ack 5
        < 5 failure again
          not acted on ENV-2
        + 60ms
        "#,
    );
}

#[test]
fn acks_can_be_switched_off() {
    live(
        "
        < 2 failure alone
        + 60ms
        ? deadline none
        ",
    );
}

#[test]
fn nothing_is_acknowledged_after_the_end() {
    for (end, said) in [("> end", "→ session.end\nclose\n"), ("closed", "")] {
        live_under(
            with_acks(),
            &format!(
                "
                < 2 failure one
                  → ack 2
                < 3 failure two
                {end}
                {said}
                + 60ms
                ? deadline none
                "
            ),
        );
    }
}
