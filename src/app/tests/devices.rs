//! What happens at devices, between the frames.

use std::time::Duration;

use serde_json::json;

use super::stage::Stage;
use crate::app::{Effect, Tone, Way};
use crate::client::Notice;
use crate::client::devices::{DeviceEvent, Did};
use crate::client::notice::Activity;
use crate::device::nfc::{Apdu, Happened, ReaderTrouble, TagRead};
use crate::protocol::Modality;
use crate::trace::record::Body;

pub(crate) const READER: &str = "ACS ACR122U PICC";

/// A read of a Type 2 tag, as the stage shows it.
pub(crate) fn read() -> TagRead {
    let apdu = |header, sent, answered, status, us| Apdu {
        header,
        sent,
        answered,
        status,
        took: Duration::from_micros(us),
    };
    TagRead {
        technology: "Type 2",
        took: Duration::from_micros(12_480),
        apdus: vec![
            apdu([0xFF, 0xCA, 0, 0], 5, 7, Some(0x9000), 118),
            apdu([0xFF, 0xB0, 0, 3], 5, 16, Some(0x9000), 10_204),
            apdu([0xFF, 0xB0, 0, 4], 5, 0, Some(0x6300), 97),
            apdu([0xFF, 0xB0, 0, 8], 5, 0, None, 1_950),
        ],
    }
}

impl Stage {
    /// Something happens at a reader.
    pub fn at_reader(&mut self, after_ms: u64, what: Happened) {
        self.at_device(after_ms, READER, Did::Reader(what), 1);
    }

    pub fn at_device(&mut self, after_ms: u64, name: &str, did: Did, times: u32) {
        self.later(after_ms);
        let event = DeviceEvent { at: self.at(), name: name.to_owned(), did, times };
        assert_eq!(self.notice(Notice::Device(event.into())), Vec::new());
    }
}

fn busy() -> Happened {
    Happened::Trouble(ReaderTrouble::Busy { reader: READER.to_owned(), holders: Vec::new() })
}

/// `◇ kind ×count +since` of every row since the session is live.
fn rows(stage: &Stage) -> Vec<String> {
    let rows = stage.model.events.window(1_000).into_iter().map(|(row, _)| {
        let mark = match row.way {
            Way::Out => "→",
            Way::In => "←",
            Way::Device => "◇",
        };
        format!("{mark} {} ×{} +{}", row.kind, row.count, row.since.as_millis())
    });
    rows.skip(2).collect()
}

#[test]
fn what_happens_at_a_reader_stands_between_the_frames_and_counts_as_none() {
    let mut stage = Stage::live(120, 40);
    stage.said("hello");
    stage.at_reader(5, Happened::Inserted { lay_there: false });
    stage.came(10, json!({"type": "run.started"}));
    stage.at_reader(2, Happened::Read(read()));
    assert_eq!(
        rows(&stage),
        ["→ user.turn ×1 +1500", "◇ reader.inserted ×1 +5", "← run.started ×1 +15", "◇ reader.read ×1 +2"],
        "the time between frames is what it is without devices"
    );
    let device = stage.model.events.window(9)[3].0;
    assert_eq!((device.turn, device.sequences, device.bytes), (None, None, 0));
}

#[test]
fn a_trouble_that_stands_is_one_row_with_its_count() {
    let mut stage = Stage::live(120, 40);
    stage.at_device(5, READER, Did::Reader(busy()), 1);
    stage.came(1, json!({"type": "mystery.event"}));
    stage.at_device(5, READER, Did::Reader(busy()), 900);
    stage.at_device(5, "another", Did::Reader(busy()), 1);
    stage.at_device(5, READER, Did::Reader(busy()), 1_900);
    let kinds: Vec<String> =
        rows(&stage).iter().map(|row| row.split(" +").next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["◇ reader.trouble ×1900", "← mystery.event ×1", "◇ reader.trouble ×1"]);
}

#[test]
fn text_goes_on_where_it_stood_although_a_tag_was_put_down_meanwhile() {
    let mut stage = Stage::live(120, 40);
    stage.came(1, json!({"type": "text.delta", "text": "one "}));
    stage.went(1, json!({"type": "ack", "sequence": 1}), Body::Client);
    stage.at_reader(1, Happened::Inserted { lay_there: false });
    stage.at_reader(1, Happened::Removed);
    stage.came(1, json!({"type": "text.delta", "text": "two"}));
    let kinds: Vec<String> =
        rows(&stage).iter().map(|row| row.split(" ×").next().unwrap().to_owned()).collect();
    assert_eq!(
        kinds,
        ["← text.delta", "→ ack", "◇ reader.inserted", "◇ reader.removed", "← text.delta"],
        "what came later stands later"
    );
}

#[test]
fn a_device_row_is_copied_as_its_line_of_json() {
    let mut stage = Stage::live(120, 40);
    stage.press("2");
    stage.at_reader(5, Happened::Read(read()));
    let effects = stage.press("y");
    let [Effect::Copy(text)] = effects.as_slice() else { panic!("{effects:?}") };
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!((&value["event"], &value["took_us"]), (&json!("read"), &json!(12_480)));
    assert_eq!(
        value["apdus"][0],
        json!({"header": "FFCA0000", "sent": 5, "answered": 7, "status": "9000", "us": 118})
    );
    assert!(value["apdus"][3].get("status").is_none());
}

#[test]
fn the_filter_knows_devices() {
    let mut stage = Stage::live(120, 40);
    stage.at_reader(5, Happened::Inserted { lay_there: false });
    stage.came(1, json!({"type": "mystery.event"}));
    stage.at_reader(5, busy());
    for (filter, shown) in [
        ("dir:device", 2),
        ("device", 2),
        ("◇", 2),
        ("-device", 3),
        ("type:reader.", 2),
        ("type:*trouble", 1),
        ("acr122u", 2),
        ("gpgconf", 1),
        ("in", 2),
        ("turn:0", 0),
    ] {
        stage.model.events.set_filter(filter).unwrap();
        assert_eq!(stage.model.events.counts().0, shown, "{filter}");
    }
}

#[test]
fn what_can_be_used_now_is_said_unless_the_armed_pane_says_it() {
    let mut stage = Stage::live(120, 40);
    let said =
        |stage: &Stage| stage.model.status.as_ref().map(|status| (status.tone, status.text.to_string()));
    stage.at_device(5, READER, Did::Appeared, 1);
    assert_eq!(said(&stage), Some((Tone::Note, format!("{READER} plugged in"))));
    stage.at_device(5, "", Did::Reader(Happened::Trouble(ReaderTrouble::NotRunning)), 1);
    assert_eq!(said(&stage), Some((Tone::Trouble, "the PC/SC service does not run".to_owned())));
    assert!(stage.model.status.as_ref().and_then(|s| s.hint.as_ref()).is_some());
    stage.model.status = None;
    stage.at_reader(5, Happened::Inserted { lay_there: true });
    let armed = stage.armed(Modality::Nfc, false);
    stage.physical(Activity::Armed(armed));
    stage.at_reader(5, busy());
    assert_eq!(said(&stage), None);
}

#[test]
fn what_devices_weigh_stays_within_the_budget() {
    let mut stage = Stage::within(40_000);
    for _ in 0..2_000 {
        stage.at_reader(1, Happened::Read(read()));
    }
    let (_, kept) = stage.model.events.counts();
    assert!((10..200).contains(&kept), "{kept}");
    assert_eq!(stage.model.events.dropped() + kept as u64, 2_000);
}
