//! The camera of `auto` where none was ready at the start: it looks again whenever it is opened.

use std::time::Duration;

use super::choice::preferred;
use crate::device::Armed;
use crate::device::camera::{
    Boxed, Camera, CameraError, CameraProgram, CameraStream, CameraTrouble, Wish, real_cameras,
};

const NAME: &str = "any camera";
/// How long it is looked for cameras.
const WITHIN: Duration = Duration::from_secs(3);

/// Whichever camera is there when it is opened.
#[derive(Debug)]
pub struct LateCamera {
    program: CameraProgram,
    wish: Option<Wish>,
    /// Of the one that was opened last.
    name: String,
}

impl LateCamera {
    /// Looks with this program.
    pub fn new(program: CameraProgram) -> Self {
        Self { program, wish: None, name: NAME.to_owned() }
    }
}

impl Camera for LateCamera {
    fn name(&self) -> &str {
        &self.name
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
            let wrong = |trouble| CameraError::Trouble { name: NAME.to_owned(), trouble };
            let cameras = real_cameras(&self.program, WITHIN).await.map_err(wrong)?;
            let mut camera = preferred(cameras).ok_or_else(|| wrong(CameraTrouble::NoCamera))?;
            self.name = camera.label();
            if let Some(wish) = &self.wish {
                camera.wish(wish.clone());
            }
            camera.open(armed).await
        })
    }
}
