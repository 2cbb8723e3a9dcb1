//! Sequences, and frames that cannot be read (§ WebSocket and WebRTC, R12, R30).

use super::dialogue::live;

#[test]
fn a_gap_is_noted_and_acted_on() {
    live(
        "
        < 5 run.started
          acted on ENV-3 RUN-3
        ? run running unasked
        ",
    );
}

#[test]
fn a_repeat_or_a_step_back_is_not_acted_on_and_spends_no_number() {
    live(
        r#"
        > say "hello"
          → user.turn 1 "hello"
        < 3 run.started
          acted on ENV-3
        < 3 run.completed
          not acted on ENV-2
        < 2 run.completed
          not acted on ENV-2
        ? run running 1
        < 4 run.completed
          turn 1 over
        "#,
    );
}

#[test]
fn the_largest_sequence_is_the_last_one() {
    live(
        "
        < 18446744073709551615 some.thing
          not acted on EV-7 ENV-3
        < 18446744073709551615 some.thing
          not acted on ENV-2 EV-7
        < 1 some.thing
          not acted on ENV-2 EV-7
        ",
    );
}

#[test]
fn frames_that_cannot_be_read_cost_nothing() {
    live(
        r#"
        > say "hello"
          → user.turn 1 "hello"
        < binary 12
          not acted on FRAME-2
        < oversized 140000
          not acted on FRAME-1
        < not JSON at all
          not acted on FRAME-3
        < {"sequence":0,"event":{"type":"run.started"}}
          not acted on ENV-1
        < {"sequence":2}
          not acted on ENV-1
        < 3 text.delta {"text":7}
          not acted on EV-1
        ? run in flight 1
        < 4 run.started
        ? run running 1
        "#,
    );
}

#[test]
fn an_unreadable_event_spends_its_number() {
    live(
        r#"
        < 2 failure {"code":1}
          not acted on EV-1
        < 2 failure busy
          not acted on ENV-2
        < 2 failure {"code":1}
          not acted on EV-1 ENV-2
        < 3 failure busy
        "#,
    );
}

#[test]
fn an_unknown_event_is_shown_and_changes_nothing() {
    live(
        r#"
        > say "hello"
          → user.turn 1 "hello"
        < 2 capability.granted {"modalities":["nfc"],"run":"completed"}
          not acted on EV-7
        ? run in flight 1
        "#,
    );
}

#[test]
fn unknown_members_are_ignored() {
    live(
        r#"
        > say "hello"
          → user.turn 1 "hello"
        < 2 run.started {"grants":["photo"]}
        < {"sequence":3,"event":{"type":"run.completed","x":1},"more":[1,2]}
          turn 1 over
        "#,
    );
}
