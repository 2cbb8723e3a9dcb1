//! What the agent says is spoken once, in order, where the voice is the client's, and everything of the user's stops it.

use super::*;
use crate::client::notice::{Line, LineKind};
use crate::client::request::Talk;

/// A live session with an agent that leaves the voice to the client.
fn ours() -> Bench {
    let mut bench = Bench::new();
    let mut card = card(TransportProfile::WebSocket);
    card.offer.voice_owner = Some("client".to_owned());
    bench.connect_to(card);
    bench
}

fn segment(id: &str, text: &str) -> String {
    serde_json::json!({"type": "speech.segment", "segmentId": id, "text": text, "stable": true}).to_string()
}

/// A session in which one text is being spoken in a run.
fn speaking() -> Bench {
    let mut bench = ours();
    bench.hear(r#"{"type":"run.started"}"#);
    bench.hear(&segment("s1", "One."));
    bench
}

fn failed(text: &str) -> Result<(), Line> {
    Err(Line { at: Duration::ZERO, text: text.to_owned(), hint: None, kind: LineKind::Device })
}

#[test]
fn stable_segments_are_spoken_in_order_and_once_by_their_id() {
    let mut bench = ours();
    bench.hear(r#"{"type":"run.started"}"#);
    assert_eq!(bench.hear(&segment("s1", "One.")), ["speak #1 One.", "speaking: true", "← speech.segment"]);
    assert_eq!(bench.hear(&segment("s2", "Two.")), ["speak #2 Two.", "← speech.segment"]);
    assert_eq!(bench.hear(&segment("s1", "One again.")), ["← speech.segment"]);
    let unstable = r#"{"type":"speech.segment","segmentId":"s3","text":"Th","stable":false}"#;
    assert!(bench.hear(unstable).iter().all(|line| !line.starts_with("speak")));
    assert!(bench.put(Event::Spoke(1, Ok(()))).is_empty());
    assert_eq!(bench.put(Event::Spoke(2, Ok(()))), ["speaking: false"]);
}

#[test]
fn a_request_is_spoken_by_its_spoken_prompt() {
    let mut bench = ours();
    bench.ask(Request::Say("Hello".to_owned()));
    bench.hear(r#"{"type":"run.started"}"#);
    bench.hear(r#"{"type":"run.completed"}"#);
    let out = bench.hear(
        r#"{"type":"interaction.requested","interactionId":"ix","kind":"physical.nfc.scan","prompt":"Scan","spokenPrompt":"Hold it to the reader.","options":[],"allowsFreeform":false}"#,
    );
    assert!(out.contains(&"speak #1 Hold it to the reader.".to_owned()), "{out:?}");
}

#[test]
fn nothing_is_spoken_where_the_voice_is_not_the_clients() {
    for (transport, owner) in [
        (TransportProfile::WebSocket, None),
        (TransportProfile::WebSocket, Some("agent")),
        (TransportProfile::WebRtc, Some("agent")),
        (TransportProfile::WebRtc, Some("client")),
    ] {
        let mut bench = Bench::new();
        let mut card = card(transport);
        card.offer.voice_owner = owner.map(str::to_owned);
        bench.connect_to(card);
        bench.hear(r#"{"type":"run.started"}"#);
        assert_eq!(bench.hear(&segment("s1", "One.")), ["← speech.segment"]);
    }
    // Nor outside a run, where the segment is not acted on.
    let out = ours().hear(&segment("s1", "One."));
    assert!(out.iter().all(|line| !line.starts_with("speak")), "{out:?}");
}

#[test]
fn everything_of_the_users_stops_it_and_what_comes_late_of_it_means_nothing() {
    let stop = ["stop speaking", "speaking: false"];
    for request in [
        Request::Cancel,
        Request::StopSpeaking,
        Request::Talk(Talk::default()),
        Request::Disconnect,
        Request::Reconnect,
        Request::End,
        Request::Quit,
    ] {
        let mut bench = speaking();
        let out = bench.ask(request.clone());
        assert!(stop.iter().all(|line| out.contains(&(*line).to_owned())), "{request:?}: {out:?}");
        assert!(bench.put(Event::Spoke(1, failed("It was ended."))).is_empty(), "{request:?}");
    }
}

#[test]
fn the_end_of_the_connection_and_a_newer_run_stop_it() {
    let mut bench = speaking();
    let gone = crate::client::event::Gone::Broken("The connection broke.".to_owned());
    let out = bench.put(Event::Gone(Attempt(1), gone));
    assert!(out.contains(&"stop speaking".to_owned()), "{out:?}");
    let mut bench = speaking();
    bench.hear(r#"{"type":"run.completed"}"#);
    let out = bench.hear(r#"{"type":"run.started"}"#);
    assert_eq!(out[..2], ["stop speaking", "speaking: false"]);
    // What is late of the older one does not end the newer one's.
    bench.hear(&segment("s2", "Two."));
    assert!(bench.put(Event::Spoke(1, Ok(()))).is_empty());
    assert_eq!(bench.put(Event::Spoke(2, Ok(()))), ["speaking: false"]);
}

#[test]
fn after_a_cancel_the_rest_of_the_run_is_not_spoken() {
    let mut bench = speaking();
    bench.ask(Request::Cancel);
    assert_eq!(bench.last_sent()["type"], "response.cancel");
    let out = bench.hear(&segment("s2", "Two."));
    assert!(out.iter().all(|line| !line.starts_with("speak")), "{out:?}");
}

#[test]
fn a_cancel_of_nothing_but_the_speech_sends_nothing() {
    let mut bench = speaking();
    bench.hear(r#"{"type":"run.completed"}"#);
    let sent = bench.wire.len();
    assert_eq!(bench.ask(Request::Cancel), ["stop speaking", "speaking: false"]);
    assert_eq!(bench.wire.len(), sent, "{:?}", bench.wire);
}

#[test]
fn a_failing_command_is_told_once_until_it_works_again() {
    let mut bench = speaking();
    for (id, number) in [("s2", 2), ("s3", 3), ("s4", 4), ("s5", 5)] {
        assert!(bench.hear(&segment(id, "More."))[0].starts_with(&format!("speak #{number}")));
    }
    assert_eq!(bench.put(Event::Spoke(1, failed("It failed."))), ["info: It failed."]);
    assert!(bench.put(Event::Spoke(2, failed("It failed."))).is_empty());
    assert!(bench.put(Event::Spoke(3, Ok(()))).is_empty());
    assert_eq!(bench.put(Event::Spoke(4, failed("It failed."))), ["info: It failed."]);
    assert_eq!(bench.put(Event::Spoke(5, failed("It failed."))), ["speaking: false"]);
}

#[test]
fn what_waits_is_bounded_and_that_is_said_once() {
    let mut bench = speaking();
    let out: Vec<String> = (2..100).flat_map(|n| bench.hear(&segment(&format!("s{n}"), "More."))).collect();
    let spoken = out.iter().filter(|line| line.starts_with("speak #")).count();
    let told = out.iter().filter(|line| line.starts_with("info: 64 texts wait")).count();
    assert_eq!((spoken, told), (63, 1));
}

#[test]
fn what_is_spoken_is_bounded_harmless_and_holds_no_secret() {
    let mut bench = ours();
    bench.hear(r#"{"type":"run.started"}"#);
    let text = format!("\u{1b}[31mThe token is {TOKEN}.\u{7}{}", "x".repeat(10_000));
    let out = bench.hear(&segment("s1", &text));
    let spoken = out.iter().find(|line| line.starts_with("speak #")).expect("it is spoken");
    assert!(!spoken.contains(TOKEN) && spoken.chars().count() < 4_200, "{}", &spoken[..80]);
    assert!(!spoken.contains(char::is_control), "{}", &spoken[..80]);
}
