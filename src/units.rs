//! Typed quantities and ids: numbers and names that must not be mixed up. Level 0.

use std::fmt;

/// The number of a turn: `user.turn`, `user.observation` and audio turns share one strictly increasing
/// counter, from 1 (§ Session and input, R5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(pub u64);

/// The number of a server envelope: positive, strictly increasing within a session (§ Session and input, R12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A count of bytes, drawn with thousands separators: `58,912`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut out = String::with_capacity(digits.len() + digits.len() / 3);
        for (i, c) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                out.push(',');
            }
            out.push(c);
        }
        f.pad(&out)
    }
}

/// So many of something whose plural ends in `s`: `1 byte`, `0 APDUs`, `1,046 bytes`.
pub fn count(many: usize, what: &str) -> String {
    let plural = if many == 1 { "" } else { "s" };
    format!("{} {what}{plural}", Bytes(many))
}

/// Lower-case hexadecimal of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// A fresh random id of 128 bits as 22 characters of `A–Z a–z 0–9 - _` (R29).
pub fn random_id() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the operating system's random source answers");
    data_encoding::BASE64URL_NOPAD.encode(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_drawn_with_thousands_separators() {
        let drawn: Vec<String> =
            [0, 12, 999, 1_000, 61_440, 1_048_576].map(|n| Bytes(n).to_string()).to_vec();
        assert_eq!(drawn, ["0", "12", "999", "1,000", "61,440", "1,048,576"]);
    }

    #[test]
    fn ids_are_fresh_and_in_the_alphabet_of_r29() {
        let (a, b) = (random_id(), random_id());
        assert_ne!(a, b);
        assert!(a.len() == 22 && a.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    }
}
