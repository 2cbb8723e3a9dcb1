//! What a scenario comes to: findings, lost connections, deadlines.

use super::stage::play;

#[test]
fn a_must_level_finding_fails_a_run_whose_steps_went_well() {
    play(
        "say x\nexpect event run.completed",
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < run.started
        < run.started not acted on RUN-1
        ! RUN-4
        < run.completed
          step 2 expect ok
          ask Quit
        stopped
          outcome Findings The steps went well, but the agent broke RUN-1. (A step `expect finding RULE` makes a finding an expected one.)
        ",
    );
}

#[test]
fn a_finding_that_is_expected_is_no_fault() {
    play(
        "say x\nexpect finding RUN-1\nsay y",
        "
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < run.started
        < run.started not acted on RUN-1
          step 2 expect ok
        < run.completed
        idle
          ask Say y
        out user.turn
          step 3 say ok
          ask Quit
        stopped
          outcome Ok
        ",
    );
}

#[test]
fn a_connection_that_never_comes_decides_the_outcome() {
    for (line, class) in [
        ("failed card The card was refused.", "Card"),
        ("failed usage The URL was refused.", "Usage"),
        ("over connection Nobody answers at agent.example.", "Connection"),
        ("over timeout No answer in 10 s.", "Timeout"),
    ] {
        let text = line.splitn(3, ' ').nth(2).expect("a text");
        play(
            "say x",
            &format!(
                "
                ask Connect
                failed device The camera is not there.
                {line}
                  ask Quit
                stopped
                  outcome {class} {text}
                "
            ),
        );
    }
}

#[test]
fn a_session_that_ends_under_the_scenario_fails_the_step_that_waits() {
    play(
        "say x\nexpect text \"Hi\"",
        r#"
        ask Connect
        live
          ask Say x
        out user.turn
          step 1 say ok
        < run.started
        over connection The agent closed the connection.
          step 2 expect not ok: expected text "Hi", and the session is over; came instead: run.started. The agent closed the connection.
          ask Quit
        stopped
          outcome Connection Step 2 (expect) failed: expected text "Hi", and the session is over; came instead: run.started. The agent closed the connection.
        "#,
    );
    play(
        "wait 1s\nsay x",
        "
        ask Connect
        live
        over connection The agent closed the connection.
        + 1s
          step 1 wait ok
          step 2 say not ok: The agent closed the connection.
          ask Quit
        stopped
          outcome Connection Step 2 (say) failed: The agent closed the connection.
        ",
    );
}

#[test]
fn after_end_only_what_has_come_can_be_expected() {
    play(
        "end\nexpect event goodbye",
        "
        ask Connect
        live
          ask End
        out session.end
          step 1 end ok
        over info The session was ended.
          step 2 expect not ok: expected event goodbye, and the session is over; came instead: nothing. The session was ended.
          ask Quit
        stopped
          outcome Expectation Step 2 (expect) failed: expected event goodbye, and the session is over; came instead: nothing. The session was ended.
        ",
    );
}

#[test]
fn the_whole_run_has_a_deadline() {
    play(
        "say one\nsay two",
        "
        ask Connect
        live
          ask Say one
        out user.turn
          step 1 say ok
        busy
        + 60s
          step 2 say not ok: the whole run took too long; a step waits for the end of the active run
          ask Quit
        stopped
          outcome Timeout Step 2 (say) failed: the whole run took too long; a step waits for the end of the active run (Give it more time with --timeout.)
        ",
    );
    play(
        "say one",
        "
        ask Connect
        + 60s
          ask Quit
        + 5s
          outcome Timeout the whole run took too long; the session did not become live (Give it more time with --timeout.)
        ",
    );
}

#[test]
fn an_engine_that_stops_is_our_own_fault() {
    play(
        "say one",
        "
        ask Connect
        live
          ask Say one
        stopped
          outcome Internal The engine stopped before the scenario was over.
        ",
    );
}

#[test]
fn what_came_instead_is_bounded() {
    let many: String = (0..20).map(|n| format!("< event.{n}\n")).collect();
    let long = "x".repeat(100);
    let end = "x".repeat(60);
    let detail = format!(
        "expected a failure within 10s; came instead: (14 more) event.14, event.15, event.16, event.17, event.18, event.19, run.started, text …\"{end}\""
    );
    play(
        "expect failure",
        &format!(
            "ask Connect\nlive\n{many}< run.started\n< text.delta {long}\n+ 10s\nstep 1 expect not ok: {detail}\nask Quit\nstopped\noutcome Expectation Step 1 (expect) failed: {detail}"
        ),
    );
}
