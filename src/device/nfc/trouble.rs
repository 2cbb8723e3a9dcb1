//! What can be wrong with readers and with the service behind them, and what to do about each.

use std::time::Duration;

use thiserror::Error;

use super::SelectError;

/// One thing that is wrong. Each is a sentence without its full stop; [`ReaderTrouble::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReaderTrouble {
    /// This build has no PC/SC.
    #[error("this build has no PC/SC support")]
    NotBuilt,
    /// No daemon answers: `SCARD_E_NO_SERVICE`, `SCARD_E_SERVICE_STOPPED`.
    #[error("the PC/SC service does not run")]
    NotRunning,
    /// The daemon went away while it was in use.
    #[error("the PC/SC service went away")]
    Lost,
    /// The daemon is there and does not answer.
    #[error("the PC/SC service does not answer (waited {} s)", .within.as_secs())]
    Frozen {
        /// How long it was waited for.
        within: Duration,
    },
    /// The daemon refuses us: `SCARD_W_SECURITY_VIOLATION`, `SCARD_E_NO_ACCESS`.
    #[error("the PC/SC service does not allow this session to use readers")]
    NotAllowed,
    /// There is no reader at all.
    #[error("no reader is plugged in")]
    NoReader,
    /// The chosen reader is not there.
    #[error("no reader \"{wanted}\" is plugged in{}", among(.present))]
    Missing {
        /// What was asked for.
        wanted: String,
        /// What there is.
        present: Vec<String>,
    },
    /// A part of a name was chosen, and several readers have it.
    #[error("\"{wanted}\" fits several readers: {}", .fitting.join(", "))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The readers that it fits.
        fitting: Vec<String>,
    },
    /// The reader was pulled out.
    #[error("the reader {reader} was unplugged")]
    Unplugged {
        /// Its name.
        reader: String,
    },
    /// Another program holds the card: `SCARD_E_SHARING_VIOLATION`.
    #[error("another program holds the card on {reader}{}", held_by(.holders))]
    Busy {
        /// The reader's name.
        reader: String,
        /// Programs that run and are known to hold cards: `scdaemon (pid 812)`.
        holders: Vec<String>,
    },
    /// The card does not answer the reader: `SCARD_W_UNRESPONSIVE_CARD`, `SCARD_W_UNPOWERED_CARD`.
    #[error("the tag on {reader} does not answer")]
    Mute {
        /// The reader's name.
        reader: String,
    },
    /// The reader or its driver gave one byte for an answer, which holds no status word.
    #[error(
        "the reader {reader} answered with 1 byte; every answer has 2 or more, its status word last \
         (ISO/IEC 7816-4 § 5.1)"
    )]
    NoStatus {
        /// The reader's name.
        reader: String,
    },
    /// Two tags on two readers, or more on one: the first was read.
    #[error("a tag lies on {reader} too; one press reads one tag")]
    Another {
        /// The other reader's name.
        reader: String,
    },
    /// Anything else.
    #[error("{what}: {code}")]
    Other {
        /// What was being done.
        what: &'static str,
        /// What PC/SC said, in words.
        code: String,
    },
}

impl ReaderTrouble {
    /// What to do about it, in one clause; `None` where nothing need be done.
    pub fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::NotBuilt => "build with the feature `nfc`, or choose the reader `simulated`",
                Self::NotRunning | Self::Lost => {
                    "start it (Linux: `sudo systemctl start pcscd.socket`, or `pcscd`); it is picked up at once"
                }
                Self::Frozen { .. } => "restart it (Linux: `sudo systemctl restart pcscd`); it is picked up at once",
                Self::NotAllowed => {
                    "over ssh or in a container polkit refuses: allow org.debian.pcsc-lite.access_pcsc and \
                     access_card for this user, or work at the machine itself"
                }
                Self::NoReader => {
                    "plug one in; it is picked up at once. If it is plugged in, the kernel may hold it: \
                     `sudo modprobe -r pn533_usb nfc`"
                }
                Self::Missing { .. } => "plug it in, or choose another with --reader",
                Self::Ambiguous { .. } => "give more of the name with --reader",
                Self::Unplugged { .. } => "plug it in again; it is picked up at once",
                Self::Busy { holders, .. } if holders.is_empty() => {
                    "usual holders are scdaemon (`gpgconf --kill scdaemon`), gsd-smartcard and, on macOS, ctkd; \
                     it is tried again"
                }
                Self::Busy { holders, .. } if holders.iter().any(|h| h.starts_with("scdaemon")) => {
                    "`gpgconf --kill scdaemon` lets go of it; it is tried again"
                }
                Self::Busy { .. } => "close that program, or take the tag off and put it on again; it is tried again",
                Self::Mute { .. } => "hold it flat and still, alone on the reader; some cards do not suit it",
                Self::NoStatus { .. } => {
                    "its firmware or driver is at fault: plug it in anew, update it, or take another; it is tried again"
                }
                Self::Another { .. } => "scan again for the other one",
                Self::Other { .. } => "it is tried again; if it stays so, plug the reader in anew",
            }
            .to_owned(),
        )
    }
}

impl ReaderTrouble {
    /// Whether it is over when the tag is taken off, if it was told of one reader.
    pub const fn is_of_the_tag(&self) -> bool {
        matches!(
            self,
            Self::Busy { .. }
                | Self::Mute { .. }
                | Self::NoStatus { .. }
                | Self::Another { .. }
                | Self::Other { .. }
        )
    }

    /// Whether the service is at fault, if it was told of no one reader.
    pub const fn is_of_the_service(&self) -> bool {
        matches!(
            self,
            Self::NotBuilt
                | Self::NotRunning
                | Self::Lost
                | Self::Frozen { .. }
                | Self::NotAllowed
                | Self::Other { .. }
        )
    }
}

impl From<SelectError> for ReaderTrouble {
    fn from(error: SelectError) -> Self {
        match error {
            SelectError::Unknown { wanted, available } => Self::Missing { wanted, present: available },
            SelectError::Ambiguous { wanted, fitting } => Self::Ambiguous { wanted, fitting },
        }
    }
}

fn among(present: &[String]) -> String {
    match present {
        [] => "; there is none".to_owned(),
        names => format!("; there are: {}", names.join(", ")),
    }
}

fn held_by(holders: &[String]) -> String {
    match holders {
        [] => String::new(),
        names => format!(", likely {}", names.join(" or ")),
    }
}
