//! What runs on the device's own thread: it converts and copies between the device and a ring. It does not allocate, lock,
//! log or wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cpal::{Data, FromSample, I24, Sample, SampleFormat, U24};
use rtrb::{Consumer, Producer};

/// The largest value that no form of sample overflows at: one step of 24 bits below full scale.
const FULL: f32 = 1.0 - 1.0 / 8_388_608.0;

/// What the callback tells the thread beside it.
#[derive(Debug, Default)]
pub struct Counts {
    /// How often it was called.
    pub calls: AtomicU64,
    /// Samples that went from the ring to the device (a speaker).
    pub passed: AtomicU64,
    /// Samples that had no room in the ring (a microphone).
    pub lost: AtomicU64,
    /// The device's own delay in nanoseconds.
    pub delay: AtomicU64,
}

/// Whether samples of this form can be converted.
pub(super) const fn is_known(format: SampleFormat) -> bool {
    !matches!(format, SampleFormat::DsdU8 | SampleFormat::DsdU16 | SampleFormat::DsdU32)
}

/// Calls a method with the data as a slice of its own form of samples.
macro_rules! with_samples {
    ($data:ident . $slice:ident, $this:ident . $method:ident) => {
        match $data.sample_format() {
            SampleFormat::I8 => $data.$slice::<i8>().map(|samples| $this.$method(samples)),
            SampleFormat::I16 => $data.$slice::<i16>().map(|samples| $this.$method(samples)),
            SampleFormat::I24 => $data.$slice::<I24>().map(|samples| $this.$method(samples)),
            SampleFormat::I32 => $data.$slice::<i32>().map(|samples| $this.$method(samples)),
            SampleFormat::I64 => $data.$slice::<i64>().map(|samples| $this.$method(samples)),
            SampleFormat::U8 => $data.$slice::<u8>().map(|samples| $this.$method(samples)),
            SampleFormat::U16 => $data.$slice::<u16>().map(|samples| $this.$method(samples)),
            SampleFormat::U24 => $data.$slice::<U24>().map(|samples| $this.$method(samples)),
            SampleFormat::U32 => $data.$slice::<u32>().map(|samples| $this.$method(samples)),
            SampleFormat::U64 => $data.$slice::<u64>().map(|samples| $this.$method(samples)),
            SampleFormat::F32 => $data.$slice::<f32>().map(|samples| $this.$method(samples)),
            SampleFormat::F64 => $data.$slice::<f64>().map(|samples| $this.$method(samples)),
            _ => None,
        }
    };
}

/// The microphone's side.
pub struct Ear {
    ring: Producer<f32>,
    counts: Arc<Counts>,
}

impl Ear {
    /// One that fills this ring.
    pub fn new(ring: Producer<f32>, counts: Arc<Counts>) -> Self {
        Self { ring, counts }
    }

    /// What the device gives, whatever its form.
    pub(super) fn hear_any(&mut self, data: &Data) {
        let _unknown = with_samples!(data.as_slice, self.hear);
    }

    /// What the device gives: all of it goes into the ring, or, without room for it, is counted as lost.
    pub fn hear<T: Copy>(&mut self, samples: &[T])
    where
        f32: FromSample<T>,
    {
        match self.ring.write_chunk_uninit(samples.len()) {
            Ok(chunk) => {
                chunk.fill_from_iter(samples.iter().map(|sample| f32::from_sample_(*sample)));
            }
            Err(_) => {
                self.counts.lost.fetch_add(samples.len() as u64, Ordering::Relaxed);
            }
        }
        self.counts.calls.fetch_add(1, Ordering::Release);
    }
}

/// The speaker's side.
pub struct Mouth {
    ring: Consumer<f32>,
    counts: Arc<Counts>,
}

impl Mouth {
    /// One that empties this ring.
    pub fn new(ring: Consumer<f32>, counts: Arc<Counts>) -> Self {
        Self { ring, counts }
    }

    /// What the device asks for, whatever its form.
    pub(super) fn speak_any(&mut self, data: &mut Data, delay: std::time::Duration) {
        let delay = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        self.counts.delay.store(delay, Ordering::Relaxed);
        let _unknown = with_samples!(data.as_slice_mut, self.speak);
    }

    /// What the device asks for: as much of the ring as there is, then silence.
    pub fn speak<T>(&mut self, samples: &mut [T])
    where
        T: Sample + FromSample<f32>,
    {
        let there = self.ring.slots().min(samples.len());
        let (sound, silence) = samples.split_at_mut(there);
        if let Ok(chunk) = self.ring.read_chunk(there) {
            sound.iter_mut().zip(chunk).for_each(|(to, from)| *to = T::from_sample_(tamed(from)));
        }
        silence.fill(T::EQUILIBRIUM);
        self.counts.passed.fetch_add(there as u64, Ordering::Release);
        self.counts.calls.fetch_add(1, Ordering::Release);
    }
}

/// Within full scale; what is no number is silence.
fn tamed(sample: f32) -> f32 {
    if sample.is_finite() { sample.clamp(-1.0, FULL) } else { 0.0 }
}
