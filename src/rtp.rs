//! One packet of sound on its way (RFC 3550), as far as this program looks at it, and arithmetic of its counters. Level 0.

use std::fmt;

use bytes::Bytes;

/// Samples a second of the RTP clock of Opus, whatever rate it was recorded at (RFC 7587, section 4.1).
pub const CLOCK: u32 = 48_000;
/// Samples of one packet of ours: 20 ms.
pub const FRAME: usize = 960;

/// A packet of sound. What was said in it cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SoundPacket {
    /// Counts packets, and wraps.
    pub sequence: u16,
    /// When its first sample was taken, in samples of [`CLOCK`] since an arbitrary beginning; it wraps.
    pub timestamp: u32,
    /// Whether it is the first after a pause (RFC 3551, section 4.1).
    pub marker: bool,
    /// One Opus packet (RFC 6716). Empty: nothing was sent, and that is no loss (DTX).
    pub payload: Bytes,
}

impl fmt::Debug for SoundPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sequence, timestamp, marker, payload } = self;
        write!(f, "[sound {sequence} at {timestamp}{}, ", if *marker { ", marked" } else { "" })?;
        write!(f, "{} bytes]", payload.len())
    }
}

/// How far `to` lies after `from`, by the shorter way round: negative where it lies before.
pub fn sequences_between(from: u16, to: u16) -> i32 {
    i32::from(to.wrapping_sub(from).cast_signed())
}

/// How many samples `to` lies after `from`, by the shorter way round: negative where it lies before.
pub fn samples_between(from: u32, to: u32) -> i32 {
    to.wrapping_sub(from).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_compared_by_the_shorter_way_round() {
        assert_eq!(sequences_between(65_535, 0), 1);
        assert_eq!(sequences_between(0, 65_535), -1);
        assert_eq!(sequences_between(10, 32_777), 32_767);
        assert_eq!(samples_between(u32::MAX - 959, 0), 960);
        assert_eq!(samples_between(960, 0), -960);
    }

    #[test]
    fn what_was_said_cannot_be_printed() {
        let packet = SoundPacket {
            sequence: 7,
            timestamp: 960,
            marker: true,
            payload: Bytes::from_static(b"spoken words"),
        };
        assert_eq!(format!("{packet:?}"), "[sound 7 at 960, marked, 12 bytes]");
    }
}
