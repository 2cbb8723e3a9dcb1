//! Real microphones and speakers. Each open one is held by a child of its own ([`super::child`]): what a sound library writes
//! to standard error, or does when its server is frozen, costs that child alone, which can be ended at any time. Ending it
//! closes the device for certain.
//!
//! A device that fails is opened anew, once for each time that it had worked: when its server is restarted, when it is
//! plugged in again, and, for `default`, on the one that is preferred by then.

mod link;
mod microphone;
mod speaker;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use microphone::RealMicrophone;
pub use speaker::RealSpeaker;

use super::{AudioTrouble, DEFAULT};

/// How long it is tried to open a failed device anew.
const RECOVERY: Duration = Duration::from_secs(5);
/// How long after a failed try the next one comes.
const PAUSE: Duration = Duration::from_millis(250);
/// One that failed within so short a time after it was opened anew is not opened again.
const WORKED: Duration = Duration::from_secs(2);

/// How a device is shown: `default (Desk speaker)` once it is known what that is.
fn shown(name: &str, own: &str) -> String {
    if name == DEFAULT && own != DEFAULT { format!("{DEFAULT} ({own})") } else { name.to_owned() }
}

/// Whether trying again can help.
const fn may_pass(trouble: &AudioTrouble) -> bool {
    !matches!(trouble, AudioTrouble::NotBuilt | AudioTrouble::NotAllowed | AudioTrouble::Ambiguous { .. })
}
