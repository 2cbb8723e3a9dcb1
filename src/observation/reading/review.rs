//! What the user sees of a tag before sending: its kind, its size, and its other content as untrusted text.

use std::fmt;

use crate::observation::ndef::{Content, Message, Text};
use crate::redact::{TagUid, spells_uid};
use crate::units::count;

/// Most pieces of untrusted content that are shown.
pub const UNTRUSTED_ENTRIES: usize = 16;
/// Most characters of one piece; the rest is cut.
pub const UNTRUSTED_CHARS: usize = 512;

/// What kind of tag it is and how much it holds; no content and no id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagSummary {
    /// The chip or technology, such as `NTAG213`. From a file, hence untrusted text.
    pub technology: String,
    /// What each record is, in order; `None` when no sound message was read.
    pub records: Option<Vec<&'static str>>,
    /// Bytes of the message; `None` when no sound message was read.
    pub ndef_bytes: Option<usize>,
    /// Bytes of the tag's id, when it gave one.
    pub uid_len: Option<usize>,
    /// Whether the id changes at every tap, so that it is no identity.
    pub random_uid: bool,
}

impl TagSummary {
    pub(super) fn new(
        technology: &str,
        parsed: Option<&(Vec<u8>, Message)>,
        uid: Option<&TagUid>,
        random_uid: bool,
    ) -> Self {
        let kinds = |m: &Message| m.records.iter().map(|r| kind(&r.content)).collect();
        Self {
            technology: bounded(technology.to_owned(), uid),
            records: parsed.map(|(_, message)| kinds(message)),
            ndef_bytes: parsed.map(|(bytes, _)| bytes.len()),
            uid_len: uid.map(TagUid::len),
            random_uid,
        }
    }
}

impl fmt::Display for TagSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", self.technology)?;
        match (&self.records, self.ndef_bytes) {
            (Some(records), Some(bytes)) if !records.is_empty() => {
                let shown = records.iter().take(4).copied().collect::<Vec<_>>().join(", ");
                let more = if records.len() > 4 { ", …" } else { "" };
                let (records, bytes) = (count(records.len(), "NDEF record"), count(bytes, "byte"));
                write!(f, "{records} ({shown}{more}), {bytes}")?;
            }
            (Some(_), _) => f.write_str("NDEF formatted, empty")?,
            _ => f.write_str("no NDEF message")?,
        }
        match (self.uid_len, self.random_uid) {
            (Some(_), true) => f.write_str(", random id, not an identity"),
            (Some(len), false) => write!(f, ", {len}-byte id"),
            (None, _) => Ok(()),
        }
    }
}

fn kind(content: &Content) -> &'static str {
    match content {
        Content::Empty => "empty",
        Content::Text(_) => "text",
        Content::Uri(_) => "URI",
        Content::SmartPoster(_) => "Smart Poster",
        Content::AbsoluteUri { .. } => "absolute URI",
        Content::Mime { .. } => "media",
        Content::External { .. } => "external",
        Content::WellKnown { .. } => "other NFC Forum type",
        Content::Unknown { .. } => "unknown",
        Content::Malformed => "malformed",
    }
}

/// Everything the tag says beside its reference, as bounded lines. A line that spells the tag's id is not shown.
pub(super) fn untrusted(message: &Message, reference: Option<&str>, uid: Option<&TagUid>) -> Vec<String> {
    let mut taken = reference.is_none();
    let mut lines = Vec::new();
    for record in &message.records {
        match &record.content {
            Content::Uri(uri) if !taken && Some(uri.uri.as_str()) == reference => taken = true,
            Content::SmartPoster(poster) => {
                for uri in &poster.uris {
                    if !taken && Some(uri.uri.as_str()) == reference {
                        taken = true;
                    } else {
                        lines.push(format!("URI: {}", uri.uri));
                    }
                }
                lines.extend(poster.titles.iter().map(|t| text("title", t)));
            }
            content => lines.extend(line(content)),
        }
    }
    lines.truncate(UNTRUSTED_ENTRIES);
    lines.into_iter().map(|line| bounded(line, uid)).collect()
}

fn line(content: &Content) -> Option<String> {
    Some(match content {
        Content::Text(t) => text("text", t),
        Content::Uri(uri) => format!("URI: {}", uri.uri),
        Content::AbsoluteUri { uri, bytes } => {
            format!("absolute URI as type: {uri}, {}", count(*bytes, "byte"))
        }
        Content::Mime { media_type, bytes } => format!("media: {media_type}, {}", count(*bytes, "byte")),
        Content::External { name, bytes } => format!("external: {name}, {}", count(*bytes, "byte")),
        Content::WellKnown { name, bytes } => format!("NFC Forum type: {name}, {}", count(*bytes, "byte")),
        Content::Unknown { bytes } => format!("unknown type, {}", count(*bytes, "byte")),
        Content::Empty | Content::Malformed | Content::SmartPoster(_) => return None,
    })
}

fn text(what: &str, t: &Text) -> String {
    if t.language.is_empty() {
        format!("{what}: {}", t.text)
    } else {
        format!("{what} ({}): {}", t.language, t.text)
    }
}

fn bounded(line: String, uid: Option<&TagUid>) -> String {
    if uid.is_some_and(|uid| spells_uid(uid, &line)) {
        return "[not shown: it spells the tag's id]".to_owned();
    }
    match line.char_indices().nth(UNTRUSTED_CHARS) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
