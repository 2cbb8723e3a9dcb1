//! NFC readers: one interface, a simulated reader, and an answer for those that this build cannot reach.
//!
//! The client selects a reader by name ([`select`]), arms it and calls [`NfcReader::scan`] once; one consent, one
//! tag. What comes back is raw and is read in `observation`.

#[cfg(feature = "nfc")]
mod flow;
pub mod happening;
pub mod kind;
#[cfg(feature = "nfc")]
pub mod pcsc;
pub mod simulated;
pub mod trouble;
pub mod unavailable;

use std::fmt;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use thiserror::Error;
use zeroize::Zeroizing;

use super::consent::Armed;
use crate::files;
use crate::redact::{TagUid, mask_uid_values};

pub use happening::{Apdu, Happened, Over, ReaderEvent, TagRead, Told};
pub use kind::{ReaderInfo, ReaderKind, Readers};
#[cfg(feature = "nfc")]
pub use pcsc::{Choice, PcscReaders, readers, watch};
pub use simulated::{Placer, SimulatedReader, TagSpec, TagSpecError};
pub use trouble::ReaderTrouble;
pub use unavailable::UnavailableReader;
#[cfg(not(feature = "nfc"))]
pub use unavailable::{Choice, PcscReaders, readers, watch};

/// A reader, whatever stands behind it.
pub trait NfcReader: Send {
    /// The name it is chosen by.
    fn name(&self) -> &str;

    /// Whether its tags are files and not hardware; then it is always labelled so.
    fn is_simulated(&self) -> bool;

    /// What screens and reports call it, such as `SIMULATED tags`.
    fn label(&self) -> String;

    /// Waits for one tag and reads it. What happens meanwhile is told to `told`; whether the tag that was read is taken
    /// off again is told there too, as long as somebody listens, and no APDU is sent for it.
    ///
    /// Resolves at the latest when `armed` ends. Dropping the future stops the reader.
    ///
    /// # Errors
    ///
    /// [`NfcError`]; without a consent for a reader that still stands, [`NfcError::NotArmed`].
    fn scan<'a>(&'a mut self, armed: &'a Armed, told: Told) -> BoxFuture<'a, Result<Scanned, NfcError>>;
}

/// A tag that was read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// What the tag delivered.
    pub tag: RawTag,
    /// The name of the reader on which it lies, as screens show it.
    pub reader: String,
}

/// What a reader delivers, undecoded. It prints its kind and size, never its content.
#[derive(Clone, PartialEq, Eq)]
pub enum RawTag {
    /// The exact bytes of an NDEF message.
    NdefMessage {
        /// The message.
        bytes: Zeroizing<Vec<u8>>,
        /// The tag's id, when the reader gave one.
        uid: Option<TagUid>,
    },
    /// The memory of a Type 2 tag from page 0 on.
    Type2Memory {
        /// The pages.
        bytes: Zeroizing<Vec<u8>>,
        /// The tag's id, when the reader gave one apart from the pages.
        uid: Option<TagUid>,
    },
    /// The text of a Flipper Zero file.
    FlipperFile(Zeroizing<String>),
    /// A tag of which nothing but the id was read.
    UidOnly(TagUid),
    /// What a reader got from a tag on it.
    Read {
        /// `Type 2`, `Type 4`, `MIFARE Classic`, …
        technology: &'static str,
        /// The exact bytes of its NDEF message, or why there is none.
        ndef: Result<Zeroizing<Vec<u8>>, NoNdef>,
        /// Its id, when the reader gave one.
        uid: Option<TagUid>,
    },
}

/// Why a tag on a reader gave no NDEF message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoNdef {
    /// A clause: `the tag is not formatted for NDEF`.
    pub why: String,
    /// Whether its content is damaged rather than absent.
    pub damaged: bool,
}

impl fmt::Debug for RawTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NdefMessage { bytes, .. } => write!(f, "[NDEF message, {} bytes]", bytes.len()),
            Self::Type2Memory { bytes, .. } => write!(f, "[Type 2 memory, {} bytes]", bytes.len()),
            Self::FlipperFile(text) => write!(f, "[Flipper file, {} bytes]", text.len()),
            Self::UidOnly(uid) => write!(f, "{uid:?}"),
            Self::Read { technology, ndef, .. } => {
                write!(f, "[{technology}, NDEF message of {} bytes]", ndef.as_ref().map_or(0, |m| m.len()))
            }
        }
    }
}

/// A path as an error names it, the end of a long one: files of dumps are often called by their tag's id.
fn named(path: &Path) -> String {
    files::end_of(&mask_uid_values(&path.display().to_string()), files::SHOWN)
}

/// Why a scan gave no tag. Of a long line the end may be cut off, so the reason goes before the path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NfcError {
    /// There is no consent for a reader, or it is over.
    #[error("The reader is not armed; nothing was read.")]
    NotArmed,
    /// Nobody held a tag to the reader in time.
    #[error("No tag came before the time was up; the reader is closed.")]
    TimedOut,
    /// The user took the consent back.
    #[error("The scan was stopped; the reader is closed.")]
    Disarmed,
    /// The placed tag's file cannot be read.
    #[error("{source}: the tag file {} cannot be read", named(path))]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The placed tag's file is not a plain file, too large, or of no known kind.
    #[error("Not usable as a tag: {why} The file is {}", named(path))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why, and what would do.
        why: &'static str,
    },
    /// The reader, or the service behind it, could not be used until the time was up.
    #[error("No tag was read: {0}.")]
    Trouble(ReaderTrouble),
    /// Tags came and none could be read to its end.
    #[error(
        "No tag was read to its end in time: {times} went away in the middle of it. Nothing of them is kept."
    )]
    TornAway {
        /// How many.
        times: usize,
    },
    /// This build cannot reach the reader.
    #[error("The reader \"{name}\" is not available: {why}")]
    Unavailable {
        /// The name that was asked for.
        name: String,
        /// Why, and what there is instead.
        why: String,
    },
}

/// Why a name chose no reader.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SelectError {
    /// No reader has the name or a part of it.
    #[error("No reader is called \"{wanted}\". Available: {}.", available.join(", "))]
    Unknown {
        /// The name that was asked for.
        wanted: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// The name is a part of several readers' names.
    #[error("\"{wanted}\" fits several readers: {}. Give more of the name.", fitting.join(", "))]
    Ambiguous {
        /// The name that was asked for.
        wanted: String,
        /// The readers it fits.
        fitting: Vec<String>,
    },
}

/// Chooses among `names`: the exact name first, else the only one that contains `wanted` in whatever case. Returns
/// the place in `names`.
///
/// # Errors
///
/// [`SelectError`] when none or several fit.
pub fn select(wanted: &str, names: &[&str]) -> Result<usize, SelectError> {
    if let Some(exact) = names.iter().position(|name| *name == wanted) {
        return Ok(exact);
    }
    let part = wanted.to_lowercase();
    let fits = |name: &str| !part.is_empty() && name.to_lowercase().contains(&part);
    let fitting: Vec<usize> = (0..names.len()).filter(|at| fits(names[*at])).collect();
    let owned = |at: &[usize]| at.iter().map(|at| names[*at].to_owned()).collect();
    match fitting.as_slice() {
        [only] => Ok(*only),
        [] => Err(SelectError::Unknown {
            wanted: wanted.to_owned(),
            available: names.iter().map(|n| (*n).to_owned()).collect(),
        }),
        several => Err(SelectError::Ambiguous { wanted: wanted.to_owned(), fitting: owned(several) }),
    }
}

/// As [`select`], of readers: where a part of a name fits the slots of one device, its slot for a security module is not
/// meant (A8). By its whole name it can be chosen.
///
/// # Errors
///
/// [`SelectError`] when none or several fit.
pub fn select_reader(wanted: &str, names: &[&str]) -> Result<usize, SelectError> {
    select(wanted, names).or_else(|error| {
        let others: Vec<usize> =
            (0..names.len()).filter(|at| ReaderKind::of(names[*at]) != ReaderKind::SamSlot).collect();
        let named: Vec<&str> = others.iter().map(|at| names[*at]).collect();
        select(wanted, &named).map(|at| others[at]).map_err(|_| error)
    })
}

#[cfg(test)]
mod tests;
