//! Finds byte strings spelled in hexadecimal, in either case and with any usual separators.

use zeroize::Zeroizing;

/// Characters of separators between two digits: `0x04, 0xA1` has a comma and a space.
const LONGEST_GAP: usize = 3;

/// The byte strings to look for.
#[derive(Default)]
pub(super) struct HexScan {
    values: Vec<Zeroizing<Vec<u8>>>,
}

/// The hexadecimal digits of a text with their places; `u8::MAX` as a digit parts what does not belong together.
struct Digits {
    nibbles: Zeroizing<Vec<u8>>,
    places: Vec<usize>,
}

impl HexScan {
    /// Looks for `bytes` from now on.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let nibbles: Vec<u8> = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
        self.values.push(Zeroizing::new(nibbles));
    }

    /// Start and end of every value found, a `0x` before it not included.
    pub(super) fn find(&self, text: &str) -> Vec<(usize, usize)> {
        if self.values.is_empty() {
            return Vec::new();
        }
        let digits = Digits::of(text);
        let mut found = Vec::new();
        for value in &self.values {
            for (start, window) in digits.nibbles.windows(value.len()).enumerate() {
                if window == value.as_slice() {
                    found.push((digits.places[start], digits.places[start + value.len() - 1] + 1));
                }
            }
        }
        found
    }
}

impl HexScan {
    /// Where the longest end of `text` starts that a value can begin with.
    pub(super) fn begun(&self, text: &str) -> Option<usize> {
        if self.values.is_empty() {
            return None;
        }
        // A zero at the end may be a digit, or the beginning of `0x`.
        let without = text.strip_suffix('0').and_then(|text| self.begun_with(text));
        self.begun_with(text).into_iter().chain(without).min()
    }

    fn begun_with(&self, text: &str) -> Option<usize> {
        let Digits { nibbles, places } = Digits::of(text);
        let begun = |value: &Zeroizing<Vec<u8>>| {
            let longest = value.len().saturating_sub(1).min(nibbles.len());
            let length = (1..=longest).rev().find(|&k| nibbles.ends_with(&value[..k]))?;
            Some(places[nibbles.len() - length])
        };
        self.values.iter().filter_map(begun).min()
    }
}

impl Digits {
    fn of(text: &str) -> Self {
        let mut nibbles = Zeroizing::new(Vec::with_capacity(text.len()));
        let mut places = Vec::with_capacity(text.len());
        let mut gap = 0;
        for (place, byte) in text.bytes().enumerate() {
            if let Some(nibble) = char::from(byte).to_digit(16) {
                nibbles.push(u8::try_from(nibble).expect("a hexadecimal digit is below 16"));
                places.push(place);
                gap = 0;
                continue;
            }
            let prefix = matches!(byte, b'x' | b'X') && text[..place].ends_with(['0', '\\']);
            if prefix && text.as_bytes()[place - 1] == b'0' {
                nibbles.pop();
                places.pop();
            }
            gap += 1;
            let separates = prefix
                || matches!(
                    byte,
                    b':' | b'-' | b' ' | b',' | b'.' | b'_' | b'\t' | b'\n' | b'\r' | b'%' | b'\\'
                );
            if (!separates || gap > LONGEST_GAP) && nibbles.last().is_some_and(|&last| last != u8::MAX) {
                nibbles.push(u8::MAX);
                places.push(place);
            }
        }
        Self { nibbles, places }
    }
}
