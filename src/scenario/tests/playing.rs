//! How a scenario is played.

use super::stage::play;

#[test]
fn acting_steps_return_when_they_are_sent() {
    play(
        "say hello\nexpect text \"Hi\"\ncancel\nend",
        r#"
        ask Connect
        live
          ask Say hello
        out user.turn
          step 1 say ok
        < run.started
        < text.delta "Hi there"
          step 2 expect ok
          ask Cancel
        out response.cancel
          step 3 cancel ok
          ask End
        out session.end
          step 4 end ok
        over info The session was ended.
          ask Quit
        stopped
          outcome Ok
        "#,
    );
}

#[test]
fn a_step_that_would_send_into_an_active_run_waits_for_its_end() {
    play(
        "say one\nsay two",
        "
        ask Connect
        live
          ask Say one
        out user.turn
          step 1 say ok
        busy
        < run.started
        < run.completed
        idle
          ask Say two
        out user.turn
          step 2 say ok
          ask Quit
        stopped
          outcome Ok
        ",
    );
}

#[test]
fn an_observation_is_one_step() {
    play(
        "observe tag:uid=04A1B2C3 file:/desk.png intent=inspect unrelated\nscan tag:/r.ndef\nend",
        "
        ask Connect
        live
          ask Observe uid=04A1B2C3 /desk.png inspect Unrelated
        out ack
        out user.observation
          step 1 observe ok
        < failure busy
        idle
          ask Observe /r.ndef  identify Answering
        failed device The tag file cannot be read.
          step 2 scan not ok: The tag file cannot be read.
          ask Quit
        stopped
          outcome Device Step 2 (scan) failed: The tag file cannot be read.
        ",
    );
}

#[test]
fn a_refused_step_fails() {
    play(
        "say confirm object",
        "
        ask Connect
        live
          ask Say confirm object
        refused not sent: there is no current proposal
          step 1 say not ok: not sent: there is no current proposal
          ask Quit
        stopped
          outcome Expectation Step 1 (say) failed: not sent: there is no current proposal
        ",
    );
}

#[test]
fn an_expectation_looks_at_everything_since_the_last_acting_step() {
    play(
        "say one\nwait 1s\nexpect event run.started\nexpect text \"Hi\"\nsay two\nexpect text \"Hi\" within 2s",
        r#"
        ask Connect
        live
          ask Say one
        out user.turn
          step 1 say ok
        < run.started
        < text.delta "Hi"
        < run.completed
        idle
        + 1s
          step 2 wait ok
          step 3 expect ok
          step 4 expect ok
          ask Say two
        out user.turn
          step 5 say ok
        < run.started
        < text.delta "Ho"
        + 2s
          step 6 expect not ok: expected text "Hi" within 2s; came instead: run.started, text "Ho"
          ask Quit
        stopped
          outcome Expectation Step 6 (expect) failed: expected text "Hi" within 2s; came instead: run.started, text "Ho"
        "#,
    );
}

#[test]
fn a_text_is_found_across_deltas_and_consumed_through_its_end() {
    play(
        "say x\nexpect text \"do not know\"\nexpect text \"now\"\nexpect text \"know\" within 1s",
        r#"
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < run.started
        < text.delta "I do n"
        < speech.segment
        < text.delta "ot kno"
        < text.delta "w now"
          step 2 expect ok
          step 3 expect ok
        + 1s
          step 4 expect not ok: expected text "know" within 1s; came instead: nothing
          ask Quit
        stopped
          outcome Expectation Step 4 (expect) failed: expected text "know" within 1s; came instead: nothing
        "#,
    );
}

#[test]
fn texts_are_compared_with_their_case_and_do_not_run_from_one_run_into_the_next() {
    play(
        "say x\nexpect text \"ab\" within 1s",
        r#"
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < run.started
        < text.delta "AB a"
        < run.completed
        < run.started
        < text.delta "b"
        < text.delta "ab" not acted on RUN-2
        + 1s
          step 2 expect not ok: expected text "ab" within 1s; came instead: run.started, text "AB a", run.completed, run.started, text "b", finding RUN-2
          ask Quit
        stopped
          outcome Expectation Step 2 (expect) failed: expected text "ab" within 1s; came instead: run.started, text "AB a", run.completed, run.started, text "b", finding RUN-2
        "#,
    );
}

#[test]
fn expectations_consume_in_order() {
    play(
        "say x\nexpect event run.completed\nexpect event run.started",
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < run.started
        < run.completed
          step 2 expect ok
        + 10s
          step 3 expect not ok: expected event run.started within 10s; came instead: nothing
          ask Quit
        stopped
          outcome Expectation Step 3 (expect) failed: expected event run.started within 10s; came instead: nothing
        ",
    );
}

#[test]
fn failures_and_unknown_events_can_be_expected() {
    play(
        "say x\nexpect event thought.started\nexpect failure other within 1s",
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < thought.started
          step 2 expect ok
        < failure busy
        + 1s
          step 3 expect not ok: expected failure other within 1s; came instead: failure busy
          ask Quit
        stopped
          outcome Expectation Step 3 (expect) failed: expected failure other within 1s; came instead: failure busy
        ",
    );
    play(
        "say x\nexpect failure",
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < failure busy
          step 2 expect ok
          ask Quit
        stopped
          outcome Ok
        ",
    );
}

#[test]
fn what_is_not_expected_must_not_come_until_the_run_ends() {
    let scenario = "say x\nexpect no failure";
    play(
        scenario,
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        busy
        < run.started
        + 20s
        < run.completed
        idle
          step 2 expect ok
          ask Quit
        stopped
          outcome Ok
        ",
    );
    play(
        scenario,
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < failure busy
          step 2 expect not ok: a failure came, which should not
          ask Quit
        stopped
          outcome Expectation Step 2 (expect) failed: a failure came, which should not
        ",
    );
}

#[test]
fn what_is_not_expected_may_be_watched_for_a_time() {
    play(
        "expect no event run.started within 500ms\nend",
        "
        ask Connect
        live
        idle
        + 500ms
          step 1 expect ok
          ask End
        out session.end
          step 2 end ok
        + 2s
          ask Quit
        + 5s
          outcome Ok
        ",
    );
}
