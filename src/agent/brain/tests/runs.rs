//! Runs in time.

use super::*;

/// An open session whose runs take 10 ms a step.
fn paced() -> Dialogue {
    let mut dialogue =
        Dialogue::new(BrainConfig { delta_interval: Duration::from_millis(10), ..BrainConfig::default() });
    dialogue.expect("> start nfc photo\n< established");
    dialogue
}

#[test]
fn a_run_is_streamed_step_by_step() {
    let mut dialogue = paced();
    dialogue.expect(
        "> say 1 what is this?
         < run.started
         @ 9
         @ 10
         < delta Nothing has been
         @ 30
         < delta shown to me
         < delta yet.
         @ 40
         < speech s1
         @ 50
         < run.completed
         @ 1000",
    );
    assert_eq!(dialogue.brain.next_deadline(), None);
}

#[test]
fn a_cancelled_run_ends_at_once_and_says_no_more() {
    paced().expect(
        "> say 1 tell a story
         < run.started
         @ 79
         @ 80
         < delta Once there was
         > cancel
         < failure cancelled
         @ 5000
         > say 2 what is this?
         < run.started
         > end
         < failure cancelled
         < close 1000
         @ 9000",
    );
}

#[test]
fn a_request_cancelled_before_it_was_made_is_never_made() {
    paced().expect("> say 1 scan an object\n< run.started\n> cancel\n< failure cancelled\n@ 5000");
}

#[test]
fn what_is_refused_during_a_run_is_said_after_it_and_consumes_no_turn() {
    paced().expect(
        "> say 1 what is this?
         < run.started
         > say 2 hello
         > say 1 hello
         > {\"type\":\"mystery\"}
         @ 40
         < delta Nothing has been
         < delta shown to me
         < delta yet.
         < speech s1
         @ 50
         < run.completed
         < failure run_active
         < failure turn_replayed
         < failure invalid_message
         > say 2 hello
         < run.started",
    );
}

#[test]
fn a_client_that_floods_a_run_is_closed() {
    let mut dialogue = paced();
    dialogue.expect("> say 1 tell a story\n< run.started");
    for _ in 0..8 {
        dialogue.expect("> say 2 hello");
    }
    dialogue.expect("> say 2 hello\n< failure too_many_refused\n< close 1008\n@ 9000");
}

#[test]
fn frames_over_the_bound_and_binary_ones_are_refused_and_the_session_goes_on() {
    let mut dialogue = Dialogue::open();
    let frame = json!({ "type": "user.turn", "turn": 1, "text": "x".repeat(128 * 1024) }).to_string();
    let replies = dialogue.brain.receive(Duration::ZERO, &frame);
    assert_eq!(dialogue.shown(&replies), ["failure too_large"]);
    let replies = dialogue.brain.receive_binary(Duration::ZERO);
    assert_eq!(dialogue.shown(&replies), ["failure binary_refused"]);
    dialogue.expect("> say 1 what is this\n< run: Nothing has been shown to me yet.");
}

#[test]
fn ending_closes_a_session_with_everything_pending() {
    Dialogue::open().expect(&format!(
        "> say 1 scan an object\n{ASKS}\n> end\n< cancelled ix-1\n< close 1000\n> say 2 hi"
    ));
}

#[test]
fn failure_codes_and_messages_keep_their_bounds() {
    for code in FailureCode::ALL {
        assert!(code.name().len() <= 64 && code.sentence().ends_with('.'), "{code:?}");
    }
}
