//! Whether a message holds what it says, before anything uses it (§ Session and input; § Security, photos,
//! and exact object lookup). Everything here is a check; nothing is kept but the verified facts.

use crate::picture;
use crate::protocol::client::{SessionStart, UserTurn};
use crate::protocol::observation::{Assurance, ImageInput, Intent, ObjectInput, Observation, Passport};
use crate::protocol::{Modalities, Modality, bounds, rules};
use crate::units::hex;

use super::failure::Refusal;

/// What is left of an observation after the checks. The image itself is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verified {
    pub(super) object_ref: Option<String>,
    pub(super) intent: Intent,
    /// How many action recipes the passport describes, none of which is ever run.
    pub(super) recipes: usize,
    pub(super) photo: Option<PhotoFacts>,
}

/// The facts of a photo, taken from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PhotoFacts {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) bytes: usize,
}

type Checked = Result<(), Refusal>;

fn ensure(holds: bool, rule: &'static rules::Rule, pointer: &str) -> Checked {
    if holds { Ok(()) } else { Err(Refusal::by(rule, pointer)) }
}

fn fits(text: &str, most: usize) -> bool {
    !text.is_empty() && text.chars().count() <= most
}

/// Checks `session.start`; the modalities that the client declares.
pub(super) fn session_start(start: &SessionStart) -> Result<Modalities, Refusal> {
    let plain = start.session_id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    ensure(plain && fits(&start.session_id, bounds::ID), &rules::MSG_KNOWN, "/sessionId")?;
    let declared = start.client_capabilities.physical_observations.as_ref();
    let declared: &[Modality] = declared.map_or(&[], |p| &p.modalities);
    let set: Modalities = declared.iter().copied().collect();
    let at = "/clientCapabilities/physicalObservations/modalities";
    ensure(set.iter().count() == declared.len(), &rules::MSG_KNOWN, at)?;
    Ok(set)
}

/// Checks a text turn. Its Context is bounded here and not read any further: facts are no instructions.
pub(super) fn user_turn(turn: &UserTurn) -> Checked {
    ensure(fits(&turn.text, bounds::TURN_TEXT) && !turn.text.trim().is_empty(), &rules::TURN_TEXT, "/text")?;
    ensure(turn.context.len() <= bounds::CONTEXT_ENTRIES, &rules::TURN_CONTEXT, "/context")?;
    let bounded = turn.context.iter().all(|entry| {
        entry.description.chars().count() <= bounds::CONTEXT_DESCRIPTION
            && entry.value.chars().count() <= bounds::CONTEXT_VALUE
    });
    ensure(bounded, &rules::TURN_CONTEXT, "/context")
}

/// Checks an observation: first whether the session may send it at all, the image last, because only that
/// costs work.
pub(super) fn observation(observation: &Observation, usable: Modalities) -> Result<Verified, Refusal> {
    let used = observation.modalities();
    ensure(!used.is_empty(), &rules::OBS_CONTENT, "/observation")?;
    ensure(used.is_subset(usable), &rules::OBS_MODALITY, "/observation")?;
    envelope(observation)?;
    observation.object.as_ref().map_or(Ok(()), object)?;
    let photo = observation.image.as_ref().map(image).transpose()?;
    let object = observation.object.as_ref();
    let recipes = object.and_then(|o| o.passport.as_ref()).map_or(0, |p| p.actions.len());
    let object_ref = object.map(|o| o.object_ref.clone());
    Ok(Verified { object_ref, intent: observation.intent, recipes, photo })
}

fn envelope(observation: &Observation) -> Checked {
    ensure(observation.schema_version == "0.1", &rules::OBS_FIELDS, "/observation/schemaVersion")?;
    let id = fits(&observation.observation_id, bounds::ID);
    ensure(id, &rules::OBS_FIELDS, "/observation/observationId")?;
    ensure(is_rfc3339(&observation.captured_at), &rules::OBS_FIELDS, "/observation/capturedAt")
}

fn object(object: &ObjectInput) -> Checked {
    let at = "/observation/object";
    let bounded = fits(&object.object_ref, bounds::OBJECT_REF);
    ensure(bounded, &rules::OBS_OBJECT, &format!("{at}/objectRef"))?;
    let unsigned = object.assurance != Assurance::SignedTag;
    ensure(unsigned, &rules::OBS_SIGNED, &format!("{at}/assurance"))?;
    let digest = is_sha256(&object.payload_sha256);
    ensure(digest, &rules::OBS_OBJECT, &format!("{at}/payloadSha256"))?;
    object.passport.as_ref().map_or(Ok(()), passport)
}

fn passport(passport: &Passport) -> Checked {
    let size = serde_json::to_string(passport).map_or(usize::MAX, |json| json.len());
    let sound = passport.schema_version == "0.1"
        && size <= bounds::PASSPORT_BYTES
        && passport.actions.iter().all(|recipe| recipe.requires_confirmation);
    ensure(sound, &rules::OBS_PASSPORT, "/observation/object/passport")
}

fn image(image: &ImageInput) -> Result<PhotoFacts, Refusal> {
    let at = |field: &str| format!("/observation/image/{field}");
    ensure(image.media_type == "image/jpeg", &rules::OBS_IMAGE, &at("mediaType"))?;
    // Dropping `jpeg` at the end of this function wipes it: nothing keeps an image.
    let jpeg = image.data.decode().map_err(|finding| Refusal::of(&finding))?;
    ensure(!jpeg.is_empty(), &rules::OBS_IMAGE, &at("data"))?;
    ensure(image.byte_count == jpeg.len() as u64, &rules::OBS_IMAGE_FACTS, &at("byteCount"))?;
    let digest = hex(&<sha2::Sha256 as sha2::Digest>::digest(jpeg.expose()));
    ensure(image.sha256 == digest, &rules::OBS_IMAGE_FACTS, &at("sha256"))?;
    let facts = picture::verify(jpeg.expose()).map_err(|_| Refusal::by(&rules::OBS_IMAGE, &at("data")))?;
    ensure(image.pixel_width == facts.width, &rules::OBS_IMAGE_FACTS, &at("pixelWidth"))?;
    ensure(image.pixel_height == facts.height, &rules::OBS_IMAGE_FACTS, &at("pixelHeight"))?;
    Ok(PhotoFacts { width: facts.width, height: facts.height, bytes: jpeg.len() })
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// RFC 3339 § 5.6: the form first, because the date library reads more forms than that one.
fn is_rfc3339(text: &str) -> bool {
    let bytes = text.as_bytes();
    let form = bytes.len() >= 20
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && matches!(bytes[10], b'T' | b't')
        && bytes[13] == b':'
        && bytes[16] == b':'
        && bytes.len() <= 40
        && (matches!(bytes[bytes.len() - 1], b'Z' | b'z') || bytes[bytes.len() - 3] == b':')
        && !text.contains(['[', ',']);
    form && text.parse::<jiff::Timestamp>().is_ok()
}
