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
        let control = [(from.audio_turn_control.as_str(), to.audio_turn_control.as_str())];
        rename(message, "/clientCapabilities", &control);
        let image = [
            (from.image_media_type.as_str(), to.image_media_type.as_str()),
            (from.image_data.as_str(), to.image_data.as_str()),
        ];
        rename(message, "/observation/image", &image);
        if message.get("type").is_some_and(|t| t == "user.turn") {
            rename(message, "", &[(from.context.as_str(), to.context.as_str())]);
        }
        if let Some(Value::String(carrier)) = message.pointer_mut("/observation/object/carrier")
            && *carrier == from.carrier_ndef
        {
            carrier.clone_from(&to.carrier_ndef);
        }
    }

    /// Why this dialect cannot be used, if it cannot: an empty name, or one that another member of the
    /// same object, another message or another carrier has already.
    pub fn problem(&self) -> Option<String> {
        let groups: [(&str, &[&str], &[&str]); 5] = [
            ("clientCapabilities", &[&self.audio_turn_control], &["physicalObservations"]),
            (
                "image",
                &[&self.image_media_type, &self.image_data],
                &["byteCount", "sha256", "pixelWidth", "pixelHeight"],
            ),
            ("user.turn", &[&self.context], &["type", "turn", "text"]),
            ("the carriers", &[&self.carrier_ndef], &["localTag"]),
            (
                "the message types",
                &[&self.audio_turn_start, &self.audio_turn_commit, &self.audio_turn_cancel],
                &["session.start", "user.turn", "user.observation", "ack", "response.cancel", "session.end"],
            ),
        ];
        let wrong_pointer = self.explicit_turns_at.iter().find(|pointer| !pointer.starts_with('/'));
        if let Some(pointer) = wrong_pointer {
            return Some(format!("{pointer:?} is not a JSON pointer: it has to begin with /"));
        }
        groups.into_iter().find_map(|(place, names, taken)| {
            names.iter().enumerate().find_map(|(index, name)| {
                if name.is_empty() {
                    Some(format!("a name in {place} is empty"))
                } else if taken.contains(name) || names[..index].contains(name) {
                    Some(format!("{name:?} in {place} is used twice"))
                } else {
                    None
                }
            })
        })
    }
}

fn object<'a>(message: &'a mut Value, pointer: &str) -> Option<&'a mut Map<String, Value>> {
    message.pointer_mut(pointer).and_then(Value::as_object_mut)
}

/// Renames members in place and all at once, so that two names may be swapped; the order stays as it is.
/// A member that bears a new name already is not one of ours and gives way.
fn rename(message: &mut Value, pointer: &str, names: &[(&str, &str)]) {
    let Some(map) = object(message, pointer) else { return };
    let moved = |name: &str| names.iter().find(|(from, _)| *from == name).map(|(_, to)| *to);
    if !map.keys().any(|name| moved(name).is_some_and(|to| to != name)) {
        return;
    }
    let present: Vec<&str> = names.iter().filter(|(from, _)| map.contains_key(*from)).map(|n| n.1).collect();
    let renamed = std::mem::take(map).into_iter().filter_map(|(name, value)| match moved(&name) {
        Some(to) => Some((to.to_owned(), value)),
        None if present.contains(&name.as_str()) => None,
        None => Some((name, value)),
    });
    *map = renamed.collect();
}
