//! How loud sound is: for the meters on the screen, for `expect audio level`, and for a microphone that is dead.
//!
//! Time is counted in samples: a meter that is given nothing stands still, so that its owner gives it silence, too.

use super::{RATE, samples_of};

/// What silence is shown as, in dBFS; nothing is shown as less.
pub const FLOOR_DB: f32 = -100.0;
/// From this part of full scale on a sample counts as clipped: what 16 bits can hold at most lies above it.
pub const CLIPPING: f32 = 0.999;
/// How long the hold stands before it falls.
const HOLD: usize = samples_of(1_500);
/// How fast the hold falls then, in dB a second.
const FALL: f32 = 20.0;
/// What rms and peak look back on: as long as an eye takes to see one state of a meter.
const WINDOW: usize = samples_of(50);
/// How long clipping stays told.
const CLIPPED: usize = samples_of(1_000);
/// Exact zeros for longer than this are no room, however quiet.
pub const DEAD: usize = samples_of(2_000);

/// What a meter shows. All in dBFS, from [`FLOOR_DB`]: 0 is full scale, and a sine of full scale has an rms of −3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Root of the mean square of the last 50 ms.
    pub rms_db: f32,
    /// The largest sample of the last 50 ms.
    pub peak_db: f32,
    /// The largest sample so far, which stands for 1.5 s and then falls by 20 dB a second.
    pub peak_hold_db: f32,
    /// Whether a sample was at full scale during the last second.
    pub clipped: bool,
}

impl Level {
    /// Silence.
    pub const SILENT: Self =
        Self { rms_db: FLOOR_DB, peak_db: FLOOR_DB, peak_hold_db: FLOOR_DB, clipped: false };
}

/// Measures sound as it passes.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Sums of squares and peaks of the windows that are over and of the one that is being filled.
    done: Window,
    filling: Window,
    hold_db: f32,
    /// Samples since the hold was set, and since the last clipped one; none has been.
    held: usize,
    clipped: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    samples: usize,
    squares: f64,
    peak: f32,
}

impl Window {
    fn add(&mut self, samples: &[f32]) {
        self.samples += samples.len();
        for &sample in samples {
            let sample = if sample.is_finite() { sample } else { 0.0 };
            self.squares += f64::from(sample) * f64::from(sample);
            self.peak = self.peak.max(sample.abs());
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a level is shown in whole dB"
    )]
    fn rms(&self) -> f32 {
        if self.samples == 0 { 0.0 } else { (self.squares / self.samples as f64).sqrt() as f32 }
    }
}

impl Default for Meter {
    fn default() -> Self {
        let (done, filling) = (Window::default(), Window::default());
        Self { done, filling, hold_db: FLOOR_DB, held: 0, clipped: None }
    }
}

impl Meter {
    /// A meter that has heard nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hears more sound, at 48 kHz. What is no number counts as silence.
    pub fn add(&mut self, mut samples: &[f32]) {
        while !samples.is_empty() {
            let (now, later) = samples.split_at(samples.len().min(WINDOW - self.filling.samples));
            let mut part = Window::default();
            part.add(now);
            self.filling.samples += part.samples;
            self.filling.squares += part.squares;
            self.filling.peak = self.filling.peak.max(part.peak);
            self.age(&part);
            if self.filling.samples == WINDOW {
                self.done = std::mem::take(&mut self.filling);
            }
            samples = later;
        }
    }

    fn age(&mut self, part: &Window) {
        let before = self.held;
        self.held += part.samples;
        let falling = self.held.saturating_sub(before.max(HOLD));
        self.hold_db = (self.hold_db - FALL * seconds(falling)).max(FLOOR_DB);
        let peak = decibels(part.peak);
        if peak >= self.hold_db {
            (self.hold_db, self.held) = (peak, 0);
        }
        self.clipped =
            if part.peak >= CLIPPING { Some(0) } else { self.clipped.map(|since| since + part.samples) };
    }

    /// What it shows now.
    pub fn read(&self) -> Level {
        // A window that has hardly begun says little: until it is half full, the one before counts.
        let shown = if self.filling.samples * 2 >= WINDOW || self.done.samples == 0 {
            self.filling
        } else {
            self.done
        };
        Level {
            rms_db: decibels(shown.rms()),
            peak_db: decibels(shown.peak),
            peak_hold_db: self.hold_db,
            clipped: self.clipped.is_some_and(|since| since < CLIPPED),
        }
    }
}

/// Notices an input that gives exact zeros: a microphone that the system does not let us hear gives them, a room never does.
#[derive(Clone, Debug, Default)]
pub struct DeadInput {
    zeros: usize,
}

impl DeadInput {
    /// An input of which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hears more sound at 48 kHz, and says whether there has been nothing but exact zeros for over two seconds.
    pub fn add(&mut self, samples: &[f32]) -> bool {
        match samples.iter().rposition(|&sample| sample != 0.0) {
            Some(last) => self.zeros = samples.len() - 1 - last,
            None => self.zeros = self.zeros.saturating_add(samples.len()),
        }
        self.zeros > DEAD
    }
}

/// A part of full scale in dBFS, at least [`FLOOR_DB`].
pub fn decibels(amplitude: f32) -> f32 {
    // `max` takes the number where the other is none.
    (20.0 * amplitude.log10()).max(FLOOR_DB)
}

#[allow(clippy::cast_precision_loss, reason = "a few seconds at most")]
fn seconds(samples: usize) -> f32 {
    samples as f32 / RATE as f32
}
