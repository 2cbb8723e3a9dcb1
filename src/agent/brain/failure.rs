//! Why the agent refuses: a small set of codes, and sentences that never repeat what came.

use crate::protocol::rules::{self, Rule};
use crate::protocol::server::Failure;
use crate::protocol::{Event, Finding};

/// The `code` of every `failure` that this agent sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureCode {
    /// Not JSON, not a message of the profile, or a member out of its bounds.
    InvalidMessage,
    /// A frame over 128 KiB.
    TooLarge,
    /// A binary frame.
    BinaryRefused,
    /// Something other than `session.start` came first, or nothing came in time.
    SessionNotStarted,
    /// A second `session.start`.
    SessionAlreadyStarted,
    /// A turn whose number is not above every earlier one.
    TurnReplayed,
    /// A turn while a run is active.
    RunActive,
    /// An observation outside the negotiated modalities.
    ModalityNotNegotiated,
    /// An answer that does not fit the pending request, or to none.
    InteractionMismatch,
    /// An observation whose members are not as the profile says.
    ObservationInvalid,
    /// An image that is not the JPEG it is said to be.
    ImageInvalid,
    /// A message of the profile that this agent does not offer.
    Unsupported,
    /// The response was cancelled by the client.
    Cancelled,
    /// Too many messages were refused during one run.
    TooManyRefused,
}

impl FailureCode {
    /// Every code.
    pub const ALL: [Self; 14] = [
        Self::InvalidMessage,
        Self::TooLarge,
        Self::BinaryRefused,
        Self::SessionNotStarted,
        Self::SessionAlreadyStarted,
        Self::TurnReplayed,
        Self::RunActive,
        Self::ModalityNotNegotiated,
        Self::InteractionMismatch,
        Self::ObservationInvalid,
        Self::ImageInvalid,
        Self::Unsupported,
        Self::Cancelled,
        Self::TooManyRefused,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidMessage => "invalid_message",
            Self::TooLarge => "too_large",
            Self::BinaryRefused => "binary_refused",
            Self::SessionNotStarted => "session_not_started",
            Self::SessionAlreadyStarted => "session_already_started",
            Self::TurnReplayed => "turn_replayed",
            Self::RunActive => "run_active",
            Self::ModalityNotNegotiated => "modality_not_negotiated",
            Self::InteractionMismatch => "interaction_mismatch",
            Self::ObservationInvalid => "observation_invalid",
            Self::ImageInvalid => "image_invalid",
            Self::Unsupported => "unsupported",
            Self::Cancelled => "cancelled",
            Self::TooManyRefused => "too_many_refused",
        }
    }

    /// One plain sentence for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::InvalidMessage => "The message is not one that the profile names, with its members.",
            Self::TooLarge => "The frame is larger than 128 KiB and was not read.",
            Self::BinaryRefused => "Binary frames are not read; send JSON text.",
            Self::SessionNotStarted => "The first message must be session.start. The session is closed.",
            Self::SessionAlreadyStarted => "The session has already started; session.start comes once.",
            Self::TurnReplayed => "The turn is not above every earlier turn. Nothing was done.",
            Self::RunActive => {
                "A run was active. Nothing was done; send the turn again, or cancel the run first."
            }
            Self::ModalityNotNegotiated => {
                "The observation uses a modality that this session has not negotiated. It was not looked at."
            }
            Self::InteractionMismatch => {
                "The observation does not answer the pending request. Nothing was done."
            }
            Self::ObservationInvalid => "The observation is not as the profile says. Nothing was done.",
            Self::ImageInvalid => "The image is not the JPEG it is said to be. It was discarded.",
            Self::Unsupported => "This agent does not offer that.",
            Self::Cancelled => "The response was cancelled.",
            Self::TooManyRefused => "Too many messages were sent into one active run. The session is closed.",
        }
    }

    /// The rule behind a code that has exactly one.
    const fn rule(self) -> Option<&'static Rule> {
        match self {
            Self::SessionNotStarted => Some(&rules::SES_START_FIRST),
            Self::TurnReplayed => Some(&rules::TURN_ORDER),
            Self::RunActive => Some(&rules::TURN_ONE_RUN),
            Self::BinaryRefused => Some(&rules::FRAME_BINARY),
            Self::TooLarge => Some(&rules::FRAME_SIZE),
            _ => None,
        }
    }

    fn of_rule(rule: &'static Rule) -> Self {
        if rule == &rules::FRAME_SIZE {
            Self::TooLarge
        } else if rule == &rules::OBS_MODALITY {
            Self::ModalityNotNegotiated
        } else if rule == &rules::OBS_IMAGE || rule == &rules::OBS_IMAGE_FACTS {
            Self::ImageInvalid
        } else if rule == &rules::OBS_INTERACTION {
            Self::InteractionMismatch
        } else if rule.id.starts_with("OBS-") {
            Self::ObservationInvalid
        } else {
            Self::InvalidMessage
        }
    }
}

/// One refused message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: FailureCode,
    rule: Option<&'static Rule>,
    pointer: Option<String>,
}

impl Refusal {
    /// A refusal whose code says more than the rule behind it.
    pub(super) const fn new(code: FailureCode) -> Self {
        Self { code, rule: code.rule(), pointer: None }
    }

    /// A refusal by a rule of the table, at a place of the message.
    pub(super) fn by(rule: &'static Rule, pointer: &str) -> Self {
        Self { code: FailureCode::of_rule(rule), rule: Some(rule), pointer: wire_pointer(pointer) }
    }

    /// A refusal for what a check of `protocol` found. Its detail is left out, the rule says enough.
    pub(super) fn of(finding: &Finding) -> Self {
        Self::by(finding.rule, finding.pointer.as_deref().unwrap_or_default())
    }

    /// A frame that is no message. Its shape is the client's, so an observation that does not decode is
    /// invalid as a message.
    pub(super) fn undecodable(finding: &Finding) -> Self {
        Self::of(finding)
    }

    /// The `failure` for it: the sentence, then the rule and the place.
    pub(super) fn into_event(self) -> Event {
        let mut message = self.code.sentence().to_owned();
        if let Some(rule) = self.rule {
            let place = self.pointer.map(|p| format!(" at {p}")).unwrap_or_default();
            message.push_str(&format!(" {}{place}: {}", rule.id, rule.text));
        }
        Event::Failure(Failure { code: self.code.name().to_owned(), message })
    }
}

/// The names a pointer may show. Others came from the client, which must not read its own input back
/// from a failure (§ Session and input).
const WIRE_NAMES: [&str; 30] = [
    "type",
    "turn",
    "text",
    "context",
    "description",
    "value",
    "sequence",
    "sessionId",
    "clientCapabilities",
    "physicalObservations",
    "modalities",
    "audioTurnControl",
    "mode",
    "interactionId",
    "observation",
    "schemaVersion",
    "observationId",
    "capturedAt",
    "intent",
    "object",
    "objectRef",
    "carrier",
    "assurance",
    "payloadSha256",
    "passport",
    "image",
    "mediaType",
    "byteCount",
    "pixelWidth",
    "pixelHeight",
];

fn wire_pointer(pointer: &str) -> Option<String> {
    let known = |token: &str| {
        WIRE_NAMES.contains(&token)
            || ["sha256", "data", "actions", "requiresConfirmation"].contains(&token)
            || (token.len() <= 4 && token.bytes().all(|b| b.is_ascii_digit()))
    };
    let rest = pointer.strip_prefix('/')?;
    rest.split('/').all(known).then(|| pointer.to_owned())
}
