//! Sound files as mono at 48 kHz.

use std::io::Read;
use std::path::Path;

/// The largest file in bytes: six minutes of stereo with 16 bits.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Reads a file whole. What is wrong is one clause.
pub(super) fn read(path: &Path) -> Result<Vec<f32>, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    wav(&bytes)
}

fn wav(bytes: &[u8]) -> Result<Vec<f32>, String> {
    let mut reader = hound::WavReader::new(bytes).map_err(|error| error.to_string())?;
    let form = reader.spec();
    if form.sample_rate != 48_000 {
        return Err(format!("it has {} samples a second, and only 48000 can be read", form.sample_rate));
    }
    #[expect(clippy::cast_precision_loss, reason = "a sample is that coarse")]
    let samples: Result<Vec<f32>, hound::Error> = match form.sample_format {
        hound::SampleFormat::Float => reader.samples::<f32>().collect(),
        hound::SampleFormat::Int => {
            let full = (1_i64 << (form.bits_per_sample - 1)) as f32;
            reader.samples::<i32>().map(|sample| Ok(sample? as f32 / full)).collect()
        }
    };
    let samples = samples.map_err(|error| error.to_string())?;
    let channels = f32::from(form.channels);
    Ok(samples.chunks_exact(form.channels.into()).map(|frame| frame.iter().sum::<f32>() / channels).collect())
}
