//! Choosing the devices of a session by name: real ones, simulated ones, or whatever is there.

use std::path::Path;
use std::time::Duration;

use super::asked::{AUTO, SIMULATED, find};
use super::inventory::{self, Heard, Inventory};
use super::late::LateCamera;
use super::sound;
use super::surroundings::Surroundings;
use crate::cli::args::AllowedDevice;
use crate::cli::exit::{Failure, Kind};
use crate::client::Watched;
use crate::client::devices::DeviceSort;
use crate::device::audio::{Microphone, Speaker};
use crate::device::camera::simulated::simulated_cameras;
use crate::device::camera::{self, Camera, CameraError, CameraProgram, CameraTrouble, Wish};
use crate::device::nfc::{self, Choice, NfcReader, PcscReaders, Placer, SimulatedReader};

/// How long it is looked for cameras.
const CAMERAS_WITHIN: Duration = Duration::from_secs(3);

/// The names of devices for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// `simulated`, `auto`, or the names of one or more readers.
    pub readers: Vec<String>,
    /// `simulated`, `auto`, `file:PATH`, or the name of a camera.
    pub camera: String,
    /// `simulated`, `silence`, `tone:HZ`, `file:PATH`, `auto`, or the name of a microphone.
    pub microphone: String,
    /// `simulated`, `file:PATH`, `auto`, or the name of a speaker.
    pub speaker: String,
}

/// What is made of a name that no device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The device may come; until then what is shown of it says that it is not there.
    MayCome,
    /// It is a failure: nobody looks, and nobody would plug it in.
    Fails,
}

/// The chosen devices.
pub struct Devices {
    /// The reader, and the handle that places tags on it if it is simulated.
    pub reader: (Box<dyn NfcReader>, Option<Placer>),
    /// Where real readers are chosen: what is plugged in, as it changes.
    pub watched: Option<Watched>,
    /// The camera.
    pub camera: Box<dyn Camera>,
    /// The program behind cameras.
    pub program: CameraProgram,
    /// The microphone.
    pub microphone: Box<dyn Microphone>,
    /// The speaker.
    pub speaker: Box<dyn Speaker>,
}

impl Devices {
    /// Chooses by name. `pictures` is a directory of pictures, each of which is a simulated camera.
    ///
    /// # Errors
    /// [`Kind::Device`] when no device has the name and `absent` does not allow it; the message names those that there
    /// are. [`Kind::Usage`] for names that exclude each other.
    pub async fn choose(wanted: &Wanted, pictures: Option<&Path>, absent: Absent) -> Result<Self, Failure> {
        let program = CameraProgram::this();
        let (reader, watched) = readers(&wanted.readers, absent).await?;
        let camera = camera(&wanted.camera, pictures, &program, absent).await?;
        let microphone = sound::microphone(&wanted.microphone, absent).await?;
        let speaker = sound::speaker(&wanted.speaker, absent).await?;
        Ok(Self { reader, watched, camera, program, microphone, speaker })
    }

    /// Refuses real devices that a script may not use by itself (R33).
    ///
    /// # Errors
    /// [`Kind::Usage`] naming the device.
    pub fn permitted(&self, allowed: &[AllowedDevice]) -> Result<(), Failure> {
        let reader = (AllowedDevice::Reader, "reader", self.reader.0.label(), self.reader.0.is_simulated());
        let camera = (AllowedDevice::Camera, "camera", self.camera.label(), self.camera.is_simulated());
        let microphone = (
            AllowedDevice::Microphone,
            "microphone",
            self.microphone.label(),
            self.microphone.is_simulated(),
        );
        [reader, camera, microphone].into_iter().try_for_each(|(kind, word, label, is_simulated)| {
            if is_simulated || allowed.contains(&kind) {
                return Ok(());
            }
            let message = format!("a script uses the {word} {label} only when you allow it (R33)");
            Err(Failure::new(Kind::Usage, message).hint(format!("Add --allow {word}.")))
        })
    }
}

type ChosenReader = (Box<dyn NfcReader>, Option<Placer>);

/// A reader whose tags are files.
pub fn simulated_reader() -> ChosenReader {
    let reader = SimulatedReader::new();
    let placer = reader.placer();
    (Box::new(reader), Some(placer))
}

async fn readers(names: &[String], absent: Absent) -> Result<(ChosenReader, Option<Watched>), Failure> {
    let is = |name: &String, word: &str| name.trim().eq_ignore_ascii_case(word);
    match names {
        [only] if is(only, SIMULATED) || is(only, "SIMULATED tags") => return Ok((simulated_reader(), None)),
        several if several.iter().any(|name| is(name, SIMULATED) || is(name, AUTO)) && several.len() > 1 => {
            let message = "auto and simulated are chosen alone, and not beside the names of readers";
            return Err(Failure::new(Kind::Usage, message));
        }
        _ => {}
    }
    if names.iter().all(|name| is(name, AUTO)) {
        return Ok(real(Choice::Auto, Vec::new()));
    }
    if absent == Absent::MayCome {
        // Not asked for now: a service that is frozen would keep the screen waiting.
        return Ok(real(Choice::Named(names.to_vec()), names.to_vec()));
    }
    let heard = Heard { readers: Some(inventory::readers().await), ..Heard::default() };
    let inventory = Inventory::of(&heard, &Surroundings::here());
    let section = inventory.section(DeviceSort::Reader).expect("it was asked for");
    for name in names {
        find(name, section)?;
    }
    Ok(real(Choice::Named(names.to_vec()), names.to_vec()))
}

fn real(choice: Choice, names: Vec<String>) -> (ChosenReader, Option<Watched>) {
    let watched = Watched { names, readers: nfc::watch() };
    ((Box::new(PcscReaders::new(choice)), None), Some(watched))
}

async fn camera(
    name: &str,
    pictures: Option<&Path>,
    program: &CameraProgram,
    absent: Absent,
) -> Result<Box<dyn Camera>, Failure> {
    let failed = |error: &CameraError| Failure::new(Kind::Device, error.to_string()).hint(error.hint());
    let simulated = simulated_cameras(pictures, program);
    let wanted = name.trim().to_lowercase();
    if wanted == SIMULATED
        || wanted.starts_with("file:")
        || simulated.iter().any(|c| c.name().to_lowercase() == wanted)
    {
        return camera::choose(name, program, simulated).map_err(|error| failed(&error));
    }
    let looked = camera::real_cameras(program, CAMERAS_WITHIN).await;
    if let Some(wish) = automatic(&wanted) {
        // What is wrong with all of them is said when one is opened: it may be mended by then.
        let none = looked.as_ref().is_ok_and(Vec::is_empty).then_some(CameraTrouble::NoCamera);
        let ready = preferred(looked.unwrap_or_default()).filter(|camera| camera.is_ready());
        let mut camera = ready.unwrap_or_else(|| Box::new(LateCamera::any(program.clone(), none)));
        if let Some(wish) = wish {
            camera.wish(wish);
        }
        return Ok(camera);
    }
    let trouble = looked.as_ref().err().map(|trouble| (trouble.to_string(), trouble.hint()));
    let cameras = looked.unwrap_or_default().into_iter().chain(simulated).collect();
    match (camera::choose(name, program, cameras), trouble) {
        (Ok(camera), _) => Ok(camera),
        (Err(error), _) if absent == Absent::MayCome => {
            Ok(Box::new(LateCamera::named(name, program.clone(), error)))
        }
        (Err(error), Some((trouble, hint))) => {
            Err(Failure::new(Kind::Device, format!("{error}; {trouble}")).hint(hint))
        }
        (Err(error), None) => Err(failed(&error)),
    }
}

/// Whether a name means whatever camera is there, and the format that stands behind it: `auto`, `auto@MJPG`.
fn automatic(wanted: &str) -> Option<Option<Wish>> {
    match wanted.split_once('@') {
        None => (wanted == AUTO).then_some(None),
        Some((name, format)) if name.trim() == AUTO => Wish::parse(format).map(Some),
        Some(_) => None,
    }
}

/// The first one with which nothing is wrong, or else the first.
pub fn preferred(mut cameras: Vec<Box<dyn Camera>>) -> Option<Box<dyn Camera>> {
    let at = cameras.iter().position(|camera| camera.is_ready()).unwrap_or(0);
    (at < cameras.len()).then(|| cameras.swap_remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::camera::{CameraInfo, FormatInfo, Webcam};
    use crate::device::nfc::UnavailableReader;

    fn wanted(readers: &[&str], camera: &str) -> Wanted {
        Wanted {
            readers: readers.iter().map(ToString::to_string).collect(),
            camera: camera.to_owned(),
            microphone: "simulated".to_owned(),
            speaker: "simulated".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_script_uses_a_real_device_only_when_it_is_allowed() {
        let simulated = wanted(&["simulated"], "simulated");
        let mut devices = Devices::choose(&simulated, None, Absent::Fails).await.unwrap();
        assert_eq!(devices.permitted(&[]), Ok(()));
        devices.reader = (Box::new(UnavailableReader::new("ACR122U")), None);
        let refused = devices.permitted(&[AllowedDevice::Camera]).unwrap_err();
        assert_eq!((refused.kind, refused.hint.as_deref()), (Kind::Usage, Some("Add --allow reader.")));
        assert_eq!(devices.permitted(&[AllowedDevice::Reader]), Ok(()));
        devices.microphone = sound::microphone("default", Absent::MayCome).await.unwrap();
        let refused = devices.permitted(&[AllowedDevice::Reader]).unwrap_err();
        assert_eq!(refused.hint.as_deref(), Some("Add --allow microphone."));
        assert_eq!(devices.permitted(&[AllowedDevice::Reader, AllowedDevice::Microphone]), Ok(()));
    }

    #[tokio::test]
    async fn auto_is_every_real_reader_now_or_later_and_needs_none_yet() {
        let auto = wanted(&["auto"], "simulated");
        let devices = Devices::choose(&auto, None, Absent::Fails).await.unwrap();
        assert!(!devices.reader.0.is_simulated() && devices.reader.1.is_none());
        assert_eq!(devices.watched.unwrap().names, [""; 0]);
    }

    #[tokio::test]
    async fn a_camera_that_may_come_is_looked_for_when_it_is_opened_and_is_a_failure_to_a_script() {
        let named = wanted(&["simulated"], "No Such Camera");
        let failed = Devices::choose(&named, None, Absent::Fails).await.err().unwrap();
        assert_eq!(failed.kind, Kind::Device);
        assert!(failed.message.contains("No Such Camera") && failed.hint.is_some(), "{failed:?}");
        let devices = Devices::choose(&named, None, Absent::MayCome).await.unwrap();
        assert_eq!(
            (devices.camera.label().as_str(), devices.camera.is_simulated()),
            ("No Such Camera", false)
        );
        let absence = devices.camera.absence().map(ToString::to_string).unwrap();
        assert!(absence.contains("there is no camera \"No Such Camera\""), "{absence}");
    }

    #[tokio::test]
    async fn a_reader_that_may_come_is_waited_for_and_nothing_is_asked_of_the_service() {
        let named = wanted(&["No Such Reader"], "simulated");
        let failed = Devices::choose(&named, None, Absent::Fails).await.err().unwrap();
        assert_eq!(failed.kind, Kind::Device);
        let devices = Devices::choose(&named, None, Absent::MayCome).await.unwrap();
        assert_eq!(devices.reader.0.label(), "No Such Reader");
        assert_eq!(devices.watched.unwrap().names, ["No Such Reader"]);
    }

    #[tokio::test]
    async fn simulated_and_real_readers_are_not_armed_together() {
        for names in [["simulated", "ACR122U"], ["ACR122U", "auto"]] {
            for absent in [Absent::Fails, Absent::MayCome] {
                let chosen = Devices::choose(&wanted(&names, "simulated"), None, absent).await;
                assert_eq!(chosen.err().unwrap().kind, Kind::Usage, "{names:?}");
            }
        }
    }

    #[test]
    fn auto_takes_the_first_camera_with_which_nothing_is_wrong() {
        let formats = [FormatInfo { fourcc: "YUYV".into(), width: 640, height: 480, fps: None }];
        let camera = |name: &str, formats: &[FormatInfo], trouble| {
            let (node, bus) = (format!("/dev/{name}"), String::new());
            let (name, card, formats) = (name.to_owned(), name.to_owned(), formats.to_vec());
            let info = CameraInfo { name, card, node, bus, formats, trouble };
            Box::new(Webcam::new(info, CameraProgram::this())) as Box<dyn Camera>
        };
        let busy = || camera("busy", &formats, Some(CameraTrouble::Busy { holders: Vec::new() }));
        let waiting = || camera("waiting", &[], Some(CameraTrouble::NoFormats));
        let ready = |name| camera(name, &formats, None);
        let name = |cameras| preferred(cameras).map(|camera| camera.label());
        assert_eq!(name(vec![busy(), waiting(), ready("one"), ready("two")]).as_deref(), Some("one"));
        assert_eq!(name(vec![waiting(), busy()]).as_deref(), Some("waiting"), "its trouble is told");
        assert_eq!(name(Vec::new()), None);
    }

    #[test]
    fn auto_may_have_a_format_behind_it() {
        assert_eq!(automatic("auto"), Some(None));
        let wish = automatic("auto@mjpg 640x480").flatten();
        assert_eq!(wish.map(|wish| wish.to_string()).as_deref(), Some("MJPG 640x480"));
        for other in ["auto@nonsense", "autocam", "cam@MJPG", "my auto@MJPG"] {
            assert_eq!(automatic(other), None, "{other}");
        }
    }
}
