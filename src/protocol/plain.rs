//! The quick way for envelopes as they come by the thousand: read once, straight into their type.
//!
//! It takes only what needs no second look: exactly the members that the profile names, each once and of its type,
//! in a short text on one line. For anything else it answers `None`, and the careful way decides; so it can be
//! wrong about nothing but speed. `tests/plain.rs` and the fuzz target `frame` compare the two.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde_json::Deserializer;

use super::event::Event;
use super::server::Envelope;
use super::view::RUN;
use crate::units::Sequence;

/// Reads an envelope that is worth no finding by its form, and whose text can be shown as it is.
pub(super) fn read(text: &str) -> Option<Envelope> {
    if !may_be_plain(text) {
        return None;
    }
    let mut reader = Deserializer::from_str(text);
    let envelope = reader.deserialize_map(Outer).ok()?;
    reader.end().ok()?;
    envelope
}

/// Shorter than any run of base64 that is masked, on one line, and with no character spelled by its number. (Other
/// controls are no JSON, in a string or out of one.)
fn may_be_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() < RUN
        && memchr::memchr3(b'\n', b'\r', b'\t', bytes).is_none()
        && memchr::memchr_iter(b'\\', bytes).all(|at| bytes.get(at + 1) != Some(&b'u'))
}

struct Outer;

impl<'de> Visitor<'de> for Outer {
    type Value = Option<Envelope>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an envelope")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut sequence, mut event) = (None, None);
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "sequence" => once(&mut sequence, map.next_value::<u64>()?)?,
                "event" => once(&mut event, map.next_value_seed(Inner)?)?,
                _ => return Err(A::Error::custom("another member")),
            }
        }
        let sequence = sequence.filter(|sequence| *sequence > 0).map(Sequence);
        Ok(sequence.zip(event.flatten()).map(|(sequence, event)| Envelope { sequence, event }))
    }
}

fn once<T, E: Error>(place: &mut Option<T>, value: T) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::custom("a member twice")),
    }
}

struct Inner;

impl<'de> DeserializeSeed<'de> for Inner {
    type Value = Option<Event>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

macro_rules! members {
    ($($member:ident: $kind:ty = $name:literal,)*) => {
        /// Every member that an event of the profile may have, beside its type.
        #[derive(Default)]
        pub(super) struct Members {
            /// How many are there.
            count: usize,
            $($member: Option<$kind>,)*
        }

        impl Members {
            fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
                match name {
                    $($name => once(&mut self.$member, map.next_value()?)?,)*
                    _ => return Err(A::Error::custom("another member")),
                }
                self.count += 1;
                Ok(())
            }

            $(pub(super) fn $member(&mut self) -> Option<$kind> {
                let value = self.$member.take()?;
                self.count -= 1;
                Some(value)
            })*
        }
    };
}

members! {
    text: String = "text",
    segment_id: String = "segmentId",
    stable: bool = "stable",
    code: String = "code",
    message: String = "message",
    interaction_id: String = "interactionId",
    kind: String = "kind",
    prompt: String = "prompt",
    spoken_prompt: String = "spokenPrompt",
    options: [bool; 0] = "options",
    allows_freeform: bool = "allowsFreeform",
    outcome: String = "outcome",
    resumed: bool = "resumed",
}

impl<'de> Visitor<'de> for Inner {
    type Value = Option<Event>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut kind, mut members) = (None, Members::default());
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "type" => once(&mut kind, map.next_value::<&str>()?)?,
                name => members.read(name, &mut map)?,
            }
        }
        let event = kind.and_then(|kind| Event::from_members(kind, &mut members));
        Ok(event.filter(|_| members.count == 0))
    }
}
