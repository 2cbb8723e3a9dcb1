use std::path::PathBuf;
use std::time::Duration;

use super::{
    NfcError, NfcReader, RawTag, SelectError, SimulatedReader, TagSpec, TagSpecError, Told,
    UnavailableReader, select, select_reader,
};
use crate::device::consent::{Armed, ArmedBy, DeviceKind};
use crate::redact::TagUid;

const HALF_MINUTE: Duration = Duration::from_secs(30);

fn armed(kind: DeviceKind) -> Armed {
    Armed::mint(kind, ArmedBy::Key, HALF_MINUTE)
}

async fn scan(reader: &mut dyn NfcReader, armed: &Armed) -> Result<RawTag, NfcError> {
    reader.scan(armed, Told::nobody()).await.map(|scanned| scanned.tag)
}

fn tag(hex: &str) -> TagSpec {
    TagSpec::parse(&format!("uid={hex}")).unwrap()
}

/// Scans one file of the given name and content.
async fn scan_file(name: &str, content: &[u8]) -> Result<RawTag, NfcError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    let mut reader = SimulatedReader::new();
    reader.placer().place(TagSpec::File(path));
    scan(&mut reader, &armed(DeviceKind::Reader)).await
}

#[tokio::test]
async fn a_scan_needs_a_consent_for_a_reader() {
    let mut reader = SimulatedReader::new();
    reader.placer().place(tag("04A1B2C3"));
    assert!(matches!(scan(&mut reader, &armed(DeviceKind::Camera)).await, Err(NfcError::NotArmed)));
    let over = armed(DeviceKind::Reader);
    over.disarm().now();
    assert!(matches!(scan(&mut reader, &over).await, Err(NfcError::NotArmed)));
    assert!(scan(&mut reader, &armed(DeviceKind::Reader)).await.is_ok(), "the tag still lies there");
}

#[tokio::test(start_paused = true)]
async fn a_scan_waits_for_a_tag_and_takes_it_off() {
    let mut reader = SimulatedReader::new();
    let placer = reader.placer();
    let scan = tokio::spawn(async move {
        let first = scan(&mut reader, &armed(DeviceKind::Reader)).await;
        (first, scan(&mut reader, &armed(DeviceKind::Reader)).await)
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!scan.is_finished());
    placer.place(tag("04A1B2C3"));
    let (first, second) = scan.await.unwrap();
    assert_eq!(first.unwrap(), RawTag::UidOnly(TagUid::new(&[4, 0xA1, 0xB2, 0xC3])));
    assert!(matches!(second, Err(NfcError::TimedOut)), "one placement is one scan");
}

#[tokio::test(start_paused = true)]
async fn a_scan_ends_when_the_user_takes_the_consent_back() {
    let mut reader = SimulatedReader::new();
    let consent = armed(DeviceKind::Reader);
    let esc = consent.disarm();
    let scan = tokio::spawn(async move { scan(&mut reader, &consent).await });
    tokio::task::yield_now().await;
    esc.now();
    assert!(matches!(scan.await.unwrap(), Err(NfcError::Disarmed)));
}

#[tokio::test(start_paused = true)]
async fn a_tag_that_was_taken_away_or_replaced_is_not_read() {
    let mut reader = SimulatedReader::new();
    let placer = reader.placer();
    placer.place(tag("04A1B2C3"));
    placer.place(tag("04000001"));
    let read = scan(&mut reader, &armed(DeviceKind::Reader)).await.unwrap();
    assert_eq!(read, RawTag::UidOnly(TagUid::new(&[4, 0, 0, 1])));
    placer.place(tag("04A1B2C3"));
    placer.clear();
    assert!(matches!(scan(&mut reader, &armed(DeviceKind::Reader)).await, Err(NfcError::TimedOut)));
}

#[tokio::test]
async fn a_file_is_known_by_content_and_extension() {
    let flipper = b"\xEF\xBB\xBFFiletype: Flipper NFC device\n";
    let mut dump = vec![0; 16];
    dump[12] = 0xE1;
    for (name, content, expected) in [
        ("a.ndef", &[0xD0, 0, 0][..], "[NDEF message, 3 bytes]"),
        ("a.ndef", &[], "[NDEF message, 0 bytes]"),
        ("a.nfc", b"anything", "[Flipper file, 8 bytes]"),
        ("a.txt", flipper, "[Flipper file, 32 bytes]"),
        ("a.bin", flipper, "[Flipper file, 32 bytes]"),
        ("a.bin", &[0; 8], "[Type 2 memory, 8 bytes]"),
        ("a.DUMP", &[0; 8], "[Type 2 memory, 8 bytes]"),
        ("a.mfd", &[0; 8], "[Type 2 memory, 8 bytes]"),
        ("tag", &dump, "[Type 2 memory, 16 bytes]"),
        ("tag", &[0xD0, 0, 0], "[NDEF message, 3 bytes]"),
    ] {
        let read = scan_file(name, content).await.unwrap();
        assert_eq!(format!("{read:?}"), expected, "{name}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_used_gets_one_clear_line() {
    let unusable = |error: NfcError| error.to_string();
    let why = unusable(scan_file("notes.txt", b"hello").await.unwrap_err());
    assert!(why.starts_with("Not usable as a tag: it is no NDEF message"), "{why}");
    assert!(why.ends_with("notes.txt"), "{why}");
    let why = unusable(scan_file("a.ndef", &vec![0; 65_537]).await.unwrap_err());
    assert!(why.contains(": a tag file has at most 65,536 bytes. The file is "), "{why}");
    assert!(scan_file("a.ndef", &vec![0; 65_536]).await.is_ok());
    let why = unusable(scan_file("a.nfc", &[0xFF]).await.unwrap_err());
    assert!(why.contains(": a Flipper file is UTF-8 text. The file is "), "{why}");

    let dir = tempfile::tempdir().unwrap();
    let mut reader = SimulatedReader::new();
    reader.placer().place(TagSpec::File(dir.path().to_owned()));
    let why = unusable(scan(&mut reader, &armed(DeviceKind::Reader)).await.unwrap_err());
    assert!(why.starts_with("Not usable as a tag: it is not a plain file. "), "{why}");
    reader.placer().place(TagSpec::File(dir.path().join("none.ndef")));
    let why = unusable(scan(&mut reader, &armed(DeviceKind::Reader)).await.unwrap_err());
    assert!(
        why.starts_with("No such file or directory") && why.ends_with("none.ndef cannot be read"),
        "{why}"
    );
}

#[test]
fn a_tag_is_named_by_path_or_id() {
    assert_eq!(TagSpec::parse(" tags/router.ndef "), Ok(TagSpec::File(PathBuf::from("tags/router.ndef"))));
    for spelt in ["uid=04A1B2C3D4E5F6", "UID=04:a1:b2:c3:d4:e5:f6", "uid=04 A1 B2 C3 D4 E5 F6"] {
        let parsed = TagSpec::parse(spelt).unwrap();
        assert_eq!(parsed, TagSpec::Uid(TagUid::new(&[4, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6])));
        let shown = format!("{parsed} {parsed:?}").to_uppercase();
        assert!(!shown.contains("A1"), "{shown}");
    }
    assert_eq!(TagSpec::parse("  "), Err(TagSpecError::Empty));
    for bad in ["uid=", "uid=04A1B2", "uid=04A1B2C", "uid=04A1B2CX", "uid=04A1B2C3D4"] {
        let error = TagSpec::parse(bad).unwrap_err();
        assert_eq!(error, TagSpecError::Uid);
        assert!(!error.to_string().contains("A1"));
    }
}

#[test]
fn a_reader_is_chosen_by_its_name_or_a_part_of_it() {
    let names = ["simulated", "ACS ACR122U 00 00", "ACS ACR1252 01 00", "ACS ACR122U"];
    assert_eq!(select("simulated", &names), Ok(0));
    assert_eq!(select("acr1252", &names), Ok(2));
    assert_eq!(select("ACS ACR122U", &names), Ok(3), "the exact name goes first");
    let several = select("acs", &names).unwrap_err();
    assert!(matches!(&several, SelectError::Ambiguous { fitting, .. } if fitting.len() == 3));
    for none in ["", "omnikey"] {
        assert!(matches!(select(none, &names), Err(SelectError::Unknown { .. })));
    }
    assert_eq!(
        select("omnikey", &["simulated"]).unwrap_err().to_string(),
        "No reader is called \"omnikey\". Available: simulated."
    );
}

#[test]
fn a_part_of_a_name_never_means_a_slot_for_security_modules() {
    let (picc, sam) = ("ACS ACR1252 [ACR1252 PICC] 00 00", "ACS ACR1252 [ACR1252 SAM] 01 00");
    assert_eq!(select_reader("acr1252", &[sam, picc]), Ok(1));
    assert_eq!(select_reader(sam, &[sam, picc]), Ok(0), "by its whole name it can be chosen");
    assert_eq!(select_reader("SAM", &[sam, picc]), Ok(0), "and by what only it has");
    let two = select_reader("acr1252", &[sam, picc, "ACS ACR1252 [ACR1252 PICC] 02 00"]).unwrap_err();
    assert!(matches!(&two, SelectError::Ambiguous { .. }), "{two}");
}

#[tokio::test]
async fn readers_say_what_they_are() {
    let reader = SimulatedReader::default();
    assert_eq!((reader.name(), reader.label().as_str()), ("simulated", "SIMULATED tags"));
    assert!(reader.is_simulated());
    let mut missing: Box<dyn NfcReader> = Box::new(UnavailableReader::new("ACS ACR122U"));
    assert!(!missing.is_simulated());
    assert_eq!(
        scan(&mut *missing, &armed(DeviceKind::Reader)).await.unwrap_err().to_string(),
        "The reader \"ACS ACR122U\" is not available: this build has no PC/SC support yet. Available: simulated."
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_no_plain_file_or_has_a_long_name_costs_one_line_and_no_wait() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe.ndef");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let circle = dir.path().join("circle.ndef");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    let long = PathBuf::from(format!("/{}/router.ndef", "x".repeat(5_000)));
    for (path, why) in [
        (pipe.clone(), "it is not a plain file."),
        ("/dev/zero".into(), "it is not a plain file."),
        (dir.path().to_owned(), "it is not a plain file."),
        (pipe.join("below"), "Not a directory"),
        (circle, "symbolic links"),
        (long, "File name too long"),
    ] {
        let checked = tokio::time::timeout(Duration::from_secs(20), TagSpec::File(path).check()).await;
        let line = checked.expect("it does not wait").unwrap_err().to_string();
        assert!(line.contains(why) && !line.contains('\n') && line.chars().count() < 400, "{line}");
    }
}
