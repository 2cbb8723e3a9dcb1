//! The reducer: pure, without I/O and clock. One event goes in with the time, effects come out.
//!
//! `connection` brings a session up and down, `devices` tells what happens at readers and cameras, `physical` collects and reviews, `records` turns frames into
//! what a face may see. All times are since the engine was started.

mod connection;
mod devices;
mod hindrance;
mod physical;
mod records;
mod speech;
mod voice;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use self::connection::Link;
use self::devices::Devices;
use self::physical::Physical;
use self::speech::Speech;
use self::voice::Voice;
use super::effect::Effect;
use super::event::Event;
use super::notice::{Connection, DeviceLine, Line, LineKind, Notice};
use super::request::Request;
use zeroize::Zeroizing;

use crate::protocol::{Dialect, Modalities};
use crate::redact::Scrubber;
use crate::session::{Ask, Phase, SessionView};

/// What the engine was told once, at its start.
#[derive(Clone, Debug)]
pub(crate) struct EngineSettings {
    /// The modalities that this client offers.
    pub offered: Modalities,
    /// Whether acks are sent (R16).
    pub acks: bool,
    /// The open names of the wire.
    pub dialect: Dialect,
    /// How long the agent may take to establish the session.
    pub start_within: Duration,
    /// How long a scan stays armed.
    pub scan_within: Duration,
    /// How long a capture stays armed.
    pub capture_within: Duration,
    /// The chosen reader, or what several are called together.
    pub reader: DeviceLine,
    /// Where plugging is watched: the names of the chosen readers, none for every one that is for tags.
    pub watched: Option<Vec<String>>,
    /// How long a microphone may stay open.
    pub talk_within: Duration,
    /// The chosen camera.
    pub camera: DeviceLine,
    /// The chosen microphone.
    pub microphone: DeviceLine,
    /// The chosen speaker.
    pub speaker: DeviceLine,
    /// Whether what the agent says is spoken, where the voice is the client's.
    pub speaks: bool,
    /// Where the card is, for the screen.
    pub target: String,
}

/// The engine.
#[derive(Debug)]
pub(crate) struct Engine {
    settings: EngineSettings,
    link: Link,
    physical: Physical,
    devices: Devices,
    voice: Voice,
    speech: Speech,
    scrubber: Scrubber,
    /// The end of the answer so far, while a secret could be under way in it.
    kept_back: Zeroizing<String>,
    /// The same for texts that go on from event to event and are no part of the answer.
    kept_aside: Zeroizing<String>,
    records: u64,
    /// Until when `session.established` must have come, while it has not.
    starting: Option<Duration>,
    /// Why an envelope that came while the session is starting was not acted on, the last one, and whether it was the
    /// answer to the start.
    refused_start: Option<(crate::protocol::Finding, bool)>,
    /// The last snapshot that the faces were told, so that they hear only of changes.
    told: Arc<SessionView>,
    /// `true` from [`Request::Quit`] on: the engine stops when the connection is gone, or at this time.
    quitting: Option<Duration>,
    effects: VecDeque<Effect>,
    /// The time of the event that is being handled.
    now: Duration,
}

/// How long a quitting engine waits for the agent's close.
const QUIT_PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// An engine without a connection, which has told its faces so. `scrubber` knows the token.
    pub fn new(mut settings: EngineSettings, scrubber: Scrubber) -> Self {
        let mut engine = Self {
            physical: Physical::new(),
            devices: Devices::with_camera(&mut settings.camera),
            voice: Voice::default(),
            speech: Speech::default(),
            now: Duration::ZERO,
            settings,
            link: Link::Idle,
            scrubber,
            kept_back: Zeroizing::default(),
            kept_aside: Zeroizing::default(),
            records: 0,
            starting: None,
            refused_start: None,
            told: Arc::default(),
            quitting: None,
            effects: VecDeque::new(),
        };
        engine.notify(Notice::Connection(Connection::Idle));
        engine.tell_physical();
        engine
    }

    /// Takes one event. Drain [`Engine::poll`] afterwards.
    pub fn handle(&mut self, now: Duration, event: Event) {
        self.now = now;
        match event {
            Event::Request(request) => self.request(now, request),
            Event::Tick => self.tick(now),
            Event::Card(attempt, result) => self.card(now, attempt, result),
            Event::Dialled(attempt, result) => self.dialled(now, attempt, result),
            Event::Frame(attempt, frame) => self.frame(now, attempt, frame),
            Event::Said(attempt, said) => self.said(now, attempt, said),
            Event::Gone(attempt, gone) => self.gone(now, attempt, &gone),
            Event::Happened(id, at, event) => self.reader_happened(id, at, event),
            Event::Readers(readers) => self.readers_changed(now, readers),
            Event::Devices(report) => self.devices_listed(report),
            Event::Aiming(id, name) => self.aiming(id, name),
            Event::Preview(id, preview) => self.preview(id, preview),
            Event::CameraFailed(id, error) => self.camera_failed(now, id, &error),
            Event::Closed(id) => self.camera_closed(now, id),
            Event::Collected(id, result) => self.collected(now, id, result),
            Event::MicrophoneOpen(id) => self.microphone_open(now, id),
            Event::MicrophoneEnded(id) => self.microphone_ended(now, id),
            Event::MicrophoneFailed(id, why) => self.microphone_failed(now, id, why),
            Event::MicrophoneClosed(id, recorded) => self.microphone_closed(now, id, recorded),
            Event::Heard(heard) => self.agent_heard(heard),
            Event::Levels(levels) => self.notify(Notice::Levels(levels)),
            Event::Media(stats) => self.notify(Notice::Media(Arc::new(*stats))),
            Event::Speaker(said) => {
                let said = Line { at: now, ..self.scrubbed_line(said) };
                self.notify(Notice::Info(said));
            }
            Event::Spoke(number, result) => self.spoke(now, number, result),
            Event::Passport(id, result) => self.passport(now, id, result),
            Event::Placed(result) => self.placed(now, result),
        }
        self.tell_session();
    }

    /// The next thing to be done.
    pub fn poll(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When [`Event::Tick`] is due.
    pub fn next_deadline(&self) -> Option<Duration> {
        let session = self.link.session().and_then(crate::session::Session::next_deadline);
        session
            .into_iter()
            .chain(self.physical.deadline())
            .chain(self.voice.deadline())
            .chain(self.starting)
            .chain(self.quitting)
            .min()
    }

    fn tick(&mut self, now: Duration) {
        self.session_input(now, crate::session::Input::Tick);
        self.physical_tick(now);
        self.voice_tick(now);
        self.start_tick(now);
        if self.quitting.is_some_and(|at| now >= at) {
            self.effects.push_back(Effect::DropLink);
            self.stop();
        }
    }

    fn request(&mut self, now: Duration, request: Request) {
        match request {
            Request::Connect => self.connect(now),
            Request::Reconnect => self.reconnect(now),
            Request::Disconnect => self.disconnect(now),
            Request::Say(text) => self.ask(now, Ask::Say(text)),
            Request::Talk(talk) => self.talk(now, talk),
            Request::TalkDone => self.talk_done(now),
            // What the user sees to be cancelled is the open microphone.
            Request::Cancel if self.is_talking() => self.talk_dropped(now),
            Request::TalkDropped => self.talk_dropped(now),
            Request::Cancel => {
                // Where only the speech is left, the agent has nothing to cancel.
                if !self.stop_speaking() || self.has_to_cancel() {
                    self.ask(now, Ask::Cancel);
                }
            }
            Request::StopSpeaking => {
                self.stop_speaking();
            }
            Request::End => {
                self.hush();
                self.stop_speaking();
                self.ask(now, Ask::End);
            }
            Request::DropHeld => self.ask(now, Ask::DropHeld),
            Request::Deliberate(text) => self.ask(now, Ask::Deliberate(text)),
            Request::ArmScan(aim) => self.arm_scan(now, aim),
            Request::ArmCapture(aim) => self.arm_capture(now, aim),
            Request::Disarm => self.disarm(),
            Request::Shutter => self.shutter(now),
            Request::PlaceTag(spec) => self.effects.push_back(Effect::Place(spec)),
            Request::AddOther => self.add_other(now),
            Request::NextIntent => self.next_intent(now),
            Request::Orient(orient) => self.orient(now, orient),
            Request::Insist => self.insist(now),
            Request::AttachPassport(path) => self.attach_passport(now, path),
            Request::SendReviewed => self.send_reviewed(now),
            Request::DropReviewed => self.drop_reviewed(now),
            Request::Observe(observe) => self.observe(now, observe),
            Request::ListDevices => self.effects.push_back(Effect::ListDevices),
            Request::EndDevices => self.effects.push_back(Effect::EndList),
            Request::Foreground(front) => self.foreground(now, front),
            Request::Quit => self.quit(now),
        }
    }

    fn quit(&mut self, now: Duration) {
        self.disarm();
        self.hush();
        self.stop_speaking();
        if self.link.session().is_none() {
            self.effects.push_back(Effect::DropLink);
            return self.stop();
        }
        self.quitting = Some(now + QUIT_PATIENCE);
        // A session that has ended only waits for the agent's close.
        if self.link.session().is_some_and(|session| session.phase() != Phase::Ended) {
            self.ask(now, Ask::End);
        }
    }

    fn stop(&mut self) {
        self.quitting = None;
        self.notify(Notice::Stopped);
        self.effects.push_back(Effect::Stop);
    }

    // ── telling the faces ──

    fn notify(&mut self, notice: Notice) {
        self.effects.push_back(Effect::Notify(notice));
    }

    fn refuse(&mut self, at: Duration, kind: LineKind, text: impl Into<String>, hint: Option<&str>) {
        self.notify(Notice::Refused(line(at, kind, text, hint)));
    }

    fn tell_session(&mut self) {
        if self.link.session().is_some_and(|session| session.still_looks_like(&self.told)) {
            return;
        }
        let view = self.link.session().map_or_else(SessionView::default, crate::session::Session::view);
        let view = self.scrubbed_view(view);
        if view != *self.told {
            self.told = Arc::new(view);
            self.notify(Notice::Session(Arc::clone(&self.told)));
        }
    }
}

/// A line for a face.
pub(crate) fn line(at: Duration, kind: LineKind, text: impl Into<String>, hint: Option<&str>) -> Line {
    Line { at, kind, text: text.into(), hint: hint.map(str::to_owned) }
}
