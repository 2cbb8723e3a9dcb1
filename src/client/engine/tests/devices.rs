//! What happens at devices: told between the frames, troubles counted, readers that come and go.

use std::time::Instant;

use super::*;
use crate::client::devices::{DeviceReport, DeviceSection, DeviceSort, FoundDevice, Trouble};
use crate::client::notice::PhysicalView;
use crate::client::request::Aim;
use crate::device::camera::{CameraError, CameraTrouble};
use crate::device::nfc::{Happened, Over, ReaderEvent, ReaderInfo, ReaderTrouble, Readers};

const READER: &str = "ACS ACR122U PICC";

/// What happens at a reader for this collection, told at once.
fn at(bench: &mut Bench, collection: u64, reader: &str, what: Happened) -> Vec<String> {
    let event = ReaderEvent { reader: reader.to_owned(), at: Instant::now(), what };
    let now = bench.now;
    bench.put(Event::Happened(id(collection), now, event))
}

fn busy() -> Happened {
    Happened::Trouble(ReaderTrouble::Busy {
        reader: READER.to_owned(),
        holders: vec!["scdaemon (pid 8)".to_owned()],
    })
}

/// A live session on real readers: these names, or every one for tags.
fn watched(names: &[&str]) -> Bench {
    let mut bench = Bench::live();
    bench.engine.settings.watched = Some(names.iter().map(|name| (*name).to_owned()).collect());
    bench.engine.settings.reader.name = "PC/SC readers".to_owned();
    bench
}

fn there(bench: &mut Bench, names: &[&str]) -> Vec<String> {
    let readers = names.iter().map(|name| ReaderInfo::named(name)).collect();
    bench.put(Event::Readers(Readers { trouble: None, readers }))
}

fn wrong(bench: &mut Bench, trouble: ReaderTrouble) -> Vec<String> {
    bench.put(Event::Readers(Readers { trouble: Some(trouble), readers: Vec::new() }))
}

/// The lines of the readers: `name`, or `name ! trouble → hint`.
fn lines(bench: &mut Bench) -> Vec<String> {
    view(bench)
        .readers
        .iter()
        .map(|line| match &line.trouble {
            None => line.name.clone(),
            Some(trouble) => {
                format!("{} ! {} → {}", line.name, trouble.text, trouble.hint.clone().unwrap_or_default())
            }
        })
        .collect()
}

/// The physical side as a face is told it.
fn view(bench: &mut Bench) -> PhysicalView {
    bench.engine.tell_physical();
    let mut last = None;
    while let Some(effect) = bench.engine.poll() {
        if let Effect::Notify(Notice::Physical(view)) = effect {
            last = Some((*view).clone());
        }
    }
    last.expect("it was told")
}

/// What is shown as hindering the armed scan.
fn hindered(bench: &mut Bench) -> Option<String> {
    let Activity::Armed(armed) = view(bench).activity else { panic!("nothing is armed") };
    armed.trouble.map(|trouble| format!("{} ×{}", trouble.text, trouble.times))
}

#[test]
fn a_scan_tells_of_the_tag_from_laying_down_to_taking_off() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    let put_on = at(&mut bench, 1, READER, Happened::Inserted { lay_there: false });
    assert_eq!(put_on, ["physical: armed nfc", "◇ tag put on ACS ACR122U PICC"]);
    bench.put(Event::Collected(id(1), Ok(tag(&[4, 1, 2, 3]))));
    assert_eq!(at(&mut bench, 1, READER, Happened::Removed), ["◇ tag taken off ACS ACR122U PICC"]);
}

#[test]
fn a16_the_same_trouble_is_told_once_and_counted_and_its_end_says_how_often_it_came() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    let mut told = Vec::new();
    for _ in 0..30_000 {
        told.extend(at(&mut bench, 1, READER, busy()));
    }
    let rows = told.iter().filter(|line| line.starts_with('◇')).count();
    assert!(rows <= 31, "{rows} rows of 30 s");
    assert!(told.len() - rows <= 16, "the pane is told {} times", told.len() - rows);
    let over = at(&mut bench, 1, READER, Happened::Recovered(Over::Trouble));
    assert_eq!(over[0], "physical: armed nfc");
    assert_eq!(over[1], "◇ ACS ACR122U PICC works again ×30000");
    assert_eq!(
        at(&mut bench, 1, READER, Happened::Recovered(Over::Trouble)),
        [""; 0],
        "what was well did not recover"
    );
}

#[test]
fn trouble_leaves_the_scan_armed_and_is_shown_until_it_is_over() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    at(&mut bench, 1, READER, busy());
    at(&mut bench, 1, READER, busy());
    let text = "another program holds the card on ACS ACR122U PICC, likely scdaemon (pid 8)";
    assert_eq!(hindered(&mut bench), Some(format!("{text} ×2")));
    at(&mut bench, 1, READER, Happened::TornAway { after: 3 });
    assert_eq!(hindered(&mut bench).as_deref(), Some("the tag was torn away after 3 APDUs ×1"));
    at(&mut bench, 1, "", Happened::Trouble(ReaderTrouble::Lost));
    assert_eq!(hindered(&mut bench).as_deref(), Some("the PC/SC service went away ×1"));
    at(&mut bench, 1, READER, Happened::Inserted { lay_there: false });
    assert_eq!(hindered(&mut bench).as_deref(), Some("the PC/SC service went away ×1"), "another reader's");
    at(&mut bench, 1, "", Happened::Recovered(Over::Service));
    assert_eq!(hindered(&mut bench), None);
    at(&mut bench, 1, READER, busy());
    bench.ask(Request::Disarm);
    bench.ask(Request::ArmScan(Aim::Answering));
    at(&mut bench, 1, READER, busy());
    assert_eq!(hindered(&mut bench), None, "what an older scan tells does not hinder this one");
}

#[test]
fn what_was_wrong_with_a_tag_goes_with_it_and_that_it_was_torn_away_stays_until_it_is_back() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    at(&mut bench, 1, READER, Happened::Inserted { lay_there: false });
    at(&mut bench, 1, READER, busy());
    at(&mut bench, 1, READER, Happened::Removed);
    assert_eq!(hindered(&mut bench), None, "the card that somebody holds is not there any more");
    at(&mut bench, 1, READER, Happened::TornAway { after: 1 });
    at(&mut bench, 1, READER, Happened::Removed);
    assert_eq!(hindered(&mut bench).as_deref(), Some("the tag was torn away after 1 APDU ×1"));
    at(&mut bench, 1, READER, Happened::Inserted { lay_there: false });
    assert_eq!(hindered(&mut bench), None);
    let unplugged = ReaderTrouble::Unplugged { reader: READER.to_owned() };
    at(&mut bench, 1, READER, Happened::Trouble(unplugged));
    at(&mut bench, 1, READER, Happened::Removed);
    assert_eq!(hindered(&mut bench).as_deref(), Some("the reader ACS ACR122U PICC was unplugged ×1"));
}

#[test]
fn that_a_tag_is_being_read_is_shown_until_something_comes_of_it() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmScan(Aim::Answering));
    let is_reading = |bench: &mut Bench| match view(bench).activity {
        Activity::Armed(armed) => armed.is_reading,
        other => panic!("{other:?}"),
    };
    assert!(!is_reading(&mut bench));
    for ends in [Happened::TornAway { after: 2 }, busy(), Happened::Removed] {
        at(&mut bench, 1, READER, Happened::Inserted { lay_there: false });
        assert!(is_reading(&mut bench));
        at(&mut bench, 1, READER, ends.clone());
        assert!(!is_reading(&mut bench), "{ends:?}");
    }
    at(&mut bench, 1, READER, Happened::Flickered { gone: Duration::from_millis(90) });
    assert!(is_reading(&mut bench), "it was never away");
    bench.ask(Request::Disarm);
    bench.ask(Request::ArmScan(Aim::Answering));
    assert!(!is_reading(&mut bench), "the next scan has seen no tag yet");
}

#[test]
fn want_of_a_reader_is_over_when_one_comes_that_the_scan_waits_at() {
    let mut bench = watched(&[]);
    there(&mut bench, &[]);
    bench.ask(Request::ArmScan(Aim::Answering));
    at(&mut bench, 1, "", Happened::Trouble(ReaderTrouble::NoReader));
    assert_eq!(there(&mut bench, &["YubiKey 5"])[0], "◇ YubiKey 5 plugged in", "which is none for tags");
    assert_eq!(
        there(&mut bench, &["YubiKey 5", READER])[..2],
        ["◇ there is a reader to scan with", "◇ ACS ACR122U PICC plugged in"]
    );
}

#[test]
fn readers_have_their_names_on_the_screen_and_what_is_wrong_its_hint() {
    let mut bench = watched(&[]);
    assert_eq!(lines(&mut bench), ["PC/SC readers"], "nothing is known yet");
    wrong(&mut bench, ReaderTrouble::NotRunning);
    assert!(lines(&mut bench)[0].starts_with("PC/SC readers ! the PC/SC service does not run → start it"));
    there(&mut bench, &[]);
    assert!(lines(&mut bench)[0].starts_with("PC/SC readers ! no reader is plugged in → plug one in"));
    there(&mut bench, &["Gemalto SIM Reader"]);
    assert!(lines(&mut bench)[0].contains("no reader for tags is plugged in, only Gemalto SIM Reader"));
    there(&mut bench, &["ACS ACR1252 PICC", "ACS ACR1252 SAM", "Identiv uTrust CL"]);
    assert_eq!(lines(&mut bench), ["ACS ACR1252 PICC", "Identiv uTrust CL"]);
    there(&mut bench, &["A NFC", "B NFC", "C NFC", "D NFC", "E NFC"]);
    assert_eq!(lines(&mut bench), ["A NFC", "B NFC", "C NFC", "and 2 more"]);
}

#[test]
fn named_readers_are_shown_whether_they_are_there_or_not() {
    let mut bench = watched(&["acr122", "uTrust"]);
    there(&mut bench, &[READER, "SAM slot", "Identiv uTrust A", "Identiv uTrust B"]);
    let now = lines(&mut bench);
    assert_eq!(now[0], READER);
    assert_eq!(
        now[1],
        "uTrust ! \"uTrust\" fits several readers: Identiv uTrust A, Identiv uTrust B → give more of the name with --reader"
    );
    there(&mut bench, &["Identiv uTrust A"]);
    let now = lines(&mut bench);
    assert!(
        now[0].starts_with("acr122 ! no reader \"acr122\" is plugged in; there are: Identiv uTrust A"),
        "{now:?}"
    );
    assert_eq!(now[1], "Identiv uTrust A");
}

#[test]
fn a4_readers_that_come_and_go_are_told_one_by_one_and_the_first_list_is_no_news() {
    let mut bench = watched(&[]);
    assert_eq!(there(&mut bench, &[READER]), ["physical: idle"]);
    assert_eq!(there(&mut bench, &[READER]), [""; 0], "nothing has changed");
    assert_eq!(
        there(&mut bench, &[READER, "Identiv CL", "Identiv SAM", "YubiKey 5"]),
        ["◇ Identiv CL plugged in", "◇ YubiKey 5 plugged in", "physical: idle"]
    );
    assert_eq!(
        there(&mut bench, &["Identiv CL"]),
        ["◇ the reader ACS ACR122U PICC was unplugged", "◇ YubiKey 5 unplugged", "physical: idle"]
    );
    assert_eq!(there(&mut bench, &["Identiv CL", READER])[0], "◇ ACS ACR122U PICC plugged in");
}

#[test]
fn a1_a_service_that_goes_takes_no_reader_away_and_comes_back_with_news_alone() {
    let mut bench = watched(&[]);
    there(&mut bench, &[READER]);
    assert_eq!(
        wrong(&mut bench, ReaderTrouble::NotRunning),
        ["◇ the PC/SC service does not run", "physical: idle"]
    );
    assert_eq!(
        there(&mut bench, &[READER, "Identiv CL"]),
        ["◇ the PC/SC service answers again", "◇ Identiv CL plugged in", "physical: idle"]
    );
}

#[test]
fn what_the_scan_and_the_watch_both_see_is_told_once() {
    let mut bench = watched(&[]);
    there(&mut bench, &[READER]);
    bench.ask(Request::ArmScan(Aim::Answering));
    let trouble = || ReaderTrouble::Unplugged { reader: READER.to_owned() };
    let first = at(&mut bench, 1, READER, Happened::Trouble(trouble()));
    assert!(first.contains(&"◇ the reader ACS ACR122U PICC was unplugged".to_owned()), "{first:?}");
    assert_eq!(there(&mut bench, &[]), ["physical: armed nfc"]);
    assert_eq!(there(&mut bench, &[READER])[0], "◇ ACS ACR122U PICC plugged in");
    let over = at(&mut bench, 1, READER, Happened::Recovered(Over::Trouble));
    assert_eq!(over, ["physical: armed nfc"], "it is not hindered any more, and that was said");
}

#[test]
fn a_camera_is_open_from_its_opening_to_its_closing() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmCapture(Aim::Answering));
    assert!(!view(&mut bench).camera_open);
    let opened = bench.put(Event::Aiming(id(1), CAMERA.to_owned()));
    assert_eq!(opened[0], "◇ OPEN after 1 ms: SIMULATED test card");
    assert!(view(&mut bench).camera_open);
    let delivered = bench.put(Event::Preview(id(1), preview_of(2, 2)));
    assert_eq!(delivered, ["◇ first picture after 2 ms: SIMULATED test card", "preview 2×2"]);
    assert_eq!(bench.put(Event::Preview(id(1), preview_of(2, 2))), ["preview 2×2"]);
    let taken = bench.ask(Request::Shutter);
    assert_eq!(taken, ["shutter #1", "◇ shutter: SIMULATED test card", "physical: preparing photo"]);
    assert!(view(&mut bench).camera_open, "until it says that it is closed");
    bench.now += Duration::from_millis(40);
    assert_eq!(
        bench.put(Event::Closed(id(1))),
        ["◇ closed after 41 ms, was open for 0.0 s: SIMULATED test card", "physical: preparing photo"]
    );
    assert!(!view(&mut bench).camera_open);
    assert_eq!(bench.put(Event::Closed(id(1))), [""; 0]);
}

#[test]
fn a_camera_that_is_stopped_says_how_long_closing_took_and_one_that_never_opened_says_nothing() {
    let mut bench = Bench::live();
    bench.ask(Request::ArmCapture(Aim::Answering));
    bench.put(Event::Aiming(id(1), CAMERA.to_owned()));
    bench.now += Duration::from_millis(1_500);
    assert_eq!(bench.ask(Request::Disarm), ["disarm", "physical: idle"]);
    bench.now += Duration::from_millis(8);
    assert_eq!(
        bench.put(Event::Closed(id(1)))[0],
        "◇ closed after 9 ms, was open for 1.5 s: SIMULATED test card"
    );
    bench.ask(Request::ArmCapture(Aim::Answering));
    assert_eq!(bench.put(Event::Closed(id(2))), [""; 0]);
}

/// With a camera that is no simulated one.
fn with_camera(name: &str) -> Bench {
    let mut bench = Bench::live();
    bench.engine.settings.camera = DeviceLine { name: name.to_owned(), simulated: false, trouble: None };
    bench
}

fn gives_nothing(name: &str, trouble: CameraTrouble) -> CameraError {
    CameraError::Trouble { name: name.to_owned(), trouble }
}

#[test]
fn a_camera_that_gives_no_picture_is_told_between_the_frames_with_what_to_do() {
    let mut bench = with_camera("USB camera");
    bench.ask(Request::ArmCapture(Aim::Answering));
    let busy = gives_nothing("USB camera", CameraTrouble::Busy { holders: vec!["cheese (pid 812)".into()] });
    let told = bench.put(Event::CameraFailed(id(1), busy));
    let sentence = "◇ the camera USB camera gave no picture: another program uses it: cheese (pid 812)";
    assert_eq!(told, [sentence]);
    assert!(bench.told.contains("close that program and try again"), "{}", bench.told);
    assert_eq!(view(&mut bench).camera.trouble, None, "it may be free by now");
    // What comes of one that was given up is nobody's news.
    bench.ask(Request::Disarm);
    let late = gives_nothing("USB camera", CameraTrouble::Unplugged);
    assert_eq!(bench.put(Event::CameraFailed(id(1), late)), [""; 0]);
}

#[test]
fn that_there_is_no_camera_is_shown_until_there_is_one() {
    let mut bench = with_camera("any camera");
    bench.ask(Request::ArmCapture(Aim::Answering));
    let told = bench.put(Event::CameraFailed(id(1), gives_nothing("any camera", CameraTrouble::NoCamera)));
    assert_eq!(told, ["◇ no camera is plugged in"]);
    let none = Trouble::new("none found", Some(CameraTrouble::NoCamera.hint()));
    assert_eq!(view(&mut bench).camera.trouble.as_ref(), Some(&none));
    let cameras = |names: &[&str]| {
        let found =
            |name: &&str| FoundDevice { name: (*name).to_owned(), what: String::new(), trouble: None };
        let devices = names.iter().map(found).collect();
        let section = DeviceSection { sort: DeviceSort::Camera, looking: false, trouble: None, devices };
        Event::Devices(DeviceReport { sections: vec![section] })
    };
    bench.put(cameras(&["SIMULATED test card", "USB camera"]));
    assert_eq!(view(&mut bench).camera.trouble, None, "it was seen on the page of devices");
    bench.put(cameras(&["SIMULATED test card"]));
    assert_eq!(view(&mut bench).camera.trouble, Some(none));
    bench.ask(Request::Disarm);
    bench.ask(Request::ArmCapture(Aim::Answering));
    bench.put(Event::Aiming(id(2), "USB camera".to_owned()));
    assert_eq!(view(&mut bench).camera.trouble, None, "it is open");
}

#[test]
fn a_camera_that_was_missing_at_the_start_is_said_to_be_until_one_of_its_name_comes() {
    let mut bench = Bench::live();
    let missing = || CameraError::NoSuchCamera {
        why: "there is no camera \"HD Webcam\"".to_owned(),
        available: "Other".to_owned(),
        hint: "plug it in and try again".to_owned(),
    };
    let trouble = crate::client::devices::Trouble::of_absence(&missing());
    assert_eq!(
        trouble.as_ref().map(|t| t.text.as_str()),
        Some("there is no camera \"HD Webcam\"; available: Other")
    );
    let mut line = DeviceLine { name: "HD Webcam".to_owned(), simulated: false, trouble };
    bench.engine.devices = super::super::devices::Devices::with_camera(&mut line);
    bench.engine.settings.camera = line;
    assert!(view(&mut bench).camera.trouble.is_some());
    let cameras = |names: &[&str]| {
        let found =
            |name: &&str| FoundDevice { name: (*name).to_owned(), what: String::new(), trouble: None };
        let devices = names.iter().map(found).collect();
        let section = DeviceSection { sort: DeviceSort::Camera, looking: false, trouble: None, devices };
        Event::Devices(DeviceReport { sections: vec![section] })
    };
    bench.put(cameras(&["Other"]));
    assert!(view(&mut bench).camera.trouble.is_some(), "another one is not this one");
    bench.put(cameras(&["Other", "HD Webcam: front"]));
    assert_eq!(view(&mut bench).camera.trouble, None);
}

#[test]
fn a_list_of_devices_is_looked_for_when_somebody_asks() {
    let mut bench = Bench::new();
    assert_eq!(bench.ask(Request::ListDevices), ["list devices"]);
    assert_eq!(
        bench.put(Event::Devices(crate::client::devices::DeviceReport::default())),
        ["devices: 0 sections"]
    );
    assert_eq!(bench.ask(Request::EndDevices), ["end list"]);
}
