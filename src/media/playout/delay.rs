//! How long packets wait: as long as nearly all of the last ones were late, and no longer.

use std::collections::VecDeque;
use std::time::Duration;

use crate::media::{RATE, samples_of};

/// The resolution of lateness: 5 ms.
const BIN: i64 = samples_of(5) as i64;
/// Bins: up to 400 ms.
const BINS: usize = 80;
/// What the newest packet weighs among all: the last four seconds count.
const NEWEST: f32 = 0.005;
/// This part of all packets is to be in time; the others are few, and are made up for.
const IN_TIME: f32 = 0.97;
/// What is expected before anything is known: 20 ms.
const AT_FIRST: usize = 4;
/// What is wanted at least, in bins: 15 ms, so that a loop that is a little late finds sound.
const LEAST: u32 = 3;
/// How long the fastest packet counts as the measure of the others: the clocks drift apart meanwhile.
const FASTEST_FOR: Duration = Duration::from_secs(5);
/// How often another fastest packet is looked for.
const FASTEST_EACH: Duration = Duration::from_secs(1);

/// Times of arrival against timestamps, in samples.
#[derive(Debug)]
pub(super) struct Delay {
    /// The fastest packet of each second, as arrival less timestamp: the oldest first.
    fastest: VecDeque<(Duration, i64)>,
    lateness: [f32; BINS],
    /// RFC 3550, section 6.4.1, in samples.
    jitter: f64,
    last: Option<i64>,
}

impl Default for Delay {
    fn default() -> Self {
        let mut lateness = [0.0; BINS];
        lateness[AT_FIRST - 1] = 1.0;
        Self { fastest: VecDeque::new(), lateness, jitter: 0.0, last: None }
    }
}

impl Delay {
    /// A packet of this timestamp came.
    pub fn add(&mut self, now: Duration, at: i64) {
        let transit = samples(now) - at;
        match self.fastest.back_mut() {
            Some((since, fastest)) if now < *since + FASTEST_EACH => *fastest = (*fastest).min(transit),
            _ => self.fastest.push_back((now, transit)),
        }
        while self.fastest.front().is_some_and(|(since, _)| now > *since + FASTEST_FOR) {
            self.fastest.pop_front();
        }
        let late = (transit - self.base()).max(0) / BIN;
        let bin = usize::try_from(late).unwrap_or(BINS).min(BINS - 1);
        for (at, weight) in self.lateness.iter_mut().enumerate() {
            *weight = *weight * (1.0 - NEWEST) + if at == bin { NEWEST } else { 0.0 };
        }
        if let Some(last) = self.last.replace(transit) {
            #[allow(clippy::cast_precision_loss, reason = "a difference of arrival")]
            let difference = (transit - last).abs() as f64;
            self.jitter += (difference - self.jitter) / 16.0;
        }
    }

    /// Another stream begins: its timestamps have nothing to do with those so far.
    pub fn restart(&mut self) {
        self.fastest.clear();
        self.last = None;
    }

    /// Arrival less timestamp of the fastest packet lately.
    fn base(&self) -> i64 {
        self.fastest.iter().map(|(_, fastest)| *fastest).min().unwrap_or(0)
    }

    /// How long the fastest packet should wait.
    pub fn wanted(&self) -> Duration {
        let mut mass = 0.0;
        let bin = self.lateness.iter().position(|weight| {
            mass += weight;
            mass >= IN_TIME
        });
        let bins = u32::try_from(bin.unwrap_or(BINS - 1) + 1).unwrap_or(0).max(LEAST);
        Duration::from_millis(5) * bins
    }

    /// When a sample of this timestamp should be played.
    pub fn due(&self, at: i64) -> Duration {
        let samples = u64::try_from((self.base() + at).max(0)).unwrap_or(0);
        Duration::from_micros(samples * 1_000 / u64::from(RATE / 1_000)) + self.wanted()
    }

    /// How many samples later than the fastest packets allow a sample of this timestamp is played now.
    pub fn behind(&self, now: Duration, at: i64) -> i64 {
        samples(now) - self.base() - at
    }

    /// The jitter of RFC 3550.
    pub fn jitter(&self) -> Duration {
        Duration::try_from_secs_f64(self.jitter / f64::from(RATE)).unwrap_or_default()
    }
}

fn samples(time: Duration) -> i64 {
    i64::try_from(time.as_micros() * u128::from(RATE) / 1_000_000).unwrap_or(i64::MAX)
}
