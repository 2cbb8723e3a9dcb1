//! The gate: what we send. It refuses what the profile forbids; it never looks at what we receive.

use super::input::{Answer, Draft, Terms};
use super::output::{Refusal, RefusalKind};
use super::view::{Focus, Pending, PendingState, Phase};
use crate::protocol::client::{UserObservation, UserTurn};
use crate::protocol::observation::Observation;
use crate::protocol::{ClientMessage, Modalities, bounds, card, rules};
use crate::units::Bytes;

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

/// The message of a draft.
///
/// # Errors
/// Refuses an observation that the negotiation, the pending request or a bound of the profile forbids.
pub(super) fn draft(
    draft: &Draft,
    turn: u64,
    terms: &Terms,
    pending: Option<&Pending>,
) -> Result<UserObservation, Refusal> {
    let message = message(draft, turn);
    let modalities = message.observation.modalities();
    if terms.transport.is_none() && !modalities.is_empty() {
        return Err(Refusal::by(
            &rules::CARD_UNMAPPED_PROFILE,
            "not sent: this transport profile has no mapping for physical inputs",
        ));
    }
    message.check(terms.negotiated())?;
    answer(draft, modalities, pending)?;
    fits(&ClientMessage::UserObservation(message.clone()), terms)?;
    Ok(message)
}

/// Refuses a message over the bound of a frame (§ WebSocket and WebRTC), or over what this agent takes: a photo and a
/// passport may each keep their own bound and be too much together.
fn fits(message: &ClientMessage, terms: &Terms) -> Result<(), Refusal> {
    let bytes = message.encode(&terms.dialect).to_string().len();
    let most = terms.max_message.unwrap_or(bounds::FRAME_BYTES).min(bounds::FRAME_BYTES);
    if bytes <= most {
        return Ok(());
    }
    let (bytes, whose) = (Bytes(bytes), if most < bounds::FRAME_BYTES { " by this agent" } else { "" });
    Err(Refusal::by(
        &rules::FRAME_SIZE,
        format!("not sent: it would have {bytes} bytes, at most {} are taken{whose}", Bytes(most)),
    ))
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

fn message(draft: &Draft, turn: u64) -> UserObservation {
    let interaction_id = match &draft.answer {
        Answer::To(id) => Some(id.clone()),
        Answer::Unrelated => None,
    };
    UserObservation { turn, interaction_id, observation: observation(draft) }
}

/// The message of a text, with the focus as Context (R22).
///
/// # Errors
/// Refuses what is out of bounds.
pub(super) fn turn(turn: u64, text: &str, focus: Option<&Focus>, terms: &Terms) -> Result<UserTurn, Refusal> {
    let context = super::context::entries(focus, &terms.dialect);
    let message = UserTurn { turn, text: text.to_owned(), context };
    message.check()?;
    fits(&ClientMessage::UserTurn(message.clone()), terms)?;
    Ok(message)
}
