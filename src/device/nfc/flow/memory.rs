//! Type 2 and Type 5: memory read block after block, only as far as the message goes.
//!
//! Source: NFC Forum Type 2 Tag 1.1 § 6.1, Type 5 Tag 1.0 § 4.3 (capability containers); PC/SC part 3 § 3.2.2.1.8.

use zeroize::Zeroizing;

use super::link::{Interrupted, Link};
use super::{Ndef, absent, damaged};
use crate::tlv::{self, Search};

/// What one command reads where the reader lets it: four pages of a Type 2 tag.
const CHUNK: usize = 16;
/// A page of Type 2, and the smallest block of Type 5.
const PAGE: usize = 4;
/// The page that holds the capability container of a Type 2 tag.
const CONTAINER_PAGE: usize = 3;

/// "End of file reached before reading the asked bytes" (ISO/IEC 7816-4), for readers that give less and say all is well.
const CAME_SHORT: u16 = 0x6282;

/// Memory as it is read: from `start` on, `block` bytes a number.
struct Memory {
    start: usize,
    block: usize,
    /// Whether `block` is known: a number of Type 2 is always a page, one of Type 5 whatever the tag has.
    is_known: bool,
    /// How many bytes one command reads.
    chunk: usize,
    bytes: Zeroizing<Vec<u8>>,
    /// Whether the tag was connected anew after it refused (A11): once is enough.
    reconnected: bool,
}

/// What came of reading on.
enum More {
    Yes,
    /// The tag refuses with this status word.
    Refused(u16),
}

impl Memory {
    fn new(start: usize, is_known: bool) -> Self {
        let bytes = Zeroizing::new(Vec::new());
        Self { start, block: PAGE, is_known, chunk: CHUNK, bytes, reconnected: false }
    }

    /// Reads the next chunk, at most `most` bytes.
    fn more(&mut self, link: &mut Link<'_>, most: usize) -> Result<More, Interrupted> {
        let number = self.start + self.bytes.len() / self.block;
        let Ok(number) = u16::try_from(number) else { return Ok(More::Refused(0x6B00)) };
        let wanted = most.next_multiple_of(self.block).clamp(self.block, self.chunk);
        let mut answer = ask(link, number, wanted)?;
        // Readers that give one block at a time refuse more, each with a status word of its own.
        if answer.status != 0x9000 && wanted > self.block && self.bytes.is_empty() && answer.status != 0x6300
        {
            self.chunk = self.block;
            answer = ask(link, number, self.block)?;
        }
        if answer.status == 0x6300 && !self.reconnected && !self.bytes.is_empty() {
            self.reconnected = true;
            link.reconnect()?;
            answer = ask(link, number, wanted)?;
        }
        if answer.status != 0x9000 || answer.data.is_empty() {
            return Ok(More::Refused(answer.status));
        }
        let mut came = answer.data.len().min(wanted);
        if came < PAGE {
            return Ok(More::Refused(CAME_SHORT));
        }
        if came < wanted {
            // From now on no command reads more than came; for Type 5 that is the block.
            self.chunk = came - came % PAGE;
            if !self.is_known {
                self.block = self.chunk;
            }
            came = self.chunk;
        }
        self.bytes.extend_from_slice(&answer.data[..came]);
        Ok(More::Yes)
    }

    /// Reads on until the data area, which begins at `begin` and has `size` bytes, gives its message.
    fn message(&mut self, link: &mut Link<'_>, begin: usize, size: usize) -> Result<Ndef, Interrupted> {
        let end = begin + size;
        loop {
            let have = self.bytes.len().min(end);
            let area = self.bytes.get(begin..have).unwrap_or_default();
            let missing = match tlv::find_ndef(area) {
                Search::Message(message) => return Ok(Ok(Zeroizing::new(message.to_vec()))),
                Search::Terminated => return Ok(absent("the tag is formatted and holds no NDEF block")),
                Search::Open if have == end => {
                    return Ok(absent("the tag is formatted and holds no NDEF block"));
                }
                Search::Short { tag, needed, left } if have == end || needed - left > end - have => {
                    return Ok(damaged(format!(
                        "truncated TLV: a block of type {tag:02x} needs {needed} bytes and {} are there",
                        left + end - have
                    )));
                }
                // One byte more than the value is not asked for: the terminator is of no use.
                Search::Short { needed, left, .. } => needed - left,
                Search::Open => end - have,
            };
            if let More::Refused(status) = self.more(link, missing.min(end - have))? {
                let at = self.start + self.bytes.len() / self.block;
                return Ok(damaged(format!("block {at} cannot be read, status {status:04X}")));
            }
        }
    }
}

/// READ BINARY of PC/SC.
fn ask(link: &mut Link<'_>, number: u16, length: usize) -> Result<super::link::Answer, Interrupted> {
    let [high, low] = number.to_be_bytes();
    link.send(&[0xFF, 0xB0, high, low, u8::try_from(length).unwrap_or(0)])
}

/// A Type 2 tag: the capability container and the first pages come with the first command. `None` when the tag is not
/// formatted for NDEF.
pub(super) fn read_type2(link: &mut Link<'_>) -> Result<Option<Ndef>, Interrupted> {
    let mut memory = Memory::new(CONTAINER_PAGE, true);
    if let More::Refused(_) = memory.more(link, CHUNK)? {
        return Ok(None);
    }
    let [0xE1, version, size, _access, ..] = memory.bytes[..] else { return Ok(None) };
    if version >> 4 != 1 {
        let why =
            format!("the tag uses version {} of the Type 2 mapping; versions 1.x are read", version >> 4);
        return Ok(Some(absent(&why)));
    }
    memory.message(link, PAGE, usize::from(size) * 8).map(Some)
}

/// A Type 5 tag: its capability container is 4 bytes, or 8 where the size does not fit one.
pub(super) fn read_type5(link: &mut Link<'_>) -> Result<Ndef, Interrupted> {
    let mut memory = Memory::new(0, false);
    while memory.bytes.len() < 8 {
        if let More::Refused(status) = memory.more(link, CHUNK)? {
            return Ok(absent(&format!(
                "its memory cannot be read with the reader's standard commands ({status:04X})"
            )));
        }
    }
    match memory.bytes[..] {
        [0xE1 | 0xE2, version, ..] if version >> 6 != 1 => Ok(absent(&format!(
            "the tag uses version {} of the Type 5 mapping; version 1 is read",
            version >> 6
        ))),
        [0xE1 | 0xE2, _, 0, _, _, _, high, low, ..] => {
            memory.message(link, 8, usize::from(u16::from_be_bytes([high, low])) * 8)
        }
        [0xE1 | 0xE2, _, size, ..] => memory.message(link, 4, usize::from(size) * 8),
        _ => Ok(absent("the tag is not formatted for NDEF")),
    }
}
