//! Microphones and speakers: which there are, what each can do, and sound from and to them.
//!
//! Order: [`Microphone::open`] with an [`Armed`](crate::device::Armed) for a microphone, then [`MicrophoneStream::take`]
//! as often as sound is wanted, and [`MicrophoneStream::close`]; [`Speaker::open`] needs no consent. Simulated ones keep
//! the same pace and are told apart by their label.
//!
//! [`list`] starts our own binary once more ([`child`]) and reads what it tells, line by line: sound libraries write
//! to standard error, load plugins and may hang or crash, and none of it may reach a screen. What the child had told
//! before it hung still counts. Without the feature `audio` the child answers that this build has no sound.

mod absent;
#[cfg(feature = "audio")]
pub mod callback;
pub mod child;
mod frame;
#[cfg(feature = "audio")]
mod holding;
mod process;
mod real;
mod simulated;
mod stream;
#[cfg(feature = "audio")]
mod system;
mod trouble;
#[cfg(not(feature = "audio"))]
mod unavailable;
mod wire;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use absent::AbsentDevice;
pub use process::{AudioProgram, list};
pub use real::{RealMicrophone, RealSpeaker};
pub use simulated::{SimulatedMicrophone, SimulatedSpeaker};
pub use stream::{
    AudioError, AudioNote, Boxed, Microphone, MicrophoneStream, RATE, SPEAKER_SAMPLES, Speaker,
    SpeakerStream, Taken,
};
pub use trouble::AudioTrouble;

/// The word by which the device is chosen that the system prefers.
pub const DEFAULT: &str = "default";

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AudioDevices {
    /// What they were asked from: `PulseAudio` (PipeWire answers as one too), `ALSA`, `CoreAudio`, `WASAPI`.
    pub host: Option<String>,
    /// What is wrong with sound as a whole; the devices below may still be all there are.
    pub troubles: Vec<AudioTrouble>,
    /// The devices, for each direction the preferred one first.
    pub devices: Vec<AudioDevice>,
}

impl AudioDevices {
    /// Those for one direction, in order.
    pub fn of(&self, direction: Direction) -> impl Iterator<Item = &AudioDevice> {
        self.devices.iter().filter(move |device| device.direction == direction)
    }
}

/// Which way sound goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    /// In: a microphone.
    Microphone,
    /// Out: a speaker.
    Speaker,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Microphone => "microphone",
            Self::Speaker => "speaker",
        })
    }
}

/// One microphone or speaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AudioDevice {
    /// Its name, by which it is chosen; no two of one direction have the same.
    pub name: String,
    /// What the system calls it: `alsa_input.usb-…`, `plughw:CARD=0,DEV=0`.
    pub id: String,
    /// Which way sound goes.
    pub direction: Direction,
    /// Whether the system prefers it.
    pub is_default: bool,
    /// Whether it repeats what a speaker plays, and is no microphone.
    pub is_monitor: bool,
    /// How it works unless it is asked otherwise.
    pub sound: Option<Sound>,
    /// Its lowest and highest rate in samples a second, where the device itself sets them.
    pub rates: Option<(u32, u32)>,
    /// Why it cannot be used.
    pub trouble: Option<AudioTrouble>,
}

/// A form of sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sound {
    /// Channels.
    pub channels: u16,
    /// Samples a second.
    pub rate: u32,
    /// The form of a sample: `i16`, `f32`.
    pub format: String,
}

impl fmt::Display for Sound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let channels = match self.channels {
            1 => "mono".to_owned(),
            2 => "stereo".to_owned(),
            many => format!("{many} channels"),
        };
        write!(f, "{channels}, {} Hz, {}", self.rate, self.format)
    }
}

/// Puts the preferred devices first and gives devices of one direction that have the same name their ids beside it.
fn in_order(devices: &mut [AudioDevice]) {
    devices.sort_by_key(|device| {
        (device.direction == Direction::Speaker, !device.is_default, device.is_monitor)
    });
    let keys: Vec<(Direction, String)> =
        devices.iter().map(|device| (device.direction, device.name.to_lowercase())).collect();
    for (at, device) in devices.iter_mut().enumerate() {
        if keys.iter().filter(|key| **key == keys[at]).count() > 1 {
            device.name = format!("{} ({})", device.name, device.id);
        }
    }
}

#[cfg(test)]
mod tests;
