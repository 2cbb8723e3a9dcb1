//! Speaking and hearing: the microphone is open between two keys of the user, and sound leaves only then.
//!
//! The microphone is opened first; `audio.turn.start` goes out when it delivers, and only then does sound leave. In the end
//! it is closed first, its last packet goes, and only then the commit or the cancel. Whatever ends a session closes it
//! before anything else is sent.

use std::sync::Arc;
use std::time::Duration;

use super::{Effect, Engine, line};
use crate::client::event::{Collection, Heard, Recorded};
use crate::client::notice::{Line, LineKind, Notice};
use crate::client::request::Talk;
use crate::client::voice::{MicrophoneState, SpokenTurn, VoiceView};
use crate::session::{Ask, Phase, Session};

/// The voice side of the engine.
#[derive(Debug, Default)]
pub(super) struct Voice {
    count: u64,
    /// Whether the transport of this session carries sound.
    has_sound: bool,
    microphone: Microphone,
    /// The last spoken turn.
    pub(super) spoken: Option<SpokenTurn>,
    told: Option<VoiceView>,
}

/// How far the microphone is open, and what is to become of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Microphone {
    #[default]
    Closed,
    Opening {
        id: Collection,
        to_end: bool,
    },
    Open {
        id: Collection,
        since: Duration,
        until: Duration,
        /// The recording commits itself when it has been played to its end.
        to_end: bool,
    },
    Closing {
        id: Collection,
        then: Then,
        /// When the user, or what acts for him, ended it.
        key: Duration,
    },
}

/// What is said to the agent once the microphone is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Commit,
    Cancel,
}

impl Voice {
    /// When the open microphone closes by itself.
    pub fn deadline(&self) -> Option<Duration> {
        match self.microphone {
            Microphone::Open { until, .. } => Some(until),
            _ => None,
        }
    }
}

impl Engine {
    /// Whether a microphone is open, or about to be.
    pub(super) fn is_talking(&self) -> bool {
        self.voice.microphone != Microphone::Closed
    }

    /// A session begins whose transport carries sound, or none.
    pub(super) fn begin_voice(&mut self, has_sound: bool) {
        let Voice { count, told, .. } = std::mem::take(&mut self.voice);
        self.voice = Voice { count, told, has_sound, ..Voice::default() };
        self.tell_voice();
    }

    /// Opens the microphone for one turn.
    pub(super) fn talk(&mut self, now: Duration, talk: Talk) {
        // Whoever wants to speak is not talked over. Where no sound goes to the agent, that is all the key does.
        if self.stop_speaking() && !self.voice.has_sound {
            return;
        }
        if let Some((text, hint)) = self.hinders_talking() {
            return self.refuse(now, LineKind::Gate, text, Some(hint));
        }
        self.voice.count += 1;
        let (id, Talk { file, to_end }) = (Collection(self.voice.count), talk);
        self.voice.microphone = Microphone::Opening { id, to_end };
        self.effects.push_back(Effect::OpenMicrophone { id, within: self.settings.talk_within, file });
        self.tell_voice();
    }

    fn hinders_talking(&self) -> Option<(&'static str, &'static str)> {
        let session = self.link.session().filter(|session| session.phase() == Phase::Live);
        match session {
            None => Some(("the microphone stays closed: there is no live session", "r connects")),
            Some(_) if !self.voice.has_sound => Some((
                "the microphone stays closed: this agent takes no sound, its card advertises transport \"websocket\"",
                "i types a message",
            )),
            Some(_) if self.is_talking() => {
                Some(("the microphone is already open", "the same key ends the turn, Esc drops it"))
            }
            Some(session) if session.terms().explicit_turns && session.run().is_active() => Some((
                "the microphone stays closed: the agent is still answering",
                "wait for its end, or x cancels the response",
            )),
            Some(_) if self.physical.deadline().is_some() => {
                Some(("the microphone stays closed: a reader or camera is armed", "Esc stops that"))
            }
            Some(_) => None,
        }
    }

    /// The microphone delivers: the turn begins, and from now on its sound leaves.
    pub(super) fn microphone_open(&mut self, now: Duration, id: Collection) {
        let Microphone::Opening { id: current, to_end } = self.voice.microphone else { return };
        if current != id {
            return;
        }
        if self.is_explicit() && !self.try_ask(now, Ask::OpenAudio) {
            return self.shut(id, false);
        }
        let until = now + self.settings.talk_within;
        self.voice.microphone = Microphone::Open { id, since: now, until, to_end };
        self.effects.push_back(Effect::SendSound(id));
        self.tell_voice();
    }

    /// The user has finished: what was said is sent to its end, then the turn is committed.
    pub(super) fn talk_done(&mut self, now: Duration) {
        match self.voice.microphone {
            Microphone::Open { id, .. } => self.end_talk(now, id, Then::Commit),
            Microphone::Opening { id, .. } => {
                self.shut(id, false);
                let text = "The microphone was not open yet; nothing was sent.";
                self.notify(Notice::Info(line(
                    now,
                    LineKind::Info,
                    text,
                    Some("hold the key a little longer"),
                )));
            }
            Microphone::Closing { .. } => {}
            Microphone::Closed => {
                self.refuse(now, LineKind::Gate, "the microphone is not open", Some("m opens it"));
            }
        }
    }

    /// The user takes back what was said.
    pub(super) fn talk_dropped(&mut self, now: Duration) {
        match self.voice.microphone {
            Microphone::Open { id, .. } => self.end_talk(now, id, Then::Cancel),
            Microphone::Opening { id, .. } => self.shut(id, false),
            Microphone::Closing { .. } => return,
            Microphone::Closed => {
                return self.refuse(now, LineKind::Gate, "the microphone is not open", None);
            }
        }
        self.notify(Notice::Info(line(now, LineKind::Info, "What was said was dropped.", None)));
    }

    fn end_talk(&mut self, now: Duration, id: Collection, then: Then) {
        self.voice.microphone = Microphone::Closing { id, then, key: now };
        self.effects.push_back(Effect::CloseMicrophone { id, flush: then == Then::Commit });
        self.tell_voice();
    }

    /// The microphone is closed, and what it recorded is handed over: only now is the turn committed or cancelled.
    pub(super) fn microphone_closed(&mut self, now: Duration, id: Collection, recorded: Recorded) {
        let Microphone::Closing { id: current, then, key } = self.voice.microphone else { return };
        if current != id {
            return;
        }
        self.voice.microphone = Microphone::Closed;
        if let Some(turn) = self.link.session().and_then(Session::audio).map(|audio| audio.turn) {
            match then {
                Then::Commit => {
                    let spoken = SpokenTurn { closed: Some(recorded.at), ..SpokenTurn::ended_at(turn, key) };
                    self.voice.spoken = Some(spoken);
                    if self.try_ask(now, Ask::CommitAudio { asked: key }) {
                        self.spoken(|spoken| spoken.committed = Some(now));
                    }
                }
                Then::Cancel => self.ask(now, Ask::CancelAudio),
            }
        }
        self.tell_voice();
    }

    /// A recording was played to its end.
    pub(super) fn microphone_ended(&mut self, now: Duration, id: Collection) {
        if let Microphone::Open { id: current, to_end: true, .. } = self.voice.microphone
            && current == id
        {
            self.end_talk(now, id, Then::Commit);
        }
    }

    /// The microphone could not be opened, or is lost: what was said is not committed, for nobody knows what is missing.
    pub(super) fn microphone_failed(&mut self, now: Duration, id: Collection, why: Line) {
        match self.voice.microphone {
            Microphone::Opening { id: current, .. } if current == id => {
                self.voice.microphone = Microphone::Closed;
            }
            Microphone::Open { id: current, .. } if current == id => self.end_talk(now, id, Then::Cancel),
            _ => return,
        }
        let why = Line { at: now, ..self.scrubbed_line(why) };
        self.notify(Notice::Failed(why));
        self.tell_voice();
    }

    /// Closes the microphone because something else ends what it was open for, and says why.
    pub(super) fn silence(&mut self, now: Duration, why: &str) {
        match self.voice.microphone {
            Microphone::Opening { id, .. } => self.shut(id, false),
            Microphone::Open { id, .. } => self.end_talk(now, id, Then::Cancel),
            Microphone::Closing { .. } | Microphone::Closed => return,
        }
        let text = format!("The microphone was closed: {why}.");
        self.notify(Notice::Info(line(now, LineKind::Info, text, None)));
    }

    /// Closes the microphone before the session ends; whatever is sent next is sent without sound.
    pub(super) fn hush(&mut self) {
        if let Microphone::Opening { id, .. } | Microphone::Open { id, .. } | Microphone::Closing { id, .. } =
            self.voice.microphone
        {
            self.shut(id, false);
        }
    }

    /// The connection is over: no sound, no turn.
    pub(super) fn end_voice(&mut self) {
        self.hush();
        self.begin_voice(false);
    }

    fn shut(&mut self, id: Collection, flush: bool) {
        self.voice.microphone = Microphone::Closed;
        self.effects.push_back(Effect::CloseMicrophone { id, flush });
        self.tell_voice();
    }

    /// The microphone closes by itself after a time: nobody forgets it open.
    pub(super) fn voice_tick(&mut self, now: Duration) {
        if self.voice.deadline().is_some_and(|until| now >= until) {
            let within = self.settings.talk_within.as_secs();
            self.silence(now, &format!("it was open for {within} s; what was said was not committed"));
        }
    }

    /// After every frame: the agent may have ended the audio turn, or the session.
    pub(super) fn recheck_voice(&mut self, now: Duration) {
        let session = self.link.session();
        let is_live = session.is_some_and(|session| session.phase() == Phase::Live);
        let has_turn = session.and_then(Session::audio).is_some();
        if matches!(self.voice.microphone, Microphone::Open { .. }) && self.is_explicit() && !has_turn {
            let why = if is_live { "the agent ended the spoken turn" } else { "the session is over" };
            self.silence(now, why);
        }
        let latency = self.link.session().and_then(Session::latency);
        if let (Some(spoken), Some(latency)) = (self.voice.spoken, latency)
            && spoken.turn == latency.turn
            && (spoken.started, spoken.first_text) != (latency.started, latency.first_text)
        {
            self.spoken(|spoken| {
                (spoken.started, spoken.first_text) = (latency.started, latency.first_text);
            });
        }
    }

    /// Something of the answer was heard.
    pub(super) fn agent_heard(&mut self, heard: Heard) {
        let Some(committed) = self.voice.spoken.and_then(|spoken| spoken.committed) else { return };
        self.spoken(|spoken| match heard {
            Heard::Audible { at } if at >= committed => {
                spoken.first_audible.get_or_insert(at);
            }
            Heard::Playing { at } if spoken.first_audible.is_some() => {
                spoken.heard.get_or_insert(at);
            }
            Heard::Audible { .. } | Heard::Playing { .. } => {}
        });
    }

    /// Changes the times of the last spoken turn, and tells them.
    fn spoken(&mut self, change: impl FnOnce(&mut SpokenTurn)) {
        let Some(spoken) = &mut self.voice.spoken else { return };
        let before = *spoken;
        change(spoken);
        if *spoken != before {
            let spoken = *spoken;
            self.notify(Notice::Spoken(spoken));
        }
    }

    fn is_explicit(&self) -> bool {
        self.link.session().is_some_and(|session| session.terms().explicit_turns)
    }

    /// Tells the voice side, if it has changed. Without sound there is none.
    pub(super) fn tell_voice(&mut self) {
        let turn = self.link.session().and_then(Session::audio).map(|audio| audio.turn);
        let state = match self.voice.microphone {
            Microphone::Closed => MicrophoneState::Closed,
            Microphone::Opening { .. } => MicrophoneState::Opening,
            Microphone::Open { since, until, .. } => MicrophoneState::Open { since, until, turn },
            Microphone::Closing { .. } => MicrophoneState::Closing,
        };
        let view = self.voice.has_sound.then(|| VoiceView {
            microphone: self.settings.microphone.clone(),
            speaker: self.settings.speaker.clone(),
            explicit: self.is_explicit(),
            state,
        });
        if view != self.voice.told {
            self.voice.told.clone_from(&view);
            self.notify(Notice::Voice(view.map(Arc::new)));
        }
    }
}
