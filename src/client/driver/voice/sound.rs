//! The task of a session's sound: it looks at the microphone and feeds the speaker every few milliseconds, and tells how
//! loud both are and how the call does.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::listening::Listening;
use super::speaking::{Looked, Speaking};
use super::{Command, Events, Shared, VoiceSettings, failed};
use crate::client::driver::words;
use crate::client::event::{Event, Recorded};
use crate::client::voice::{Levels, Loudness, MediaStats};
use crate::device::audio::{AudioNote, Speaker};
use crate::media::level::Level;
use crate::transport::{CallFacts, SoundLine};
use crate::words::sentence;

/// How often microphone and speaker are looked at.
const TICK: Duration = Duration::from_millis(10);
/// How often levels are told, in ticks.
const LEVELS: u32 = 10;
/// How often the figures of the call are told, in ticks.
const FIGURES: u32 = 100;

/// Runs until the call is over or the session lets go of it.
pub(super) async fn run(
    line: SoundLine,
    speaker: Shared<Box<dyn Speaker>>,
    settings: VoiceSettings,
    mut commands: mpsc::UnboundedReceiver<Command>,
    events: Events,
    start: Instant,
) {
    let SoundLine { outgoing, mut incoming, facts } = line;
    let Some(speaking) = Speaking::new(outgoing, settings) else {
        let line = words::device("Sound is not to be had: the codec could not be set up.");
        let _engine_stopped = events.send(Event::Speaker(line)).await;
        return;
    };
    let listening = Listening::new(&speaker, start.elapsed());
    let rates = Rates { at: start.elapsed(), sent: 0, received: 0 };
    let mut sound = Sound { speaking, listening, speaker, settings, facts, events, start, rates, ticks: 0 };
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            biased;
            command = commands.recv() => match command {
                Some(command) => sound.command(command).await,
                None => return,
            },
            packet = incoming.recv() => match packet {
                Some(packet) => sound.listening.take(start.elapsed(), packet),
                None => return sound.mute(&mut commands).await,
            },
            _ = tick.tick() => sound.tick().await,
        }
    }
}

struct Sound {
    speaking: Speaking,
    listening: Listening,
    speaker: Shared<Box<dyn Speaker>>,
    settings: VoiceSettings,
    facts: watch::Receiver<CallFacts>,
    events: Events,
    start: Instant,
    rates: Rates,
    ticks: u32,
}

/// What was sent and received when rates were worked out last.
struct Rates {
    at: Duration,
    sent: u64,
    received: u64,
}

impl Sound {
    async fn tell(&mut self, event: Event) {
        let _engine_stopped = self.events.send(event).await;
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::Opened { id, armed, stream } => self.speaking.open(id, armed, stream),
            Command::Send(id) => self.speaking.send(id),
            Command::Close { id, flush, closed } => {
                self.speaking.close(self.start.elapsed(), id, flush).await;
                let at = self.start.elapsed();
                let _nobody_waits = closed.send(());
                self.tell(Event::MicrophoneClosed(id, Recorded { at })).await;
            }
        }
    }

    /// The call is over before the session says so: what is open closes, and nothing else is to be done.
    async fn mute(&mut self, commands: &mut mpsc::UnboundedReceiver<Command>) {
        while let Some(command) = commands.recv().await {
            if let Command::Close { .. } = command {
                self.command(command).await;
            }
        }
    }

    async fn tick(&mut self) {
        let now = self.start.elapsed();
        match self.speaking.look(now) {
            Looked::Goes => {}
            Looked::Ended(id) => self.tell(Event::MicrophoneEnded(id)).await,
            Looked::Failed(id, error) => {
                self.speaking.close(now, id, false).await;
                self.tell(Event::MicrophoneFailed(id, failed(&error))).await;
            }
        }
        let is_ducked = self.settings.duck && self.speaking.is_open();
        for heard in self.listening.play(now, is_ducked) {
            self.tell(Event::Heard(heard)).await;
        }
        if let Some(error) = self.listening.failure() {
            self.tell(Event::Speaker(failed(&error))).await;
        }
        self.listening.reopen(&self.speaker, now).await;
        for note in [self.speaking.note(), self.listening.note()].into_iter().flatten() {
            self.tell(Event::Speaker(said(&note))).await;
        }
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(LEVELS) {
            let microphone = self.speaking.level().map(loudness);
            let speaker = loudness(self.listening.level());
            self.tell(Event::Levels(Levels { at: now, microphone, speaker, ducked: is_ducked })).await;
        }
        if self.ticks.is_multiple_of(FIGURES) {
            let stats = self.stats(now);
            self.tell(Event::Media(Box::new(stats))).await;
        }
    }

    fn stats(&mut self, now: Duration) -> MediaStats {
        let facts = self.facts.borrow().clone();
        let elapsed = now.saturating_sub(self.rates.at).as_secs_f64().max(0.001);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "bits a second"
        )]
        let rate = |bytes: u64, before: u64| (bytes.saturating_sub(before) as f64 * 8.0 / elapsed) as u64;
        let (send_rate, receive_rate) =
            (rate(facts.sent_bytes, self.rates.sent), rate(facts.received_bytes, self.rates.received));
        self.rates = Rates { at: now, sent: facts.sent_bytes, received: facts.received_bytes };
        let played = self.listening.stats();
        MediaStats {
            at: now,
            pair: facts.pair,
            rtt: facts.rtt,
            sent: facts.sent_packets,
            sent_bytes: facts.sent_bytes,
            received: facts.received_packets,
            received_bytes: facts.received_bytes,
            send_rate,
            receive_rate,
            backlog: facts.backlog_bytes,
            max_message: facts.max_message,
            ..played
        }
    }
}

fn loudness(level: Level) -> Loudness {
    Loudness { rms_db: level.rms_db, hold_db: level.peak_hold_db, clipped: level.clipped }
}

/// What a device has to say while it goes on.
fn said(note: &AudioNote) -> crate::client::notice::Line {
    words::info(sentence(&note.to_string()), note.hint())
}
