//! Finds byte strings spelled in hexadecimal, in either case and with any usual separators.

use zeroize::Zeroizing;

/// Characters of separators between two digits: `0x04, 0xA1` has a comma and a space.
const LONGEST_GAP: usize = 3;
/// Bytes at the end of a text in which a value is looked for that has begun.
const WINDOW: usize = 512;

/// What a byte may be in a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Separator,
    /// Separates as the second half of `0x` or `\x`.
    Ex,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' => Class::Digit,
            b':' | b'-' | b' ' | b',' | b'.' | b'_' | b'\t' | b'\n' | b'\r' | b'%' | b'\\' => {
                Class::Separator
            }
            b'x' | b'X' => Class::Ex,
            _ => Class::Other,
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// The byte strings to look for.
#[derive(Default)]
pub(super) struct HexScan {
    values: Vec<Zeroizing<Vec<u8>>>,
}

impl HexScan {
    /// Looks for `bytes` from now on.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let nibbles: Vec<u8> = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
        self.values.push(Zeroizing::new(nibbles));
    }

    /// Looks for `bytes` as a number from now on, without the zero that their first digit is.
    pub(super) fn add_as_number(&mut self, bytes: &[u8]) {
        self.add(bytes);
        self.values.extend(self.values.last().map(|nibbles| Zeroizing::new(nibbles[1..].to_vec())));
    }

    /// Digits of the shortest value; `None` if there is none.
    pub(super) fn shortest(&self) -> Option<usize> {
        self.values.iter().map(|value| value.len()).min()
    }

    /// Start and end of every value found, a `0x` before it not included.
    pub(super) fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let Some(shortest) = self.shortest().filter(|shortest| *shortest <= text.len()) else { return found };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(start) = bytes[at..].iter().position(|byte| class(*byte) == Class::Digit) {
            let run = Run::beginning(&bytes[at + start..]);
            if run.digits >= shortest {
                self.find_in(&bytes[at + start..][..run.length], at + start, &mut found);
            }
            at += start + run.length;
        }
        found
    }

    fn find_in(&self, run: &[u8], offset: usize, found: &mut Vec<(usize, usize)>) {
        for digits in Digits::readings(run) {
            for value in &self.values {
                for (start, window) in digits.nibbles.windows(value.len()).enumerate() {
                    if window == value.as_slice() {
                        let last = digits.places[start + value.len() - 1];
                        found.push((offset + digits.places[start], offset + last + 1));
                    }
                }
            }
        }
    }

    /// Where the longest end of `text` starts that a value can begin with.
    pub(super) fn begun(&self, text: &str) -> Option<usize> {
        if self.values.is_empty() {
            return None;
        }
        let run = last_run(text.as_bytes());
        let offset = text.len() - run.len();
        // A zero at the end may be a digit, or the beginning of `0x`.
        let without = run.strip_suffix(b"0").and_then(|run| self.begun_with(run));
        self.begun_with(run).into_iter().chain(without).min().map(|at| offset + at)
    }

    fn begun_with(&self, run: &[u8]) -> Option<usize> {
        let begun = |Digits { nibbles, places }: Digits| {
            let begun = |value: &Zeroizing<Vec<u8>>| {
                let longest = value.len().saturating_sub(1).min(nibbles.len());
                let length = (1..=longest).rev().find(|&k| nibbles.ends_with(&value[..k]))?;
                Some(places[nibbles.len() - length])
            };
            self.values.iter().filter_map(begun).min()
        };
        Digits::readings(run).filter_map(begun).min()
    }
}

/// Digits that may belong together, by a look at their gaps alone.
struct Run {
    /// From the first digit to the last one.
    length: usize,
    digits: usize,
}

impl Run {
    fn beginning(bytes: &[u8]) -> Self {
        let mut run = Self { length: 0, digits: 0 };
        for (at, byte) in bytes.iter().enumerate() {
            match class(*byte) {
                Class::Digit => run = Self { length: at + 1, digits: run.digits + 1 },
                Class::Separator | Class::Ex if at - run.length < LONGEST_GAP => {}
                _ => break,
            }
        }
        run
    }
}

/// The end of a text that a value may go on after, within the window.
fn last_run(bytes: &[u8]) -> &[u8] {
    let window = &bytes[bytes.len().saturating_sub(WINDOW)..];
    let (mut length, mut gap) = (0, 0);
    for byte in window.iter().rev() {
        gap = if class(*byte) == Class::Digit { 0 } else { gap + 1 };
        if class(*byte) == Class::Other || gap > LONGEST_GAP {
            break;
        }
        length += 1;
    }
    &window[window.len() - length..]
}

/// Hexadecimal digits with their places; `u8::MAX` as a digit parts what does not belong together.
struct Digits {
    nibbles: Zeroizing<Vec<u8>>,
    places: Vec<usize>,
}

impl Digits {
    /// The digits of a run: in `F0x00` the zero may be the beginning of `0x`, or a digit before an `x` that parts an id
    /// from a counter, as chips do that mirror both into their message.
    fn readings(run: &[u8]) -> impl Iterator<Item = Self> {
        let is_open = run.windows(2).any(|pair| pair[0] == b'0' && class(pair[1]) == Class::Ex);
        std::iter::once(Self::of(run, true)).chain(is_open.then(|| Self::of(run, false)))
    }

    fn of(run: &[u8], zero_is_prefix: bool) -> Self {
        let mut nibbles = Zeroizing::new(Vec::with_capacity(run.len()));
        let mut places = Vec::with_capacity(run.len());
        let mut gap = 0;
        for (place, byte) in run.iter().enumerate() {
            if let Some(nibble) = char::from(*byte).to_digit(16) {
                nibbles.push(u8::try_from(nibble).expect("a hexadecimal digit is below 16"));
                places.push(place);
                gap = 0;
                continue;
            }
            let before = run[..place].last();
            let after_zero = class(*byte) == Class::Ex && before == Some(&b'0') && zero_is_prefix;
            let prefix = after_zero || (class(*byte) == Class::Ex && before == Some(&b'\\'));
            if after_zero {
                nibbles.pop();
                places.pop();
            }
            gap += 1;
            let separates = prefix || class(*byte) == Class::Separator;
            if (!separates || gap > LONGEST_GAP) && nibbles.last().is_some_and(|&last| last != u8::MAX) {
                nibbles.push(u8::MAX);
                places.push(place);
            }
        }
        Self { nibbles, places }
    }
}
