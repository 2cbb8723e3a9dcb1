//! Family B of the hard cases: TLV blocks and the memory around them.

use proptest::prelude::*;

use super::{NoMessage, find_ndef, read_memory};

fn hex(bytes: &str) -> Vec<u8> {
    data_encoding::HEXUPPER_PERMISSIVE.decode(bytes.replace(char::is_whitespace, "").as_bytes()).unwrap()
}

fn find(bytes: &str) -> Result<Vec<u8>, NoMessage> {
    find_ndef(&hex(bytes))
}

const KISS: &str = "D1 01 0E 54 02 65 6E 6B 69 73 73 20 2D 20 63 6F 6C 64";
const CUT: fn(u8, usize, usize) -> Result<Vec<u8>, NoMessage> =
    |tag, needed, left| Err(NoMessage::Truncated { tag, needed, left });

#[test]
fn b1_control_blocks_before_the_message_are_passed_over() {
    let factory = format!("01 03 A0 0C 34 03 12 {KISS} FE 03 04 AA BB CC DD");
    assert_eq!(find(&factory), Ok(hex(KISS)), "bytes after the terminator are stale");
    let all = format!("01 03 A0 0C 34 02 03 A0 10 44 FD 02 03 FE 44 01 00 03 12 {KISS} FE");
    assert_eq!(find(&all), Ok(hex(KISS)), "also memory, proprietary and unknown blocks");
    let long = format!("FD FF 01 00 {} 03 12 {KISS}", "03".repeat(256));
    assert_eq!(find(&long), Ok(hex(KISS)), "also one with a long length");
    assert_eq!(find("01 03 A0 0C 34 FE 03 01 00"), Err(NoMessage::NoBlock));
}

#[test]
fn b2_zero_bytes_are_padding_anywhere() {
    assert_eq!(find(&format!("00 00 00 03 12 {KISS} FE")), Ok(hex(KISS)));
    assert_eq!(find(&format!("01 03 A0 0C 34 00 00 03 12 {KISS} 00 FE")), Ok(hex(KISS)));
    assert_eq!(find("00 00 00 00"), Err(NoMessage::NoBlock));
}

#[test]
fn b4_a_long_length_has_three_bytes() {
    let message = format!("C1 01 00 00 01 01 55 04 {}", "61".repeat(256));
    assert_eq!(find(&format!("03 FF 01 08 {message} FE")), Ok(hex(&message)));
    assert_eq!(find("03 FF"), CUT(3, 2, 0));
    assert_eq!(find("03 FF 01"), CUT(3, 2, 1));
    assert_eq!(find("03"), CUT(3, 1, 0));
    assert_eq!(find("03 FF 00 10"), CUT(3, 16, 0));
    assert_eq!(find(&format!("03 FF 00 12 {KISS}")), Ok(hex(KISS)), "a short value in the long form");
    assert_eq!(find("03 05 D1 01"), CUT(3, 5, 2));
    assert_eq!(find("01 03 A0"), CUT(1, 3, 1));
    assert_eq!(
        find("03 FF 00 10").unwrap_err().to_string(),
        "truncated TLV: a block of type 03 needs 16 bytes and 0 are there"
    );
}

#[test]
fn b5_the_terminator_is_optional() {
    assert_eq!(find(&format!("03 12 {KISS}")), Ok(hex(KISS)));
    let exact = format!("04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 03 00 01 00 00 00 03 12 {KISS}");
    assert_eq!(read_memory(&hex(&exact)).ndef, Ok(hex(KISS)));
}

#[test]
fn b11_an_empty_block_is_an_empty_message() {
    assert_eq!(find("03 00 FE"), Ok(vec![]));
}

#[test]
fn a_block_past_the_declared_area_is_truncated() {
    let dump = hex(&format!("04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 02 00 03 12 {KISS}"));
    assert_eq!(read_memory(&dump).ndef, CUT(3, 18, 14));
}

#[test]
fn the_container_is_checked() {
    let ndef = |container: &str| {
        read_memory(&hex(&format!("04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 {container} 03 00 FE 00"))).ndef
    };
    assert_eq!(ndef("E1 10 12 00"), Ok(vec![]));
    assert_eq!(ndef("E1 11 12 0F"), Ok(vec![]), "version 1.1, read-only");
    assert_eq!(ndef("00 00 00 00"), Err(NoMessage::NotFormatted));
    assert_eq!(ndef("E1 20 12 00"), Err(NoMessage::Version(2)));
    assert_eq!(ndef("E1 10 00 00"), Err(NoMessage::NoBlock));
    assert_eq!(
        read_memory(&hex("04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1")).ndef,
        Err(NoMessage::NotFormatted)
    );
    assert_eq!(read_memory(&[]).uid, None);
}

#[test]
fn ids_of_seven_and_four_bytes_are_found_by_their_check_bytes() {
    let uid = |dump: &str| {
        let memory = read_memory(&hex(dump));
        (memory.uid.map(|u| u.expose_for_alias().to_vec()), memory.uid_checked)
    };
    assert_eq!(uid("04 A1 B2 9F C3 D4 E5 F6 04 48 00 00"), (Some(hex("04 A1 B2 C3 D4 E5 F6")), true));
    assert_eq!(uid("BA E2 7C 9D B9 18 02 00 46 44 53 37"), (Some(hex("BA E2 7C 9D")), true));
    let unchecked = "04 A1 B2 00 C3 D4 E5 F6 00 48 00 00 E1 10 12 00";
    assert_eq!(uid(unchecked), (Some(hex("04 A1 B2 C3 D4 E5 F6")), false));
    assert_eq!(uid("04 A1 B2 00 C3 D4 E5 F6 00 48 00 00 00 00 00 00"), (None, false));
    for none in ["00", "FF"] {
        assert_eq!(uid(&format!("{} E1 10 12 00", none.repeat(12))), (None, false));
    }
}

/// A block with its length in the short form, or in the long one.
fn block(tag: u8, value: &[u8], long: bool) -> Vec<u8> {
    let len = u16::try_from(value.len()).unwrap();
    let [high, low] = len.to_be_bytes();
    let head = if long || len >= 255 { vec![tag, 0xFF, high, low] } else { vec![tag, low] };
    [head, value.to_vec()].concat()
}

/// What may stand before the message: padding, and blocks of every other type.
fn before() -> impl Strategy<Value = Vec<u8>> {
    let tag =
        any::<u8>().prop_filter("neither padding, message nor end", |t| ![0x00, 0x03, 0xFE].contains(t));
    let value = prop::collection::vec(any::<u8>(), 0..300);
    let other = (tag, value, any::<bool>()).prop_map(|(tag, value, long)| block(tag, &value, long));
    let padding = (1_usize..6).prop_map(|n| vec![0; n]);
    prop::collection::vec(prop_oneof![other, padding], 0..4).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn b1_to_b5_any_layout_gives_the_message_byte_for_byte(
        before in before(),
        message in prop::collection::vec(any::<u8>(), 0..700),
        long: bool,
        ended: bool,
        stale in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let end = if ended { [vec![0xFE], stale].concat() } else { Vec::new() };
        let area = [before, block(3, &message, long), end].concat();
        prop_assert_eq!(find_ndef(&area), Ok(message));
    }

    #[test]
    fn b14_a_memory_torn_at_any_byte_never_gives_half_a_message(
        before in before(),
        message in prop::collection::vec(any::<u8>(), 1..300),
        long: bool,
    ) {
        let area = [before, block(3, &message, long)].concat();
        for cut in 0..area.len() {
            prop_assert!(find_ndef(&area[..cut]).is_err(), "cut at {cut} of {}", area.len());
        }
    }

    #[test]
    fn nothing_panics_and_nothing_is_invented(dump in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(message) = read_memory(&dump).ndef {
            prop_assert!(message.is_empty() || dump.windows(message.len()).any(|w| w == message));
        }
        let _ = find_ndef(&dump);
    }
}
