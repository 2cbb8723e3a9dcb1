//! Audio turns (§ WebSocket and WebRTC, R4, R5, R14).

use super::dialogue::{live_under, play, terms};
use crate::protocol::card::TransportProfile;
use crate::session::{Session, Terms};

fn with_sound() -> Terms {
    Terms { transport: Some(TransportProfile::WebRtc), explicit_turns: true, ..terms() }
}

#[track_caller]
fn live(script: &str) -> Session {
    live_under(with_sound(), script)
}

#[test]
fn explicit_turns_are_declared_where_the_agent_supports_them() {
    play(with_sound(), "open\n→ session.start s-1 nfc photo explicit turns");
    play(terms(), "open\n→ session.start s-1 nfc photo");
}

#[test]
fn without_explicit_turns_nothing_is_sent() {
    live_under(terms(), "> talk\nrefused TURN-6\n? audio none");
}

#[test]
fn a_spoken_turn_takes_its_number_from_the_shared_counter_and_is_answered() {
    live(
        r#"
        > say "Hello"
        → user.turn 1 "Hello"
        < 2 run.started
        < 3 run.completed
        turn 1 over
        + 2s
        > talk
        → audio.turn.start 2
        ? audio 2 since 2s
        ? run idle
        + 3s
        > commit 4900
        → audio.turn.commit 2
        ? audio none
        ? run in flight 2
        + 100ms
        < 4 run.started
        + 50ms
        < 5 text.delta "Yes"
        < 6 run.completed
        turn 2 over
        ? latency turn 2 asked 4.9s sent 5s started Some(5.1s) text Some(5.15s) completed Some(5.15s)
        > say "And you?"
        → user.turn 3 "And you?"
        "#,
    );
}

#[test]
fn a_cancelled_turn_is_over_and_what_waited_is_sent() {
    live(
        r#"
        > talk
        → audio.turn.start 1
        > say "typed meanwhile"
        ? held "typed meanwhile"
        > silence
        → audio.turn.cancel 1
        turn 1 over
        → user.turn 2 "typed meanwhile"
        ? audio none
        "#,
    );
}

#[test]
fn what_waited_goes_behind_the_answer_of_a_committed_turn() {
    live(
        r#"
        > talk
        → audio.turn.start 1
        > say "typed meanwhile"
        > say "and once more"
        refused AlreadyHeld
        > commit 0
        → audio.turn.commit 1
        < 2 run.started
        < 3 run.completed
        turn 1 over
        → user.turn 2 "typed meanwhile"
        "#,
    );
}

#[test]
fn one_audio_turn_is_open_at_a_time_and_none_is_opened_into_a_run() {
    live(
        r#"
        > commit 0
        refused Nothing
        > silence
        refused Nothing
        > talk
        → audio.turn.start 1
        > talk
        refused TURN-5
        > commit 0
        → audio.turn.commit 1
        > talk
        refused TURN-4
        "#,
    );
}

#[test]
fn cancel_takes_back_the_open_turn_first() {
    live(
        r#"
        < 2 asks nfc ix-1
        > talk
        → audio.turn.start 1
        > cancel
        → audio.turn.cancel 1
        turn 1 over
        ? pending nfc ix-1 open
        > cancel
        → response.cancel
        ? pending none
        "#,
    );
}

#[test]
fn a_failure_ends_the_open_turn() {
    live(
        r#"
        > talk
        → audio.turn.start 1
        < 2 failure unsupported
        turn 1 over
        ? audio none
        > commit 0
        refused Nothing
        "#,
    );
}

#[test]
fn a_run_that_the_agent_begins_by_itself_leaves_the_open_turn_alone() {
    live(
        r#"
        > talk
        → audio.turn.start 1
        < 2 run.started
        acted on RUN-3
        < 3 failure tired
        ? audio 1 since 0ns
        > commit 0
        → audio.turn.commit 1
        ? run in flight 1
        "#,
    );
}

#[test]
fn the_end_takes_back_the_open_turn() {
    live(
        r#"
        > talk
        → audio.turn.start 1
        > end
        → audio.turn.cancel 1
        → session.end
        turn 1 over
        close
        ? audio none
        "#,
    );
    live(
        r#"
        > talk
        → audio.turn.start 1
        closed
        turn 1 over
        ? audio none
        "#,
    );
}
