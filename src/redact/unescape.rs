//! Text as a reader would undo it: `%2B`, `\u0041`, `&#65;`, line breaks and characters that nobody sees.
//!
//! A known value is looked for in the text as it stands and, where something can be undone, in what that gives; what is
//! found is mapped back. Only ASCII characters are undone: others are in no spelling but a token's own.

use zeroize::Zeroizing;

/// How often an escape may itself be escaped (`%2541`).
pub(super) const ROUNDS: usize = 3;
/// Longest escape, in bytes: `\u{000041}`.
const LONGEST: usize = 10;

/// A text with its escapes undone, and where each of its bytes stood.
pub(super) struct Unescaped {
    /// What it says.
    pub(super) text: Zeroizing<String>,
    /// In order, where the original differs.
    changes: Vec<Change>,
}

/// Something in the original that stands for one byte, or for nothing.
struct Change {
    /// The end of that byte in the text, or the place at which nothing stands.
    end: usize,
    /// The end in the original.
    original: usize,
    says_something: bool,
}

impl Unescaped {
    /// `None` if there is nothing to undo.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut next = next_change(text, 0)?;
        let mut undone =
            Self { text: Zeroizing::new(String::with_capacity(text.len())), changes: Vec::new() };
        let mut at = 0;
        loop {
            let (start, said, length) = next;
            undone.text.push_str(&text[at..start]);
            undone.text.extend(said);
            at = start + length;
            let says_something = said.is_some();
            undone.changes.push(Change { end: undone.text.len(), original: at, says_something });
            match next_change(text, at) {
                Some(change) => next = change,
                None => break,
            }
        }
        undone.text.push_str(&text[at..]);
        Some(undone)
    }

    /// Where in the original this place stood.
    pub(super) fn start(&self, at: usize) -> usize {
        match self.changes[..self.changes.partition_point(|change| change.end <= at)].last() {
            Some(change) => change.original + (at - change.end),
            None => at,
        }
    }

    /// The start and end in the original of what begins and ends here, and is not empty.
    pub(super) fn span(&self, (start, end): (usize, usize)) -> (usize, usize) {
        let from = self.changes.partition_point(|change| change.end < end);
        let mut at_end = self.changes[from..].iter().take_while(|change| change.end == end);
        let escape = at_end.find(|change| change.says_something);
        (self.start(start), escape.map_or_else(|| self.start(end - 1) + 1, |escape| escape.original))
    }
}

/// The next thing to undo: its place, what it says, and its length.
fn next_change(text: &str, from: usize) -> Option<(usize, Option<char>, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes[at..].iter().position(|byte| MAY_CHANGE[usize::from(*byte)])?;
        if let Some((said, length)) = escape(&bytes[at..]) {
            return Some((at, Some(said), length));
        }
        let length = match text[at..].chars().next()? {
            next if unseen(next) => return Some((at, None, next.len_utf8())),
            next => next.len_utf8(),
        };
        at += length;
    }
}

/// Bytes with which something to undo may begin.
const MAY_CHANGE: [bool; 256] = {
    let mut may = [false; 256];
    let first = b"%\\&\n\r\xC2\xE2\xEF";
    let mut at = 0;
    while at < first.len() {
        may[first[at] as usize] = true;
        at += 1;
    }
    may
};

/// Where an escape begins at the end of `text` that may go on in the next piece.
pub(super) fn open_escape(text: &str) -> Option<usize> {
    let from = text.len().saturating_sub(LONGEST - 1);
    let bytes = text.as_bytes();
    let opens = |at: &usize| {
        let rest = &bytes[*at..];
        // Of two backslashes the second begins nothing.
        let before = bytes[..*at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if rest[0] == b'\\' && before % 2 == 1 {
            return false;
        }
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'{');
        matches!(rest[0], b'%' | b'\\' | b'&') && escape(rest).is_none() && rest[1..].iter().all(goes_on)
    };
    (from..text.len()).find(opens)
}

/// The ASCII character that an escape at the beginning stands for, and the escape's length.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let (number, length) = match bytes {
        [b'%', rest @ ..] => (digits(rest, 2, 2, 16)?.0, 3),
        [b'\\', b'x', rest @ ..] => (digits(rest, 2, 2, 16)?.0, 4),
        [b'\\', b'u', b'{', rest @ ..] => closed(rest, b'}', 16, 3)?,
        [b'\\', b'u', rest @ ..] => (digits(rest, 4, 4, 16)?.0, 6),
        [b'\\', same @ (b'/' | b'"' | b'\\')] | [b'\\', same @ (b'/' | b'"' | b'\\'), ..] => {
            (u32::from(*same), 2)
        }
        [b'&', b'#', b'x' | b'X', rest @ ..] => closed(rest, b';', 16, 3)?,
        [b'&', b'#', rest @ ..] => closed(rest, b';', 10, 2)?,
        _ => return None,
    };
    let said = u8::try_from(number).ok().filter(|byte| byte.is_ascii_graphic() || *byte == b' ')?;
    Some((char::from(said), length))
}

/// The number of `least` to `most` digits at the beginning, and how many digits it has.
fn digits(bytes: &[u8], least: usize, most: usize, radix: u32) -> Option<(u32, usize)> {
    let count = bytes.iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let digits = std::str::from_utf8(&bytes[..count]).ok()?;
    (count >= least).then(|| u32::from_str_radix(digits, radix).ok().map(|number| (number, count))).flatten()
}

/// The number before `end`, and the length of an escape that has `before` bytes in front of it.
fn closed(bytes: &[u8], end: u8, radix: u32, before: usize) -> Option<(u32, usize)> {
    let (number, count) = digits(bytes, 1, 6, radix)?;
    (bytes.get(count) == Some(&end)).then_some((number, before + count + 1))
}

/// Whether a reader sees nothing of it within a line.
fn unseen(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
