//! WAV, through `hound`.

use std::fmt;
use std::io::{Cursor, Seek, Write};

use hound::{SampleFormat, WavReader, WavSpec};

use super::{Bound, FileError, most_frames};
use crate::media::RATE;
use crate::media::resample::Capture;

/// A length from here on was written by a program that did not know it, such as one that writes into a pipe.
const UNKNOWN_LENGTH: u64 = 0x7FFF_0000;
/// Samples that are converted at a time.
const BLOCK: usize = 4_096;

pub(super) fn read(bytes: &[u8], bound: Bound) -> Result<Vec<f32>, FileError> {
    let reader = WavReader::new(Cursor::new(bytes)).map_err(|error| told(&error))?;
    let spec = reader.spec();
    let mut capture = Capture::new(spec.sample_rate, spec.channels)?;
    let sample_bytes = u64::from(spec.bits_per_sample).div_ceil(8);
    let claimed = u64::from(reader.len());
    let streamed = claimed * sample_bytes >= UNKNOWN_LENGTH;
    let frames = claimed / u64::from(spec.channels.max(1));
    if !streamed && claimed * sample_bytes > bytes.len() as u64 {
        return Err(FileError::Damaged("it ends before the sound that it announces"));
    }
    let most = most_frames(bound, spec.sample_rate);
    let too_long = FileError::TooLong { seconds: bound.seconds };
    if !streamed && frames > most {
        return Err(too_long);
    }
    let mut mono = Vec::new();
    let mut taken = 0_u64;
    let most = most.saturating_mul(u64::from(spec.channels));
    for_each_block(reader, spec, streamed, &mut |block| {
        taken += block.len() as u64;
        if taken > most {
            return Err(too_long.clone());
        }
        capture.add(block, &mut mono);
        Ok(())
    })?;
    let delay = capture.delay();
    capture.flush(&mut mono);
    mono.drain(..delay.min(mono.len()));
    mono.iter_mut().for_each(|sample| *sample = sample.clamp(-1.0, 1.0));
    Ok(mono)
}

type Take<'a> = &'a mut dyn FnMut(&[f32]) -> Result<(), FileError>;

fn for_each_block(
    reader: WavReader<Cursor<&[u8]>>,
    spec: WavSpec,
    streamed: bool,
    take: Take<'_>,
) -> Result<(), FileError> {
    match (spec.sample_format, spec.bits_per_sample) {
        (SampleFormat::Float, 32) => blocks(reader.into_samples::<f32>(), streamed, take, |sample| sample),
        (SampleFormat::Int, bits @ (8 | 16 | 24 | 32)) => {
            let full = 1.0 / f64::from(1_u32 << (bits - 1));
            #[allow(clippy::cast_possible_truncation, reason = "samples are f32")]
            let scaled = |sample: i32| (f64::from(sample) * full) as f32;
            blocks(reader.into_samples::<i32>(), streamed, take, scaled)
        }
        _ => Err(FileError::Unsupported("its samples must be 8, 16, 24 or 32 bits, or 32-bit floats")),
    }
}

fn blocks<S>(
    samples: impl Iterator<Item = hound::Result<S>>,
    streamed: bool,
    take: Take<'_>,
    to_float: impl Fn(S) -> f32,
) -> Result<(), FileError> {
    let mut block = Vec::with_capacity(BLOCK);
    for sample in samples {
        match sample {
            Ok(sample) => block.push(to_float(sample)),
            // Nobody knew where it would end: here.
            Err(_) if streamed => break,
            Err(error) => return Err(told(&error)),
        }
        if block.len() == BLOCK {
            take(&block)?;
            block.clear();
        }
    }
    take(&block)
}

fn told(error: &hound::Error) -> FileError {
    match error {
        hound::Error::IoError(_) => FileError::Damaged("it ends too early"),
        hound::Error::Unsupported | hound::Error::InvalidSampleFormat | hound::Error::TooWide => {
            FileError::Unsupported("it is a WAV file of a kind that is not read")
        }
        _ => FileError::Damaged("its WAV header makes no sense"),
    }
}

/// Writes mono 48 kHz as 16 bits. It must be finished: until then its header says that it is shorter.
pub struct WavWriter<W: Write + Seek> {
    inner: hound::WavWriter<W>,
}

impl<W: Write + Seek> fmt::Debug for WavWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[WAV writer]")
    }
}

impl<W: Write + Seek> WavWriter<W> {
    /// Most samples of one file: hours, which its header can still say.
    pub const MOST: u32 = u32::MAX / 4;

    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(to: W) -> std::io::Result<Self> {
        let spec =
            WavSpec { channels: 1, sample_rate: RATE, bits_per_sample: 16, sample_format: SampleFormat::Int };
        Ok(Self { inner: hound::WavWriter::new(to, spec).map_err(io)? })
    }

    /// Appends sound. What is over full scale becomes full scale; what comes after [`Self::MOST`] samples is dropped.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, samples: &[f32]) -> std::io::Result<()> {
        for &sample in samples {
            if self.inner.len() >= Self::MOST {
                break;
            }
            #[allow(clippy::cast_possible_truncation, reason = "a conversion to 16 bits, which saturates")]
            let sample = (sample * 32_768.0).round() as i16;
            self.inner.write_sample(sample).map_err(io)?;
        }
        Ok(())
    }

    /// Brings the header up to date: whoever reads the file now gets all that was written.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush().map_err(io)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> std::io::Result<()> {
        self.inner.finalize().map_err(io)
    }
}

fn io(error: hound::Error) -> std::io::Error {
    match error {
        hound::Error::IoError(error) => error,
        other => std::io::Error::other(other),
    }
}
