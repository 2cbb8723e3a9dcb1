//! Bytes with the milliseconds when they come, and what counts of them.

use std::time::Duration;

use crossterm::event::Event;
use proptest::prelude::*;

use super::{Decoder, LONGEST_PASTE};
use crate::tui::input::{Input, translate};

/// What comes of these reads, each at its time, with every pause noticed: keys by name, a paste in quotes.
fn hear(reads: &[(u64, &[u8])]) -> String {
    let mut decoder = Decoder::default();
    let mut events = Vec::new();
    for (at, bytes) in reads {
        let now = Duration::from_millis(*at);
        while let Some(due) = decoder.due().filter(|due| *due <= now) {
            events.extend(decoder.pause(due));
        }
        events.extend(decoder.read(bytes, now));
    }
    while let Some(due) = decoder.due() {
        events.extend(decoder.pause(due));
    }
    told(events)
}

fn told(events: Vec<Event>) -> String {
    let inputs = events.into_iter().filter_map(translate).map(|input| match input {
        Input::Key(key) => key.to_string(),
        Input::Paste(text) => format!("{text:?}"),
        Input::Focus(front) => format!("focus:{front}"),
        other => panic!("{other:?}"),
    });
    inputs.collect::<Vec<_>>().join(" ")
}

fn at_once(bytes: &[u8]) -> String {
    hear(&[(0, bytes)])
}

/// What terminals answer or tell unasked.
const REPLIES: &[&[u8]] = &[
    b"\x1b]4;1;rgb:cdcd/0000/0000\x07",
    b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    b"\x1b]52;c;aGVsbG8gcQ==\x07",
    b"\x1b]lq title\x1b\\",
    b"\x1b[?62;22c",
    b"\x1b[>41;397;0c",
    b"\x1b[24;80R",
    b"\x1b[0n",
    b"\x1b[?2026;2$y",
    b"\x1b[8;30;100t",
    b"\x1b[?1u",
    b"\x1b[<0;10;10M",
    b"\x1b[<35;10;10m",
    b"\x1b[M qq",
    b"\x1bP>|XTerm(397)\x1b\\",
    b"\x1bP1+r544e=787465726d\x1b\\",
    b"\x1bP1$r0 q\x1b\\",
    b"\x1bP!|00000000\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1b^note q\x1b\\",
    b"\x1bXstring q\x1b\\",
];

#[test]
fn a_reply_types_nothing_at_whichever_byte_it_is_cut() {
    for reply in REPLIES {
        for cut in 0..=reply.len() {
            for pause in [0, 10, 39, 200, 900] {
                let (first, rest) = reply.split_at(cut);
                let heard = hear(&[(0, b"a"), (100, first), (100 + pause, rest), (2_500, b"b")]);
                // An ESC that stands alone for long is the key; what follows is known by coming at once.
                let esc = cut == 1 && pause > 39 && !matches!(reply.get(1), Some(b'^' | b'X'));
                if cut == 1 && pause > 39 && !esc || (reply[1] == b'[' && reply[2] == b'M' && esc) {
                    continue;
                }
                let expected = if esc { "a Esc b" } else { "a b" };
                assert_eq!(heard, expected, "{} cut at {cut}, {pause} ms", reply.escape_ascii());
            }
        }
    }
}

#[test]
fn a_reply_types_nothing_when_every_byte_comes_alone() {
    for reply in REPLIES {
        let mut reads: Vec<(u64, &[u8])> = reply.chunks(1).zip(0..).map(|(byte, n)| (n * 30, byte)).collect();
        reads.push((10_000, b"b"));
        assert_eq!(hear(&reads), "b", "{}", reply.escape_ascii());
    }
}

#[test]
fn focus_is_told_and_never_typed() {
    for cut in 0..=3 {
        for pause in [0, 30, 500] {
            let (first, rest) = b"\x1b[I".split_at(cut);
            let esc = if cut == 1 && pause > 40 { "Esc " } else { "" };
            assert_eq!(hear(&[(0, first), (pause, rest)]), format!("{esc}focus:true"), "{cut} {pause}");
        }
    }
    assert_eq!(at_once(b"\x1b[Oq"), "focus:false q");
}

#[test]
fn esc_is_a_key_after_a_moment_and_at_once_before_another() {
    let mut decoder = Decoder::default();
    assert_eq!(told(decoder.read(b"\x1b", Duration::ZERO)), "");
    assert!(decoder.due().unwrap() <= Duration::from_millis(50));
    assert_eq!(told(decoder.pause(decoder.due().unwrap())), "Esc");
    assert_eq!(decoder.due(), None);
    assert_eq!(at_once(b"\x1b\x1b"), "Esc Esc");
    assert_eq!(hear(&[(0, b"\x1b"), (45, b"q")]), "Esc q");
    assert_eq!(at_once(b"\x1bq"), "", "Alt+Q is no key here");
    assert_eq!(at_once(b"\x1b\x03"), "Ctrl+C", "Esc and Ctrl-C in one moment must leave");
    assert_eq!(hear(&[(0, b"\x1b"), (100, b"["), (200, b"A")]), "Esc [ A", "typed by hand");
}

#[test]
fn keys_are_known_in_every_spelling() {
    for (bytes, names) in [
        (&b"aB \r\n\t\x7f\x08\x03"[..], "a B Space Enter Ctrl+J Tab Backspace Backspace Ctrl+C"),
        ("é漢🙂".as_bytes(), "é 漢 🙂"),
        (b"\x1b[A\x1bOB\x1b[1;1C\x1b[D\x1b[H\x1b[F", "Up Down Right Left Home End"),
        (b"\x1b[1~\x1b[4~\x1b[3~\x1b[5~\x1b[6~\x1b[Z", "Home End Delete PgUp PgDn BackTab"),
        (b"\x1b[97u\x1b[97;2u\x1b[50:64;2u\x1b[99;5u\x1b[13u\x1b[27u", "a A @ Ctrl+C Enter Esc"),
        (b"\x1b[57400u\x1b[57414u\x1b[57419u\x1b[9;2u\x1b[27;5;99~", "1 Enter Up BackTab Ctrl+C"),
        (b"\x1bOj\x1bOM\x1bOq", "* Enter 1"),
        (b"\x1bOP\x1b[[A\x1b[15~\x1b[2~\x1b[1;3Aq", "q"),
    ] {
        assert_eq!(at_once(bytes), names, "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_held_key_counts_each_time_it_repeats_and_not_when_it_is_released() {
    assert_eq!(at_once(b"\x1b[115;1:1u\x1b[115;1:2u\x1b[115;1:3u"), "s s");
    assert_eq!(at_once(b"\x1b[1;1:1A\x1b[1;1:3A\x1b[3;1:3~"), "Up");
}

#[test]
fn typing_comes_through_after_half_a_sequence() {
    for half in [&b"\x1b["[..], b"\x1b[1;", b"\x1b]11;rgb", b"\x1bP>|x", b"\x1b_G", b"\x1bO", b"\xf0\x9f"] {
        assert_eq!(hear(&[(0, half), (1_100, b"hi")]), "h i", "{}", half.escape_ascii());
        assert_eq!(hear(&[(0, half), (100, b"\x03")]), "Ctrl+C", "{}", half.escape_ascii());
    }
    assert_eq!(at_once(b"\x1b]hi"), "h i", "Alt+] and typing");
    assert_eq!(at_once(b"\x1bPhi"), "h i");
}

#[test]
fn what_is_no_key_does_not_hold_alt_for_the_next() {
    for bytes in [&b"\x1b\x80q"[..], b"\x1b\xc3q", b"\x1b\xed\xa0\x80q", b"\x1b\xf0\x9f\x1b[31~q"] {
        assert_eq!(at_once(bytes), "q", "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_paste_is_one_piece_however_it_is_cut() {
    let bytes = "\x1b[200~one\r\ntwo\té\x1b[31m\x1b[20\x1b\x1b[201~".as_bytes();
    let whole = at_once(bytes);
    assert_eq!(whole, r#""one\r\ntwo\té\u{1b}[31m\u{1b}[20\u{1b}""#);
    for cut in 2..bytes.len() {
        let (first, rest) = bytes.split_at(cut);
        assert_eq!(hear(&[(0, first), (500, rest)]), whole, "cut at {cut}");
    }
}

#[test]
fn an_end_mark_in_a_paste_presses_no_key() {
    let hostile = b"\x1b[200~safe\x1b[201~\rq\x03\x1b[Aevil\n\x1b[201~";
    assert_eq!(at_once(hostile), r#""safe\nqevil\n""#);
    for cut in 6..hostile.len() {
        let (first, rest) = hostile.split_at(cut);
        assert_eq!(hear(&[(0, first), (10, rest)]), r#""safe\nqevil\n""#, "cut at {cut}");
    }
    assert_eq!(hear(&[(0, b"\x1b[200~x\x1b[201~"), (60, b"\r")]), r#""x" Enter"#, "a hand is slower");
    let again = b"\x1b[200~a\x1b[201~\x1b]11;rgb:1\x07\x1b[200~b\x1b[201~";
    assert_eq!(at_once(again), r#""ab""#, "two at once, a reply between them");
}

#[test]
fn ctrl_c_in_the_same_read_as_half_a_sequence_is_ctrl_c() {
    for half in [
        &b"\x1b["[..],
        b"\x1bO",
        b"\x1b[M",
        b"\x1b[M q",
        b"\x1b[[",
        b"\x1b]",
        b"\x1b]11;",
        b"\x1b[?62",
        b"\x1b",
    ] {
        assert_eq!(at_once(&[half, b"\x03"].concat()), "Ctrl+C", "{}", half.escape_ascii());
    }
}

#[test]
fn a_paste_without_an_end_sends_nothing_and_ctrl_c_leaves_it() {
    assert_eq!(
        hear(&[(0, b"\x1b[200~one"), (5_000, b"\rtwo\r"), (9_000, b"\x03"), (9_100, b"q")]),
        r#""one" "\rtwo\r" Ctrl+C q"#
    );
    assert_eq!(hear(&[(0, b"\x1b[200~a"), (100, b"\x03"), (200, b"\x1b[201~")]), r#""a\u{3}""#);
}

#[test]
fn an_endless_paste_is_bounded() {
    let mut decoder = Decoder::default();
    let mut events = decoder.read(b"\x1b[200~", Duration::ZERO);
    for n in 0..400 {
        events.extend(decoder.read(&[b'x'; 8_192], Duration::from_millis(n)));
    }
    events.extend(decoder.read(b"\x1b[201~", Duration::from_millis(400)));
    events.extend(decoder.pause(Duration::from_millis(600)));
    let [Event::Paste(text)] = &events[..] else { panic!("{} events", events.len()) };
    assert_eq!(text.len(), LONGEST_PASTE);
}

/// Keys, a report, a paste and a reply.
const PIECES: &[&[u8]] = &[
    b"a",
    b"\r",
    b"\x1b[A",
    b"\x1b[3~",
    b"\x1bOF",
    "漢".as_bytes(),
    b"\x1b[99;5u",
    b"\x1b[I",
    b"\x1b[200~x\ry\x1b[201~",
    b"\x1b]11;rgb:1/2/3\x07",
];

proptest! {
    #[test]
    fn whatever_comes_the_next_key_is_heard(
        reads in prop::collection::vec(
            (0_u64..1_500, prop::collection::vec(
                prop_oneof![3 => any::<u8>(), 2 => prop::sample::select(&b"\x1b[]P_O201~;?M"[..])], 0..40)),
            0..30,
        ),
    ) {
        let mut decoder = Decoder::default();
        let mut now = Duration::ZERO;
        for (pause, bytes) in &reads {
            now += Duration::from_millis(*pause);
            decoder.read(bytes, now);
        }
        while let Some(due) = decoder.due() {
            decoder.pause(due);
            now = now.max(due);
        }
        let later = now + Duration::from_secs(2);
        prop_assert_eq!(told(decoder.read(b"\x03", later)), "Ctrl+C");
        prop_assert_eq!(told(decoder.read(b"q", later)), "q");
    }

    #[test]
    fn keys_do_not_depend_on_how_they_are_cut(
        keys in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        cuts in prop::collection::vec(1_usize..9, 1..50),
    ) {
        let bytes = keys.concat();
        let whole = at_once(&bytes);
        let (mut rest, mut reads) = (&bytes[..], Vec::new());
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (first, left) = rest.split_at((*cut).min(rest.len()));
            reads.push((0, first));
            rest = left;
        }
        prop_assert_eq!(hear(&reads), whole);
    }
}
