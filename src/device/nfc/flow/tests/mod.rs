//! Each kind of tag as a small model of its chip, read through the same commands as a real one. The tags of
//! `tests/readers/tags.py` are others, written apart from these.

mod memory;
mod type4;

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use zeroize::Zeroizing;

use self::memory::type3;
use self::type4::Type4;
use super::atr::{Kind, kind};
use super::link::{Card, CardError, Interrupted, Link};
use super::read;
use crate::device::nfc::RawTag;

/// The end of a made-up answer to reset: standard and name of the chip.
pub fn storage(standard: u8, name: u16) -> Vec<u8> {
    let mut atr = vec![0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, standard];
    atr.extend(name.to_be_bytes());
    atr.extend([0, 0, 0, 0, 0x68]);
    atr
}

const NTAG: (u8, u16) = (0x03, 0x0003);
const ISO_DEP: [u8; 6] = [0x3B, 0x81, 0x80, 0x01, 0x80, 0x80];
const UID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];
/// `urn:x:1` as a URI record.
pub const MESSAGE: [u8; 12] = [0xD1, 0x01, 0x08, b'U', 0x00, b'u', b'r', b'n', b':', b'x', b':', b'1'];

/// What a chip answers to a command.
pub type Chip = Box<dyn FnMut(&[u8]) -> Vec<u8>>;

/// A chip on a reader, and what may happen to it.
pub struct OnReader {
    chip: Chip,
    /// After so many answers the tag is gone; whether that shows as an answer of no bytes.
    torn: Option<(usize, bool)>,
    sent: Vec<Vec<u8>>,
    reconnected: usize,
}

impl OnReader {
    fn new(chip: impl FnMut(&[u8]) -> Vec<u8> + 'static) -> Self {
        Self { chip: Box::new(chip), torn: None, sent: Vec::new(), reconnected: 0 }
    }

    pub fn torn(mut self, after: usize, silently: bool) -> Self {
        self.torn = Some((after, silently));
        self
    }

    /// From the answer after so many on, each is one byte.
    pub fn without_status(self, after: usize) -> Self {
        let (mut chip, mut answered) = (self.chip, 0);
        Self::new(move |command| {
            answered += 1;
            if answered > after { vec![0x90] } else { chip(command) }
        })
    }

    fn read(&mut self, atr: &[u8]) -> Result<RawTag, Interrupted> {
        let stop = AtomicBool::new(false);
        read(&mut Link::new(self, &stop), atr)
    }

    /// The first four bytes of each command, and its length field where it reads.
    fn asked(&self) -> Vec<String> {
        self.sent.iter().map(|command| command.iter().take(5).map(|b| format!("{b:02X}")).collect()).collect()
    }
}

impl Card for OnReader {
    fn transmit(&mut self, command: &[u8]) -> Result<Zeroizing<Vec<u8>>, CardError> {
        match self.torn {
            Some((after, true)) if self.sent.len() == after => return Ok(Zeroizing::default()),
            Some((after, false)) if self.sent.len() == after => return Err(CardError::Gone),
            _ => {}
        }
        self.sent.push(command.to_vec());
        Ok(Zeroizing::new((self.chip)(command)))
    }

    fn reconnect(&mut self) -> Result<(), CardError> {
        self.reconnected += 1;
        Ok(())
    }
}

fn ok(data: &[u8]) -> Vec<u8> {
    [data, &[0x90, 0x00]].concat()
}

fn status(status: u16) -> Vec<u8> {
    status.to_be_bytes().to_vec()
}

/// `FF CA`, and `FF B0` over memory of this block size, as a reader that gives at most `most` bytes at once.
fn storage_chip(uid: &'static [u8], memory: Vec<u8>, block: usize, most: usize) -> Chip {
    Box::new(move |command| match command {
        [0xFF, 0xCA, 0, 0, 0] => ok(uid),
        [0xFF, 0xB0, high, low, length] => {
            let begin = usize::from(u16::from_be_bytes([*high, *low])) * block;
            match memory.get(begin..begin + usize::from(*length)) {
                _ if usize::from(*length) > most => status(0x6700),
                Some(data) => ok(data),
                None => status(0x6300),
            }
        }
        _ => status(0x6A81),
    })
}

/// The pages of a Type 2 tag from page 0 on; `area` is its data area.
fn type2_memory(area: &[u8], size: u8) -> Vec<u8> {
    let mut memory = vec![0; 12];
    memory.extend([0xE1, 0x10, size, 0x00]);
    memory.extend(area);
    memory.resize(16 + usize::from(size) * 8 + 20, 0xAA);
    memory
}

pub fn type2(area: &[u8]) -> OnReader {
    OnReader::new(storage_chip(&UID, type2_memory(area, 18), 4, 16))
}

pub fn in_block(message: &[u8]) -> Vec<u8> {
    let length = if message.len() < 255 {
        vec![message.len() as u8]
    } else {
        [&[0xFF], &(message.len() as u16).to_be_bytes()[..]].concat()
    };
    [&[0x03][..], &length, message, &[0xFE]].concat()
}

/// The technology, the message or why there is none, and the length of the id.
fn said(tag: RawTag) -> (&'static str, Result<Vec<u8>, String>, Option<usize>) {
    let RawTag::Read { technology, ndef, uid } = tag else { panic!("a reader gives nothing else") };
    (technology, ndef.map(|m| m.to_vec()).map_err(|none| none.why), uid.map(|uid| uid.len()))
}

#[test]
fn the_answer_to_reset_names_the_kind() {
    let table = [
        (storage(0x03, 0x0001), Kind::Classic),
        (storage(0x03, 0x0002), Kind::Classic),
        (storage(0x03, 0x0026), Kind::Classic),
        (storage(0x03, 0x0003), Kind::Type2),
        (storage(0x03, 0x003A), Kind::Type2),
        (storage(0x03, 0xFF12), Kind::Type2),
        (storage(0x02, 0x0030), Kind::Type1),
        (storage(0x11, 0x003B), Kind::Type3),
        (storage(0x0B, 0x0014), Kind::Type5),
        (storage(0x0C, 0x0000), Kind::Type5),
        (storage(0x05, 0x0006), Kind::Other),
        (ISO_DEP.to_vec(), Kind::Type4),
        (vec![0x3B, 0x80, 0x80, 0x01, 0x01], Kind::Type4),
        (vec![0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C], Kind::Type4),
        (vec![0x3B, 0xF8, 0x13, 0x00, 0x00, 0x81, 0x31, 0xFE], Kind::Other),
        (vec![0x3B], Kind::Other),
        (Vec::new(), Kind::Other),
    ];
    for (atr, expected) in table {
        assert_eq!(kind(&atr), expected, "{atr:02X?}");
    }
}

#[test]
fn a13_only_an_id_is_taken_for_an_id() {
    let with = |atr: &[u8], answer: Vec<u8>| {
        let mut tag =
            OnReader::new(move |command| if command[1] == 0xCA { answer.clone() } else { status(0x6A82) });
        said(tag.read(atr).unwrap()).2
    };
    let ntag = storage(NTAG.0, NTAG.1);
    for (answer, expected) in [
        (ok(&[4; 4]), Some(4)),
        (ok(&UID), Some(7)),
        (ok(&[4; 10]), Some(10)),
        (ok(&[4; 5]), None),
        (ok(&[4; 8]), None),
        (ok(&[]), None),
        (status(0x6300), None),
        (status(0x6A81), None),
    ] {
        assert_eq!(with(&ntag, answer.clone()), expected, "{answer:02X?}");
    }
    assert_eq!(with(&storage(0x0B, 0x14), ok(&[0xE0; 8])), Some(8), "ISO 15693");
    assert_eq!(with(&storage(0x0B, 0x14), ok(&[0xE0; 7])), None);
}

#[test]
fn a19_classic_gives_its_id_and_no_more() {
    let mut tag = OnReader::new(storage_chip(&[1, 2, 3, 4], vec![0; 64], 16, 16));
    let (technology, ndef, uid) = said(tag.read(&storage(3, 1)).unwrap());
    assert_eq!((technology, uid), ("MIFARE Classic", Some(4)));
    assert!(ndef.unwrap_err().contains("need keys"));
    assert_eq!(tag.asked(), ["FFCA000000"], "no key is tried");
}

#[test]
fn a20_the_first_command_may_fail_once() {
    let memory = type2_memory(&in_block(&MESSAGE), 18);
    let mut chip = storage_chip(&UID, memory, 4, 16);
    let mut first = true;
    let mut tag =
        OnReader::new(move |command| if std::mem::take(&mut first) { status(0x6D00) } else { chip(command) });
    assert_eq!(said(tag.read(&storage(3, 3)).unwrap()), ("Type 2", Ok(MESSAGE.to_vec()), Some(7)));
}

#[test]
fn a_card_with_contacts_is_no_tag() {
    let mut card = OnReader::new(|_| status(0x6E00));
    let (technology, ndef, uid) = said(card.read(&[0x3B, 0x65, 0, 0, 1, 2, 3, 4, 5]).unwrap());
    assert_eq!((technology, uid), ("card with contacts", None));
    assert!(ndef.unwrap_err().contains("not a tag"));
}

/// Its name, its answer to reset, and one of it.
type Flow = (&'static str, Vec<u8>, fn() -> OnReader);

/// One tag for every way of reading.
fn flows() -> Vec<Flow> {
    vec![
        ("Type 2", storage(3, 3), || type2(&in_block(&[0x41; 100]))),
        ("Type 3", storage(0x11, 0x3B), || type3(&[0x41; 100], |_| {})),
        ("Type 4", ISO_DEP.to_vec(), || Type4::of(&[0x41; 200]).on_reader()),
        ("Type 5", storage(0x0B, 0x14), || {
            let mut memory = [vec![0xE1, 0x40, 0x20, 0x00], in_block(&[0x41; 100])].concat();
            memory.resize(300, 0);
            OnReader::new(storage_chip(&[0xE0; 8], memory, 4, 16))
        }),
        ("Classic", storage(3, 1), || OnReader::new(storage_chip(&[1, 2, 3, 4], vec![0; 64], 16, 16))),
    ]
}

#[test]
fn a14_a_tag_torn_away_at_any_command_gives_nothing() {
    for (name, atr, tag) in flows() {
        let mut whole = tag();
        whole.read(&atr).unwrap();
        let commands = whole.sent.len();
        assert!(commands > 0);
        for (after, silently) in (0..commands).flat_map(|after| [(after, true), (after, false)]) {
            let torn = tag().torn(after, silently).read(&atr);
            assert_eq!(torn, Err(Interrupted::Torn { after }), "{name}, silently: {silently}");
        }
        assert!(tag().torn(commands, true).read(&atr).is_ok());
    }
}

#[test]
fn an_answer_of_one_byte_is_a_fault_of_the_reader_and_no_tear() {
    for (name, atr, tag) in flows() {
        let mut whole = tag();
        whole.read(&atr).unwrap();
        for after in 0..whole.sent.len() {
            let mut cut = tag().without_status(after);
            assert_eq!(cut.read(&atr), Err(Interrupted::NoStatus), "{name}, after {after}");
            assert_eq!(cut.sent.len(), after + 1, "{name}: nothing more is sent");
        }
    }
}

#[test]
fn a_scan_that_is_stopped_sends_nothing_more() {
    for (name, atr, tag) in flows() {
        let stop = AtomicBool::new(true);
        let mut tag = tag();
        assert_eq!(read(&mut Link::new(&mut tag, &stop), &atr), Err(Interrupted::Stopped), "{name}");
        assert!(tag.sent.is_empty());
    }
}

#[test]
fn the_trace_holds_nothing_that_a_tag_said() {
    let mut tag = type2(&in_block(&MESSAGE));
    let stop = AtomicBool::new(false);
    let mut link = Link::new(&mut tag, &stop);
    read(&mut link, &storage(3, 3)).unwrap();
    let (apdus, took) = link.into_trace();
    let lines: Vec<String> = apdus.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        ["FF CA 00 00 → 7 bytes, 9000", "FF B0 00 03 → 16 bytes, 9000", "FF B0 00 07 → 4 bytes, 9000"]
    );
    assert!(took >= apdus.iter().map(|apdu| apdu.took).sum::<std::time::Duration>());
    assert!(!format!("{apdus:?}").to_lowercase().contains("a1"), "nothing of the id");
}

proptest! {
    /// Whatever a tag answers, reading it ends, in bounds.
    #[test]
    fn reading_ends_whatever_comes(
        answers in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..20),
        atr in prop_oneof![
            Just(storage(3, 3)), Just(storage(0x11, 0x3B)), Just(storage(0x0B, 0x14)), Just(ISO_DEP.to_vec()),
            prop::collection::vec(any::<u8>(), 0..33),
        ],
        well in any::<bool>(),
    ) {
        let mut next = answers.into_iter().cycle();
        let mut tag = OnReader::new(move |_| {
            let answer = next.next().unwrap_or_default();
            if well { ok(&answer) } else { answer }
        });
        let _whatever = tag.read(&atr);
        prop_assert!(tag.sent.len() < 20_000, "{} commands", tag.sent.len());
    }

    /// Every message that fits is read as it is.
    #[test]
    fn every_message_is_read_as_it_is(
        message in prop::collection::vec(any::<u8>(), 0..1200),
        padding in 0usize..9,
        most in 15u16..300,
    ) {
        let area = [vec![0; padding], in_block(&message)].concat();
        let mut type2 = OnReader::new(storage_chip(&UID, type2_memory(&area, 255), 4, 16));
        // Pages above 255 are out of reach of the reader's command on real chips, not of this one's.
        let read2 = said(type2.read(&storage(3, 3)).unwrap()).1;
        prop_assert_eq!(read2, Ok(message.clone()));
        let mut type4 = Type4 { most, ..Type4::of(&message) }.on_reader();
        let read4 = said(type4.read(&ISO_DEP).unwrap()).1;
        prop_assert_eq!(read4, Ok(message));
    }
}
