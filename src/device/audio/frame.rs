//! What passes between us and the child that holds an open device. Pure.
//!
//! From the child: a letter, a length (four bytes, little-endian) and so many bytes. To it (speakers only): samples and
//! nothing else, `f32` little-endian, mono, 48 kHz. Our side of the input is open as long as the device shall be.

use serde::{Deserialize, Serialize};

use super::{AudioTrouble, Sound};

/// Bytes before a payload.
pub(super) const HEAD: usize = 5;
/// The longest payload in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

/// One message of the child.
#[derive(Clone, PartialEq)]
pub(super) enum Frame {
    /// The device is open and has asked for or given its first sound.
    Opened(Opened),
    /// Sound of a microphone.
    Heard(Vec<f32>),
    /// Samples of a microphone that are missing before what follows.
    Lost(u64),
    /// How far a speaker is.
    Played(Played),
    /// It does not go on. This is the last one.
    Failed(AudioTrouble),
}

/// The open device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opened {
    /// What the system calls it.
    pub name: String,
    /// How it works.
    pub sound: Sound,
}

/// How far a speaker is, in samples at 48 kHz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Played {
    /// What was read since the beginning.
    pub taken: u64,
    /// Of that, what the device has not taken yet.
    pub waiting: u64,
    /// What the device has taken and not yet made heard.
    pub delay: u64,
}

impl Frame {
    /// Appends it to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let at = out.len();
        out.extend_from_slice(&[0; HEAD]);
        let letter = match self {
            Self::Opened(opened) => json(b'o', opened, out),
            Self::Heard(samples) => {
                samples.iter().for_each(|sample| out.extend_from_slice(&sample.to_le_bytes()));
                b'h'
            }
            Self::Lost(samples) => {
                out.extend_from_slice(&samples.to_le_bytes());
                b'l'
            }
            Self::Played(Played { taken, waiting, delay }) => {
                [taken, waiting, delay].iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
                b'p'
            }
            Self::Failed(trouble) => json(b'f', trouble, out),
        };
        let length = u32::try_from(out.len() - at - HEAD).unwrap_or(u32::MAX);
        out[at] = letter;
        out[at + 1..at + HEAD].copy_from_slice(&length.to_le_bytes());
    }

    /// The letter and the length; `None` where it is longer than anything we take.
    pub fn head(head: [u8; HEAD]) -> Option<(u8, usize)> {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        (length <= LONGEST).then_some((head[0], length))
    }

    /// Reads one. `None` if it is none of ours.
    pub fn read(letter: u8, payload: &[u8]) -> Option<Self> {
        let numbers = || payload.chunks_exact(8).map(|n| n.try_into().map(u64::from_le_bytes).ok());
        Some(match (letter, payload.len()) {
            (b'o', _) => Self::Opened(serde_json::from_slice(payload).ok()?),
            (b'h', length) if length % 4 == 0 => {
                let sample = |bytes: &[u8]| bytes.try_into().map_or(0.0, f32::from_le_bytes);
                Self::Heard(payload.chunks_exact(4).map(sample).collect())
            }
            (b'l', 8) => Self::Lost(numbers().next()??),
            (b'p', 24) => {
                let mut numbers = numbers();
                let mut next = || numbers.next()?;
                Self::Played(Played { taken: next()?, waiting: next()?, delay: next()? })
            }
            (b'f', _) => Self::Failed(serde_json::from_slice(payload).ok()?),
            _ => return None,
        })
    }
}

fn json(letter: u8, value: &impl Serialize, out: &mut Vec<u8>) -> u8 {
    // Names are cut to their bounds, so that nothing here is too long; what cannot be written is read as none of ours.
    out.extend(serde_json::to_vec(value).unwrap_or_default());
    letter
}
