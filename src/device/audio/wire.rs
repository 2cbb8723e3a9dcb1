//! What the child tells, one JSON object a line. Pure.

use serde::{Deserialize, Serialize};

use super::{AudioDevice, AudioTrouble};

/// Longest line in bytes.
pub(super) const LINE_BYTES: usize = 8 * 1024;
/// Most lines that are read.
pub(super) const LINES: usize = 512;
/// Longest name or id in characters.
pub(super) const NAME_CHARS: usize = 200;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Told {
    /// What the devices are asked from.
    Host(String),
    /// A device.
    Device(AudioDevice),
    /// What is wrong with sound as a whole.
    Trouble(AudioTrouble),
    /// That was all.
    Done,
}

impl Told {
    /// Reads a line; texts are cut to their bounds. `None` if it is none of ours.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        Some(match serde_json::from_slice(line).ok()? {
            Self::Host(name) => Self::Host(bounded(&name)),
            Self::Device(device) => {
                Self::Device(AudioDevice { name: bounded(&device.name), id: bounded(&device.id), ..device })
            }
            other => other,
        })
    }
}

/// Without control characters, and not too long.
pub(super) fn bounded(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect()
}
