//! ImageMagick on the same picture: `convert IN -resize '1024x1024>' -strip -define jpeg:extent=60KB OUT`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use image::RgbImage;

/// What came out, and how long the whole process took.
pub struct Made {
    /// The decoded result.
    pub pixels: RgbImage,
    /// Its bytes.
    pub bytes: usize,
    /// From start to end of the process.
    pub took: Duration,
}

/// Runs it once on a file.
pub fn convert(input: &Path) -> Made {
    let output = std::env::temp_dir().join(format!("agentcall-bench-{}.jpg", std::process::id()));
    let start = Instant::now();
    let status = Command::new("convert")
        .arg(input)
        .args(["-resize", "1024x1024>", "-strip", "-define", "jpeg:extent=60KB"])
        .arg(&output)
        .status()
        .expect("ImageMagick is installed");
    let took = start.elapsed();
    assert!(status.success(), "convert failed on {}", input.display());
    let jpeg = std::fs::read(&output).expect("it wrote a file");
    let _ = std::fs::remove_file(&output);
    Made { pixels: pixels(&jpeg), bytes: jpeg.len(), took }
}

/// How long the same process takes to start, read the same file and do nothing with it.
pub fn start_and_read(input: &Path) -> Duration {
    let start = Instant::now();
    let status = Command::new("convert").arg(input).arg("null:").status().expect("ImageMagick is installed");
    assert!(status.success());
    start.elapsed()
}

/// The pixels of a JPEG.
pub fn pixels(jpeg: &[u8]) -> RgbImage {
    image::load_from_memory(jpeg).expect("it decodes").into_rgb8()
}
