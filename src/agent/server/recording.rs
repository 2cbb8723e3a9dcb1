//! What was said in an audio turn: the packets as they came, in memory, for as long as they are needed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::agent::brain::Heard;
use crate::media::level::FLOOR_DB;
use crate::media::opus::Decoder;
use crate::rtp::{CLOCK, SoundPacket, samples_between};

/// The longest recording; what comes later in a turn is not kept.
pub(super) const LONGEST: Duration = Duration::from_secs(60);
/// Most packets that are kept: those of 60 s at 20 ms each, and as many again for smaller ones.
const MOST: usize = 6_000;

/// The packets of one turn, in the order in which they were spoken. They cannot be printed.
#[derive(Default)]
pub(super) struct Recording {
    first: Option<u32>,
    /// By samples since the first; one that comes twice is kept once.
    packets: BTreeMap<i32, SoundPacket>,
}

impl Recording {
    /// Keeps one packet, unless the recording is long enough.
    pub fn keep(&mut self, packet: SoundPacket) {
        let first = *self.first.get_or_insert(packet.timestamp);
        let at = samples_between(first, packet.timestamp);
        let longest = i32::try_from(LONGEST.as_secs() * u64::from(CLOCK)).unwrap_or(i32::MAX);
        if at.abs() < longest && self.packets.len() < MOST {
            self.packets.insert(at, packet);
        }
    }

    /// How long and how loud it is.
    pub fn heard(&self) -> Heard {
        let mut decoder = Decoder::new().ok();
        let (mut samples, mut squares) = (0_u64, 0.0_f64);
        let mut last = 0;
        for packet in self.packets.values() {
            let Some(Ok(pcm)) = decoder.as_mut().map(|decoder| decoder.decode(&packet.payload)) else {
                continue;
            };
            last = pcm.len();
            samples += last as u64;
            squares += pcm.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>();
        }
        let span = match (self.packets.first_key_value(), self.packets.last_key_value()) {
            (Some((first, _)), Some((end, _))) => u64::from((end - first).unsigned_abs()) + last as u64,
            _ => 0,
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a level in decibels"
        )]
        let level_db =
            if samples == 0 { FLOOR_DB } else { 10.0 * ((squares / samples as f64).log10() as f32) };
        Heard {
            duration: Duration::from_secs(1) * u32::try_from(span).unwrap_or(u32::MAX) / CLOCK,
            level_db: level_db.max(FLOOR_DB),
            packets: self.packets.len() as u64,
        }
    }

    /// The packets, each with how long after the first it was spoken.
    pub fn into_packets(self) -> impl Iterator<Item = (Duration, SoundPacket)> {
        let first = self.packets.first_key_value().map_or(0, |(at, _)| *at);
        self.packets
            .into_iter()
            .map(move |(at, packet)| (Duration::from_secs(1) * (at - first).unsigned_abs() / CLOCK, packet))
    }
}
