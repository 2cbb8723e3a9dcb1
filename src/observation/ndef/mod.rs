//! NDEF messages: bytes from a tag to records, strictly at the top and leniently inside a Smart Poster.
//!
//! Pure. Called by [`super::reading`]. A message whose framing is broken is [`Damaged`] and nothing of it
//! is used; a record whose content is broken is a [`Problem`] and the other records still stand.
//! Source: NFC Forum NDEF 1.0 and the record types Text, URI and Smart Poster 1.0.

mod content;
mod encode;
mod uri;
mod walk;

use std::fmt;

use thiserror::Error;

pub use content::{Content, SmartPoster, Text, Uri};
pub use encode::{TooLong, encode_message};

/// Largest message that is read, in bytes: the bound of a tag file.
pub const MESSAGE_BYTES: usize = 64 * 1024;
/// Most records of one message, chunks and those inside a Smart Poster counted where they stand.
pub const RECORDS: usize = 256;

/// How the type field of a record is to be read (NDEF § 3.2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tnf {
    /// 0: the record holds nothing.
    Empty,
    /// 1: a type of the NFC Forum, such as `T`, `U` or `Sp`.
    WellKnown,
    /// 2: a media type.
    Mime,
    /// 3: the type is itself an absolute URI.
    AbsoluteUri,
    /// 4: a type of somebody's own, `domain:name`.
    External,
    /// 5: a payload without a type.
    Unknown,
    /// 6: a later chunk; never the type of a whole record.
    Unchanged,
    /// 7: reserved; treated like 5, as the standard asks.
    Reserved,
}

impl Tnf {
    /// The three low bits of a record's first byte.
    pub const fn from_bits(flags: u8) -> Self {
        match flags & 0x07 {
            0 => Self::Empty,
            1 => Self::WellKnown,
            2 => Self::Mime,
            3 => Self::AbsoluteUri,
            4 => Self::External,
            5 => Self::Unknown,
            6 => Self::Unchanged,
            _ => Self::Reserved,
        }
    }

    /// The value in a record's first byte.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::WellKnown => 1,
            Self::Mime => 2,
            Self::AbsoluteUri => 3,
            Self::External => 4,
            Self::Unknown => 5,
            Self::Unchanged => 6,
            Self::Reserved => 7,
        }
    }
}

/// One record as it stands on the tag, chunks joined, content not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// How the type is to be read.
    pub tnf: Tnf,
    /// The type field, at most 255 bytes.
    pub record_type: Vec<u8>,
    /// The id field, at most 255 bytes; mostly empty.
    pub id: Vec<u8>,
    /// The payload.
    pub payload: Vec<u8>,
}

/// One record and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The fields as they stand.
    pub raw: RawRecord,
    /// The decoded content. All text in it is untrusted.
    pub content: Content,
}

/// A message whose framing is whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The records in their order. None at all means formatted and empty.
    pub records: Vec<Record>,
    /// What is wrong with, or remarkable about, single records.
    pub problems: Vec<Problem>,
}

impl Message {
    /// Whether the tag is formatted but says nothing: no record, or only empty ones without a problem.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty() && self.records.iter().all(|r| r.content == Content::Empty)
    }
}

/// Something wrong with one record; the others still stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The record's place in the message, from 1.
    pub record: usize,
    /// What is wrong.
    pub fault: RecordFault,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}: {}", self.record, self.fault)
    }
}

/// What can be wrong with a record whose framing is whole.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// TNF 0 with a type, an id or a payload.
    #[error("an empty record carries content")]
    EmptyWithContent,
    /// TNF 5 or 7 with a type.
    #[error("a record of unknown type names a type")]
    UnknownWithType,
    /// TNF 7.
    #[error("its type name format is reserved, so it is treated as unknown")]
    ReservedFormat,
    /// A type field that is not text.
    #[error("its type is not text")]
    TypeNotText,
    /// A Text record without its status byte.
    #[error("a Text record is empty; it needs a status byte")]
    TextEmpty,
    /// The language code is longer than the payload.
    #[error("a Text record announces a language code of {announced} bytes and holds {held}")]
    LanguageTooLong {
        /// What the status byte says.
        announced: usize,
        /// What follows the status byte.
        held: usize,
    },
    /// The language code is missing; the text is shown all the same.
    #[error("a Text record names no language")]
    LanguageMissing,
    /// The language code is not ASCII.
    #[error("the language code of a Text record is not ASCII")]
    LanguageNotAscii,
    /// The text is not valid in the encoding that the status byte names.
    #[error("a Text record is not valid {0}")]
    TextEncoding(&'static str),
    /// A URI record without prefix code or without anything after it.
    #[error("a URI record is empty")]
    UriEmpty,
    /// A prefix code above 23 (hexadecimal); read as no prefix.
    #[error("the URI prefix code {0:02x} is unknown, so nothing is put before the URI")]
    UriCodeUnknown(u8),
    /// A URI that is not UTF-8.
    #[error("a URI record is not valid UTF-8")]
    UriEncoding,
    /// A Smart Poster whose inner records do not fit its payload.
    #[error("the records inside a Smart Poster are damaged: {0}")]
    PosterDamaged(Damaged),
    /// A Smart Poster without exactly one URI.
    #[error("a Smart Poster needs one URI and holds {0}")]
    PosterUris(usize),
    /// A Smart Poster inside a Smart Poster; it is not read.
    #[error("a Smart Poster inside a Smart Poster is not read")]
    PosterTooDeep,
}

/// Why a whole message is not used: the framing is broken, as after a torn write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Damaged {
    /// A length points behind the end.
    #[error("record {record} needs {needed} more bytes and {left} are left")]
    CutOff {
        /// The record's place, from 1.
        record: usize,
        /// Bytes the record still needs.
        needed: usize,
        /// Bytes that are left.
        left: usize,
    },
    /// The first record lacks the mark of a beginning, or a later one has it.
    #[error("record {0} is wrong about where the message begins")]
    Begin(usize),
    /// No record has the mark of the end.
    #[error("the last record does not carry the mark of the end")]
    NoEnd,
    /// Something stands behind the record that ends the message.
    #[error("{0} bytes follow the end of the message")]
    AfterEnd(usize),
    /// Chunks do not follow the rules (NDEF § 2.3.3).
    #[error("the chunks of record {0} do not belong together")]
    Chunks(usize),
    /// More than [`RECORDS`] records.
    #[error("it has more than {RECORDS} records")]
    TooManyRecords,
    /// More than [`MESSAGE_BYTES`] bytes.
    #[error("it is longer than {MESSAGE_BYTES} bytes")]
    TooLong,
}

/// Reads a whole message. No bytes at all are a message without records (formatted, empty).
///
/// # Errors
///
/// [`Damaged`] when the framing is broken anywhere; then nothing of the message is used.
pub fn parse_message(bytes: &[u8]) -> Result<Message, Damaged> {
    let mut message = Message::default();
    for raw in walk::records(bytes, walk::Framing::Strict)? {
        let at = message.records.len() + 1;
        let mut faults = Vec::new();
        let content = content::decode(&raw, content::Depth::Message, &mut faults);
        message.problems.extend(faults.into_iter().map(|fault| Problem { record: at, fault }));
        message.records.push(Record { raw, content });
    }
    Ok(message)
}

#[cfg(test)]
mod tests;
