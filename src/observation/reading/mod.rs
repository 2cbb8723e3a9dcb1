//! What a scanned tag comes to: a reference or a local alias, its digest, and what the user reviews.
//!
//! Pure. The client calls [`read_tag`] with what a reader delivered and sends [`TagReading::object_input`] after the
//! user's review; what names the tag for one tap alone ([`Naming`]) only when the user insists. The raw id stays in [`TagReading::uid`], which only the scrubber looks at.

mod review;

use thiserror::Error;

use super::alias::{DeviceKey, alias, digest};
use super::flipper::{self, FlipperError};
use super::ndef::{self, Message};
use super::reference::{self, Verdict};
use super::type2::{self, Memory, NoMessage};
use crate::protocol::observation::{Assurance, Carrier, ObjectInput, Passport};
use crate::redact::TagUid;
use crate::units;

pub use review::{TagSummary, UNTRUSTED_CHARS, UNTRUSTED_ENTRIES};

/// What a reader delivered, undecoded.
#[derive(Clone, Copy, Debug)]
pub enum TagSource<'a> {
    /// The bytes of an NDEF message, as a reader or a `.ndef` file gives them.
    NdefMessage {
        /// The exact message.
        bytes: &'a [u8],
        /// The tag's id, when the reader gave one.
        uid: Option<&'a TagUid>,
    },
    /// The memory of a Type 2 tag from page 0 on.
    Type2Memory {
        /// The pages.
        bytes: &'a [u8],
        /// The tag's id as the reader gave it, which goes before the one in the pages.
        uid: Option<&'a TagUid>,
    },
    /// The text of a Flipper Zero file.
    FlipperFile(&'a str),
    /// A tag of which nothing but the id was read.
    UidOnly(&'a TagUid),
    /// What a reader got from a tag on it.
    Read {
        /// What kind of tag it is.
        technology: &'a str,
        /// The exact NDEF message; or a clause why there is none, and whether that is damage rather than absence.
        ndef: Result<&'a [u8], (&'a str, bool)>,
        /// The tag's id, when the reader gave one.
        uid: Option<&'a TagUid>,
    },
}

/// How long a reference or an alias names its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Naming {
    /// For good: whoever scans it again gets the same.
    Lasting,
    /// For this one tap: it is the alias of an id that is drawn anew at the next. Sent only where the user insists.
    OneTap,
}

/// A scanned tag, ready for review and for the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagReading {
    /// The reference byte for byte, or the local alias; at most 512 characters (R9, R10).
    pub object_ref: String,
    /// How long that names the tag.
    pub naming: Naming,
    /// Which of the two it is (R8).
    pub carrier: Carrier,
    /// SHA-256 of the exact NDEF message, or of the alias's UTF-8 (R8, R10).
    pub payload_sha256: [u8; 32],
    /// What kind of tag it is and how much it holds.
    pub summary: TagSummary,
    /// What else the tag says: untrusted, for display only, never sent. Bounded in number and length.
    pub other_content: Vec<String>,
    /// Plain sentences about what was remarkable; they hold no content of the tag.
    pub notes: Vec<String>,
    /// The tag's id for the scrubber, so that an echo of it is caught.
    pub uid: Option<TagUid>,
}

impl TagReading {
    /// The object as it goes on the wire. The assurance is always `unverifiedTag` (R8).
    pub fn object_input(&self, passport: Option<Passport>) -> ObjectInput {
        ObjectInput {
            object_ref: self.object_ref.clone(),
            carrier: self.carrier,
            assurance: Assurance::UnverifiedTag,
            payload_sha256: units::hex(&self.payload_sha256),
            passport,
        }
    }
}

/// Why a tag gives no observation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TagError {
    /// A Flipper file that cannot be used.
    #[error("The Flipper file cannot be used: {0}. Nothing was sent.")]
    Flipper(#[from] FlipperError),
    /// Neither a reference nor an id.
    #[error(
        "The tag cannot be named: {why}, and it gave no id for a local alias (R9, R10). Nothing was sent."
    )]
    Nameless {
        /// Why there is no reference.
        why: String,
    },
}

/// What came out of a source before it is judged.
struct Parts {
    technology: String,
    uid: Option<TagUid>,
    /// The message's bytes, or the reason why there are none.
    ndef: Result<Vec<u8>, Absent>,
    notes: Vec<String>,
}

/// Why there is no message: nothing there, or something damaged.
struct Absent {
    why: String,
    damaged: bool,
}

/// Reads a tag.
///
/// A damaged or foreign message never gives a reference: the tag then gets its local alias, and a note says why.
///
/// # Errors
///
/// [`TagError`] when the source cannot be read at all, or gives neither a reference nor an id.
pub fn read_tag(source: TagSource<'_>, key: &DeviceKey) -> Result<TagReading, TagError> {
    let Parts { technology, uid, ndef, mut notes } = parts(source)?;
    let uid = uid.filter(is_identity);
    let random_uid = uid.as_ref().is_some_and(is_random);
    if random_uid {
        notes.push("The tag's id is random: it changes at every tap and is not an identity.".to_owned());
    }
    let parsed = parse(ndef, &mut notes);
    let summary = TagSummary::new(&technology, parsed.as_ref().ok(), uid.as_ref(), random_uid);
    let why = match &parsed {
        Err(why) => why.clone(),
        Ok((bytes, message)) => match reference::find(message, uid.as_ref()) {
            Verdict::Reference(uri) => {
                return Ok(TagReading {
                    other_content: review::untrusted(message, Some(&uri), uid.as_ref()),
                    object_ref: uri,
                    naming: Naming::Lasting,
                    carrier: Carrier::Ndef,
                    payload_sha256: digest(bytes),
                    summary,
                    notes,
                    uid,
                });
            }
            verdict => why_not(&verdict, message, &mut notes),
        },
    };
    let object_ref = match &uid {
        None => return Err(TagError::Nameless { why }),
        Some(uid) => alias(key, uid),
    };
    let naming = if random_uid { Naming::OneTap } else { Naming::Lasting };
    let other_content =
        parsed.map(|(_, message)| review::untrusted(&message, None, uid.as_ref())).unwrap_or_default();
    let payload_sha256 = digest(object_ref.as_bytes());
    Ok(TagReading {
        object_ref,
        naming,
        carrier: Carrier::LocalTag,
        payload_sha256,
        summary,
        other_content,
        notes,
        uid,
    })
}

fn parts(source: TagSource<'_>) -> Result<Parts, TagError> {
    Ok(match source {
        TagSource::NdefMessage { bytes, uid } => Parts {
            technology: "NDEF message".to_owned(),
            uid: uid.cloned(),
            ndef: Ok(bytes.to_vec()),
            notes: Vec::new(),
        },
        TagSource::UidOnly(uid) => Parts {
            technology: "tag id only".to_owned(),
            uid: Some(uid.clone()),
            ndef: Err(Absent { why: "no NDEF message was read".to_owned(), damaged: false }),
            notes: Vec::new(),
        },
        TagSource::Read { technology, ndef, uid } => Parts {
            technology: technology.to_owned(),
            uid: uid.cloned(),
            ndef: ndef.map(<[u8]>::to_vec).map_err(|(why, damaged)| Absent { why: why.to_owned(), damaged }),
            notes: Vec::new(),
        },
        TagSource::Type2Memory { bytes, uid } => {
            let memory = type2::read_memory(bytes);
            let mut notes = Vec::new();
            if uid.is_none() && memory.uid.is_some() && !memory.uid_checked {
                notes.push("The check bytes of the tag's id do not fit; the dump may be damaged.".to_owned());
            }
            let uid = uid.cloned().or_else(|| memory.uid.clone());
            let technology = match memory.ndef {
                Err(NoMessage::NotFormatted) => "tag without NDEF",
                _ => "Type 2",
            };
            Parts { technology: technology.to_owned(), uid, ndef: area(memory), notes }
        }
        TagSource::FlipperFile(text) => flipper_parts(text)?,
    })
}

fn flipper_parts(text: &str) -> Result<Parts, FlipperError> {
    let tag = flipper::parse(text)?;
    let mut notes = Vec::new();
    if let Some((read, total)) = tag.pages.filter(|(read, total)| read < total) {
        notes.push(format!("Only {read} of the tag's {total} pages were read."));
    }
    if tag.uid_differs {
        notes.push(
            "The tag's first pages hold another id than the file's `UID` line, which is the one used."
                .to_owned(),
        );
    }
    let ndef = tag.memory.map_or_else(
        || Err(Absent { why: "NDEF is not read from tags of this type".to_owned(), damaged: false }),
        area,
    );
    Ok(Parts { technology: tag.technology, uid: Some(tag.uid), ndef, notes })
}

fn area(memory: Memory) -> Result<Vec<u8>, Absent> {
    memory.ndef.map_err(|none| Absent { why: none.to_string(), damaged: none.is_damage() })
}

/// Parses the message; a reason why there is none is returned, and noted when it is worth a note.
fn parse(ndef: Result<Vec<u8>, Absent>, notes: &mut Vec<String>) -> Result<(Vec<u8>, Message), String> {
    let absent = match ndef {
        Ok(bytes) => match ndef::parse_message(&bytes) {
            Ok(message) => {
                notes.extend(message.problems.iter().map(|p| format!("NDEF {p}.")));
                return Ok((bytes, message));
            }
            Err(damaged) => Absent { why: damaged.to_string(), damaged: true },
        },
        Err(absent) => absent,
    };
    let why =
        if absent.damaged { format!("its NDEF message is damaged ({})", absent.why) } else { absent.why };
    if absent.damaged {
        notes.push(format!("Damaged message, nothing of it is used: {why}."));
    }
    Err(why)
}

fn why_not(verdict: &Verdict, message: &Message, notes: &mut Vec<String>) -> String {
    let why = match verdict {
        Verdict::ForgedAlias => {
            "it carries a URI in the namespace of local aliases, which a writable tag must not forge"
        }
        Verdict::SpellsUid => "its URI spells the tag's own id, which never leaves this device",
        _ if message.is_empty() => return "it is formatted and empty".to_owned(),
        _ => return "no record of it is a urn: or https: reference of at most 512 characters".to_owned(),
    };
    notes.push(format!("No reference is taken from the tag: {why}."));
    why.to_owned()
}

/// All zeros or all ones are what a chip without an id answers.
fn is_identity(uid: &TagUid) -> bool {
    let bytes = uid.expose_for_alias();
    !bytes.iter().all(|b| *b == 0) && !bytes.iter().all(|b| *b == 0xFF)
}

/// Four bytes that begin with `08` are drawn anew at every tap (ISO/IEC 14443-3 § 6.4.4).
fn is_random(uid: &TagUid) -> bool {
    matches!(uid.expose_for_alias(), [0x08, _, _, _])
}

#[cfg(test)]
mod tests;
