//! Every device that was found, with what it can do and what is wrong with it: what all ways of showing them share.

use std::time::Duration;

use super::advice;
use super::surroundings::Surroundings;
use crate::client::devices::{DeviceReport, DeviceSection, DeviceSort, FoundDevice, Trouble};
use crate::device::audio::{self, AudioDevice, AudioDevices, AudioProgram, Direction};
use crate::device::camera::{self, CameraInfo, CameraProgram, FormatInfo, Listing};
use crate::device::nfc::{self, ReaderKind, Readers};

/// How long the PC/SC service may take.
const READERS_WITHIN: Duration = Duration::from_secs(3);
/// The sorts, in the order in which they are shown.
pub const SORTS: [DeviceSort; 4] =
    [DeviceSort::Reader, DeviceSort::Camera, DeviceSort::Microphone, DeviceSort::Speaker];

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// One section for each sort that was looked for, in the order of [`SORTS`].
    pub sections: Vec<Section>,
}

/// The devices of one sort.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Which.
    pub sort: DeviceSort,
    /// What they were asked from, where that differs from machine to machine: `PulseAudio`.
    pub host: Option<String>,
    /// What is wrong with all of them.
    pub troubles: Vec<Trouble>,
    /// The devices; simulated ones last.
    pub devices: Vec<Found>,
}

/// A device.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The name by which it is chosen.
    pub name: String,
    /// What it is.
    pub facts: Facts,
    /// What is wrong with it.
    pub trouble: Option<Trouble>,
}

/// What a device is and can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Facts {
    /// No hardware; how it is used.
    Simulated(&'static str),
    /// A reader.
    Reader(ReaderKind),
    /// A camera.
    Camera(CameraInfo),
    /// A microphone or speaker.
    Audio(AudioDevice),
}

/// What was heard of each sort; `None` where it was not asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// Of readers.
    pub readers: Option<Readers>,
    /// Of cameras.
    pub cameras: Option<Listing>,
    /// Of microphones and speakers.
    pub audio: Option<AudioDevices>,
}

impl Heard {
    /// Asks for these sorts, all at once. It always comes back; none is opened beyond asking what it is.
    pub async fn of(sorts: &[DeviceSort]) -> Self {
        let wants = |sort| sorts.contains(&sort);
        let (readers, cameras, audio) = tokio::join!(
            when(wants(DeviceSort::Reader), readers()),
            when(wants(DeviceSort::Camera), cameras()),
            when(wants(DeviceSort::Microphone) || wants(DeviceSort::Speaker), sound()),
        );
        Self { readers, cameras, audio }
    }
}

async fn when<T>(is_wanted: bool, work: impl Future<Output = T>) -> Option<T> {
    if is_wanted { Some(work.await) } else { None }
}

/// The readers. They are asked on a thread of its own: a frozen service may hold it for ever.
pub async fn readers() -> Readers {
    let (tell, told) = tokio::sync::oneshot::channel();
    let asked = std::thread::Builder::new().name("list-readers".into()).spawn(move || {
        drop(tell.send(nfc::readers(READERS_WITHIN)));
    });
    let frozen = || Readers {
        trouble: Some(nfc::ReaderTrouble::Frozen { within: READERS_WITHIN }),
        readers: Vec::new(),
    };
    match asked {
        Ok(_) => tokio::time::timeout(READERS_WITHIN * 2, told)
            .await
            .ok()
            .and_then(Result::ok)
            .unwrap_or_else(frozen),
        Err(_) => frozen(),
    }
}

/// The cameras.
pub async fn cameras() -> Listing {
    camera::list(&CameraProgram::this()).await
}

/// The microphones and speakers.
pub async fn sound() -> AudioDevices {
    audio::list(&AudioProgram::this()).await
}

impl Inventory {
    /// What was heard, put in order.
    pub fn of(heard: &Heard, around: &Surroundings) -> Self {
        let section = |sort| match sort {
            DeviceSort::Reader => heard.readers.as_ref().map(|readers| of_readers(readers, around)),
            DeviceSort::Camera => heard.cameras.as_ref().map(|cameras| of_cameras(cameras, around)),
            DeviceSort::Microphone => {
                heard.audio.as_ref().map(|a| of_audio(a, Direction::Microphone, around))
            }
            DeviceSort::Speaker => heard.audio.as_ref().map(|a| of_audio(a, Direction::Speaker, around)),
        };
        Self { sections: SORTS.into_iter().filter_map(section).collect() }
    }

    /// The section of a sort, if it was looked for.
    pub fn section(&self, sort: DeviceSort) -> Option<&Section> {
        self.sections.iter().find(|section| section.sort == sort)
    }

    /// The same for the pane of the screen; sorts of `looking` are still being looked for.
    pub fn report(&self, looking: &[DeviceSort]) -> DeviceReport {
        let section = |sort| {
            let found = self.section(sort);
            DeviceSection {
                sort,
                looking: looking.contains(&sort),
                trouble: found.and_then(|section| section.troubles.first().cloned()),
                devices: found
                    .into_iter()
                    .flat_map(|section| &section.devices)
                    .map(FoundDevice::from)
                    .collect(),
            }
        };
        DeviceReport { sections: SORTS.into_iter().map(section).collect() }
    }
}

fn of_readers(readers: &Readers, around: &Surroundings) -> Section {
    let real = readers.readers.iter().map(|reader| Found {
        name: reader.name.clone(),
        facts: Facts::Reader(reader.kind),
        trouble: None,
    });
    let simulated = Found {
        name: "SIMULATED tags".to_owned(),
        facts: Facts::Simulated("tag files that are placed on it"),
        trouble: None,
    };
    Section {
        sort: DeviceSort::Reader,
        host: readers.trouble.is_none().then(|| "PC/SC".to_owned()),
        troubles: advice::of_readers(readers, around),
        devices: real.chain([simulated]).collect(),
    }
}

fn of_cameras(listing: &Listing, around: &Surroundings) -> Section {
    let real = listing.cameras.iter().map(|camera| Found {
        name: camera.name.clone(),
        facts: Facts::Camera(camera.clone()),
        trouble: camera
            .trouble
            .as_ref()
            .map(|trouble| Trouble::new(trouble.to_string(), Some(trouble.hint()))),
    });
    let simulated = Found {
        name: "SIMULATED test card".to_owned(),
        facts: Facts::Simulated("1280×720, with the time on it; file:PATH shows a picture"),
        trouble: None,
    };
    Section {
        sort: DeviceSort::Camera,
        host: None,
        troubles: advice::of_cameras(listing, around),
        devices: real.chain([simulated]).collect(),
    }
}

fn of_audio(audio: &AudioDevices, direction: Direction, around: &Surroundings) -> Section {
    let found = |device: &AudioDevice| Found {
        name: device.name.clone(),
        facts: Facts::Audio(device.clone()),
        trouble: device.trouble.as_ref().map(|t| Trouble::new(t.to_string(), Some(t.hint().to_owned()))),
    };
    Section {
        sort: match direction {
            Direction::Microphone => DeviceSort::Microphone,
            Direction::Speaker => DeviceSort::Speaker,
        },
        host: audio.host.clone(),
        troubles: advice::of_audio(&audio.troubles, around),
        devices: audio.of(direction).map(found).collect(),
    }
}

impl Found {
    /// Whether no hardware stands behind it.
    pub fn is_simulated(&self) -> bool {
        matches!(self.facts, Facts::Simulated(_))
    }

    /// What it is and can do, in a few parts, the most important first.
    pub fn parts(&self) -> Vec<String> {
        match &self.facts {
            Facts::Simulated(how) => vec![(*how).to_owned()],
            Facts::Reader(kind) => {
                let used = match kind {
                    ReaderKind::Contactless => "used by a scan",
                    ReaderKind::Unknown => "used by a scan; its name does not say what it is for",
                    ReaderKind::Contact => "used by a scan only if it is named",
                    ReaderKind::SamSlot => "not for tags: it is for a security module",
                };
                vec![kind.to_string(), used.to_owned()]
            }
            Facts::Camera(camera) => {
                [camera.node.clone()].into_iter().chain(formats(&camera.formats)).collect()
            }
            Facts::Audio(device) => audio_parts(device),
        }
    }
}

impl From<&Found> for FoundDevice {
    fn from(found: &Found) -> Self {
        Self { name: found.name.clone(), what: found.parts().join(" · "), trouble: found.trouble.clone() }
    }
}

/// For each four-letter code its largest picture, and how many more there are: `MJPG 1920×1080 30 fps (+11)`.
fn formats(formats: &[FormatInfo]) -> Vec<String> {
    let mut codes: Vec<&str> = Vec::new();
    for format in formats {
        if !codes.contains(&format.fourcc.as_str()) {
            codes.push(&format.fourcc);
        }
    }
    let said = |code: &str| {
        let of_code = || formats.iter().filter(|format| format.fourcc == code);
        let largest = of_code().max_by_key(|format| u64::from(format.width) * u64::from(format.height))?;
        let fps = largest.fps.map(|fps| format!(" {} fps", (fps * 10.0).round() / 10.0)).unwrap_or_default();
        let more = match of_code().count() {
            1 => String::new(),
            many => format!(" (+{})", many - 1),
        };
        Some(format!("{code} {}×{}{fps}{more}", largest.width, largest.height))
    };
    codes.into_iter().filter_map(said).collect()
}

fn audio_parts(device: &AudioDevice) -> Vec<String> {
    let default = device.is_default.then(|| "default".to_owned());
    let monitor = device.is_monitor.then(|| "repeats a speaker".to_owned());
    let sound = device.sound.as_ref().map(ToString::to_string);
    let rates =
        device.rates.filter(|(low, high)| low != high).map(|(low, high)| format!("{low} to {high} Hz"));
    [default, monitor, sound, rates].into_iter().flatten().collect()
}
