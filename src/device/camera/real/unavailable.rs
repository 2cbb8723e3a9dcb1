//! A build without cameras.

use super::{Lens, Wanted};
use crate::device::camera::{CameraInfo, CameraTrouble};

pub fn list(_: &mut dyn FnMut(CameraInfo)) -> Option<CameraTrouble> {
    Some(CameraTrouble::NotBuilt)
}

pub fn open(_: &Wanted) -> Result<Box<dyn Lens>, CameraTrouble> {
    Err(CameraTrouble::NotBuilt)
}
