//! How a session ends, and what is forgotten with it (§ Session and input, R15, R25).

use super::dialogue::{live, play, terms};

#[test]
fn session_end_goes_out_before_the_transport_is_closed() {
    live(
        r#"
        > end
          → session.end
          close
        ? phase Ended
        > say "hello"
          refused NotLive
        > cancel
          refused NotLive
        > end
          refused NotLive
        > past the gate {}
          refused NotLive
        "#,
    );
}

#[test]
fn a_session_can_be_ended_before_it_is_established() {
    play(
        terms(),
        "
        > end
          refused NotLive
        open
          → session.start s-1 nfc photo
        > end
          → session.end
          close
        < 1 session.established
          not acted on
        ? phase Ended
        ",
    );
}

#[test]
fn everything_is_dropped_when_the_transport_is_gone() {
    live(
        r#"
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 run.started
        < 3 asks photo ix-1
        < 4 run.completed
          turn 1 over
        > say "teach object Router"
          → user.turn 2 "teach object Router" about urn:a
        > photo for ix-1
        closed
          turn 2 over
          held turn refused NotLive
        ? phase Ended
        ? run idle
        ? held none
        ? pending none
        ? focus none
        ? proposal none
        ? deadline none
        closed
        > photo
          refused NotLive
        "#,
    );
}

#[test]
fn the_end_drops_what_a_lost_transport_drops() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        > say "two"
        > cancel
          → response.cancel
        > end
          → session.end
          turn 1 over
          held turn refused NotLive
          close
        + 6s
        ? run idle
        ? deadline none
        "#,
    );
}

#[test]
fn what_comes_after_the_end_is_shown_and_not_acted_on() {
    live(
        r#"
        < 2 asks nfc ix-1
        > end
          → session.end
          close
        < 3 resolves ix-1 cancelled
          not acted on
        < 4 asks nfc ix-2
          not acted on
        ? pending none
        < not JSON
          not acted on FRAME-3
        "#,
    );
}

#[test]
fn a_closed_session_does_not_open_again() {
    play(
        terms(),
        "
        closed
        open
        ? phase Ended
        ",
    );
}
