//! The recorded proposal (§ Security, photos, and exact object lookup; § Independent reference proof, R32).

use super::dialogue::live;

/// An object is in focus and a proposal is recorded; sequence 5 and turn 2 were the last.
const TAUGHT: &str = r#"
    > scan urn:a
      → user.observation 1 nfc urn:a
    < 2 run.started
    < 3 run.completed
      turn 1 over
    > say "teach object Workshop router"
      → user.turn 2 "teach object Workshop router" about urn:a
    < 4 run.started
    < 5 run.completed
      turn 2 over
    ? proposal urn:a is "Workshop router"
"#;

#[track_caller]
fn after_teaching(script: &str) {
    live(&format!("{TAUGHT}{script}"));
}

#[test]
fn a_proposal_is_confirmed_once() {
    after_teaching(
        r#"
        > say "confirm object"
          → user.turn 3 "confirm object" about urn:a
        ? proposal none
        < 6 run.started
        < 7 run.completed
          turn 3 over
        > say "confirm object"
          refused TEACH-1
        "#,
    );
}

#[test]
fn a_confirmation_needs_a_current_proposal() {
    live(
        r#"
        > say "confirm object"
          refused TEACH-1
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 run.started
        < 3 run.completed
          turn 1 over
        > say "confirm object"
          refused TEACH-1
        > say "yes"
          → user.turn 2 "yes" about urn:a
        "#,
    );
}

#[test]
fn generic_assent_neither_confirms_nor_drops() {
    after_teaching(
        r#"
        > say "yes, confirm it"
          → user.turn 3 "yes, confirm it" about urn:a
        ? proposal urn:a is "Workshop router"
        "#,
    );
}

#[test]
fn a_new_proposal_replaces_the_old_and_needs_its_own_confirmation() {
    after_teaching(
        r#"
        > say "teach object Attic router"
          → user.turn 3 "teach object Attic router" about urn:a
        ? proposal urn:a is "Attic router"
        < 6 run.started
        < 7 run.completed
          turn 3 over
        > say "confirm object"
          → user.turn 4 "confirm object" about urn:a
        "#,
    );
}

#[test]
fn another_object_drops_the_proposal_and_the_same_object_does_not() {
    after_teaching(
        r#"
        > scan urn:a
          → user.observation 3 nfc urn:a
        ? proposal urn:a is "Workshop router"
        < 6 run.started
        < 7 run.completed
          turn 3 over
        > scan urn:A
          → user.observation 4 nfc urn:A
        ? proposal none
        < 8 run.started
        < 9 run.completed
          turn 4 over
        > say "confirm object"
          refused TEACH-1
        "#,
    );
}

#[test]
fn cancelling_drops_the_proposal() {
    after_teaching(
        r#"
        > cancel
          → response.cancel
        ? proposal none
        > say "confirm object"
          refused TEACH-1
        "#,
    );
    after_teaching(
        r#"
        > say "cancel teaching"
          → user.turn 3 "cancel teaching" about urn:a
        ? proposal none
        "#,
    );
    after_teaching(
        "
        closed
        ? proposal none
        ? focus none
        ",
    );
}

#[test]
fn a_held_confirmation_is_judged_again_when_it_is_sent() {
    after_teaching(
        r#"
        > say "tell a story"
          → user.turn 3 "tell a story" about urn:a
        > say "confirm object"
        ? held "confirm object"
        > cancel
          → response.cancel
        < 6 failure cancelled
          turn 3 over
          held turn refused TEACH-1
        "#,
    );
}

#[test]
fn a_proposal_whose_turn_failed_was_never_staged() {
    live(
        r#"
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 run.started
        < 3 run.completed
          turn 1 over
        > say "teach object Router"
          → user.turn 2 "teach object Router" about urn:a
        < 4 failure busy
          turn 2 over
        ? proposal none
        ? focus urn:a
        "#,
    );
}

#[test]
fn teaching_without_an_object_proposes_nothing() {
    live(
        r#"
        > say "teach object Router"
          → user.turn 1 "teach object Router"
        ? proposal none
        "#,
    );
}

#[test]
fn labels_keep_their_bound() {
    let longest = "é".repeat(256);
    live(&format!(
        r#"
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 run.started
        < 3 run.completed
          turn 1 over
        > say "teach object {longest}é"
          refused TEACH-2
        > say "teach object"
          refused TEACH-2
        > say "teach object {longest}"
          → user.turn 2 "teach object {longest}" about urn:a
        ? proposal urn:a is "{longest}"
        "#
    ));
}

#[test]
fn case_spaces_and_closing_punctuation_do_not_open_a_way_past_the_gate() {
    live(
        r#"
        > say "  Confirm   OBJECT. "
          refused TEACH-1
        > scan urn:a
          → user.observation 1 nfc urn:a
        < 2 run.started
        < 3 run.completed
          turn 1 over
        > say "Teach  object  Big  router "
          → user.turn 2 "Teach  object  Big  router " about urn:a
        ? proposal urn:a is "Big  router"
        < 4 run.started
        < 5 run.completed
          turn 2 over
        > say "teach objects"
          → user.turn 3 "teach objects" about urn:a
        ? proposal urn:a is "Big  router"
        < 6 run.started
        < 7 run.completed
          turn 3 over
        > say "Cancel teaching!"
          → user.turn 4 "Cancel teaching!" about urn:a
        ? proposal none
        "#,
    );
}
