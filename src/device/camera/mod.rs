//! Cameras: the trait, the child-process protocol behind it, simulated and unavailable ones side by side.
//!
//! Order: [`choose`] by name, [`Camera::open`] with an [`Armed`] for a camera, any number of
//! [`CameraStream::preview`]s while the user aims, then [`CameraStream::shutter`], which takes one picture and
//! closes. Dropping a stream, or the `Armed`, closes the device at once. Every camera works in a child process
//! ([`child`]), so that a crash, a hang or a picture that is a bomb costs one capture and one line.

pub mod child;
pub mod choice;
mod info;
mod listing;
mod process;
mod real;
pub mod simulated;
mod stream;
mod trouble;
pub mod unavailable;
mod webcam;
pub mod wire;

use std::pin::Pin;
use std::time::Duration;

use crate::device::{Armed, Ended};
use crate::picture::Picture;

pub use choice::Wish;
pub use info::{CameraInfo, FormatInfo, Listing};
pub use listing::{list, real_cameras};
pub use process::CameraProgram;
pub use trouble::CameraTrouble;
pub use webcam::Webcam;

/// A boxed future, so that the traits are object-safe.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A camera that can be chosen. It collects nothing until it is opened.
pub trait Camera: Send {
    /// The name by which it is chosen: `SIMULATED test card`.
    fn name(&self) -> &str;

    /// Whether no lens stands behind it.
    fn is_simulated(&self) -> bool;

    /// The node behind it (`/dev/video0`), where there is one; it can be chosen by it too.
    fn node(&self) -> Option<&str> {
        None
    }

    /// Whether nothing was wrong with it when it was looked at. What is choosy takes another one otherwise.
    fn is_ready(&self) -> bool {
        true
    }

    /// Why it is known, since it was looked for, that it is not there. It may come, and is looked for when it is opened.
    fn absence(&self) -> Option<&CameraError> {
        None
    }

    /// Asks for a format from now on; `false` when this camera has none to choose from.
    fn wish(&mut self, wish: Wish) -> bool {
        let _no_choice = wish;
        false
    }

    /// What the screen shows: the name, which begins with SIMULATED where that is so.
    fn label(&self) -> String {
        self.name().to_owned()
    }

    /// Opens the camera under the user's consent.
    ///
    /// # Errors
    /// [`CameraError::NotArmed`] when the consent is for something else or over, and whatever the camera says.
    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn CameraStream>, CameraError>>;
}

/// An open camera. Dropping it closes the camera at once.
pub trait CameraStream: Send {
    /// What the camera delivers.
    fn format(&self) -> &StreamFormat;

    /// The next preview frame, at most [`wire::PREVIEW_SIDE`] pixels a side, when the camera has one. The future is
    /// not cancel-safe: await it to its end, or drop the stream with it.
    ///
    /// # Errors
    /// [`CameraError`]; after one the stream is closed.
    fn preview(&mut self) -> Boxed<'_, Result<Picture, CameraError>>;

    /// Takes one full frame, at most [`wire::FULL_SIDE`] pixels a side, and closes the camera.
    ///
    /// # Errors
    /// [`CameraError`]; the camera is closed all the same.
    fn shutter(self: Box<Self>) -> Boxed<'static, Result<Picture, CameraError>>;

    /// Aims until there is something to see, does what the shutter does, keeps nothing of the picture, and tells when what
    /// happened.
    ///
    /// # Errors
    /// [`CameraError`]; the camera is closed all the same.
    fn probe(self: Box<Self>) -> Boxed<'static, Result<Probe, CameraError>>;

    /// Closes the camera and waits until it is closed.
    fn close(self: Box<Self>) -> Boxed<'static, ()>;
}

/// What an open camera said about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamFormat {
    /// Its own name, at most 128 characters.
    pub name: String,
    /// Width of its pictures in pixels.
    pub width: u32,
    /// Height of its pictures in pixels.
    pub height: u32,
    /// The four-letter code of what it delivers; none for simulated cameras.
    pub fourcc: Option<String>,
    /// Pictures a second, where it says so.
    pub fps: Option<f32>,
}

/// What one picture took. Each time counts from the moment at which the camera was asked for; nothing of the picture is
/// kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// What the camera said about itself.
    pub format: StreamFormat,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Height of the picture in pixels.
    pub height: u32,
    /// Bytes of the frame as the camera gave it; none for simulated cameras.
    pub raw_bytes: Option<u32>,
    /// Damaged frames that were dropped right before it.
    pub dropped: u32,
    /// Frames that came until one was usable, that one among them.
    pub frames: u32,
    /// The process was there.
    pub started: Duration,
    /// The camera was open.
    pub opened: Duration,
    /// The first whole frame was there, in the size for aiming.
    pub first_frame: Duration,
    /// The first frame that is neither dark nor unfilled was there: until then a user waits who wants to aim.
    pub first_usable: Duration,
    /// The picture in full size was there.
    pub picture: Duration,
    /// The camera was closed, its process gone.
    pub closed: Duration,
}

/// Why a capture came to nothing. Each is one clear sentence; the session goes on.
#[derive(Debug, thiserror::Error)]
pub enum CameraError {
    /// The call came without a standing consent for a camera: our fault.
    #[error("the camera {name} was not opened: no consent for a camera stands")]
    NotArmed {
        /// The camera.
        name: String,
    },
    /// The consent ended while the camera was open.
    #[error("the camera {name} was closed: {}", match .why { Ended::Deadline => "its time ran out", Ended::Disarmed => "it was disarmed" })]
    Closed {
        /// The camera.
        name: String,
        /// Why.
        why: Ended,
    },
    /// No camera has this name, or several do.
    #[error("{why}{}", among(.available))]
    NoSuchCamera {
        /// What is wrong with the name.
        why: String,
        /// The names to choose from; empty where they would be of no use.
        available: String,
        /// What to do about it, in one clause.
        hint: String,
    },
    /// The child process could not be started.
    #[error("starting the camera process {program} failed: {source}")]
    Start {
        /// The program's path.
        program: String,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The camera itself refused, in its own words.
    #[error("the camera {name} gave no picture: {message}")]
    Refused {
        /// The camera.
        name: String,
        /// Its words: one line, at most [`wire::MESSAGE_CHARS`] characters.
        message: String,
    },
    /// The camera could not be used, and it is known why.
    #[error("{}{trouble}", no_picture_of(.name, .trouble))]
    Trouble {
        /// The camera.
        name: String,
        /// Why.
        trouble: CameraTrouble,
    },
    /// The camera did not answer in time. It was ended.
    #[error("the camera {name} did not answer within {} s while {step}; its process was ended", .within.as_secs_f32())]
    Hung {
        /// The camera.
        name: String,
        /// What was being done.
        step: &'static str,
        /// The time it had.
        within: Duration,
    },
    /// The process ended by itself: a crash.
    #[error("the camera process of {name} ended while {step}{how}")]
    Died {
        /// The camera.
        name: String,
        /// What was being done.
        step: &'static str,
        /// Its exit status and last words, when there are any.
        how: String,
    },
    /// The process spoke something else than the protocol. It was ended.
    #[error("the camera process of {name} broke its protocol while {step}: {what}")]
    Garbled {
        /// The camera.
        name: String,
        /// What was being done.
        step: &'static str,
        /// What came.
        what: String,
    },
}

/// `; available: one, another`
fn among(available: &str) -> String {
    if available.is_empty() { String::new() } else { format!("; available: {available}") }
}

/// Which camera gave none, unless what is wrong is wrong with all.
fn no_picture_of(name: &str, trouble: &CameraTrouble) -> String {
    if trouble.is_of_all() { String::new() } else { format!("the camera {name} gave no picture: ") }
}

impl CameraError {
    /// What is wrong without the camera's name, where it is known; else the whole sentence.
    pub fn brief(&self) -> String {
        match self {
            Self::Trouble { trouble, .. } => trouble.to_string(),
            Self::Refused { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }

    /// Whether it says that the camera is not there, which may change.
    pub const fn is_absence(&self) -> bool {
        matches!(self, Self::NoSuchCamera { .. } | Self::Trouble { trouble: CameraTrouble::NoCamera, .. })
    }

    /// Whether it only says that the consent is over, which is no fault of the camera.
    pub const fn is_by_consent(&self) -> bool {
        matches!(self, Self::NotArmed { .. } | Self::Closed { .. })
    }

    /// What to do about it, in one clause, where that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Trouble { trouble, .. } => Some(trouble.hint()),
            Self::NoSuchCamera { hint, .. } => Some(hint.clone()),
            Self::Hung { .. } | Self::Died { .. } => {
                Some("try again; if it stays so, plug the camera in anew or choose another".to_owned())
            }
            _ => None,
        }
    }
}

/// Chooses a camera by exact name, node (`/dev/video0`), unique part of a name (capitals do not matter), `simulated` (the
/// first simulated one), or `file:PATH`. Behind the name of a real one an `@` may stand and a format ([`Wish`]):
/// `HD Webcam@MJPG 640x480`.
///
/// # Errors
/// [`CameraError::NoSuchCamera`] names what is available.
pub fn choose(
    name: &str,
    program: &CameraProgram,
    mut cameras: Vec<Box<dyn Camera>>,
) -> Result<Box<dyn Camera>, CameraError> {
    if let Some(path) = name.strip_prefix("file:") {
        return Ok(Box::new(simulated::SimulatedCamera::of_file(path.into(), program.clone())));
    }
    let (at, wish) = match (find(name, &cameras), name.rsplit_once('@')) {
        (Ok(at), _) => (at, None),
        (Err(matches), None) => return Err(no_such_camera(name, matches, &cameras)),
        (Err(matches), Some((camera, format))) => match (find(camera, &cameras), Wish::parse(format)) {
            (Ok(at), Some(wish)) => (at, Some(wish)),
            (Err(matches), Some(_)) => return Err(no_such_camera(camera, matches, &cameras)),
            _ => return Err(no_such_camera(name, matches, &cameras)),
        },
    };
    let mut camera = cameras.swap_remove(at);
    if wish.is_none_or(|wish| camera.wish(wish)) {
        return Ok(camera);
    }
    let why = format!("{} has one format only", camera.name());
    let hint = "leave out what stands behind the @".to_owned();
    Err(CameraError::NoSuchCamera { why, available: String::new(), hint })
}

/// The place of the camera that is meant; else how many fit.
fn find(name: &str, cameras: &[Box<dyn Camera>]) -> Result<usize, usize> {
    let wanted = name.trim().to_lowercase();
    let exact = cameras.iter().position(|c| c.name().to_lowercase() == wanted);
    let node = || cameras.iter().position(|c| c.node().is_some_and(|node| node.to_lowercase() == wanted));
    let simulated = || cameras.iter().position(|c| wanted == "simulated" && c.is_simulated());
    let parts: Vec<usize> =
        (0..cameras.len()).filter(|i| cameras[*i].name().to_lowercase().contains(&wanted)).collect();
    match (exact.or_else(node).or_else(simulated), parts.as_slice()) {
        (Some(at), _) => Ok(at),
        (None, [one]) if !wanted.is_empty() => Ok(*one),
        (None, several) => Err(several.len()),
    }
}

fn no_such_camera(name: &str, matches: usize, cameras: &[Box<dyn Camera>]) -> CameraError {
    let names: Vec<&str> = cameras.iter().map(|c| c.name()).collect();
    unavailable::no_such_camera(name, matches, &names)
}

#[cfg(test)]
mod tests;
