//! The microphone is open between two keys, sound leaves only then, and it is closed before anything is said of it.

use super::*;
use crate::client::event::{Heard, Recorded};
use crate::client::notice::{Line, LineKind};
use crate::client::request::Talk;
use crate::client::voice::SpokenTurn;

fn microphone() -> Request {
    Request::Talk(Talk::default())
}

/// An explicit turn is open.
fn talking() -> Bench {
    let mut bench = Bench::live_call(true);
    bench.ask(microphone());
    bench.put(Event::MicrophoneOpen(id(1)));
    bench
}

fn closed(bench: &Bench) -> Event {
    Event::MicrophoneClosed(id(1), Recorded { at: bench.now })
}

#[test]
fn sound_leaves_only_after_the_turn_is_opened_and_the_commit_only_after_the_microphone_is_closed() {
    let mut bench = Bench::live_call(true);
    assert_eq!(bench.ask(microphone()), ["open microphone #1 120s", "voice: opening"]);
    assert_eq!(
        bench.put(Event::MicrophoneOpen(id(1))),
        ["→ audio.turn.start", "send sound #1", "voice: open for turn 1"]
    );
    assert_eq!(bench.ask(Request::TalkDone), ["close microphone #1, flush", "voice: closing"]);
    let event = closed(&bench);
    assert_eq!(bench.put(event), ["→ audio.turn.commit", "spoken: 1 in 1ms", "voice: closed"]);
    assert_eq!(bench.last_sent()["turn"], 1);
}

#[test]
fn a_dropped_turn_closes_without_its_last_packet_and_is_cancelled() {
    for key in [Request::TalkDropped, Request::Cancel] {
        let mut bench = talking();
        let out = bench.ask(key);
        assert_eq!(
            out,
            ["close microphone #1, discard", "voice: closing", "info: What was said was dropped."]
        );
        let event = closed(&bench);
        assert_eq!(bench.put(event), ["→ audio.turn.cancel", "voice: closed"]);
    }
}

#[test]
fn without_explicit_turns_the_key_opens_and_closes_and_nothing_is_said_of_it() {
    let mut bench = Bench::live_call(false);
    bench.ask(microphone());
    assert_eq!(bench.put(Event::MicrophoneOpen(id(1))), ["send sound #1", "voice: open"]);
    assert_eq!(bench.ask(Request::TalkDone), ["close microphone #1, flush", "voice: closing"]);
    let event = closed(&bench);
    assert_eq!(bench.put(event), ["voice: closed"]);
    assert_eq!(bench.wire.len(), 1, "{:?}", bench.wire);
}

#[test]
fn nothing_is_opened_where_nothing_could_be_sent() {
    let stays = "refused: the microphone stays closed:";
    assert_eq!(Bench::new().ask(microphone()), [format!("{stays} there is no live session")]);
    let text = format!("{stays} this agent takes no sound, its card advertises transport \"websocket\"");
    assert_eq!(Bench::live().ask(microphone()), [text]);
    let mut bench = Bench::live_call(true);
    bench.ask(Request::Say("Hello".to_owned()));
    assert_eq!(bench.ask(microphone()), [format!("{stays} the agent is still answering")]);
    bench.hear_run();
    bench.ask(Request::ArmScan(crate::client::request::Aim::Answering));
    assert_eq!(bench.ask(microphone()), [format!("{stays} a reader or camera is armed")]);
}

#[test]
fn nothing_is_armed_while_the_microphone_is_open_and_it_is_opened_once() {
    let mut bench = talking();
    let out = bench.ask(Request::ArmScan(crate::client::request::Aim::Answering));
    assert_eq!(out, ["refused: nothing was armed: the microphone is open"]);
    assert_eq!(bench.ask(microphone()), ["refused: the microphone is already open"]);
}

#[test]
fn a_key_let_go_before_the_microphone_was_open_sends_nothing() {
    let mut bench = Bench::live_call(true);
    bench.ask(microphone());
    assert_eq!(
        bench.ask(Request::TalkDone),
        [
            "close microphone #1, discard",
            "voice: closed",
            "info: The microphone was not open yet; nothing was sent."
        ]
    );
    assert!(bench.put(Event::MicrophoneOpen(id(1))).is_empty(), "it is late");
    assert_eq!(bench.wire.len(), 1, "{:?}", bench.wire);
}

#[test]
fn losing_the_focus_or_the_device_or_the_time_cancels_what_was_said() {
    let mut bench = talking();
    let out = bench.ask(Request::Foreground(false));
    assert_eq!(out[0], "close microphone #1, discard");
    assert_eq!(
        out.last().map(String::as_str),
        Some("info: The microphone was closed: the terminal is no longer in the foreground.")
    );
    let event = closed(&bench);
    assert_eq!(bench.put(event)[0], "→ audio.turn.cancel");

    let mut bench = talking();
    let why = Line {
        at: Duration::ZERO,
        text: "The microphone was unplugged.".to_owned(),
        hint: None,
        kind: LineKind::Device,
    };
    let out = bench.put(Event::MicrophoneFailed(id(1), why));
    assert_eq!(
        out,
        ["close microphone #1, discard", "voice: closing", "failed: The microphone was unplugged."]
    );
    let event = closed(&bench);
    assert_eq!(bench.put(event)[0], "→ audio.turn.cancel");

    let mut bench = talking();
    let out = bench.after(Duration::from_secs(120));
    assert_eq!(out[0], "close microphone #1, discard");
    assert!(out.iter().any(|line| line.contains("it was open for 120 s")), "{out:?}");
}

#[test]
fn whatever_ends_the_session_closes_the_microphone_first() {
    let mut bench = talking();
    let out = bench.ask(Request::End);
    assert_eq!(out[0], "close microphone #1, discard");
    assert_eq!(out[1..3], ["voice: closed", "→ audio.turn.cancel"]);
    assert_eq!(out[3], "→ session.end");

    let mut bench = talking();
    let out = bench.ask(Request::Quit);
    let position = |what: &str| out.iter().position(|line| line == what);
    assert!(position("close microphone #1, discard") < position("→ session.end"), "{out:?}");

    for request in [Request::Disconnect, Request::Reconnect] {
        let mut bench = talking();
        let out = bench.ask(request);
        assert_eq!(out[..2], ["close microphone #1, discard", "voice: closed"], "{out:?}");
        assert!(out.contains(&"voice: none".to_owned()), "{out:?}");
    }
}

#[test]
fn an_agent_that_ends_the_turn_closes_the_microphone() {
    let mut bench = talking();
    let out = bench.hear(r#"{"type":"failure","code":"unsupported","message":"no"}"#);
    assert!(out.contains(&"close microphone #1, discard".to_owned()), "{out:?}");
    assert!(out.iter().any(|line| line.contains("the agent ended the spoken turn")), "{out:?}");
    let event = closed(&bench);
    assert_eq!(bench.put(event), ["voice: closed"]);
}

#[test]
fn a_recording_commits_itself_at_its_end_only_where_that_was_asked_for() {
    for (to_end, commits) in [(true, true), (false, false)] {
        let mut bench = Bench::live_call(true);
        let talk = Talk { file: Some("question.wav".to_owned()), to_end };
        assert_eq!(bench.ask(Request::Talk(talk))[0], "open microphone #1 120s question.wav");
        bench.put(Event::MicrophoneOpen(id(1)));
        let out = bench.put(Event::MicrophoneEnded(id(1)));
        assert_eq!(out.contains(&"close microphone #1, flush".to_owned()), commits, "{out:?}");
    }
}

#[test]
fn the_latency_of_a_spoken_turn_is_put_together_from_what_happens() {
    let mut bench = talking();
    bench.ask(Request::TalkDone);
    let key = bench.now;
    // What is still heard of an earlier answer is not the answer.
    let early = Heard::Audible { at: bench.now };
    bench.put(Event::Heard(early));
    let event = closed(&bench);
    bench.put(event);
    bench.hear(r#"{"type":"run.started"}"#);
    bench.hear(r#"{"type":"text.delta","text":"I heard you"}"#);
    let first = bench.now + Duration::from_millis(5);
    bench.put(Event::Heard(Heard::Audible { at: first }));
    bench.put(Event::Heard(Heard::Playing { at: first + Duration::from_millis(40) }));
    bench.put(Event::Heard(Heard::Playing { at: first + Duration::from_secs(9) }));
    let Some(SpokenTurn { turn, key: told, closed, committed, started, first_text, first_audible, heard }) =
        bench.engine.voice.spoken
    else {
        panic!("nothing was spoken");
    };
    assert_eq!((turn.0, told), (1, key));
    let times = [closed, committed, started, first_text, first_audible, heard].map(Option::unwrap);
    assert!(times.is_sorted() && times[0] >= key, "{times:?}");
    assert_eq!(times[4..], [first, first + Duration::from_millis(40)]);
}
