//! What answers for a camera that is not there, and for all of them in a build without the feature `camera`.

use super::{CameraError, CameraTrouble};

/// The answer to a name that is no camera that is there, or that `matches` several of them.
pub fn no_such_camera(name: &str, matches: usize, available: &[&str]) -> CameraError {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    let (why, hint) = if matches > 1 {
        (format!("the name \"{shown}\" fits {matches} cameras"), "give more of it with --camera".to_owned())
    } else if let Some(trouble) = built() {
        (format!("there is no camera \"{shown}\": {trouble}"), trouble.hint())
    } else {
        let all = if available.is_empty() { format!(": {}", CameraTrouble::NoCamera) } else { String::new() };
        let hint = "plug it in and try again, or choose another with --camera".to_owned();
        (format!("there is no camera \"{shown}\"{all}"), hint)
    };
    CameraError::NoSuchCamera { why, available: available.join(", "), hint }
}

/// What is wrong with this build, if anything.
pub fn built() -> Option<CameraTrouble> {
    (!cfg!(feature = "camera")).then_some(CameraTrouble::NotBuilt)
}
