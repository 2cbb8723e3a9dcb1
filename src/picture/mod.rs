//! Pictures: bounded decoding, orientation, resizing, the JPEG that fits the wire, and its verification. Pure. Level 1.
//!
//! Order for a producer: [`decode`] (or a camera's raw frame through [`Picture::from_rgb`]), the user's
//! [`Picture::turned`]s while reviewing, then [`fit`]. A receiver calls [`verify`] and nothing else. What is drawn
//! on screen is a [`Thumbnail`]. Bytes of pictures are redacted types all the way.

mod decode;
mod demo;
mod fit;
mod grade;
mod jpeg;
pub mod raw;
mod test_card;
mod thumbnail;
mod verify;

use std::fmt;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, RgbImage};
use zeroize::Zeroize;

use crate::units::Bytes;

pub use decode::{MAX_FILE_BYTES, MAX_SOURCE_SIDE, MAX_WORKING_BYTES, decode};
pub use demo::{DemoPicture, demo_picture};
pub use fit::{FittedJpeg, MAX_JPEG_BYTES, MAX_SIDE, fit};
pub use test_card::test_card;
pub use thumbnail::Thumbnail;
pub use verify::{JpegFacts, verify};

/// A decoded picture: upright, opaque, eight bits a channel, at least one pixel. Printed as `[picture 640×480]`;
/// wiped when dropped.
#[derive(Clone, PartialEq)]
pub struct Picture {
    /// Always `ImageRgb8`: its methods are compiled, optimised, inside `image`.
    image: DynamicImage,
}

/// What the keys `[`, `]` and `|` do to a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turning {
    /// A quarter turn against the clock.
    Left,
    /// A quarter turn with the clock.
    Right,
    /// Left and right exchanged.
    Mirror,
}

impl Picture {
    /// Takes `width × height` pixels of three bytes (R, G, B), row by row, without padding.
    ///
    /// # Errors
    /// [`PictureError::Degenerate`] for a side of zero, [`PictureError::TooLarge`] for one over
    /// [`MAX_SOURCE_SIDE`], [`PictureError::Damaged`] when the number of bytes is another.
    pub fn from_rgb(width: u32, height: u32, rgb: Vec<u8>) -> Result<Self, PictureError> {
        check_sides(width, height)?;
        if rgb.len() as u64 != u64::from(width) * u64::from(height) * 3 {
            return Err(PictureError::Damaged { why: "the number of bytes does not match its size".into() });
        }
        let Some(image) = RgbImage::from_raw(width, height, rgb) else {
            return Err(PictureError::Damaged { why: "the number of bytes does not match its size".into() });
        };
        Ok(Self::from_image(image))
    }

    fn from_image(image: RgbImage) -> Self {
        Self { image: DynamicImage::ImageRgb8(image) }
    }

    /// Width in pixels, at least 1.
    pub fn width(&self) -> u32 {
        self.image.width()
    }

    /// Height in pixels, at least 1.
    pub fn height(&self) -> u32 {
        self.image.height()
    }

    /// The pixels, three bytes each, row by row; for encoding and drawing, for nothing else.
    pub fn expose_rgb(&self) -> &[u8] {
        self.image.as_bytes()
    }

    /// The picture after one of the user's keys.
    #[must_use]
    pub fn turned(&self, turning: Turning) -> Self {
        let image = match turning {
            Turning::Left => self.image.rotate270(),
            Turning::Right => self.image.rotate90(),
            Turning::Mirror => self.image.fliph(),
        };
        Self { image }
    }

    /// The picture with no side longer than `side`, in proportion, never enlarged, never thinner than one pixel.
    #[must_use]
    pub fn shrunk_to(&self, side: u32) -> Self {
        let (width, height) = within(self.width(), self.height(), side, side);
        if (width, height) == (self.width(), self.height()) {
            return self.clone();
        }
        let filter = FilterType::Lanczos3;
        let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(filter));
        let mut target = DynamicImage::new_rgb8(width, height);
        Resizer::new().resize(&self.image, &mut target, &options).expect("both are RGB of eight bits");
        Self { image: target }
    }

    /// The mean brightness, 0 (black) to 255: what tells a camera that has not found its exposure yet.
    pub fn mean_luma(&self) -> u8 {
        let [r, g, b] = self.mean_rgb().map(u32::from);
        u8::try_from((299 * r + 587 * g + 114 * b) / 1000).unwrap_or(u8::MAX)
    }

    /// Whether it is a buffer that a camera has not filled yet: zeros, which as luma and chroma (YUV) are one plain green,
    /// the same in every pixel but for what compression adds.
    pub fn is_unfilled_green(&self) -> bool {
        let is_green = |p: &[u8]| p[0] <= 8 && p[2] <= 8 && (100..=190).contains(&p[1]);
        let mut pixels = self.expose_rgb().chunks_exact(3);
        pixels.len() > 0 && pixels.all(is_green)
    }

    /// The mean of each channel.
    fn mean_rgb(&self) -> [u8; 3] {
        let pixels = self.expose_rgb().chunks_exact(3);
        let count = pixels.len().max(1) as u64;
        let sums = pixels
            .fold([0_u64; 3], |[r, g, b], p| [r + u64::from(p[0]), g + u64::from(p[1]), b + u64::from(p[2])]);
        sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX))
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[picture {}×{}]", self.width(), self.height())
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        if let Some(image) = self.image.as_mut_rgb8() {
            image.as_flat_samples_mut().samples.zeroize();
        }
    }
}

/// The largest size in proportion to `width × height` that fits `max_width × max_height` without enlarging.
fn within(width: u32, height: u32, max_width: u32, max_height: u32) -> (u32, u32) {
    let (w, h) = (u64::from(width), u64::from(height));
    let (max_w, max_h) = (u64::from(max_width), u64::from(max_height));
    if w <= max_w && h <= max_h {
        return (width, height);
    }
    let scaled =
        |side: u64, num: u64, den: u64| u32::try_from(((side * num + den / 2) / den).max(1)).unwrap_or(1);
    if w * max_h >= h * max_w {
        (max_width, scaled(h, max_w, w).min(max_height))
    } else {
        (scaled(w, max_h, h).min(max_width), max_height)
    }
}

fn check_sides(width: u32, height: u32) -> Result<(), PictureError> {
    if width == 0 || height == 0 {
        return Err(PictureError::Degenerate { width, height });
    }
    if width > MAX_SOURCE_SIDE || height > MAX_SOURCE_SIDE {
        return Err(PictureError::TooLarge { width, height });
    }
    Ok(())
}

/// Why bytes are not a usable picture. The fault is the file's, except for [`PictureError::Encoder`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// Neither JPEG nor PNG nor WebP, by content.
    #[error("this is not a JPEG, PNG or WebP picture")]
    UnknownFormat,
    /// More bytes than [`MAX_FILE_BYTES`]; nothing was decoded.
    #[error("the picture's file has {} bytes; at most {} are read", Bytes(*.bytes), Bytes(MAX_FILE_BYTES))]
    FileTooLarge {
        /// How many bytes it has.
        bytes: usize,
    },
    /// A side longer than [`MAX_SOURCE_SIDE`]; nothing was decoded.
    #[error("the picture is {width}×{height} pixels; at most {MAX_SOURCE_SIDE} a side are decoded")]
    TooLarge {
        /// Its width in pixels.
        width: u32,
        /// Its height in pixels.
        height: u32,
    },
    /// Decoding would need more than [`MAX_WORKING_BYTES`].
    #[error(
        "the picture needs more than {} bytes of memory to decode; it was refused",
        Bytes(MAX_WORKING_BYTES)
    )]
    TooMuchMemory,
    /// A side of zero pixels.
    #[error("the picture is {width}×{height} pixels: there is nothing to see")]
    Degenerate {
        /// Its width in pixels.
        width: u32,
        /// Its height in pixels.
        height: u32,
    },
    /// The content breaks off or contradicts itself.
    #[error("the picture is damaged: {why}")]
    Damaged {
        /// What was found.
        why: String,
    },
    /// A kind of picture whose colours cannot be known.
    #[error("the picture cannot be shown in its true colours: {why}; save it as RGB and try again")]
    UnsupportedColour {
        /// What was found.
        why: &'static str,
    },
    /// A kind of JPEG that is not read.
    #[error("the picture is not read: {why}; save it as an ordinary JPEG or as PNG and try again")]
    UnsupportedKind {
        /// What was found.
        why: &'static str,
    },
    /// A received image breaks a bound (§ Security, photos, and exact object lookup).
    #[error("the image breaks a bound: {why} (§ Security, photos, and exact object lookup)")]
    Bound {
        /// Which, with what came.
        why: String,
    },
    /// Our encoder gave something that its own verification refuses: our fault.
    #[error("the picture could not be encoded: {why}")]
    Encoder {
        /// What went wrong.
        why: String,
    },
}

#[cfg(test)]
mod tests;
