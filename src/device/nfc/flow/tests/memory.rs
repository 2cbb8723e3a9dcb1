//! Tags that are memory: Type 2, 3 and 5, in pages and blocks.

use super::*;

#[test]
fn type2_is_read_no_further_than_its_message() {
    let mut tag = type2(&in_block(&MESSAGE));
    assert_eq!(said(tag.read(&storage(3, 3)).unwrap()), ("Type 2", Ok(MESSAGE.to_vec()), Some(7)));
    assert_eq!(
        tag.asked(),
        ["FFCA000000", "FFB0000310", "FFB0000704"],
        "two bytes of the last page are needed"
    );
    let mut short = type2(&in_block(&MESSAGE[..10]));
    assert!(short.read(&storage(3, 3)).is_ok());
    assert_eq!(short.asked(), ["FFCA000000", "FFB0000310"], "the first pages hold all of it");
}

#[test]
fn type2_passes_over_other_blocks_and_padding() {
    let lock_control = [0x01, 0x03, 0xA0, 0x0C, 0x34];
    let area = [&lock_control[..], &[0, 0, 0], &[0xFD, 0x02, 1, 2], &in_block(&MESSAGE), b"stale"].concat();
    assert_eq!(said(type2(&area).read(&storage(3, 3)).unwrap()).1, Ok(MESSAGE.to_vec()));
}

#[test]
fn type2_without_a_message_says_why() {
    let why = |area: &[u8]| said(type2(area).read(&storage(3, 3)).unwrap()).1.unwrap_err();
    assert_eq!(why(&[0xFE]), "the tag is formatted and holds no NDEF block");
    assert_eq!(why(&[0; 144]), "the tag is formatted and holds no NDEF block");
    assert!(why(&[0x03, 0xFF, 0x10, 0x00]).starts_with("truncated TLV: a block of type 03 needs 4096 bytes"));
    assert_eq!(
        said(type2(&[0x03, 0x00, 0xFE]).read(&storage(3, 3)).unwrap()).1,
        Ok(Vec::new()),
        "empty (B11)"
    );
    let mut blank = OnReader::new(storage_chip(&UID, vec![0; 64], 4, 16));
    assert_eq!(
        said(blank.read(&storage(3, 3)).unwrap()),
        ("tag without NDEF", Err("the tag is not formatted for NDEF".into()), Some(7))
    );
    let mut closed = OnReader::new(|command| if command[1] == 0xCA { ok(&UID) } else { status(0x6300) });
    assert_eq!(said(closed.read(&storage(3, 3)).unwrap()).0, "tag without NDEF");
}

#[test]
fn a_block_that_cannot_fit_is_given_up_without_reading_on() {
    let mut tag = type2(&[0x03, 0xFF, 0x10, 0x00]);
    tag.read(&storage(3, 3)).unwrap();
    assert_eq!(tag.asked(), ["FFCA000000", "FFB0000310"]);
}

/// A reader that gives one page at a time, as some do.
#[test]
fn a_reader_that_gives_single_blocks_is_read_so() {
    let memory = type2_memory(&in_block(&MESSAGE), 18);
    let mut tag = OnReader::new(storage_chip(&UID, memory, 4, 4));
    assert_eq!(said(tag.read(&storage(3, 3)).unwrap()).1, Ok(MESSAGE.to_vec()));
    let mut wrong = OnReader::new(|command| match command {
        [0xFF, 0xCA, ..] => ok(&UID),
        [0xFF, 0xB0, 0, page, 4] => ok(&type2_memory(&in_block(&MESSAGE), 18)[usize::from(*page) * 4..][..4]),
        [0xFF, 0xB0, ..] => status(0x6C04),
        _ => status(0x6A81),
    });
    assert_eq!(said(wrong.read(&storage(3, 3)).unwrap()).1, Ok(MESSAGE.to_vec()), "6C04 says how much");
}

/// A reader that gives less than it was asked for and says that all is well: pages are pages all the same.
#[test]
fn short_answers_shift_nothing() {
    let short = |most: usize| {
        OnReader::new(move |command| match command {
            [0xFF, 0xCA, ..] => ok(&UID),
            [0xFF, 0xB0, 0, page, length] => {
                let memory = type2_memory(&in_block(&MESSAGE), 18);
                ok(&memory[usize::from(*page) * 4..][..usize::from(*length).min(most)])
            }
            _ => status(0x6A81),
        })
    };
    for most in [4, 6, 8, 12, 15] {
        assert_eq!(said(short(most).read(&storage(3, 3)).unwrap()).1, Ok(MESSAGE.to_vec()), "{most} at most");
    }
    let broken = said(short(3).read(&storage(3, 3)).unwrap()).1;
    assert!(broken.is_err(), "{broken:?}");
}

/// After a page that is refused, everything is, until the tag is connected anew.
#[test]
fn a11_after_a_refusal_the_tag_is_connected_anew_once() {
    let message = [0x55; 80];
    let memory = type2_memory(&in_block(&message), 18);
    let mut refusals = 0;
    let mut tag = OnReader::new(move |command| match command {
        [0xFF, 0xB0, 0, 11, _] if refusals == 0 => {
            refusals += 1;
            status(0x6300)
        }
        [0xFF, 0xB0, 0, page, length] => ok(&memory[usize::from(*page) * 4..][..usize::from(*length)]),
        _ => ok(&UID),
    });
    assert_eq!(said(tag.read(&storage(3, 3)).unwrap()).1, Ok(message.to_vec()));
    assert_eq!(tag.reconnected, 1);
    let memory = type2_memory(&in_block(&message), 18);
    let mut wedged = OnReader::new(move |command| match command {
        [0xFF, 0xB0, 0, page, length] if *page < 11 => {
            ok(&memory[usize::from(*page) * 4..][..usize::from(*length)])
        }
        [0xFF, 0xB0, ..] => status(0x6300),
        _ => ok(&UID),
    });
    let why = said(wedged.read(&storage(3, 3)).unwrap()).1.unwrap_err();
    assert_eq!((why.as_str(), wedged.reconnected), ("block 11 cannot be read, status 6300", 1));
}

/// An attribute block and the blocks of a message.
pub(super) fn type3(message: &[u8], change: impl Fn(&mut [u8; 16])) -> OnReader {
    let mut attributes = [0u8; 16];
    attributes[..5].copy_from_slice(&[0x10, 4, 1, 0x00, 0x10]);
    attributes[11..14].copy_from_slice(&[0, 0, message.len() as u8]);
    change(&mut attributes);
    let sum: u16 = attributes[..14].iter().map(|b| u16::from(*b)).sum();
    attributes[14] = attributes[14].wrapping_add((sum >> 8) as u8);
    attributes[15] = attributes[15].wrapping_add(sum as u8);
    let mut blocks = attributes.to_vec();
    blocks.extend(message);
    blocks.resize(17 * 16, 0);
    let mut selected = false;
    let mut chip = storage_chip(&[1, 0x2E, 3, 4, 5, 6, 7, 8], blocks, 16, 16);
    OnReader::new(move |command| match command {
        [0xFF, 0xA4, 0, 1, 2, 0x0B, 0] => {
            selected = true;
            ok(&[])
        }
        [0xFF, 0xB0, ..] if !selected => status(0x6986),
        _ => chip(command),
    })
}

#[test]
fn type3_is_read_block_by_block() {
    let felica = storage(0x11, 0x3B);
    let mut tag = type3(&MESSAGE, |_| {});
    assert_eq!(said(tag.read(&felica).unwrap()), ("Type 3 (FeliCa)", Ok(MESSAGE.to_vec()), Some(8)));
    assert_eq!(tag.asked().len(), 4);
    let why = |change: fn(&mut [u8; 16])| said(type3(&MESSAGE, change).read(&felica).unwrap()).1.unwrap_err();
    assert_eq!(why(|block| block[15] = 1), "the checksum of its attribute block does not fit");
    assert_eq!(why(|block| block[9] = 0x0F), "it was left in the middle of being written");
    assert_eq!(why(|block| block[12] = 0x40), "its length says 16396 bytes; it has room for 256");
    let mut plain = OnReader::new(|command| if command[1] == 0xCA { ok(&[1; 8]) } else { status(0x6A81) });
    assert!(said(plain.read(&felica).unwrap()).1.unwrap_err().contains("no standard command"));
}

#[test]
fn type5_is_read_with_a_short_and_a_long_container() {
    let vicinity = storage(0x0B, 0x14);
    let area = in_block(&MESSAGE);
    for (container, block, most) in [
        (vec![0xE1, 0x40, 0x08, 0x00], 4, 16),
        (vec![0xE1, 0x40, 0x08, 0x00], 4, 4),
        (vec![0xE2, 0x40, 0x00, 0x00, 0, 0, 0x01, 0x00], 4, 16),
        (vec![0xE1, 0x40, 0x08, 0x00], 8, 8),
    ] {
        let mut memory = [container.clone(), area.clone()].concat();
        memory.resize(2048 + 16, 0);
        let mut chip = storage_chip(&[0xE0; 8], memory, block, most);
        let mut tag = OnReader::new(move |command| match command {
            // Blocks of eight bytes are given whole or not at all.
            [0xFF, 0xB0, .., length] if usize::from(*length) % block != 0 => status(0x6C00 | block as u16),
            _ => chip(command),
        });
        let read = said(tag.read(&vicinity).unwrap());
        assert_eq!(
            read,
            ("Type 5 (ISO 15693)", Ok(MESSAGE.to_vec()), Some(8)),
            "{container:02X?} {block} {most}"
        );
    }
    let mut blank = OnReader::new(storage_chip(&[0xE0; 8], vec![0; 64], 4, 16));
    assert_eq!(said(blank.read(&vicinity).unwrap()).1, Err("the tag is not formatted for NDEF".into()));
}
