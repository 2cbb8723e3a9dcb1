//! What an agent says: envelopes with a sequence and one event (§ Session and input; § Agent-requested
//! collection).

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect::Dialect;
use super::finding::{Decoded, Finding};
use super::modality::Modality;
use super::rules::Rule;
use super::{Content, bounds, json, plain, rules, shape};
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

/// One event. Unknown types are kept by name and grant nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Event {
    /// Answers `session.start`.
    #[serde(rename = "session.established")]
    SessionEstablished(SessionEstablished),
    /// A turn is being processed.
    #[serde(rename = "run.started")]
    RunStarted,
    /// More text of the run.
    #[serde(rename = "text.delta")]
    TextDelta(TextDelta),
    /// A stable piece of text, fit to be spoken.
    #[serde(rename = "speech.segment")]
    SpeechSegment(SpeechSegment),
    /// The run has ended well.
    #[serde(rename = "run.completed")]
    RunCompleted,
    /// The run, or a message outside a run, has failed.
    #[serde(rename = "failure")]
    Failure(Failure),
    /// The agent asks for a scan or a photo.
    #[serde(rename = "interaction.requested")]
    InteractionRequested(InteractionRequested),
    /// A request has been answered or cancelled.
    #[serde(rename = "interaction.resolved")]
    InteractionResolved(InteractionResolved),
    /// An event type that the profile does not name: shown, never acted on.
    #[serde(skip)]
    Unknown {
        /// Its type as it came.
        name: String,
    },
}

/// `session.established`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEstablished {
    /// Always false for this client, which never resumes (R13).
    #[serde(default)]
    pub resumed: bool,
}

/// `text.delta`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextDelta {
    /// The text to append.
    pub text: String,
}

/// `speech.segment`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpeechSegment {
    /// Its id within the session.
    #[schemars(length(min = 1, max = 128))]
    pub segment_id: String,
    /// What would be spoken.
    pub text: String,
    /// Always true.
    #[serde(default)]
    pub stable: bool,
}

/// `failure`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// For programs. A failure that lacks it still ends its run (R15) and is noted.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    pub code: String,
    /// For people; leaks no credentials and echoes no image.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub message: String,
}

/// `interaction.requested`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InteractionRequested {
    /// Opaque, at most 128 characters.
    #[schemars(length(min = 1, max = 128))]
    pub interaction_id: String,
    /// `physical.nfc.scan` or `physical.photo.capture`.
    #[schemars(extend("enum" = ["physical.nfc.scan", "physical.photo.capture"]))]
    pub kind: String,
    /// For the screen.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub prompt: String,
    /// For the ear.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub spoken_prompt: String,
    /// Always empty.
    #[serde(default)]
    #[schemars(length(max = 0))]
    pub options: Vec<Value>,
    /// Always false.
    #[serde(default)]
    #[schemars(extend("const" = false))]
    pub allows_freeform: bool,
}

impl InteractionRequested {
    /// `kind` of a scan.
    pub const NFC: &'static str = "physical.nfc.scan";
    /// `kind` of a capture.
    pub const PHOTO: &'static str = "physical.photo.capture";

    /// The modality that it asks for, if the kind is known.
    pub fn modality(&self) -> Option<Modality> {
        match self.kind.as_str() {
            Self::NFC => Some(Modality::Nfc),
            Self::PHOTO => Some(Modality::Photo),
            _ => None,
        }
    }
}

/// `interaction.resolved`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InteractionResolved {
    /// The interaction that is over.
    #[schemars(length(min = 1, max = 128))]
    pub interaction_id: String,
    /// `answered` or `cancelled`.
    #[schemars(extend("enum" = ["answered", "cancelled"]))]
    pub outcome: String,
}

impl Event {
    /// Every `type` that the profile names (§ Server events).
    pub const KINDS: [&str; 8] = [
        "session.established",
        "run.started",
        "text.delta",
        "speech.segment",
        "run.completed",
        "failure",
        "interaction.requested",
        "interaction.resolved",
    ];

    /// Its `type` on the wire, as it came.
    pub fn kind(&self) -> &str {
        match self {
            Self::Unknown { name } => name,
            known => known.named_kind().unwrap_or_default(),
        }
    }

    /// Its `type`, if the profile names it.
    pub const fn named_kind(&self) -> Option<&'static str> {
        Some(match self {
            Self::SessionEstablished(_) => "session.established",
            Self::RunStarted => "run.started",
            Self::TextDelta(_) => "text.delta",
            Self::SpeechSegment(_) => "speech.segment",
            Self::RunCompleted => "run.completed",
            Self::Failure(_) => "failure",
            Self::InteractionRequested(_) => "interaction.requested",
            Self::InteractionResolved(_) => "interaction.resolved",
            Self::Unknown { .. } => return None,
        })
    }
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

impl Event {
    fn from_value(kind: &str, value: Value) -> Result<Self, Finding> {
        Ok(match kind {
            "session.established" => Self::SessionEstablished(body(value)?),
            "run.started" => Self::RunStarted,
            "text.delta" => Self::TextDelta(body(value)?),
            "speech.segment" => Self::SpeechSegment(body(value)?),
            "run.completed" => Self::RunCompleted,
            "failure" => Self::Failure(body(value)?),
            "interaction.requested" => Self::InteractionRequested(body(value)?),
            "interaction.resolved" => Self::InteractionResolved(body(value)?),
            other => Self::Unknown { name: other.to_owned() },
        })
    }

    /// Notes what is worth a finding and no reason to refuse.
    fn check(&self, notes: &mut Vec<Finding>) {
        let mut bound = |field: &str, text: &str, most: usize| {
            let length = text.chars().count();
            if length > most {
                let detail = format!("it has {length} characters, at most {most} are expected");
                notes.push(Finding::at(&rules::EV_BOUND, format!("/event/{field}"), detail));
            }
        };
        match self {
            Self::SpeechSegment(segment) => {
                bound("segmentId", &segment.segment_id, bounds::SEGMENT_ID);
                if !segment.stable {
                    notes.push(Finding::at(&rules::EV_STABLE, "/event/stable", "expected true"));
                }
            }
            Self::Failure(failure) => {
                bound("code", &failure.code, bounds::FAILURE_CODE);
                bound("message", &failure.message, bounds::FAILURE_MESSAGE);
                if failure.code.is_empty() {
                    notes.push(Finding::at(
                        &rules::EV_FIELDS,
                        "/event/code",
                        "expected a code that is not empty",
                    ));
                }
            }
            Self::InteractionRequested(request) => {
                bound("interactionId", &request.interaction_id, bounds::ID);
                bound("prompt", &request.prompt, bounds::PROMPT);
                bound("spokenPrompt", &request.spoken_prompt, bounds::PROMPT);
            }
            Self::InteractionResolved(resolved) => {
                bound("interactionId", &resolved.interaction_id, bounds::ID);
            }
            Self::TextDelta(delta) if delta.text.is_empty() => {
                notes.push(Finding::at(&rules::EV_EMPTY_DELTA, "/event/text", "it is empty"));
            }
            Self::Unknown { .. } => notes.push(unknown_event(&rules::EV_UNKNOWN)),
            _ => {}
        }
    }
}

fn unknown_event(rule: &'static Rule) -> Finding {
    Finding::at(rule, "/event/type", "this event type is not known; it is shown and not acted on")
}

fn body<T: DeserializeOwned>(value: Value) -> Result<T, Finding> {
    shape::read(value).map_err(|mismatch| {
        Finding::at(&rules::EV_FIELDS, format!("/event{}", mismatch.pointer), mismatch.detail)
    })
}
