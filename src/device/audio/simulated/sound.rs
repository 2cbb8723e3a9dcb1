//! Sound files as mono at 48 kHz.

use std::io::Read;
use std::path::Path;

use crate::media::file::{self, Bound};

/// The largest file in bytes: five minutes of mono with 16 bits, or three of stereo.
const LARGEST: u64 = 32 * 1024 * 1024;

/// Reads a file whole. What is wrong is one clause.
pub(super) fn read(path: &Path) -> Result<Vec<f32>, String> {
    let opened = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    file::read(&bytes, Bound::default()).map_err(|error| error.to_string())
}
