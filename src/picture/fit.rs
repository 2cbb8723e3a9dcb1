//! The JPEG that fits: at most 1,024 pixels a side and 61,440 bytes, baseline, no metadata of any kind.
//!
//! Size and quality are chosen together in at most five encodings: as large as allowed, at the best [`Grade`] that
//! fits; only below the lowest one is the picture made smaller. Which encoder, which tables and where the floor lies
//! was found by comparison (docs/pictures.md).

use super::decode::Whose;
use super::grade::{Grade, encode};
use super::verify::verified;
use super::{Picture, PictureError};
use crate::redact::ImageBytes;

/// Longest side of an image on the wire, in pixels (§ Security, photos, and exact object lookup).
pub const MAX_SIDE: u32 = 1_024;
/// Most bytes of an image on the wire (§ Security, photos, and exact object lookup).
pub const MAX_JPEG_BYTES: usize = 61_440;

/// Most encodings of one picture.
const TRIES: usize = 5;
/// What the guesses aim at while nothing fits, in thousandths of the bound: ever more careful, so that the last
/// cannot miss.
const AIMS: [usize; TRIES] = [985, 980, 960, 850, 400];
/// What the guesses aim at once something fits.
const AIM_ABOVE: usize = 990;
/// A fit that uses this much of the bound, in thousandths, is not improved any further.
const GOOD_ENOUGH: usize = 965;
/// Bytes a pixel of an ordinary photograph at a coarseness of 1: where the first guess comes from.
const BYTES_A_PIXEL: f64 = 0.065;
/// The size of photographs falls with about this power of the coarseness; two encodings tell it better.
const POWER: f64 = 0.6;
/// What is believed of two encodings.
const POWERS: std::ops::RangeInclusive<f64> = 0.2..=2.5;

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

/// What was tried at the present size.
struct Search {
    side: u32,
    /// The best that fits.
    best: Option<(Grade, Vec<u8>)>,
    /// The lowest grade that does not fit.
    over: Option<Grade>,
    /// The last two encodings: coarseness and bytes.
    seen: [Option<(f64, usize)>; 2],
}

/// Makes the JPEG of `picture` that fits the wire. Small pictures are never enlarged.
///
/// # Errors
/// [`PictureError::Encoder`] when our own output does not pass [`super::verify()`]: our fault, nothing was sent.
pub fn fit(picture: &Picture) -> Result<FittedJpeg, PictureError> {
    let mut search = Search::at(picture.width().max(picture.height()).min(MAX_SIDE));
    let mut scaled = picture.shrunk_to(search.side);
    let mut grade = first_guess(&scaled);
    let mut encodings = 0;
    while encodings < TRIES {
        let jpeg = encode(&scaled, grade)?;
        encodings += 1;
        match search.learn(grade, jpeg, encodings) {
            Next::Done => break,
            Next::Grade(next) => grade = next,
            Next::Shrink(side) => {
                scaled = picture.shrunk_to(side);
                search = Search::at(side);
                grade = Grade::LOWEST;
            }
        }
    }
    finish(search.best, encodings, picture)
}

/// What to do after an encoding.
enum Next {
    Done,
    Grade(Grade),
    Shrink(u32),
}

impl Search {
    const fn at(side: u32) -> Self {
        Self { side, best: None, over: None, seen: [None, None] }
    }

    fn learn(&mut self, grade: Grade, jpeg: Vec<u8>, encodings: usize) -> Next {
        let size = jpeg.len();
        let careful = AIMS[encodings.min(TRIES - 1)];
        if size <= MAX_JPEG_BYTES {
            let done = grade == Grade::HIGHEST || size * 1_000 >= MAX_JPEG_BYTES * GOOD_ENOUGH;
            self.best = Some((grade, jpeg));
            if done {
                return Next::Done;
            }
        } else if grade == Grade::LOWEST {
            // What is still too much is taken off the area; a smaller picture is a smoother one, so less will do.
            let ratio = share(careful) / size as f64;
            let area = ratio.powf(POWER).min(0.98);
            return Next::Shrink(((f64::from(self.side) * area.sqrt()).floor() as u32).max(1));
        } else {
            self.over = Some(grade);
        }
        let aim = if self.best.is_some() { AIM_ABOVE } else { careful };
        self.seen = [self.seen[1], Some((grade.coarseness(), size))];
        let wanted = grade.coarseness() * (share(aim) / size as f64).powf(-1.0 / self.power());
        self.between(Grade::of_coarseness(wanted))
    }

    /// How fast the size of this picture falls with the coarseness.
    fn power(&self) -> f64 {
        let [Some((c0, s0)), Some((c1, s1))] = self.seen else { return POWER };
        let power = -(s1 as f64 / s0 as f64).ln() / (c1 / c0).ln();
        if POWERS.contains(&power) { power } else { POWER }
    }

    /// The guess, kept between what fits and what does not; done when nothing lies between.
    fn between(&self, guess: Grade) -> Next {
        let low = self.best.as_ref().map_or(Some(Grade::LOWEST), |(grade, _)| grade.better());
        let high = self.over.map_or(Some(Grade::HIGHEST), Grade::worse);
        match (low, high) {
            (Some(low), Some(high)) if low <= high => Next::Grade(guess.clamp(low, high)),
            _ => Next::Done,
        }
    }
}

fn first_guess(picture: &Picture) -> Grade {
    let pixels = f64::from(picture.width()) * f64::from(picture.height());
    Grade::of_coarseness((share(AIMS[0]) / (pixels * BYTES_A_PIXEL)).powf(-1.0 / POWER))
}

/// So many thousandths of the bound, in bytes.
fn share(thousandths: usize) -> f64 {
    (MAX_JPEG_BYTES * thousandths) as f64 / 1_000.0
}

fn finish(
    best: Option<(Grade, Vec<u8>)>,
    encodings: usize,
    source: &Picture,
) -> Result<FittedJpeg, PictureError> {
    let Some((grade, jpeg)) = best else {
        return Err(PictureError::Encoder { why: format!("it did not fit after {encodings} tries") });
    };
    let (facts, decoded) =
        verified(&jpeg, Whose::Ours).map_err(|e| PictureError::Encoder { why: e.to_string() })?;
    if facts.has_metadata {
        return Err(PictureError::Encoder { why: "the encoder wrote metadata".into() });
    }
    // Averaging the colours of four pixels can shift the mean of a picture of stark dots; that is no fault.
    let tolerance = if grade.has_whole_colours() { MEAN_TOLERANCE } else { MEAN_TOLERANCE * 3 };
    let (wanted, got) = (source.mean_rgb(), decoded.mean_rgb());
    if wanted.iter().zip(got).any(|(a, b)| a.abs_diff(b) > tolerance) {
        return Err(PictureError::Encoder { why: "its colours came out wrong".into() });
    }
    let (width, height, sha256) = (facts.width, facts.height, facts.sha256);
    let quality = grade.quality();
    Ok(FittedJpeg { jpeg: ImageBytes::new(jpeg), width, height, quality, sha256, encodings })
}
