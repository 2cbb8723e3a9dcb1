//! Records to bytes: what the demo tags are made with, and the other half of the round trip in tests.

use thiserror::Error;

use super::{RawRecord, Tnf, uri};

/// A field is longer than NDEF can say: 255 bytes of type or id, 4 GiB of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a field of an NDEF record is longer than its length field can say")]
pub struct TooLong;

impl RawRecord {
    /// A record of a type of the NFC Forum.
    pub fn well_known(record_type: &str, payload: Vec<u8>) -> Self {
        Self { tnf: Tnf::WellKnown, record_type: record_type.into(), id: Vec::new(), payload }
    }

    /// A URI record with the longest prefix of the table.
    pub fn uri(uri: &str) -> Self {
        let code = uri::code_for(uri);
        let skip = uri::prefix(code).map_or(0, str::len);
        let mut payload = vec![code];
        payload.extend_from_slice(&uri.as_bytes()[skip..]);
        Self::well_known("U", payload)
    }

    /// A Text record in UTF-8; a language code is cut at the 63 bytes that its length field can say.
    pub fn text(language: &str, text: &str) -> Self {
        let language = &language.as_bytes()[..language.len().min(0x3F)];
        let mut payload = vec![language.len().try_into().unwrap_or(0x3F)];
        payload.extend_from_slice(language);
        payload.extend_from_slice(text.as_bytes());
        Self::well_known("T", payload)
    }

    /// A Smart Poster of the given records.
    ///
    /// # Errors
    ///
    /// [`TooLong`] as for [`encode_message`].
    pub fn smart_poster(records: &[Self]) -> Result<Self, TooLong> {
        Ok(Self::well_known("Sp", encode_message(records)?))
    }
}

/// Encodes a message without chunks, short records where they fit. No records give no bytes.
///
/// # Errors
///
/// [`TooLong`] when a field is longer than its length field can say.
pub fn encode_message(records: &[RawRecord]) -> Result<Vec<u8>, TooLong> {
    let mut out = Vec::new();
    for (i, record) in records.iter().enumerate() {
        let begin = if i == 0 { 0x80 } else { 0 };
        let end = if i + 1 == records.len() { 0x40 } else { 0 };
        let short = if record.payload.len() <= 0xFF { 0x10 } else { 0 };
        let id = if record.id.is_empty() { 0 } else { 0x08 };
        out.push(begin | end | short | id | record.tnf.bits());
        out.push(byte(record.record_type.len())?);
        if short == 0 {
            out.extend(u32::try_from(record.payload.len()).map_err(|_| TooLong)?.to_be_bytes());
        } else {
            out.push(byte(record.payload.len())?);
        }
        if id != 0 {
            out.push(byte(record.id.len())?);
        }
        out.extend_from_slice(&record.record_type);
        out.extend_from_slice(&record.id);
        out.extend_from_slice(&record.payload);
    }
    Ok(out)
}

fn byte(len: usize) -> Result<u8, TooLong> {
    u8::try_from(len).map_err(|_| TooLong)
}
