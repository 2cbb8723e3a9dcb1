//! The microphone key, what is on the air, and what the keys mean meanwhile.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::stage::Stage;
use crate::app::{Effect, Item, Mode};
use crate::client::request::Talk;
use crate::client::voice::{Levels, Loudness, MediaStats, MicrophoneState};
use crate::client::{Notice, Request};
use crate::command::Context;
use crate::trace::record::Body;
use crate::units::Turn;

fn open(stage: &Stage) -> MicrophoneState {
    let since = stage.at();
    MicrophoneState::Open { since, until: since + Duration::from_secs(120), turn: Some(Turn(1)) }
}

#[test]
fn the_key_opens_and_the_same_key_ends_and_esc_drops() {
    let mut stage = Stage::live(120, 40);
    stage.voice(MicrophoneState::Closed);
    assert_eq!(stage.press("m"), [Effect::Ask(Request::Talk(Talk::default()))]);
    let state = open(&stage);
    stage.voice(state);
    assert_eq!(stage.model.context(), Context::Talking);
    for (key, request) in [
        ("m", Request::TalkDone),
        ("Enter", Request::TalkDone),
        ("Esc", Request::TalkDropped),
        ("x", Request::Cancel),
    ] {
        assert_eq!(stage.press(key), [Effect::Ask(request)]);
    }
}

#[test]
fn local_speech_is_stopped_by_esc_and_by_the_microphone_and_cancel_keys() {
    let mut stage = Stage::live(120, 40);
    stage.notice(Notice::Speaking(true));
    assert_eq!(stage.press("Esc"), [Effect::Ask(Request::StopSpeaking)]);
    assert_eq!(stage.press("m"), [Effect::Ask(Request::Talk(Talk::default()))]);
    assert_eq!(stage.press("x"), [Effect::Ask(Request::Cancel)]);
    stage.notice(Notice::Speaking(false));
    assert_eq!(stage.press("Esc"), []);
}

#[test]
fn how_long_it_is_on_the_air_is_counted_from_its_opening() {
    let mut stage = Stage::live(120, 40);
    stage.later(500);
    let state = open(&stage);
    stage.voice(state);
    stage.later(1_500);
    assert_eq!(stage.model.on_air(), Some(Duration::from_millis(1_500)));
    stage.voice(MicrophoneState::Closing);
    assert_eq!(stage.model.on_air(), None);
    assert!(stage.model.is_talking());
}

#[test]
fn a_spoken_turn_is_said_in_the_conversation_and_a_dropped_one_too() {
    let mut stage = Stage::live(120, 40);
    for (kind, said) in [("commit", "♪ spoken, 3.2 s"), ("cancel", "what was said was dropped, 3.2 s")] {
        stage.went(10, json!({"type": "audio.turn.start", "turn": 1}), Body::Client);
        stage.went(3_200, json!({"type": format!("audio.turn.{kind}"), "turn": 1}), Body::Client);
        let last = stage.model.conversation.items().back().cloned();
        assert!(
            matches!(&last, Some(Item::You(text) | Item::Note(text)) if text.as_str() == said),
            "{last:?}"
        );
    }
}

#[test]
fn what_was_measured_goes_with_the_sound() {
    let mut stage = Stage::live(120, 40);
    let quiet = Loudness { rms_db: -30.0, hold_db: -20.0, clipped: false };
    let levels = Levels { at: stage.at(), microphone: None, speaker: quiet, ducked: false };
    stage.notice(Notice::Levels(levels));
    assert_eq!(stage.model.voice, None, "there is no sound to measure");
    stage.voice(MicrophoneState::Closed);
    stage.notice(Notice::Levels(levels));
    stage.notice(Notice::Media(Arc::new(MediaStats::default())));
    stage.voice(MicrophoneState::Opening);
    let voice = stage.model.voice.clone().expect("it has sound");
    assert!(voice.levels.is_some() && voice.stats.is_some());
    stage.notice(Notice::Voice(None));
    assert_eq!(stage.model.voice, None);
}

#[test]
fn the_page_of_the_call_opens_and_closes_from_everywhere() {
    let mut stage = Stage::live(120, 40);
    let state = open(&stage);
    stage.voice(state);
    stage.press("M");
    assert!(matches!(stage.model.mode, Mode::Call(0)));
    stage.press("Esc");
    assert_eq!(stage.model.context(), Context::Talking);
}
