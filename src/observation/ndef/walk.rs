//! The framing of a message: headers, lengths, marks of begin and end, chunks (NDEF § 2.3, § 3.2).

use super::{Damaged, MESSAGE_BYTES, RECORDS, RawRecord, Tnf};

const MESSAGE_BEGIN: u8 = 0x80;
const MESSAGE_END: u8 = 0x40;
const CHUNK: u8 = 0x20;
const SHORT: u8 = 0x10;
const HAS_ID: u8 = 0x08;

/// How the marks of begin and end are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Exactly one begin, exactly one end, nothing behind it.
    Strict,
    /// Inside a Smart Poster writers set both marks on every record; they are not looked at.
    Lenient,
}

/// Splits `bytes` into whole records.
pub(super) fn records(bytes: &[u8], framing: Framing) -> Result<Vec<RawRecord>, Damaged> {
    if bytes.len() > MESSAGE_BYTES {
        return Err(Damaged::TooLong);
    }
    let mut walk = Walk { left: bytes, headers: 0, done: Vec::new(), open: None };
    while !walk.left.is_empty() {
        let flags = walk.step()?;
        if framing == Framing::Strict {
            walk.check_marks(flags)?;
        }
    }
    walk.finish()
}

struct Walk<'a> {
    left: &'a [u8],
    /// Headers read so far, which bounds the work also for chunks without payload.
    headers: usize,
    done: Vec<RawRecord>,
    /// The record whose last chunk has not come yet.
    open: Option<RawRecord>,
}

impl<'a> Walk<'a> {
    /// The place of the record being read, from 1.
    fn at(&self) -> usize {
        self.done.len() + 1
    }

    /// Reads one header with its fields and returns the flags.
    fn step(&mut self) -> Result<u8, Damaged> {
        self.headers += 1;
        if self.headers > RECORDS {
            return Err(Damaged::TooManyRecords);
        }
        let flags = self.take(1)?[0];
        let type_len = usize::from(self.take(1)?[0]);
        let payload_len = if flags & SHORT == 0 {
            let b = self.take(4)?;
            usize::try_from(u32::from_be_bytes([b[0], b[1], b[2], b[3]])).unwrap_or(usize::MAX)
        } else {
            usize::from(self.take(1)?[0])
        };
        let id_len = if flags & HAS_ID == 0 { 0 } else { usize::from(self.take(1)?[0]) };
        let record_type = self.take(type_len)?.to_vec();
        let id = self.take(id_len)?.to_vec();
        let payload = self.take(payload_len)?.to_vec();
        self.join(flags, RawRecord { tnf: Tnf::from_bits(flags), record_type, id, payload })?;
        Ok(flags)
    }

    /// Takes a record as it is, or as a chunk of the open one.
    fn join(&mut self, flags: u8, part: RawRecord) -> Result<(), Damaged> {
        let at = self.at();
        let more = flags & CHUNK != 0;
        let record = match self.open.take() {
            None if part.tnf == Tnf::Unchanged => return Err(Damaged::Chunks(at)),
            None => part,
            Some(mut open) => {
                if part.tnf != Tnf::Unchanged || !part.record_type.is_empty() || !part.id.is_empty() {
                    return Err(Damaged::Chunks(at));
                }
                open.payload.extend_from_slice(&part.payload);
                open
            }
        };
        if more {
            self.open = Some(record);
        } else {
            self.done.push(record);
        }
        Ok(())
    }

    /// Strict framing: begin on the first header alone, end on the last alone.
    fn check_marks(&self, flags: u8) -> Result<(), Damaged> {
        if (flags & MESSAGE_BEGIN != 0) != (self.headers == 1) {
            return Err(Damaged::Begin(self.done.len().max(1)));
        }
        match (flags & MESSAGE_END != 0, self.left.len()) {
            (true, _) if self.open.is_some() => Err(Damaged::Chunks(self.at())),
            (true, 0) => Ok(()),
            (true, left) => Err(Damaged::AfterEnd(left)),
            (false, 0) if self.open.is_some() => Err(Damaged::Chunks(self.at())),
            (false, 0) => Err(Damaged::NoEnd),
            (false, _) => Ok(()),
        }
    }

    fn finish(self) -> Result<Vec<RawRecord>, Damaged> {
        match self.open {
            Some(_) => Err(Damaged::Chunks(self.done.len() + 1)),
            None => Ok(self.done),
        }
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Damaged> {
        let Some((head, tail)) = self.left.split_at_checked(len) else {
            return Err(Damaged::CutOff { record: self.at(), needed: len, left: self.left.len() });
        };
        self.left = tail;
        Ok(head)
    }
}
