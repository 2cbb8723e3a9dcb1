use proptest::prelude::*;

use super::{FlipperFault, FlipperTag, parse};

const UID: &[u8] = &[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];
const PAGES: [&str; 10] = [
    "04 A1 B2 9F",
    "C3 D4 E5 F6",
    "04 48 00 00",
    "E1 10 12 00",
    "01 03 A0 0C",
    "34 03 06 D1",
    "01 02 55 00",
    "61 FE 00 00",
    "00 00 00 00",
    "00 00 00 00",
];

/// A file of `version` with the chip named as that version does.
fn file(version: u8, read: usize, listed: usize) -> String {
    let device = if version == 4 {
        "Device type: NTAG/Ultralight\nUID: 04 A1 B2 C3 D4 E5 F6\nNTAG/Ultralight type: NTAG213"
    } else {
        "Device type: NTAG213\nUID: 04 A1 B2 C3 D4 E5 F6"
    };
    let mut out = format!(
        "Filetype: Flipper NFC device\nVersion: {version}\n# a comment\n{device}\nATQA: 00 44\nSAK: 00\n\
         Signature: 00 00\nCounter 0: 0\nPages total: 45\nPages read: {read}\n"
    );
    for (i, page) in PAGES.iter().take(listed).enumerate() {
        out.push_str(&format!("Page {i}: {page}\n"));
    }
    out
}

fn message(tag: FlipperTag) -> Vec<u8> {
    tag.memory.unwrap().ndef.unwrap()
}

fn fault(text: &str) -> (usize, FlipperFault) {
    let error = parse(text).unwrap_err();
    (error.line, error.fault)
}

#[test]
fn versions_two_to_four_and_both_spellings_of_the_chip_are_read() {
    for version in 2..=4 {
        let tag = parse(&file(version, 10, 10)).unwrap();
        assert_eq!((tag.technology.as_str(), tag.uid.expose_for_alias()), ("NTAG213", UID));
        assert_eq!(tag.pages, Some((10, 45)));
        assert!(!tag.uid_differs);
        assert_eq!(message(tag), [0xD1, 1, 2, 0x55, 0, 0x61]);
    }
    let windows = file(4, 10, 10).replace('\n', "\r\n");
    assert_eq!(message(parse(&format!("\u{feff}{windows}")).unwrap()), [0xD1, 1, 2, 0x55, 0, 0x61]);
}

#[test]
fn fewer_pages_read_than_there_are_is_enough_or_truncated() {
    assert!(parse(&file(4, 8, 10)).unwrap().memory.unwrap().ndef.is_ok());
    let short = parse(&file(4, 6, 10)).unwrap().memory.unwrap().ndef.unwrap_err();
    assert!(short.is_damage(), "a page that was not read is not data: {short}");
    let placeholders = file(4, 8, 8) + "Page 8: ?? ?? ?? ??\n";
    assert!(parse(&placeholders).unwrap().memory.unwrap().ndef.is_ok());
    assert_eq!(fault(&file(4, 9, 8)).1, FlipperFault::PagesMissing { have: 8, read: 9 });
}

#[test]
fn other_technologies_have_an_id_and_no_ndef() {
    for device in
        ["Mifare Classic", "ISO14443-3A", "ISO14443-4A", "Mifare DESFire", "UID", "FeliCa", "Bank card"]
    {
        let text = format!(
            "Filetype: Flipper NFC device\nVersion: 4\nDevice type: {device}\nUID: BA E2 7C 9D\nMifare Classic type: 1K\n\
             Block 0: BA E2 7C 9D ?? ?? 02 00 46 44 53 37 30 56 30 31\n"
        );
        let tag = parse(&text).unwrap();
        assert_eq!((tag.technology.as_str(), tag.uid.len(), tag.memory), (device, 4, None));
    }
    let slix = "Filetype: Flipper NFC device\nVersion: 4\nDevice type: SLIX\nUID: E0 04 01 50 11 22 33 44\n";
    assert_eq!(parse(slix).unwrap().uid.len(), 8);
}

#[test]
fn the_id_of_the_uid_line_goes_before_the_one_in_the_pages() {
    let tag = parse(&file(4, 10, 10).replace("UID: 04 A1", "UID: 04 A2")).unwrap();
    assert!(tag.uid_differs && tag.uid.expose_for_alias()[1] == 0xA2);
}

#[test]
fn a_damaged_line_is_named_by_its_number() {
    let good = file(4, 10, 10);
    let with = |from: &str, to: &str| good.replacen(from, to, 1);
    assert_eq!(fault(""), (1, FlipperFault::FileType));
    assert_eq!(fault("Filetype: Flipper SubGhz Key File\nVersion: 1\n"), (1, FlipperFault::FileType));
    assert_eq!(fault(&with("Version: 4", "Version: 1")), (2, FlipperFault::Version));
    assert_eq!(fault(&with("Version: 4", "Version: 5")), (2, FlipperFault::Version));
    assert_eq!(fault(&with("Version: 4\n", "")), (21, FlipperFault::Missing("Version")));
    assert_eq!(fault(&with("ATQA: 00 44", "ATQA 00 44")), (7, FlipperFault::Form));
    assert_eq!(fault(&with("ATQA: 00 44", "UID: 04 A1 B2 C3 D4 E5 F6")), (7, FlipperFault::Twice("UID")));
    assert_eq!(fault(&with("Pages read: 10", "Pages read: many")), (12, FlipperFault::Count("Pages read")));
    assert_eq!(fault(&with("Page 5: 34 03", "Page 5: 34 0X")), (18, FlipperFault::Page));
    assert_eq!(fault(&with("Page 5: 34 03 06 D1", "Page 5: 34 03 06")), (18, FlipperFault::Page));
    assert_eq!(fault(&with("Page 5:", "Page 6:")), (18, FlipperFault::PageOrder(5)));
    assert_eq!(
        parse(&with("Page 5:", "Page 6:")).unwrap_err().to_string(),
        "line 18: page 5 is expected here"
    );
}

#[test]
fn a_damaged_id_is_refused_without_being_repeated() {
    for uid in ["04 A1 B2 C3 D4 E5", "04 A1 B2 C3 D4 E5 F", "04 A1 B2 C3 D4 E5 XY", "", "04A1B2C3D4E5F6F7F8"]
    {
        let text = file(4, 10, 10).replacen("UID: 04 A1 B2 C3 D4 E5 F6", &format!("UID: {uid}"), 1);
        let error = parse(&text).unwrap_err();
        assert_eq!((error.line, error.fault), (5, FlipperFault::Uid));
        assert!(!error.to_string().contains("04 A1") && !format!("{error:?}").contains("A1"), "{error}");
    }
}

proptest! {
    #[test]
    fn no_fault_repeats_the_id(line in 0_usize..20, junk in "[ -~]{0,20}") {
        let text = file(3, 10, 10);
        let mut lines: Vec<&str> = text.lines().collect();
        let at = line % lines.len();
        lines[at] = &junk;
        if let Err(error) = parse(&lines.join("\n")) {
            let shown = format!("{error} {error:?}").to_ascii_uppercase();
            prop_assert!(!shown.contains("A1") && !shown.contains("C3 D4"), "{}", shown);
        }
    }
}
