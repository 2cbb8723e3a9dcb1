//! What a client message must keep beyond its types: bounds, formats, the facts of an image, modalities.
//!
//! Both sides use it: the client's gate before it sends, the reference agent before it acts. Pointers are
//! those of the whole client message. No detail repeats a value. What needs a JPEG decoder (the real
//! dimensions) is left to `picture`; what needs the state of a session (turn order, the pending
//! interaction) to the session and the agent.

use super::client::{ClientMessage, SessionStart, UserObservation, UserTurn};
use super::finding::Finding;
use super::modality::{Modalities, Modality};
use super::observation::{Assurance, ImageInput, ObjectInput, Observation};
use super::rules::Rule;
use super::{bounds, card, rules};
use crate::redact::ImageBytes;
use crate::units::Bytes;

type Checked = Result<(), Finding>;

impl ClientMessage {
    /// Checks whatever message this is; `negotiated` is the usable set of the session.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self, negotiated: Modalities) -> Checked {
        match self {
            Self::SessionStart(start) => start.check(),
            Self::UserTurn(turn) => turn.check(),
            Self::UserObservation(shown) => shown.check(negotiated),
            Self::Ack { sequence } => positive(&rules::MSG_KNOWN, "/sequence", *sequence),
            Self::AudioTurnStart { turn }
            | Self::AudioTurnCommit { turn }
            | Self::AudioTurnCancel { turn } => positive(&rules::TURN_ORDER, "/turn", *turn),
            Self::ResponseCancel | Self::SessionEnd => Ok(()),
        }
    }
}

impl SessionStart {
    /// Checks the id (R29), that no modality comes twice, and the audio turn control (R4).
    ///
    /// # Errors
    /// [`rules::MSG_KNOWN`] with the place.
    pub fn check(&self) -> Checked {
        let rule = &rules::MSG_KNOWN;
        length(rule, "/sessionId", &self.session_id, 1, bounds::ID)?;
        if !self.session_id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            return Err(Finding::at(rule, "/sessionId", "expected only A–Z a–z 0–9 - _ (R29)"));
        }
        let capabilities = &self.client_capabilities;
        let modalities = capabilities.physical_observations.iter().flat_map(|p| &p.modalities).copied();
        let mut seen = Modalities::NONE;
        for (index, modality) in modalities.enumerate() {
            if seen.contains(modality) {
                let pointer = format!("/clientCapabilities/physicalObservations/modalities/{index}");
                return Err(Finding::at(rule, pointer, format!("{modality} is named twice")));
            }
            seen = seen.with(modality);
        }
        match &capabilities.audio_turn_control {
            Some(control) if control.mode != "explicit" => {
                let pointer = "/clientCapabilities/audioTurnControl/mode";
                Err(Finding::at(rule, pointer, "expected \"explicit\""))
            }
            _ => Ok(()),
        }
    }
}

impl UserTurn {
    /// Checks the turn, the text and the Context entries (R11).
    ///
    /// # Errors
    /// [`rules::TURN_ORDER`], [`rules::TURN_TEXT`] or [`rules::TURN_CONTEXT`] with the place.
    pub fn check(&self) -> Checked {
        positive(&rules::TURN_ORDER, "/turn", self.turn)?;
        length(&rules::TURN_TEXT, "/text", &self.text, 1, bounds::TURN_TEXT)?;
        let rule = &rules::TURN_CONTEXT;
        let entries = self.context.len();
        if entries > bounds::CONTEXT_ENTRIES {
            let detail = format!("it has {entries} entries, at most {} are allowed", bounds::CONTEXT_ENTRIES);
            return Err(Finding::at(rule, "/context", detail));
        }
        self.context.iter().enumerate().try_for_each(|(index, entry)| {
            let at = |member| format!("/context/{index}/{member}");
            length(rule, &at("description"), &entry.description, 0, bounds::CONTEXT_DESCRIPTION)?;
            length(rule, &at("value"), &entry.value, 0, bounds::CONTEXT_VALUE)
        })
    }
}

impl UserObservation {
    /// Checks the turn, the interaction id and the observation.
    ///
    /// # Errors
    /// As [`Observation::check`], [`rules::TURN_ORDER`] or [`rules::OBS_FIELDS`].
    pub fn check(&self, negotiated: Modalities) -> Checked {
        positive(&rules::TURN_ORDER, "/turn", self.turn)?;
        if let Some(id) = &self.interaction_id {
            length(&rules::OBS_FIELDS, "/interactionId", id, 1, bounds::ID)?;
        }
        self.observation.check(negotiated)
    }
}

impl Observation {
    /// Checks everything that does not need a JPEG decoder or the state of a session: first that it has
    /// content and keeps to the negotiated modalities, then its fields, object, passport and image.
    ///
    /// # Errors
    /// The first of `OBS-1` to `OBS-6`, `OBS-8`, `OBS-9` that it breaks, with the place.
    pub fn check(&self, negotiated: Modalities) -> Checked {
        let used = self.modalities();
        if used.is_empty() {
            let detail = "expected an object, an image, or both; came neither";
            return Err(Finding::at(&rules::OBS_CONTENT, "/observation", detail));
        }
        if let Some(missing) = used.iter().find(|m| !negotiated.contains(*m)) {
            let place = match missing {
                Modality::Nfc => "/observation/object",
                Modality::Photo => "/observation/image",
            };
            let detail = format!("it needs {missing}, this session has negotiated {negotiated}");
            return Err(Finding::at(&rules::OBS_MODALITY, place, detail));
        }
        self.fields()?;
        self.object.as_ref().map_or(Ok(()), ObjectInput::check)?;
        self.image.as_ref().map_or(Ok(()), ImageInput::check)
    }

    fn fields(&self) -> Checked {
        let rule = &rules::OBS_FIELDS;
        if self.schema_version != card::SCHEMA_VERSION {
            return Err(Finding::at(rule, "/observation/schemaVersion", "expected \"0.1\""));
        }
        length(rule, "/observation/observationId", &self.observation_id, 1, bounds::ID)?;
        if !is_rfc3339(&self.captured_at) {
            let detail = "expected a date and time of RFC 3339, such as 2026-09-07T10:00:00Z";
            return Err(Finding::at(rule, "/observation/capturedAt", detail));
        }
        Ok(())
    }
}

impl ObjectInput {
    /// Checks reference, assurance, digest and passport.
    ///
    /// # Errors
    /// [`rules::OBS_OBJECT`], [`rules::OBS_SIGNED`] or [`rules::OBS_PASSPORT`] with the place.
    pub fn check(&self) -> Checked {
        if self.assurance == Assurance::SignedTag {
            let detail = "signedTag needs a verified cryptographic carrier, and none is verified here";
            return Err(Finding::at(&rules::OBS_SIGNED, "/observation/object/assurance", detail));
        }
        let rule = &rules::OBS_OBJECT;
        length(rule, "/observation/object/objectRef", &self.object_ref, 1, bounds::OBJECT_REF)?;
        digest(rule, "/observation/object/payloadSha256", &self.payload_sha256)?;
        self.passport.as_ref().map_or(Ok(()), super::passport::Passport::check)
    }
}

impl ImageInput {
    /// Checks the media type, the strict base64, the bounds, and `byteCount` and `sha256` against the bytes.
    /// The real dimensions need a decoder and are not checked here.
    ///
    /// # Errors
    /// [`rules::OBS_IMAGE`] or [`rules::OBS_IMAGE_FACTS`] with the place.
    pub fn check(&self) -> Checked {
        self.verified_bytes().map(drop)
    }

    /// The bytes of the JPEG after [`ImageInput::check`], for the decoder of the receiving side.
    ///
    /// # Errors
    /// As [`ImageInput::check`].
    pub fn verified_bytes(&self) -> Result<ImageBytes, Finding> {
        if self.media_type != "image/jpeg" {
            let place = "/observation/image/mediaType";
            return Err(Finding::at(&rules::OBS_IMAGE, place, "expected \"image/jpeg\""));
        }
        for (member, pixels) in [("pixelWidth", self.pixel_width), ("pixelHeight", self.pixel_height)] {
            if !(1..=bounds::IMAGE_SIDE).contains(&pixels) {
                let detail = format!("expected 1 to {} pixels", bounds::IMAGE_SIDE);
                return Err(Finding::at(&rules::OBS_IMAGE, format!("/observation/image/{member}"), detail));
            }
        }
        let facts = &rules::OBS_IMAGE_FACTS;
        digest(facts, "/observation/image/sha256", &self.sha256)?;
        let bytes = self.data.decode()?;
        if bytes.is_empty() {
            return Err(Finding::at(&rules::OBS_IMAGE, "/observation/image/data", "the image has no bytes"));
        }
        if self.byte_count != bytes.len() as u64 {
            let detail = format!("the image has {} bytes, byteCount says otherwise", Bytes(bytes.len()));
            return Err(Finding::at(facts, "/observation/image/byteCount", detail));
        }
        if self.sha256 != super::sha256_hex(bytes.expose()) {
            return Err(Finding::at(facts, "/observation/image/sha256", "it is not the hash of the image"));
        }
        Ok(bytes)
    }
}

fn positive(rule: &'static Rule, pointer: &str, number: u64) -> Checked {
    if number == 0 { Err(Finding::at(rule, pointer, "expected a number from 1")) } else { Ok(()) }
}

fn length(rule: &'static Rule, pointer: &str, text: &str, least: usize, most: usize) -> Checked {
    let characters = text.chars().count();
    if (least..=most).contains(&characters) {
        return Ok(());
    }
    let detail = format!("it has {} characters, {least} to {} are allowed", Bytes(characters), Bytes(most));
    Err(Finding::at(rule, pointer, detail))
}

fn digest(rule: &'static Rule, pointer: &str, text: &str) -> Checked {
    let fits = text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if fits { Ok(()) } else { Err(Finding::at(rule, pointer, "expected 64 lower-case hexadecimal digits")) }
}

/// Whether `text` is a date and time of RFC 3339 § 5.6; jiff alone would take more than that.
fn is_rfc3339(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((head, tail)) = bytes.split_at_checked(19) else { return false };
    let form = b"0000-00-00T00:00:00";
    let head_fits = head.iter().zip(form).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        b'T' => byte.eq_ignore_ascii_case(&b'T'),
        other => byte == other,
    });
    let fraction = tail.strip_prefix(b".").map(|rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    let zone = &tail[fraction.map_or(0, |digits| digits + 1)..];
    let zone_fits = match zone {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit()),
        _ => false,
    };
    if !head_fits || !zone_fits || fraction == Some(0) || text.len() > bounds::ID {
        return false;
    }
    // The fraction is left out: it changes nothing, and jiff reads at most nine digits of it.
    let plain = [head, zone].concat().to_ascii_uppercase();
    std::str::from_utf8(&plain).is_ok_and(|plain| plain.parse::<jiff::Timestamp>().is_ok())
}
