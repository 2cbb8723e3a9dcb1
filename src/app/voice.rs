//! Speaking and hearing, as the screen shows it.

use std::sync::Arc;
use std::time::Duration;

use super::facts::Device;
use super::model::Model;
use crate::client::voice::{Levels, MediaStats, MicrophoneState, SpokenTurn, VoiceView};

/// The voice side of a session that has sound.
#[derive(Clone, Debug, PartialEq)]
pub struct VoiceFacts {
    /// The chosen microphone.
    pub microphone: Device,
    /// The chosen speaker.
    pub speaker: Device,
    /// Whether turns are opened and committed.
    pub explicit: bool,
    /// Whether what is recorded leaves this machine.
    pub state: MicrophoneState,
    /// How loud both are, as told last.
    pub levels: Option<Levels>,
    /// How the call does, as told last.
    pub stats: Option<Arc<MediaStats>>,
    /// The last spoken turn.
    pub spoken: Option<SpokenTurn>,
}

impl Model {
    /// The voice side has changed; what was measured stays as long as the session has sound.
    pub(super) fn voice_changed(&mut self, view: Option<&VoiceView>) {
        let before = self.voice.take();
        self.voice = view.map(|view| VoiceFacts {
            microphone: Device::from(&view.microphone),
            speaker: Device::from(&view.speaker),
            explicit: view.explicit,
            state: view.state,
            levels: before.as_ref().and_then(|before| before.levels),
            stats: before.as_ref().and_then(|before| before.stats.clone()),
            spoken: before.as_ref().and_then(|before| before.spoken),
        });
    }

    /// Changes what was measured, where the session has sound.
    pub(super) fn measured(&mut self, change: impl FnOnce(&mut VoiceFacts)) {
        if let Some(voice) = &mut self.voice {
            change(voice);
        }
    }

    /// Whether a microphone is open, or about to be, or closing.
    pub fn is_talking(&self) -> bool {
        self.voice.as_ref().is_some_and(|voice| !voice.state.is_closed())
    }

    /// How long the microphone has been open.
    pub fn on_air(&self) -> Option<Duration> {
        match self.voice.as_ref()?.state {
            MicrophoneState::Open { since, .. } => Some(self.now.saturating_sub(since)),
            _ => None,
        }
    }
}
