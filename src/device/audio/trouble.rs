//! What can be wrong with sound, and what to do about each.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One thing that is wrong. Each is a sentence without its full stop; [`AudioTrouble::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
#[non_exhaustive]
pub enum AudioTrouble {
    /// This build has no sound.
    #[error("this build has no sound support")]
    NotBuilt,
    /// A sound server is there and does not answer.
    #[error("the sound server does not answer ({what})")]
    Server {
        /// What it said, or that it said nothing.
        what: String,
    },
    /// Neither a server nor the kernel has sound.
    #[error("there is no sound device")]
    Nothing,
    /// Another program has the device for itself.
    #[error("another program uses it")]
    Busy,
    /// The system does not let this user use it.
    #[error("this user may not use it")]
    NotAllowed,
    /// It is listed and cannot be opened.
    #[error("it is listed and cannot be used ({what})")]
    Unusable {
        /// What the system said.
        what: String,
    },
    /// Listing took too long; what was told until then is shown.
    #[error("listing sound devices took more than {} s and was ended", .within.as_secs_f32())]
    Hung {
        /// The time it had.
        within: Duration,
    },
    /// A sound file cannot be read or written.
    #[error("the file {file} cannot be used ({what})")]
    File {
        /// Its name.
        file: String,
        /// What the system or its format says.
        what: String,
    },
    /// It is not there, or not any more.
    #[error("it is not there")]
    Gone,
    /// Another device is preferred by now.
    #[error("the system prefers another one now")]
    Changed,
    /// Several devices have this part of a name.
    #[error("several have that name: {names}")]
    Ambiguous {
        /// Their names.
        names: String,
    },
    /// It was open, and the system or the server ended that.
    #[error("the sound system ended it ({what})")]
    Ended {
        /// What the system said.
        what: String,
    },
    /// It is open, and gives or takes nothing.
    #[error("nothing moved for {} s", .within.as_secs_f32())]
    Stalled {
        /// How long.
        within: Duration,
    },
    /// The process that holds it did not answer and was ended.
    #[error("the sound system did not answer for {} s", .within.as_secs_f32())]
    Silent {
        /// How long it was waited.
        within: Duration,
    },
    /// The process that holds it crashed, or told something else.
    #[error("its process failed ({how})")]
    Crashed {
        /// How.
        how: String,
    },
    /// The process that lists them crashed, or told something else.
    #[error("listing sound devices failed ({how})")]
    Died {
        /// How it ended.
        how: String,
    },
}

impl AudioTrouble {
    /// What to do about it, in one clause.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotBuilt => "build with the feature `audio`",
            Self::Server { .. } => {
                "restart it (Linux: `systemctl --user restart pipewire pipewire-pulse`, or `pulseaudio -k`)"
            }
            Self::Nothing => {
                "plug one in; a desktop's sound server is reached only from its own session, by XDG_RUNTIME_DIR or \
                 PULSE_SERVER"
            }
            Self::Busy => "close that program, or choose `default`, which the sound server shares",
            Self::NotAllowed => {
                "Linux: `sudo usermod -aG audio $USER` and log in again; macOS: allow the microphone for the terminal \
                 in System Settings, Privacy"
            }
            Self::Unusable { .. } => "plug it in anew, or choose `default`",
            Self::File { .. } => "give a WAV or Opus file that can be read, or a place that can be written",
            Self::Gone => "plug it in, or choose another; `agentcall devices` lists them",
            Self::Changed => "nothing: the other one is used",
            Self::Ambiguous { .. } => "give more of the name",
            Self::Ended { .. } | Self::Stalled { .. } | Self::Silent { .. } | Self::Crashed { .. } => {
                "try again; if it stays so, restart the sound server or choose another device"
            }
            Self::Hung { .. } | Self::Died { .. } => {
                "restart the sound server; what was told until then is listed"
            }
        }
    }
}
