//! The way in: packets of the agent's sound, to the speaker.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::Shared;
use crate::client::event::Heard;
use crate::client::voice::MediaStats;
use crate::device::audio::{AudioError, AudioNote, Speaker, SpeakerStream};
use crate::media::level::{Level, Meter, decibels};
use crate::media::playout::Playout;
use crate::rtp::{CLOCK, SoundPacket};

/// What is made at a time: 10 ms.
const STEP: usize = 480;
/// How much waits beyond the device's own delay: 30 ms, so that it does not run dry while nobody looks for 20.
const AHEAD: usize = 1_440;
/// From this on sound can be heard, in dBFS of its mean square.
const AUDIBLE_DB: f32 = -50.0;
/// How long it is silent before what comes next is the first again.
const SILENT_FOR: Duration = Duration::from_millis(300);
/// How long to wait before a speaker that failed is tried again.
const TRIED_EVERY: Duration = Duration::from_secs(5);

type Opened = Result<Box<dyn SpeakerStream>, AudioError>;

/// The way in of one session.
pub(super) struct Listening {
    playout: Playout,
    speaker: Output,
    /// A failure that was not told yet.
    failure: Option<AudioError>,
    meter: Meter,
    /// When each of the last packets came that were not played yet.
    came: VecDeque<(u16, Duration)>,
    /// When something was made last that can be heard.
    audible: Option<Duration>,
    /// How far sound was made while no speaker was open: the agent goes on speaking, and its level is seen.
    made_until: Duration,
}

enum Output {
    Opening(JoinHandle<Opened>),
    Open(Box<dyn SpeakerStream>),
    Closed { again_at: Duration },
}

/// How many packets are remembered: five seconds of them.
const REMEMBERED: usize = 256;

impl Listening {
    /// A way in, whose speaker is being opened.
    pub fn new(speaker: &Shared<Box<dyn Speaker>>, now: Duration) -> Self {
        Self {
            playout: Playout::new(),
            speaker: Output::Opening(opening(speaker)),
            failure: None,
            meter: Meter::new(),
            came: VecDeque::with_capacity(REMEMBERED),
            audible: None,
            made_until: now,
        }
    }

    /// A packet came.
    pub fn take(&mut self, now: Duration, packet: SoundPacket) {
        if self.came.len() == REMEMBERED {
            self.came.pop_front();
        }
        self.came.push_back((packet.sequence, now));
        self.playout.insert(now, packet);
    }

    /// Makes as much sound as the speaker wants by now, silent where `ducked`; what of it is news for latency.
    pub fn play(&mut self, now: Duration, ducked: bool) -> Vec<Heard> {
        let mut news = Vec::new();
        let mut samples = [0.0; STEP];
        loop {
            let ahead = match &self.speaker {
                Output::Open(stream) if stream.queued() >= stream.delay() + AHEAD || stream.room() < STEP => {
                    break;
                }
                Output::Open(stream) => time_of(stream.queued()),
                Output::Opening(_) | Output::Closed { .. } if self.made_until > now => break,
                Output::Opening(_) | Output::Closed { .. } => Duration::ZERO,
            };
            let rendered = self.playout.render(now, &mut samples);
            self.meter.add(&samples);
            let newest = rendered.newest.and_then(|sequence| self.arrival(sequence));
            news.extend(self.news(now, newest, decibels(rms(&samples)), ahead));
            if ducked {
                samples.fill(0.0);
            }
            self.put(now, &samples);
        }
        news
    }

    fn put(&mut self, now: Duration, samples: &[f32]) {
        match &mut self.speaker {
            Output::Open(stream) => {
                if let Err(error) = stream.put(samples) {
                    self.failure = Some(error);
                    self.speaker = Output::Closed { again_at: now + TRIED_EVERY };
                    self.made_until = now;
                }
            }
            Output::Opening(_) | Output::Closed { .. } => self.made_until += time_of(STEP),
        }
    }

    /// When the packet came that is being played.
    fn arrival(&mut self, sequence: u16) -> Option<Duration> {
        let at = self.came.iter().position(|(came, _)| *came == sequence)?;
        self.came.drain(..at);
        self.came.front().map(|(_, at)| *at)
    }

    /// The first sound after a silence: when its packet came, and when its playing begins.
    fn news(&mut self, now: Duration, came: Option<Duration>, level: f32, ahead: Duration) -> Vec<Heard> {
        if level < AUDIBLE_DB {
            return Vec::new();
        }
        let is_first = self.audible.is_none_or(|last| now.saturating_sub(last) > SILENT_FOR);
        self.audible = Some(now);
        let Some(came) = came.filter(|_| is_first) else { return Vec::new() };
        vec![Heard::Audible { at: came }, Heard::Playing { at: now + ahead }]
    }

    /// How loud what comes is, whether or not it is played.
    pub fn level(&self) -> Level {
        self.meter.read()
    }

    /// A failure of the speaker, once.
    pub fn failure(&mut self) -> Option<AudioError> {
        self.failure.take()
    }

    /// What the user should know of the speaker.
    pub fn note(&mut self) -> Option<AudioNote> {
        match &mut self.speaker {
            Output::Open(stream) => stream.note(),
            Output::Opening(_) | Output::Closed { .. } => None,
        }
    }

    /// Takes a speaker that has opened, and tries again one that failed.
    pub async fn reopen(&mut self, speaker: &Shared<Box<dyn Speaker>>, now: Duration) {
        match &mut self.speaker {
            Output::Opening(opening) if opening.is_finished() => {
                self.speaker = match opening.await {
                    Ok(Ok(stream)) => Output::Open(stream),
                    Ok(Err(error)) => {
                        self.failure = Some(error);
                        Output::Closed { again_at: now + TRIED_EVERY }
                    }
                    Err(_) => Output::Closed { again_at: now + TRIED_EVERY },
                };
                self.made_until = now;
            }
            Output::Closed { again_at } if now >= *again_at => {
                self.speaker = Output::Opening(opening(speaker));
            }
            Output::Opening(_) | Output::Open(_) | Output::Closed { .. } => {}
        }
    }

    /// What is known of the playing.
    pub fn stats(&self) -> MediaStats {
        let stats = self.playout.stats();
        MediaStats {
            lost: stats.lost,
            late: stats.late,
            jitter: Some(stats.jitter),
            depth: stats.depth,
            target: stats.target,
            concealed: stats.concealed,
            underruns: stats.underruns,
            ..MediaStats::default()
        }
    }
}

fn opening(speaker: &Shared<Box<dyn Speaker>>) -> JoinHandle<Opened> {
    let speaker = Shared::clone(speaker);
    tokio::spawn(async move { speaker.lock().await.open().await })
}

fn time_of(samples: usize) -> Duration {
    Duration::from_secs(1) * u32::try_from(samples).unwrap_or(u32::MAX) / CLOCK
}

fn rms(samples: &[f32; STEP]) -> f32 {
    let squares: f32 = samples.iter().map(|sample| sample * sample).sum();
    (squares / 480.0).sqrt()
}
