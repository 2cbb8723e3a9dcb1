//! Opus (RFC 6716) by the reference library: 20 ms a packet, mono, with forward error correction.

use bytes::Bytes;
use opus::{Application, Bitrate, Channels};
use thiserror::Error;

use super::{RATE, samples_of};
use crate::rtp::FRAME;

/// The largest packet that is made, in bytes: what 20 ms at the highest rate take, and room.
const LARGEST: usize = 1_500;
/// The longest sound in one packet: 120 ms (RFC 6716, section 2.1.4).
const LONGEST: usize = samples_of(120);
/// The shortest sound of Opus: 2.5 ms. What is made up for a loss is a multiple of it.
pub const SHORTEST: usize = 120;

/// How sound is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpusSettings {
    /// Bits a second, 6,000 to 128,000.
    pub bitrate: u32,
    /// Whether silence is sent as nothing (RFC 6716, section 2.1.9).
    pub dtx: bool,
    /// Whether a packet also holds a coarse copy of the one before it (RFC 6716, section 2.1.7).
    pub fec: bool,
    /// How much loss is expected, in percent: without any, no copy is made.
    pub loss_percent: u8,
}

impl Default for OpusSettings {
    fn default() -> Self {
        Self { bitrate: 32_000, dtx: false, fec: true, loss_percent: 10 }
    }
}

/// What the library says of a packet or a setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Opus: {0}")]
pub struct OpusError(String);

impl From<opus::Error> for OpusError {
    fn from(error: opus::Error) -> Self {
        Self(error.to_string())
    }
}

/// One coded packet. What is said in it cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct OpusPacket(Bytes);

impl std::fmt::Debug for OpusPacket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[opus, {} bytes]", self.0.len())
    }
}

impl OpusPacket {
    /// Whether it need not be sent: DTX gives at most two bytes for silence.
    pub fn is_silence(&self) -> bool {
        self.0.len() <= 2
    }

    /// Its bytes.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

/// Codes one stream.
pub struct Encoder {
    inner: opus::Encoder,
    buffer: Vec<u8>,
}

impl Encoder {
    /// An encoder for speech.
    ///
    /// # Errors
    /// A setting out of bounds, or no memory.
    pub fn new(settings: OpusSettings) -> Result<Self, OpusError> {
        let OpusSettings { bitrate, dtx, fec, loss_percent } = settings;
        let mut inner = opus::Encoder::new(RATE, Channels::Mono, Application::Voip)?;
        inner.set_bitrate(Bitrate::Bits(i32::try_from(bitrate).unwrap_or(i32::MAX)))?;
        inner.set_dtx(dtx)?;
        inner.set_inband_fec(fec)?;
        inner.set_packet_loss_perc(i32::from(loss_percent.min(100)))?;
        Ok(Self { inner, buffer: vec![0; LARGEST] })
    }

    /// Codes 20 ms, that is [`FRAME`] samples.
    ///
    /// # Errors
    /// Another number of samples.
    pub fn encode(&mut self, samples: &[f32]) -> Result<OpusPacket, OpusError> {
        if samples.len() != FRAME {
            return Err(OpusError(format!("expected {FRAME} samples, came {}", samples.len())));
        }
        let length = self.inner.encode_float(samples, &mut self.buffer)?;
        Ok(OpusPacket(Bytes::copy_from_slice(&self.buffer[..length])))
    }
}

/// Decodes one stream to mono, whatever its packets hold.
pub struct Decoder {
    inner: opus::Decoder,
    buffer: Vec<f32>,
}

impl Decoder {
    /// A decoder that has heard nothing.
    ///
    /// # Errors
    /// No memory.
    pub fn new() -> Result<Self, OpusError> {
        Ok(Self { inner: opus::Decoder::new(RATE, Channels::Mono)?, buffer: vec![0.0; LONGEST] })
    }

    /// The sound of one packet, 2.5 to 120 ms of it.
    ///
    /// # Errors
    /// A damaged packet, or an empty one.
    pub fn decode(&mut self, packet: &[u8]) -> Result<&[f32], OpusError> {
        if packet.is_empty() {
            // The library would make something up for a loss.
            return Err(OpusError("an empty packet".to_owned()));
        }
        let samples = self.inner.decode_float(packet, &mut self.buffer, false)?;
        Ok(&self.buffer[..samples])
    }

    /// The sound of the lost packet of `missing` samples before `next`, from the copy in that; where it holds none, something
    /// is made up.
    ///
    /// # Errors
    /// A damaged packet.
    pub fn recover(&mut self, next: &[u8], missing: usize) -> Result<&[f32], OpusError> {
        let missing = whole(missing);
        let samples = self.inner.decode_float(next, &mut self.buffer[..missing], true)?;
        Ok(&self.buffer[..samples])
    }

    /// Makes something up for a loss: `missing` samples, in steps of 2.5 ms.
    ///
    /// # Errors
    /// The library's.
    pub fn conceal(&mut self, missing: usize) -> Result<&[f32], OpusError> {
        let missing = whole(missing);
        let samples = self.inner.decode_float(&[], &mut self.buffer[..missing], false)?;
        Ok(&self.buffer[..samples])
    }

    /// How many samples a packet holds; `None` for a damaged one.
    pub fn samples_in(packet: &[u8]) -> Option<usize> {
        let samples = opus::packet::get_nb_samples(packet, RATE).ok()?;
        (1..=LONGEST).contains(&samples).then_some(samples)
    }
}

fn whole(samples: usize) -> usize {
    samples.div_ceil(SHORTEST).clamp(1, LONGEST / SHORTEST) * SHORTEST
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::media::level::decibels;
    use crate::media::signal;

    fn rms_db(samples: &[f32]) -> f32 {
        let squares: f32 = samples.iter().map(|sample| sample * sample).sum();
        decibels((squares / samples.len() as f32).sqrt())
    }

    fn coded(settings: OpusSettings, sound: &[f32]) -> Vec<OpusPacket> {
        let mut encoder = Encoder::new(settings).unwrap();
        sound.chunks_exact(FRAME).map(|frame| encoder.encode(frame).unwrap()).collect()
    }

    #[test]
    fn a_tone_comes_back_with_its_pitch_and_its_level() {
        let sound = signal::tone(440.0, 0.5, FRAME * 50);
        let mut decoder = Decoder::new().unwrap();
        let mut heard = Vec::new();
        for packet in coded(OpusSettings::default(), &sound) {
            heard.extend_from_slice(decoder.decode(&packet.into_bytes()).unwrap());
        }
        assert_eq!(heard.len(), sound.len());
        let (before, after) = (rms_db(&sound), rms_db(&heard[FRAME * 5..]));
        assert!((before - after).abs() < 1.5, "{before} {after}");
        let pitch = signal::dominant(&heard[FRAME * 5..]).unwrap();
        assert!((pitch - 440.0).abs() < 5.0, "{pitch}");
    }

    #[test]
    fn d8_only_whole_packets_are_coded() {
        let mut encoder = Encoder::new(OpusSettings::default()).unwrap();
        for samples in [0, 320, 441, 881, 882, 959, 961, 1_024] {
            assert!(encoder.encode(&vec![0.0; samples]).is_err(), "{samples}");
        }
    }

    #[test]
    fn d10_what_is_made_up_is_as_long_as_what_is_missing() {
        let mut decoder = Decoder::new().unwrap();
        for (missing, made) in [(FRAME, FRAME), (1, SHORTEST), (441, 480), (5_760, 5_760), (99_999, LONGEST)]
        {
            assert_eq!(decoder.conceal(missing).unwrap().len(), made);
        }
    }

    #[test]
    fn d11_silence_under_dtx_is_not_to_be_sent() {
        let packets = coded(OpusSettings { dtx: true, ..OpusSettings::default() }, &vec![0.0; FRAME * 100]);
        let silent = packets.iter().filter(|packet| packet.is_silence()).count();
        assert!(silent > 80, "{silent} of 100");
        let spoken = coded(
            OpusSettings { dtx: true, ..OpusSettings::default() },
            &signal::tone(300.0, 0.3, FRAME * 50),
        );
        assert!(spoken.iter().skip(1).all(|packet| !packet.is_silence()));
    }

    #[test]
    fn a_lost_packet_is_recovered_from_the_next_better_than_it_is_made_up() {
        // A pitch that glides cannot be guessed from what was before.
        let sound = signal::chirp(0.5).repeat(6);
        let settings = OpusSettings { loss_percent: 30, ..OpusSettings::default() };
        let packets = coded(settings, &sound);
        let error = |recover: bool| -> f32 {
            let (mut decoder, mut whole) = (Decoder::new().unwrap(), Decoder::new().unwrap());
            let (mut wrong, mut counted) = (0.0, 0);
            for (at, packet) in packets.iter().enumerate() {
                let right = whole.decode(&packet.0).unwrap().to_vec();
                if at % 5 != 3 || at + 1 == packets.len() {
                    decoder.decode(&packet.0).unwrap();
                    continue;
                }
                let next = &packets[at + 1].0;
                let made = if recover { decoder.recover(next, FRAME) } else { decoder.conceal(FRAME) };
                wrong += right.iter().zip(made.unwrap()).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
                counted += 1;
            }
            wrong / counted as f32
        };
        let (recovered, made_up) = (error(true), error(false));
        assert!(recovered < made_up * 0.8, "{recovered} {made_up}");
    }

    #[test]
    fn what_is_said_cannot_be_printed() {
        let packet = &coded(OpusSettings::default(), &signal::tone(440.0, 0.5, FRAME))[0];
        assert_eq!(format!("{packet:?}"), format!("[opus, {} bytes]", packet.0.len()));
    }

    proptest! {
        #[test]
        fn no_bytes_harm_the_decoder(packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..20)) {
            let mut decoder = Decoder::new().unwrap();
            for packet in &packets {
                let _damaged = Decoder::samples_in(packet);
                let _damaged = decoder.decode(packet).map(<[f32]>::len);
                let _damaged = decoder.recover(packet, FRAME).map(<[f32]>::len);
                prop_assert!(decoder.conceal(FRAME).is_ok());
            }
        }
    }
}
