//! How well a picture is encoded: one scale of quality, colour and tables together, from the worst to the best.

use jpeg_encoder::{ColorType, Encoder, QuantizationTableType, SamplingFactor};

use super::{MAX_JPEG_BYTES, Picture, PictureError};

/// A step of the scale. Up to [`Grade::SUBSAMPLED`] it is the quality with the colours at a quarter of the pixels
/// (4:2:0); above, the colours keep all pixels (4:4:4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Grade(u8);

impl Grade {
    /// The floor: under it a smaller picture is more like the source than a coarser one (docs/pictures.md).
    pub const LOWEST: Self = Self(7);
    /// The best with a quarter of the colours; room beyond it is better spent on whole ones.
    const SUBSAMPLED: u8 = 93;
    /// The quality with whole colours that costs about as much as the next step of the others.
    const WHOLE_FROM: u8 = 89;
    /// Quality 95 with whole colours: more is not seen.
    pub const HIGHEST: Self = Self(Self::SUBSAMPLED + 95 - Self::WHOLE_FROM + 1);
    /// Under this quality, and with whole colours, tables tuned for structure (MS-SSIM) do better; between them those
    /// of N. Robidoux.
    const TUNED_BELOW: u8 = 50;

    /// The quality that scales the tables, 1 to 100.
    pub fn quality(self) -> u8 {
        if self.has_whole_colours() { self.0 - Self::SUBSAMPLED - 1 + Self::WHOLE_FROM } else { self.0 }
    }

    /// Whether the colours keep all pixels.
    pub fn has_whole_colours(self) -> bool {
        self.0 > Self::SUBSAMPLED
    }

    /// The next better one.
    pub fn better(self) -> Option<Self> {
        (self < Self::HIGHEST).then(|| Self(self.0 + 1))
    }

    /// The next worse one.
    pub fn worse(self) -> Option<Self> {
        (self > Self::LOWEST).then(|| Self(self.0 - 1))
    }

    /// About the factor on the quantisation tables: 1 at quality 50, small for fine grades.
    pub fn coarseness(self) -> f64 {
        let above = self.0.saturating_sub(Self::SUBSAMPLED);
        // A step with whole colours is worth about six tenths of one without.
        let quality = f64::from(self.0 - above) + f64::from(above) * 0.6;
        if quality < 50.0 { 50.0 / quality } else { (100.0 - quality) / 50.0 }
    }

    /// The best grade that is no finer than this.
    pub fn of_coarseness(coarseness: f64) -> Self {
        let mut grade = Self::HIGHEST;
        while grade.coarseness() < coarseness
            && let Some(worse) = grade.worse()
        {
            grade = worse;
        }
        grade
    }

    fn tables(self) -> QuantizationTableType {
        if self.has_whole_colours() || self.quality() < Self::TUNED_BELOW {
            QuantizationTableType::CustomMsSsim
        } else {
            QuantizationTableType::ImageMagick
        }
    }
}

/// The baseline JPEG of a picture at a grade, without metadata.
///
/// # Errors
/// [`PictureError::Encoder`]: our fault.
pub(super) fn encode(picture: &Picture, grade: Grade) -> Result<Vec<u8>, PictureError> {
    let wrong = |why: String| PictureError::Encoder { why };
    let width = u16::try_from(picture.width()).map_err(|e| wrong(e.to_string()))?;
    let height = u16::try_from(picture.height()).map_err(|e| wrong(e.to_string()))?;
    let mut out = Vec::with_capacity(MAX_JPEG_BYTES);
    let mut encoder = Encoder::new(&mut out, grade.quality());
    let sampling = if grade.has_whole_colours() { SamplingFactor::F_1_1 } else { SamplingFactor::F_2_2 };
    encoder.set_sampling_factor(sampling);
    encoder.set_quantization_tables(grade.tables(), grade.tables());
    // Not `set_optimized_huffman_tables`: it writes one scan a component, which is allowed but rare, and decoders
    // (zune-jpeg 0.5.15 among them) get the subsampled colours of such files wrong.
    encoder.encode(picture.expose_rgb(), width, height, ColorType::Rgb).map_err(|e| wrong(e.to_string()))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::Grade;

    #[test]
    fn every_step_up_is_finer() {
        let mut grade = Grade::LOWEST;
        while let Some(better) = grade.better() {
            assert!(better.coarseness() < grade.coarseness(), "{grade:?}");
            assert_eq!(Grade::of_coarseness(grade.coarseness()), grade);
            assert_eq!(better.worse(), Some(grade));
            grade = better;
        }
        assert_eq!((grade, grade.quality(), grade.has_whole_colours()), (Grade::HIGHEST, 95, true));
        assert_eq!(Grade::of_coarseness(1_000.0), Grade::LOWEST);
        assert_eq!(Grade::of_coarseness(0.0), Grade::HIGHEST);
    }
}
