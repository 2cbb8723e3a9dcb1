//! What can be wrong with a camera, and what to do about each. It travels from the child as a kind, not as text.

use serde::{Deserialize, Serialize};

/// One thing that is wrong. Each is a sentence without its full stop; [`CameraTrouble::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[non_exhaustive]
pub enum CameraTrouble {
    /// This build has no cameras.
    #[error("this build has no camera support")]
    NotBuilt,
    /// There is no camera at all.
    #[error("no camera is plugged in")]
    NoCamera,
    /// Another program has it open: `EBUSY`.
    #[error("another program uses it{}", by(.holders))]
    Busy {
        /// Programs of this user that have it open: `cheese (pid 812)`.
        holders: Vec<String>,
    },
    /// The user may not open it: `EACCES`, `EPERM`.
    #[error("this user may not open it{}", .group.as_ref().map(|g| format!(": it belongs to the group {g}")).unwrap_or_default())]
    NoPermission {
        /// The group that owns the node, where it may read and write it.
        group: Option<String>,
    },
    /// It is gone: `ENODEV`, `ENXIO`, `ENOENT`.
    #[error("it was unplugged")]
    Unplugged,
    /// It is open and gives nothing.
    #[error("no picture came from it within {} s", seconds(*.milliseconds))]
    NoFrames {
        /// How long it was waited for.
        milliseconds: u32,
    },
    /// Nothing comes in at its socket: `ENOLINK`, `ENOLCK`.
    #[error("it has no signal at its input")]
    NoSignal,
    /// A virtual camera into which no program puts pictures yet.
    #[error("it has no formats yet: it is a virtual camera, and no program feeds it")]
    NoFormats,
    /// All its formats are ones that are not decoded here.
    #[error("none of its formats is read here: it has {}", .offered.join(", "))]
    NoUsableFormat {
        /// Their four-letter codes.
        offered: Vec<String>,
    },
    /// It has none of the formats that were asked for.
    #[error("it has no format {wanted}")]
    NoSuchFormat {
        /// What was asked for: `MJPG 640x480`.
        wanted: String,
    },
    /// Its pictures lie in several buffers at once.
    #[error("its pictures come in several planes (multiplanar), which is not read here")]
    Multiplanar,
    /// Pictures came, and none was whole.
    #[error("{frames} pictures came from it, and each was damaged{}", because(.why))]
    Damaged {
        /// How many.
        frames: u32,
        /// What was found in the last.
        #[serde(default)]
        why: String,
    },
    /// The cable, the hub or the driver fails: `EIO`, `EPROTO`, `EILSEQ`, …
    #[error("the connection to it failed while {what}: {code}")]
    Connection {
        /// What was being done.
        what: String,
        /// The operating system's words.
        code: String,
    },
    /// Looking for cameras came to no end.
    #[error("looking for cameras was given up after {} s: a driver does not answer", seconds(*.milliseconds))]
    Frozen {
        /// How long it was waited for.
        milliseconds: u32,
    },
    /// Looking for cameras ended in a crash.
    #[error("looking for cameras failed: {how}")]
    Crashed {
        /// How, in the words of the process.
        how: String,
    },
    /// Anything else.
    #[error("{what} failed: {code}")]
    Other {
        /// What was being done.
        what: String,
        /// What the system said.
        code: String,
    },
}

impl CameraTrouble {
    /// Whether it concerns all cameras, and not one that has a name.
    pub const fn is_of_all(&self) -> bool {
        matches!(self, Self::NotBuilt | Self::NoCamera | Self::Frozen { .. } | Self::Crashed { .. })
    }

    /// What to do about it, in one clause.
    pub fn hint(&self) -> String {
        match self {
            Self::NotBuilt => "build with the feature `camera`, or choose the camera `simulated`".to_owned(),
            Self::NoCamera => "plug one in and look again, or choose the camera `simulated`".to_owned(),
            Self::Busy { holders } if holders.is_empty() => {
                "close the program that shows its picture (a call, a browser tab) and try again".to_owned()
            }
            Self::Busy { .. } => "close that program and try again".to_owned(),
            Self::NoPermission { group: Some(group) } => {
                format!("`sudo usermod -aG {group} $USER`, then log out and in again")
            }
            Self::NoPermission { group: None } => {
                "let this program use the camera in the settings of the system, and try again".to_owned()
            }
            Self::Unplugged => "plug it in again and try once more".to_owned(),
            Self::NoFrames { .. } => {
                "does something come in (HDMI cable, lens cover, the program that feeds it)? Else plug it in anew"
                    .to_owned()
            }
            Self::NoSignal => "switch on what is plugged into it, and check the cable".to_owned(),
            Self::NoFormats => "start the program that feeds it (OBS: \"Start Virtual Camera\")".to_owned(),
            Self::NoUsableFormat { .. } => {
                "MJPG, YUYV, UYVY, NV12, RGB3, BGR3 and GREY are read; choose another camera".to_owned()
            }
            Self::NoSuchFormat { .. } => "`agentcall devices` lists what it has".to_owned(),
            Self::Multiplanar => {
                "such nodes belong to chips, not to webcams; libcamera's v4l2 adapter makes an ordinary camera of it"
                    .to_owned()
            }
            Self::Damaged { .. } => "try another cable or another USB socket, without a hub".to_owned(),
            Self::Connection { .. } => "plug it in anew, without a hub, and try again".to_owned(),
            Self::Frozen { .. } => "unplug the camera that was plugged in last, and look again".to_owned(),
            Self::Crashed { .. } | Self::Other { .. } => {
                "try again; if it stays so, plug the camera in anew or choose another".to_owned()
            }
        }
    }

    /// The same with every text of the other side made one line of bounded length.
    pub(super) fn tidied(self) -> Self {
        let tidy = |text: String| text.chars().filter(|c| !c.is_control()).take(200).collect::<String>();
        let list = |texts: Vec<String>| texts.into_iter().take(16).map(tidy).collect::<Vec<_>>();
        match self {
            Self::Busy { holders } => Self::Busy { holders: list(holders) },
            Self::NoPermission { group } => Self::NoPermission { group: group.map(tidy) },
            Self::NoUsableFormat { offered } => Self::NoUsableFormat { offered: list(offered) },
            Self::NoSuchFormat { wanted } => Self::NoSuchFormat { wanted: tidy(wanted) },
            Self::Damaged { frames, why } => Self::Damaged { frames, why: tidy(why) },
            Self::Connection { what, code } => Self::Connection { what: tidy(what), code: tidy(code) },
            Self::Crashed { how } => Self::Crashed { how: tidy(how) },
            Self::Other { what, code } => Self::Other { what: tidy(what), code: tidy(code) },
            plain => plain,
        }
    }
}

fn by(holders: &[String]) -> String {
    match holders {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    }
}

fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

fn seconds(milliseconds: u32) -> f32 {
    f64::from(milliseconds).round() as f32 / 1000.0
}
