//! Snapshots of everything with devices: which there are, armed, open, under review.

use std::time::Duration;

use super::scenes::{conversation, scene, snapshot};
use crate::app::tests::devices::{READER, read};
use crate::app::tests::stage::{Stage, both_review, photo_review, preview, tag_review};
use crate::client::Notice;
use crate::client::devices::{CameraDid, DeviceReport, DeviceSection, DeviceSort, Did, FoundDevice, Trouble};
use crate::client::notice::{Activity, ArmedView, DeviceLine, TagName};
use crate::device::camera::{CameraError, CameraTrouble};
use crate::device::nfc::{Happened, ReaderTrouble};
use crate::protocol::Modality;
use crate::protocol::observation::Carrier;

#[test]
fn armed_scan() {
    scene("armed", |stage| {
        stage.asks(Modality::Nfc, "Please show me the tag");
        let armed = stage.armed(Modality::Nfc, true);
        stage.physical(Activity::Armed(armed));
    });
}

/// A tag is read on a real reader, and its row is looked at.
#[test]
fn devices_between_the_frames() {
    scene("devices", |stage| {
        stage.real_readers(&[("ACS ACR122U PICC", None)]);
        conversation(stage);
        stage.at_reader(4_000, Happened::Inserted { lay_there: false });
        stage.at_reader(13, Happened::Read(read()));
        stage.at_device(
            2,
            "USB camera",
            Did::Camera(CameraDid::Opened { after: Duration::from_millis(310) }),
            1,
        );
        stage.at_device(900, "", Did::Reader(Happened::Trouble(ReaderTrouble::Lost)), 1);
        stage.at_device(900, "", Did::Reader(Happened::Trouble(ReaderTrouble::Lost)), 12);
        stage.press("2 Up Up");
        if stage.model.is_narrow() {
            stage.model.status = None;
        }
    });
    let mut stage = Stage::live(60, 16);
    stage.at_reader(13, Happened::Read(read()));
    stage.press("2 Enter");
    snapshot("devices-inspector-60x16", &mut stage);
}

/// With several readers each row says at which, as far as there is room.
#[test]
fn rows_of_several_readers() {
    let mut stage = Stage::live(100, 30);
    let other = "ACS ACR1252 1S CL Reader [ACR1252 Reader PICC] 01 00";
    stage.real_readers(&[(READER, None), (other, None)]);
    for (name, what) in [
        (READER, Did::Appeared),
        (READER, Did::Reader(Happened::Inserted { lay_there: false })),
        (READER, Did::Reader(Happened::Read(read()))),
        (other, Did::Reader(Happened::Inserted { lay_there: true })),
        (other, Did::Reader(Happened::TornAway { after: 3 })),
        (other, Did::Reader(Happened::Removed)),
        (other, Did::Gone),
    ] {
        stage.at_device(40, name, what, 1);
    }
    stage.model.status = None;
    snapshot("devices-two-100x30", &mut stage);
}

/// There is no camera: it stands between the frames, where Esc does not take it away, and in the pane.
#[test]
fn no_camera_is_plugged_in() {
    scene("camera-none", |stage| {
        let hint = CameraTrouble::NoCamera.hint();
        let none = Trouble::new("none found", Some(hint.clone()));
        let name = "any camera".to_owned();
        stage.camera = Some(DeviceLine { name: name.clone(), simulated: false, trouble: Some(none) });
        let brief = CameraTrouble::NoCamera.to_string();
        let trouble = Trouble::new(brief.clone(), Some(hint));
        stage.at_device(300, &name, Did::Camera(CameraDid::Trouble { brief, trouble }), 1);
        stage.physical(Activity::Idle);
        stage.press("2 Up Down Esc");
    });
    let mut stage = Stage::live(100, 30);
    let name = "Integrated Camera: Integrated C".to_owned();
    let busy = CameraTrouble::Busy { holders: vec!["cheese (pid 812)".to_owned()] };
    let (brief, hint) = (busy.to_string(), Some(busy.hint()));
    let error = CameraError::Trouble { name: name.clone(), trouble: busy };
    let trouble = Trouble::new(error.to_string(), hint);
    stage.at_device(300, &name, Did::Camera(CameraDid::Trouble { brief, trouble }), 1);
    stage.press("2 Up Down");
    snapshot("camera-busy-100x30", &mut stage);
}

/// The page of devices: some are still looked for, some have something wrong.
#[test]
fn page_of_devices() {
    let trouble = |text: &str, hint: &str| Some(Trouble::new(text, Some(hint.to_owned())));
    let found = |name: &str, what: &str, trouble| FoundDevice {
        name: name.to_owned(),
        what: what.to_owned(),
        trouble,
    };
    let section = |sort, looking, trouble, devices| DeviceSection { sort, looking, trouble, devices };
    let report = DeviceReport {
        sections: vec![
            section(
                DeviceSort::Reader,
                false,
                None,
                vec![
                    found(READER, "contactless", None),
                    found("ACS ACR1252 1S CL Reader [ACR1252 SAM] 00 01", "SAM slot, not for tags", None),
                    found("SIMULATED tags", "reads tag files", None),
                ],
            ),
            section(
                DeviceSort::Camera,
                false,
                None,
                vec![found(
                    "Integrated Camera",
                    "/dev/video0 · MJPG 1280×720, YUYV 640×480",
                    trouble(
                        "this user may not open it",
                        "add the user to the group `video`, then log in again",
                    ),
                )],
            ),
            section(DeviceSort::Microphone, true, None, Vec::new()),
            section(DeviceSort::Speaker, false, None, Vec::new()),
        ],
    };
    scene("device-page", |stage| {
        stage.real_readers(&[(READER, None)]);
        stage.press("d");
        stage.notice(Notice::Devices(report.clone().into()));
    });
    let mut stage = Stage::live(100, 30);
    stage.press("d");
    snapshot("device-page-opening-100x30", &mut stage);
}

/// Readers that are there, and one that is not.
#[test]
fn real_readers_and_what_is_wrong() {
    scene("readers-wrong", |stage| {
        let missing =
            ReaderTrouble::Missing { wanted: "uTrust".to_owned(), present: vec![READER.to_owned()] };
        stage.real_readers(&[(READER, None), ("uTrust", Some(missing))]);
        if stage.model.is_narrow() {
            stage.press("4");
        }
    });
    scene("readers-none", |stage| {
        stage.real_readers(&[("PC/SC readers", Some(ReaderTrouble::NotRunning))]);
        if stage.model.is_narrow() {
            stage.press("4");
        }
    });
}

/// The scan stays armed while something is wrong.
#[test]
fn armed_and_hindered() {
    scene("armed-hindered", |stage| {
        stage.real_readers(&[(READER, None)]);
        let busy =
            ReaderTrouble::Busy { reader: READER.to_owned(), holders: vec!["scdaemon (pid 812)".to_owned()] };
        let trouble = Some(Trouble { times: 28, ..Trouble::from(&busy) });
        let armed = stage.armed(Modality::Nfc, true);
        stage.physical(Activity::Armed(ArmedView { trouble, ..armed }));
    });
}

/// A tag lies there, and its answers take their time.
#[test]
fn armed_and_reading() {
    scene("armed-reading", |stage| {
        stage.real_readers(&[(READER, None)]);
        let armed = stage.armed(Modality::Nfc, true);
        stage.physical(Activity::Armed(ArmedView { is_reading: true, ..armed }));
    });
}

#[test]
fn aiming() {
    scene("aiming", |stage| {
        stage.is_camera_open = true;
        let armed = stage.armed(Modality::Photo, false);
        stage.physical(Activity::Armed(armed));
        stage.notice(Notice::Preview(preview()));
    });
}

#[test]
fn tag_under_review() {
    scene("review-tag", |stage| {
        stage.asks(Modality::Nfc, "Please show me the tag");
        stage.reviews(tag_review(), None);
    });
}

/// A phone: nothing goes out until the user insists, and then it is said what the alias is worth.
#[test]
fn tag_without_a_stable_identity_under_review() {
    for (name, worth) in [("review-random", TagName::Withheld), ("review-insisted", TagName::Insisted)] {
        scene(name, |stage| {
            let mut review = tag_review();
            if let Some(tag) = &mut review.tag {
                tag.technology = "tag id only".to_owned();
                (tag.records, tag.bytes, tag.uid_bytes, tag.random_uid) = (0, 0, Some(4), true);
                tag.object_ref = "urn:agentcall:local:mfrggzdfmztwq2lknnwg23tpoa".to_owned();
                (tag.carrier, tag.name) = (Carrier::LocalTag, worth);
                tag.other_content.clear();
                tag.notes = vec![
                    "The tag's id is random: it changes at every tap and is not an identity.".to_owned(),
                ];
            }
            review.answers = None;
            stage.reviews(review, None);
        });
    }
}

#[test]
fn photo_under_review() {
    scene("review-photo", |stage| stage.reviews(photo_review(), None));
}

#[test]
fn both_under_review() {
    scene("review-both", |stage| stage.reviews(both_review(), None));
}

#[test]
fn tag_reviewed_and_camera_open() {
    scene("review-adding", |stage| {
        stage.is_camera_open = true;
        let armed = stage.armed(Modality::Photo, false);
        stage.reviews(tag_review(), Some(armed));
        stage.notice(Notice::Preview(preview()));
    });
}
