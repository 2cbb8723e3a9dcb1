//! Sound files: WAV, and Ogg Opus (RFC 7845), told apart by content, to mono at 48 kHz; and WAV written. Bounded by bytes and
//! by seconds before anything is decoded.

mod wav;

#[cfg(feature = "webrtc")]
mod ogg_opus;

use super::resample::ResampleError;
use super::{RATE, samples_of};

pub use wav::WavWriter;

/// What a file may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Its bytes.
    pub bytes: usize,
    /// Its seconds of sound.
    pub seconds: u32,
}

impl Default for Bound {
    /// 32 MiB, and five minutes.
    fn default() -> Self {
        Self { bytes: 32 * 1024 * 1024, seconds: 300 }
    }
}

/// Why a file is no usable sound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It has too many bytes.
    #[error("the sound file has {bytes} bytes, and {most} at most are read")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// What is allowed.
        most: usize,
    },
    /// It lasts too long.
    #[error("the sound lasts longer than {seconds} seconds, which is the most that is played")]
    TooLong {
        /// What is allowed.
        seconds: u32,
    },
    /// It is something else.
    #[error("this is neither a WAV file nor an Ogg Opus file")]
    UnknownFormat,
    /// Opus is not in this build.
    #[error("Ogg Opus files cannot be played: this program was built without `webrtc`; use a WAV file")]
    NoOpus,
    /// It is damaged.
    #[error("the sound file is damaged: {0}")]
    Damaged(&'static str),
    /// It is sound, of a kind that is not read.
    #[error("the sound file cannot be played: {0}")]
    Unsupported(&'static str),
    /// Its rate or its channels.
    #[error("the sound file cannot be played: {0}")]
    Resample(#[from] ResampleError),
    /// It holds no sample.
    #[error("the sound file holds no sound")]
    Empty,
}

/// Reads a file into mono samples at 48 kHz, from −1 to 1.
///
/// # Errors
/// One clear sentence for each way in which bytes are no usable sound.
pub fn read(bytes: &[u8], bound: Bound) -> Result<Vec<f32>, FileError> {
    if bytes.len() > bound.bytes {
        return Err(FileError::TooLarge { bytes: bytes.len(), most: bound.bytes });
    }
    let samples = if bytes.starts_with(b"RIFF") {
        wav::read(bytes, bound)?
    } else if bytes.starts_with(b"OggS") {
        read_ogg(bytes, bound)?
    } else {
        return Err(FileError::UnknownFormat);
    };
    if samples.is_empty() { Err(FileError::Empty) } else { Ok(samples) }
}

#[cfg(feature = "webrtc")]
fn read_ogg(bytes: &[u8], bound: Bound) -> Result<Vec<f32>, FileError> {
    ogg_opus::read(bytes, bound)
}

#[cfg(not(feature = "webrtc"))]
fn read_ogg(_: &[u8], _: Bound) -> Result<Vec<f32>, FileError> {
    Err(FileError::NoOpus)
}

/// Samples at 48 kHz that a bound allows.
#[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
fn most_samples(bound: Bound) -> usize {
    (bound.seconds as usize).saturating_mul(samples_of(1_000))
}

/// Frames at some rate that a bound allows.
fn most_frames(bound: Bound, rate: u32) -> u64 {
    u64::from(bound.seconds) * u64::from(rate.min(4 * RATE))
}
