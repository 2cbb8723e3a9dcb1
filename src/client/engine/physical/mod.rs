//! Collecting and reviewing: what is armed and until when, what would be sent, and the moment it is sent.
//!
//! One thing is armed at a time. A draft begins empty when a device is armed, is reviewed when it holds a
//! tag or a photo, and can take the other modality. Its image is forgotten when it is sent or dropped.

//!
//! `arming` starts devices and takes what they bring, `reviewing` puts it together and sends it, `telling` shows
//! and forgets it.

mod arming;
mod reviewing;
mod telling;

use std::time::Duration;

use crate::client::event::{CollectedPhoto, CollectedTag, Collection};
use crate::client::notice::TagName;
use crate::client::request::Aim;
use crate::protocol::Modality;
use crate::protocol::observation::{Intent, Passport};

/// The physical side of the engine.
#[derive(Debug, Default)]
pub(super) struct Physical {
    count: u64,
    armed: Option<Arming>,
    /// The photo is being turned and fitted anew.
    refitting: Option<Collection>,
    draft: Option<Sketch>,
    plan: Option<Plan>,
    last: Option<(String, Duration)>,
}

/// A device that was armed.
#[derive(Clone, Copy, Debug)]
struct Arming {
    id: Collection,
    modality: Modality,
    until: Duration,
    step: Step,
}

/// How far a collection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The reader waits, or the camera is opening.
    Waiting,
    /// The camera delivers.
    Aiming,
    /// The shutter was pressed.
    Taking,
}

/// An observation that is being put together.
#[derive(Debug, Default)]
struct Sketch {
    tag: Option<CollectedTag>,
    photo: Option<(Collection, CollectedPhoto)>,
    intent: Intent,
    answers: Option<String>,
    /// Whether it may answer a request at all.
    aim: Aim,
    passport: Option<Passport>,
}

impl Sketch {
    fn is_empty(&self) -> bool {
        self.tag.is_none() && self.photo.is_none()
    }

    /// Whether it holds a tag whose name may not be sent.
    fn withheld(&self) -> bool {
        self.tag.as_ref().is_some_and(|tag| tag.review.name == TagName::Withheld)
    }

    fn holds(&self, modality: Modality) -> bool {
        match modality {
            Modality::Nfc => self.tag.is_some(),
            Modality::Photo => self.photo.is_some(),
        }
    }
}

/// What a scenario step still wants collected before it is sent.
#[derive(Debug)]
struct Plan {
    tag: Option<String>,
    picture: Option<String>,
    passport: Option<String>,
    insist: bool,
}

impl Physical {
    /// Nothing armed, nothing under review.
    pub fn new() -> Self {
        Self::default()
    }

    /// When the armed device stops by itself.
    pub fn deadline(&self) -> Option<Duration> {
        self.armed.map(|armed| armed.until)
    }

    /// Whether a device of this kind is armed for this collection.
    pub fn is_armed(&self, modality: Modality, id: Collection) -> bool {
        self.armed.is_some_and(|armed| armed.modality == modality && armed.id == id)
    }

    fn next_id(&mut self) -> Collection {
        self.count += 1;
        Collection(self.count)
    }
}

fn device(modality: Modality) -> &'static str {
    match modality {
        Modality::Nfc => "reader",
        Modality::Photo => "camera",
    }
}

fn thing(modality: Modality) -> &'static str {
    match modality {
        Modality::Nfc => "tag",
        Modality::Photo => "photo",
    }
}

fn other(modality: Modality) -> Modality {
    match modality {
        Modality::Nfc => Modality::Photo,
        Modality::Photo => Modality::Nfc,
    }
}
