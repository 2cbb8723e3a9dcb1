//! Type 4: cards with files.

use super::{ISO_DEP, MESSAGE, OnReader, UID, ok, said, status};

/// A card with an NDEF application: the file, its size in the container, and the most that one read may ask for.
pub(super) struct Type4 {
    pub file: Vec<u8>,
    pub size: u16,
    pub most: u16,
    pub access: u8,
    /// The card gives nothing where a read goes beyond the end of its file.
    pub strict: bool,
}

impl Type4 {
    pub fn of(message: &[u8]) -> Self {
        let file = [&(message.len() as u16).to_be_bytes()[..], message].concat();
        Self { file, size: 2048, most: 59, access: 0, strict: false }
    }

    pub fn on_reader(self) -> OnReader {
        let mut selected: Option<Vec<u8>> = None;
        let mut application = false;
        let Self { file, size, most, access, strict } = self;
        let mut container = vec![0x00, 0x0F, 0x20];
        container.extend(most.to_be_bytes());
        container.extend([0x00, 0x34, 0x04, 0x06, 0xE1, 0x04]);
        container.extend(size.to_be_bytes());
        container.extend([access, 0x00]);
        OnReader::new(move |command| match command {
            [0xFF, 0xCA, 0, 0, 0] => ok(&UID),
            [0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00] => {
                application = true;
                ok(&[])
            }
            [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, id @ (3 | 4)] if application => {
                selected = Some(if *id == 3 { container.clone() } else { file.clone() });
                ok(&[])
            }
            [0x00, 0xB0, high, low, length] => {
                let (begin, wanted) = (usize::from(u16::from_be_bytes([*high, *low])), usize::from(*length));
                let Some(file) = &selected else { return status(0x6986) };
                match file.get(begin..) {
                    _ if wanted > usize::from(most.max(15)) => status(0x6700),
                    Some(rest) if rest.len() >= wanted => ok(&rest[..wanted]),
                    Some(rest) if !strict && !rest.is_empty() => [rest, &[0x62, 0x82]].concat(),
                    _ => status(0x6B00),
                }
            }
            _ => status(0x6A82),
        })
    }
}

#[test]
fn type4_is_read_in_as_few_commands_as_its_card_takes() {
    let mut tag = Type4::of(&MESSAGE).on_reader();
    assert_eq!(said(tag.read(&ISO_DEP).unwrap()), ("Type 4", Ok(MESSAGE.to_vec()), Some(7)));
    assert_eq!(
        tag.asked(),
        ["FFCA000000", "00A4040007", "00A4000C02", "00B000000F", "00A4000C02", "00B000003B"],
        "length and message come with one command"
    );
    let long = vec![0x31; 300];
    let mut tag = Type4::of(&long).on_reader();
    assert_eq!(said(tag.read(&ISO_DEP).unwrap()).1, Ok(long));
    assert_eq!(
        tag.asked()[5..],
        ["00B000003B", "00B0003B3B", "00B000763B", "00B000B13B", "00B000EC3B", "00B0012707"]
    );
}

#[test]
fn type4_cards_that_are_strict_are_asked_for_less() {
    let mut strict = Type4 { strict: true, ..Type4::of(&MESSAGE) }.on_reader();
    assert_eq!(said(strict.read(&ISO_DEP).unwrap()).1, Ok(MESSAGE.to_vec()));
    assert_eq!(strict.asked()[5..], ["00B000003B", "00B0000002", "00B000020C"]);
}

#[test]
fn type4_without_a_message_says_why() {
    let why = |card: Type4| said(card.on_reader().read(&ISO_DEP).unwrap()).1.unwrap_err();
    assert_eq!(
        why(Type4 { access: 0x80, ..Type4::of(&MESSAGE) }),
        "its NDEF file must not be read without a key"
    );
    assert_eq!(
        why(Type4 { size: 10, ..Type4::of(&MESSAGE) }),
        "its length says 12 bytes; the file has room for 8"
    );
    let cut = Type4 { file: vec![0x00, 0x40, 0xD1], ..Type4::of(&[]) };
    assert_eq!(why(cut), "63 of its 64 bytes cannot be read");
    let mut bank_card =
        OnReader::new(|command| if command[1] == 0xCA { ok(&[8, 1, 2, 3]) } else { status(0x6A82) });
    assert_eq!(said(bank_card.read(&ISO_DEP).unwrap()).1, Err("the card has no NDEF application".into()));
    assert_eq!(bank_card.asked().len(), 3, "both applications were asked for");
    assert_eq!(said(Type4::of(&[]).on_reader().read(&ISO_DEP).unwrap()).1, Ok(Vec::new()), "empty");
}

#[test]
fn an_answer_in_parts_is_put_together() {
    let mut rest: Vec<u8> = Vec::new();
    let mut inner = Type4::of(&MESSAGE).on_reader().chip;
    let mut tag = OnReader::new(move |command| match command {
        [0x00, 0xC0, 0, 0, _] => ok(&std::mem::take(&mut rest)),
        [0x00, 0xB0, ..] => {
            let answer = inner(command);
            let data = answer[..answer.len() - 2].to_vec();
            rest = data[1..].to_vec();
            [&data[..1], &[0x61, rest.len() as u8]].concat()
        }
        _ => inner(command),
    });
    assert_eq!(said(tag.read(&ISO_DEP).unwrap()).1, Ok(MESSAGE.to_vec()));
}
