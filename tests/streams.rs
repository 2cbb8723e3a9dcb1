//! Sound from and to a real sound server: PulseAudio with null sinks, by its own protocol and through ALSA.
//!
//! Field reports of other programs' failures (family D), and where each is held here:
//!
//! | report | test |
//! |---|---|
//! | D1 libraries that write to standard error | `what_libraries_write_to_standard_error_reaches_nobody` |
//! | D2 formats other than the one expected | `every_form_of_sample_…` in `tests/callbacks.rs` |
//! | D4 no callback, errors without end | `a_microphone_that_is_unplugged_…`, `a_server_that_is_killed_…`, `a_frozen_server_…` |
//! | D5 names, and never `hw:` by itself | `sound.rs`; names here by `default`, name, part and id |
//! | D7 exact zeros | `exact_silence_is_called_out_…` |
#![cfg(all(target_os = "linux", feature = "audio"))]
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

#[path = "common/frozen.rs"]
mod frozen;
#[path = "common/pulse.rs"]
mod pulse;

use std::time::{Duration, Instant};

use agentcall::device::audio::{
    AudioError, AudioNote, AudioProgram, AudioTrouble, Microphone, MicrophoneStream, RealMicrophone,
    RealSpeaker, Speaker, SpeakerStream,
};
use agentcall::device::{Armed, ArmedBy, DeviceKind};
use pulse::{PATIENCE, Pulse};

const TICK: Duration = Duration::from_millis(10);

fn armed() -> Armed {
    Armed::mint(DeviceKind::Microphone, ArmedBy::Key, 10 * PATIENCE)
}

/// Plays a tone without end and keeps what is heard.
struct Desk {
    microphone: Box<dyn MicrophoneStream>,
    speaker: Option<Box<dyn SpeakerStream>>,
    at: u64,
    heard: Vec<f32>,
    notes: Vec<AudioNote>,
    is_dead: bool,
    lost: u64,
}

impl Desk {
    async fn open(program: &AudioProgram, names: (&str, &str), armed: &Armed) -> Self {
        let speaker = RealSpeaker::new(names.0, program.clone()).open().await.unwrap();
        let microphone = RealMicrophone::new(names.1, program.clone()).open(armed).await.unwrap();
        let (at, lost, is_dead) = (0, 0, false);
        Self { microphone, speaker: Some(speaker), at, heard: Vec::new(), notes: Vec::new(), is_dead, lost }
    }

    /// Goes on for a moment.
    async fn tick(&mut self) -> Result<(), AudioError> {
        if let Some(speaker) = &mut self.speaker {
            let wanted = 2_880_usize
                .saturating_sub(speaker.queued().saturating_sub(speaker.delay()))
                .min(speaker.room());
            let tone: Vec<f32> = (self.at..self.at + wanted as u64).map(sine).collect();
            self.at += wanted as u64;
            speaker.put(&tone)?;
            self.notes.extend(speaker.note());
        }
        let taken = self.microphone.take(&mut self.heard)?;
        self.is_dead = taken.is_dead;
        self.lost += taken.lost;
        self.notes.extend(self.microphone.note());
        tokio::time::sleep(TICK).await;
        Ok(())
    }

    /// Goes on until it is so.
    async fn until(&mut self, what: &str, mut so: impl FnMut(&Self) -> bool) {
        let since = Instant::now();
        while !so(self) {
            assert!(since.elapsed() < PATIENCE, "{what}: {:?}, {} samples", self.notes, self.heard.len());
            self.tick().await.unwrap();
        }
    }

    /// Goes on until the tone is heard for half a second, and gives its level.
    async fn until_tone(&mut self) -> f64 {
        self.heard.clear();
        let mut level = 0.0;
        self.until("the tone is heard", |desk| {
            let Some(from) = desk.heard.len().checked_sub(24_000) else { return false };
            level = goertzel(&desk.heard[from..], 440.0);
            level > 0.45
        })
        .await;
        level
    }

    /// Goes on until it fails.
    async fn failure(&mut self) -> AudioError {
        let since = Instant::now();
        loop {
            assert!(since.elapsed() < PATIENCE, "it does not fail: {:?}", self.notes);
            if let Err(error) = self.tick().await {
                return error;
            }
        }
    }
}

/// 440 Hz at half of full scale.
fn sine(at: u64) -> f32 {
    let turn = (at * 440 % 48_000) as f32 / 48_000.0;
    (turn * std::f32::consts::TAU).sin() * 0.5
}

/// The amplitude of a tone in it.
fn goertzel(samples: &[f32], hertz: f64) -> f64 {
    let factor = 2.0 * (std::f64::consts::TAU * hertz / 48_000.0).cos();
    let (mut last, mut before) = (0.0, 0.0);
    for sample in samples {
        (last, before) = (f64::from(*sample) + factor * last - before, last);
    }
    (last * last + before * before - factor * last * before).max(0.0).sqrt() * 2.0 / samples.len() as f64
}

async fn a_tone_is_heard(program: &AudioProgram, names: (&str, &str)) -> Desk {
    let consent = Box::leak(Box::new(armed()));
    let mut desk = Desk::open(program, names, consent).await;
    let level = desk.until_tone().await;
    assert!((0.45..0.55).contains(&level), "{level}");
    let from = desk.heard.len() - 24_000;
    let other = goertzel(&desk.heard[from..], 1_000.0);
    assert!(other < 0.02, "it is that tone and no other: {other}");
    desk
}

#[tokio::test]
async fn a_tone_is_played_and_heard_at_its_level_by_every_kind_of_name() {
    let server = Pulse::start(&["desk", "headset"]).await;
    for names in [("default", "default"), ("desk", "desk.monitor"), ("Headset", "Monitor of headset")] {
        let desk = a_tone_is_heard(&server.program(), names).await;
        assert_eq!(desk.notes, [], "{names:?}");
        desk.microphone.close().await;
    }
}

#[tokio::test]
async fn a_tone_is_played_and_heard_through_alsa() {
    let server = Pulse::start(&["desk"]).await;
    a_tone_is_heard(&server.program_of_alsa(), ("default", "default")).await;
}

#[tokio::test]
async fn what_was_put_is_played_to_its_end() {
    let server = Pulse::start(&["desk"]).await;
    let mut speaker = RealSpeaker::new("default", server.program()).open().await.unwrap();
    speaker.put(&[0.25; 4_800]).unwrap();
    assert!(speaker.queued() >= 4_800 && speaker.room() <= 4_800);
    let since = Instant::now();
    while speaker.queued() > speaker.delay() {
        assert!(since.elapsed() < PATIENCE, "{} of it wait", speaker.queued());
        tokio::time::sleep(TICK).await;
    }
}

#[tokio::test]
async fn a_name_that_nothing_or_several_have_is_one_sentence() {
    let server = Pulse::start(&["desk", "headset"]).await;
    let consent = armed();
    let fail = async |name: &str| {
        RealMicrophone::new(name, server.program()).open(&consent).await.err().unwrap().to_string()
    };
    assert_eq!(fail("Nothing").await, "the microphone Nothing gives no sound: it is not there");
    assert!(fail("Monitor").await.contains("several have that name"));
}

#[tokio::test]
async fn no_server_and_no_device_is_a_trouble_and_no_hang() {
    let mut server = Pulse::start(&["desk"]).await;
    server.kill().await;
    let error = RealSpeaker::new("default", server.program()).open().await.err().unwrap();
    assert!(error.trouble().is_some() && error.hint().is_some(), "{error}");
}

#[tokio::test]
async fn a_consent_that_ends_closes_the_microphone_whether_or_not_sound_is_taken() {
    let server = Pulse::start(&["desk"]).await;
    let consent = armed();
    let mut stream = RealMicrophone::new("default", server.program()).open(&consent).await.unwrap();
    let recorded = async || server.pactl(&["list", "short", "source-outputs"]).await;
    assert!(!recorded().await.is_empty(), "the server records");
    drop(consent);
    let since = Instant::now();
    while !recorded().await.is_empty() {
        assert!(since.elapsed() < PATIENCE, "the server goes on recording");
        tokio::time::sleep(TICK).await;
    }
    let mut into = Vec::new();
    assert!(matches!(stream.take(&mut into), Err(AudioError::Closed { .. })));
    assert!(into.is_empty(), "nothing is taken after the consent");
}

#[tokio::test]
async fn a_default_that_is_unplugged_is_followed_to_the_one_that_is_preferred_then() {
    let server = Pulse::start(&["desk", "headset"]).await;
    let mut desk = a_tone_is_heard(&server.program(), ("default", "default")).await;
    let modules = server.pactl(&["list", "short", "modules"]).await;
    let module = modules.lines().find(|line| line.contains("sink_name=desk")).unwrap();
    server.pactl(&["unload-module", module.split('\t').next().unwrap()]).await;
    let reopened =
        |note: &&AudioNote| matches!(note, AudioNote::Reopened { name, .. } if name.contains("headset"));
    desk.until("both are opened anew", |desk| desk.notes.iter().filter(reopened).count() == 2).await;
    desk.until_tone().await;
}

#[tokio::test]
async fn a_microphone_that_is_unplugged_for_good_is_one_clear_line() {
    let server = Pulse::start(&["desk", "headset"]).await;
    let mut desk = a_tone_is_heard(&server.program(), ("desk", "desk.monitor")).await;
    desk.speaker = None;
    let modules = server.pactl(&["list", "short", "modules"]).await;
    let module = modules.lines().find(|line| line.contains("sink_name=desk")).unwrap();
    server.pactl(&["unload-module", module.split('\t').next().unwrap()]).await;
    let error = desk.failure().await;
    assert_eq!(error.to_string(), "the microphone desk.monitor gives no sound: it is not there");
    let mut into = Vec::new();
    assert_eq!(desk.microphone.take(&mut into), Err(error), "it is said again and nothing else");
}

async fn killed_and_started_again(server: &mut Pulse, program: &AudioProgram) {
    let mut desk = a_tone_is_heard(program, ("default", "default")).await;
    server.kill().await;
    server.start_again().await;
    let reopened = |note: &&AudioNote| matches!(note, AudioNote::Reopened { .. });
    desk.until("both are opened anew", |desk| desk.notes.iter().filter(reopened).count() == 2).await;
    desk.until_tone().await;
}

#[tokio::test]
async fn a_server_that_is_killed_and_started_again_is_used_again() {
    let mut server = Pulse::start(&["desk"]).await;
    let program = server.program();
    killed_and_started_again(&mut server, &program).await;
}

#[tokio::test]
async fn a_server_that_is_killed_and_started_again_is_used_again_through_alsa() {
    let mut server = Pulse::start(&["desk"]).await;
    let program = server.program_of_alsa();
    killed_and_started_again(&mut server, &program).await;
}

#[tokio::test]
async fn a_frozen_server_is_said_and_nobody_waits_for_it() {
    let server = Pulse::start(&["desk"]).await;
    let consent = armed();
    let mut desk = Desk::open(&server.program(), ("default", "default"), &consent).await;
    desk.until_tone().await;
    server.freeze();
    let error = desk.failure().await;
    assert!(error.trouble().is_some(), "{error}");
    let since = Instant::now();
    desk.microphone.close().await;
    assert!(since.elapsed() < Duration::from_secs(2), "closing waits for nobody");
    let error = RealMicrophone::new("default", server.program()).open(&consent).await.err().unwrap();
    assert!(
        matches!(error.trouble(), Some(AudioTrouble::Server { .. } | AudioTrouble::Silent { .. })),
        "{error}"
    );
    server.thaw();
    a_tone_is_heard(&server.program(), ("default", "default")).await;
}

#[tokio::test]
async fn exact_silence_is_called_out_and_a_quiet_room_is_not() {
    let server = Pulse::start(&["desk"]).await;
    let consent = armed();
    let mut desk = Desk::open(&server.program(), ("default", "default"), &consent).await;
    let speaker = desk.speaker.take();
    desk.until("silence is called out", |desk| desk.is_dead).await;
    assert!(matches!(desk.notes.as_slice(), [AudioNote::Dead { .. }]), "{:?}", desk.notes);
    desk.speaker = speaker;
    desk.until("sound is heard again", |desk| !desk.is_dead).await;
}

#[tokio::test]
async fn what_libraries_write_to_standard_error_reaches_nobody() {
    use std::os::unix::fs::PermissionsExt;
    let server = Pulse::start(&["desk"]).await;
    // The program, started by one that writes there first, and then as ALSA does.
    let noisy = server.dir().join("noisy");
    let script = format!(
        "#!/bin/sh\necho 'ALSA lib pcm.c: noise' >&2\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_agentcall")
    );
    std::fs::write(&noisy, script).unwrap();
    std::fs::set_permissions(&noisy, std::fs::Permissions::from_mode(0o755)).unwrap();
    // A test of our own standard error: this one test runs again in a process whose output is kept.
    if std::env::var_os("KEPT").is_some() {
        let program = AudioProgram::at(&noisy);
        let program = program.with_variable("PULSE_SERVER", format!("unix:{}", server.socket().display()));
        let mut speaker = RealSpeaker::new("default", program).open().await.unwrap();
        speaker.put(&[0.0; 480]).unwrap();
        return;
    }
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["what_libraries_write_to_standard_error_reaches_nobody", "--exact", "--nocapture"]);
    let output = again.env("KEPT", "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed") && !told.contains("noise"), "{told}");
}
