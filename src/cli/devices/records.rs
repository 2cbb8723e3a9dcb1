//! Devices for programs: what the lines of `--json` say of them.

use super::inventory::{Facts, Found, Section};
use crate::client::devices::{DeviceSort, Trouble};
use crate::device::nfc::ReaderKind;
use crate::trace::found::{FormatRecord, FoundLine, FoundRecord, TroubleLine, TroubleRecord, WrongRecord};

/// One word for a sort.
pub const fn sort(sort: DeviceSort) -> &'static str {
    match sort {
        DeviceSort::Reader => "reader",
        DeviceSort::Camera => "camera",
        DeviceSort::Microphone => "microphone",
        DeviceSort::Speaker => "speaker",
    }
}

/// One line for each device of a section.
pub fn found_lines(section: &Section) -> impl Iterator<Item = FoundLine> {
    section.devices.iter().map(|found| FoundLine { found: found_record(section.sort, found) })
}

/// One line for each trouble of the whole section.
pub fn trouble_lines(section: &Section) -> impl Iterator<Item = TroubleLine> {
    let of = sort(section.sort);
    section.troubles.iter().map(move |t| TroubleLine { trouble: TroubleRecord { sort: of, wrong: wrong(t) } })
}

/// What is wrong.
pub fn wrong(trouble: &Trouble) -> WrongRecord {
    WrongRecord { text: trouble.text.clone(), hint: trouble.hint.clone() }
}

/// A device.
pub fn found_record(of: DeviceSort, found: &Found) -> FoundRecord {
    let record = FoundRecord {
        sort: sort(of),
        name: found.name.clone(),
        simulated: found.is_simulated(),
        trouble: found.trouble.as_ref().map(wrong),
        ..FoundRecord::default()
    };
    match &found.facts {
        Facts::Simulated(_) => record,
        Facts::Reader(kind) => FoundRecord { kind: Some(kind_word(*kind)), ..record },
        Facts::Camera(camera) => FoundRecord {
            node: Some(camera.node.clone()),
            bus: Some(camera.bus.clone()).filter(|bus| !bus.is_empty()),
            formats: camera
                .formats
                .iter()
                .map(|f| FormatRecord {
                    fourcc: f.fourcc.clone(),
                    width: f.width,
                    height: f.height,
                    fps: f.fps,
                })
                .collect(),
            ..record
        },
        Facts::Audio(device) => FoundRecord {
            id: Some(device.id.clone()),
            default: Some(device.is_default),
            monitor: (of == DeviceSort::Microphone).then_some(device.is_monitor),
            channels: device.sound.as_ref().map(|sound| sound.channels),
            rate: device.sound.as_ref().map(|sound| sound.rate),
            format: device.sound.as_ref().map(|sound| sound.format.clone()),
            rates: device.rates.map(|(low, high)| [low, high]),
            ..record
        },
    }
}

const fn kind_word(kind: ReaderKind) -> &'static str {
    match kind {
        ReaderKind::Contactless => "contactless",
        ReaderKind::Contact => "contact",
        ReaderKind::SamSlot => "sam",
        ReaderKind::Unknown => "unknown",
    }
}
