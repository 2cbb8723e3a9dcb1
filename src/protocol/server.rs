//! What an agent says: envelopes with a sequence and one event (§ Session and input; § Agent-requested
//! collection). `event` holds the events.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::dialect::Dialect;
pub use super::event::{
    Event, Failure, InteractionRequested, InteractionResolved, SessionEstablished, SpeechSegment, TextDelta,
};
use super::finding::{Decoded, Finding};
use super::{Content, bounds, json, plain, rules};
use crate::units::Sequence;

/// One server envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Envelope {
    /// Positive, strictly increasing.
    #[serde(serialize_with = "sequence")]
    #[schemars(with = "u64", range(min = 1))]
    pub sequence: Sequence,
    /// What happened.
    pub event: Event,
}

fn sequence<S: serde::Serializer>(sequence: &Sequence, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_u64(sequence.0)
}

impl Envelope {
    /// The JSON of this envelope: what an agent does. The dialect has no open names on this side yet; it
    /// is taken so that one can be added without touching a caller. Of an unknown event only its type is left.
    pub fn encode(&self, _dialect: &Dialect) -> Value {
        if let Event::Unknown { name } = &self.event {
            return serde_json::json!({ "sequence": self.sequence.0, "event": { "type": name } });
        }
        serde_json::to_value(self).expect("envelopes have only string keys")
    }

    /// Reads one server envelope from a text frame within the bound.
    ///
    /// # Errors
    /// [`rules::FRAME_SIZE`], [`rules::FRAME_JSON`], [`rules::FRAME_DEPTH`], [`rules::ENV_SHAPE`] or
    /// [`rules::EV_FIELDS`], each with its place: the frame is not acted on. The value, where there is
    /// one, comes along for display.
    #[expect(clippy::result_large_err, reason = "a frame that cannot be read is as large as one that can")]
    pub fn decode<'a>(
        text: impl Into<Cow<'a, str>>,
        _dialect: &Dialect,
    ) -> Result<Decoded<Self>, Undecodable> {
        let text = text.into();
        if let Some(message) = plain::read(&text) {
            let mut findings = Vec::new();
            message.event.check(&mut findings);
            return Ok(Decoded { message, value: Content::Plain(text.into_owned()), findings });
        }
        Self::decode_carefully(&text)
    }

    /// Reads it by way of its JSON tree, which tells everything that is unusual about it.
    #[expect(clippy::result_large_err, reason = "as above")]
    pub(super) fn decode_carefully(text: &str) -> Result<Decoded<Self>, Undecodable> {
        if text.len() > bounds::FRAME_BYTES {
            let finding = Finding::new(&rules::FRAME_SIZE, format!("it has {} bytes", text.len()));
            return Err(Undecodable { finding, sequence: None, value: None });
        }
        let json::Parsed { value, mut findings } =
            json::parse(text).map_err(|finding| Undecodable { finding, sequence: None, value: None })?;
        let sequence = value.get("sequence").and_then(Value::as_u64).filter(|n| *n > 0).map(Sequence);
        match Self::from_value(&value, sequence, &mut findings) {
            Ok(message) => Ok(Decoded { message, value: value.into(), findings }),
            Err(finding) => Err(Undecodable { finding, sequence, value: Some(value) }),
        }
    }

    fn from_value(
        value: &Value,
        sequence: Option<Sequence>,
        notes: &mut Vec<Finding>,
    ) -> Result<Self, Finding> {
        let wrong = |pointer, detail| Finding::at(&rules::ENV_SHAPE, pointer, detail);
        if !value.is_object() {
            return Err(wrong("", "expected an object with sequence and event"));
        }
        let sequence = sequence.ok_or_else(|| wrong("/sequence", "expected a positive integer"))?;
        let event = value.get("event").ok_or_else(|| wrong("/event", "expected an event object"))?;
        let kind = event.get("type").and_then(Value::as_str);
        let kind = kind.ok_or_else(|| wrong("/event/type", "expected a string"))?;
        let event = Event::from_value(kind, event.clone())?;
        event.check(notes);
        Ok(Self { sequence, event })
    }
}

/// A frame that is not an envelope, with as much of it as could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecodable {
    /// Why.
    pub finding: Finding,
    /// Its sequence, if that much could be read.
    pub sequence: Option<Sequence>,
    /// Its JSON, if it is JSON.
    pub value: Option<Value>,
}
