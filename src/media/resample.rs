//! From any rate and number of channels to 48 kHz mono, and back. One resampler lives as long as its stream: what a block
//! begins with depends on the one before, and a new one each time would click.

use audioadapter_buffers::direct::InterleavedSlice;
use rubato::{
    Adjustable, Async, FixedAsync, Indexing, Resampler, SincInterpolationParameters, SincInterpolationType,
    WindowFunction,
};

use super::RATE;

/// The lowest rate of a device or file, in samples a second.
pub const MIN_RATE: u32 = 8_000;
/// The highest.
pub const MAX_RATE: u32 = 192_000;
/// Most channels.
pub const MAX_CHANNELS: u16 = 32;
/// How far the ratio of [`Render`] may be moved, as a part of one: 2 % is far more than clocks differ by.
pub const MOST_DRIFT: f64 = 0.02;

/// Points of the filter at 48 kHz. Its delay is half of it, 1.3 ms; pass band to 20 kHz, −90 dB beyond.
const FILTER: usize = 128;
/// Blocks a second in which rates are changed: 5 ms each, which add to the delay what they must wait for.
const BLOCKS: u32 = 200;

/// A stream that cannot be resampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResampleError {
    /// The rate is out of bounds.
    #[error("a rate of {0} samples a second cannot be used: it must be between 8,000 and 192,000")]
    Rate(u32),
    /// The number of channels is out of bounds.
    #[error("sound of {0} channels cannot be used: it must be 1 to 32")]
    Channels(u16),
    /// The library refused what is within bounds.
    #[error("sound of {0} samples a second could not be resampled")]
    Refused(u32),
}

fn checked(rate: u32, channels: u16) -> Result<(), ResampleError> {
    if !(MIN_RATE..=MAX_RATE).contains(&rate) {
        return Err(ResampleError::Rate(rate));
    }
    if !(1..=MAX_CHANNELS).contains(&channels) {
        return Err(ResampleError::Channels(channels));
    }
    Ok(())
}

/// Mono at one rate to mono at another, in blocks of a fixed input.
struct Changer {
    inner: Async<f32>,
    /// What does not fill a block yet.
    waiting: Vec<f32>,
    block: usize,
    made: Vec<f32>,
    /// Samples in, and out.
    taken: u64,
    given: u64,
}

impl Changer {
    fn new(from: u32, to: u32) -> Result<Self, ResampleError> {
        let refused = ResampleError::Refused(if from == RATE { to } else { from });
        // A filter that passes less must be longer: it is as long as it is at 48 kHz in time of the slower side.
        let filter = (FILTER * from.max(to) as usize).div_ceil(to.max(1) as usize).clamp(FILTER, 8 * FILTER);
        let parameters = SincInterpolationParameters {
            sinc_len: filter,
            f_cutoff: None,
            oversampling_factor: 256,
            interpolation: SincInterpolationType::Quadratic,
            window: WindowFunction::BlackmanHarris2,
        };
        let block = from.div_ceil(BLOCKS) as usize;
        let ratio = f64::from(to) / f64::from(from);
        let inner = Async::new_sinc(ratio, 1.0 + MOST_DRIFT, &parameters, block, 1, FixedAsync::Input)
            .map_err(|_| refused)?;
        let made = vec![0.0; inner.output_frames_max()];
        Ok(Self { inner, waiting: Vec::with_capacity(2 * block), block, made, taken: 0, given: 0 })
    }

    fn add(&mut self, samples: impl IntoIterator<Item = f32>, mut give: impl FnMut(&[f32])) {
        for sample in samples {
            self.waiting.push(if sample.is_finite() { sample } else { 0.0 });
            self.taken += 1;
            if self.waiting.len() == self.block {
                self.change(&mut give);
            }
        }
    }

    /// Changes one whole block.
    fn change(&mut self, give: &mut impl FnMut(&[f32])) {
        let room = self.made.len();
        let made = match (
            InterleavedSlice::new(&self.waiting, 1, self.block),
            InterleavedSlice::new_mut(&mut self.made, 1, room),
        ) {
            (Ok(input), Ok(mut output)) => {
                let done = self.inner.process_into_buffer(&input, &mut output, Some(&Indexing::new()));
                done.map_or(0, |(_, made)| made)
            }
            // Both have room for what is asked, by their construction.
            _ => 0,
        };
        self.waiting.clear();
        self.given += made as u64;
        give(&self.made[..made]);
    }

    /// The end of the stream: what is still inside comes out, so that as much has come out as went in, and the delay.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "samples"
    )]
    fn flush(&mut self, mut give: impl FnMut(&[f32])) {
        let whole = (self.taken as f64 * self.inner.resample_ratio()).round() as u64
            + self.inner.output_delay() as u64;
        while self.given < whole && self.taken > 0 {
            self.waiting.resize(self.block, 0.0);
            let left = usize::try_from(whole - self.given).unwrap_or(usize::MAX);
            self.change(&mut |samples: &[f32]| give(&samples[..samples.len().min(left)]));
        }
        self.inner.reset();
        (self.taken, self.given) = (0, 0);
    }
}

/// What a device or a file gives, to 48 kHz mono.
pub struct Capture {
    channels: usize,
    /// None: the rate is right already.
    changer: Option<Changer>,
    /// Samples of a frame that was cut off between two blocks.
    part: Vec<f32>,
}

impl Capture {
    /// For interleaved sound of a rate from [`MIN_RATE`] to [`MAX_RATE`] and 1 to [`MAX_CHANNELS`] channels.
    ///
    /// # Errors
    /// What is out of bounds.
    pub fn new(rate: u32, channels: u16) -> Result<Self, ResampleError> {
        checked(rate, channels)?;
        let changer = if rate == RATE { None } else { Some(Changer::new(rate, RATE)?) };
        Ok(Self { channels: usize::from(channels), changer, part: Vec::with_capacity(usize::from(channels)) })
    }

    /// Takes more of the stream, whatever its length, and appends what comes out of it. Channels are averaged.
    pub fn add(&mut self, interleaved: &[f32], into: &mut Vec<f32>) {
        let Self { channels, changer, part } = self;
        let missing = (*channels - part.len()) % *channels;
        let (first, rest) = interleaved.split_at(missing.min(interleaved.len()));
        part.extend_from_slice(first);
        let frames = rest.chunks_exact(*channels);
        let cut = frames.remainder();
        let begun = if part.len() == *channels { Some(mixed(part)) } else { None };
        let mono = begun.into_iter().chain(frames.map(mixed));
        match changer {
            Some(changer) => changer.add(mono, |made| into.extend_from_slice(made)),
            None => into.extend(mono.map(|sample| if sample.is_finite() { sample } else { 0.0 })),
        }
        if part.len() == *channels {
            part.clear();
        }
        part.extend_from_slice(cut);
    }

    /// The end of the stream: appends what is still inside. The next sound begins a new one.
    pub fn flush(&mut self, into: &mut Vec<f32>) {
        self.part.clear();
        if let Some(changer) = &mut self.changer {
            changer.flush(|made| into.extend_from_slice(made));
        }
    }

    /// How many samples at 48 kHz later what goes in comes out, beside up to 5 ms until a block is full.
    pub fn delay(&self) -> usize {
        self.changer.as_ref().map_or(0, |changer| changer.inner.output_delay())
    }
}

#[allow(clippy::cast_precision_loss, reason = "at most 32 channels")]
fn mixed(frame: &[f32]) -> f32 {
    frame.iter().sum::<f32>() / frame.len() as f32
}

/// 48 kHz mono to what a device plays; every channel gets the same.
pub struct Render {
    channels: usize,
    /// None: the rate is right, and stays so.
    changer: Option<Changer>,
}

impl Render {
    /// For a device of a rate from [`MIN_RATE`] to [`MAX_RATE`] and 1 to [`MAX_CHANNELS`] channels. Its ratio can be moved,
    /// so that even 48 kHz pass through the filter: a delay that came and went would click.
    ///
    /// # Errors
    /// What is out of bounds.
    pub fn new(rate: u32, channels: u16) -> Result<Self, ResampleError> {
        checked(rate, channels)?;
        Ok(Self { channels: usize::from(channels), changer: Some(Changer::new(RATE, rate)?) })
    }

    /// The same with a ratio that stays: 48 kHz are passed on as they are, at no cost and without delay.
    ///
    /// # Errors
    /// What is out of bounds.
    pub fn fixed(rate: u32, channels: u16) -> Result<Self, ResampleError> {
        let moving = Self::new(rate, channels)?;
        Ok(if rate == RATE { Self { changer: None, ..moving } } else { moving })
    }

    /// Takes more sound and appends what the device is to play, interleaved.
    pub fn add(&mut self, mono: &[f32], into: &mut Vec<f32>) {
        let channels = self.channels;
        match &mut self.changer {
            Some(changer) => changer.add(mono.iter().copied(), |made| spread(made, channels, into)),
            None => spread(mono, channels, into),
        }
    }

    /// Makes the sound longer (a device that plays too fast) or shorter by a part of one, at most [`MOST_DRIFT`]: 100 ppm
    /// are 0.000 1. It moves there within the next 5 ms, without a seam. Without effect where the ratio is fixed.
    pub fn set_drift(&mut self, longer: f64) {
        let longer = if longer.is_finite() { longer.clamp(-MOST_DRIFT, MOST_DRIFT) } else { 0.0 };
        if let Some(changer) = &mut self.changer {
            // Within the bounds that it was made with, up to rounding at the lower one.
            let _ =
                changer.inner.set_resample_ratio_relative((1.0 + longer).max(1.0 / (1.0 + MOST_DRIFT)), true);
        }
    }

    /// The end of the stream: appends what is still inside. The next sound begins a new one.
    pub fn flush(&mut self, into: &mut Vec<f32>) {
        let channels = self.channels;
        if let Some(changer) = &mut self.changer {
            changer.flush(|made| spread(made, channels, into));
        }
    }

    /// How many samples of the device later what goes in comes out, beside up to 5 ms until a block is full.
    pub fn delay(&self) -> usize {
        self.changer.as_ref().map_or(0, |changer| changer.inner.output_delay())
    }
}

fn spread(mono: &[f32], channels: usize, into: &mut Vec<f32>) {
    into.reserve(mono.len() * channels);
    for &sample in mono {
        into.extend(std::iter::repeat_n(sample, channels));
    }
}
