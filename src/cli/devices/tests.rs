use std::path::Path;

use super::advice;
use super::asked::{Asked, Awaited};
use super::inventory::{Heard, Inventory};
use super::surroundings::{Surroundings, UsbDevice};
use super::watch::{Change, changes};
use super::{records, text};
use crate::cli::exit::Kind;
use crate::client::devices::DeviceSort;
use crate::device::audio::{AudioDevice, AudioDevices, AudioTrouble, Direction, Sound};
use crate::device::camera::{CameraInfo, CameraTrouble, FormatInfo, Listing};
use crate::device::nfc::{ReaderInfo, ReaderTrouble, Readers};

fn readers(names: &[&str]) -> Readers {
    Readers { trouble: None, readers: names.iter().map(|name| ReaderInfo::named(name)).collect() }
}

fn wrong(trouble: ReaderTrouble) -> Readers {
    Readers { trouble: Some(trouble), readers: Vec::new() }
}

fn camera(name: &str, node: &str, trouble: Option<CameraTrouble>) -> CameraInfo {
    let format = |fourcc: &str, width, height, fps| FormatInfo {
        fourcc: fourcc.into(),
        width,
        height,
        fps: Some(fps),
    };
    let formats = match trouble {
        None => vec![
            format("MJPG", 640, 480, 30.0),
            format("MJPG", 1920, 1080, 30.0),
            format("MJPG", 1280, 720, 60.0),
            format("YUYV", 640, 480, 29.97),
        ],
        Some(_) => Vec::new(),
    };
    let bus = "usb-0000:00:14.0-5".to_owned();
    CameraInfo { name: name.into(), card: name.into(), node: node.into(), bus, formats, trouble }
}

fn audio(name: &str, direction: Direction, is_default: bool, trouble: Option<AudioTrouble>) -> AudioDevice {
    AudioDevice {
        name: name.to_owned(),
        id: format!("id of {name}"),
        direction,
        is_default,
        is_monitor: name.starts_with("Monitor"),
        sound: trouble.is_none().then(|| Sound { channels: 2, rate: 48_000, format: "f32".to_owned() }),
        rates: None,
        trouble,
    }
}

/// A desk with everything on it.
fn desk() -> Heard {
    Heard {
        readers: Some(readers(&[
            "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
            "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00",
            "Alcor Micro AU9540 00 00",
            "REINER SCT cyberJack ICC 02 00",
        ])),
        cameras: Some(Listing {
            cameras: vec![
                camera("Integrated Camera", "/dev/video0", None),
                camera(
                    "HD Pro Webcam C920",
                    "/dev/video2",
                    Some(CameraTrouble::Busy { holders: vec!["cheese (pid 812)".into()] }),
                ),
                camera("OBS Virtual Camera", "/dev/video9", Some(CameraTrouble::NoFormats)),
            ],
            trouble: None,
        }),
        audio: Some(AudioDevices {
            host: Some("PulseAudio".to_owned()),
            troubles: Vec::new(),
            devices: vec![
                audio("Built-in Audio Analog Stereo", Direction::Microphone, true, None),
                audio("Headset", Direction::Microphone, false, Some(AudioTrouble::Busy)),
                audio("Monitor of Built-in Audio", Direction::Microphone, false, None),
                audio("Built-in Audio Analog Stereo", Direction::Speaker, true, None),
            ],
        }),
    }
}

/// A machine for tests, with nothing on it.
fn bare() -> Heard {
    Heard {
        readers: Some(wrong(ReaderTrouble::NotRunning)),
        cameras: Some(Listing::default()),
        audio: Some(AudioDevices { troubles: vec![AudioTrouble::Nothing], ..AudioDevices::default() }),
    }
}

fn debian() -> Surroundings {
    Surroundings {
        has_systemd: true,
        has_pcscd: true,
        install: Some("sudo apt install"),
        ..Surroundings::default()
    }
}

fn shown(heard: &Heard, around: &Surroundings, width: usize) -> String {
    text::lines(&Inventory::of(heard, around), width).join("\n")
}

#[test]
fn a_desk_with_everything_on_it_is_shown_in_columns_at_any_width() {
    for width in [60, 100, 200] {
        insta::assert_snapshot!(format!("desk-{width}"), shown(&desk(), &debian(), width));
    }
}

#[test]
fn a_machine_with_nothing_says_what_is_wrong_and_what_to_do() {
    for width in [60, 100] {
        insta::assert_snapshot!(format!("bare-{width}"), shown(&bare(), &debian(), width));
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in 60..=200 {
        for heard in [desk(), bare()] {
            for line in text::lines(&Inventory::of(&heard, &debian()), width) {
                assert!(unicode_width::UnicodeWidthStr::width(line.as_str()) <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn names_of_hardware_are_text_from_outside() {
    let heard = Heard { readers: Some(readers(&["ACR122\u{1b}[2J\nU\u{202e}"])), ..Heard::default() };
    let text = shown(&heard, &debian(), 100);
    assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.contains("ACR122␛[2J⏎U⟨U+202E⟩"), "{text}");
}

/// What is said of readers, the hint behind the arrow.
fn said(heard: &Readers, around: &Surroundings) -> Vec<String> {
    let line =
        |t: &crate::client::devices::Trouble| format!("{} → {}", t.text, t.hint.clone().unwrap_or_default());
    advice::of_readers(heard, around).iter().map(line).collect()
}

#[test]
fn a_service_that_does_not_run_is_started_as_this_machine_starts_it() {
    let hint = |around: Surroundings| said(&wrong(ReaderTrouble::NotRunning), &around).concat();
    let plain = Surroundings::default();
    assert!(hint(debian()).contains("`sudo systemctl enable --now pcscd.socket`"));
    assert!(hint(Surroundings { has_systemd: false, ..debian() }).contains("`sudo pcscd`"));
    assert!(hint(Surroundings { has_pcscd: false, ..debian() }).contains("`sudo apt install pcscd libccid`"));
    assert!(hint(Surroundings { in_container: true, ..plain.clone() }).contains("-v /run/pcscd:/run/pcscd"));
    let elsewhere = Surroundings { pcsc_socket: Some("/tmp/p.comm".into()), ..debian() };
    assert!(hint(elsewhere).contains("PCSCLITE_CSOCK_NAME names /tmp/p.comm"));
    let empty = hint(Surroundings { pcsc_socket: Some(String::new()), ..debian() });
    assert!(empty.contains("PCSCLITE_CSOCK_NAME is set and empty") && !empty.contains("names"), "{empty}");
    assert!(hint(plain).contains("start it"), "where nothing is known, what holds everywhere is said");
}

#[test]
fn a7_polkit_over_ssh_is_told_from_no_reader() {
    let over_ssh = Surroundings { over_ssh: true, ..debian() };
    let refused = said(&wrong(ReaderTrouble::NotAllowed), &over_ssh).concat();
    assert!(refused.contains("ssh session") && refused.contains("access_pcsc"), "{refused}");
    assert!(!refused.contains("No reader"));
    assert!(!said(&wrong(ReaderTrouble::NotAllowed), &debian()).concat().contains("this is an ssh session"));
}

#[test]
fn a_reader_that_the_kernel_holds_is_named_with_the_driver_that_holds_it() {
    let usb = |driver: Option<&str>| UsbDevice {
        name: "ACS ACR122U PICC Interface".into(),
        ids: "072f:2200".into(),
        driver: driver.map(ToOwned::to_owned),
    };
    let held = Surroundings { readers: vec![usb(Some("pn533_usb"))], ..debian() };
    let text = said(&wrong(ReaderTrouble::NoReader), &held);
    assert_eq!(text.len(), 1, "it is not said beside that no reader is plugged in: {text:?}");
    assert!(text[0].contains("(072f:2200) is held by the kernel's own NFC driver pn533_usb"), "{text:?}");
    assert!(text[0].contains("`sudo modprobe -r pn533_usb`"), "{text:?}");
    // Another reader that works does not hide it.
    assert_eq!(said(&readers(&["Other PICC 00 00"]), &held).len(), 1);
    let unlisted = Surroundings { readers: vec![usb(None)], ..debian() };
    let text = said(&readers(&[]), &unlisted);
    assert!(
        text.len() == 1 && text[0].contains("PC/SC does not list it") && text[0].contains("libacsccid1"),
        "{text:?}"
    );
    assert_eq!(said(&readers(&["ACS ACR122U PICC Interface 00 00"]), &unlisted), [""; 0]);
    assert!(said(&readers(&[]), &debian()).concat().starts_with("No reader is plugged in."));
}

/// A tree of files as Linux shows them.
fn machine(files: &[(&str, &str)], links: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    #[cfg(unix)]
    for (path, target) in links {
        std::os::unix::fs::symlink(target, root.path().join(path)).unwrap();
    }
    root
}

#[cfg(unix)]
#[test]
fn the_surroundings_are_read_from_the_files_of_the_system() {
    let usb = "sys/bus/usb/devices/";
    let file = |place: &str, name: &str| format!("{usb}{place}/{name}");
    let names = [
        (file("1-2", "idVendor"), "072f\n"),
        (file("1-2", "idProduct"), "2200\n"),
        (file("1-2", "manufacturer"), "ACS\n"),
        (file("1-2", "product"), "ACR122U PICC Interface\n"),
        (file("1-2/1-2:1.0", "bInterfaceClass"), "0b\n"),
        (file("1-3", "idVendor"), "046d\n"),
        (file("1-3", "idProduct"), "0892\n"),
        (file("1-3/1-3:1.0", "bInterfaceClass"), "0e\n"),
        (file("1-4", "idVendor"), "046d\n"),
        (file("1-4", "idProduct"), "c52b\n"),
        (file("1-4/1-4:1.0", "bInterfaceClass"), "03\n"),
        ("etc/os-release".to_owned(), "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n"),
        ("usr/sbin/pcscd".to_owned(), ""),
        (".dockerenv".to_owned(), ""),
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let driver = format!("{usb}1-2/1-2:1.0/driver");
    let root = machine(&files, &[(&driver, "../../../../bus/usb/drivers/pn533_usb")]);
    let around =
        Surroundings::of(root.path(), |name| (name == "SSH_CONNECTION").then(|| "10.0.0.1 22".into()));
    let reader = UsbDevice {
        name: "ACS ACR122U PICC Interface".into(),
        ids: "072f:2200".into(),
        driver: Some("pn533_usb".into()),
    };
    let camera = UsbDevice { name: "a USB device".into(), ids: "046d:0892".into(), driver: None };
    let expected = Surroundings {
        over_ssh: true,
        in_container: true,
        has_pcscd: true,
        install: Some("sudo apt install"),
        readers: vec![reader],
        cameras: vec![camera],
        ..Surroundings::default()
    };
    assert_eq!(around, expected);
    assert_eq!(Surroundings::of(Path::new("/nowhere"), |_| None), Surroundings::default());
}

#[test]
fn devices_are_asked_for_by_name_part_node_or_word() {
    let inventory = Inventory::of(&desk(), &debian());
    let found = |asked: Asked| {
        let sorts = asked.sorts();
        asked.narrow(&inventory).map(|narrowed| {
            let of = narrowed.sections.into_iter().filter(|section| sorts.contains(&section.sort));
            of.flat_map(|section| section.devices).map(|found| found.name).collect::<Vec<_>>().join(", ")
        })
    };
    let reader = |name: &str| found(Asked { readers: vec![name.to_owned()], ..Asked::default() });
    let camera = |name: &str| found(Asked { camera: Some(name.to_owned()), ..Asked::default() });
    assert_eq!(reader("acr1252").unwrap(), "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00");
    assert_eq!(reader("picc").unwrap(), "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00");
    assert_eq!(reader("simulated").unwrap(), "SIMULATED tags");
    let auto = "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00, Alcor Micro AU9540 00 00";
    assert_eq!(reader("auto").unwrap(), auto);
    assert_eq!(camera("/dev/video2").unwrap(), "HD Pro Webcam C920");
    assert_eq!(camera("auto").unwrap(), "Integrated Camera");
    assert_eq!(camera("integrated@YUYV 640x480").unwrap(), "Integrated Camera");
    assert_eq!(camera("file:cup.jpg").unwrap(), "file:cup.jpg");
    let speaker = found(Asked { speaker: Some("default".to_owned()), ..Asked::default() });
    assert_eq!(speaker.unwrap(), "Built-in Audio Analog Stereo");
    let microphone = found(Asked { microphone: Some("id of Headset".to_owned()), ..Asked::default() });
    assert_eq!(microphone.unwrap(), "Headset");
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let asked = Asked { readers: vec!["ACR122U".to_owned()], ..Asked::default() };
    let missing = asked.narrow(&Inventory::of(&bare(), &debian())).unwrap_err();
    assert_eq!(missing.kind, Kind::Device);
    assert_eq!(
        missing.message,
        "The PC/SC service does not run. There is no reader \"ACR122U\"; there are: SIMULATED tags.",
        "the cause first"
    );
    assert!(missing.hint.as_ref().is_some_and(|hint| hint.contains("pcscd.socket")), "{missing:?}");
    let asked = Asked { readers: vec!["0 00".to_owned()], ..Asked::default() };
    let several = asked.narrow(&Inventory::of(&desk(), &debian())).unwrap_err();
    assert!(
        several.message.contains("fits several readers") && several.message.contains("AU9540"),
        "{several:?}"
    );
    assert!(several.message.ends_with("; give more of the name."), "{several:?}");
}

#[test]
fn what_is_watched_may_come_later_and_is_shown_alone() {
    let now = Inventory::of(&desk(), &debian());
    let asked = |name: &str| Asked { readers: vec![name.to_owned()], ..Asked::default() };
    let names = |inventory: &Inventory| {
        let readers = &inventory.section(DeviceSort::Reader).unwrap().devices;
        readers.iter().map(|found| found.name.clone()).collect::<Vec<_>>()
    };
    let ambiguous = asked("0 00").narrow_to_come(&now).unwrap_err();
    assert_eq!(ambiguous, asked("0 00").narrow(&now).unwrap_err(), "as without --watch");
    let (there, awaited) = asked("AU9540").narrow_to_come(&now).unwrap();
    assert_eq!((names(&there), awaited), (vec!["Alcor Micro AU9540 00 00".to_owned()], Vec::new()));
    let (there, awaited) = asked("Omnikey").narrow_to_come(&now).unwrap();
    let omnikey = Awaited { sort: DeviceSort::Reader, name: "Omnikey".to_owned() };
    assert_eq!((names(&there), awaited), (Vec::new(), vec![omnikey]));
    let mut heard = desk();
    let came = ["Omnikey 5021 CL 00 00", "Omnikey 5022 CL 01 00"];
    heard.readers.as_mut().unwrap().readers.push(ReaderInfo::named(came[0]));
    assert_eq!(names(&asked("Omnikey").now(&Inventory::of(&heard, &debian()))), came[..1]);
    heard.readers.as_mut().unwrap().readers.push(ReaderInfo::named(came[1]));
    assert_eq!(names(&asked("Omnikey").now(&Inventory::of(&heard, &debian()))), came, "both fit by now");
}

#[test]
fn each_change_is_told_once() {
    let before = Inventory::of(&desk(), &debian());
    assert_eq!(changes(&before, &before), []);
    let mut heard = desk();
    let cameras = heard.cameras.as_mut().unwrap();
    cameras.cameras[1].trouble = None;
    cameras.cameras.remove(0);
    heard.readers = Some(wrong(ReaderTrouble::Lost));
    let now = Inventory::of(&heard, &debian());
    let told: Vec<String> = changes(&before, &now)
        .iter()
        .map(|change| match change {
            Change::Added(_, found) => format!("+ {}", found.name),
            Change::Removed(_, found) => format!("- {}", found.name),
            Change::Changed(_, found) => format!("~ {}", found.name),
            Change::Trouble(_, trouble) => format!("! {}", trouble.text),
            Change::Recovered(_, trouble) => format!("ok {}", trouble.text),
        })
        .collect();
    assert_eq!(
        told,
        [
            "- ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
            "- ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00",
            "- Alcor Micro AU9540 00 00",
            "- REINER SCT cyberJack ICC 02 00",
            "! The PC/SC service went away.",
            "- Integrated Camera",
            "~ HD Pro Webcam C920",
        ]
    );
    let back = changes(&now, &before);
    assert!(matches!(&back[0], Change::Recovered(DeviceSort::Reader, _)), "{back:?}");
    assert!(matches!(&back[1], Change::Added(DeviceSort::Reader, _)), "{back:?}");
}

#[test]
fn programs_get_everything_that_people_get() {
    let inventory = Inventory::of(&desk(), &debian());
    let lines: Vec<String> = inventory
        .sections
        .iter()
        .flat_map(records::found_lines)
        .map(|line| serde_json::to_string(&line).unwrap())
        .collect();
    assert_eq!(lines.len(), 5 + 4 + 3 + 1);
    assert_eq!(
        lines[1],
        r#"{"found":{"sort":"reader","name":"ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00","simulated":false,"kind":"sam"}}"#
    );
    assert!(
        lines[6].contains(r#""trouble":{"text":"another program uses it: cheese (pid 812)","hint":"#),
        "{}",
        lines[6]
    );
    assert!(
        lines[5].contains(r#""formats":[{"fourcc":"MJPG","width":640,"height":480,"fps":30.0}"#),
        "{}",
        lines[5]
    );
}
