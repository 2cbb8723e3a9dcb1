use std::io::Cursor;

use hound::{SampleFormat, WavSpec};
use proptest::prelude::*;

use crate::media::file::{Bound, FileError, WavWriter, read};
use crate::media::signal::{purity, tone};

fn wav(rate: u32, channels: u16, bits: u16, format: SampleFormat, seconds: f64) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let spec = WavSpec { channels, sample_rate: rate, bits_per_sample: bits, sample_format: format };
    let mut writer = hound::WavWriter::new(&mut bytes, spec).unwrap();
    for at in 0..(f64::from(rate) * seconds) as u32 {
        let sample = (f64::from(at) * 440.0 / f64::from(rate) * std::f64::consts::TAU).sin() * 0.5;
        for _ in 0..channels {
            match format {
                SampleFormat::Float => writer.write_sample(sample as f32).unwrap(),
                SampleFormat::Int => {
                    writer.write_sample((sample * f64::from(1_u32 << (bits - 1))) as i32).unwrap();
                }
            }
        }
    }
    writer.finalize().unwrap();
    bytes.into_inner()
}

#[test]
fn every_kind_of_wav_gives_the_same_sound() {
    for (rate, channels, bits, format) in [
        (48_000, 1, 8, SampleFormat::Int),
        (44_100, 2, 16, SampleFormat::Int),
        (16_000, 1, 24, SampleFormat::Int),
        (96_000, 6, 32, SampleFormat::Int),
        (22_050, 1, 32, SampleFormat::Float),
    ] {
        let samples = read(&wav(rate, channels, bits, format, 1.0), Bound::default()).unwrap();
        assert!(samples.len().abs_diff(48_000) <= 2, "{rate} {bits}: {}", samples.len());
        let pure = purity(&samples[2_400..45_600], 440.0);
        assert!(pure > if bits == 8 { 35.0 } else { 60.0 }, "{rate} {bits}: {pure}");
    }
}

#[test]
fn what_was_written_is_read_again() {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes).unwrap();
    let sound = tone(440.0, 0.5, 48_000);
    sound.chunks(1_000).for_each(|part| writer.add(part).unwrap());
    writer.flush().unwrap();
    writer.add(&[9.0, -9.0, f32::NAN]).unwrap();
    writer.finish().unwrap();
    let heard = read(&bytes.into_inner(), Bound::default()).unwrap();
    assert_eq!(heard.len(), 48_003);
    assert!(heard.iter().zip(&sound).all(|(a, b)| (a - b).abs() < 1e-4));
    assert!(heard[48_000] > 0.999 && heard[48_001] <= -0.999 && heard[48_002] == 0.0);
}

#[test]
fn each_fault_is_a_sentence() {
    let good = wav(48_000, 1, 16, SampleFormat::Int, 1.0);
    let told = |bytes: &[u8], bound| read(bytes, bound).unwrap_err().to_string();
    assert_eq!(told(b"hello", Bound::default()), "this is neither a WAV file nor an Ogg Opus file");
    assert_eq!(told(b"", Bound::default()), "this is neither a WAV file nor an Ogg Opus file");
    assert!(told(&good, Bound { bytes: 100, seconds: 9 }).contains("100 at most"));
    let mut long = wav(48_000, 1, 16, SampleFormat::Int, 1.1);
    assert_eq!(read(&long, Bound { bytes: 1 << 20, seconds: 1 }), Err(FileError::TooLong { seconds: 1 }));
    long.truncate(1_000);
    assert!(told(&long, Bound::default()).contains("ends before the sound"));
    assert!(told(&good[..30], Bound::default()).contains("damaged"));
    assert!(
        told(&wav(4_000, 1, 16, SampleFormat::Int, 1.0), Bound::default()).contains("4000 samples a second")
    );
    assert_eq!(
        told(&wav(48_000, 1, 16, SampleFormat::Int, 0.0), Bound::default()),
        "the sound file holds no sound"
    );
}

#[test]
fn a_wav_from_a_pipe_ends_where_it_ends() {
    let mut bytes = wav(48_000, 1, 16, SampleFormat::Int, 1.0);
    let data = bytes.windows(4).position(|four| four == b"data").unwrap();
    bytes[data + 4..data + 8].copy_from_slice(&0x7FFF_F000_u32.to_le_bytes());
    assert_eq!(read(&bytes, Bound::default()).unwrap().len(), 48_000);
    assert!(matches!(read(&bytes, Bound { bytes: 1 << 20, seconds: 0 }), Err(FileError::TooLong { .. })));
}

#[cfg(feature = "webrtc")]
mod ogg_opus {
    use super::*;
    use crate::media::opus::{Encoder, OpusSettings};
    use ogg::writing::{PacketWriteEndInfo, PacketWriter};

    fn head(family: u8) -> Vec<u8> {
        let mut head = b"OpusHead\x01\x01".to_vec();
        head.extend(312_u16.to_le_bytes());
        head.extend(48_000_u32.to_le_bytes());
        head.extend([0, 0, family]);
        head
    }

    pub(super) fn opus(seconds: usize, family: u8) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = PacketWriter::new(&mut bytes);
        let mut encoder = Encoder::new(OpusSettings::default()).unwrap();
        writer.write_packet(head(family), 7, PacketWriteEndInfo::EndPage, 0).unwrap();
        let tags = b"OpusTags\0\0\0\0\0\0\0\0".to_vec();
        writer.write_packet(tags, 7, PacketWriteEndInfo::EndPage, 0).unwrap();
        let sound = tone(440.0, 0.5, seconds * 48_000 + 960);
        let frames: Vec<_> = sound.chunks_exact(960).collect();
        for (at, frame) in frames.iter().enumerate() {
            let packet = encoder.encode(frame).unwrap().into_bytes();
            let (end, position) = if at + 1 == frames.len() {
                (PacketWriteEndInfo::EndStream, seconds * 48_000 + 312)
            } else {
                (PacketWriteEndInfo::NormalPacket, (at + 1) * 960)
            };
            writer.write_packet(packet.to_vec(), 7, end, position as u64).unwrap();
        }
        drop(writer);
        bytes.into_inner()
    }

    #[test]
    fn ogg_opus_gives_its_sound_without_what_is_before_and_after() {
        let samples = read(&opus(1, 0), Bound::default()).unwrap();
        assert_eq!(samples.len(), 48_000);
        assert!(purity(&samples[4_800..43_200], 440.0) > 20.0);
    }

    #[test]
    fn its_faults_are_sentences_too() {
        let told = |bytes: &[u8]| read(bytes, Bound { bytes: 1 << 20, seconds: 2 }).unwrap_err().to_string();
        assert!(told(&opus(3, 0)).contains("longer than 2 seconds"));
        assert!(told(&opus(1, 1)).contains("more channels than two"));
        let mut bytes = opus(1, 0);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(told(&bytes).contains("checksum"), "{}", told(&bytes));
        assert!(!told(&bytes[..60]).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn no_change_of_an_ogg_file_makes_it_panic(changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
            let mut bytes = opus(1, 0);
            let length = bytes.len();
            changes.into_iter().for_each(|(at, byte)| bytes[usize::from(at) % length] = byte);
            if let Ok(samples) = read(&bytes, Bound { bytes: 1 << 20, seconds: 2 }) {
                prop_assert!(samples.len() <= 2 * 48_000 + 65_535);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_it_panic_or_give_more_than_was_allowed(
        kind in 0..3_usize, noise in proptest::collection::vec(any::<u8>(), 0..300),
        changes in proptest::collection::vec((0_usize..60, any::<u8>()), 0..5), cut in 0_usize..2_000,
    ) {
        let mut bytes = match kind {
            0 => [b"RIFF\x10\0\0\0WAVEfmt ", &noise[..]].concat(),
            1 => [b"OggS\0\x02", &noise[..]].concat(),
            _ => wav(8_000, 2, 16, SampleFormat::Int, 0.05),
        };
        let length = bytes.len();
        changes.into_iter().for_each(|(at, byte)| bytes[at % length] = byte);
        bytes.truncate(cut);
        if let Ok(samples) = read(&bytes, Bound { bytes: 1 << 16, seconds: 1 }) {
            prop_assert!(samples.len() <= 48_000 + 960);
        }
    }
}

#[test]
fn the_clips_of_the_repository_say_the_same_for_as_long() {
    let spoken = read(include_bytes!("../../../assets/voice/question.wav"), Bound::default()).unwrap();
    assert!((48_000..144_000).contains(&spoken.len()), "{}", spoken.len());
    #[cfg(feature = "webrtc")]
    {
        let coded = read(include_bytes!("../../../assets/voice/question.opus"), Bound::default()).unwrap();
        assert!(coded.len().abs_diff(spoken.len()) < 480, "{} {}", coded.len(), spoken.len());
    }
}
