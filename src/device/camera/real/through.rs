//! Frames through nokhwa, raw: its decoding is off.

use nokhwa::Camera;
use nokhwa::utils::{CameraIndex, FrameFormat};

use super::{Lens, See};
use crate::device::camera::{CameraTrouble, FormatInfo};
use crate::picture::raw::{Colours, PixelFormat, RawFrame};

/// A camera that nokhwa has open.
pub(super) struct Through {
    camera: Camera,
    set: FormatInfo,
    stride: Option<u32>,
    colours: Colours,
}

/// The four-letter code of what nokhwa names.
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

impl Through {
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

    fn take(&mut self, see: &mut See<'_>) -> Result<(), CameraTrouble> {
        let frame = self.camera.frame().map_err(|e| trouble(&e.to_string(), self.camera.index()))?;
        let own = code(frame.source_frame_format());
        let Some(pixel) = PixelFormat::of_fourcc(own) else {
            return Err(CameraTrouble::NoUsableFormat { offered: vec![own.to_owned()] });
        };
        let size = frame.resolution();
        see(Ok(&RawFrame {
            format: pixel,
            width: size.width(),
            height: size.height(),
            stride: self.stride.filter(|_| PixelFormat::of_fourcc(&self.set.fourcc) == Some(pixel)),
            colours: self.colours,
            bytes: frame.buffer(),
        }));
        Ok(())
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
