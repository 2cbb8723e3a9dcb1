//! The events of an agent, one after the other (§ Server events): name, members, what is noted about them. `server`
//! puts them in envelopes.
//!
//! A new event type is a line in the table below and, if it has members, a struct with its [`Body`] at the end.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finding::Finding;
use super::modality::Modality;
use super::plain::Members;
use super::{bounds, rules, shape};

macro_rules! events {
    ($($(#[$about:meta])* $variant:ident $(($body:ident))? = $name:literal,)*) => {
        /// One event. Unknown types are kept by name and grant nothing.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Event {
            $($(#[$about])* #[serde(rename = $name)] $variant $(($body))?,)*
            /// An event type that the profile does not name: shown, never acted on.
            #[serde(skip)]
            Unknown {
                /// Its type as it came.
                name: String,
            },
        }

        impl Event {
            /// Every `type` that the profile names (§ Server events).
            pub const KINDS: [&str; [$($name),*].len()] = [$($name),*];

            /// Its `type`, if the profile names it.
            pub const fn named_kind(&self) -> Option<&'static str> {
                match self {
                    $(Self::$variant { .. } => Some($name),)*
                    Self::Unknown { .. } => None,
                }
            }

            /// Reads it from its JSON, noting nothing.
            pub(super) fn from_value(kind: &str, value: Value) -> Result<Self, Finding> {
                Ok(match kind {
                    $($name => Self::$variant $((body::<$body>(value)?))?,)*
                    other => Self::Unknown { name: other.to_owned() },
                })
            }

            /// Takes it from its members, leaving those that it does not have.
            pub(super) fn from_members(kind: &str, members: &mut Members) -> Option<Self> {
                Some(match kind {
                    $($name => Self::$variant $(($body::take(members)?))?,)*
                    _ => return None,
                })
            }

            /// Notes what is worth a finding and no reason to refuse.
            pub(super) fn check(&self, notes: &mut Vec<Finding>) {
                match self {
                    $($(Self::$variant(body) => <$body as Body>::check(body, notes),)?)*
                    Self::Unknown { .. } => notes.push(unknown()),
                    _ => {}
                }
            }
        }
    };
}

events! {
    /// Answers `session.start`.
    SessionEstablished(SessionEstablished) = "session.established",
    /// A turn is being processed.
    RunStarted = "run.started",
    /// More text of the run.
    TextDelta(TextDelta) = "text.delta",
    /// A stable piece of text, fit to be spoken.
    SpeechSegment(SpeechSegment) = "speech.segment",
    /// The run has ended well.
    RunCompleted = "run.completed",
    /// The run, or a message outside a run, has failed.
    Failure(Failure) = "failure",
    /// The agent asks for a scan or a photo.
    InteractionRequested(InteractionRequested) = "interaction.requested",
    /// A request has been answered or cancelled.
    InteractionResolved(InteractionResolved) = "interaction.resolved",
}

impl Event {
    /// Its `type` on the wire, as it came.
    pub fn kind(&self) -> &str {
        match self {
            Self::Unknown { name } => name,
            known => known.named_kind().unwrap_or_default(),
        }
    }
}

/// The members of one event type.
trait Body: DeserializeOwned {
    /// Takes it the quick way, every member and no default; `None` leaves it to the careful one.
    fn take(members: &mut Members) -> Option<Self>;

    /// Notes what is worth a finding and no reason to refuse.
    fn check(&self, _notes: &mut Vec<Finding>) {}
}

fn body<T: Body>(value: Value) -> Result<T, Finding> {
    shape::read(value).map_err(|mismatch| {
        Finding::at(&rules::EV_FIELDS, format!("/event{}", mismatch.pointer), mismatch.detail)
    })
}

fn unknown() -> Finding {
    let detail = "this event type is not known; it is shown and not acted on";
    Finding::at(&rules::EV_UNKNOWN, "/event/type", detail)
}

fn bound(notes: &mut Vec<Finding>, field: &str, text: &str, most: usize) {
    let length = text.chars().count();
    if length > most {
        let detail = format!("it has {length} characters, at most {most} are expected");
        notes.push(Finding::at(&rules::EV_BOUND, format!("/event/{field}"), detail));
    }
}

/// `session.established`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEstablished {
    /// Always false for this client, which never resumes (R13).
    #[serde(default)]
    pub resumed: bool,
}

impl Body for SessionEstablished {
    fn take(members: &mut Members) -> Option<Self> {
        Some(Self { resumed: members.resumed()? })
    }
}

/// `text.delta`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextDelta {
    /// The text to append.
    pub text: String,
}

impl Body for TextDelta {
    fn take(members: &mut Members) -> Option<Self> {
        Some(Self { text: members.text()? })
    }

    fn check(&self, notes: &mut Vec<Finding>) {
        if self.text.is_empty() {
            notes.push(Finding::at(&rules::EV_EMPTY_DELTA, "/event/text", "it is empty"));
        }
    }
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

impl Body for SpeechSegment {
    fn take(members: &mut Members) -> Option<Self> {
        Some(Self { segment_id: members.segment_id()?, text: members.text()?, stable: members.stable()? })
    }

    fn check(&self, notes: &mut Vec<Finding>) {
        bound(notes, "segmentId", &self.segment_id, bounds::SEGMENT_ID);
        if !self.stable {
            notes.push(Finding::at(&rules::EV_STABLE, "/event/stable", "expected true"));
        }
    }
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

impl Body for Failure {
    fn take(members: &mut Members) -> Option<Self> {
        Some(Self { code: members.code()?, message: members.message()? })
    }

    fn check(&self, notes: &mut Vec<Finding>) {
        bound(notes, "code", &self.code, bounds::FAILURE_CODE);
        bound(notes, "message", &self.message, bounds::FAILURE_MESSAGE);
        if self.code.is_empty() {
            notes.push(Finding::at(&rules::EV_FIELDS, "/event/code", "expected a code that is not empty"));
        }
    }
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

impl Body for InteractionRequested {
    fn take(members: &mut Members) -> Option<Self> {
        let [] = members.options()?;
        Some(Self {
            interaction_id: members.interaction_id()?,
            kind: members.kind()?,
            prompt: members.prompt()?,
            spoken_prompt: members.spoken_prompt()?,
            options: Vec::new(),
            allows_freeform: members.allows_freeform()?,
        })
    }

    fn check(&self, notes: &mut Vec<Finding>) {
        bound(notes, "interactionId", &self.interaction_id, bounds::ID);
        bound(notes, "prompt", &self.prompt, bounds::PROMPT);
        bound(notes, "spokenPrompt", &self.spoken_prompt, bounds::PROMPT);
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

impl Body for InteractionResolved {
    fn take(members: &mut Members) -> Option<Self> {
        Some(Self { interaction_id: members.interaction_id()?, outcome: members.outcome()? })
    }

    fn check(&self, notes: &mut Vec<Finding>) {
        bound(notes, "interactionId", &self.interaction_id, bounds::ID);
    }
}
