//! Simulated cameras: a moving test card, and picture files. They work in a child process like any other.

use std::path::{Path, PathBuf};

use super::wire::Source;
use super::{Boxed, Camera, CameraError, CameraProgram, CameraStream};
use crate::device::Armed;

/// A camera without a lens. Its name begins with SIMULATED.
#[derive(Clone, Debug)]
pub struct SimulatedCamera {
    name: String,
    source: Source,
    program: CameraProgram,
}

impl SimulatedCamera {
    /// The moving test card, 1280×720, with the time on it.
    pub fn test_card(program: CameraProgram) -> Self {
        Self { name: "SIMULATED test card".into(), source: Source::TestCard, program }
    }

    /// A picture file (JPEG, PNG, WebP). It is read, in the child, when the camera is opened; a relative path counts
    /// from the working directory.
    pub fn of_file(path: PathBuf, program: CameraProgram) -> Self {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let name =
            format!("SIMULATED {}", file.chars().filter(|c| !c.is_control()).take(100).collect::<String>());
        let path = std::path::absolute(&path).unwrap_or(path);
        Self { name, source: Source::File { path: path.to_string_lossy().into_owned() }, program }
    }
}

impl Camera for SimulatedCamera {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn CameraStream>, CameraError>> {
        Box::pin(self.program.open(&self.name, &self.source, armed))
    }
}

/// The test card and every picture in `directory`, by name. An unreadable directory adds nothing.
pub fn simulated_cameras(directory: Option<&Path>, program: &CameraProgram) -> Vec<Box<dyn Camera>> {
    let mut files: Vec<PathBuf> = directory
        .and_then(|d| std::fs::read_dir(d).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
            ["jpg", "jpeg", "png", "webp"].contains(&extension.as_str())
        })
        .collect();
    files.sort();
    let mut cameras: Vec<Box<dyn Camera>> = vec![Box::new(SimulatedCamera::test_card(program.clone()))];
    for path in files.into_iter().take(64) {
        cameras.push(Box::new(SimulatedCamera::of_file(path, program.clone())));
    }
    cameras
}
