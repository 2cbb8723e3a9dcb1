//! What must never be printed hides by default: tokens, hardware ids of tags, image bytes. Level 0.
//!
//! None of these types has a revealing `Debug`, `Display` or `Serialize`; their content is reached only
//! through a method whose name says what it is for, so that each use can be found by search.

mod condensed;
#[cfg(test)]
mod escape_tests;
mod hexscan;
mod images;
mod numbers;
mod scrub;
#[cfg(test)]
mod scrubber_tests;
mod spellings;
mod unescape;
mod values;

pub use scrub::{Piece, Scrubber};

use std::fmt;

use zeroize::Zeroizing;

/// A bearer token (R17). Printed as `[token]`; its memory is wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// Takes the token's characters, without surrounding white space.
    pub fn new(value: &str) -> Self {
        Self(Zeroizing::new(value.trim().to_owned()))
    }

    /// The token for an `Authorization` header and for the scrubber; for nothing else.
    pub fn expose_for_header(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[token]")
    }
}

/// The raw hardware id of a tag: 4, 7, 8 or 10 bytes. It reaches only the alias function (R10) and the
/// scrubber; it is never on the wire, in a trace, a log, an error or a file. Printed as `[7-byte tag id]`.
#[derive(Clone, PartialEq, Eq)]
pub struct TagUid(Zeroizing<Vec<u8>>);

impl TagUid {
    /// Takes the id's bytes as read from the tag.
    pub fn new(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    /// The bytes, for the keyed alias (R10) and the scrubber; for nothing else.
    pub fn expose_for_alias(&self) -> &[u8] {
        &self.0
    }

    /// How many bytes the id has, which may be shown.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the tag gave no id at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for TagUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}-byte tag id]", self.len())
    }
}

/// The bytes of a picture, encoded or decoded. Printed as `[image, 58912 bytes]`; wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct ImageBytes(Zeroizing<Vec<u8>>);

impl ImageBytes {
    /// Takes ownership of the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes, for decoding, hashing, drawing and the wire; for nothing else.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// How many bytes there are, which may be shown.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for ImageBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[image, {} bytes]", self.len())
    }
}

/// Whether `text` spells the id: in hexadecimal in either byte order, whatever the case and whatever single
/// marks stand between the digits. Some chips mirror their id into the URI they carry.
pub fn spells_uid(uid: &TagUid, text: &str) -> bool {
    let bytes = uid.expose_for_alias();
    if bytes.len() < 4 {
        return false;
    }
    let digits: Zeroizing<String> = Zeroizing::new(
        text.replace("%20", "")
            .replace("%3A", "")
            .replace("%3a", "")
            .to_ascii_lowercase()
            .replace([' ', ':', '-', '.', '_'], ""),
    );
    let forwards = Zeroizing::new(data_encoding::HEXLOWER.encode(bytes));
    let reversed: Zeroizing<Vec<u8>> = Zeroizing::new(bytes.iter().rev().copied().collect());
    digits.contains(forwards.as_str()) || digits.contains(data_encoding::HEXLOWER.encode(&reversed).as_str())
}

/// `text` with every value after `uid=` replaced by `…`, for error messages that show a line of the user's
/// (a scenario, a command line). A value ends at white space, or at its closing quotation mark; bytes set apart
/// by spaces belong to it too, and so does what a slip of the keyboard set apart (`uid= 04A1`, `uid:04A1`). What
/// has the shape of an id is masked wherever it stands: `uid=` may have been forgotten.
pub fn mask_uid_values(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = lower[at..].find("uid") {
        let name = at + found + "uid".len();
        let Some(value) = after_equals(&text[name..]).map(|len| name + len) else {
            out.push_str(&mask_shapes(&text[at..name]));
            at = name;
            continue;
        };
        out.push_str(&mask_shapes(&text[at..value]));
        let rest = &text[value..];
        let len = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map_or(rest.len(), |end| end + 2),
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        let len = len + spaced_bytes(&rest[len..]);
        if len > 0 {
            out.push('…');
        }
        at = value + len;
    }
    out.push_str(&mask_shapes(&text[at..]));
    out
}

/// Whether a word could be a piece of an id: hexadecimal digits, with marks between them.
pub fn could_be_id(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_hexdigit).count();
    digits >= 2 && word.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'-' | b'='))
}

/// The length of `=` or `:` at the beginning, with the white space before it.
fn after_equals(rest: &str) -> Option<usize> {
    let trimmed = rest.trim_start();
    trimmed.starts_with(['=', ':']).then_some(rest.len() - trimmed.len() + 1)
}

/// The length of further bytes (` A1 B2`) at the beginning of `rest`.
fn spaced_bytes(rest: &str) -> usize {
    let mut len = 0;
    loop {
        let word = rest[len..].trim_start();
        let start = rest.len() - word.len();
        let word = word.split(char::is_whitespace).next().unwrap_or_default();
        if start == len || !could_be_id(word.trim_end_matches(['"', '\''])) {
            return len;
        }
        len = start + word.len();
    }
}

/// `text` with each run of 4, 7, 8 or 10 bytes in hexadecimal replaced by `…`.
fn mask_shapes(text: &str) -> String {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(part) {
        out.push_str(&rest[..start]);
        let run = &rest[start..];
        let run = &run[..run.find(|c| !part(c)).unwrap_or(run.len())];
        // A word and a mark may stand before it: `tag:04A1B2C3`.
        let id = run.char_indices().find_map(|(at, _)| {
            let before = run[..at].chars().next_back();
            (before.is_none_or(|c| matches!(c, ':' | '-')) && has_id_shape(&run[at..])).then_some(at)
        });
        match id {
            Some(at) => out.extend([&run[..at], "…"]),
            None => out.push_str(run),
        }
        rest = &rest[start + run.len()..];
    }
    out.push_str(rest);
    out
}

fn has_id_shape(word: &str) -> bool {
    if word.len() > "04:".len() * 10 {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_hexdigit).count();
    let pairs = word.split([':', '-']).all(|byte| byte.len() == 2);
    matches!(digits, 8 | 14 | 16 | 20)
        && (pairs || digits == word.len())
        && word.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_recognised_in_every_common_spelling() {
        let uid = TagUid::new(&[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]);
        for spelt in [
            "https://t.example/?id=04A1B2C3D4E5F6x000001",
            "04:a1:b2:c3:d4:e5:f6",
            "04-A1-B2-C3-D4-E5-F6",
            "see 04 A1 B2 C3 D4 E5 F6.",
            "x/04%20A1%20B2%20C3%20D4%20E5%20F6",
            "F6E5D4C3B2A104",
        ] {
            assert!(spells_uid(&uid, spelt), "{spelt}");
        }
        for other in ["", "04A1B2C3D4E5F7", "urn:agentcall:object:workshop-router"] {
            assert!(!spells_uid(&uid, other), "{other}");
        }
        assert!(!spells_uid(&TagUid::new(&[]), "anything"));
    }

    #[test]
    fn values_of_uid_are_masked_wherever_they_stand() {
        for (line, masked) in [
            ("scan tag:uid=04A1B2C3D4E5F6", "scan tag:uid=…"),
            ("observe tag:UID=04A1 file:é.png uid=ff", "observe tag:UID=… file:é.png uid=…"),
            ("scan \"tag:uid=04A1\" intent=identify", "scan \"tag:uid=… intent=identify"),
            ("scan tag:uid=\"04 A1 B2\" intent=act", "scan tag:uid=… intent=act"),
            ("scan tag:uid=04 A1 B2 C3 intent=act", "scan tag:uid=… intent=act"),
            ("scan tag:uid=04 A1", "scan tag:uid=…"),
            ("scan tag:uid=04\tfoo A1", "scan tag:uid=…\tfoo A1"),
            ("scan tag:uid=", "scan tag:uid="),
            ("say nothing here", "say nothing here"),
            ("scan tag:uid= 04A1B2C3", "scan tag:uid=…"),
            ("scan tag:UID =04A1 B2C3 intent=act", "scan tag:UID =… intent=act"),
            ("scan tag:uid:04A1B2", "scan tag:uid:…"),
            ("scan tag:04:A1:B2:C3", "scan tag:…"),
            ("scan 04A1B2C3D4E5F6", "scan …"),
            ("scan tags/04a1b2c3d4e5f6.nfc", "scan tags/….nfc"),
            ("say fluid 04 guide: fluidity", "say fluid 04 guide: fluidity"),
            ("expect event run.completed within 10s", "expect event run.completed within 10s"),
        ] {
            assert_eq!(mask_uid_values(line), masked);
        }
    }
}
