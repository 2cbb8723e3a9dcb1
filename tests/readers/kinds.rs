//! Every kind of tag, what it holds, and which commands it gets: no more than are needed.

use serde_json::Value;

use super::pcscd::Pcscd;
use super::scanner::Scanner;
use super::tag::Tag;

/// Two records: the URI `https://example.org/tag/42` and a text in German.
const MESSAGE: &str = "91011355046578616D706C652E6F72672F7461672F3432\
                       510112540264654772C3BCC39F652C20E4B896E7958C";

/// A daemon, a tag that is not on its reader yet, and a scanner.
struct Desk {
    tag: Tag,
    scanner: Scanner,
    _daemon: Pcscd,
}

impl Desk {
    async fn new() -> Self {
        let daemon = Pcscd::start().await;
        let scanner = Scanner::auto(&daemon).await;
        Self { tag: Tag::off(&daemon, &[]).await, scanner, _daemon: daemon }
    }

    /// Puts this tag on and reads it.
    async fn read(&mut self, what: &str) -> Value {
        self.tag.place(what).await;
        self.scanner.scan().await
    }

    /// The NDEF message of this tag.
    async fn message(&mut self, what: &str) -> String {
        let read = self.read(what).await;
        read["ndef"].as_str().unwrap_or_else(|| panic!("{what}: {read}")).to_owned()
    }

    /// Why this tag gives none, and whether it is damaged.
    async fn none(&mut self, what: &str) -> (String, bool) {
        let read = self.read(what).await;
        assert!(read["ndef"].is_null(), "{what}: {read}");
        let why = read["why"].as_str().unwrap_or_else(|| panic!("{what}: {read}"));
        (why.to_owned(), read["damaged"] == true)
    }
}

/// A message of one URI record whose text has this length.
fn long_message(text: usize) -> String {
    let payload = format!("04{}", "61".repeat(text));
    format!("C101{:08X}55{payload}", payload.len() / 2)
}

// ── kinds ──

#[tokio::test]
async fn each_kind_is_read_with_the_commands_it_needs_and_no_more() {
    let mut desk = Desk::new().await;
    let type_3 = "FFCA000000 FFA40001020B00 FFB0000010 FFB0000110 FFB0000210 FFB0000310";
    for (what, technology, id, commands) in [
        // The container comes with the first three data pages; the message ends in page 15.
        ("--type t2", "Type 2", 7, "FFCA000000 FFB0000310 FFB0000710 FFB0000B10 FFB0000F04"),
        ("--type t3", "Type 3 (FeliCa)", 8, type_3),
        (
            "--type t4",
            "Type 4",
            7,
            "FFCA000000 00A4040007D276000085010100 00A4000C02E103 00B000000F 00A4000C02E104 00B000003B",
        ),
    ] {
        let read = desk.read(what).await;
        assert_eq!(read["ndef"], MESSAGE, "{what}: {read}");
        assert_eq!(
            (read["technology"].as_str(), read["id"].as_u64()),
            (Some(technology), Some(id)),
            "{read}"
        );
        assert_eq!(desk.tag.commands().await.join(" "), commands, "{what}");
    }
}

#[tokio::test]
async fn a_type_5_tag_is_read_block_after_block() {
    let mut desk = Desk::new().await;
    let read = desk.read("--type t5").await;
    assert_eq!((read["ndef"].as_str(), read["id"].as_u64()), (Some(MESSAGE), Some(8)), "{read}");
    let exchanges = desk.tag.exchanges().await;
    let refused = exchanges.iter().filter(|e| e.answer.as_deref() == Some("6700")).count();
    assert!(refused <= 1, "a reader that gives one block at a time is believed: {exchanges:?}");
    // The id, the container, and (1 + 1 + 45) bytes of data in blocks of four.
    assert_eq!(exchanges.len() - refused, 2 + 12, "{exchanges:?}");
}

#[tokio::test]
async fn tags_that_hold_no_message_are_named_and_give_an_id_alone() {
    let mut desk = Desk::new().await;
    for (what, technology, id) in [
        ("--type classic", "MIFARE Classic", 4),
        ("--type unknown", "unknown tag", 7),
        ("--type t4 --no-ndef", "ISO 14443-4 card", 7),
        ("--type t2 --cc 00000000", "tag without NDEF", 7),
        ("--type t2 --uid 04112233445566778899 --cc FFFFFFFF", "tag without NDEF", 10),
    ] {
        let read = desk.read(what).await;
        assert_eq!(
            (read["technology"].as_str(), read["id"].as_u64()),
            (Some(technology), Some(id)),
            "{read}"
        );
        assert!(read["ndef"].is_null() && read["damaged"] == false, "{what}: {read}");
        let commands = desk.tag.commands().await;
        // Never a key, never a write (A19).
        assert!(
            !commands.iter().any(|c| ["FF82", "FF86", "FF88", "FFD6", "00D6"].contains(&&c[..4])),
            "{commands:?}"
        );
    }
}

#[tokio::test]
async fn a_phone_has_another_id_every_time() {
    let mut desk = Desk::new().await;
    let mut ids = Vec::new();
    for seed in [1, 2] {
        let read = desk.read(&format!("--type phone --seed {seed}")).await;
        assert_eq!((read["id"].as_u64(), read["ndef"].is_null()), (Some(4), true), "{read}");
        let first = desk.tag.exchanges().await[0].answer.clone().unwrap();
        assert!(first.starts_with("08") && first.ends_with("9000"), "{first}");
        ids.push(first);
    }
    assert_ne!(ids[0], ids[1]);
}

// ── lengths ──

#[tokio::test]
async fn no_type_4_tag_is_asked_for_more_than_it_gives_at_once() {
    let mut desk = Desk::new().await;
    let message = long_message(600);
    for (mle, reads) in [(15, None), (59, None), (128, None), (255, None), (256, Some(4)), (1024, Some(4))] {
        assert_eq!(
            desk.message(&format!("--type t4 --mle {mle} --message {message}")).await,
            message,
            "{mle}"
        );
        let exchanges = desk.tag.exchanges().await;
        assert!(exchanges.iter().all(|e| e.answer.as_deref() != Some("6700")), "{mle}: {exchanges:?}");
        let binary = exchanges.iter().filter(|e| e.command.starts_with("00B0")).count();
        // The container, and the file with its two bytes of length.
        let needed = 1 + (message.len() / 2 + 2).div_ceil(mle.min(256));
        assert!(binary <= reads.unwrap_or(needed + 1), "{mle}: {binary} reads, {needed} needed");
    }
}

#[tokio::test]
async fn lengths_of_three_bytes_and_every_size_of_chip() {
    let mut desk = Desk::new().await;
    for text in [200, 230, 247, 248, 300, 480, 700, 850] {
        let message = long_message(text);
        assert_eq!(desk.message(&format!("--type t2 --message {message}")).await, message, "Type 2, {text}");
    }
    for kind in ["t3", "t4"] {
        let message = long_message(300);
        assert_eq!(desk.message(&format!("--type {kind} --message {message}")).await, message, "{kind}");
    }
}

// ── blocks (family B) ──

#[tokio::test]
async fn blocks_before_the_message_are_skipped_whatever_they_are() {
    let mut desk = Desk::new().await;
    let kiss = "D1010E5402656E6B697373202D20636F6C64";
    for (case, tlv, message) in [
        ("B1 a lock block first, old bytes behind", format!("0103A00C340312{kiss}FE6F6C64"), kiss),
        ("B1 a memory block", format!("02030000000312{kiss}FE"), kiss),
        ("B1 a proprietary block", format!("FD0401020304{}12{kiss}FE", "03"), kiss),
        ("B1 a long proprietary block", format!("FDFF0102{}0312{kiss}", "5A".repeat(258)), kiss),
        ("B2 blocks of nothing", format!("0000000312{kiss}FE"), kiss),
        ("B2 between blocks", format!("000103A00C34000312{kiss}FE"), kiss),
        ("B4 a short length in the long form", format!("03FF0012{kiss}FE"), kiss),
        ("B11 an empty message", "0300FE".to_owned(), ""),
        ("B11 an empty record", "0303D00000FE".to_owned(), "D00000"),
        ("B5 no terminator", format!("0312{kiss}"), kiss),
        (
            "B13 a name of its own",
            "0315D31200687474703A2F2F6578616D706C652E636F6DFE".to_owned(),
            "D31200687474703A2F2F6578616D706C652E636F6D",
        ),
    ] {
        for kind in ["t2", "t5"] {
            if case.contains("long proprietary") && kind == "t5" {
                continue; // its data area has 108 bytes
            }
            assert_eq!(desk.message(&format!("--type {kind} --tlv {tlv}")).await, message, "{case}, {kind}");
        }
    }
}

#[tokio::test]
async fn a_message_that_fills_the_area_needs_no_terminator() {
    let mut desk = Desk::new().await;
    // 144 bytes: type, length and 142 bytes of message (B5).
    let message = format!("D1018A5504{}", "61".repeat(137));
    assert_eq!(desk.message(&format!("--type t2 --tlv 038E{message}")).await, message);
    let last = desk.tag.commands().await.pop().unwrap();
    assert!(!last.starts_with("FFB00028"), "nothing behind the data area is read: {last}");
}

#[tokio::test]
async fn damaged_blocks_are_told_from_absent_ones() {
    let mut desk = Desk::new().await;
    for (case, what, damaged) in [
        ("B4 more than there is", "--type t2 --tlv 03FE61", true),
        ("B4 much more than there is", "--type t2 --tlv 03FFFFFE61", true),
        ("nothing but NULL", "--type t2 --tlv 00", false),
        ("a terminator alone", "--type t2 --tlv FE", false),
        ("a file that is longer than it can be", "--type t4 --file FFFFD10101", true),
        ("a file that is cut short", "--type t4 --file 0040D1013C55", true),
        ("a container of zeros", "--type t4 --cc 000000000000000000000000000000", true),
        ("a checksum that is wrong", "--type t3 --cc 100401000D00000000000100002D0000", true),
    ] {
        let (why, was) = desk.none(what).await;
        assert_eq!(was, damaged, "{case}: {why}");
    }
}

// ── odd readers and chips ──

#[tokio::test]
async fn an_id_is_taken_only_in_a_shape_that_ids_have() {
    let mut desk = Desk::new().await;
    for (answer, id) in [
        ("6A81", None),
        ("6300", None),
        ("01020304059000", None),
        ("9000", None),
        ("049000", None),
        ("A1B2C3D49000", Some(4)),
    ] {
        let read = desk.read(&format!("--type t2 --id {answer}")).await;
        assert_eq!((read["id"].as_u64(), read["ndef"].as_str()), (id, Some(MESSAGE)), "{answer}: {read}");
    }
}

#[tokio::test]
async fn a_first_command_that_fails_costs_nothing() {
    let mut desk = Desk::new().await;
    for kind in ["t2", "t3", "t4", "t5"] {
        let read = desk.read(&format!("--type {kind} --first-fails")).await;
        assert_eq!(read["ndef"], MESSAGE, "{kind}: {read}");
        assert!(read["id"].is_u64(), "{kind}: {read}");
    }
}

#[tokio::test]
async fn a_chip_that_is_smaller_than_it_says_does_not_wedge_the_reader() {
    let mut desk = Desk::new().await;
    // It says 144 bytes and has 20 pages; the message goes to the last of them and no further (A11).
    let fits = format!("D1013A5504{}", "61".repeat(57));
    let whole = desk.message(&format!("--type t2 --wedge --pages 20 --tlv 033E{fits}")).await;
    assert_eq!(whole, fits);
    // This one would go on behind them.
    let (_, damaged) = desk.none(&format!("--type t2 --wedge --pages 12 --tlv 033E{fits}")).await;
    assert!(damaged);
    let after = desk.tag.exchanges().await;
    let refused = after.iter().filter(|e| e.answer.as_deref() == Some("6300")).count();
    assert!(refused <= 2, "it is tried once more after a reset, not for ever: {after:?}");
    // And the reader is as good as before.
    assert_eq!(desk.message("--type t2").await, MESSAGE);
}
