//! Family B of the hard cases, record by record, and properties.

use proptest::prelude::*;

use super::{
    Content, Damaged, MESSAGE_BYTES, Message, Problem, RECORDS, RawRecord, RecordFault, SmartPoster, Text,
    Tnf, Uri, encode_message, parse_message,
};

fn hex(bytes: &str) -> Vec<u8> {
    data_encoding::HEXUPPER_PERMISSIVE.decode(bytes.replace(char::is_whitespace, "").as_bytes()).unwrap()
}

fn parse(bytes: &str) -> Result<Message, Damaged> {
    parse_message(&hex(bytes))
}

fn contents(bytes: &str) -> Vec<Content> {
    parse(bytes).unwrap().records.into_iter().map(|r| r.content).collect()
}

fn faults(bytes: &str) -> Vec<RecordFault> {
    parse(bytes).unwrap().problems.into_iter().map(|p| p.fault).collect()
}

fn text(language: &str, text: &str) -> Content {
    Content::Text(Text { language: language.into(), text: text.into(), utf16: false })
}

fn utf16(text: &str) -> Content {
    Content::Text(Text { language: "en".into(), text: text.into(), utf16: true })
}

fn uri(code: u8, uri: &str) -> Content {
    Content::Uri(Uri { uri: uri.into(), code })
}

#[test]
fn b7_text_is_split_by_the_low_six_bits() {
    assert_eq!(
        contents("D1 01 0E 54 02 65 6E 6B 69 73 73 20 2D 20 63 6F 6C 64"),
        [text("en", "kiss - cold")]
    );
    assert_eq!(contents("D1 01 08 54 05 64 65 2D 43 48 68 69"), [text("de-CH", "hi")]);
    assert_eq!(contents("D1 01 03 54 02 65 6E"), [text("en", "")], "an empty text is a text");
    assert_eq!(contents("D1 01 05 54 42 65 6E 68 69"), [text("en", "hi")], "the reserved bit is ignored");
}

#[test]
fn b7_utf16_goes_by_its_mark_and_else_is_big_endian() {
    assert_eq!(contents("D1 01 07 54 82 65 6E 00 68 00 69"), [utf16("hi")]);
    assert_eq!(contents("D1 01 09 54 82 65 6E FE FF 00 68 00 69"), [utf16("hi")]);
    assert_eq!(contents("D1 01 09 54 82 65 6E FF FE 68 00 69 00"), [utf16("hi")]);
    assert_eq!(contents("D1 01 07 54 82 65 6E D8 3E DD 80"), [utf16("🦀")]);
    for broken in ["D1 01 06 54 82 65 6E 00 68 00", "D1 01 05 54 82 65 6E D8 3E"] {
        assert_eq!(contents(broken), [Content::Malformed]);
        assert_eq!(faults(broken), [RecordFault::TextEncoding("UTF-16")]);
    }
}

#[test]
fn b7_a_bad_language_length_is_the_fault_of_one_record() {
    let too_long = RecordFault::LanguageTooLong { announced: 63, held: 2 };
    assert_eq!(faults("D1 01 03 54 3F 65 6E"), std::slice::from_ref(&too_long));
    let message = parse("91 01 03 54 3F 65 6E 51 01 03 55 04 61 62").unwrap();
    assert_eq!(message.problems, [Problem { record: 1, fault: too_long }]);
    assert_eq!(message.records[1].content, uri(4, "https://ab"));
    assert_eq!(
        message.problems[0].to_string(),
        "record 1: a Text record announces a language code of 63 bytes and holds 2"
    );
    assert_eq!(contents("D1 01 03 54 00 68 69"), [text("", "hi")], "length 0 is noted, the text is shown");
    assert_eq!(faults("D1 01 03 54 00 68 69"), [RecordFault::LanguageMissing]);
    assert_eq!(faults("D1 01 00 54"), [RecordFault::TextEmpty]);
    assert_eq!(faults("D1 01 03 54 01 E4 68"), [RecordFault::LanguageNotAscii]);
    assert_eq!(faults("D1 01 04 54 02 65 6E E4"), [RecordFault::TextEncoding("UTF-8")]);
}

#[test]
fn b8_the_prefix_table_has_edges() {
    assert_eq!(contents("D1 01 06 55 00 75 72 6E 3A 61"), [uri(0, "urn:a")]);
    assert_eq!(contents("D1 01 02 55 02 61"), [uri(2, "https://www.a")], "one dot, not two");
    assert_eq!(contents("D1 01 02 55 23 61"), [uri(0x23, "urn:nfc:a")]);
    for code in 0x24..=0xFF_u8 {
        let message = parse_message(&[0xD1, 1, 2, 0x55, code, 0x61]).unwrap();
        assert_eq!(message.records[0].content, uri(code, "a"));
        assert_eq!(message.problems[0].fault, RecordFault::UriCodeUnknown(code));
    }
    assert_eq!(contents("D1 01 01 55 04"), [uri(4, "https://")]);
    for empty in ["D1 01 00 55", "D1 01 01 55 00"] {
        assert_eq!((contents(empty), faults(empty)), (vec![Content::Malformed], vec![RecordFault::UriEmpty]));
    }
    assert_eq!(faults("D1 01 02 55 04 FF"), [RecordFault::UriEncoding]);
}

#[test]
fn b10_inside_a_smart_poster_begin_and_end_are_not_looked_at() {
    let poster = |inner: &str| {
        let inner = hex(inner);
        let mut bytes = vec![0xD1, 2, u8::try_from(inner.len()).unwrap(), b'S', b'p'];
        bytes.extend(inner);
        parse_message(&bytes).unwrap()
    };
    let whole = Content::SmartPoster(SmartPoster {
        uris: vec![Uri { uri: "https://ab".into(), code: 4 }],
        titles: vec![
            Text { language: "en".into(), text: "Hi".into(), utf16: false },
            Text { language: "de".into(), text: "Ho".into(), utf16: false },
        ],
        others: 1,
    });
    let normal =
        "91 01 03 55 04 61 62  11 01 05 54 02 65 6E 48 69  11 03 01 61 63 74 00  51 01 05 54 02 64 65 48 6F";
    let repeated =
        "D1 01 03 55 04 61 62  D1 01 05 54 02 65 6E 48 69  D1 03 01 61 63 74 00  D1 01 05 54 02 64 65 48 6F";
    for inner in [normal, repeated] {
        let message = poster(inner);
        assert_eq!((&message.records[0].content, message.problems.len()), (&whole, 0), "{inner}");
    }
}

#[test]
fn b10_nesting_ends_at_two_and_a_poster_has_one_uri() {
    let link = RawRecord::uri("https://ab");
    let inner = RawRecord::smart_poster(std::slice::from_ref(&link)).unwrap();
    let outer = RawRecord::smart_poster(&[link.clone(), inner]).unwrap();
    let message = parse_message(&encode_message(&[outer]).unwrap()).unwrap();
    assert_eq!(message.problems, [Problem { record: 1, fault: RecordFault::PosterTooDeep }]);
    let Content::SmartPoster(poster) = &message.records[0].content else { panic!("{message:?}") };
    assert_eq!(poster.uri().map(|u| u.uri.as_str()), Some("https://ab"));

    let two = RawRecord::smart_poster(&[link.clone(), link]).unwrap();
    let message = parse_message(&encode_message(&[two]).unwrap()).unwrap();
    assert_eq!(message.problems[0].fault, RecordFault::PosterUris(2));
    assert_eq!(faults("D1 02 00 53 70"), [RecordFault::PosterUris(0)]);
    assert!(matches!(faults("D1 02 03 53 70 D1 01 09")[..], [RecordFault::PosterDamaged(_)]));
}

#[test]
fn b11_empty_is_formatted_and_empty_and_not_broken() {
    for empty in ["", "D0 00 00", "D8 00 00 00", "C0 00 00 00 00 00", "90 00 00 50 00 00"] {
        assert!(parse(empty).unwrap().is_empty(), "{empty}");
    }
    let message = parse("D0 00 01 41").unwrap();
    assert!(!message.is_empty());
    assert_eq!(message.problems[0].fault, RecordFault::EmptyWithContent);
    assert_eq!(faults("D0 01 00 41"), [RecordFault::EmptyWithContent]);
}

#[test]
fn b13_a_type_that_is_a_uri_is_shown_and_every_record_is_read() {
    let absolute = Content::AbsoluteUri { uri: "http://example.com".into(), bytes: 0 };
    assert_eq!(
        contents("D3 12 00 68 74 74 70 3A 2F 2F 65 78 61 6D 70 6C 65 2E 63 6F 6D"),
        std::slice::from_ref(&absolute)
    );
    assert_eq!(
        contents(
            "93 12 00 68 74 74 70 3A 2F 2F 65 78 61 6D 70 6C 65 2E 63 6F 6D \
             12 03 02 61 2F 62 00 00  14 03 01 61 3A 62 00  11 02 00 48 73  15 00 01 FF  51 01 03 55 04 61 62"
        ),
        [
            absolute,
            Content::Mime { media_type: "a/b".into(), bytes: 2 },
            Content::External { name: "a:b".into(), bytes: 1 },
            Content::WellKnown { name: "Hs".into(), bytes: 0 },
            Content::Unknown { bytes: 1 },
            uri(4, "https://ab"),
        ]
    );
    assert_eq!(faults("D7 00 01 00"), [RecordFault::ReservedFormat]);
    assert_eq!(faults("D5 01 00 41"), [RecordFault::UnknownWithType]);
    assert_eq!(faults("D4 01 00 FF"), [RecordFault::TypeNotText]);
}

#[test]
fn b14_a_torn_message_is_damaged_as_a_whole() {
    let cut = |record, needed, left| Err(Damaged::CutOff { record, needed, left });
    assert_eq!(parse("91 01 02 55 00 61"), Err(Damaged::NoEnd), "no record carries the end");
    assert_eq!(parse("91 01 02 55 00 61 51 01 09 55 00 61"), cut(2, 9, 2));
    assert_eq!(parse("D1 01 02 55 00 61 65 6E"), Err(Damaged::AfterEnd(2)), "stale bytes of the old text");
    assert_eq!(parse("91 01 02 55 00 61 D1 01 02 55 00 61"), Err(Damaged::Begin(2)));
    assert_eq!(parse("51 01 02 55 00 61"), Err(Damaged::Begin(1)));
    for short in ["D1", "D1 01", "D1 01 02", "D1 01 02 55", "D1 01 02 55 00", "C1 01 00 00 00", "D9 01 01"] {
        assert!(matches!(parse(short), Err(Damaged::CutOff { .. })), "{short}");
    }
    assert!(matches!(parse("C1 01 FF FF FF FF 55 04"), Err(Damaged::CutOff { needed: 0xFFFF_FFFF, .. })));
}

#[test]
fn chunks_are_joined_or_the_message_is_damaged() {
    assert_eq!(contents("B1 01 02 55 04 61  36 00 01 62  56 00 01 63"), [uri(4, "https://abc")]);
    for broken in [
        "F1 01 02 55 04 61",                    // the end on a chunk that goes on
        "B1 01 02 55 04 61",                    // no last chunk
        "D6 00 01 61",                          // a later chunk of nothing
        "B1 01 02 55 04 61  51 01 02 55 04 61", // another record inside
        "B1 01 02 55 04 61  56 01 01 55 61",    // a later chunk with a type
        "B1 01 02 55 04 61  5E 00 01 01 41 61", // a later chunk with an id
    ] {
        assert_eq!(parse(broken), Err(Damaged::Chunks(1)), "{broken}");
    }
}

#[test]
fn the_work_is_bounded() {
    let mut many = vec![0x90, 0, 0];
    many.extend([0x10, 0, 0].repeat(RECORDS));
    assert_eq!(parse_message(&many), Err(Damaged::TooManyRecords));
    let mut chunks = vec![0xB5, 0, 0];
    chunks.extend([0x36, 0, 0].repeat(RECORDS));
    assert_eq!(parse_message(&chunks), Err(Damaged::TooManyRecords));
    assert_eq!(parse_message(&vec![0; MESSAGE_BYTES + 1]), Err(Damaged::TooLong));
}

fn any_record() -> impl Strategy<Value = RawRecord> {
    let bytes = |max| prop::collection::vec(any::<u8>(), 0..max);
    (prop::sample::select(vec![1_u8, 2, 3, 4, 5, 7]), bytes(12), bytes(4), bytes(400)).prop_map(
        |(tnf, record_type, id, payload)| RawRecord { tnf: Tnf::from_bits(tnf), record_type, id, payload },
    )
}

proptest! {
    #[test]
    fn what_is_encoded_is_read_back(records in prop::collection::vec(any_record(), 1..6)) {
        let message = parse_message(&encode_message(&records).unwrap()).unwrap();
        let back: Vec<RawRecord> = message.records.into_iter().map(|r| r.raw).collect();
        prop_assert_eq!(back, records);
    }

    #[test]
    fn a_cut_message_is_never_whole(records in prop::collection::vec(any_record(), 1..4), at in any::<prop::sample::Index>()) {
        let bytes = encode_message(&records).unwrap();
        let cut = at.index(bytes.len());
        prop_assume!(cut > 0);
        prop_assert!(parse_message(&bytes[..cut]).is_err());
    }

    #[test]
    fn uris_and_texts_come_back_byte_for_byte(link in "\\PC{1,40}", language in "[a-z]{2}", words in "\\PC{0,40}") {
        let bytes = encode_message(&[RawRecord::uri(&link), RawRecord::text(&language, &words)]).unwrap();
        let message = parse_message(&bytes).unwrap();
        let Content::Uri(back) = &message.records[0].content else { panic!("{message:?}") };
        prop_assert_eq!(&back.uri, &link);
        prop_assert_eq!(&message.records[1].content, &text(&language, &words));
    }

    #[test]
    fn b7_any_language_length_is_split_or_is_the_fault_of_its_record(
        status: u8,
        rest in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let payload = [vec![status], rest.clone()].concat();
        let bad = RawRecord { tnf: Tnf::from_bits(1), record_type: b"T".to_vec(), id: Vec::new(), payload };
        let bytes = encode_message(&[bad, RawRecord::text("en", "after")]).unwrap();
        let message = parse_message(&bytes).unwrap();
        prop_assert_eq!(&message.records[1].content, &text("en", "after"), "the others are still shown");
        if let Content::Text(said) = &message.records[0].content {
            prop_assert!(usize::from(status & 0x3F) <= rest.len());
            prop_assert!(said.language.len() <= 63 * 3);
        }
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), framed in any::<bool>()) {
        let mut bytes = bytes;
        if framed && bytes.len() > 8 {
            bytes[..5].copy_from_slice(&[0xD1, 2, 0, b'S', b'p']);
            bytes[2] = u8::try_from((bytes.len() - 5).min(255)).unwrap();
        }
        let _ = parse_message(&bytes);
    }
}
