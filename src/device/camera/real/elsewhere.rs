//! Systems without V4L2: everything goes through nokhwa.

use nokhwa::utils::{ApiBackend, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType};
use nokhwa::{Camera, query};

use super::through::{self, Through};
use super::{Lens, Wanted};
use crate::device::camera::choice;
use crate::device::camera::info::line;
use crate::device::camera::{CameraInfo, CameraTrouble, FormatInfo};
use crate::picture::raw::Colours;

const KINDS: [FrameFormat; 6] = [
    FrameFormat::YUYV,
    FrameFormat::NV12,
    FrameFormat::MJPEG,
    FrameFormat::RAWRGB,
    FrameFormat::RAWBGR,
    FrameFormat::GRAY,
];

/// Tells every camera. What formats it has is known when it is opened.
pub fn list(tell: &mut dyn FnMut(CameraInfo)) -> Option<CameraTrouble> {
    match query(ApiBackend::Auto) {
        Ok(found) => {
            for one in found {
                tell(CameraInfo {
                    name: one.human_name(),
                    card: one.human_name(),
                    node: one.index().as_string(),
                    bus: one.misc(),
                    formats: Vec::new(),
                    trouble: None,
                });
            }
            None
        }
        Err(error) => {
            Some(CameraTrouble::Other { what: "looking for cameras".into(), code: error.to_string() })
        }
    }
}

pub fn open(wanted: &Wanted) -> Result<Box<dyn Lens>, CameraTrouble> {
    let refused = |what: &str, words: String| CameraTrouble::Other { what: what.to_owned(), code: words };
    let index = find(wanted)?;
    let any = RequestedFormat::with_formats(RequestedFormatType::None, &KINDS);
    let mut camera = Camera::new(index, any).map_err(|e| refused("opening it", e.to_string()))?;
    let all = camera.compatible_camera_formats().unwrap_or_default();
    let formats: Vec<FormatInfo> = all
        .iter()
        .map(|format| FormatInfo {
            fourcc: through::code(format.format()).to_owned(),
            width: format.width(),
            height: format.height(),
            fps: Some(format.frame_rate() as f32),
        })
        .collect();
    let best = match &wanted.format {
        Some(format) => Some(format.clone()),
        None if formats.is_empty() && wanted.wish.is_any() => None,
        None => Some(choice::pick(&formats, &wanted.wish)?),
    };
    if let Some(at) = best.and_then(|best| formats.iter().position(|format| *format == best)) {
        let exact = RequestedFormat::with_formats(RequestedFormatType::Exact(all[at]), &KINDS);
        camera.set_camera_requset(exact).map_err(|e| refused("setting its format", e.to_string()))?;
    }
    let set = camera.camera_format();
    let set = FormatInfo {
        fourcc: through::code(set.format()).to_owned(),
        width: set.width(),
        height: set.height(),
        fps: Some(set.frame_rate() as f32),
    };
    if !wanted.wish.fits(&set) {
        return Err(CameraTrouble::NoSuchFormat { wanted: wanted.wish.to_string() });
    }
    let lens = Through::started(camera, set, None, Colours::default())
        .map_err(|words| refused("starting it", words))?;
    Ok(Box::new(lens))
}

/// The camera where it was; numbers change when cameras come and go, the name and the system's own id do not.
fn find(wanted: &Wanted) -> Result<CameraIndex, CameraTrouble> {
    let found = query(ApiBackend::Auto).unwrap_or_default();
    let named = |node: &str, bus: &str| {
        let fits = |one: &&nokhwa::utils::CameraInfo| {
            line(&one.human_name()) == wanted.card
                && (node.is_empty() || one.index().as_string() == node)
                && (bus.is_empty() || line(&one.misc()) == bus)
        };
        found.iter().find(fits).map(|one| one.index().clone())
    };
    named(&wanted.node, &wanted.bus)
        .or_else(|| named("", &wanted.bus))
        .or_else(|| named("", ""))
        .ok_or(CameraTrouble::Unplugged)
}
