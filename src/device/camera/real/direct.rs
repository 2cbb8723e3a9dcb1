//! Linux: frames from V4L2 itself, with what nokhwa does not pass on: how many bytes of the buffer were filled, whether
//! the driver calls the frame damaged, and that none came in time.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use v4l::Device;
use v4l::buffer::{Flags, Type};
use v4l::io::mmap::Stream;
use v4l::io::traits::CaptureStream;

use super::opening::Set;
use super::{Lens, See, errno, spoilt};
use crate::device::camera::{CameraTrouble, FormatInfo};
use crate::picture::raw::{PixelFormat, RawFrame};

/// Few, so that what is shown is new; more than one, so that the camera always has one to fill.
const BUFFERS: u32 = 3;
/// Less than our parent's patience, so that it hears why.
const PATIENCE: Duration = Duration::from_millis(3_500);

pub(super) struct Direct {
    stream: Stream<'static>,
    pixel: PixelFormat,
    set: Set,
    path: PathBuf,
}

/// Maps the buffers. The camera starts with the first frame.
pub(super) fn open(device: Device, set: Set, path: &Path) -> Result<Direct, CameraTrouble> {
    let Some(pixel) = PixelFormat::of_fourcc(&set.info.fourcc) else {
        return Err(CameraTrouble::NoUsableFormat { offered: vec![set.info.fourcc] });
    };
    let mut stream = Stream::with_buffers(&device, Type::VideoCapture, BUFFERS)
        .map_err(|e| errno::trouble(&e, "asking it for buffers", path))?;
    // The stream keeps the device open.
    drop(device);
    stream.set_timeout(PATIENCE);
    Ok(Direct { stream, pixel, set, path: path.to_owned() })
}

impl Lens for Direct {
    fn set(&self) -> &FormatInfo {
        &self.set.info
    }

    fn take(&mut self, see: &mut See<'_>) -> Result<(), CameraTrouble> {
        let (buffer, facts) = match self.stream.next() {
            Ok(frame) => frame,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let milliseconds = u32::try_from(PATIENCE.as_millis()).unwrap_or(u32::MAX);
                return Err(CameraTrouble::NoFrames { milliseconds });
            }
            Err(error) => return Err(errno::trouble(&error, "reading a picture", &self.path)),
        };
        let bytes = buffer.get(..facts.bytesused as usize).unwrap_or(buffer);
        if facts.flags.contains(Flags::ERROR) {
            see(Err(spoilt()));
            return Ok(());
        }
        see(Ok(&RawFrame {
            format: self.pixel,
            width: self.set.info.width,
            height: self.set.info.height,
            stride: Some(self.set.stride).filter(|stride| *stride > 0),
            colours: self.set.colours,
            bytes,
        }));
        Ok(())
    }
}
