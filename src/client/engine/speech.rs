//! Speaking what the agent says, where the voice is the client's own (§ WebSocket and WebRTC, R21): which texts, in which
//! order, and when it stops. How it is spoken is the driver's.
//!
//! A stable segment is spoken once by its id, a request by its `spokenPrompt`. What was spoken belongs to its run: a newer
//! run, a cancel, the microphone key, Esc and the end of the session stop it, with all that waits.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Effect, Engine, line};
use crate::client::notice::{Line, LineKind, Notice};
use crate::protocol::Event;
use crate::protocol::card::{Offer, TransportProfile};
use crate::safe_text::SafeText;
use crate::session::{RunState, Session};
use crate::trace::record::Body;

/// Most texts that wait to be spoken, with the one that is being spoken; what comes beyond is not spoken.
const WAITING: usize = 64;
/// Most characters of one text that are spoken.
const LONGEST: usize = 4_096;
/// How many ids of segments are known as spoken.
const KNOWN: usize = 1_024;

/// The speaking side of the engine.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// This session's voice is the client's, and the user asked for it.
    is_on: bool,
    /// The number of the last text that was handed over; they count through every session.
    last: u64,
    /// Texts up to this number were given up.
    given_up: u64,
    /// How many are not spoken yet.
    waiting: usize,
    /// Ids of segments that were spoken, oldest first.
    known: VecDeque<String>,
    /// The command failed, and that was told.
    is_failure_told: bool,
    /// Texts were left out, and that was told.
    is_crowd_told: bool,
}

impl Engine {
    /// A session begins with an agent of this offer.
    pub(super) fn begin_speech(&mut self, offer: &Offer) {
        let is_ours =
            offer.transport == TransportProfile::WebSocket && offer.voice_owner.as_deref() == Some("client");
        self.speech.is_on = self.settings.speaks && is_ours;
        self.speech.known.clear();
    }

    /// The session is over.
    pub(super) fn end_speech(&mut self) {
        self.stop_speaking();
        self.speech.is_on = false;
    }

    /// What an event means for the speech. It comes as it is shown: nothing that is hidden there is spoken.
    pub(super) fn speech_of(&mut self, now: Duration, body: &Body) {
        let Body::Event(event) = body else { return };
        if !self.speech.is_on {
            return;
        }
        match event {
            Event::RunStarted => {
                self.stop_speaking();
            }
            Event::SpeechSegment(segment) if segment.stable && !self.is_cancelling() => {
                if self.speech.known.contains(&segment.segment_id) {
                    return;
                }
                if self.speech.known.len() == KNOWN {
                    self.speech.known.pop_front();
                }
                self.speech.known.push_back(segment.segment_id.clone());
                self.speak(now, &segment.text);
            }
            Event::InteractionRequested(request) if !self.is_cancelling() => {
                self.speak(now, &request.spoken_prompt);
            }
            _ => {}
        }
    }

    /// What still comes of a run that the user has cancelled is not what he wants to hear.
    fn is_cancelling(&self) -> bool {
        self.link.session().is_some_and(|session| matches!(session.run(), RunState::Cancelling { .. }))
    }

    fn speak(&mut self, now: Duration, text: &str) {
        // A command may hand what it gets on to a terminal.
        let text = SafeText::block(text.trim()).cut(LONGEST);
        if text.is_empty() {
            return;
        }
        if self.speech.waiting == WAITING {
            if !std::mem::replace(&mut self.speech.is_crowd_told, true) {
                let text = format!("{WAITING} texts wait to be spoken; what comes beyond is only shown.");
                self.notify(Notice::Info(line(now, LineKind::Device, text, Some("x stops the speech"))));
            }
            return;
        }
        self.speech.last += 1;
        self.speech.waiting += 1;
        self.effects.push_back(Effect::Speak(self.speech.last, text));
        if self.speech.waiting == 1 {
            self.notify(Notice::Speaking(true));
        }
    }

    /// A text was spoken to its end, or could not be.
    pub(super) fn spoke(&mut self, now: Duration, number: u64, result: Result<(), Line>) {
        if number <= self.speech.given_up {
            return;
        }
        self.speech.waiting = self.speech.waiting.saturating_sub(1);
        match result {
            Ok(()) => self.speech.is_failure_told = false,
            // Told once: an answer of ten segments is one trouble.
            Err(why) if !std::mem::replace(&mut self.speech.is_failure_told, true) => {
                let why = Line { at: now, ..self.scrubbed_line(why) };
                self.notify(Notice::Info(why));
            }
            Err(_) => {}
        }
        if self.speech.waiting == 0 {
            self.speech.is_crowd_told = false;
            self.notify(Notice::Speaking(false));
        }
    }

    /// Stops what is being spoken, and forgets what waits. Says whether there was anything.
    pub(super) fn stop_speaking(&mut self) -> bool {
        if self.speech.waiting == 0 {
            return false;
        }
        (self.speech.waiting, self.speech.given_up) = (0, self.speech.last);
        self.speech.is_crowd_told = false;
        self.effects.push_back(Effect::StopSpeaking);
        self.notify(Notice::Speaking(false));
        true
    }

    /// Whether the agent has something that a cancel would end.
    pub(super) fn has_to_cancel(&self) -> bool {
        self.link.session().map(Session::view).is_some_and(|view| {
            view.run.is_active() || view.pending.is_some() || view.proposal.is_some() || view.held.is_some()
        })
    }
}
