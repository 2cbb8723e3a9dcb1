//! What is heard: packets as they come from the network, to sound at the pace of the speaker.
//!
//! A packet waits until its time has come: the delay is as long as packets have been late lately, and no longer
//! (`delay`). A lost one is recovered from the copy in the next, or made up for, for a while. The speaker's clock is not
//! the sender's: what waits grows or shrinks, and is brought back by taking out or putting in single pitch periods
//! (`stretch`), which is also how a changed delay is reached. Time goes in as a [`Duration`] since any start.

mod delay;
mod stretch;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;

use self::delay::Delay;
use super::opus::{Decoder, OpusError};
use super::{RATE, samples_of};
use crate::rtp::{FRAME, SoundPacket, samples_between, sequences_between};

/// Most packets that wait: five seconds of the usual ones. More is a peer that floods us.
const MOST_PACKETS: usize = 250;
/// A step of the timestamp that is larger than this, either way, is another stream: 5 s.
const ANOTHER: i64 = 5 * RATE as i64;
/// How long something is made up for what is missing; then there is silence (about five packets).
const MADE_UP: usize = samples_of(100);
/// How much earlier or later than wanted sound may be played before something is done about it. Early is what runs dry.
const TOO_EARLY: i64 = samples_of(5) as i64;
const TOO_LATE: i64 = samples_of(10) as i64;
/// How much sound lies between two changes of its pace: what is left alone stays as it was spoken.
const STRETCH_EVERY: usize = samples_of(60);
/// How much may wait that was decoded: what a stretch looks at.
const LOOKED_AT: usize = samples_of(40);

/// What was heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The sequence of the packet that was decoded last, if one was decoded for this.
    pub newest: Option<u16>,
}

/// Counts since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayoutStats {
    /// Packets that came.
    pub packets: u64,
    /// Packets whose time came and that did not.
    pub lost: u64,
    /// Of them, those recovered from the next.
    pub recovered: u64,
    /// Packets that came after their time.
    pub late: u64,
    /// Packets that came twice.
    pub duplicates: u64,
    /// Packets that came before one that was sent earlier.
    pub reordered: u64,
    /// Packets that could not be decoded.
    pub damaged: u64,
    /// Sound that was made up.
    pub concealed: Duration,
    /// How often nothing was there while the agent was speaking.
    pub underruns: u64,
    /// How much waits.
    pub depth: Duration,
    /// How much should wait.
    pub target: Duration,
    /// How unevenly packets come (RFC 3550, section 6.4.1).
    pub jitter: Duration,
}

/// Where the stream stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody speaks.
    Silent,
    /// The first packet of a talk has come; it is played at this time.
    Filling { at: Duration },
    /// The next sample has this timestamp.
    Playing { next: i64 },
}

struct Waiting {
    sequence: u16,
    payload: Bytes,
}

/// A jitter buffer with its decoder, for one stream.
pub struct Playout {
    decoder: Option<Decoder>,
    waiting: BTreeMap<i64, Waiting>,
    state: State,
    delay: Delay,
    /// Decoded and not yet played.
    ready: VecDeque<f32>,
    /// The last timestamp that came, as it came and unwrapped.
    last: Option<(u32, i64)>,
    /// The highest sequence that came.
    highest: Option<u16>,
    /// The sequence that was played last.
    played: Option<u16>,
    /// Samples made up since something real was played.
    made_up: usize,
    /// Samples of a packet of this stream.
    length: usize,
    /// Samples played since the pace was changed last.
    since_stretch: usize,
    /// Where nothing was there any more, until it is known why.
    starved: Option<i64>,
    /// Sound made up there; it counts if it was no end.
    bridged: Duration,
    stats: PlayoutStats,
}

impl Default for Playout {
    fn default() -> Self {
        Self::new()
    }
}

impl Playout {
    /// A stream of which nothing has come.
    pub fn new() -> Self {
        Self {
            // Without memory for a decoder there is silence, and the rest goes on.
            decoder: Decoder::new().ok(),
            waiting: BTreeMap::new(),
            state: State::Silent,
            delay: Delay::default(),
            ready: VecDeque::with_capacity(2 * LOOKED_AT),
            last: None,
            highest: None,
            played: None,
            made_up: 0,
            length: FRAME,
            since_stretch: 0,
            starved: None,
            bridged: Duration::ZERO,
            stats: PlayoutStats::default(),
        }
    }

    /// A packet came.
    pub fn insert(&mut self, now: Duration, packet: SoundPacket) {
        self.stats.packets += 1;
        let SoundPacket { sequence, timestamp, payload, .. } = packet;
        let at = self.unwrapped(timestamp);
        self.restart_at(at);
        self.last = Some((timestamp, at));
        match self.highest {
            Some(highest) if sequences_between(highest, sequence) <= 0 => self.stats.reordered += 1,
            _ => self.highest = Some(sequence),
        }
        if payload.len() <= 1 {
            // Silence by DTX. It says that nothing is missing, and the next packet's timestamp says how long it is.
            return;
        }
        let Some(samples) = Decoder::samples_in(&payload) else {
            self.stats.damaged += 1;
            return;
        };
        self.length = samples;
        // What follows without a gap where nothing was there should have been there: it was no end.
        if let Some(starved) = self.starved.take_if(|starved| at >= *starved) {
            if at == starved {
                self.stats.underruns += 1;
                self.stats.concealed += self.bridged;
            }
            self.bridged = Duration::ZERO;
        }
        self.delay.add(now, at);
        if let State::Playing { next } = self.state
            && at < next
        {
            self.stats.late += 1;
            return;
        }
        if self.waiting.insert(at, Waiting { sequence, payload }).is_some() {
            self.stats.duplicates += 1;
            self.stats.reordered = self.stats.reordered.saturating_sub(1);
        }
        while self.waiting.len() > MOST_PACKETS {
            self.waiting.pop_first();
        }
        if self.state == State::Silent {
            self.state = State::Filling { at: self.delay.due(at) };
        }
    }

    /// The timestamp without wrap-around.
    fn unwrapped(&self, timestamp: u32) -> i64 {
        match self.last {
            Some((before, at)) => at + i64::from(samples_between(before, timestamp)),
            None => i64::from(timestamp),
        }
    }

    /// A step that no pause and no reordering explains is another stream: what waits of the old one is gone.
    fn restart_at(&mut self, at: i64) {
        let reference = match self.state {
            State::Playing { next } => Some(next),
            State::Filling { .. } => self.waiting.keys().next().copied(),
            State::Silent => None,
        };
        if reference.is_some_and(|reference| (at - reference).abs() > ANOTHER) {
            self.waiting.clear();
            self.state = State::Silent;
            self.delay.restart();
            self.played = None;
            self.highest = None;
        }
    }

    /// Makes the next sound for the speaker: `out` is filled, with silence where there is nothing.
    pub fn render(&mut self, now: Duration, out: &mut [f32]) -> Rendered {
        let mut rendered = Rendered::default();
        if let State::Filling { at } = self.state
            && now >= at
            && let Some(next) = self.waiting.keys().next().copied()
        {
            self.state = State::Playing { next };
        }
        while self.ready.len() < out.len() && matches!(self.state, State::Playing { .. }) {
            rendered.newest = self.decode_next().or(rendered.newest);
        }
        self.keep_pace(now, out.len());
        let there = self.ready.len().min(out.len());
        for (to, sample) in out.iter_mut().zip(self.ready.drain(..there)) {
            *to = sample;
        }
        out[there..].fill(0.0);
        rendered
    }

    /// Decodes one packet, or makes up for one; the sequence, if it was a packet.
    fn decode_next(&mut self) -> Option<u16> {
        let State::Playing { next } = self.state else { return None };
        let Some(entry) = self.waiting.first_entry() else {
            self.nothing_there(next);
            return None;
        };
        if *entry.key() > next {
            let missing = usize::try_from(*entry.key() - next).unwrap_or(usize::MAX);
            self.gap(next, missing);
            return None;
        }
        let Waiting { sequence, payload } = entry.remove();
        self.played = Some(sequence);
        match self.decoder.as_mut().map(|decoder| decoder.decode(&payload)) {
            Some(Ok(samples)) => {
                let samples = samples.to_vec();
                self.state = State::Playing { next: next + samples.len() as i64 };
                self.made_up = 0;
                self.append(&samples);
            }
            Some(Err(_)) | None => {
                self.stats.damaged += 1;
                self.conceal(next, self.length);
            }
        }
        Some(sequence)
    }

    /// Before the next packet that is there something is missing: a loss, or a silence that was not sent.
    fn gap(&mut self, next: i64, missing: usize) {
        let follower = self.waiting.first_key_value().map(|(_, waiting)| waiting.sequence);
        let between = match (self.played, follower) {
            (Some(played), Some(follower)) => sequences_between(played, follower) - 1,
            _ => 0,
        };
        if between <= 0 {
            // No packet is missing: nothing was sent for that long. A long pause is a talk of its own.
            if missing > samples_of(200) {
                self.state = State::Silent;
                self.fill_anew();
                return;
            }
            let silence = missing.min(self.length);
            self.ready.extend(std::iter::repeat_n(0.0, silence));
            self.state = State::Playing { next: next + silence as i64 };
            return;
        }
        self.stats.lost += 1;
        let step = missing.min(self.length);
        // The copy in the next packet is of the one right before it.
        if missing <= self.length
            && let Some(samples) = self.recovered(step)
        {
            self.stats.recovered += 1;
            self.made_up = 0;
            self.state = State::Playing { next: next + step as i64 };
            self.append(&samples);
        } else {
            self.conceal(next, step);
        }
        self.played = self.played.map(|played| played.wrapping_add(1));
    }

    fn recovered(&mut self, missing: usize) -> Option<Vec<f32>> {
        let payload = self.waiting.first_key_value().map(|(_, waiting)| waiting.payload.clone())?;
        let samples = self.decoder.as_mut()?.recover(&payload, missing).ok()?;
        Some(samples[..missing.min(samples.len())].to_vec())
    }

    /// Nothing waits: the agent has stopped, or the network has. Something is made up for a while, then there is silence.
    fn nothing_there(&mut self, next: i64) {
        self.starved = Some(next);
        if self.made_up >= MADE_UP {
            self.state = State::Silent;
            self.made_up = 0;
            return;
        }
        // The place in the stream stays: what comes a little late is still played.
        self.make_up(samples_of(10));
        self.bridged += time_of(samples_of(10));
    }

    fn conceal(&mut self, next: i64, missing: usize) {
        self.make_up(missing);
        self.stats.concealed += time_of(missing);
        self.state = State::Playing { next: next + missing as i64 };
    }

    fn make_up(&mut self, missing: usize) {
        let made: Result<Vec<f32>, OpusError> = match &mut self.decoder {
            Some(decoder) if self.made_up < MADE_UP => decoder.conceal(missing).map(<[f32]>::to_vec),
            _ => Ok(vec![0.0; missing]),
        };
        let mut samples = made.unwrap_or_default();
        samples.resize(missing, 0.0);
        self.made_up += missing;
        self.append(&samples);
    }

    fn append(&mut self, samples: &[f32]) {
        self.ready.extend(samples);
    }

    /// After a pause what comes next waits as long as is wanted, as at the beginning.
    fn fill_anew(&mut self) {
        if let Some(at) = self.waiting.keys().next() {
            let at = self.delay.due(*at);
            self.state = State::Filling { at };
        }
    }

    /// Takes out or puts in a pitch period where what is played is much later or earlier than it should be.
    fn keep_pace(&mut self, now: Duration, needed: usize) {
        self.since_stretch += needed;
        let State::Playing { next } = self.state else { return };
        if self.made_up > 0 || self.since_stretch < STRETCH_EVERY {
            return;
        }
        let behind = self.delay.behind(now, next - self.ready.len() as i64);
        let wanted = samples_in(self.delay.wanted());
        if (wanted - TOO_EARLY..=wanted + TOO_LATE).contains(&behind) {
            return;
        }
        // As much is decoded as the search looks at.
        while self.ready.len() < LOOKED_AT && self.has_next() {
            let _sequence = self.decode_next();
        }
        let changed = if behind > wanted {
            stretch::shorten(&mut self.ready)
        } else {
            stretch::lengthen(&mut self.ready)
        };
        if changed > 0 {
            self.since_stretch = 0;
        }
    }

    fn has_next(&self) -> bool {
        match self.state {
            State::Playing { next } => self.waiting.first_key_value().is_some_and(|(at, _)| *at <= next),
            _ => false,
        }
    }

    /// How much waits between what is played next and the end of what has come.
    fn depth_samples(&self) -> usize {
        let end = self.waiting.last_key_value().map(|(at, _)| *at + self.length as i64);
        let undecoded = match (self.state, end) {
            (State::Playing { next }, Some(end)) => usize::try_from(end - next).unwrap_or(0),
            _ => 0,
        };
        self.ready.len() + undecoded
    }

    /// Counts so far, and how much waits.
    pub fn stats(&self) -> PlayoutStats {
        let (target, jitter) = (self.delay.wanted(), self.delay.jitter());
        PlayoutStats { depth: time_of(self.depth_samples()), target, jitter, ..self.stats }
    }
}

fn time_of(samples: usize) -> Duration {
    Duration::from_secs(1) * u32::try_from(samples).unwrap_or(u32::MAX) / RATE
}

fn samples_in(time: Duration) -> i64 {
    i64::try_from(time.as_micros() * u128::from(RATE) / 1_000_000).unwrap_or(i64::MAX)
}
