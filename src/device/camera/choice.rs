//! Which of a camera's formats is used. Pure.
//!
//! The picture is to be near 1280×720 at 15 pictures a second or more. What weighs is how many times too large, too
//! small or too slow a format is; among equals, uncompressed ones come before MJPEG, since nothing of them can be damaged
//! unseen and no second compression shows in the photo; grey ones come last.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::CameraTrouble;
use super::info::FormatInfo;
use crate::picture::raw::PixelFormat;

const WIDTH: f64 = 1280.0;
const HEIGHT: f64 = 720.0;
/// Fewer pictures a second than this make aiming hard.
const FLUID: f32 = 15.0;
/// More pictures a second than this are of no use and shorten the exposure.
const ENOUGH: f32 = 30.0;

/// What the user asks of a camera, after an `@` behind its name: `MJPG`, `640x480`, or both with a blank between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wish {
    /// The four-letter code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fourcc: Option<String>,
    /// Width and height in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<(u32, u32)>,
}

impl Wish {
    /// Reads `MJPG`, `640x480` or `MJPG 640x480`; `None` when it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut wish = Self::default();
        for word in text.split_whitespace() {
            let numbers = word.split_once(['x', '×']).map(|(w, h)| (w.parse::<u32>(), h.parse::<u32>()));
            match numbers {
                Some((Ok(width), Ok(height))) if wish.size.is_none() => wish.size = Some((width, height)),
                _ if wish.fourcc.is_none() => {
                    let code = word.to_ascii_uppercase();
                    PixelFormat::of_fourcc(&code)?;
                    wish.fourcc = Some(code);
                }
                _ => return None,
            }
        }
        (wish != Self::default()).then_some(wish)
    }

    /// Whether nothing is asked for.
    pub fn is_any(&self) -> bool {
        *self == Self::default()
    }

    /// Whether this is a format that is asked for.
    pub fn fits(&self, format: &FormatInfo) -> bool {
        self.fourcc.as_ref().is_none_or(|code| *code == format.fourcc)
            && self.size.is_none_or(|size| size == (format.width, format.height))
    }
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size.map(|(width, height)| format!("{width}x{height}"));
        let words: Vec<&str> = self.fourcc.as_deref().into_iter().chain(size.as_deref()).collect();
        f.write_str(&words.join(" "))
    }
}

/// The best of the formats that are decoded here and fit the wish.
pub fn best<'a>(formats: &'a [FormatInfo], wish: &Wish) -> Option<&'a FormatInfo> {
    formats
        .iter()
        .filter(|format| wish.fits(format))
        .filter_map(|format| Some((cost(format)?, format)))
        .min_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, format)| format)
}

/// The best of the formats for the child, which has asked the camera itself.
///
/// # Errors
/// [`CameraTrouble`] when the camera has none, none that is wished for, or none that is decoded here.
#[cfg_attr(not(feature = "camera"), allow(dead_code, reason = "nothing but its test opens cameras"))]
pub(super) fn pick(formats: &[FormatInfo], wish: &Wish) -> Result<FormatInfo, CameraTrouble> {
    match best(formats, wish) {
        Some(format) => Ok(format.clone()),
        None if formats.is_empty() => Err(CameraTrouble::NoFormats),
        None if !wish.is_any() => Err(CameraTrouble::NoSuchFormat { wanted: wish.to_string() }),
        None => {
            let mut offered: Vec<String> = formats.iter().map(|f| f.fourcc.clone()).collect();
            offered.dedup();
            Err(CameraTrouble::NoUsableFormat { offered })
        }
    }
}

/// How far from what is wanted: 0 for 1280×720, uncompressed, at 15 to 30 pictures a second.
fn cost(format: &FormatInfo) -> Option<f64> {
    let pixel = PixelFormat::of_fourcc(&format.fourcc)?;
    if format.width == 0 || format.height == 0 {
        return None;
    }
    let (width, height) = (f64::from(format.width), f64::from(format.height));
    let size = (width * height / (WIDTH * HEIGHT)).ln().abs();
    // Pillars and bars cost less than a wrong size, and break ties.
    let shape = (width / height / (WIDTH / HEIGHT)).ln().abs() / 10.0;
    let slow = format.fps.map_or(0.0, |fps| f64::from(FLUID / fps.clamp(0.1, FLUID)).ln());
    Some(size + shape + slow + bias(pixel))
}

fn bias(pixel: PixelFormat) -> f64 {
    match pixel {
        PixelFormat::Yuyv => 0.0,
        PixelFormat::Nv12 => 0.005,
        PixelFormat::Uyvy => 0.01,
        PixelFormat::Rgb24 | PixelFormat::Bgr24 => 0.02,
        PixelFormat::Mjpeg => 0.05,
        PixelFormat::Grey => 5.0,
    }
}

/// The rate to ask for.
pub fn rate(format: &FormatInfo) -> Option<f32> {
    format.fps.map(|fps| fps.min(ENOUGH))
}
