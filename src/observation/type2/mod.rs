//! The memory of an NFC Forum Type 2 tag (NTAG, Ultralight): id, capability container, TLV blocks.
//!
//! Pure. Called by [`super::reading`] and [`super::flipper`] with the pages from page 0 on. Source: NFC Forum
//! Type 2 Tag 1.1 (§ 2.3 TLV blocks, § 6.1 capability container), ISO/IEC 14443-3 (check bytes of the id).

use thiserror::Error;

use crate::redact::TagUid;
use crate::tlv::{self, Search};

/// Bytes of one page.
pub const PAGE: usize = 4;
/// Where the capability container stands: page 3.
const CONTAINER: usize = 12;
/// Where the data area begins: page 4.
const DATA: usize = 16;
const NDEF_MAGIC: u8 = 0xE1;
/// Mixed into the first check byte of a 7-byte id (ISO/IEC 14443-3 § 6.4.4).
const CASCADE_TAG: u8 = 0x88;

/// What the memory of a tag holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The tag's id, when page 0 and 1 hold one.
    pub uid: Option<TagUid>,
    /// Whether the check bytes of the id fit.
    pub uid_checked: bool,
    /// The NDEF message, or why there is none.
    pub ndef: Result<Vec<u8>, NoMessage>,
}

/// Why a tag's memory gives no NDEF message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoMessage {
    /// Page 3 does not say NDEF: a normal tag that nobody formatted.
    #[error("the tag is not formatted for NDEF")]
    NotFormatted,
    /// The capability container names a version above 1.
    #[error("the tag uses version {0} of the Type 2 mapping; versions 1.x are read")]
    Version(u8),
    /// There is no NDEF block.
    #[error("the tag is formatted and holds no NDEF block")]
    NoBlock,
    /// A block says that it is longer than what is there.
    #[error("truncated TLV: a block of type {tag:02x} needs {needed} bytes and {left} are there")]
    Truncated {
        /// The block's type.
        tag: u8,
        /// Bytes it needs: of its length field, or of its value.
        needed: usize,
        /// Bytes that are there.
        left: usize,
    },
}

impl NoMessage {
    /// Whether the content is damaged rather than absent.
    pub fn is_damage(self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}

/// Reads a dump of the whole memory, from page 0 on; the end may be missing.
pub fn read_memory(dump: &[u8]) -> Memory {
    let (uid, uid_checked) = uid(dump);
    Memory { uid, uid_checked, ndef: data_area(dump).and_then(find_ndef) }
}

/// The value of the first NDEF block in a data area ([`crate::tlv`]).
///
/// # Errors
///
/// [`NoMessage::NoBlock`] when there is none, [`NoMessage::Truncated`] when a block runs past the end.
pub fn find_ndef(area: &[u8]) -> Result<Vec<u8>, NoMessage> {
    match tlv::find_ndef(area) {
        Search::Message(message) => Ok(message.to_vec()),
        Search::Terminated | Search::Open => Err(NoMessage::NoBlock),
        Search::Short { tag, needed, left } => Err(NoMessage::Truncated { tag, needed, left }),
    }
}

/// The data area as far as the capability container says and the dump goes.
fn data_area(dump: &[u8]) -> Result<&[u8], NoMessage> {
    let [magic, version, size, _access] = dump.get(CONTAINER..DATA).unwrap_or_default() else {
        return Err(NoMessage::NotFormatted);
    };
    if *magic != NDEF_MAGIC {
        return Err(NoMessage::NotFormatted);
    }
    if version >> 4 != 1 {
        return Err(NoMessage::Version(version >> 4));
    }
    let end = dump.len().min(DATA + usize::from(*size) * 8);
    Ok(&dump[DATA..end])
}

/// The id and whether its check bytes fit: 7 bytes with two check bytes, or 4 bytes with one. Where neither
/// fits but page 3 says Type 2, the 7 bytes are taken with a doubt. All zeros or all ones are no id.
fn uid(dump: &[u8]) -> (Option<TagUid>, bool) {
    let Some(head) = dump.get(..9) else { return (None, false) };
    if head[..8].iter().all(|b| *b == 0) || head[..8].iter().all(|b| *b == 0xFF) {
        return (None, false);
    }
    let xor = |bytes: &[u8]| bytes.iter().fold(0, |acc, b| acc ^ b);
    let double = || TagUid::new(&[&head[..3], &head[4..8]].concat());
    if xor(&head[..4]) == CASCADE_TAG && xor(&head[4..9]) == 0 {
        return (Some(double()), true);
    }
    if xor(&head[..5]) == 0 {
        return (Some(TagUid::new(&head[..4])), true);
    }
    let type2 = dump.get(CONTAINER) == Some(&NDEF_MAGIC);
    (type2.then(double), false)
}

#[cfg(test)]
mod tests;
