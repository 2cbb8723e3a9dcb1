//! A camera that was not there, or not ready, at the start: it is looked for whenever it is opened.

use std::time::Duration;

use super::choice::preferred;
use crate::device::Armed;
use crate::device::camera::{
    self, Boxed, Camera, CameraError, CameraProgram, CameraStream, CameraTrouble, Wish, real_cameras,
};

/// What stands for the name where whatever is there is meant.
const ANY: &str = "any camera";
/// How long it is looked for cameras.
const WITHIN: Duration = Duration::from_secs(3);

/// Whichever camera is there when it is opened, or the one of a name.
#[derive(Debug)]
pub struct LateCamera {
    program: CameraProgram,
    /// The name that was asked for, with the format behind it; `None` for whatever is there.
    wanted: Option<String>,
    wish: Option<Wish>,
    /// Of the one that was opened last.
    name: String,
    absence: Option<CameraError>,
}

impl LateCamera {
    /// Whatever is there. `absence` is what is known by now.
    pub fn any(program: CameraProgram, absence: Option<CameraTrouble>) -> Self {
        let absence = absence.map(|trouble| CameraError::Trouble { name: ANY.to_owned(), trouble });
        Self { program, wanted: None, wish: None, name: ANY.to_owned(), absence }
    }

    /// The one of this name, as [`camera::choose`] takes it. `absence` says why it is not there yet.
    pub fn named(wanted: &str, program: CameraProgram, absence: CameraError) -> Self {
        let (wanted, name) = (Some(wanted.to_owned()), wanted.trim().to_owned());
        Self { program, wanted, wish: None, name, absence: Some(absence) }
    }

    async fn find(&self) -> Result<Box<dyn Camera>, CameraError> {
        let wrong = |trouble| CameraError::Trouble { name: self.name.clone(), trouble };
        let cameras = real_cameras(&self.program, WITHIN).await.map_err(wrong)?;
        if let Some(wanted) = &self.wanted {
            return camera::choose(wanted, &self.program, cameras);
        }
        let mut camera = preferred(cameras).ok_or_else(|| wrong(CameraTrouble::NoCamera))?;
        if let Some(wish) = &self.wish {
            camera.wish(wish.clone());
        }
        Ok(camera)
    }
}

impl Camera for LateCamera {
    fn name(&self) -> &str {
        &self.name
    }

    fn absence(&self) -> Option<&CameraError> {
        self.absence.as_ref().filter(|absence| absence.is_absence())
    }

    fn wish(&mut self, wish: Wish) -> bool {
        self.wish = Some(wish);
        true
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn CameraStream>, CameraError>> {
        Box::pin(async move {
            let mut camera = self.find().await?;
            self.name = camera.label();
            camera.open(armed).await
        })
    }
}
