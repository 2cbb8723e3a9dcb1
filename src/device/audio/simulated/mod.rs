//! Simulated microphones and speakers. They keep pace by the clock alone (tokio's, which a test may hold): what is due is
//! worked out whenever somebody asks, and no thread runs.

mod microphone;
mod sound;
mod speaker;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use microphone::SimulatedMicrophone;
pub use speaker::SimulatedSpeaker;

use super::Sound;
use super::stream::RATE;

/// What they work with.
fn form() -> Sound {
    Sound { channels: 1, rate: RATE, format: "f32".to_owned() }
}

/// A file's name as it is shown.
fn shown(path: &Path) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    file.chars().filter(|c| !c.is_control()).take(100).collect()
}
