//! Linux: finding the camera that is meant, setting its format, and choosing the way its frames come.

use std::path::{Path, PathBuf};

use nokhwa::Camera;
use nokhwa::utils::{
    CameraFormat, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType, Resolution,
};
use v4l::format::{Colorspace, Quantization};
use v4l::video::Capture;
use v4l::video::capture::Parameters;
use v4l::{Capabilities, Device, Format, FourCC, Fraction};

use super::through::Through;
use super::{Lens, Wanted, direct, errno, nodes};
use crate::device::camera::choice;
use crate::device::camera::info::line;
use crate::device::camera::{CameraTrouble, FormatInfo};
use crate::picture::raw::{Colours, Matrix, PixelFormat, Range};

/// What the driver has really set.
pub(super) struct Set {
    /// Format, size and rate.
    pub info: FormatInfo,
    /// Bytes from one row to the next; 0 where that says nothing.
    pub stride: u32,
    /// What luma and chroma mean.
    pub colours: Colours,
    /// The time between two pictures in seconds, as a fraction; `None` where the driver has none.
    pub interval: Option<Fraction>,
}

/// Opens the camera, sets its format and gets ready for its first frame.
pub fn open(wanted: &Wanted) -> Result<Box<dyn Lens>, CameraTrouble> {
    let (path, device) = find(wanted)?;
    let format = match &wanted.format {
        Some(format) => format.clone(),
        None => choice::pick(&nodes::formats(&device), &wanted.wish)?,
    };
    let set = set(&device, &format, &path)?;
    if !wanted.wish.fits(&set.info) {
        return Err(CameraTrouble::NoSuchFormat { wanted: wanted.wish.to_string() });
    }
    if let Some(opened) = by_nokhwa(&path, &set) {
        return opened.map(|lens| Box::new(lens) as Box<dyn Lens>);
    }
    direct::open(device, set, &path).map(|lens| Box::new(lens) as Box<dyn Lens>)
}

/// `None` when nokhwa does not open it for a reason of its own; what the kernel refuses it refuses to everybody.
///
/// nokhwa 0.10 refuses rates that are no whole number, and knows neither UYVY nor the code GREY. Of MJPEG it gives the whole
/// buffer and not how much of it was filled, so that a frame that breaks off goes on with the rest of an older one.
fn by_nokhwa(path: &Path, set: &Set) -> Option<Result<Through, CameraTrouble>> {
    let kind = match set.info.fourcc.as_str() {
        "YUYV" => FrameFormat::YUYV,
        "NV12" => FrameFormat::NV12,
        "RGB3" => FrameFormat::RAWRGB,
        "BGR3" => FrameFormat::RAWBGR,
        _ => return None,
    };
    let interval = set.interval.filter(|interval| interval.numerator == 1)?;
    let number = path.file_name().and_then(|name| nodes::number(name.to_str()?))?;
    // Exactly what is set already, so that nothing is set again.
    let size = Resolution::new(set.info.width, set.info.height);
    let exact = RequestedFormatType::Exact(CameraFormat::new(size, kind, interval.denominator));
    let kinds = [kind];
    let opened = Camera::new(CameraIndex::Index(number), RequestedFormat::with_formats(exact, &kinds))
        .map_err(|error| error.to_string())
        .and_then(|camera| Through::started(camera, set.info.clone(), Some(set.stride), set.colours));
    match opened {
        Ok(lens) => Some(Ok(lens)),
        Err(words) => errno::code(&words).map(|_| Err(errno::told(&words, "opening it", path))),
    }
}

/// The camera where it was, or where it is now that it was plugged in anew.
fn find(wanted: &Wanted) -> Result<(PathBuf, Device), CameraTrouble> {
    let path = PathBuf::from(&wanted.node);
    match asked(&path) {
        Ok((device, caps)) if wanted.is(&caps) => return Ok((path, device)),
        Err(error) => match errno::trouble(&error, "opening it", &path) {
            CameraTrouble::Unplugged => {}
            other => return Err(other),
        },
        Ok(_) => {}
    }
    let mut same: Vec<(PathBuf, Device, Capabilities)> = nodes::nodes(Path::new("/dev"))
        .into_iter()
        .filter_map(|(_, path)| asked(&path).ok().map(|(device, caps)| (path, device, caps)))
        .filter(|(_, _, caps)| nodes::is_camera(caps) && line(&caps.card) == wanted.card)
        .collect();
    let at = match same.iter().position(|(_, _, caps)| line(&caps.bus) == wanted.bus) {
        Some(at) => at,
        None if same.len() == 1 => 0,
        None => return Err(CameraTrouble::Unplugged),
    };
    let (path, device, _) = same.swap_remove(at);
    Ok((path, device))
}

fn asked(path: &Path) -> std::io::Result<(Device, Capabilities)> {
    let device = Device::with_path(path)?;
    let caps = device.query_caps()?;
    Ok((device, caps))
}

impl Wanted {
    /// Whether this is the camera that was listed. One that could not be asked when it was listed has no bus.
    fn is(&self, caps: &Capabilities) -> bool {
        self.bus.is_empty() || (line(&caps.card) == self.card && line(&caps.bus) == self.bus)
    }
}

/// Sets format, size and rate, whatever another program left set. The driver has the last word.
fn set(device: &Device, format: &FormatInfo, path: &Path) -> Result<Set, CameraTrouble> {
    let code: [u8; 4] = format.fourcc.as_bytes().try_into().unwrap_or(*b"YUYV");
    let asked = Format::new(format.width, format.height, FourCC::new(&code));
    let got = device.set_format(&asked).map_err(|e| errno::trouble(&e, "setting its format", path))?;
    let fourcc = nodes::name(got.fourcc);
    if PixelFormat::of_fourcc(&fourcc).is_none() {
        return Err(CameraTrouble::NoUsableFormat { offered: vec![fourcc] });
    }
    // Many drivers have no rate to set; then it is what it is.
    let set = choice::rate(format).map(|fps| device.set_params(&Parameters::new(interval(fps))));
    let params = match set {
        Some(Ok(params)) => Some(params),
        _ => device.params().ok(),
    };
    let interval = params.map(|params| params.interval);
    let fps = interval.and_then(nodes::fps);
    let info = FormatInfo { fourcc, width: got.width, height: got.height, fps };
    Ok(Set { info, stride: got.stride, colours: colours(&got), interval })
}

/// What the driver says of its colours, with V4L2's defaults for what it leaves open.
fn colours(format: &Format) -> Colours {
    let matrix = match format.colorspace {
        Colorspace::Rec709 => Matrix::Bt709,
        _ => Matrix::Bt601,
    };
    let range = match (format.quantization, format.colorspace) {
        (Quantization::FullRange, _) | (Quantization::Default, Colorspace::JPEG) => Range::Full,
        _ => Range::Limited,
    };
    Colours { matrix, range }
}

/// The time between two pictures, as a fraction of a second.
fn interval(fps: f32) -> Fraction {
    if fps.fract() == 0.0 {
        Fraction::new(1, fps as u32)
    } else {
        Fraction::new(1_000, (fps * 1_000.0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_become_times_between_pictures() {
        for (fps, expected) in [(30.0, (1, 30)), (12.5, (1_000, 12_500)), (7.5, (1_000, 7_500))] {
            let interval = interval(fps);
            assert_eq!((interval.numerator, interval.denominator), expected);
        }
    }

    #[test]
    fn the_meaning_of_colours_is_the_drivers() {
        let mut format = Format::new(1_280, 720, FourCC::new(b"YUYV"));
        assert_eq!(colours(&format), Colours::default());
        format.colorspace = Colorspace::Rec709;
        assert_eq!(colours(&format).matrix, Matrix::Bt709);
        format.colorspace = Colorspace::JPEG;
        assert_eq!(colours(&format).range, Range::Full);
        format.quantization = Quantization::LimitedRange;
        assert_eq!(colours(&format).range, Range::Limited);
    }

    #[test]
    fn a_camera_that_is_not_there_is_unplugged() {
        let wanted = Wanted {
            node: "/dev/video987".into(),
            card: "No Such Cam".into(),
            bus: "usb-7".into(),
            format: None,
            wish: choice::Wish::default(),
        };
        assert_eq!(open(&wanted).err(), Some(CameraTrouble::Unplugged));
    }
}
