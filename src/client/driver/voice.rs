//! Sound: the microphone to the call, the call to the speaker.

use std::time::Duration;

use super::{Events, words};
use crate::client::event::{Collection, Event};

/// The port.
pub(super) struct VoicePort {
    events: Events,
}

impl VoicePort {
    pub fn new(events: Events) -> Self {
        Self { events }
    }

    pub async fn open(&mut self, id: Collection, _within: Duration, _file: Option<String>) {
        let why = words::device("No microphone is at hand.".to_owned());
        let _engine_stopped = self.events.send(Event::MicrophoneFailed(id, why)).await;
    }

    pub fn send(&mut self, _id: Collection) {}

    pub async fn close(&mut self, _id: Collection, _flush: bool) {}
}
