//! Taking out and putting in single pitch periods, so that sound plays faster or slower at the same pitch.

use std::collections::VecDeque;

use crate::media::samples_of;

/// What is compared and faded: 10 ms.
const WINDOW: usize = samples_of(10);
/// The periods that are looked for: 2.5 to 15 ms, which is 66 to 400 Hz; two or more of a higher voice.
const LAGS: std::ops::RangeInclusive<usize> = samples_of(5) / 2..=samples_of(15);
/// How alike two places must be.
const ALIKE: f32 = 0.6;
/// Below this mean square it is quiet enough for any cut: −55 dBFS.
const QUIET: f32 = 3.2e-6;

/// Takes out one period near the beginning, if there is enough sound and one place in it is like another. Gives how many
/// samples went.
pub(super) fn shorten(sound: &mut VecDeque<f32>) -> usize {
    let Some(lag) = period(sound) else { return 0 };
    let samples = sound.make_contiguous();
    for at in 0..WINDOW {
        samples[at + lag] = fade(samples[at], samples[at + lag], at);
    }
    sound.drain(..lag);
    lag
}

/// Puts in one period at the beginning, likewise.
pub(super) fn lengthen(sound: &mut VecDeque<f32>) -> usize {
    let Some(lag) = period(sound) else { return 0 };
    let samples = sound.make_contiguous();
    // What comes first is heard, then it goes over into itself.
    let first: Vec<f32> = samples[..lag].to_vec();
    for at in 0..WINDOW {
        samples[at] = fade(first_or(&first, samples, at + lag), samples[at], at);
    }
    for sample in first.into_iter().rev() {
        sound.push_front(sample);
    }
    lag
}

/// The sample at `at` as it was before the first ones were changed.
fn first_or(first: &[f32], samples: &[f32], at: usize) -> f32 {
    first.get(at).copied().unwrap_or(samples[at])
}

/// From the one to the other.
#[allow(clippy::cast_precision_loss, reason = "a few hundred samples")]
fn fade(from: f32, to: f32, at: usize) -> f32 {
    let part = at as f32 / WINDOW as f32;
    from * (1.0 - part) + to * part
}

/// The distance at which the sound is most like its beginning.
fn period(sound: &mut VecDeque<f32>) -> Option<usize> {
    let samples = sound.make_contiguous();
    let longest = samples.len().min(LAGS.end() + WINDOW);
    if longest < LAGS.start() + WINDOW {
        return None;
    }
    let head = &samples[..WINDOW];
    let energy = power(head);
    if energy < QUIET && power(&samples[..longest]) < QUIET {
        return Some((longest - WINDOW).min(samples_of(10)));
    }
    let mut best = (ALIKE, None);
    for lag in *LAGS.start()..=longest - WINDOW {
        let there = &samples[lag..lag + WINDOW];
        let product: f32 = head.iter().zip(there).map(|(a, b)| a * b).sum::<f32>() / WINDOW as f32;
        let alike = product / (energy * power(there)).sqrt().max(f32::MIN_POSITIVE);
        if alike > best.0 {
            best = (alike, Some(lag));
        }
    }
    best.1
}

#[allow(clippy::cast_precision_loss, reason = "a few hundred samples")]
fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len().max(1) as f32
}
