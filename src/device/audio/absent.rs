//! What answers for a microphone or speaker that is not there: a normal state, said when it is opened.

use super::stream::{AudioError, Boxed, Microphone, MicrophoneStream, Speaker, SpeakerStream};
use super::{AudioTrouble, Direction};
use crate::device::Armed;

/// A device that is known not to be there.
#[derive(Clone, Debug)]
pub struct AbsentDevice {
    name: String,
    direction: Direction,
    trouble: AudioTrouble,
}

impl AbsentDevice {
    /// A microphone that is not there, and why.
    pub fn microphone(name: &str, trouble: AudioTrouble) -> Self {
        Self { name: name.to_owned(), direction: Direction::Microphone, trouble }
    }

    /// A speaker that is not there, and why.
    pub fn speaker(name: &str, trouble: AudioTrouble) -> Self {
        Self { name: name.to_owned(), direction: Direction::Speaker, trouble }
    }

    fn error(&self) -> AudioError {
        AudioError::Trouble {
            direction: self.direction,
            name: self.name.clone(),
            trouble: self.trouble.clone(),
        }
    }
}

impl Microphone for AbsentDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn absence(&self) -> Option<&AudioTrouble> {
        Some(&self.trouble)
    }

    fn open<'a>(&'a mut self, _armed: &'a Armed) -> Boxed<'a, Result<Box<dyn MicrophoneStream>, AudioError>> {
        Box::pin(async { Err(self.error()) })
    }
}

impl Speaker for AbsentDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn absence(&self) -> Option<&AudioTrouble> {
        Some(&self.trouble)
    }

    fn open(&mut self) -> Boxed<'_, Result<Box<dyn SpeakerStream>, AudioError>> {
        Box::pin(async { Err(self.error()) })
    }
}
