//! The quick way for envelopes as they come by the thousand: read once, straight into their type.
//!
//! It takes only what needs no second look: exactly the members that the profile names, each once and of its type,
//! in a short text on one line. For anything else it answers `None`, and the careful way decides; so it can be
//! wrong about nothing but speed. `tests/plain.rs` and the fuzz target `frame` compare the two.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde_json::Deserializer;

use super::server::{
    Envelope, Event, Failure, InteractionRequested, InteractionResolved, SessionEstablished, SpeechSegment,
    TextDelta,
};
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

/// Shorter than any run of base64 that is masked, on one line, and with no character spelled by its number.
fn may_be_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() < RUN
        && bytes.iter().fold(true, |so_far, byte| so_far & (*byte >= b' '))
        && !(text.contains('\\') && text.contains(r"\u"))
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

/// Every member that an event of the profile may have.
#[derive(Default)]
struct Members<'de> {
    count: usize,
    kind: Option<&'de str>,
    text: Option<String>,
    segment_id: Option<String>,
    stable: Option<bool>,
    code: Option<String>,
    message: Option<String>,
    interaction_id: Option<String>,
    asked: Option<String>,
    prompt: Option<String>,
    spoken_prompt: Option<String>,
    options: Option<[bool; 0]>,
    allows_freeform: Option<bool>,
    outcome: Option<String>,
    resumed: Option<bool>,
}

impl<'de> Visitor<'de> for Inner {
    type Value = Option<Event>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Members::default();
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "type" => once(&mut all.kind, map.next_value()?)?,
                "text" => once(&mut all.text, map.next_value()?)?,
                "segmentId" => once(&mut all.segment_id, map.next_value()?)?,
                "stable" => once(&mut all.stable, map.next_value()?)?,
                "code" => once(&mut all.code, map.next_value()?)?,
                "message" => once(&mut all.message, map.next_value()?)?,
                "interactionId" => once(&mut all.interaction_id, map.next_value()?)?,
                "kind" => once(&mut all.asked, map.next_value()?)?,
                "prompt" => once(&mut all.prompt, map.next_value()?)?,
                "spokenPrompt" => once(&mut all.spoken_prompt, map.next_value()?)?,
                "options" => once(&mut all.options, map.next_value()?)?,
                "allowsFreeform" => once(&mut all.allows_freeform, map.next_value()?)?,
                "outcome" => once(&mut all.outcome, map.next_value()?)?,
                "resumed" => once(&mut all.resumed, map.next_value()?)?,
                _ => return Err(A::Error::custom("another member")),
            }
            all.count += 1;
        }
        Ok(all.event())
    }
}

impl Members<'_> {
    /// The event, if it has all members of its type and no other.
    fn event(self) -> Option<Event> {
        let (count, event) = match self.kind? {
            "text.delta" => (2, Event::TextDelta(TextDelta { text: self.text? })),
            "speech.segment" => (
                4,
                Event::SpeechSegment(SpeechSegment {
                    segment_id: self.segment_id?,
                    text: self.text?,
                    stable: self.stable?,
                }),
            ),
            "run.started" => (1, Event::RunStarted),
            "run.completed" => (1, Event::RunCompleted),
            "failure" => (3, Event::Failure(Failure { code: self.code?, message: self.message? })),
            "interaction.requested" => {
                let [] = self.options?;
                let request = InteractionRequested {
                    interaction_id: self.interaction_id?,
                    kind: self.asked?,
                    prompt: self.prompt?,
                    spoken_prompt: self.spoken_prompt?,
                    options: Vec::new(),
                    allows_freeform: self.allows_freeform?,
                };
                (7, Event::InteractionRequested(request))
            }
            "interaction.resolved" => {
                let (interaction_id, outcome) = (self.interaction_id?, self.outcome?);
                (3, Event::InteractionResolved(InteractionResolved { interaction_id, outcome }))
            }
            "session.established" => {
                (2, Event::SessionEstablished(SessionEstablished { resumed: self.resumed? }))
            }
            _ => return None,
        };
        (self.count == count).then_some(event)
    }
}
