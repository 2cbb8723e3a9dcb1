//! Choosing devices by name. Simulated ones are the default and always labelled so.

use std::path::Path;

use super::args::AllowedDevice;
use super::exit::{Failure, Kind};
use crate::device::camera::simulated::simulated_cameras;
use crate::device::camera::{self, Camera, CameraProgram};
use crate::device::nfc::{self, NfcReader, Placer, SimulatedReader, simulated};

/// The name by which simulated devices are chosen.
pub const SIMULATED: &str = simulated::NAME;

/// The chosen devices.
pub struct Devices {
    /// The reader, and the handle that places tags on it if it is simulated.
    pub reader: (Box<dyn NfcReader>, Option<Placer>),
    /// The camera.
    pub camera: Box<dyn Camera>,
    /// The program behind simulated cameras.
    pub program: CameraProgram,
}

impl Devices {
    /// Chooses by name. `pictures` is a directory of pictures, each of which is a simulated camera.
    ///
    /// # Errors
    /// [`Kind::Device`] when no device has the name; the message names those that there are.
    pub fn choose(reader: &str, camera: &str, pictures: Option<&Path>) -> Result<Self, Failure> {
        let program = CameraProgram::this();
        let failed = |error: &dyn std::error::Error| Failure::new(Kind::Device, error.to_string());
        nfc::select(reader, &[SIMULATED]).map_err(|error| failed(&error))?;
        let simulated = SimulatedReader::new();
        let placer = simulated.placer();
        let cameras = simulated_cameras(pictures, &program);
        let camera = camera::choose(camera, &program, cameras).map_err(|error| failed(&error))?;
        Ok(Self { reader: (Box::new(simulated), Some(placer)), camera, program })
    }

    /// Refuses real devices that a script may not use by itself (R33).
    ///
    /// # Errors
    /// [`Kind::Usage`] naming the device.
    pub fn permitted(&self, allowed: &[AllowedDevice]) -> Result<(), Failure> {
        let reader = (AllowedDevice::Reader, "reader", self.reader.0.label(), self.reader.0.is_simulated());
        let camera = (AllowedDevice::Camera, "camera", self.camera.label(), self.camera.is_simulated());
        [reader, camera].into_iter().try_for_each(|(kind, word, label, is_simulated)| {
            if is_simulated || allowed.contains(&kind) {
                return Ok(());
            }
            let message = format!("a script uses the {word} {label} only when you allow it (R33)");
            Err(Failure::new(Kind::Usage, message).hint(format!("Add --allow {word}.")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::nfc::UnavailableReader;

    #[test]
    fn a_script_uses_a_real_device_only_when_it_is_allowed() {
        let mut devices = Devices::choose(SIMULATED, SIMULATED, None).unwrap();
        assert_eq!(devices.permitted(&[]), Ok(()));
        devices.reader = (Box::new(UnavailableReader::new("ACR122U")), None);
        let refused = devices.permitted(&[AllowedDevice::Camera]).unwrap_err();
        assert_eq!((refused.kind, refused.hint.as_deref()), (Kind::Usage, Some("Add --allow reader.")));
        assert_eq!(devices.permitted(&[AllowedDevice::Reader]), Ok(()));
    }
}
