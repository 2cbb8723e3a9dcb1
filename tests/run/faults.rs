//! Agents that do it wrong: each fault is one clear line, and the session goes on where it may.

use agentcall::agent::Fault;
use agentcall::protocol::rules::{Level, by_id};

use super::common::finish;
use super::{Bench, TALK, all, findings};

/// The rule that a fault breaks, and whether the exit code says so.
fn breaks(fault: Fault) -> Option<(&'static str, i32)> {
    Some(match fault {
        Fault::SequenceStepBack => ("ENV-2", 1),
        Fault::EventBeforeEstablished => ("SES-1", 1),
        Fault::SecondRun => ("RUN-1", 1),
        Fault::RequestWhilePending => ("IX-4", 1),
        Fault::UnknownResolve => ("IX-5", 1),
        Fault::OversizedFrame => ("FRAME-1", 1),
        Fault::BinaryFrame => ("FRAME-2", 1),
        Fault::InvalidJson => ("FRAME-3", 1),
        Fault::UnknownEvent => ("EV-7", 0),
        // These end the session: each has a test of its own.
        Fault::Resumed | Fault::CloseMidRun | Fault::Silent => return None,
    })
}

#[tokio::test]
async fn each_broken_rule_is_one_clear_line_and_the_session_goes_on() {
    for (fault, (rule, code)) in Fault::ALL.iter().filter_map(|fault| Some((*fault, breaks(*fault)?))) {
        let bench = Bench::faulty(fault).await;
        let steps = "say scan an object\nexpect event run.completed\nsay hello\nexpect text \"Hello\"\n";
        let done = bench.run(&["--json"], steps).await;
        let lines = done.json_lines();
        assert_eq!(done.code, code, "{fault}: {}", done.out);
        let found = findings(&lines);
        // What follows from it, as a first sequence that is not 1, is at most worth a note.
        let others = found.iter().filter(|id| **id != rule && by_id(id).unwrap().level == Level::Must);
        assert!(found.contains(&rule) && others.count() == 0, "{fault}: {found:?}");
        let steps = all(&lines, "ok");
        assert!(steps.len() == 4 && steps.iter().all(|ok| **ok == true), "{fault}: {}", done.out);

        let done = bench.run(&[], steps_text()).await;
        let line = done.out.lines().find(|line| line.contains(" !  ") && line.contains(rule));
        assert!(line.is_some_and(|line| line.contains('§')), "{fault}: {}", done.out);
    }
}

fn steps_text() -> &'static str {
    "say scan an object\nexpect event run.completed\n"
}

#[tokio::test]
async fn a_should_level_finding_fails_only_a_strict_run() {
    let bench = Bench::faulty(Fault::UnknownEvent).await;
    assert_eq!(bench.run(&[], TALK).await.code, 0);
    let strict = bench.run(&["--strict"], TALK).await;
    assert_eq!(strict.code, 1, "{strict:?}");
    assert!(strict.out.contains("✗ failed"), "{}", strict.out);
}

#[tokio::test]
async fn a_finding_that_was_expected_fails_nothing() {
    let bench = Bench::faulty(Fault::UnknownResolve).await;
    let done = bench.run(&[], "say hello\nexpect finding IX-5\nexpect event run.completed\n").await;
    assert_eq!(done.code, 0, "{}", done.out);
}

#[tokio::test]
async fn a_close_in_the_middle_of_a_run_says_so() {
    let bench = Bench::faulty(Fault::CloseMidRun).await;
    let done = bench.run(&[], TALK).await;
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.err.contains("A run was active; its answer is incomplete."), "{}", done.err);
}

#[tokio::test]
async fn an_agent_that_claims_to_resume_is_no_session() {
    let bench = Bench::faulty(Fault::Resumed).await;
    let file = bench.scenario("test.agentcall", TALK);
    let mut run = bench.command(&["--json", &file]);
    // Nothing else answers the start: it is over at once, and not when connecting may take no longer.
    run.env("AGENTCALL_CONNECT_WITHIN", "10m");
    let done = finish(run).await;
    let lines = done.json_lines();
    assert_eq!((done.code, findings(&lines)), (1, vec!["SES-3"]), "{done:?}");
    let message = all(&lines, "scenario")[0]["message"].as_str().unwrap();
    assert!(message.contains("was not accepted") && message.contains("SES-3"), "{message}");
}

#[tokio::test]
async fn a_half_open_connection_is_found_out() {
    let bench = Bench::faulty(Fault::Silent).await;
    let file = bench.scenario("test.agentcall", "say hello\nexpect event run.completed within 60s\n");
    let mut run = bench.command(&[&file]);
    run.env("AGENTCALL_PING_EVERY", "100ms").env("AGENTCALL_DEAD_AFTER", "400ms");
    let done = finish(run).await;
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.err.starts_with("agentcall: "), "{}", done.err);
}
