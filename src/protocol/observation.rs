//! What a person shows an agent: an object, an image, or both (§ Session and input; § Security, photos, and
//! exact object lookup), and the passport (R19).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

pub use super::passport::{ActionRecipe, Passport};

use super::bounds;
use super::finding::Finding;
use super::modality::{Modalities, Modality};
use super::rules;
use crate::redact::ImageBytes;

/// Why the user shows the object. It grants no authority (§ Session and input).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// "What is this?"
    #[default]
    Identify,
    /// "Remember this."
    Remember,
    /// "Look at this."
    Inspect,
    /// "Do something with this."
    Act,
}

impl Intent {
    /// All intents, in the profile's order.
    pub const ALL: [Self; 4] = [Self::Identify, Self::Remember, Self::Inspect, Self::Act];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identify => "identify",
            Self::Remember => "remember",
            Self::Inspect => "inspect",
            Self::Act => "act",
        }
    }

    /// The next one, after the last the first again: what the intent key does.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|i| *i == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Reads a name as it stands on the wire.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|i| i.name() == name)
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What carried the reference (R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Carrier {
    /// A portable reference from an NDEF record (R8; the name is a reading).
    #[serde(rename = "ndef")]
    Ndef,
    /// A local alias of a tag (R10).
    #[serde(rename = "localTag")]
    LocalTag,
}

impl Carrier {
    /// The default name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ndef => "ndef",
            Self::LocalTag => "localTag",
        }
    }
}

/// How far the reference is trusted. This client only ever produces [`Assurance::UnverifiedTag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Assurance {
    /// A writable label.
    #[serde(rename = "unverifiedTag")]
    UnverifiedTag,
    /// Reserved for a separately verified cryptographic carrier; never produced (R8).
    #[serde(rename = "signedTag")]
    SignedTag,
}

impl Assurance {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnverifiedTag => "unverifiedTag",
            Self::SignedTag => "signedTag",
        }
    }
}

/// A scanned object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectInput {
    /// The reference, compared by exact equality; at most 512 characters (R9).
    #[schemars(length(min = 1, max = 512))]
    pub object_ref: String,
    /// What carried it.
    pub carrier: Carrier,
    /// How far it is trusted.
    pub assurance: Assurance,
    /// SHA-256 of the exact carrier bytes, or of the alias, in lower-case hexadecimal.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub payload_sha256: String,
    /// A bounded reference projection that the user gave (R19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passport: Option<Passport>,
}

/// The base64 of an image. It serialises for the wire and prints as `[image data]`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ImageData(
    #[serde(with = "zeroizing_text")]
    #[schemars(with = "String", length(max = 81920), extend("contentEncoding" = "base64", "contentMediaType" = "image/jpeg"))]
    Zeroizing<String>,
);

mod zeroizing_text {
    use serde::{Deserialize, Deserializer, Serializer};
    use zeroize::Zeroizing;

    /// As a plain string.
    pub fn serialize<S: Serializer>(text: &Zeroizing<String>, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(text)
    }

    /// From a plain string, wiped when dropped.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Zeroizing<String>, D::Error> {
        String::deserialize(d).map(Zeroizing::new)
    }
}

impl ImageData {
    /// Encodes the bytes of a JPEG.
    pub fn encode(jpeg: &ImageBytes) -> Self {
        Self(Zeroizing::new(data_encoding::BASE64.encode(jpeg.expose())))
    }

    /// Decodes strictly: canonical base64 with padding, no white space (§ Security, photos, …).
    ///
    /// # Errors
    /// [`rules::OBS_IMAGE`] when it is not strict base64 or over 61,440 bytes.
    pub fn decode(&self) -> Result<ImageBytes, Finding> {
        let at = "/observation/image/data";
        if self.0.len() > bounds::IMAGE_BYTES.div_ceil(3) * 4 {
            return Err(Finding::at(&rules::OBS_IMAGE, at, "the image has more than 61,440 bytes"));
        }
        let bytes = data_encoding::BASE64
            .decode(self.0.as_bytes())
            .map_err(|_| Finding::at(&rules::OBS_IMAGE, at, "the image is not strict base64"))?;
        Ok(ImageBytes::new(bytes))
    }
}

impl fmt::Debug for ImageData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[image data]")
    }
}

/// A photo, inside the JSON observation (§ Security, photos, and exact object lookup; R6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageInput {
    /// Always `image/jpeg`.
    #[schemars(extend("const" = "image/jpeg"))]
    pub media_type: String,
    /// The JPEG as strict base64.
    pub data: ImageData,
    /// Size of the JPEG in bytes, at most 61,440.
    #[schemars(range(min = 1, max = 61440))]
    pub byte_count: u64,
    /// SHA-256 of the JPEG in lower-case hexadecimal.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// Width in pixels, at most 1,024.
    #[schemars(range(min = 1, max = 1024))]
    pub pixel_width: u32,
    /// Height in pixels, at most 1,024.
    #[schemars(range(min = 1, max = 1024))]
    pub pixel_height: u32,
}

/// The observation itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("anyOf" = [{"required": ["object"]}, {"required": ["image"]}]))]
pub struct Observation {
    /// Always `"0.1"`.
    #[schemars(extend("const" = "0.1"))]
    pub schema_version: String,
    /// Correlation data, at most 128 characters; not authentication.
    #[schemars(length(min = 1, max = 128))]
    pub observation_id: String,
    /// RFC 3339; not trusted device time.
    #[schemars(extend("format" = "date-time"))]
    pub captured_at: String,
    /// Why it is shown.
    pub intent: Intent,
    /// The scanned object; needs negotiated `nfc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectInput>,
    /// The photo; needs negotiated `photo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageInput>,
}

impl Observation {
    /// The modalities it uses.
    pub fn modalities(&self) -> Modalities {
        let nfc = self.object.as_ref().map(|_| Modality::Nfc);
        let photo = self.image.as_ref().map(|_| Modality::Photo);
        nfc.into_iter().chain(photo).collect()
    }
}
