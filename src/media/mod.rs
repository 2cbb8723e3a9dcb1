//! Sound between the wire and the devices: codec, resampling, jitter buffer, levels, files. Pure: no I/O, no clock; time
//! is passed in. Everything inside is mono, 48 kHz, `f32` from −1 to 1; devices and files are brought to that at their
//! edges. Level 1.
//!
//! On the way out: [`resample::Capture`], [`level::Meter`], `opus::Encoder`, [`timeline::Timeline`]. On the way in:
//! `playout::Playout` (which decodes), [`level::Meter`], [`resample::Render`]. Samples and packets have no `Debug` that
//! would print them.

pub mod file;
pub mod level;
#[cfg(feature = "webrtc")]
pub mod opus;
#[cfg(feature = "webrtc")]
pub mod playout;
pub mod resample;
pub mod signal;
pub mod timeline;

#[cfg(test)]
mod tests;

/// Samples a second of everything in here.
pub const RATE: u32 = crate::rtp::CLOCK;

/// Samples of so many milliseconds.
pub const fn samples_of(milliseconds: u32) -> usize {
    (milliseconds * (RATE / 1_000)) as usize
}
