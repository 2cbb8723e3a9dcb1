//! Cameras that are plugged in, in the child. Nothing here runs in our own process.
//!
//! On Linux, [`nodes`] lists them with `v4l`, and [`open`] sets the format, which also undoes what another program left
//! set. Uncompressed frames then come through `nokhwa` ([`through`]); frames that it does not know, or of which it does not
//! say enough, come from `v4l` itself ([`direct`]). Elsewhere everything goes through `nokhwa`. Every frame is decoded by
//! us, by its own format.

#[cfg(all(feature = "camera", target_os = "linux"))]
mod direct;
#[cfg(all(feature = "camera", not(target_os = "linux")))]
mod elsewhere;
#[cfg(all(feature = "camera", target_os = "linux"))]
mod errno;
#[cfg(all(feature = "camera", target_os = "linux"))]
mod nodes;
#[cfg(all(feature = "camera", target_os = "linux"))]
mod opening;
#[cfg(feature = "camera")]
mod through;
#[cfg(not(feature = "camera"))]
mod unavailable;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::CameraTrouble;
use super::choice::Wish;
use super::info::FormatInfo;
use super::wire::RawFacts;
use crate::picture::raw::{self, Care, PixelFormat, RawFrame};
use crate::picture::{Picture, PictureError};

#[cfg(all(feature = "camera", not(target_os = "linux")))]
use elsewhere as system;
#[cfg(all(feature = "camera", not(target_os = "linux")))]
pub(super) use elsewhere::list;
#[cfg(all(feature = "camera", target_os = "linux"))]
pub(super) use nodes::list;
#[cfg(all(feature = "camera", target_os = "linux"))]
use opening as system;
#[cfg(not(feature = "camera"))]
use unavailable as system;
#[cfg(not(feature = "camera"))]
pub(super) use unavailable::list;

/// How many damaged frames are dropped one after the other, and for how long, before that is told. Both are less than
/// our parent's patience, so that it hears of it.
const DAMAGED_FRAMES: u32 = 30;
const DAMAGED_TIME: Duration = Duration::from_secs(3);

/// The camera that is meant, as it was listed.
#[cfg_attr(not(feature = "camera"), expect(dead_code, reason = "nothing is looked for"))]
pub(super) struct Wanted {
    /// Where it was.
    pub node: String,
    /// What the maker calls it.
    pub card: String,
    /// Where it was plugged in.
    pub bus: String,
    /// The format to set.
    pub format: Option<FormatInfo>,
    /// What was asked for by the user.
    pub wish: Wish,
}

/// An open camera. Dropping it closes it; the end of the process does so too.
pub(super) trait Lens {
    /// The format that is really set.
    fn set(&self) -> &FormatInfo;

    /// Waits for the next frame and shows it, where it lies in the driver's buffer.
    fn take(&mut self, see: &mut See<'_>) -> Result<(), CameraTrouble>;
}

/// What looks at a frame, or hears that the camera itself calls it damaged.
pub(super) type See<'a> = dyn FnMut(Result<&RawFrame<'_>, PictureError>) + 'a;

/// Opens a camera and sets its format. The libraries panic where a driver's words are no text, or say what they do not
/// know.
pub(super) fn open(wanted: &Wanted) -> Result<Box<dyn Lens>, CameraTrouble> {
    catch_unwind(AssertUnwindSafe(|| system::open(wanted))).unwrap_or_else(|_| {
        let (what, code) = ("opening it".to_owned(), "its driver answers nonsense".to_owned());
        Err(CameraTrouble::Other { what, code })
    })
}

/// A frame that the driver itself calls damaged.
#[cfg(all(feature = "camera", target_os = "linux"))]
fn spoilt() -> PictureError {
    PictureError::Damaged { why: "the camera says so".into() }
}

/// The next whole frame as a picture: damaged ones are dropped.
pub(super) fn next(lens: &mut dyn Lens, care: Care) -> Result<(Picture, RawFacts), CameraTrouble> {
    whole(lens, &mut |frame| raw::decode(frame, care))
}

/// The last frame, in full size. The camera is closed as soon as it was caught: its light does not stay on while we
/// decode. Whether a JPEG is whole is known only when it is decoded, so that is done before.
pub(super) fn last(mut lens: Box<dyn Lens>) -> Result<(Picture, RawFacts), CameraTrouble> {
    let (caught, facts) = whole(&mut *lens, &mut |frame| match frame.format {
        PixelFormat::Mjpeg => raw::decode(frame, Care::Whole).map(Caught::Picture),
        _ => raw::decode(frame, Care::Quick { side: 1 }).map(|_| Caught::frame(frame)),
    })?;
    drop(lens);
    match caught {
        Caught::Picture(picture) => Ok(picture),
        Caught::Frame(frame, bytes) => raw::decode(&frame.with_bytes(&bytes), Care::Whole),
    }
    .map(|picture| (picture, facts))
    .map_err(|error| unreadable(&error))
}

/// What is kept of a frame when its camera is closed.
enum Caught {
    Picture(Picture),
    /// Where its bytes lie now stands beside it.
    Frame(RawFrame<'static>, Zeroizing<Vec<u8>>),
}

impl Caught {
    fn frame(frame: &RawFrame<'_>) -> Self {
        Self::Frame(frame.with_bytes(&[]), Zeroizing::new(frame.bytes.to_vec()))
    }
}

/// What `make` makes of the next frame that is not damaged.
fn whole<T>(
    lens: &mut dyn Lens,
    make: &mut dyn FnMut(&RawFrame<'_>) -> Result<T, PictureError>,
) -> Result<(T, RawFacts), CameraTrouble> {
    let (start, mut dropped) = (Instant::now(), 0);
    loop {
        let (mut made, mut bytes) = (None, 0);
        lens.take(&mut |frame| {
            bytes = frame.as_ref().map_or(0, |frame| frame.bytes.len());
            made = Some(frame.and_then(&mut *make));
        })?;
        let spoilt = match made {
            Some(Ok(made)) => {
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                return Ok((made, RawFacts { bytes, dropped }));
            }
            Some(Err(PictureError::Damaged { why })) => why,
            Some(Err(degenerate @ PictureError::Degenerate { .. })) => degenerate.to_string(),
            Some(Err(other)) => return Err(unreadable(&other)),
            None => "it was never shown".to_owned(),
        };
        dropped += 1;
        if dropped >= DAMAGED_FRAMES || start.elapsed() > DAMAGED_TIME {
            return Err(CameraTrouble::Damaged { frames: dropped, why: spoilt });
        }
    }
}

fn unreadable(error: &PictureError) -> CameraTrouble {
    CameraTrouble::Other { what: "decoding its picture".to_owned(), code: error.to_string() }
}

#[cfg(test)]
mod tests;
