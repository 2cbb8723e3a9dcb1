#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

use std::time::Duration;

use tokio::time::{advance, sleep};

use super::super::stream::{AudioError, Microphone, MicrophoneStream, SPEAKER_SAMPLES, Speaker, Taken};
use super::super::{AbsentDevice, AudioTrouble};
use super::{SimulatedMicrophone, SimulatedSpeaker};
use crate::device::{Armed, ArmedBy, DeviceKind, Ended};

const SECOND: Duration = Duration::from_secs(1);
const FRAME: Duration = Duration::from_millis(10);

fn armed(within: Duration) -> Armed {
    Armed::mint(DeviceKind::Microphone, ArmedBy::Key, within)
}

/// A WAV file of 48 kHz in which every sample is `value`.
fn file(directory: &tempfile::TempDir, samples: usize, value: i16) -> std::path::PathBuf {
    let path = directory.path().join("hello.wav");
    let form = hound::WavSpec {
        channels: 1,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(&path, form).unwrap();
    (0..samples).for_each(|_| writer.write_sample(value).unwrap());
    writer.finalize().unwrap();
    path
}

fn take(stream: &mut Box<dyn MicrophoneStream>) -> (Taken, Vec<f32>) {
    let mut into = Vec::new();
    let taken = stream.take(&mut into).unwrap();
    assert_eq!(taken.samples, into.len());
    (taken, into)
}

#[tokio::test(start_paused = true)]
async fn a_simulated_microphone_gives_what_is_due_and_no_more() {
    let armed = armed(60 * SECOND);
    let mut microphone = SimulatedMicrophone::tone(1_000);
    let mut stream = microphone.open(&armed).await.unwrap();
    assert_eq!(take(&mut stream).1, [0.0_f32; 0]);
    let mut heard = Vec::new();
    for _ in 0..100 {
        advance(FRAME).await;
        assert_eq!(stream.take(&mut heard).unwrap(), Taken { samples: 480, ..Taken::default() });
    }
    let crossings = heard.windows(2).filter(|two| two[0] < 0.0 && two[1] >= 0.0).count();
    let loudest = heard.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    assert_eq!(crossings, 999, "a thousand turns, the first of which begins at zero");
    assert!((loudest - 0.2).abs() < 0.001, "{loudest}");
    stream.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_is_heard_from_its_beginning_at_each_opening_and_tells_its_end_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut microphone = SimulatedMicrophone::file(&file(&directory, 1_000, 16_384));
    assert_eq!((microphone.label().as_str(), microphone.is_simulated()), ("SIMULATED hello.wav", true));
    let armed = armed(60 * SECOND);
    for _ in 0..2 {
        let mut stream = microphone.open(&armed).await.unwrap();
        advance(2 * FRAME).await;
        let (first, heard) = take(&mut stream);
        assert_eq!((first.samples, first.ended), (960, false));
        assert!(heard.iter().all(|sample| (sample - 0.5).abs() < 0.001));
        advance(FRAME).await;
        let (last, heard) = take(&mut stream);
        assert_eq!((last.samples, last.ended), (480, true));
        assert!(heard[..40].iter().all(|sample| *sample > 0.4) && heard[40..].iter().all(|s| *s == 0.0));
        advance(FRAME).await;
        let (after, heard) = take(&mut stream);
        assert!(!after.ended && heard.iter().all(|sample| *sample == 0.0), "silence follows");
    }
}

#[tokio::test(start_paused = true)]
async fn a_microphone_needs_a_consent_of_its_own_kind_and_closes_with_it() {
    let mut microphone = SimulatedMicrophone::default();
    let other = Armed::mint(DeviceKind::Camera, ArmedBy::Key, SECOND);
    assert!(matches!(microphone.open(&other).await.err(), Some(AudioError::NotArmed { .. })));

    let consent = armed(SECOND);
    let mut stream = microphone.open(&consent).await.unwrap();
    sleep(2 * SECOND).await;
    let closed = |why| AudioError::Closed { name: "SIMULATED tone 440 Hz".to_owned(), why };
    let mut into = Vec::new();
    assert_eq!(stream.take(&mut into), Err(closed(Ended::Deadline)));
    assert!(matches!(microphone.open(&consent).await.err(), Some(AudioError::NotArmed { .. })));

    let consent = armed(SECOND);
    let mut stream = microphone.open(&consent).await.unwrap();
    consent.disarm().now();
    assert_eq!(stream.take(&mut into), Err(closed(Ended::Disarmed)));

    let consent = armed(SECOND);
    let mut stream = microphone.open(&consent).await.unwrap();
    advance(FRAME).await;
    drop(consent);
    assert_eq!(stream.take(&mut into), Err(closed(Ended::Disarmed)));
    assert_eq!(into, [0.0_f32; 0], "nothing is taken after the consent");
}

#[tokio::test(start_paused = true)]
async fn a_speaker_plays_what_was_put_at_the_pace_of_the_clock() {
    let mut stream = SimulatedSpeaker::nowhere().open().await.unwrap();
    assert_eq!((stream.queued(), stream.room()), (0, SPEAKER_SAMPLES));
    stream.put(&[0.5; 1_440]).unwrap();
    assert_eq!((stream.queued(), stream.room()), (1_440, SPEAKER_SAMPLES - 1_440));
    advance(FRAME).await;
    assert_eq!(stream.queued(), 960);
    advance(SECOND).await;
    assert_eq!(stream.queued(), 0);
    stream.put(&[0.5; 480]).unwrap();
    assert_eq!(stream.queued(), 480, "silence that was due is not owed");
    stream.put(&[0.5; 2 * SPEAKER_SAMPLES]).unwrap();
    assert_eq!((stream.queued(), stream.room()), (SPEAKER_SAMPLES, 0), "what has no room is dropped");
}

#[tokio::test(start_paused = true)]
async fn a_file_holds_what_was_played_with_its_pauses_and_is_whole_when_the_speaker_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.wav");
    let mut speaker = SimulatedSpeaker::file(&path);
    let mut stream = speaker.open().await.unwrap();
    advance(FRAME).await;
    stream.put(&[0.5; 960]).unwrap();
    advance(4 * FRAME).await;
    stream.put(&[-0.5; 960]).unwrap();
    advance(FRAME).await;
    drop(stream);
    let samples: Vec<i16> = hound::WavReader::open(&path).unwrap().samples().map(Result::unwrap).collect();
    let runs: Vec<(usize, i16)> =
        samples.chunk_by(|one, two| one == two).map(|run| (run.len(), run[0])).collect();
    assert_eq!(runs, [(480, 0), (960, 16_384), (960, 0), (480, -16_384)]);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_or_written_is_one_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let nothing = directory.path().join("nothing.wav");
    let error = SimulatedMicrophone::file(&nothing).open(&armed(SECOND)).await.err().unwrap();
    assert!(
        error.to_string().starts_with("the microphone SIMULATED nothing.wav gives no sound: "),
        "{error}"
    );
    std::fs::write(&nothing, b"no sound at all").unwrap();
    assert!(SimulatedMicrophone::file(&nothing).open(&armed(SECOND)).await.is_err());
    let error = SimulatedSpeaker::file(directory.path()).open().await.err().unwrap();
    assert!(error.to_string().contains("plays nothing") && error.hint().is_some(), "{error}");
}

#[test]
fn names_mean_simulated_devices_or_none() {
    let microphone = |name: &str| SimulatedMicrophone::named(name).map(|named| named.map(|m| m.label()));
    for (name, label) in [
        ("simulated", "SIMULATED tone 440 Hz"),
        ("SIMULATED tone 440 Hz", "SIMULATED tone 440 Hz"),
        ("silence", "SIMULATED silence"),
        ("tone:1000", "SIMULATED tone 1000 Hz"),
        ("tone:1000Hz", "SIMULATED tone 1000 Hz"),
        ("file:/a/b c.opus", "SIMULATED b c.opus"),
    ] {
        assert_eq!(microphone(name), Some(Ok(label.to_owned())), "{name}");
    }
    for wrong in ["tone:", "tone:19", "tone:20001", "tone:high", "file:", "FILE: "] {
        assert!(matches!(microphone(wrong), Some(Err(_))), "{wrong}");
    }
    assert_eq!((microphone("default"), microphone("Headset")), (None, None));
    let speaker = |name: &str| SimulatedSpeaker::named(name).map(|named| named.map(|s| s.label()));
    assert_eq!(speaker("nowhere"), Some(Ok("SIMULATED nowhere".to_owned())));
    assert_eq!(speaker("file:out.wav"), Some(Ok("SIMULATED out.wav".to_owned())));
    assert!(matches!(speaker("file:"), Some(Err(_))) && speaker("default").is_none());
}

#[tokio::test]
async fn no_device_at_all_is_a_state_that_is_said_when_it_is_opened() {
    let mut microphone = AbsentDevice::microphone("default", AudioTrouble::Nothing);
    assert_eq!(Microphone::absence(&microphone), Some(&AudioTrouble::Nothing));
    let error = Microphone::open(&mut microphone, &armed(SECOND)).await.err().unwrap();
    assert_eq!(error.to_string(), "the microphone default gives no sound: there is no sound device");
    let mut speaker = AbsentDevice::speaker("default", AudioTrouble::NotBuilt);
    let error = Speaker::open(&mut speaker).await.err().unwrap();
    assert_eq!(error.to_string(), "the speaker default plays nothing: this build has no sound support");
}
