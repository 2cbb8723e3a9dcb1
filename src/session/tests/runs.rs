//! Turns and the one active run (§ Session and input, R14, R15).

use super::dialogue::live;

#[test]
fn a_turn_is_in_flight_from_its_sending_and_over_with_run_completed() {
    live(
        r#"
        > say "hello"
          → user.turn 1 "hello"
        ? run in flight 1
        < 2 run.started
        ? run running 1
        < 3 text.delta "Hi"
        < 4 speech.segment {"segmentId":"a","text":"Hi","stable":true}
        < 5 run.completed
          turn 1 over
        ? run idle
        > say "more"
          → user.turn 2 "more"
        "#,
    );
}

#[test]
fn text_and_observations_share_one_counter() {
    live(
        r#"
        > say "hello"
          → user.turn 1 "hello"
        < 2 failure busy
          turn 1 over
        > scan urn:a
          → user.observation 2 nfc urn:a
        < 3 failure busy
          turn 2 over
        > say "again"
          → user.turn 3 "again"
        "#,
    );
}

#[test]
fn the_next_turn_is_held_until_the_run_has_ended() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        > say "two"
        ? held "two"
        > say "three"
          refused AlreadyHeld
        < 2 run.started
        < 3 run.completed
          turn 1 over
          → user.turn 2 "two"
        ? held none
        ? run in flight 2
        "#,
    );
}

#[test]
fn a_held_turn_can_be_dropped() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        > photo
        ? held photo
        > drop
        ? held none
        > drop
          refused Nothing
        < 2 failure busy
          turn 1 over
        ? run idle
        "#,
    );
}

#[test]
fn a_failure_ends_a_run_and_also_a_turn_that_no_run_has_begun() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 failure bad_turn
          turn 1 over
        > say "two"
          → user.turn 2 "two"
        < 3 run.started
        < 4 failure model
          turn 2 over
        < 5 failure alone
        ? run idle
        "#,
    );
}

#[test]
fn the_first_end_of_a_run_counts() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        < 3 failure model
          turn 1 over
        < 4 run.completed
          not acted on RUN-2
        < 5 text.delta "late"
          not acted on RUN-2
        "#,
    );
}

#[test]
fn a_second_run_inside_a_run_is_a_violation() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        < 3 run.started
          not acted on RUN-1
        < 4 run.completed
          turn 1 over
        < 5 run.completed
          not acted on RUN-2
        "#,
    );
}

#[test]
fn events_of_a_run_need_a_run() {
    live(
        r#"
        < 2 text.delta "x"
          not acted on RUN-2
        > say "one"
          → user.turn 1 "one"
        < 3 text.delta "x"
          not acted on RUN-2
        < 4 speech.segment {"segmentId":"a","text":"Hi","stable":true}
          not acted on RUN-2
        < 5 run.completed
          not acted on RUN-2
        ? run in flight 1
        "#,
    );
}

#[test]
fn a_run_that_nobody_asked_for_is_noted_and_holds_turns() {
    live(
        r#"
        < 2 run.started
          acted on RUN-3
        > say "hello"
        ? held "hello"
        < 3 run.completed
          → user.turn 1 "hello"
        "#,
    );
}

#[test]
fn empty_deltas_and_unstable_segments_are_noted_only() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        < 3 text.delta ""
          acted on EV-4
        < 4 speech.segment {"segmentId":"a","text":"Hi","stable":false}
          acted on EV-3
        "#,
    );
}

#[test]
fn a_cancelled_run_ends_with_its_own_end() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        > say "two"
        > cancel
          → response.cancel
        > cancel
          refused Nothing
        < 3 text.delta "still"
        < 4 failure cancelled
          turn 1 over
          → user.turn 2 "two"
        "#,
    );
}

#[test]
fn a_turn_can_be_cancelled_before_its_run_has_started() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        > cancel
          → response.cancel
        ? run cancelling
        < 2 text.delta "x"
          not acted on RUN-2
        + 4s
        < 3 run.started
        < 4 run.started
          not acted on RUN-1
        < 5 run.completed
          turn 1 over
        ? run idle
        "#,
    );
}

#[test]
fn a_cancelled_run_that_does_not_end_is_taken_as_ended_after_5_s() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        > cancel
          → response.cancel
        ? deadline 5s
        > say "two"
        + 4999ms
        ? run cancelling
        + 1ms
          noted RUN-4
          turn 1 over
          → user.turn 2 "two"
        ? run in flight 2
        < 3 text.delta "late"
          not acted on RUN-4
        < 4 run.completed
          not acted on RUN-4
        < 5 text.delta "later"
          not acted on RUN-2
        < 6 run.started
        < 7 run.completed
          turn 2 over
        "#,
    );
}

#[test]
fn a_new_run_puts_an_end_to_the_one_taken_as_ended() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        > cancel
          → response.cancel
        + 5s
          noted RUN-4
          turn 1 over
        > say "two"
          → user.turn 2 "two"
        < 3 run.started
        < 4 run.completed
          turn 2 over
        < 5 run.completed
          not acted on RUN-2
        "#,
    );
}

#[test]
fn there_must_be_something_to_cancel() {
    live(
        "
        > cancel
          refused Nothing
        ",
    );
}

#[test]
fn texts_keep_their_bounds() {
    let longest = "é".repeat(8_192);
    live(&format!(
        r#"
        > say ""
          refused TURN-2
        > say "   "
          refused TURN-2
        > say "{longest}é"
          refused TURN-2
        > say "{longest}"
          → user.turn 1 "{longest}"
        "#
    ));
}

#[test]
fn the_times_of_a_turn_are_kept() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        + 10ms
        > say "two"
        + 10ms
        < 2 run.started
        + 5ms
        < 3 text.delta ""
          acted on EV-4
        + 5ms
        < 4 text.delta "Hi"
        < 5 text.delta "Ho"
        + 10ms
        < 6 failure model
          turn 1 over
          → user.turn 2 "two"
        ? latency turn 2 asked 10ms sent 40ms started None text None completed None
        + 1ms
        < 7 run.started
        + 1ms
        < 8 text.delta "Hi"
        + 1ms
        < 9 run.completed
          turn 2 over
        ? latency turn 2 asked 10ms sent 40ms started Some(41ms) text Some(42ms) completed Some(43ms)
        "#,
    );
}

#[test]
fn what_goes_past_the_gate_is_marked_and_changes_nothing_here() {
    live(
        r#"
        > past the gate {"type":"user.turn","turn":99,"text":""}
          → past the gate {"type":"user.turn","turn":99,"text":""}
        ? run idle
        > say "hello"
          → user.turn 1 "hello"
        > past the gate not even JSON
          → past the gate not even JSON
        "#,
    );
}
