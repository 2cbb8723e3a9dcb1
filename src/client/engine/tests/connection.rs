//! Up and down.

use super::*;
use crate::client::event::Gone;
use crate::client::notice::{Line, LineKind};

#[test]
fn connecting_goes_card_dial_session_live() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.connect(),
        [
            "fetching(\"http://127.0.0.1:1\")",
            "fetch #1",
            "card of Workshop",
            "dialling(\"ws 127.0.0.1:1\")",
            "dial #1",
            "starting",
            "→ session.start",
            "← session.established",
            "live",
        ]
    );
    assert_eq!(bench.last_sent()["type"], "session.start");
}

#[test]
fn a_second_connect_is_refused_and_reconnect_starts_a_new_session() {
    let mut bench = Bench::live();
    let first = bench.wire[0].clone();
    assert_eq!(bench.ask(Request::Connect), ["refused: a connection is already up"]);
    let out = bench.ask(Request::Reconnect);
    assert!(out.contains(&"drop link".to_owned()) && out.contains(&"fetch #2".to_owned()), "{out:?}");
    bench.attempt = 2;
    bench.sequence = 0;
    bench.put(Event::Card(Attempt(2), Ok(Box::new(card(TransportProfile::WebSocket)))));
    bench.put(Event::Dialled(Attempt(2), Ok(None)));
    let second = bench.wire.last().expect("a session.start");
    assert_ne!(&first, second, "a new session has a new id (R29)");
    assert_eq!(bench.hear(r#"{"type":"session.established"}"#), ["← session.established", "live"]);
}

#[test]
fn what_an_older_attempt_brings_is_dropped() {
    let mut bench = Bench::live();
    bench.ask(Request::Reconnect);
    assert_eq!(bench.put(Event::Card(Attempt(1), Ok(Box::new(card(TransportProfile::WebSocket))))), [""; 0]);
    assert_eq!(bench.put(Event::Frame(Attempt(1), RawFrame::Text("{}".into()))), [""; 0]);
    assert_eq!(bench.put(Event::Gone(Attempt(1), Gone::Broken("old".into()))), [""; 0]);
}

#[test]
fn a_refused_card_ends_the_attempt_with_its_sentence() {
    let mut bench = Bench::new();
    bench.ask(Request::Connect);
    let text = "The card was refused.".to_owned();
    let line = Line { at: Duration::ZERO, text, hint: None, kind: LineKind::Card };
    let out = bench.put(Event::Card(Attempt(1), Err(line)));
    assert!(out.contains(&"over: The card was refused.".to_owned()), "{out:?}");
}

#[test]
fn a_webrtc_card_is_dialled_under_the_id_that_the_session_gets() {
    let mut bench = Bench::new();
    bench.ask(Request::Connect);
    bench.engine.handle(bench.now, Event::Card(Attempt(1), Ok(Box::new(card(TransportProfile::WebRtc)))));
    let dialled = std::iter::from_fn(|| bench.engine.poll()).find_map(|effect| match effect {
        Effect::Dial(_, _, session_id) => Some(session_id),
        _ => None,
    });
    bench.put(Event::Dialled(Attempt(1), Ok(None)));
    assert_eq!(bench.last_sent()["type"], "session.start");
    assert_eq!(bench.last_sent()["sessionId"].as_str().map(str::to_owned), dialled);
}

#[test]
fn a_close_inside_a_run_says_that_the_answer_is_incomplete() {
    let mut bench = Bench::live();
    bench.ask(Request::Say("hello".into()));
    bench.hear(r#"{"type":"run.started"}"#);
    let out = bench
        .put(Event::Gone(Attempt(1), Gone::Orderly("The agent closed the connection (code 1001).".into())));
    assert!(out.iter().any(|l| l.contains("code 1001") && l.contains("incomplete")), "{out:?}");
    assert_eq!(bench.ask(Request::Say("again".into())), ["refused: not sent: there is no session"]);
}

#[test]
fn quitting_ends_the_session_and_stops_when_the_connection_is_gone() {
    let mut bench = Bench::live();
    let out = bench.ask(Request::Quit);
    assert!(out.contains(&"→ session.end".to_owned()) && out.contains(&"close".to_owned()), "{out:?}");
    let out = bench.put(Event::Gone(Attempt(1), Gone::ByUs));
    assert_eq!(out.last().map(String::as_str), Some("stop"));
}

#[test]
fn quitting_does_not_wait_for_ever() {
    let mut bench = Bench::live();
    bench.ask(Request::Quit);
    let out = bench.after(Duration::from_secs(3));
    assert_eq!(out.last().map(String::as_str), Some("stop"));
}

#[test]
fn quitting_without_a_session_stops_at_once() {
    let mut bench = Bench::new();
    assert_eq!(bench.ask(Request::Quit).last().map(String::as_str), Some("stop"));
}

fn starting() -> Bench {
    let mut bench = Bench::new();
    bench.ask(Request::Connect);
    bench.put(Event::Card(Attempt(1), Ok(Box::new(card(TransportProfile::WebSocket)))));
    bench.put(Event::Dialled(Attempt(1), Ok(None)));
    bench.attempt = 1;
    bench
}

#[test]
fn an_agent_that_establishes_nothing_is_given_up() {
    let mut bench = starting();
    assert_eq!(bench.hear(r#"{"type":"run.started"}"#), ["← run.started not acted on SES-1"]);
    assert!(bench.after(Duration::from_secs(9)).is_empty());
    let out = bench.after(Duration::from_secs(1));
    assert_eq!(out.first().map(String::as_str), Some("drop link"));
    assert_eq!(
        out.last().map(String::as_str),
        Some(
            "over: The agent's answer to session.start was not accepted: expected session.established first; this was \
             not acted on (SES-1, § Session and input, R13). No session was established within 10s."
        )
    );
    assert_eq!(bench.engine.next_deadline(), None);
}

#[test]
fn an_answer_to_the_start_that_is_refused_is_the_end_at_once() {
    let mut bench = starting();
    assert_eq!(
        bench.hear(r#"{"type":"session.established","resumed":true}"#),
        ["← session.established not acted on SES-3"]
    );
    let out = bench.after(Duration::ZERO);
    assert_eq!(out.first().map(String::as_str), Some("drop link"));
    assert_eq!(
        out.last().map(String::as_str),
        Some(
            "over: The agent's answer to session.start was not accepted: expected false; this client never resumes \
             (SES-3, § Session and input, R13). No session was established."
        )
    );
    assert_eq!(bench.engine.next_deadline(), None);
}

#[test]
fn a_session_that_was_established_in_time_stays() {
    let mut bench = Bench::live();
    assert!(bench.after(Duration::from_secs(60)).is_empty());
}

#[test]
fn quitting_an_ended_session_waits_for_the_close_without_a_line() {
    let mut bench = Bench::live();
    bench.ask(Request::End);
    assert_eq!(bench.ask(Request::Quit), ["physical: idle"]);
    assert_eq!(bench.put(Event::Gone(Attempt(1), Gone::ByUs)).last().map(String::as_str), Some("stop"));
}

#[test]
fn an_agent_that_says_nothing_is_given_up_in_other_words() {
    let mut bench = Bench::new();
    bench.ask(Request::Connect);
    bench.put(Event::Card(Attempt(1), Ok(Box::new(card(TransportProfile::WebSocket)))));
    bench.put(Event::Dialled(Attempt(1), Ok(None)));
    let out = bench.after(Duration::from_secs(11));
    assert!(out.iter().any(|l| l.contains("did not establish the session within 10s")), "{out:?}");
}

/// An agent that does not read is told of while the session goes on; of an older connection nothing is.
#[test]
fn what_a_connection_has_to_say_is_told_without_ending_it() {
    let mut bench = Bench::live();
    let said =
        |text: &str| Line { at: Duration::ZERO, text: text.to_owned(), hint: None, kind: LineKind::Info };
    let text = "The agent has not read a message for 5 s.";
    assert_eq!(bench.put(Event::Said(Attempt(1), said(text))), [format!("info: {text}")]);
    assert!(bench.put(Event::Said(Attempt(0), said(text))).is_empty());
    assert_eq!(bench.ask(Request::Say("hello".into())).first().map(String::as_str), Some("→ user.turn"));
}
