//! Sounds that are made, and found again: for `devices --loopback`, simulated microphones, tests and measurements.

use std::f64::consts::TAU;

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use super::{RATE, samples_of};

/// The length of [`chirp`]: 100 ms.
pub const CHIRP: usize = samples_of(100);
/// From where to where it sweeps, in Hz: what telephones and small speakers carry, and Opus at any rate.
const SWEEP: (f64, f64) = (400.0, 3_600.0);
/// Most of a recording that is searched: a minute.
const LONGEST: usize = samples_of(60_000);

/// A sine of a frequency in Hz and an amplitude, which goes on without a seam.
#[derive(Clone, Debug)]
pub struct Tone {
    /// Turns, from 0 to 1, and turns a sample.
    phase: f64,
    step: f64,
    amplitude: f64,
}

impl Tone {
    /// A sine that begins at its zero.
    pub fn new(frequency: f64, amplitude: f64) -> Self {
        Self { phase: 0.0, step: frequency / f64::from(RATE), amplitude }
    }
}

impl Iterator for Tone {
    type Item = f32;

    #[allow(clippy::cast_possible_truncation, reason = "samples are f32")]
    fn next(&mut self) -> Option<f32> {
        let sample = (self.phase * TAU).sin() * self.amplitude;
        self.phase = (self.phase + self.step).fract();
        Some(sample as f32)
    }
}

/// So many samples of a sine.
pub fn tone(frequency: f64, amplitude: f64, samples: usize) -> Vec<f32> {
    Tone::new(frequency, amplitude).take(samples).collect()
}

/// So many samples of nothing.
pub fn silence(samples: usize) -> Vec<f32> {
    vec![0.0; samples]
}

/// A sweep upwards of [`CHIRP`] samples that fades in and out: it is like nothing that is said, and like itself at one
/// place only.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "100 ms of samples")]
pub fn chirp(amplitude: f64) -> Vec<f32> {
    let length = CHIRP as f64;
    let seconds = length / f64::from(RATE);
    (0..CHIRP)
        .map(|at| {
            let part = at as f64 / length;
            let turns = (SWEEP.0 * part + (SWEEP.1 - SWEEP.0) * part * part / 2.0) * seconds;
            let fade = (part.min(1.0 - part) * 10.0).min(1.0);
            ((turns * TAU).sin() * amplitude * (fade * TAU / 4.0).sin()) as f32
        })
        .collect()
}

/// Where a sound was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The sample at which it begins.
    pub at: usize,
    /// How alike both are, from 0 to 1, whatever their loudness; 1 is the sound itself. Of noise, 100 ms come to about 0.1.
    pub confidence: f64,
}

/// Where a recording is most like [`chirp`]; nowhere if it is shorter. Only its first minute is searched.
pub fn find_chirp(recording: &[f32]) -> Option<Found> {
    find(recording, &chirp(1.0))
}

/// Where a recording is most like a sound, by correlation; nowhere if it is shorter, or silent.
pub fn find(recording: &[f32], sound: &[f32]) -> Option<Found> {
    let recording = &recording[..recording.len().min(LONGEST)];
    let length = sound.len();
    let places = (recording.len() + 1).checked_sub(length).filter(|&places| places > 0 && length > 0)?;
    let correlation = correlate(recording, sound)?;
    let energy = |samples: &[f32]| samples.iter().map(|&s| f64::from(s) * f64::from(s)).sum::<f64>();
    let own = energy(sound);
    let mut under = energy(&recording[..length]);
    // What lies so far below the whole is rounding, not sound.
    let least = energy(recording) * 1e-9;
    let mut best: Option<Found> = None;
    for (at, correlation) in correlation.iter().take(places).enumerate() {
        if under > least && under > 0.0 {
            let confidence = (f64::from(*correlation) / (own * under).sqrt()).clamp(0.0, 1.0);
            if best.is_none_or(|best| confidence > best.confidence) {
                best = Some(Found { at, confidence });
            }
        }
        if let Some(&coming) = recording.get(at + length) {
            under += f64::from(coming).powi(2) - f64::from(recording[at]).powi(2);
        }
    }
    best
}

/// The sum of products of a sound and the recording from each sample on.
#[allow(clippy::cast_precision_loss, reason = "a minute of samples")]
fn correlate(recording: &[f32], sound: &[f32]) -> Option<Vec<f32>> {
    let size = (recording.len() + sound.len()).next_power_of_two();
    let mut planner = RealFftPlanner::<f32>::new();
    let (forward, back) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let spectrum = |samples: &[f32]| -> Option<Vec<Complex<f32>>> {
        let mut padded = vec![0.0; size];
        let finite = samples.iter().map(|&s| if s.is_finite() { s } else { 0.0 });
        padded.iter_mut().zip(finite).for_each(|(to, from)| *to = from);
        let mut spectrum = forward.make_output_vec();
        forward.process(&mut padded, &mut spectrum).ok()?;
        Some(spectrum)
    };
    let mut product = spectrum(recording)?;
    product.iter_mut().zip(spectrum(sound)?).for_each(|(a, b)| *a *= b.conj() / size as f32);
    // The ends of a real spectrum have no imaginary part; rounding may have left one.
    for end in [0, size / 2] {
        product[end].im = 0.0;
    }
    let mut correlation = back.make_output_vec();
    back.process(&mut product, &mut correlation).ok()?;
    Some(correlation)
}

/// The amplitude of one frequency in a sound, by the algorithm of Goertzel: a sine of 0.5 gives 0.5.
#[allow(clippy::cast_precision_loss, reason = "seconds of samples")]
pub fn goertzel(samples: &[f32], frequency: f64) -> f64 {
    let angle = TAU * frequency / f64::from(RATE);
    let double = 2.0 * angle.cos();
    let (mut last, mut before) = (0.0, 0.0);
    for &sample in samples {
        (last, before) = (f64::from(sample) + double * last - before, last);
    }
    let power = last * last + before * before - double * last * before;
    if samples.is_empty() { 0.0 } else { 2.0 * power.max(0.0).sqrt() / samples.len() as f64 }
}

/// The loudest frequency in a sound, in Hz, to a tenth of 48 kHz by its number of samples; none in silence or in fewer
/// than 64 samples. Only the first minute counts.
#[allow(clippy::cast_precision_loss, reason = "a minute of samples")]
pub fn dominant(samples: &[f32]) -> Option<f64> {
    let samples = &samples[..samples.len().min(LONGEST)];
    if samples.len() < 64 {
        return None;
    }
    let length = samples.len() as f64;
    let forward = RealFftPlanner::<f64>::new().plan_fft_forward(samples.len());
    let windowed = |(at, &sample): (usize, &f32)| {
        f64::from(if sample.is_finite() { sample } else { 0.0 })
            * (0.5 - 0.5 * (TAU * at as f64 / length).cos())
    };
    let mut windowed: Vec<f64> = samples.iter().enumerate().map(windowed).collect();
    let mut spectrum = forward.make_output_vec();
    forward.process(&mut windowed, &mut spectrum).ok()?;
    let loudness: Vec<f64> = spectrum.iter().map(|bin| bin.norm()).collect();
    // Beside zero lies what is constant, spread by the window.
    let inner = 2..loudness.len() - 1;
    let top = inner.max_by(|&a, &b| loudness[a].total_cmp(&loudness[b]))?;
    if loudness[top] < 1e-9 * length {
        return None;
    }
    // A parabola through the logarithms of the three highest points.
    let [left, middle, right] = [top - 1, top, top + 1].map(|bin| loudness[bin].max(f64::MIN_POSITIVE).ln());
    let bend = left - 2.0 * middle + right;
    let aside = if bend.abs() > f64::EPSILON { (left - right) / (2.0 * bend) } else { 0.0 };
    Some((top as f64 + aside.clamp(-0.5, 0.5)) * f64::from(RATE) / length)
}

/// How far a sine of a frequency stands above all else in a sound, in dB, whatever its amplitude and phase: noise,
/// seams, holes and distortion all count against it.
#[allow(clippy::cast_precision_loss, reason = "seconds of samples")]
pub fn purity(samples: &[f32], frequency: f64) -> f64 {
    let turn = |at: usize| (TAU * (frequency * at as f64 / f64::from(RATE)).fract()).sin_cos();
    // Least squares of a sine and a cosine.
    let (mut ss, mut sc, mut cc, mut xs, mut xc, mut xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (at, &sample) in samples.iter().enumerate() {
        let ((s, c), x) = (turn(at), f64::from(sample));
        ss += s * s;
        sc += s * c;
        cc += c * c;
        xs += x * s;
        xc += x * c;
        xx += x * x;
    }
    let determinant = ss * cc - sc * sc;
    if determinant.abs() < f64::EPSILON {
        return 0.0;
    }
    let (a, b) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant);
    let fitted = a * xs + b * xc;
    10.0 * (fitted.max(1e-20) / (xx - fitted).max(1e-20)).log10()
}
