//! The demo tags in `assets/tags/`: each is made here, the checked-in file must be the same, and a scan of it by the
//! simulated reader comes to what its README line says. `AGENTCALL_BLESS=1` writes the files anew.

// The helpers below run in tests alone.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentcall::device::nfc::{NfcReader, RawTag, SimulatedReader, TagSpec, Told};
use agentcall::device::{Armed, ArmedBy, DeviceKind};
use agentcall::observation::alias::{DeviceKey, digest};
use agentcall::observation::ndef::{RawRecord, encode_message};
use agentcall::observation::reading::{TagReading, TagSource, read_tag};
use agentcall::protocol::observation::Carrier;
use zeroize::Zeroizing;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/tags")
}

fn message(records: &[RawRecord]) -> Vec<u8> {
    encode_message(records).unwrap()
}

/// The 45 pages of an NTAG213 as it leaves the factory, with `message` written behind the lock control block.
fn ntag213(uid: [u8; 7], message: &[u8]) -> Vec<u8> {
    let xor = |bytes: &[u8]| bytes.iter().fold(0, |acc, b| acc ^ b);
    let mut memory = uid[..3].to_vec();
    memory.push(0x88 ^ xor(&uid[..3]));
    memory.extend(&uid[3..]);
    memory.extend([xor(&uid[3..]), 0x48, 0, 0]);
    memory.extend([0xE1, 0x10, 0x12, 0x00]);
    memory.extend([0x01, 0x03, 0xA0, 0x0C, 0x34]);
    memory.extend([0x03, u8::try_from(message.len()).unwrap()]);
    memory.extend(message);
    memory.push(0xFE);
    memory.resize(40 * 4, 0);
    memory.extend([0x00, 0x00, 0x00, 0xBD, 0x04, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00]);
    memory.resize(45 * 4, 0);
    memory
}

/// A Flipper Zero file of the given version; pages that were not read are listed as zeros, as the device does.
fn flipper(version: u8, uid: [u8; 7], memory: &[u8], read: usize) -> Vec<u8> {
    let spaced = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(" ");
    let (device, chip, format) = if version == 4 {
        ("NTAG/Ultralight", "NTAG/Ultralight type: NTAG213\n", 2)
    } else {
        ("NTAG213", "", 1)
    };
    let mut out = format!(
        "Filetype: Flipper NFC device\nVersion: {version}\n# A demo tag; the id is made up\nDevice type: {device}\n\
         UID: {}\nATQA: {}\nSAK: 00\nData format version: {format}\n{chip}Signature: {}\n\
         Mifare version: 00 04 04 02 01 00 0F 03\nCounter 0: 0\nTearing 0: 00\nPages total: {}\nPages read: {read}\n",
        spaced(&uid),
        if version == 2 { "44 00" } else { "00 44" },
        spaced(&[0; 32]),
        memory.len() / 4,
    );
    for (i, page) in memory.chunks(4).enumerate() {
        let page = if i < read { page } else { &[0; 4] };
        out.push_str(&format!("Page {i}: {}\n", spaced(page)));
    }
    out.into_bytes()
}

fn demo_tags() -> Vec<(&'static str, Vec<u8>)> {
    let plant = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66];
    let toolbox = [0x04, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76];
    let note = [0x04, 0x31, 0x42, 0x53, 0x64, 0x75, 0x86];
    let blank = [0x04, 0x41, 0x52, 0x63, 0x74, 0x85, 0x96];
    let poster = RawRecord::smart_poster(&[
        RawRecord::uri("https://museum.example/objects/astrolabe"),
        RawRecord::text("en", "Brass astrolabe"),
        RawRecord::text("de", "Astrolabium aus Messing"),
    ])
    .unwrap();
    let plant_memory = ntag213(plant, &message(&[RawRecord::uri("urn:agentcall:object:office-plant")]));
    let toolbox_memory = ntag213(toolbox, &message(&[RawRecord::uri("urn:agentcall:object:red-toolbox")]));
    vec![
        ("router.ndef", message(&[RawRecord::uri("urn:agentcall:object:workshop-router")])),
        ("drill.ndef", message(&[RawRecord::uri("urn:agentcall:object:bench-drill")])),
        ("museum.ndef", message(&[RawRecord::uri("https://museum.example/objects/47")])),
        ("poster.ndef", message(&[poster])),
        ("note.bin", ntag213(note, &message(&[RawRecord::text("en", "kiss - cold")]))),
        ("blank.bin", ntag213(blank, &[])),
        ("plant.nfc", flipper(4, plant, &plant_memory, 45)),
        ("toolbox.nfc", flipper(2, toolbox, &toolbox_memory, 20)),
    ]
}

fn key() -> DeviceKey {
    DeviceKey::new(Zeroizing::new([7; 32]))
}

/// Places a tag, scans it and reads it, as a client does.
async fn scan(spec: TagSpec) -> TagReading {
    let mut reader = SimulatedReader::new();
    reader.placer().place(spec);
    let armed = Armed::mint(DeviceKind::Reader, ArmedBy::ScenarioStep, Duration::from_secs(30));
    let raw = reader.scan(&armed, Told::nobody()).await.unwrap().tag;
    let source = match &raw {
        RawTag::NdefMessage { bytes, uid } => TagSource::NdefMessage { bytes, uid: uid.as_ref() },
        RawTag::Type2Memory { bytes, uid } => TagSource::Type2Memory { bytes, uid: uid.as_ref() },
        RawTag::FlipperFile(text) => TagSource::FlipperFile(text),
        RawTag::UidOnly(uid) => TagSource::UidOnly(uid),
        RawTag::Read { .. } => panic!("a file is not read by a real reader"),
    };
    read_tag(source, &key()).unwrap()
}

async fn scan_demo(name: &str) -> TagReading {
    scan(TagSpec::File(directory().join(name))).await
}

#[test]
fn the_files_are_what_is_made_here() {
    let readme_path = directory().join("README.md");
    let readme = std::fs::read_to_string(&readme_path).unwrap();
    let mut expected: Vec<&str> = vec!["README.md"];
    for (name, content) in demo_tags() {
        let path = directory().join(name);
        if std::env::var_os("AGENTCALL_BLESS").is_some() {
            std::fs::write(&path, &content).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == content, "{name} differs; AGENTCALL_BLESS=1 writes it anew");
        assert!(readme.contains(&format!("| `{name}` |")), "{name} has no line in {}", readme_path.display());
        expected.push(name);
    }
    expected.sort_unstable();
    let mut found: Vec<String> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, expected, "a file that nothing makes");
}

#[tokio::test]
async fn references_are_read_from_every_form_of_file() {
    for (name, object_ref, technology) in [
        ("router.ndef", "urn:agentcall:object:workshop-router", "NDEF message"),
        ("drill.ndef", "urn:agentcall:object:bench-drill", "NDEF message"),
        ("museum.ndef", "https://museum.example/objects/47", "NDEF message"),
        ("poster.ndef", "https://museum.example/objects/astrolabe", "NDEF message"),
        ("plant.nfc", "urn:agentcall:object:office-plant", "NTAG213"),
        ("toolbox.nfc", "urn:agentcall:object:red-toolbox", "NTAG213"),
    ] {
        let reading = scan_demo(name).await;
        assert_eq!((reading.object_ref.as_str(), reading.carrier), (object_ref, Carrier::Ndef), "{name}");
        assert_eq!(reading.summary.technology, technology, "{name}");
    }
}

#[tokio::test]
async fn the_digest_of_a_reference_covers_the_message_alone() {
    let record = RawRecord::uri("urn:agentcall:object:office-plant");
    assert_eq!(scan_demo("plant.nfc").await.payload_sha256, digest(&message(&[record])));
}

#[tokio::test]
async fn notes_and_titles_are_shown_and_pages_that_were_not_read_are_told() {
    let titles = ["title (en): Brass astrolabe", "title (de): Astrolabium aus Messing"];
    assert_eq!(scan_demo("poster.ndef").await.other_content, titles);
    assert_eq!(scan_demo("toolbox.nfc").await.notes, ["Only 20 of the tag's 45 pages were read."]);
    assert!(scan_demo("plant.nfc").await.notes.is_empty());
}

#[tokio::test]
async fn tags_without_a_reference_get_an_alias_of_their_own_each_time_the_same() {
    let note = scan_demo("note.bin").await;
    let blank = scan_demo("blank.bin").await;
    let bare = scan(TagSpec::parse("uid=04A1B2C3D4E5F6").unwrap()).await;
    for reading in [&note, &blank, &bare] {
        assert_eq!(reading.carrier, Carrier::LocalTag);
        assert!(reading.object_ref.starts_with("urn:agentcall:local:") && reading.object_ref.len() == 46);
    }
    assert_eq!(note.other_content, ["text (en): kiss - cold"]);
    assert_eq!(blank.summary.to_string(), "Type 2, NDEF formatted, empty, 7-byte id");
    assert_eq!(scan_demo("note.bin").await, note, "the same tag, the same alias");
    assert!(note.object_ref != blank.object_ref && blank.object_ref != bare.object_ref);
    assert_eq!(scan(TagSpec::parse("uid=04:31:42:53:64:75:86").unwrap()).await.object_ref, note.object_ref);
}

#[tokio::test]
async fn no_reading_of_a_demo_tag_prints_its_id() {
    for (name, _) in demo_tags() {
        let reading = scan_demo(name).await;
        let printed = format!("{reading:?} {}", reading.summary);
        assert!(reading.uid.is_none() || printed.contains("7-byte"), "{name}: {printed}");
        if let Some(uid) = &reading.uid {
            assert!(!agentcall::redact::spells_uid(uid, &printed), "{name}: {printed}");
            let decimal = format!("{:?}", uid.expose_for_alias());
            assert!(!printed.contains(&decimal), "{name}: {printed}");
        }
    }
}
