//! What must never be printed hides by default: tokens, hardware ids of tags, image bytes. Level 0.
//!
//! None of these types has a revealing `Debug`, `Display` or `Serialize`; their content is reached only
//! through a method whose name says what it is for, so that each use can be found by search.

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
