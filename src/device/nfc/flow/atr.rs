//! What the answer to reset says of a tag (PC/SC part 3, § 3.1.3.2.3).
//!
//! A contactless reader makes up an answer to reset for a tag that has none: for a storage card it holds the
//! registered id of PC/SC, the standard and the name of the chip; for an ISO 14443-4 card its historical bytes.

/// How a tag is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// NFC Forum Type 1 (Topaz, Jewel): no standard commands read it.
    Type1,
    /// Type 2: NTAG, Ultralight, and chips of ISO 14443-3 A that readers do not know by name.
    Type2,
    /// Type 3: FeliCa.
    Type3,
    /// Type 4: ISO 14443-4.
    Type4,
    /// Type 5: ISO 15693.
    Type5,
    /// MIFARE Classic, and Plus in its place: sectors with keys.
    Classic,
    /// A card with contacts, or something that says nothing of itself.
    Other,
}

/// The application id of storage cards in PC/SC part 3.
const STORAGE: [u8; 8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06];
/// What the security module inside some readers answers: it is no tag and is never taken off (A8).
const SAM: &[u8] = &[
    0x3B, 0xDF, 0x18, 0xFF, 0x81, 0xF1, 0xFE, 0x43, 0x00, 0x3F, 0x03, 0x83, 0x4D, 0x49, 0x46, 0x41, 0x52,
    0x45, 0x20, 0x50, 0x6C, 0x75, 0x73, 0x20, 0x53, 0x41, 0x4D, 0x3B,
];

/// Whether it is the security module of a reader.
pub fn is_sam(atr: &[u8]) -> bool {
    atr == SAM
}

/// What kind of tag answers so.
pub fn kind(atr: &[u8]) -> Kind {
    // Direct convention, historical bytes, no interface characters but TD1 and TD2: what contactless readers make up.
    let made_up = matches!(atr, [0x3B, format, 0x80, 0x01, ..] if format & 0xF0 == 0x80);
    if !made_up {
        return Kind::Other;
    }
    match atr.get(4..12).zip(atr.get(12..15)) {
        Some((head, &[standard, high, low])) if head == STORAGE => {
            storage(standard, u16::from_be_bytes([high, low]))
        }
        _ => Kind::Type4,
    }
}

/// The chip's name goes before the standard: FeliCa and Topaz are given with several.
fn storage(standard: u8, name: u16) -> Kind {
    match (standard, name) {
        (_, 0x0001 | 0x0002 | 0x0026 | 0x0036..=0x0039) => Kind::Classic,
        (_, 0x002F | 0x0030) => Kind::Type1,
        (_, 0x003B) | (0x11, _) => Kind::Type3,
        (0x09..=0x0C, _) => Kind::Type5,
        (0x01..=0x04, _) => Kind::Type2,
        _ => Kind::Other,
    }
}
