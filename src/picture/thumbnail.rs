//! The small picture that a terminal draws with half blocks.

use std::fmt;

use super::{FittedJpeg, Picture, PictureError, decode, within};
use crate::redact::ImageBytes;

/// Pixels for a grid of half blocks: one column a pixel, two pixels a row. Printed as `[thumbnail 40×22]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Thumbnail {
    /// Width in pixels: at most the columns asked for.
    pub width: u32,
    /// Height in pixels: at most twice the rows asked for.
    pub height: u32,
    rgb: ImageBytes,
}

impl Thumbnail {
    /// Shrinks `picture` into `cols × rows` character cells, in proportion (two pixels stand in one cell), never
    /// enlarged. Zero columns or rows count as one.
    pub fn of(picture: &Picture, cols: u16, rows: u16) -> Self {
        let (max_width, max_height) = (u32::from(cols.max(1)), u32::from(rows.max(1)) * 2);
        let (width, height) = within(picture.width(), picture.height(), max_width, max_height);
        let small = picture.image.thumbnail_exact(width, height);
        Self { width, height, rgb: ImageBytes::new(small.into_rgb8().into_raw()) }
    }

    /// The same of the final JPEG: the review shows exactly what would be sent.
    ///
    /// # Errors
    /// As [`decode`]; not for a JPEG that [`super::fit`] made.
    pub fn of_jpeg(jpeg: &FittedJpeg, cols: u16, rows: u16) -> Result<Self, PictureError> {
        Ok(Self::of(&decode(jpeg.jpeg.expose())?, cols, rows))
    }

    /// The pixels row by row, three bytes each, for drawing and for nothing else.
    pub fn into_rgb(self) -> ImageBytes {
        self.rgb
    }

    /// The colour at `x`, `y`; `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        self.rgb.expose().get(at..at + 3).map(|p| [p[0], p[1], p[2]])
    }
}

impl fmt::Debug for Thumbnail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[thumbnail {}×{}]", self.width, self.height)
    }
}
