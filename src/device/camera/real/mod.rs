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

use super::CameraTrouble;
use super::choice::Wish;
use super::info::FormatInfo;
use super::wire::RawFacts;
use crate::picture::raw::Care;
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

    /// Waits for the next frame and decodes it.
    fn take(&mut self, care: Care) -> Result<Taken, CameraTrouble>;
}

/// Opens a camera and sets its format. The libraries panic where a driver's words are no text, or say what they do not
/// know.
pub(super) fn open(wanted: &Wanted) -> Result<Box<dyn Lens>, CameraTrouble> {
    catch_unwind(AssertUnwindSafe(|| system::open(wanted))).unwrap_or_else(|_| {
        let (what, code) = ("opening it".to_owned(), "its driver answers nonsense".to_owned());
        Err(CameraTrouble::Other { what, code })
    })
}

/// A frame that came.
pub(super) struct Taken {
    /// The picture, or why it is none.
    pub picture: Result<Picture, PictureError>,
    /// Bytes of the frame.
    pub bytes: usize,
}

impl Taken {
    /// A frame that the driver itself calls damaged.
    #[cfg_attr(
        not(all(feature = "camera", target_os = "linux")),
        expect(dead_code, reason = "only V4L2 does")
    )]
    pub fn spoilt(bytes: usize) -> Self {
        Self { picture: Err(PictureError::Damaged { why: "the camera says so".into() }), bytes }
    }
}

/// The next whole frame: damaged ones are dropped.
pub(super) fn next(lens: &mut dyn Lens, care: Care) -> Result<(Picture, RawFacts), CameraTrouble> {
    let (start, mut dropped) = (Instant::now(), 0);
    loop {
        let Taken { picture, bytes } = lens.take(care)?;
        let spoilt = match picture {
            Ok(picture) => {
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                return Ok((picture, RawFacts { bytes, dropped }));
            }
            Err(PictureError::Damaged { why }) => why,
            Err(degenerate @ PictureError::Degenerate { .. }) => degenerate.to_string(),
            Err(other) => {
                let what = "decoding its picture".to_owned();
                return Err(CameraTrouble::Other { what, code: other.to_string() });
            }
        };
        dropped += 1;
        if dropped >= DAMAGED_FRAMES || start.elapsed() > DAMAGED_TIME {
            return Err(CameraTrouble::Damaged { frames: dropped, why: spoilt });
        }
    }
}

#[cfg(test)]
mod tests;
