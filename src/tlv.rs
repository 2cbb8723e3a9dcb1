//! The TLV blocks in which Type 2 and Type 5 tags hold their NDEF message. Level 0; pure.
//!
//! Called by `device::nfc` while it reads page after page, and by `observation::type2` with a whole memory. Source: NFC
//! Forum Type 2 Tag 1.1 § 2.3, Type 5 Tag 1.0 § 4.5.

/// What a data area, or the beginning of one, comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search<'a> {
    /// The value of the first NDEF block.
    Message(&'a [u8]),
    /// The terminator came before any NDEF block.
    Terminated,
    /// The bytes end between blocks, without an NDEF block and without a terminator.
    Open,
    /// A block runs past the end of the bytes.
    Short {
        /// The block's type.
        tag: u8,
        /// Bytes it needs: of its length field, or of its value.
        needed: usize,
        /// Bytes that are there.
        left: usize,
    },
}

/// Looks for the first NDEF block. Blocks of other types (lock control, memory control, proprietary) are passed over by
/// their length, single zero bytes are padding, and what follows the terminator is stale.
pub fn find_ndef(area: &[u8]) -> Search<'_> {
    let mut left = area;
    while let Some((&tag, rest)) = left.split_first() {
        left = match tag {
            0x00 => rest,
            0xFE => return Search::Terminated,
            _ => {
                let (len, rest) = match length(rest) {
                    Ok(found) => found,
                    Err((needed, left)) => return Search::Short { tag, needed, left },
                };
                let Some((value, rest)) = rest.split_at_checked(len) else {
                    return Search::Short { tag, needed: len, left: rest.len() };
                };
                if tag == 0x03 {
                    return Search::Message(value);
                }
                rest
            }
        };
    }
    Search::Open
}

/// The length field: one byte, or `FF` and two bytes, big-endian; a short value in the long form is fine. In error, how
/// many bytes the field needs and how many are there.
fn length(rest: &[u8]) -> Result<(usize, &[u8]), (usize, usize)> {
    match rest {
        [0xFF, high, low, rest @ ..] => Ok((usize::from(u16::from_be_bytes([*high, *low])), rest)),
        [0xFF, rest @ ..] => Err((2, rest.len())),
        [len, rest @ ..] => Ok((usize::from(*len), rest)),
        [] => Err((1, 0)),
    }
}
