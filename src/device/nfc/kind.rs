//! Which readers there are and what each is, as far as its name says it.

use std::fmt;

use super::trouble::ReaderTrouble;

/// What there is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readers {
    /// What is wrong with the service, if anything: then nothing is known of readers.
    pub trouble: Option<ReaderTrouble>,
    /// The readers, in the order of the service.
    pub readers: Vec<ReaderInfo>,
}

/// One reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderInfo {
    /// Its name, by which it is chosen.
    pub name: String,
    /// What it is.
    pub kind: ReaderKind,
}

/// What a reader is. PC/SC does not say it; the names that drivers give do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReaderKind {
    /// For tags that are held to it.
    Contactless,
    /// For cards that are put in.
    Contact,
    /// A slot for a security module inside of the reader: not for tags.
    SamSlot,
    /// Its name does not say; the tag will.
    Unknown,
}

impl ReaderKind {
    /// What `name` says (A8): drivers name the slots of one device `… PICC …`, `… ICC …` and `… SAM …`.
    pub fn of(name: &str) -> Self {
        let upper = name.to_uppercase();
        let words: Vec<&str> = upper.split(|c: char| !c.is_alphanumeric()).collect();
        let any = |marks: &[&str]| marks.iter().any(|mark| words.contains(mark));
        let has = |marks: &[&str]| marks.iter().any(|mark| upper.contains(mark));
        if any(&["SAM"]) {
            Self::SamSlot
        } else if any(&["PICC", "CL", "NFC", "RFID", "CONTACTLESS"])
            || has(&[
                "CONTACTLESS",
                "ACR122",
                "ACR1251",
                "ACR1552",
                "SCL3711",
                "PN53",
                "RC-S380",
                "RC-S300",
                "PASORI",
            ])
        {
            Self::Contactless
        } else if any(&["ICC", "CONTACT", "SIM"]) || has(&["YUBIKEY", "NITROKEY", "GEMPC", "SCR33"]) {
            Self::Contact
        } else {
            Self::Unknown
        }
    }

    /// Whether a scan that names no reader waits at this one.
    pub fn is_for_tags(self) -> bool {
        matches!(self, Self::Contactless | Self::Unknown)
    }
}

impl fmt::Display for ReaderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contactless => "contactless",
            Self::Contact => "contact cards",
            Self::SamSlot => "SAM slot",
            Self::Unknown => "unknown kind",
        })
    }
}

impl ReaderInfo {
    /// A reader of this name.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), kind: ReaderKind::of(name) }
    }
}
