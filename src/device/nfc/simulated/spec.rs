//! What can be placed on the simulated reader, and what its files are.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;
use zeroize::Zeroizing;

use crate::device::nfc::{NfcError, RawTag};
use crate::files;
use crate::redact::TagUid;

/// Largest tag file in bytes.
pub const TAG_FILE_BYTES: usize = 64 * 1024;

/// A tag to place: a file, or the id of an empty tag. The id is not printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagSpec {
    /// A raw NDEF message, a Type 2 memory dump or a Flipper Zero file.
    File(PathBuf),
    /// An empty tag with this id.
    Uid(TagUid),
}

/// Why a text names no tag. It never repeats an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TagSpecError {
    /// Nothing is named.
    #[error("A tag is named by the path of its file, or by uid= and its id in hexadecimal.")]
    Empty,
    /// What follows `uid=` is no id.
    #[error("The value of uid= must be 4, 7, 8 or 10 bytes in hexadecimal.")]
    Uid,
}

impl TagSpec {
    /// Reads `PATH` or `uid=HEX`; the bytes may be set apart by colons, hyphens or spaces.
    ///
    /// # Errors
    ///
    /// [`TagSpecError`]. Whether a file is there shows at the scan.
    pub fn parse(text: &str) -> Result<Self, TagSpecError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(TagSpecError::Empty);
        }
        let is_uid = text.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("uid="));
        if !is_uid {
            return Ok(Self::File(PathBuf::from(text)));
        }
        let digits: Zeroizing<String> = Zeroizing::new(text[4..].replace([':', '-', ' '], ""));
        match data_encoding::HEXUPPER_PERMISSIVE.decode(digits.as_bytes()).map(Zeroizing::new) {
            Ok(bytes) if matches!(bytes.len(), 4 | 7 | 8 | 10) => Ok(Self::Uid(TagUid::new(&bytes))),
            _ => Err(TagSpecError::Uid),
        }
    }

    /// Whether a scan could read it now: what is not there, or is no tag, is refused before it is placed.
    ///
    /// # Errors
    /// As a scan of it.
    pub async fn check(&self) -> Result<(), NfcError> {
        self.clone().read().await.map(drop)
    }

    /// Reads the tag as a reader would.
    pub(super) async fn read(self) -> Result<RawTag, NfcError> {
        match self {
            Self::Uid(uid) => Ok(RawTag::UidOnly(uid)),
            Self::File(path) => {
                let bytes = read_bounded(&path).await?;
                classify(&path, bytes).map_err(|why| NfcError::Unusable { path, why })
            }
        }
    }
}

impl fmt::Display for TagSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Uid(uid) => write!(f, "an empty tag with a {}-byte id", uid.len()),
        }
    }
}

async fn read_bounded(path: &Path) -> Result<Zeroizing<Vec<u8>>, NfcError> {
    let failed = |source| NfcError::File { path: path.to_owned(), source };
    // Looked at before opening: opening a pipe would wait for its writer.
    if !tokio::fs::metadata(path).await.map_err(failed)?.is_file() {
        return Err(NfcError::Unusable { path: path.to_owned(), why: "it is not a plain file." });
    }
    let bytes = Zeroizing::new(files::read_aside(path, TAG_FILE_BYTES).await.map_err(failed)?);
    if bytes.len() > TAG_FILE_BYTES {
        return Err(NfcError::Unusable {
            path: path.to_owned(),
            why: "a tag file has at most 65,536 bytes.",
        });
    }
    Ok(bytes)
}

/// What a file is: its content decides where it is unmistakable, then its extension, then its content again.
fn classify(path: &Path, mut bytes: Zeroizing<Vec<u8>>) -> Result<RawTag, &'static str> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let begins = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes).trim_ascii_start();
    if extension == "nfc" || begins.starts_with(b"Filetype: Flipper") {
        return match String::from_utf8(std::mem::take(&mut *bytes)) {
            Ok(text) => Ok(RawTag::FlipperFile(Zeroizing::new(text))),
            Err(_) => Err("a Flipper file is UTF-8 text."),
        };
    }
    let has_container = bytes.get(12) == Some(&0xE1) && bytes.len().is_multiple_of(4);
    let begins_message = bytes.first().is_some_and(|flags| flags & 0x80 != 0);
    match extension.as_str() {
        "ndef" => Ok(RawTag::NdefMessage { bytes, uid: None }),
        "bin" | "dump" | "mfd" => Ok(RawTag::Type2Memory { bytes, uid: None }),
        _ if has_container => Ok(RawTag::Type2Memory { bytes, uid: None }),
        _ if begins_message => Ok(RawTag::NdefMessage { bytes, uid: None }),
        _ => Err(
            "it is no NDEF message (.ndef), Type 2 memory dump (.bin, .dump, .mfd) or Flipper file (.nfc).",
        ),
    }
}
