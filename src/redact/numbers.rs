//! Finds lists of bytes written as numbers: `255, 216`, `[255][216]`, `0xFF,0xD8`, `\xff\xd8`, `-1 -40`.

use zeroize::Zeroizing;

/// Characters that may stand between two numbers: a mark, a line's end and some indentation.
const LONGEST_GAP: usize = 12;

/// Bytes that were written one after another.
pub(super) struct List {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

/// Every list of at least `least` bytes.
pub(super) fn lists(text: &[u8], least: usize) -> Vec<List> {
    let mut found = Vec::new();
    let mut list = List::beginning_at(0);
    let mut at = 0;
    while at < text.len() {
        let word = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if word == 0 {
            at += 1;
            continue;
        }
        let byte = byte(&text[at..at + word], is_negative(&text[..at]));
        if byte.is_none() || at - list.end > LONGEST_GAP {
            found.push(std::mem::replace(&mut list, List::beginning_at(at)));
        }
        list.bytes.extend(byte);
        at += word;
        list.end = at;
    }
    found.push(list);
    found.retain(|list| list.bytes.len() >= least);
    found
}

impl List {
    fn beginning_at(at: usize) -> Self {
        Self { start: at, end: at, bytes: Zeroizing::default() }
    }
}

/// The byte that a word stands for.
fn byte(word: &[u8], negative: bool) -> Option<u8> {
    let word = std::str::from_utf8(word).ok()?;
    if let Some((b"" | b"0", digits)) =
        word.split_once(['x', 'X']).map(|(zero, rest)| (zero.as_bytes(), rest))
    {
        return (digits.len() <= 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten();
    }
    let number: u8 = (word.len() <= 3).then(|| word.parse().ok()).flatten()?;
    match negative {
        true => (number <= 128).then(|| number.wrapping_neg()),
        false => Some(number),
    }
}

/// Whether a minus sign stands before it, which parts it from nothing.
fn is_negative(before: &[u8]) -> bool {
    matches!(before, [b'-'])
        || matches!(before, [.., other, b'-'] if !other.is_ascii_alphanumeric() && *other != b'-')
}
