//! Frames through nokhwa, raw: its decoding is off.

use nokhwa::Camera;
use nokhwa::utils::{
    CameraFormat, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType, Resolution,
};

#[cfg(target_os = "linux")]
use super::opening::Set;
use super::{Lens, Taken};
use crate::device::camera::{CameraTrouble, FormatInfo};
use crate::picture::raw::{self, Care, Colours, PixelFormat, RawFrame};

/// A camera that nokhwa has open.
pub(super) struct Through {
    camera: Camera,
    set: FormatInfo,
    stride: Option<u32>,
    colours: Colours,
}

/// Whether nokhwa 0.10 opens what is set and gives all of its frames that is needed.
///
/// It refuses rates that are no whole number, and knows neither UYVY nor the code GREY. Of MJPEG it gives the whole buffer and
/// not how much of it was filled, so that a frame that breaks off goes on with the rest of an older one.
#[cfg(target_os = "linux")]
pub(super) fn reads(fourcc: &str, interval: Option<v4l::Fraction>) -> bool {
    ["YUYV", "NV12", "RGB3", "BGR3"].contains(&fourcc) && interval.is_some_and(|i| i.numerator == 1)
}

pub(super) fn code(format: FrameFormat) -> &'static str {
    match format {
        FrameFormat::MJPEG => "MJPG",
        FrameFormat::YUYV => "YUYV",
        FrameFormat::NV12 => "NV12",
        FrameFormat::GRAY => "GREY",
        FrameFormat::RAWRGB => "RGB3",
        FrameFormat::RAWBGR => "BGR3",
    }
}

pub(super) fn format(fourcc: &str) -> Option<FrameFormat> {
    Some(match PixelFormat::of_fourcc(fourcc)? {
        PixelFormat::Mjpeg => FrameFormat::MJPEG,
        PixelFormat::Yuyv => FrameFormat::YUYV,
        PixelFormat::Nv12 => FrameFormat::NV12,
        PixelFormat::Grey => FrameFormat::GRAY,
        PixelFormat::Rgb24 => FrameFormat::RAWRGB,
        PixelFormat::Bgr24 => FrameFormat::RAWBGR,
        PixelFormat::Uyvy => return None,
    })
}

impl Through {
    /// Opens camera `number` with exactly what is set already, so that nokhwa sets nothing. The error is in its words.
    #[cfg(target_os = "linux")]
    pub fn open(number: u32, set: &Set) -> Result<Self, String> {
        let info = set.info.clone();
        let kind = format(&info.fourcc).ok_or("it does not know the format")?;
        let fps = info.fps.map_or(0, |fps| fps.round() as u32);
        let exact = CameraFormat::new(Resolution::new(info.width, info.height), kind, fps);
        let kinds = [kind];
        let asked = RequestedFormat::with_formats(RequestedFormatType::Exact(exact), &kinds);
        let camera = Camera::new(CameraIndex::Index(number), asked).map_err(|e| e.to_string())?;
        let stride = Some(set.stride).filter(|stride| *stride > 0);
        Self::started(camera, info, stride, set.colours)
    }

    /// Starts a camera that is set.
    pub fn started(
        mut camera: Camera,
        set: FormatInfo,
        stride: Option<u32>,
        colours: Colours,
    ) -> Result<Self, String> {
        camera.open_stream().map_err(|e| e.to_string())?;
        Ok(Self { camera, set, stride, colours })
    }
}

impl Lens for Through {
    fn set(&self) -> &FormatInfo {
        &self.set
    }

    fn take(&mut self, care: Care) -> Result<Taken, CameraTrouble> {
        let frame = self.camera.frame().map_err(|e| trouble(&e.to_string(), self.camera.index()))?;
        let own = code(frame.source_frame_format());
        let Some(pixel) = PixelFormat::of_fourcc(own) else {
            return Err(CameraTrouble::NoUsableFormat { offered: vec![own.to_owned()] });
        };
        let size = frame.resolution();
        let raw = RawFrame {
            format: pixel,
            width: size.width(),
            height: size.height(),
            stride: self.stride.filter(|_| PixelFormat::of_fourcc(&self.set.fourcc) == Some(pixel)),
            colours: self.colours,
            bytes: frame.buffer(),
        };
        Ok(Taken { picture: raw::decode(&raw, care), bytes: raw.bytes.len() })
    }
}

#[cfg(target_os = "linux")]
fn trouble(words: &str, index: &CameraIndex) -> CameraTrouble {
    let node = format!("/dev/video{}", index.as_string());
    super::errno::told(words, "reading a picture", std::path::Path::new(&node))
}

#[cfg(not(target_os = "linux"))]
fn trouble(words: &str, _: &CameraIndex) -> CameraTrouble {
    CameraTrouble::Connection { what: "reading a picture".into(), code: words.into() }
}
