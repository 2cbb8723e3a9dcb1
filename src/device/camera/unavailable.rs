//! What answers for webcams while this build has none.

use super::CameraError;

/// The answer to a name that is no camera of this build, or that `matches` several of them.
pub fn no_such_camera(name: &str, matches: usize, available: &[&str]) -> CameraError {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    let why = if matches > 1 {
        format!("the name \"{shown}\" fits {matches} cameras")
    } else {
        format!("there is no camera \"{shown}\": this build has no webcam support yet")
    };
    CameraError::NoSuchCamera { why, available: available.join(", ") }
}
