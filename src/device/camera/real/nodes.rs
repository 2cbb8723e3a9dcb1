//! Linux: which nodes are cameras, and what each of them has. Nothing is started here.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use v4l::capability::{Capabilities, Flags};
use v4l::format::FourCC;
use v4l::frameinterval::FrameIntervalEnum;
use v4l::framesize::{FrameSizeEnum, Stepwise};
use v4l::video::Capture;
use v4l::{Device, Fraction};

use super::errno;
use crate::device::camera::info::FORMATS;
use crate::device::camera::{CameraInfo, CameraTrouble, FormatInfo};
use crate::picture::raw::PixelFormat;

/// Sizes that are asked of a camera that scales to whatever is wanted.
const SIZES: [(u32, u32); 5] = [(1_280, 720), (1_920, 1_080), (640, 480), (640, 360), (320, 240)];
/// What the driver of virtual cameras calls itself.
const LOOPBACK: &str = "v4l2 loopback";

/// Tells every camera, in the order of the nodes.
pub fn list(tell: &mut dyn FnMut(CameraInfo)) -> Option<CameraTrouble> {
    for (_, path) in nodes(Path::new("/dev")) {
        if let Some(camera) = guarded(&path) {
            tell(camera);
        }
    }
    None
}

/// The nodes in a directory whose names are `video` and a number, by number.
pub(super) fn nodes(directory: &Path) -> Vec<(u32, PathBuf)> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut nodes: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| Some((number(&entry.file_name().into_string().ok()?)?, entry.path())))
        .collect();
    nodes.sort();
    nodes
}

/// The number of a node by its name, `video12`.
pub(super) fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("video")?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// What the node is; the library panics when a driver's words are no text.
fn guarded(path: &Path) -> Option<CameraInfo> {
    catch_unwind(AssertUnwindSafe(|| look(path))).unwrap_or_else(|_| {
        let (what, code) = ("asking what it is".to_owned(), "its driver answers nonsense".to_owned());
        Some(nameless(path, CameraTrouble::Other { what, code }))
    })
}

fn look(path: &Path) -> Option<CameraInfo> {
    let device = match Device::with_path(path) {
        Ok(device) => device,
        Err(error) => return closed(path, &error),
    };
    let caps = match device.query_caps() {
        Ok(caps) => caps,
        // A file of this name that is no node of V4L2.
        Err(error) if matches!(error.raw_os_error(), Some(22 | 25)) => return None,
        Err(error) => return closed(path, &error),
    };
    let mut camera = CameraInfo {
        name: caps.card.clone(),
        card: caps.card.clone(),
        node: path.display().to_string(),
        bus: caps.bus.clone(),
        formats: Vec::new(),
        trouble: None,
    };
    match kind(&caps) {
        Kind::Camera => {
            camera.formats = formats(&device);
            camera.trouble = wrong(&device, &caps, &camera.formats, path);
        }
        Kind::Waiting => camera.trouble = Some(CameraTrouble::NoFormats),
        Kind::Planes => camera.trouble = Some(CameraTrouble::Multiplanar),
        Kind::Other => return None,
    }
    Some(camera)
}

/// What a node is, by the capabilities of the node itself and not of the whole device (C4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Camera,
    /// A virtual camera that becomes one when a program feeds it (C10).
    Waiting,
    Planes,
    Other,
}

pub(super) fn is_camera(caps: &Capabilities) -> bool {
    kind(caps) == Kind::Camera
}

fn kind(caps: &Capabilities) -> Kind {
    if caps.capabilities.contains(Flags::VIDEO_CAPTURE) {
        Kind::Camera
    } else if caps.capabilities.contains(Flags::VIDEO_CAPTURE_MPLANE) {
        Kind::Planes
    } else if caps.driver == LOOPBACK {
        Kind::Waiting
    } else {
        Kind::Other
    }
}

/// A node that cannot be asked. Only the first of a camera's nodes is told: the others are not its pictures.
fn closed(path: &Path, error: &io::Error) -> Option<CameraInfo> {
    let trouble = errno::trouble(error, "opening it", path);
    if trouble == CameraTrouble::Unplugged || about(path, "index").is_some_and(|index| index != "0") {
        return None;
    }
    // Without the kernel's word for it that it is a node of V4L2 it is a file.
    about(path, "name").map(|_| nameless(path, trouble))
}

fn nameless(path: &Path, trouble: CameraTrouble) -> CameraInfo {
    let name = about(path, "name").unwrap_or_default();
    CameraInfo {
        name: name.clone(),
        card: name,
        node: path.display().to_string(),
        bus: String::new(),
        formats: Vec::new(),
        trouble: Some(trouble),
    }
}

/// What the kernel says of a node without its being opened.
fn about(path: &Path, what: &str) -> Option<String> {
    let node = path.file_name()?;
    let text = std::fs::read_to_string(Path::new("/sys/class/video4linux").join(node).join(what)).ok()?;
    Some(text.trim().to_owned())
}

/// What stands in the way of a picture.
fn wrong(device: &Device, caps: &Capabilities, formats: &[FormatInfo], path: &Path) -> Option<CameraTrouble> {
    let is_loopback = caps.driver == LOOPBACK;
    if formats.is_empty() {
        return Some(CameraTrouble::NoFormats);
    }
    if !formats.iter().any(|f| PixelFormat::of_fourcc(&f.fourcc).is_some()) {
        let mut offered: Vec<String> = formats.iter().map(|f| f.fourcc.clone()).collect();
        offered.dedup();
        return Some(CameraTrouble::NoUsableFormat { offered });
    }
    // Setting what is set already changes nothing, and is refused while somebody takes pictures.
    match device.format().and_then(|format| device.set_format(&format)) {
        Err(error) if is_loopback && matches!(error.raw_os_error(), Some(16 | 22)) => {
            Some(CameraTrouble::NoFormats)
        }
        Err(error) if error.raw_os_error() == Some(16) => Some(errno::trouble(&error, "asking it", path)),
        _ => None,
    }
}

/// The formats, those that are decoded here first; of the others one entry each, since nothing more is done with them.
pub(super) fn formats(device: &Device) -> Vec<FormatInfo> {
    let Ok(described) = device.enum_formats() else { return Vec::new() };
    let mut codes: Vec<FourCC> = Vec::new();
    for code in described.into_iter().map(|format| format.fourcc) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let (read, other): (Vec<FourCC>, Vec<FourCC>) =
        codes.into_iter().partition(|code| PixelFormat::of_fourcc(&name(*code)).is_some());
    let current = device.format().map(|format| (format.width, format.height)).ok();
    let read = read.into_iter().flat_map(|code| {
        let sizes = sizes(device, code, current);
        sizes.into_iter().map(move |size| (code, size, true))
    });
    let other = other.into_iter().filter_map(|code| {
        let size =
            sizes(device, code, current).into_iter().max_by_key(|(w, h)| u64::from(*w) * u64::from(*h));
        size.map(|size| (code, size, false))
    });
    read.chain(other)
        .take(FORMATS)
        .map(|(code, (width, height), asks)| FormatInfo {
            fourcc: name(code),
            width,
            height,
            fps: if asks { rate(device, code, width, height) } else { None },
        })
        .collect()
}

/// A four-letter code as text.
pub(super) fn name(code: FourCC) -> String {
    code.repr.iter().map(|b| if b.is_ascii_graphic() { char::from(*b) } else { '?' }).collect()
}

fn sizes(device: &Device, code: FourCC, current: Option<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut sizes = Vec::new();
    for size in device.enum_framesizes(code).unwrap_or_default() {
        match size.size {
            FrameSizeEnum::Discrete(one) => sizes.push((one.width, one.height)),
            FrameSizeEnum::Stepwise(steps) => sizes.extend(stepped(&steps, current)),
        }
    }
    // What has no list (television, HDMI) delivers what its signal is.
    if sizes.is_empty() {
        sizes.extend(current);
    }
    sizes.retain(|(width, height)| *width > 0 && *height > 0);
    sizes
}

/// What is worth asking of a camera that takes every size of a range: what is set, and the usual ones.
fn stepped(steps: &Stepwise, current: Option<(u32, u32)>) -> Vec<(u32, u32)> {
    let on = |side: u32, min: u32, max: u32, step: u32| {
        (min..=max).contains(&side) && (step < 2 || (side - min).is_multiple_of(step))
    };
    let fits = |(width, height): &(u32, u32)| {
        on(*width, steps.min_width, steps.max_width, steps.step_width)
            && on(*height, steps.min_height, steps.max_height, steps.step_height)
    };
    let mut sizes: Vec<(u32, u32)> = current.into_iter().filter(fits).collect();
    for size in SIZES.iter().filter(|size| fits(size)) {
        if !sizes.contains(size) {
            sizes.push(*size);
        }
    }
    if sizes.is_empty() { vec![(steps.max_width, steps.max_height)] } else { sizes }
}

/// The highest rate of a format and size.
fn rate(device: &Device, code: FourCC, width: u32, height: u32) -> Option<f32> {
    let intervals = device.enum_frameintervals(code, width, height).ok()?;
    let rates = intervals.into_iter().map(|interval| match interval.interval {
        FrameIntervalEnum::Discrete(interval) => fps(interval),
        FrameIntervalEnum::Stepwise(steps) => fps(steps.min),
    });
    rates.flatten().max_by(f32::total_cmp)
}

/// Pictures a second of the time between two.
pub(super) fn fps(interval: Fraction) -> Option<f32> {
    let (above, below) = (f64::from(interval.denominator), f64::from(interval.numerator));
    (above > 0.0 && below > 0.0).then_some((above / below) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(driver: &str, capabilities: Flags) -> Capabilities {
        let (driver, card, bus) = (driver.to_owned(), "Cam".to_owned(), "usb-1".to_owned());
        Capabilities { driver, card, bus, version: (6, 1, 0), capabilities }
    }

    #[test]
    fn c4_only_nodes_that_capture_are_cameras() {
        let streaming = Flags::STREAMING | Flags::EXT_PIX_FORMAT;
        let of = |driver, flags: Flags| kind(&caps(driver, flags | streaming));
        assert_eq!(of("uvcvideo", Flags::VIDEO_CAPTURE), Kind::Camera);
        assert_eq!(of("uvcvideo", Flags::META_CAPTURE), Kind::Other);
        assert_eq!(of("vivid", Flags::VIDEO_OUTPUT), Kind::Other);
        assert_eq!(of("bcm2835-codec", Flags::VIDEO_M2M_MPLANE), Kind::Other);
        assert_eq!(of("vivid", Flags::VIDEO_CAPTURE_MPLANE), Kind::Planes);
        assert_eq!(of(LOOPBACK, Flags::VIDEO_OUTPUT), Kind::Waiting, "C10");
        assert_eq!(of(LOOPBACK, Flags::VIDEO_CAPTURE), Kind::Camera);
    }

    #[test]
    fn nodes_are_sorted_by_number_and_other_names_are_no_nodes() {
        let home = tempfile::tempdir().unwrap();
        for name in
            ["video10", "video2", "videofoo", "video", "video-1", "video0", "media0", "video99999999999"]
        {
            std::fs::write(home.path().join(name), "").unwrap();
        }
        let numbers: Vec<u32> = nodes(home.path()).into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [0, 2, 10]);
        assert!(nodes(Path::new("/nowhere")).is_empty());
    }

    #[test]
    fn files_that_are_no_devices_are_passed_over() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("video3");
        std::fs::write(&file, "no camera").unwrap();
        assert_eq!(guarded(&file), None);
        assert_eq!(guarded(&home.path().join("video4")), None, "gone meanwhile");
        assert_eq!(guarded(Path::new("/dev/null")), None);
    }

    #[test]
    fn of_a_range_of_sizes_the_usual_ones_are_asked_for() {
        let range = |max: u32, step: u32| Stepwise {
            min_width: 16,
            max_width: max,
            step_width: step,
            min_height: 16,
            max_height: max,
            step_height: step,
        };
        assert_eq!(
            stepped(&range(8_192, 1), Some((720, 576)))[..3],
            [(720, 576), (1_280, 720), (1_920, 1_080)]
        );
        assert_eq!(stepped(&range(700, 0), None), [(640, 480), (640, 360), (320, 240)]);
        assert_eq!(stepped(&range(100, 2), Some((720, 576))), [(100, 100)]);
        assert_eq!(fps(Fraction::new(2, 25)), Some(12.5));
        assert_eq!(fps(Fraction::new(0, 30)), None);
    }
}
