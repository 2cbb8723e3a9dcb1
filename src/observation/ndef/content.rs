//! What single records say: Text, URI, Smart Poster, and the kinds that are only named.

use super::walk::{self, Framing};
use super::{RawRecord, RecordFault, Tnf, uri};

/// The content of a record. All text in it comes from a writable label and is untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing, as an erased tag has it.
    Empty,
    /// A Text record.
    Text(Text),
    /// A URI record.
    Uri(Uri),
    /// A Smart Poster.
    SmartPoster(SmartPoster),
    /// TNF 3: the type is an absolute URI; it describes the payload and is no reference (R9).
    AbsoluteUri {
        /// The type field.
        uri: String,
        /// Bytes of payload.
        bytes: usize,
    },
    /// A media type.
    Mime {
        /// The type field.
        media_type: String,
        /// Bytes of payload.
        bytes: usize,
    },
    /// A type of somebody's own.
    External {
        /// The type field, `domain:name`.
        name: String,
        /// Bytes of payload.
        bytes: usize,
    },
    /// A type of the NFC Forum that is only named here, such as a handover.
    WellKnown {
        /// The type field.
        name: String,
        /// Bytes of payload.
        bytes: usize,
    },
    /// A payload without a type.
    Unknown {
        /// Bytes of payload.
        bytes: usize,
    },
    /// A record that could not be decoded; its problem says why.
    Malformed,
}

/// A Text record (RTD Text 1.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The language code, such as `en`; empty when the record names none.
    pub language: String,
    /// The text.
    pub text: String,
    /// Whether it was written in UTF-16.
    pub utf16: bool,
}

/// A URI record (RTD URI 1.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri {
    /// The URI byte for byte, its prefix written out.
    pub uri: String,
    /// The prefix code as it stands on the tag.
    pub code: u8,
}

/// A Smart Poster (RTD Smart Poster 1.1): the parts that are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmartPoster {
    /// Its URIs; a sound one has exactly one.
    pub uris: Vec<Uri>,
    /// Its titles, one a language.
    pub titles: Vec<Text>,
    /// How many other records it holds: icons, sizes, actions.
    pub others: usize,
}

impl SmartPoster {
    /// The URI of a sound poster.
    pub fn uri(&self) -> Option<&Uri> {
        match self.uris.as_slice() {
            [uri] => Some(uri),
            _ => None,
        }
    }
}

/// Where a record stands: a Smart Poster is read in a message, never in another Smart Poster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Message,
    SmartPoster,
}

/// Decodes one record; what is wrong with it goes into `faults`.
pub(super) fn decode(raw: &RawRecord, depth: Depth, faults: &mut Vec<RecordFault>) -> Content {
    let decoded = match raw.tnf {
        Tnf::Empty => empty(raw),
        Tnf::WellKnown => well_known(raw, depth, faults),
        Tnf::Mime => type_text(raw).map(|media_type| Content::Mime { media_type, bytes: raw.payload.len() }),
        Tnf::AbsoluteUri => type_text(raw).map(|uri| Content::AbsoluteUri { uri, bytes: raw.payload.len() }),
        Tnf::External => type_text(raw).map(|name| Content::External { name, bytes: raw.payload.len() }),
        Tnf::Unknown | Tnf::Unchanged | Tnf::Reserved => Ok(unknown(raw, faults)),
    };
    decoded.unwrap_or_else(|fault| {
        faults.push(fault);
        Content::Malformed
    })
}

fn empty(raw: &RawRecord) -> Result<Content, RecordFault> {
    if raw.record_type.is_empty() && raw.id.is_empty() && raw.payload.is_empty() {
        Ok(Content::Empty)
    } else {
        Err(RecordFault::EmptyWithContent)
    }
}

fn unknown(raw: &RawRecord, faults: &mut Vec<RecordFault>) -> Content {
    if raw.tnf == Tnf::Reserved {
        faults.push(RecordFault::ReservedFormat);
    }
    if !raw.record_type.is_empty() {
        faults.push(RecordFault::UnknownWithType);
    }
    Content::Unknown { bytes: raw.payload.len() }
}

fn type_text(raw: &RawRecord) -> Result<String, RecordFault> {
    String::from_utf8(raw.record_type.clone()).map_err(|_| RecordFault::TypeNotText)
}

fn well_known(raw: &RawRecord, depth: Depth, faults: &mut Vec<RecordFault>) -> Result<Content, RecordFault> {
    match (raw.record_type.as_slice(), depth) {
        (b"T", _) => text(&raw.payload, faults).map(Content::Text),
        (b"U", _) => uri_record(&raw.payload, faults).map(Content::Uri),
        (b"Sp", Depth::Message) => smart_poster(&raw.payload, faults).map(Content::SmartPoster),
        (b"Sp", Depth::SmartPoster) => Err(RecordFault::PosterTooDeep),
        _ => type_text(raw).map(|name| Content::WellKnown { name, bytes: raw.payload.len() }),
    }
}

fn text(payload: &[u8], faults: &mut Vec<RecordFault>) -> Result<Text, RecordFault> {
    let (&status, rest) = payload.split_first().ok_or(RecordFault::TextEmpty)?;
    let announced = usize::from(status & 0x3F);
    let (language, body) = rest
        .split_at_checked(announced)
        .ok_or(RecordFault::LanguageTooLong { announced, held: rest.len() })?;
    if !language.is_ascii() {
        return Err(RecordFault::LanguageNotAscii);
    }
    if language.is_empty() {
        faults.push(RecordFault::LanguageMissing);
    }
    let language = String::from_utf8_lossy(language).into_owned();
    let utf16 = status & 0x80 != 0;
    let text = if utf16 {
        from_utf16(body).ok_or(RecordFault::TextEncoding("UTF-16"))?
    } else {
        String::from_utf8(body.to_vec()).map_err(|_| RecordFault::TextEncoding("UTF-8"))?
    };
    Ok(Text { language, text, utf16 })
}

/// UTF-16 by its byte order mark, which is not part of the text; without one big-endian (RTD Text § 3.4).
fn from_utf16(body: &[u8]) -> Option<String> {
    let (little, body) = match body {
        [0xFF, 0xFE, rest @ ..] => (true, rest),
        [0xFE, 0xFF, rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if !body.len().is_multiple_of(2) {
        return None;
    }
    let units = body.chunks_exact(2).map(|unit| {
        let unit = [unit[0], unit[1]];
        if little { u16::from_le_bytes(unit) } else { u16::from_be_bytes(unit) }
    });
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

fn uri_record(payload: &[u8], faults: &mut Vec<RecordFault>) -> Result<Uri, RecordFault> {
    let (&code, rest) = payload.split_first().ok_or(RecordFault::UriEmpty)?;
    let rest = std::str::from_utf8(rest).map_err(|_| RecordFault::UriEncoding)?;
    let prefix = uri::prefix(code).unwrap_or_else(|| {
        faults.push(RecordFault::UriCodeUnknown(code));
        ""
    });
    let uri = format!("{prefix}{rest}");
    if uri.is_empty() {
        return Err(RecordFault::UriEmpty);
    }
    Ok(Uri { uri, code })
}

fn smart_poster(payload: &[u8], faults: &mut Vec<RecordFault>) -> Result<SmartPoster, RecordFault> {
    let inner = walk::records(payload, Framing::Lenient).map_err(RecordFault::PosterDamaged)?;
    let mut poster = SmartPoster::default();
    for raw in &inner {
        match decode(raw, Depth::SmartPoster, faults) {
            Content::Uri(uri) => poster.uris.push(uri),
            Content::Text(title) => poster.titles.push(title),
            _ => poster.others += 1,
        }
    }
    if poster.uris.len() != 1 {
        faults.push(RecordFault::PosterUris(poster.uris.len()));
    }
    Ok(poster)
}
