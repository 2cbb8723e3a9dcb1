//! The gate: what we send. It refuses what the profile forbids; it never looks at what we receive.

use super::input::{Answer, Draft, Terms};
use super::output::{Refusal, RefusalKind};
use super::view::{Pending, PendingState, Phase};
use crate::protocol::client::{UserObservation, UserTurn};
use crate::protocol::observation::{Assurance, Observation};
use crate::protocol::{Modalities, bounds, card, rules};

/// Refuses when there is no live session.
pub(super) fn live(phase: Phase) -> Result<(), Refusal> {
    match phase {
        Phase::Live => Ok(()),
        Phase::Idle | Phase::Starting => Err(Refusal::of(
            RefusalKind::NotLive,
            "not sent: the session is not established yet; wait for \"live\"",
        )),
        Phase::Ended => Err(Refusal::of(
            RefusalKind::NotLive,
            "not sent: the session is over; reconnect starts a new one",
        )),
    }
}

/// Refuses a text that is out of bounds (R11).
pub(super) fn text(text: &str) -> Result<(), Refusal> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        return Err(Refusal::by(&rules::TURN_TEXT, "not sent: the text is empty"));
    }
    if length > bounds::TURN_TEXT {
        return Err(Refusal::by(
            &rules::TURN_TEXT,
            format!("not sent: the text has {length} characters, at most {} are allowed", bounds::TURN_TEXT),
        ));
    }
    Ok(())
}

/// Refuses an observation that the negotiation, the pending request or the profile's bounds forbid.
pub(super) fn draft(draft: &Draft, terms: &Terms, pending: Option<&Pending>) -> Result<(), Refusal> {
    let modalities: Modalities = observation(draft).modalities();
    if modalities.is_empty() {
        return Err(Refusal::by(&rules::OBS_CONTENT, "not sent: there is neither a tag nor a photo in it"));
    }
    if terms.transport.is_none() {
        return Err(Refusal::by(
            &rules::CARD_UNMAPPED_PROFILE,
            "not sent: this transport profile has no mapping for physical inputs",
        ));
    }
    let negotiated = terms.negotiated();
    if !modalities.is_subset(negotiated) {
        return Err(Refusal::by(
            &rules::OBS_MODALITY,
            format!("not sent: it holds {modalities}, this session has negotiated {negotiated}"),
        ));
    }
    if draft.object.as_ref().is_some_and(|object| object.assurance == Assurance::SignedTag) {
        return Err(Refusal::by(
            &rules::OBS_SIGNED,
            "not sent: signedTag needs a separately verified carrier",
        ));
    }
    answer(draft, modalities, pending)
}

fn answer(draft: &Draft, modalities: Modalities, pending: Option<&Pending>) -> Result<(), Refusal> {
    let Answer::To(id) = &draft.answer else { return Ok(()) };
    let refuse = |message: &str| Err(Refusal::by(&rules::OBS_INTERACTION, message));
    match pending {
        None => {
            refuse("not sent: the request it answers is no longer pending; send it as unrelated or drop it")
        }
        Some(p) if p.interaction_id != *id => {
            refuse("not sent: another request is pending than the one it answers")
        }
        Some(p) if p.state == PendingState::Awaiting => {
            refuse("not sent: an answer to this request was already sent")
        }
        Some(p) if !modalities.contains(p.modality) => {
            refuse(&format!("not sent: the request asks for {}, this holds {modalities}", p.modality))
        }
        Some(_) => Ok(()),
    }
}

/// The observation of a draft.
pub(super) fn observation(draft: &Draft) -> Observation {
    Observation {
        schema_version: card::SCHEMA_VERSION.to_owned(),
        observation_id: draft.observation_id.clone(),
        captured_at: draft.captured_at.clone(),
        intent: draft.intent,
        object: draft.object.clone(),
        image: draft.image.clone(),
    }
}

/// The message of a draft.
pub(super) fn message(draft: &Draft, turn: u64) -> UserObservation {
    let interaction_id = match &draft.answer {
        Answer::To(id) => Some(id.clone()),
        Answer::Unrelated => None,
    };
    UserObservation { turn, interaction_id, observation: observation(draft) }
}

/// The message of a text.
pub(super) fn turn(turn: u64, text: String, focus: Option<&super::view::Focus>) -> UserTurn {
    UserTurn { turn, text, context: super::context::entries(focus) }
}
