//! Names that the profile's text leaves open (readings marked †), in one value that every encoder and
//! decoder takes. `config.toml` (`[dialect]`) can change each of them without rebuilding.
//!
//! Typed messages carry the default names; a `Dialect` moves them on the finished JSON, on the way out
//! and, the other way round, on the way in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where `interactionId` stands in a `user.observation` (R7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InteractionIdPlace {
    /// Beside `turn`, at the top of the message.
    #[default]
    Message,
    /// Inside `observation`.
    Observation,
}

/// The open names of the wire. `Dialect::default()` is what the readings say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dialect {
    /// JSON pointers inside the extension's `params` where `supportsExplicitTurns` is looked for; the
    /// first is where it belongs, the others are accepted with a note (R3).
    pub explicit_turns_at: Vec<String>,
    /// The field of `clientCapabilities` that holds `{"mode":"explicit"}` (R4).
    pub audio_turn_control: String,
    /// `type` of the message that opens an audio turn (R5).
    pub audio_turn_start: String,
    /// `type` of the message that commits an audio turn (R5).
    pub audio_turn_commit: String,
    /// `type` of the message that cancels an audio turn (R5).
    pub audio_turn_cancel: String,
    /// The field of `image` that holds the media type (R6).
    pub image_media_type: String,
    /// The field of `image` that holds the base64 (R6).
    pub image_data: String,
    /// Where `interactionId` stands (R7).
    pub interaction_id: InteractionIdPlace,
    /// The carrier name of a portable NDEF reference (R8).
    pub carrier_ndef: String,
    /// The field of `user.turn` that holds the Context entries (R22).
    pub context: String,
}

impl Default for Dialect {
    fn default() -> Self {
        let owned = str::to_owned;
        Self {
            explicit_turns_at: ["agui/webrtc", "agui", "voice"]
                .map(|p| format!("/{p}/supportsExplicitTurns"))
                .to_vec(),
            audio_turn_control: owned("audioTurnControl"),
            audio_turn_start: owned("audio.turn.start"),
            audio_turn_commit: owned("audio.turn.commit"),
            audio_turn_cancel: owned("audio.turn.cancel"),
            image_media_type: owned("mediaType"),
            image_data: owned("data"),
            interaction_id: InteractionIdPlace::Message,
            carrier_ndef: owned("ndef"),
            context: owned("context"),
        }
    }
}

impl Dialect {
    /// Moves a client message from the default names to this dialect's.
    pub fn outgoing(&self, message: &mut Value) {
        let default = Self::default();
        self.types(message, &default, self);
        if self.interaction_id == InteractionIdPlace::Observation
            && let Some(id) = object(message, "").and_then(|m| m.shift_remove("interactionId"))
            && let Some(observation) = object(message, "/observation")
        {
            observation.insert("interactionId".to_owned(), id);
        }
        Self::fields(message, &default, self);
    }

    /// Moves a client message from this dialect's names to the default ones.
    pub fn incoming(&self, message: &mut Value) {
        let default = Self::default();
        self.types(message, self, &default);
        if self.interaction_id == InteractionIdPlace::Observation
            && let Some(id) = object(message, "/observation").and_then(|o| o.shift_remove("interactionId"))
            && let Some(top) = object(message, "")
        {
            top.insert("interactionId".to_owned(), id);
        }
        Self::fields(message, self, &default);
    }

    fn types(&self, message: &mut Value, from: &Self, to: &Self) {
        let Some(Value::String(kind)) = message.get_mut("type") else { return };
        let pairs = [
            (&from.audio_turn_start, &to.audio_turn_start),
            (&from.audio_turn_commit, &to.audio_turn_commit),
            (&from.audio_turn_cancel, &to.audio_turn_cancel),
        ];
        if let Some((_, new)) = pairs.into_iter().find(|(old, _)| *old == kind) {
            kind.clone_from(new);
        }
    }

    fn fields(message: &mut Value, from: &Self, to: &Self) {
        let image = "/observation/image";
        rename(message, "/clientCapabilities", &from.audio_turn_control, &to.audio_turn_control);
        rename(message, image, &from.image_media_type, &to.image_media_type);
        rename(message, image, &from.image_data, &to.image_data);
        if message.get("type").is_some_and(|t| t == "user.turn") {
            rename(message, "", &from.context, &to.context);
        }
        if let Some(Value::String(carrier)) = message.pointer_mut("/observation/object/carrier")
            && *carrier == from.carrier_ndef
        {
            carrier.clone_from(&to.carrier_ndef);
        }
    }
}

fn object<'a>(message: &'a mut Value, pointer: &str) -> Option<&'a mut Map<String, Value>> {
    message.pointer_mut(pointer).and_then(Value::as_object_mut)
}

/// Renames one field in place; the order of the others stays as it is.
fn rename(message: &mut Value, pointer: &str, from: &str, to: &str) {
    if from == to {
        return;
    }
    let Some(map) = object(message, pointer) else { return };
    if !map.contains_key(from) {
        return;
    }
    let renamed =
        std::mem::take(map).into_iter().map(|(k, v)| if k == from { (to.to_owned(), v) } else { (k, v) });
    *map = renamed.collect();
}
