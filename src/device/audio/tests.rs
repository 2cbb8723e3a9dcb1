use std::time::Duration;

use proptest::prelude::*;

use super::wire::Told;
use super::*;

fn device(name: &str, id: &str, direction: Direction, is_default: bool) -> AudioDevice {
    AudioDevice {
        name: name.to_owned(),
        id: id.to_owned(),
        direction,
        is_default,
        is_monitor: id.ends_with(".monitor"),
        sound: Some(Sound { channels: 2, rate: 48_000, format: "f32".to_owned() }),
        rates: None,
        trouble: None,
    }
}

#[test]
fn the_preferred_device_comes_first_and_like_names_are_told_apart() {
    use Direction::{Microphone, Speaker};
    let mut devices = [
        device("Speakers", "out.0", Speaker, false),
        device("Monitor of Speakers", "out.0.monitor", Microphone, false),
        device("Webcam", "in.usb-1", Microphone, false),
        device("webcam", "in.usb-2", Microphone, false),
        device("Headset", "out.1", Speaker, true),
        device("Headset", "in.1", Microphone, true),
    ];
    in_order(&mut devices);
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(
        names,
        ["Headset", "Webcam (in.usb-1)", "webcam (in.usb-2)", "Monitor of Speakers", "Headset", "Speakers"]
    );
}

#[test]
fn sound_is_said_in_words() {
    let said = |channels| Sound { channels, rate: 48_000, format: "i16".to_owned() }.to_string();
    assert_eq!(
        [said(1), said(2), said(6)],
        ["mono, 48000 Hz, i16", "stereo, 48000 Hz, i16", "6 channels, 48000 Hz, i16"]
    );
}

proptest! {
    #[test]
    fn what_is_told_is_read_and_nothing_else(name in ".{0,400}", bytes: Vec<u8>) {
        let told = Told::Device(device(&name, &name, Direction::Speaker, true));
        let Some(Told::Device(read)) = Told::read(&serde_json::to_vec(&told).unwrap()) else { panic!("{told:?}") };
        prop_assert!(read.name.chars().count() <= 200 && !read.name.contains(char::is_control));
        // No bytes make it panic.
        let _ = Told::read(&bytes);
    }
}

#[cfg(unix)]
fn script(lines: &str) -> (tempfile::TempDir, AudioProgram) {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("teller");
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    (place, AudioProgram::at(path))
}

#[cfg(unix)]
const HEADSET: &str = r#"{"device":{"name":"Headset","id":"in.1","direction":"microphone","isDefault":true,"isMonitor":false,"sound":{"channels":1,"rate":48000,"format":"i16"},"rates":null,"trouble":null}}"#;

#[cfg(unix)]
#[tokio::test]
async fn what_was_told_before_a_hang_a_crash_or_nonsense_still_counts() {
    let hang = AudioTrouble::Hung { within: Duration::from_millis(300) };
    let crash = AudioTrouble::Died { how: "its process ended: exit status: 3".to_owned() };
    let nonsense = AudioTrouble::Died { how: "it told something else".to_owned() };
    for (then, trouble) in [
        ("exec /bin/sleep 60", Some(hang)),
        ("exit 3", Some(crash)),
        ("echo ALSA lib confmisc.c: cannot find card", Some(nonsense)),
        ("echo '\"done\"'", None),
    ] {
        let (_place, program) =
            script(&format!("echo '{{\"host\":\"ALSA\"}}'\necho '{HEADSET}'\necho noise >&2\n{then}"));
        let program =
            if then.contains("sleep") { program.with_deadline(Duration::from_millis(300)) } else { program };
        let found = list(&program).await;
        assert_eq!(found.host.as_deref(), Some("ALSA"), "{then}");
        assert_eq!(found.devices.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["Headset"], "{then}");
        assert_eq!(found.troubles, Vec::from_iter(trouble), "{then}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_line_without_end_is_not_waited_for() {
    let (_place, program) = script("exec /usr/bin/head -c 20000 /dev/zero");
    let found = list(&program).await;
    assert_eq!(found.troubles, [AudioTrouble::Died { how: "it told something else".to_owned() }]);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_a_trouble_and_no_panic() {
    let found = list(&AudioProgram::at("/nowhere/agentcall")).await;
    assert!(matches!(found.troubles.as_slice(), [AudioTrouble::Died { .. }]), "{found:?}");
}
