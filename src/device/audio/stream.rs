//! Microphones and speakers that can be opened: the traits, and what can go wrong with them.
//!
//! Everything that passes here is mono, 48 kHz, `f32`; a device's own form is converted behind the trait. Nothing here
//! waits for a device: [`MicrophoneStream::take`] gives what is there, [`SpeakerStream::put`] takes what has room.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use super::{AudioTrouble, Direction, Sound};
use crate::device::{Armed, Ended};

/// Samples a second of everything that passes the traits.
pub const RATE: u32 = 48_000;

/// The most samples that wait in a speaker, 200 ms, its own delay not counted. A caller that keeps less waiting is heard
/// sooner.
pub const SPEAKER_SAMPLES: usize = 9_600;

/// A boxed future, so that the traits are object-safe.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A microphone that can be chosen. It hears nothing until it is opened.
pub trait Microphone: Send {
    /// The name by which it is chosen: `default`, `SIMULATED tone 440 Hz`.
    fn name(&self) -> &str;

    /// What the screen shows: the name, which begins with SIMULATED where that is so.
    fn label(&self) -> String {
        self.name().to_owned()
    }

    /// Whether no air moves before it.
    fn is_simulated(&self) -> bool;

    /// Why it is known, since it was looked for, that it is not there. It may come, and is looked for when it is opened.
    fn absence(&self) -> Option<&AudioTrouble> {
        None
    }

    /// Opens it under the user's consent. The stream closes when the consent ends: by being dropped, taken back, or at its
    /// deadline.
    ///
    /// # Errors
    /// [`AudioError::NotArmed`] when the consent is for something else or over, and whatever the device says.
    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn MicrophoneStream>, AudioError>>;
}

/// An open microphone. Dropping it closes it at once.
pub trait MicrophoneStream: Send {
    /// What the device itself delivers, before it is converted.
    fn sound(&self) -> &Sound;

    /// Appends what was heard since the last call. It never waits; there may be nothing.
    ///
    /// # Errors
    /// [`AudioError`]; after one the microphone is closed, and every further call says the same.
    fn take(&mut self, into: &mut Vec<f32>) -> Result<Taken, AudioError>;

    /// What happened since and the user should know, one at a time, each once.
    fn note(&mut self) -> Option<AudioNote> {
        None
    }

    /// Closes it. Nothing that is heard after the call is taken; it comes back within a second, whatever the device does.
    fn close(self: Box<Self>) -> Boxed<'static, ()>;
}

/// What came with one [`MicrophoneStream::take`]. It tells counts only, and nothing of the sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Samples that were appended.
    pub samples: usize,
    /// Whether a file came to its end within them; told once. Silence follows.
    pub ended: bool,
    /// Samples that the device gave and nobody took in time: they are missing before these.
    pub lost: u64,
    /// Whether a real microphone gives nothing but exact zeros, for more than two seconds now.
    pub is_dead: bool,
}

/// A speaker that can be chosen. It needs no consent.
pub trait Speaker: Send {
    /// The name by which it is chosen: `default`, `SIMULATED nowhere`.
    fn name(&self) -> &str;

    /// What the screen shows: the name, which begins with SIMULATED where that is so.
    fn label(&self) -> String {
        self.name().to_owned()
    }

    /// Whether nothing of it can be heard.
    fn is_simulated(&self) -> bool;

    /// Why it is known, since it was looked for, that it is not there. It may come, and is looked for when it is opened.
    fn absence(&self) -> Option<&AudioTrouble> {
        None
    }

    /// Opens it.
    ///
    /// # Errors
    /// Whatever the device says.
    fn open(&mut self) -> Boxed<'_, Result<Box<dyn SpeakerStream>, AudioError>>;
}

/// An open speaker. Dropping it closes it at once; what is still queued is not played.
pub trait SpeakerStream: Send {
    /// What the device itself takes, after conversion.
    fn sound(&self) -> &Sound;

    /// Samples that were put and are not yet played, the device's own delay included.
    fn queued(&self) -> usize;

    /// Of what is queued, what the device has taken already and not yet made heard: its own delay, which a caller that keeps
    /// a little waiting does not count (a headset without a cable has 200 ms of it).
    fn delay(&self) -> usize {
        0
    }

    /// Samples that can be put now; at most [`SPEAKER_SAMPLES`].
    fn room(&self) -> usize;

    /// Plays these after what is queued. What is beyond [`SpeakerStream::room`] is dropped; with nothing queued, silence is
    /// played.
    ///
    /// # Errors
    /// [`AudioError`]; after one the speaker is closed, and every further call says the same.
    fn put(&mut self, samples: &[f32]) -> Result<(), AudioError>;

    /// What happened since and the user should know, one at a time, each once.
    fn note(&mut self) -> Option<AudioNote> {
        None
    }

    /// Closes it. It comes back within a second, whatever the device does.
    fn close(self: Box<Self>) -> Boxed<'static, ()>;
}

/// Why there is no sound. Each is one clear sentence without its full stop; the session goes on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AudioError {
    /// The call came without a standing consent for a microphone: our fault.
    #[error("the microphone {name} was not opened: no consent for a microphone stands")]
    NotArmed {
        /// The microphone.
        name: String,
    },
    /// The consent ended while the microphone was open.
    #[error("the microphone {name} was closed: {}", match .why { Ended::Deadline => "its time ran out", Ended::Disarmed => "it was disarmed" })]
    Closed {
        /// The microphone.
        name: String,
        /// Why.
        why: Ended,
    },
    /// No device has this name, or several do.
    #[error("{why}{}", among(.available))]
    NoSuchDevice {
        /// What is wrong with the name.
        why: String,
        /// The names to choose from; empty where they would be of no use.
        available: String,
        /// What to do about it, in one clause.
        hint: String,
    },
    /// The device could not be used, and it is known why.
    #[error("the {direction} {name} {}: {trouble}", match .direction { Direction::Microphone => "gives no sound", Direction::Speaker => "plays nothing" })]
    Trouble {
        /// Which way sound would have gone.
        direction: Direction,
        /// The device.
        name: String,
        /// Why.
        trouble: AudioTrouble,
    },
}

/// `; available: one, another`
fn among(available: &str) -> String {
    if available.is_empty() { String::new() } else { format!("; available: {available}") }
}

impl AudioError {
    /// Whether it only says that the consent is over, which is no fault of the device.
    pub const fn is_by_consent(&self) -> bool {
        matches!(self, Self::NotArmed { .. } | Self::Closed { .. })
    }

    /// What is wrong with the device, where it is known.
    pub const fn trouble(&self) -> Option<&AudioTrouble> {
        match self {
            Self::Trouble { trouble, .. } => Some(trouble),
            _ => None,
        }
    }

    /// What to do about it, in one clause, where that is known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Trouble { trouble, .. } => Some(trouble.hint()),
            Self::NoSuchDevice { hint, .. } => Some(hint),
            _ => None,
        }
    }
}

/// What happened to an open device that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AudioNote {
    /// It stopped working and was opened anew; what fell between is missing.
    Reopened {
        /// Which way sound goes.
        direction: Direction,
        /// The device, as it is shown.
        name: String,
        /// What had been wrong.
        why: AudioTrouble,
        /// How long there was no sound.
        gap: Duration,
    },
    /// A real microphone gives nothing but exact zeros: muted, or not allowed.
    Dead {
        /// The microphone, as it is shown.
        name: String,
    },
}

impl fmt::Display for AudioNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reopened { direction, name, why, gap } => {
                write!(f, "the {direction} {name} was opened anew after {} ms: {why}", gap.as_millis())
            }
            Self::Dead { name } => {
                write!(
                    f,
                    "the microphone {name} gives exact silence: it is muted, or its use is not permitted"
                )
            }
        }
    }
}

impl AudioNote {
    /// What to do about it, in one clause, where there is something.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Reopened { .. } => None,
            Self::Dead { .. } => Some(
                "unmute it; macOS: allow the microphone for the terminal in System Settings, Privacy; or choose another \
                 with --microphone",
            ),
        }
    }
}

/// Seconds of 48 kHz sound as samples, rounded down.
pub(super) fn samples(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() * u128::from(RATE) / 1_000_000_000).unwrap_or(u64::MAX)
}
