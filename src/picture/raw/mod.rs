//! Raw frames of cameras to a [`Picture`], under our own limits. Pure.
//!
//! Order: name the format by the frame's own four-letter code ([`PixelFormat::of_fourcc`]), then [`decode`]. A buffer may
//! be longer than its picture (padded rows, whole pages), never shorter.

mod packed;

use super::decode::{MAX_WORKING_BYTES, Whose, decode_trimmed};
use super::{Picture, PictureError, check_sides, jpeg};

/// The formats that are decoded here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PixelFormat {
    /// Y0 U Y1 V: two pixels in four bytes.
    Yuyv,
    /// U Y0 V Y1.
    Uyvy,
    /// A plane of Y, then a plane of U V at half the width and height.
    Nv12,
    /// R G B.
    Rgb24,
    /// B G R.
    Bgr24,
    /// One byte a pixel.
    Grey,
    /// A JPEG a frame, often without its Huffman tables.
    Mjpeg,
}

impl PixelFormat {
    /// By V4L2's four-letter code, and the names that other systems have for the same.
    pub fn of_fourcc(code: &str) -> Option<Self> {
        Some(match code {
            "YUYV" | "YUY2" => Self::Yuyv,
            "UYVY" | "2vuy" => Self::Uyvy,
            "NV12" | "420v" => Self::Nv12,
            "RGB3" => Self::Rgb24,
            "BGR3" => Self::Bgr24,
            "GREY" | "GRAY" => Self::Grey,
            "MJPG" | "JPEG" => Self::Mjpeg,
            _ => return None,
        })
    }

    /// Bytes of a row without padding, of the first plane.
    fn row(self, width: usize) -> usize {
        match self {
            Self::Yuyv | Self::Uyvy => width.div_ceil(2) * 4,
            Self::Rgb24 | Self::Bgr24 => width * 3,
            Self::Nv12 | Self::Grey => width,
            Self::Mjpeg => 0,
        }
    }
}

/// One frame as the camera gave it. It prints its format and size, never its content.
#[derive(Clone, Copy)]
pub struct RawFrame<'a> {
    /// The frame's own format, whatever was asked for.
    pub format: PixelFormat,
    /// Width in pixels, as it was agreed with the camera.
    pub width: u32,
    /// Height in pixels, as it was agreed with the camera.
    pub height: u32,
    /// Bytes from one row to the next, where the driver says so and it is not 0.
    pub stride: Option<u32>,
    /// What its luma and chroma mean.
    pub colours: Colours,
    /// The buffer.
    pub bytes: &'a [u8],
}

impl RawFrame<'_> {
    /// The same frame in another place.
    pub const fn with_bytes<'b>(&self, bytes: &'b [u8]) -> RawFrame<'b> {
        let Self { format, width, height, stride, colours, .. } = *self;
        RawFrame { format, width, height, stride, colours, bytes }
    }
}

impl std::fmt::Debug for RawFrame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{:?} {}×{}, {} bytes]", self.format, self.width, self.height, self.bytes.len())
    }
}

/// What luma and chroma mean; the default is what webcams have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    /// How they are mixed.
    pub matrix: Matrix,
    /// What black and white are.
    pub range: Range,
}

/// How red, green and blue are mixed to luma and chroma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matrix {
    /// ITU-R BT.601: webcams and television.
    #[default]
    Bt601,
    /// ITU-R BT.709: HDMI in high definition.
    Bt709,
}

/// What black and white are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Range {
    /// Luma from 16 to 235, chroma from 16 to 240.
    #[default]
    Limited,
    /// 0 to 255.
    Full,
}

/// How much care a frame gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Every pixel, and a JPEG that lacks some is damaged.
    Whole,
    /// For aiming: whole pixels are left out until no side is longer than this, and a JPEG is decoded once, so that a
    /// spoilt end may show.
    Quick {
        /// Longest side in pixels, at least 1.
        side: u32,
    },
}

/// How much larger than agreed a JPEG may be: it is coded in blocks of up to 16 pixels a side, and some cameras name the
/// blocks' size.
const BLOCK: u32 = 16;

/// Decodes a frame. Its picture has the size that was agreed, or for a JPEG at most that.
///
/// # Errors
/// [`PictureError::Degenerate`], [`PictureError::TooLarge`] and [`PictureError::TooMuchMemory`] by its size,
/// [`PictureError::Damaged`] for one that is too short or, a JPEG, lacks something or is no frame of this camera.
pub fn decode(frame: &RawFrame<'_>, care: Care) -> Result<Picture, PictureError> {
    check_sides(frame.width, frame.height)?;
    if frame.format == PixelFormat::Mjpeg {
        return decode_mjpeg(frame, care);
    }
    packed::decode(frame, step(frame.width, frame.height, care))
}

/// Every how many-th pixel is taken.
fn step(width: u32, height: u32, care: Care) -> usize {
    match care {
        Care::Whole => 1,
        Care::Quick { side } => width.max(height).div_ceil(side.max(1)) as usize,
    }
}

fn decode_mjpeg(frame: &RawFrame<'_>, care: Care) -> Result<Picture, PictureError> {
    let damaged = |why: &str| PictureError::Damaged { why: why.into() };
    let start = jpeg::start(frame.bytes).ok_or_else(|| damaged("the frame is no JPEG from its start on"))?;
    // What no camera sends is a spoilt header, and the next frame has another.
    let spoilt = |error: PictureError| match error {
        PictureError::TooMuchMemory | PictureError::Damaged { .. } => error,
        other => damaged(&other.to_string()),
    };
    let trimmed = jpeg::trim(&frame.bytes[start..]).map_err(spoilt)?;
    of_this_camera(trimmed.frame, frame)?;
    let whose = if care == Care::Whole { Whose::Theirs } else { Whose::Ours };
    let picture = decode_trimmed(&trimmed, whose).map_err(spoilt)?;
    let own = (picture.width(), picture.height());
    // A note in the frame may have turned it to its side.
    let agreed = match own == (trimmed.frame.width, trimmed.frame.height) {
        true => (frame.width, frame.height),
        false => (frame.height, frame.width),
    };
    let (width, height) = (own.0.min(agreed.0), own.1.min(agreed.1));
    let step = step(width, height, care);
    Ok(if step == 1 && (width, height) == own {
        picture
    } else {
        packed::part(&picture, (width, height), step)
    })
}

/// Refuses, before a pixel is decoded, what would cost more than a frame of the agreed size: a larger one, and progressive
/// JPEG, each of whose many passes goes over the whole picture. Cameras send sequential ones (USB Video Class, MJPEG
/// payload). A smaller picture than agreed is a picture: some cameras keep to the size that was set before.
fn of_this_camera(own: jpeg::Frame, frame: &RawFrame<'_>) -> Result<(), PictureError> {
    let fits = |own: u32, agreed: u32| own.saturating_sub(agreed) < BLOCK;
    if !fits(own.width, frame.width) || !fits(own.height, frame.height) {
        let (is, agreed) = ((own.width, own.height), (frame.width, frame.height));
        let why = format!("the frame is {}×{} pixels and not {}×{}", is.0, is.1, agreed.0, agreed.1);
        return Err(PictureError::Damaged { why });
    }
    if !own.is_sequential() {
        return Err(PictureError::Damaged { why: "the frame is a progressive JPEG".into() });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
