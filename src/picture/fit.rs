//! The JPEG that fits: at most 1,024 pixels a side and 61,440 bytes, baseline 4:2:0, no metadata of any kind.
//!
//! Size and quality are chosen together: as large as allowed, at the best quality that fits, but not under a floor;
//! under the floor a smaller sharp picture says more than a large smeared one. Each encoding teaches the next guess.

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::verify::verified;
use super::{Picture, PictureError};
use crate::redact::ImageBytes;

/// Longest side of an image on the wire, in pixels (§ Security, photos, and exact object lookup).
pub const MAX_SIDE: u32 = 1_024;
/// Most bytes of an image on the wire (§ Security, photos, and exact object lookup).
pub const MAX_JPEG_BYTES: usize = 61_440;

/// The best quality that is tried; more is not seen.
const BEST_QUALITY: u8 = 90;
/// Under this quality the picture is shrunk instead.
const FLOOR_QUALITY: u8 = 55;
/// What the guesses aim at, in thousandths of the bound: ever more careful, so that the last cannot miss.
const AIMS: [usize; 5] = [1_000, 950, 900, 750, 400];
/// A fit that uses this much of the bound, in thousandths, is not improved any further.
const GOOD_ENOUGH: usize = 820;

/// How far the mean of a channel may be from the source's, 0 to 255; more is not compression but a fault.
const MEAN_TOLERANCE: u8 = 24;

/// An image for the wire; every fact was taken from the final bytes by decoding them again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedJpeg {
    /// The JPEG: 1 to [`MAX_JPEG_BYTES`] bytes.
    pub jpeg: ImageBytes,
    /// Width in pixels, 1 to [`MAX_SIDE`].
    pub width: u32,
    /// Height in pixels, 1 to [`MAX_SIDE`].
    pub height: u32,
    /// The quality it was encoded with, 1 to 100.
    pub quality: u8,
    /// SHA-256 of the JPEG in lower-case hexadecimal.
    pub sha256: String,
    /// How many encodings it took.
    pub encodings: usize,
}

/// One try: at which size and quality, and what came out.
struct Try {
    side: u32,
    quality: u8,
    jpeg: Vec<u8>,
}

/// Makes the JPEG of `picture` that fits the wire. Small pictures are never enlarged.
///
/// # Errors
/// [`PictureError::Encoder`] when our own output does not pass [`super::verify()`]: our fault, nothing was sent.
pub fn fit(picture: &Picture) -> Result<FittedJpeg, PictureError> {
    let mut side = picture.width().max(picture.height()).min(MAX_SIDE);
    let mut quality = BEST_QUALITY;
    let mut best: Option<Try> = None;
    let mut scaled = picture.shrunk_to(side);
    let mut encodings = 0;
    for (index, aim) in AIMS.iter().enumerate() {
        if scaled.width().max(scaled.height()) != side {
            scaled = picture.shrunk_to(side);
        }
        let jpeg = encode(&scaled, quality)?;
        encodings = index + 1;
        let size = jpeg.len();
        let fits = size <= MAX_JPEG_BYTES;
        if fits && best.as_ref().is_none_or(|b| (b.side, b.quality) < (side, quality)) {
            best = Some(Try { side, quality, jpeg });
        }
        if fits && (quality == BEST_QUALITY || size * 1_000 >= MAX_JPEG_BYTES * GOOD_ENOUGH || *aim < 900) {
            break;
        }
        let next_aim = MAX_JPEG_BYTES * AIMS.get(index + 1).unwrap_or(&400) / 1_000;
        let next = guess(side, quality, size, next_aim);
        if next == (side, quality) {
            break;
        }
        (side, quality) = next;
    }
    finish(best, encodings, picture)
}

fn finish(best: Option<Try>, encodings: usize, source: &Picture) -> Result<FittedJpeg, PictureError> {
    let Some(Try { quality, jpeg, .. }) = best else {
        return Err(PictureError::Encoder { why: format!("it did not fit after {encodings} tries") });
    };
    let (facts, decoded) = verified(&jpeg).map_err(|e| PictureError::Encoder { why: e.to_string() })?;
    if facts.has_metadata {
        return Err(PictureError::Encoder { why: "the encoder wrote metadata".into() });
    }
    let (wanted, got) = (source.mean_rgb(), decoded.mean_rgb());
    if wanted.iter().zip(got).any(|(a, b)| a.abs_diff(b) > MEAN_TOLERANCE) {
        return Err(PictureError::Encoder { why: "its colours came out wrong".into() });
    }
    let (width, height, sha256) = (facts.width, facts.height, facts.sha256);
    Ok(FittedJpeg { jpeg: ImageBytes::new(jpeg), width, height, quality, sha256, encodings })
}

/// Where to try next, when `side` at `quality` gave `size` bytes and `aim` bytes are wanted.
fn guess(side: u32, quality: u8, size: usize, aim: usize) -> (u32, u8) {
    let ratio = aim as f64 / size.max(1) as f64;
    // The size of photographs falls with about the 0.6th power of the quantiser.
    let wanted = quality_of(quantiser(quality) * ratio.powf(-1.0 / 0.6));
    if wanted >= f64::from(FLOOR_QUALITY) || ratio >= 1.0 {
        let most = if ratio < 1.0 { quality.saturating_sub(1) } else { BEST_QUALITY };
        return (side, (wanted.floor().clamp(1.0, 100.0) as u8).clamp(FLOOR_QUALITY.min(most), most));
    }
    // Down to the floor first; what is still too much is taken off the area.
    let at_floor = (quantiser(quality) / quantiser(FLOOR_QUALITY)).powf(0.6).min(1.0) * size as f64;
    let area = (aim as f64 / at_floor).min(0.98);
    (((f64::from(side) * area.sqrt()).floor() as u32).max(1), FLOOR_QUALITY.min(quality))
}

/// The factor by which the quality scale multiplies the quantisation tables.
fn quantiser(quality: u8) -> f64 {
    let q = f64::from(quality.clamp(1, 100));
    if q < 50.0 { 50.0 / q } else { ((100.0 - q) / 50.0).max(0.01) }
}

fn quality_of(quantiser: f64) -> f64 {
    if quantiser > 1.0 { 50.0 / quantiser } else { 100.0 - 50.0 * quantiser }
}

fn encode(picture: &Picture, quality: u8) -> Result<Vec<u8>, PictureError> {
    let wrong = |why: String| PictureError::Encoder { why };
    let width = u16::try_from(picture.width()).map_err(|e| wrong(e.to_string()))?;
    let height = u16::try_from(picture.height()).map_err(|e| wrong(e.to_string()))?;
    let mut out = Vec::with_capacity(MAX_JPEG_BYTES);
    let mut encoder = Encoder::new(&mut out, quality);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    // Not `set_optimized_huffman_tables`: it writes one scan a component, which is allowed but rare, and decoders
    // (zune-jpeg 0.5.15 among them) get the subsampled colours of such files wrong.
    encoder.encode(picture.expose_rgb(), width, height, ColorType::Rgb).map_err(|e| wrong(e.to_string()))?;
    Ok(out)
}
