//! Speaking and hearing: the microphone in every state, and the page of the call.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::scenes::{conversation, scene};
use super::text;
use crate::app::tests::stage::Stage;
use crate::client::Notice;
use crate::client::voice::{Levels, Loudness, MediaStats, MicrophoneState, SpokenTurn};
use crate::trace::record::Body;
use crate::units::Turn;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The microphone has been open for so long, with two minutes for a turn.
fn on_air(stage: &mut Stage, open: u64, loud: Loudness) {
    stage.went(10, json!({"type": "audio.turn.start", "turn": 2}), Body::Client);
    let since = stage.at();
    stage.voice(MicrophoneState::Open { since, until: since + ms(120_000), turn: Some(Turn(2)) });
    stage.later(open);
    let silent = Loudness { rms_db: -100.0, hold_db: -100.0, clipped: false };
    let at = stage.at();
    stage.notice(Notice::Levels(Levels { at, microphone: Some(loud), speaker: silent, ducked: true }));
}

const SPEECH: Loudness = Loudness { rms_db: -23.4, hold_db: -12.0, clipped: false };

#[test]
fn the_microphone_is_closed() {
    scene("voice-closed", |stage| {
        conversation(stage);
        stage.voice(MicrophoneState::Closed);
        let speaker = Loudness { rms_db: -18.0, hold_db: -9.0, clipped: false };
        let at = stage.at();
        stage.notice(Notice::Levels(Levels { at, microphone: None, speaker, ducked: false }));
    });
}

#[test]
fn the_microphone_is_open() {
    scene("voice-on-air", |stage| {
        conversation(stage);
        on_air(stage, 3_240, SPEECH);
    });
}

#[test]
fn what_is_too_loud_is_said_and_so_is_the_end_of_the_time() {
    scene("voice-clips", |stage| {
        on_air(stage, 108_000, Loudness { rms_db: -1.0, hold_db: 0.0, clipped: true });
    });
}

#[test]
fn a_turn_was_spoken() {
    scene("voice-spoken", |stage| {
        on_air(stage, 3_240, SPEECH);
        stage.went(30, json!({"type": "audio.turn.commit", "turn": 2}), Body::Client);
        stage.voice(MicrophoneState::Closed);
        stage.came(8, json!({"type": "run.started"}));
        stage.came(4, json!({"type": "text.delta", "text": "I heard 3.2 s at -23 dBFS."}));
    });
}

#[test]
fn what_the_agent_says_is_being_spoken_here() {
    scene("voice-speaking", |stage| {
        stage.notice(Notice::Speaking(true));
    });
}

#[test]
fn the_page_of_the_call_without_figures() {
    scene("call-empty", |stage| {
        stage.voice(MicrophoneState::Closed);
        stage.press("M");
    });
}

#[test]
fn the_page_of_the_call() {
    scene("call", |stage| {
        stage.voice(MicrophoneState::Closed);
        stage.notice(Notice::Media(Arc::new(MediaStats {
            pair: Some("host 192.0.2.7:50123 ↔ srflx 198.51.100.20:40001".to_owned()),
            rtt: Some(ms(23)),
            sent: 1_204,
            send_rate: 31_800,
            received: 2_410,
            receive_rate: 33_010,
            lost: 12,
            late: 3,
            jitter: Some(Duration::from_micros(2_400)),
            depth: ms(38),
            target: ms(30),
            concealed: ms(180),
            underruns: 1,
            backlog: 82_400,
            max_message: Some(262_144),
            ..MediaStats::default()
        })));
        stage.notice(Notice::Spoken(SpokenTurn {
            closed: Some(ms(10_018)),
            committed: Some(ms(10_019)),
            started: Some(ms(10_044)),
            first_text: Some(ms(10_130)),
            first_audible: Some(ms(10_310)),
            heard: None,
            ..SpokenTurn::ended_at(Turn(2), ms(10_000))
        }));
        stage.press("M");
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_pressed_an_open_microphone_is_on_the_screen(keys in "[a-zA-Z:/?.,]{0,12}", narrow: bool) {
        let mut stage = if narrow { Stage::live(60, 16) } else { Stage::live(120, 40) };
        on_air(&mut stage, 1_000, SPEECH);
        for key in keys.chars() {
            stage.press(&key.to_string());
        }
        let drawn = text(&mut stage.model);
        prop_assert!(drawn.contains("ON AIR"), "{drawn}");
    }
}
