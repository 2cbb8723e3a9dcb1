//! Whether a message holds what it says, before anything uses it (§ Session and input; § Security, photos,
//! and exact object lookup). The checks themselves stand in `protocol::check`, for both
//! sides; here is what only a receiver does. Nothing is kept but the verified facts.

use crate::picture;
use crate::protocol::client::{SessionStart, UserTurn};
use crate::protocol::observation::{ImageInput, Intent, Observation};
use crate::protocol::{Finding, Modalities, rules};

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

impl From<Finding> for Refusal {
    fn from(finding: Finding) -> Self {
        Self::of(&finding)
    }
}

/// Checks `session.start`; the modalities that the client declares.
pub(super) fn session_start(start: &SessionStart) -> Result<Modalities, Refusal> {
    start.check()?;
    let declared = start.client_capabilities.physical_observations.as_ref();
    Ok(declared.into_iter().flat_map(|p| &p.modalities).copied().collect())
}

/// Checks a text turn. Its Context is bounded here and not read any further: facts are no instructions.
pub(super) fn user_turn(turn: &UserTurn) -> Checked {
    turn.check()?;
    if turn.text.trim().is_empty() {
        return Err(Refusal::by(&rules::TURN_TEXT, "/text"));
    }
    Ok(())
}

/// Checks an observation: first whether the session may send it at all, the image last, because only that
/// costs work.
pub(super) fn observation(observation: &Observation, usable: Modalities) -> Result<Verified, Refusal> {
    observation.check(usable)?;
    let photo = observation.image.as_ref().map(image).transpose()?;
    let object = observation.object.as_ref();
    let recipes = object.and_then(|o| o.passport.as_ref()).map_or(0, |p| p.actions.len());
    let object_ref = object.map(|o| o.object_ref.clone());
    Ok(Verified { object_ref, intent: observation.intent, recipes, photo })
}

/// The dimensions, by a bounded decode: the one fact that takes more than the message to verify.
fn image(image: &ImageInput) -> Result<PhotoFacts, Refusal> {
    let wrong = |rule, field: &str| Refusal::by(rule, &format!("/observation/image/{field}"));
    // Dropping `jpeg` at the end of this function wipes it: nothing keeps an image.
    let jpeg = image.verified_bytes()?;
    let facts = picture::verify(jpeg.expose()).map_err(|_| wrong(&rules::OBS_IMAGE, "data"))?;
    for (said, is, field) in
        [(image.pixel_width, facts.width, "pixelWidth"), (image.pixel_height, facts.height, "pixelHeight")]
    {
        if said != is {
            return Err(wrong(&rules::OBS_IMAGE_FACTS, field));
        }
    }
    Ok(PhotoFacts { width: facts.width, height: facts.height, bytes: jpeg.len() })
}
