//! Sequence number, timestamp and marker of each packet that is sent (RFC 3550, sections 5.1 and 8; RFC 7587, section
//! 4.1). The timestamp tells when sound was taken, so that it goes on counting while nothing is sent.

use std::time::Duration;

use crate::rtp::CLOCK;

/// A gap between two packets that is longer than this, beyond the sound of the first, was a pause. Less is the unevenness
/// of a loop that hands packets on: microphones give sound in blocks.
pub const PAUSE: Duration = Duration::from_millis(200);
/// Gaps are counted in steps of 2.5 ms, the shortest sound of Opus.
const STEP: u32 = 120;

/// What one packet is stamped with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Counts packets, and wraps.
    pub sequence: u16,
    /// When its first sample was taken, in samples of 48 kHz since an arbitrary beginning; it wraps.
    pub timestamp: u32,
    /// Whether it is the first after a pause, or the first of all (RFC 3551, section 4.1).
    pub marker: bool,
}

/// Stamps packets of one stream.
#[derive(Debug)]
pub struct Timeline {
    sequence: u16,
    timestamp: u32,
    /// When the last packet was stamped, and its samples. Nothing before the first.
    last: Option<(Duration, u32)>,
    paused: bool,
}

impl Timeline {
    /// A stream that begins at these two, which should be random (RFC 3550, section 5.1): whoever starts it draws them.
    pub const fn new(sequence: u16, timestamp: u32) -> Self {
        Self { sequence, timestamp, last: None, paused: true }
    }

    /// The stamp of the next packet, of so many samples, that is ready at `now` (since any start, never going back).
    ///
    /// A packet follows the one before without a gap, however unevenly they become ready, except after [`Self::pause`] or
    /// after more than [`PAUSE`] without one: then the timestamp advances by the time that really passed.
    pub fn next(&mut self, now: Duration, samples: usize) -> Stamp {
        if let Some((at, length)) = self.last {
            let silent = now.saturating_sub(at).saturating_sub(time_of(samples_u32(samples)));
            self.paused |= silent > PAUSE;
            let gap = if self.paused { in_samples(silent) } else { 0 };
            self.timestamp = self.timestamp.wrapping_add(length).wrapping_add(gap);
            self.sequence = self.sequence.wrapping_add(1);
        }
        let marker = std::mem::take(&mut self.paused);
        self.last = Some((now, samples_u32(samples)));
        Stamp { sequence: self.sequence, timestamp: self.timestamp, marker }
    }

    /// Sending stops here on purpose: the next packet is the first after a pause, however short.
    pub const fn pause(&mut self) {
        self.paused = true;
    }

    /// So many samples are not sent, because they are silence (DTX): the timestamp passes over them, and the next packet
    /// is marked.
    pub fn skip(&mut self, now: Duration, samples: usize) {
        if let Some((at, length)) = &mut self.last {
            *at = now.max(*at);
            *length = length.wrapping_add(samples_u32(samples));
            self.paused = true;
        }
    }
}

fn samples_u32(samples: usize) -> u32 {
    u32::try_from(samples).unwrap_or(u32::MAX)
}

fn time_of(samples: u32) -> Duration {
    Duration::from_secs(1) * samples / CLOCK
}

/// A time in samples, in whole steps; what is longer than the counter wraps, as the counter does.
fn in_samples(time: Duration) -> u32 {
    let steps = time.as_nanos() * u128::from(CLOCK / STEP) / 1_000_000_000;
    u32::try_from(steps * u128::from(STEP) % (1 << 32)).unwrap_or(0)
}
