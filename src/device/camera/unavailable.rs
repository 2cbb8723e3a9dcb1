//! What answers for a camera that is not there, and for all of them in a build without the feature `camera`.

use super::{CameraError, CameraTrouble};

/// The answer to a name that is no camera that is there, or that `matches` several of them.
pub fn no_such_camera(name: &str, matches: usize, available: &[&str]) -> CameraError {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    let why = if matches > 1 {
        format!("the name \"{shown}\" fits {matches} cameras")
    } else if let Some(trouble) = built() {
        format!("there is no camera \"{shown}\": {trouble}")
    } else if available.is_empty() {
        format!("there is no camera \"{shown}\": {}", CameraTrouble::NoCamera)
    } else {
        format!("there is no camera \"{shown}\"")
    };
    CameraError::NoSuchCamera { why, available: available.join(", ") }
}

/// What is wrong with this build, if anything.
pub fn built() -> Option<CameraTrouble> {
    (!cfg!(feature = "camera")).then_some(CameraTrouble::NotBuilt)
}
