//! A camera that is plugged in, as it was listed.

use super::choice::{self, Wish};
use super::info::{CameraInfo, FormatInfo};
use super::wire::Source;
use super::{Boxed, Camera, CameraError, CameraProgram, CameraStream, CameraTrouble};
use crate::device::Armed;

/// A real camera. It is opened by [`Camera::open`] alone; until then nothing is asked of it. When it was plugged in anew
/// meanwhile it is found again by its name and place.
#[derive(Clone, Debug)]
pub struct Webcam {
    info: CameraInfo,
    wish: Wish,
    program: CameraProgram,
}

impl Webcam {
    /// The camera of a listing.
    pub fn new(info: CameraInfo, program: CameraProgram) -> Self {
        Self { info, wish: Wish::default(), program }
    }

    /// What was listed.
    pub fn info(&self) -> &CameraInfo {
        &self.info
    }

    /// The format that is set when it is opened; `None` when it is not known yet what it has.
    ///
    /// # Errors
    /// [`CameraTrouble`] when it has none that is wished for, or that is decoded here.
    fn format(&self) -> Result<Option<FormatInfo>, CameraTrouble> {
        match (choice::best(&self.info.formats, &self.wish), &self.info.trouble) {
            (Some(format), _) => Ok(Some(format.clone())),
            (None, _) if !self.wish.is_any() && !self.info.formats.is_empty() => {
                Err(CameraTrouble::NoSuchFormat { wanted: self.wish.to_string() })
            }
            // These do not go away by themselves; everything else may have.
            (None, Some(lasting @ (CameraTrouble::Multiplanar | CameraTrouble::NoUsableFormat { .. }))) => {
                Err(lasting.clone())
            }
            (None, _) => Ok(None),
        }
    }
}

impl Camera for Webcam {
    fn name(&self) -> &str {
        &self.info.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn node(&self) -> Option<&str> {
        Some(&self.info.node)
    }

    fn is_ready(&self) -> bool {
        self.info.trouble.is_none()
    }

    fn wish(&mut self, wish: Wish) -> bool {
        self.wish = wish;
        true
    }

    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn CameraStream>, CameraError>> {
        Box::pin(async move {
            let name = &self.info.name;
            let format =
                self.format().map_err(|trouble| CameraError::Trouble { name: name.clone(), trouble })?;
            let source = Source::Device {
                node: self.info.node.clone(),
                card: self.info.card.clone(),
                bus: self.info.bus.clone(),
                format,
                wish: self.wish.clone(),
            };
            self.program.open(name, &source, armed).await
        })
    }
}
