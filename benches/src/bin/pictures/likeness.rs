//! How alike two pictures are: the mean structural similarity (SSIM) of the three channels, at the size of the source.
//!
//! What was made smaller is first enlarged to the source's size, always by the same filter, so that a smaller picture
//! pays for what it lost.

use image::imageops::{FilterType, resize};
use image::{GrayImage, RgbImage};
use image_compare::{Algorithm, gray_similarity_structure};

/// SSIM of `made` against `source`: 1 is the same picture.
pub fn ssim(source: &RgbImage, made: &RgbImage) -> f64 {
    let (width, height) = source.dimensions();
    let made = if made.dimensions() == (width, height) {
        made.clone()
    } else {
        resize(made, width, height, FilterType::CatmullRom)
    };
    let of = |channel| {
        gray_similarity_structure(&Algorithm::MSSIMSimple, &plane(source, channel), &plane(&made, channel))
            .expect("both have one size")
            .score
    };
    (of(0) + of(1) + of(2)) / 3.0
}

fn plane(picture: &RgbImage, channel: usize) -> GrayImage {
    let bytes = picture.as_raw().iter().skip(channel).step_by(3).copied().collect();
    GrayImage::from_raw(picture.width(), picture.height(), bytes).expect("a byte a pixel")
}
