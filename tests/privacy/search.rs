//! The search for what must never be written. It shares nothing with the scrubber: it undoes every escape that it knows,
//! takes all marks away, and looks whether a secret is left, in letters, digits, numbers or base64.

use std::collections::HashSet;

use data_encoding::{BASE64_NOPAD, HEXLOWER};

use crate::secrets::{Photo, TOKEN, UIDS, orders};

/// How often escapes may stand within escapes.
const ROUNDS: usize = 3;
/// Characters of a piece of the photo that counts.
const PIECE: usize = 64;

/// What must not be in `text`, found all the same.
pub fn leaks(text: &[u8], photo: &Photo) -> Vec<String> {
    let mut found = HashSet::new();
    let mut view = String::from_utf8_lossy(text).into_owned();
    for _ in 0..=ROUNDS {
        look(&view, photo, &mut found);
        let undone = undo(&view);
        if undone == view {
            break;
        }
        view = undone;
    }
    for bytes in UIDS.iter().flat_map(|uid| orders(*uid)) {
        if text.windows(bytes.len()).any(|window| window == bytes) {
            found.insert("the bytes of an id".to_owned());
        }
    }
    if photo.jpeg.len() >= 96 {
        let middle = &photo.jpeg[photo.jpeg.len() / 2..][..48];
        if text.windows(middle.len()).any(|window| window == middle) {
            found.insert("bytes of the photo".to_owned());
        }
    }
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort_unstable();
    found
}

fn look(view: &str, photo: &Photo, found: &mut HashSet<String>) {
    let bare: String = view.chars().filter(char::is_ascii_alphanumeric).collect();
    let small = bare.to_ascii_lowercase();
    // `0x` and `\x` say only that hexadecimal follows.
    let hex = view.to_ascii_lowercase().replace("0x", "").replace("\\x", "");
    let hex: String = hex.chars().filter(char::is_ascii_alphanumeric).collect();
    let numbers = numbers(view);
    let mut told = |what: &str, is_there: bool| {
        if is_there {
            found.insert(what.to_owned());
        }
    };
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    told("the token", small.contains(&letters(TOKEN).to_ascii_lowercase()));
    told("the token in base64", in_base64(TOKEN.as_bytes()).iter().any(|part| bare.contains(&letters(part))));
    told("the token in hexadecimal", hex.contains(&HEXLOWER.encode(TOKEN.as_bytes())));
    told("the token in numbers", numbers.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes()));
    for bytes in UIDS.iter().flat_map(|uid| orders(*uid)) {
        let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)).to_string();
        let digits = HEXLOWER.encode(&bytes);
        // As a number it begins without its zero.
        let digits = digits.strip_prefix('0').unwrap_or(&digits);
        told("an id in hexadecimal", hex.contains(digits) || small.contains(digits));
        told("an id as a number", bare.contains(&number));
        told("an id in base64", bare.contains(&letters(&BASE64_NOPAD.encode(&bytes))));
        told("an id in numbers", numbers.windows(bytes.len()).any(|window| window == bytes));
    }
    if !photo.jpeg.is_empty() {
        let base64: Vec<u8> = view.bytes().filter_map(as_base64).collect();
        told("the photo in base64", has_piece(&base64, photo.base64.trim_end_matches('=').as_bytes(), PIECE));
        told(
            "the photo in hexadecimal",
            has_piece(hex.as_bytes(), HEXLOWER.encode(&photo.jpeg).as_bytes(), PIECE),
        );
        told("the photo in numbers", has_piece(&numbers, &photo.jpeg, PIECE / 2));
    }
}

/// The base64 that every text has which holds these bytes, for each of the places at which they may begin.
fn in_base64(bytes: &[u8]) -> [String; 3] {
    [0, 1, 2].map(|before| {
        let encoded = BASE64_NOPAD.encode(&[&vec![0; before][..], bytes].concat());
        // The characters at the edges depend on what stands beside them.
        encoded[(before * 8_usize).div_ceil(6)..(before + bytes.len()) * 8 / 6].to_owned()
    })
}

fn as_base64(byte: u8) -> Option<u8> {
    match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'+' | b'/' => Some(byte),
        _ => byte.is_ascii_alphanumeric().then_some(byte),
    }
}

/// Whether `text` has a piece of so many bytes of `whole`: of each two neighbouring pieces that do not overlap one is
/// looked for. A piece of one and the same byte is nobody's.
fn has_piece(text: &[u8], whole: &[u8], length: usize) -> bool {
    let half = length / 2;
    let own = |piece: &&[u8]| piece.iter().collect::<HashSet<_>>().len() > 4;
    let pieces: HashSet<&[u8]> = whole.chunks_exact(half).filter(own).collect();
    // Nearly no window begins like a piece; only those are compared.
    let beginning = |piece: &[u8]| {
        let number = u32::from_le_bytes([piece[0], piece[1], piece[2], piece[3]]);
        (number.wrapping_mul(0x9E37_79B1) >> 16) as usize
    };
    let mut beginnings = vec![false; 1 << 16];
    pieces.iter().for_each(|piece| beginnings[beginning(piece)] = true);
    text.windows(half).any(|window| beginnings[beginning(window)] && pieces.contains(window))
}

/// All numbers of a text that are bytes, in order; others part nothing, so that nothing hides between them.
fn numbers(view: &str) -> Vec<u8> {
    let mut numbers = Vec::new();
    let mut before = ' ';
    let mut rest = view;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        before = rest[..at].chars().next_back().unwrap_or(before);
        let end = rest[at..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| at + length);
        if let Ok(number) = rest[at..end].parse::<u8>() {
            numbers.push(if before == '-' { number.wrapping_neg() } else { number });
        }
        before = '0';
        rest = &rest[end..];
    }
    numbers
}

/// One round of escapes undone, and what nobody sees left out.
fn undo(view: &str) -> String {
    let mut out = String::with_capacity(view.len());
    let mut rest = view;
    while let Some(c) = rest.chars().next() {
        let (said, length) = escape(rest).unwrap_or((Some(c), c.len_utf8()));
        out.extend(said.filter(|c| !matches!(c, '\n' | '\r' | '\u{200b}')));
        rest = &rest[length..];
    }
    out
}

/// The character that an escape at the beginning says (`None`: nothing that matters), and its length.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    let number = |from: usize, to: usize, radix: u32, length: usize| {
        let code = u32::from_str_radix(rest.get(from..to)?, radix).ok()?;
        Some((char::from_u32(code), length))
    };
    let closed = |from: usize, radix: u32, end: char| {
        let to = rest.find(end).filter(|to| to - from < 8)?;
        number(from, to, radix, to + 1)
    };
    match rest.as_bytes() {
        [b'%', ..] => number(1, 3, 16, 3),
        [b'\\', b'u', b'{', ..] => closed(3, 16, '}'),
        [b'\\', b'u', ..] => number(2, 6, 16, 6),
        [b'\\', b'x', ..] => number(2, 4, 16, 4),
        [b'\\', b'n' | b'r', ..] => Some((None, 2)),
        [b'\\', next @ (b'/' | b'"' | b'\\'), ..] => Some((Some(char::from(*next)), 2)),
        [b'&', b'#', b'x', ..] => closed(3, 16, ';'),
        [b'&', b'#', ..] => closed(2, 10, ';'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::{of_id, of_photo, of_token};

    /// A photo that no camera took.
    pub fn made_up() -> Photo {
        let jpeg: Vec<u8> = (0..2_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        Photo { base64: data_encoding::BASE64.encode(&jpeg), jpeg }
    }

    #[test]
    fn the_search_finds_every_spelling_by_itself() {
        let photo = made_up();
        let ids = UIDS.iter().flat_map(|uid| of_id(*uid));
        let all: Vec<String> = of_token().into_iter().chain(ids).chain(of_photo(&photo)).collect();
        assert!(all.len() > 200, "{}", all.len());
        for echo in all {
            assert!(!leaks(format!("x ({echo}) y").as_bytes(), &photo).is_empty(), "{echo}");
            // As a string within a line of JSON, and wrapped by a narrow terminal.
            let line = serde_json::json!({ "t": 1, "frame": { "text": echo } }).to_string();
            assert!(!leaks(line.as_bytes(), &photo).is_empty(), "{line}");
        }
        assert!(!leaks(&photo.jpeg[900..1_200], &photo).is_empty());
    }

    #[test]
    fn the_search_finds_nothing_in_ordinary_text() {
        let text =
            "nothing of the kind: 04A1B2, tok-4f1c, 4, 161, 178; [scrubbed: token] %20 &amp; 2026-12-02";
        assert_eq!(leaks(text.as_bytes(), &made_up()), Vec::<String>::new());
    }
}
