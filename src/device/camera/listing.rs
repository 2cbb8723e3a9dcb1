//! Which cameras are plugged in, asked of a child: a driver that hangs or crashes costs one listing and one line.

use std::time::Duration;

use super::info::name_apart;
use super::stream::{ChildStream, Purpose};
use super::wire::{self, Reply, Request};
use super::{Camera, CameraError, CameraProgram, CameraTrouble, Listing, Webcam, unavailable};

/// More cameras than this are not told.
const CAMERAS: usize = 64;

/// Looks which cameras are plugged in. Each node is opened and asked what it is; none is started, so no light goes on.
/// Takes at most one step of `program` for each camera.
pub async fn list(program: &CameraProgram) -> Listing {
    let mut listing = Listing { cameras: Vec::new(), trouble: unavailable::built() };
    if listing.trouble.is_some() {
        return listing;
    }
    let looked = match program.start("of this machine", None, Purpose::Listing).await {
        Ok(mut child) => {
            let looked = look(&mut child, &mut listing).await;
            child.end().await;
            looked
        }
        Err(error) => Err(error),
    };
    if let Err(error) = looked {
        listing.trouble = Some(trouble(error, program.within()));
    }
    name_apart(&mut listing.cameras);
    listing
}

async fn look(child: &mut ChildStream, listing: &mut Listing) -> Result<(), CameraError> {
    let request = wire::encode(&Request::List, 0).ok();
    let mut reply = child.step("looking for cameras", request.as_deref()).await?.0;
    loop {
        match reply {
            Reply::Camera { camera } if listing.cameras.len() < CAMERAS => {
                listing.cameras.push(camera.tidied());
            }
            Reply::Listed { trouble } => {
                listing.trouble = trouble.map(CameraTrouble::tidied);
                return Ok(());
            }
            other => return Err(child.unexpected("looking for cameras", &other)),
        }
        reply = child.step("looking for cameras", None).await?.0;
    }
}

fn trouble(error: CameraError, within: Duration) -> CameraTrouble {
    match error {
        CameraError::Trouble { trouble, .. } => trouble,
        CameraError::Hung { .. } => {
            CameraTrouble::Frozen { milliseconds: u32::try_from(within.as_millis()).unwrap_or(u32::MAX) }
        }
        other => CameraTrouble::Crashed { how: other.to_string() }.tidied(),
    }
}

/// The cameras that are plugged in, ready to be chosen from, each with what is wrong with it kept for its opening.
///
/// # Errors
/// What went wrong while looking, when no camera was found before; no camera at all is an empty list.
pub async fn real_cameras(
    program: &CameraProgram,
    within: Duration,
) -> Result<Vec<Box<dyn Camera>>, CameraTrouble> {
    let listing = list(&program.clone().with_deadline(within)).await;
    match listing.trouble {
        Some(trouble) if listing.cameras.is_empty() => Err(trouble),
        _ => Ok(listing
            .cameras
            .into_iter()
            .map(|info| Box::new(Webcam::new(info, program.clone())) as Box<dyn Camera>)
            .collect()),
    }
}
