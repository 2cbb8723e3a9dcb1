//! The one pending request (§ Agent-requested collection, R25).

use super::dialogue::{live, live_under, terms};
use crate::protocol::{Modalities, Modality};
use crate::session::Terms;

#[test]
fn a_request_is_answered_with_its_exact_id_and_consumed_once() {
    live(
        "
        < 2 asks nfc ix-1
        ? pending nfc ix-1 open
        > scan urn:a for ix-1
          → user.observation 1 nfc urn:a for ix-1
        ? pending nfc ix-1 awaiting
        < 3 run.started
        < 4 interaction.resolved {\"interactionId\":\"ix-1\",\"outcome\":\"answered\"}
        ? pending none
        < 5 run.completed
          turn 1 over
        > scan urn:a for ix-1
          refused OBS-7
        < 6 resolves ix-1 answered
          not acted on IX-5
        ",
    );
}

#[test]
fn an_unrelated_scan_leaves_the_request_pending() {
    live(
        "
        < 2 asks nfc ix-1
        > scan urn:a
          → user.observation 1 nfc urn:a
        ? pending nfc ix-1 open
        ",
    );
}

#[test]
fn an_answer_needs_the_pending_id_and_its_modality() {
    live(
        "
        > scan urn:a for ix-1
          refused OBS-7
        < 2 asks photo ix-1
        > scan urn:a for ix-1
          refused OBS-7
        > photo for ix-2
          refused OBS-7
        > photo for IX-1
          refused OBS-7
        ? pending photo ix-1 open
        > both urn:a for ix-1
          → user.observation 1 nfc photo urn:a for ix-1
        ",
    );
}

#[test]
fn a_request_is_not_answered_twice() {
    live(
        "
        < 2 asks nfc ix-1
        > scan urn:a for ix-1
          → user.observation 1 nfc urn:a for ix-1
        < 3 run.started
        < 4 run.completed
          turn 1 over
        > scan urn:a for ix-1
          refused OBS-7
        ? pending nfc ix-1 awaiting
        ",
    );
}

#[test]
fn a_failure_makes_an_answered_request_pending_again() {
    live(
        "
        < 2 asks nfc ix-1
        > scan urn:a for ix-1
          → user.observation 1 nfc urn:a for ix-1
        < 3 failure bad_image
          turn 1 over
        ? pending nfc ix-1 open
        > scan urn:a for ix-1
          → user.observation 2 nfc urn:a for ix-1
        < 4 resolves ix-1 answered
        ? pending none
        ",
    );
}

#[test]
fn the_agent_may_cancel_its_request() {
    live(
        "
        < 2 asks nfc ix-1
        < 3 resolves ix-1 cancelled
        ? pending none
        < 4 resolves ix-1 cancelled
          not acted on IX-5
        ",
    );
}

#[test]
fn a_held_answer_whose_request_has_vanished_is_not_sent() {
    live(
        r#"
        > say "take a photo"
          → user.turn 1 "take a photo"
        < 2 run.started
        < 3 asks photo ix-1
        > photo for ix-1
        ? held photo
        < 4 resolves ix-1 cancelled
        < 5 run.completed
          turn 1 over
          held turn refused OBS-7
        ? held none
        ? run idle
        "#,
    );
}

#[test]
fn a_held_answer_is_sent_when_the_run_ends() {
    live(
        r#"
        > say "scan an object"
          → user.turn 1 "scan an object"
        < 2 run.started
        < 3 asks nfc ix-1
        > scan urn:a for ix-1
        ? pending nfc ix-1 open
        < 4 run.completed
          turn 1 over
          → user.observation 2 nfc urn:a for ix-1
        ? pending nfc ix-1 awaiting
        "#,
    );
}

#[test]
fn while_one_is_pending_another_is_a_violation_and_the_first_stays() {
    live(
        "
        < 2 asks nfc ix-1
        < 3 asks photo ix-2
          not acted on IX-4
        < 4 asks nfc ix-1
          not acted on IX-7
        ? pending nfc ix-1 open
        < 5 resolves ix-2 cancelled
          not acted on IX-5
        < 6 resolves ix-1 cancelled
        < 7 asks photo ix-2
        ? pending photo ix-2 open
        ",
    );
}

#[test]
fn an_id_does_not_come_again() {
    live(
        "
        < 2 asks nfc ix-1
        < 3 resolves ix-1 cancelled
        < 4 asks nfc ix-1
          not acted on IX-7
        ? pending none
        ",
    );
}

#[test]
fn an_id_must_be_one_that_can_be_given_back() {
    let longest = "i".repeat(128);
    live(&format!(
        r#"
        < 2 interaction.requested {{"interactionId":"","kind":"physical.nfc.scan"}}
          not acted on IX-7
        < 3 asks nfc {longest}i
          not acted on IX-7 EV-2
        < 4 asks nfc {longest}
        ? pending nfc {longest} open
        "#
    ));
}

#[test]
fn an_agent_asks_only_for_what_card_and_session_allow() {
    let nfc = Modalities::NONE.with(Modality::Nfc);
    for (agent_requests, offered) in [(nfc, Modalities::BOTH), (Modalities::BOTH, nfc)] {
        live_under(
            Terms { agent_requests, offered, ..terms() },
            "
            < 2 asks photo ix-1
              not acted on IX-1
            ? pending none
            < 3 asks nfc ix-2
            ? pending nfc ix-2 open
            ",
        );
    }
}

#[test]
fn unknown_kinds_options_and_free_form_get_no_key() {
    live(
        r#"
        < 2 interaction.requested {"interactionId":"a","kind":"physical.audio.record"}
          not acted on IX-2
        < 3 interaction.requested {"interactionId":"b","kind":"physical.nfc.scan","options":["yes"]}
          not acted on IX-3
        < 4 interaction.requested {"interactionId":"c","kind":"physical.nfc.scan","allowsFreeform":true}
          not acted on IX-3
        ? pending none
        "#,
    );
}

#[test]
fn a_cancel_clears_the_request_and_the_agents_word_on_it_is_no_fault() {
    live(
        "
        < 2 asks nfc ix-1
        > cancel
          → response.cancel
        ? pending none
        ? run idle
        < 3 resolves ix-1 cancelled
        < 4 resolves ix-1 cancelled
          not acted on IX-5
        ",
    );
}

#[test]
fn an_answer_and_a_cancel_may_cross_on_the_wire() {
    live(
        "
        < 2 asks nfc ix-1
        > scan urn:a for ix-1
          → user.observation 1 nfc urn:a for ix-1
        > cancel
          → response.cancel
        < 3 run.started
        < 4 resolves ix-1 answered
        < 5 run.completed
          turn 1 over
        ",
    );
}

#[test]
fn a_held_answer_does_not_outlive_the_cancel_of_its_request() {
    live(
        r#"
        > say "scan an object"
          → user.turn 1 "scan an object"
        < 2 run.started
        < 3 asks nfc ix-1
        > scan urn:a for ix-1
        > cancel
          → response.cancel
        < 4 resolves ix-1 cancelled
        < 5 run.completed
          turn 1 over
          held turn refused OBS-7
        "#,
    );
}

#[test]
fn an_unknown_outcome_is_noted_and_ends_the_request() {
    live(
        "
        < 2 asks nfc ix-1
        < 3 resolves ix-1 expired
          acted on IX-6
        ? pending none
        ",
    );
}
