//! Hostile and broken events as they were met in the field: one flagged line each, and the stream goes on
//! (§ WebSocket and WebRTC, § Session and input). `insertions` holds the whole kind to it.

use serde_json::json;

use super::dialogue::live;
use super::insertions::Table;
use crate::protocol::rules;

#[test]
fn events_of_other_dialects_are_shown_and_end_nothing() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 RUN_STARTED {"threadId":"t","runId":"r"}
          not acted on EV-7
        ? run in flight 1
        < 3 run.started
        < 4 THINKING_START
          not acted on EV-7
        < 5 THINKING_TEXT_MESSAGE_CONTENT {"delta":""}
          not acted on EV-7
        < 6 REASONING_MESSAGE_CONTENT {"delta":"hm"}
          not acted on EV-7
        < 7 STATE_DELTA {"delta":[{"op":"replace","path":"/steps","value":1},{"op":"test","path":"/a/b","value":0}]}
          not acted on EV-7
        < 8 task.status {"state":"completed","final":true}
          not acted on EV-7
        < 9 RUN_CANCELLED
          not acted on EV-7
        < 10 RUN_ERROR {"message":"no"}
          not acted on EV-7
        < 11 Run.Completed
          not acted on EV-7
        ? run running 1
        < 12 text.delta "still here"
        < 13 run.completed
          turn 1 over
        "#,
    );
}

#[test]
fn an_error_is_not_hidden_by_an_end_that_follows_it() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        < 3 text.delta "half a sen"
        < 4 failure model
          turn 1 over
        < 5 run.completed
          not acted on RUN-2
        < 6 text.delta "tence"
          not acted on RUN-2
        < 7 failure again
        ? run idle
        > say "two"
          → user.turn 2 "two"
        < 8 run.started
        < 9 run.completed
          turn 2 over
        < 10 failure late
        ? run idle
        "#,
    );
}

#[test]
fn a_second_start_inside_a_run_neither_restarts_nor_ends_it() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < 2 run.started
        < 3 session.established {"resumed":false}
          not acted on SES-4
        < 4 run.started {"runId":"another"}
          not acted on RUN-1
        < 5 text.delta "on"
        < 6 run.completed
          turn 1 over
        < 7 run.completed
          not acted on RUN-2
        "#,
    );
}

#[test]
fn ids_that_change_on_the_way_answer_nothing() {
    live(
        r"
        < 2 asks nfc ix-1
        < 3 resolves IX-1 answered
          not acted on IX-5
        < 4 asks nfc ix-2
          not acted on IX-4
        < 5 resolves ix-2 cancelled
          not acted on IX-5
        ? pending nfc ix-1 open
        < 6 resolves ix-1 cancelled
        < 7 asks photo ix-1
          not acted on IX-7
        ? pending none
        ",
    );
}

#[test]
fn a_character_cut_between_two_events_costs_neither_event() {
    live(
        r#"
        > say "one"
          → user.turn 1 "one"
        < {"sequence":2,"event":{"type":"run.started"}}
        < {"sequence":3,"event":{"type":"text.delta","text":"fine \ud83d"}}
          acted on FRAME-6
        < {"sequence":4,"event":{"type":"text.delta","text":"\ude00 too"}}
          acted on FRAME-6
        < {"sequence":5,"event":{"type":"text.delta","text":"\ud83d\ude00"}}
        < 6 run.completed
          turn 1 over
        "#,
    );
}

#[test]
fn a_giant_delta_is_one_event_up_to_the_bound_of_a_frame() {
    let mut table = Table::live();
    table.ask("one");
    table.event(&json!({"type": "run.started"}));
    for (text, rule) in [("x".repeat(120_000), None), ("x".repeat(140_000), Some(&rules::FRAME_SIZE))] {
        let judged = table.event(&json!({"type": "text.delta", "text": text}));
        assert_eq!(judged.acted, rule.is_none());
        assert_eq!(judged.findings.first().map(|f| f.rule.id), rule.map(|r| r.id));
        assert_eq!(judged.findings.len(), usize::from(rule.is_some()));
    }
}

#[test]
fn a_flood_of_requests_leaves_one_pending_at_a_time() {
    let mut table = Table::live();
    for n in 0..5_000 {
        let ask = |id: String| {
            json!({"type": "interaction.requested", "interactionId": id, "kind": "physical.nfc.scan",
                   "prompt": "", "spokenPrompt": "", "options": [], "allowsFreeform": false})
        };
        let first = table.event(&ask(format!("ix-{n}")));
        assert!(first.acted, "{first:?}");
        let more = table.event(&ask(format!("more-{n}")));
        assert_eq!((more.acted, more.findings[0].rule.id), (false, rules::IX_ONE_PENDING.id));
        let over = json!({"type": "interaction.resolved", "interactionId": format!("ix-{n}"), "outcome": "answered"});
        assert!(table.event(&over).acted);
    }
    assert_eq!(table.session.view().pending, None);
}
