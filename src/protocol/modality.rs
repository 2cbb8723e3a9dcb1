//! Modalities of physical observations, and sets of them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One way of observing the physical world (§ Discovery).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Modality {
    /// A scanned tag.
    Nfc,
    /// A photo.
    Photo,
}

impl Modality {
    /// Both modalities, in the profile's order.
    pub const ALL: [Self; 2] = [Self::Nfc, Self::Photo];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nfc => "nfc",
            Self::Photo => "photo",
        }
    }

    /// Reads a name as it stands on the wire, exactly.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

impl fmt::Display for Modality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of modalities: what a card accepts, what an agent may ask for, what a session may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modalities {
    nfc: bool,
    photo: bool,
}

impl Modalities {
    /// No modality: a text-only session.
    pub const NONE: Self = Self { nfc: false, photo: false };
    /// Both modalities.
    pub const BOTH: Self = Self { nfc: true, photo: true };

    /// Whether the set holds `modality`.
    pub const fn contains(self, modality: Modality) -> bool {
        match modality {
            Modality::Nfc => self.nfc,
            Modality::Photo => self.photo,
        }
    }

    /// The set with `modality` added.
    #[must_use]
    pub const fn with(mut self, modality: Modality) -> Self {
        match modality {
            Modality::Nfc => self.nfc = true,
            Modality::Photo => self.photo = true,
        }
        self
    }

    /// What both sets hold: the usable set is card ∩ session (§ Session and input).
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self { nfc: self.nfc && other.nfc, photo: self.photo && other.photo }
    }

    /// Whether every modality of `self` is in `other`.
    pub fn is_subset(self, other: Self) -> bool {
        self.intersection(other) == self
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        !self.nfc && !self.photo
    }

    /// The members, in the profile's order.
    pub fn iter(self) -> impl Iterator<Item = Modality> {
        Modality::ALL.into_iter().filter(move |m| self.contains(*m))
    }
}

impl FromIterator<Modality> for Modalities {
    fn from_iter<I: IntoIterator<Item = Modality>>(iter: I) -> Self {
        iter.into_iter().fold(Self::NONE, Self::with)
    }
}

/// `nfc photo`, `nfc`, or `none`.
impl fmt::Display for Modalities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.pad("none");
        }
        let names: Vec<&str> = self.iter().map(Modality::name).collect();
        f.pad(&names.join(" "))
    }
}
