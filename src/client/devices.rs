//! What happens at devices, what is wrong with them, and which there are, as faces are told.
//!
//! The engine makes a [`DeviceEvent`] of what a driver brings; a face puts it between the frames. Nothing of a tag's
//! content or id is in any of it, nor of a picture. Names of devices are text from outside.

use std::fmt;
use std::time::Duration;

use crate::device::DeviceKind;
use crate::device::audio::AudioTrouble;
use crate::device::camera::{CameraError, CameraTrouble};
use crate::device::nfc::{Apdu, Happened, ReaderTrouble, TagRead};
use crate::trace::output::{ApduRecord, DeviceRecord};
use crate::units::{count, hex};

/// One thing that happened at a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceEvent {
    /// When, since the engine was started.
    pub at: Duration,
    /// The device's name; empty where it concerns the service behind all readers.
    pub name: String,
    /// What.
    pub did: Did,
    /// How often it was told: more than 1 for a trouble that stands, and for the end of one.
    pub times: u32,
}

/// What happened at a device.
#[derive(Clone, Debug, PartialEq)]
pub enum Did {
    /// At an armed reader, or with the tag that was read on it.
    Reader(Happened),
    /// A reader was plugged in.
    Appeared,
    /// A reader was unplugged.
    Gone,
    /// At a camera.
    Camera(CameraDid),
}

/// What happened at a camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameraDid {
    /// It is open and delivers.
    Opened {
        /// Since the capture key.
        after: Duration,
    },
    /// The first picture that can be used is there.
    FirstFrame {
        /// Since the capture key.
        after: Duration,
    },
    /// The shutter was pressed.
    Shutter,
    /// It gives no picture.
    Trouble {
        /// What is wrong, without the camera's name.
        brief: String,
        /// The whole sentence, and what to do.
        trouble: Trouble,
    },
    /// It is closed.
    Closed {
        /// How long it was open.
        open_for: Duration,
        /// Since what ended it: the shutter, Esc, the deadline. `None` if it closed by itself.
        after: Option<Duration>,
    },
}

/// What is wrong with a device, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// A sentence without its full stop.
    pub text: String,
    /// What to do, in a clause.
    pub hint: Option<String>,
    /// How often it came.
    pub times: u32,
}

impl Trouble {
    /// A trouble that came once.
    pub fn new(text: impl Into<String>, hint: Option<String>) -> Self {
        Self { text: text.into(), hint, times: 1 }
    }
}

impl Trouble {
    /// That there is no camera.
    pub fn no_camera() -> Self {
        Self::new("none found", Some(CameraTrouble::NoCamera.hint()))
    }

    /// That a camera is not there, if that is what the error says.
    pub fn of_absence(error: &CameraError) -> Option<Self> {
        match error {
            CameraError::Trouble { trouble: CameraTrouble::NoCamera, .. } => Some(Self::no_camera()),
            absent => absent.is_absence().then(|| Self::new(absent.to_string(), absent.hint())),
        }
    }
}

impl From<&ReaderTrouble> for Trouble {
    fn from(trouble: &ReaderTrouble) -> Self {
        Self::new(trouble.to_string(), trouble.hint())
    }
}

impl From<&AudioTrouble> for Trouble {
    fn from(trouble: &AudioTrouble) -> Self {
        Self::new(trouble.to_string(), Some(trouble.hint().to_owned()))
    }
}

/// The devices that were found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceReport {
    /// One section for each sort of device, in the order in which they are shown.
    pub sections: Vec<DeviceSection>,
}

/// The devices of one sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSection {
    /// Which.
    pub sort: DeviceSort,
    /// Whether it is still being looked for them.
    pub looking: bool,
    /// What is wrong with all of them.
    pub trouble: Option<Trouble>,
    /// Those that were found.
    pub devices: Vec<FoundDevice>,
}

/// A sort of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceSort {
    /// NFC readers.
    Reader,
    /// Cameras.
    Camera,
    /// Microphones.
    Microphone,
    /// Speakers.
    Speaker,
}

impl DeviceSort {
    /// For people: `Readers`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Reader => "Readers",
            Self::Camera => "Cameras",
            Self::Microphone => "Microphones",
            Self::Speaker => "Speakers",
        }
    }
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDevice {
    /// The name it is chosen by.
    pub name: String,
    /// What it is and can do, in a few words: `contactless`, `/dev/video0 · MJPG 1280×720`.
    pub what: String,
    /// What is wrong with it.
    pub trouble: Option<Trouble>,
}

impl DeviceEvent {
    /// Which kind of device it is.
    pub const fn device(&self) -> DeviceKind {
        match self.did {
            Did::Reader(_) | Did::Appeared | Did::Gone => DeviceKind::Reader,
            Did::Camera(_) => DeviceKind::Camera,
        }
    }

    /// What happened, for programs: one word.
    pub const fn event(&self) -> &'static str {
        match &self.did {
            Did::Reader(Happened::Inserted { .. }) => "inserted",
            Did::Reader(Happened::Flickered { .. }) => "flickered",
            Did::Reader(Happened::Removed) => "removed",
            Did::Reader(Happened::TornAway { .. }) => "torn_away",
            Did::Reader(Happened::Read(_)) => "read",
            Did::Reader(Happened::Trouble(_)) => "trouble",
            Did::Reader(Happened::Recovered(_)) => "recovered",
            Did::Appeared => "appeared",
            Did::Gone => "gone",
            Did::Camera(CameraDid::Opened { .. }) => "opened",
            Did::Camera(CameraDid::FirstFrame { .. }) => "first_frame",
            Did::Camera(CameraDid::Shutter) => "shutter",
            Did::Camera(CameraDid::Trouble { .. }) => "trouble",
            Did::Camera(CameraDid::Closed { .. }) => "closed",
        }
    }

    /// What is wrong with a reader, if that is what it says.
    pub const fn trouble(&self) -> Option<&ReaderTrouble> {
        match &self.did {
            Did::Reader(Happened::Trouble(trouble)) => Some(trouble),
            _ => None,
        }
    }

    /// The read that it tells of.
    pub const fn read(&self) -> Option<&TagRead> {
        match &self.did {
            Did::Reader(Happened::Read(read)) => Some(read),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match &self.did {
            Did::Camera(CameraDid::Trouble { trouble, .. }) => trouble.hint.clone(),
            _ => self.trouble().and_then(ReaderTrouble::hint),
        }
    }

    /// Whether something did not go well.
    pub const fn is_trouble(&self) -> bool {
        matches!(
            self.did,
            Did::Gone
                | Did::Reader(Happened::Trouble(_) | Happened::TornAway { .. })
                | Did::Camera(CameraDid::Trouble { .. })
        )
    }

    /// The same in few words and without the device's name, for a row that has no room for the sentence.
    pub fn brief(&self) -> String {
        let ms = |time: &Duration| time.as_millis();
        match &self.did {
            Did::Reader(Happened::Inserted { lay_there: false }) => "tag put on".to_owned(),
            Did::Reader(Happened::Inserted { lay_there: true }) => "tag already there".to_owned(),
            Did::Reader(Happened::Flickered { gone }) => format!("tag gone for {} ms and back", ms(gone)),
            Did::Reader(Happened::Removed) => "tag taken off".to_owned(),
            Did::Reader(Happened::TornAway { after }) => {
                format!("tag torn away after {}; hold it again", count(*after, "APDU"))
            }
            Did::Reader(Happened::Read(read)) => {
                let apdus = count(read.apdus.len(), "APDU");
                format!("read in {:.1} ms, {apdus}, {}", read.took.as_secs_f64() * 1e3, read.technology)
            }
            Did::Reader(Happened::Recovered(_)) if !self.name.is_empty() => "works again".to_owned(),
            Did::Reader(Happened::Trouble(trouble)) => without(&trouble.to_string(), &self.name),
            Did::Reader(Happened::Recovered(_)) => self.to_string(),
            Did::Appeared => "plugged in".to_owned(),
            Did::Gone => "unplugged".to_owned(),
            Did::Camera(CameraDid::Opened { after }) => format!("OPEN after {} ms", ms(after)),
            Did::Camera(CameraDid::FirstFrame { after }) => format!("first picture after {} ms", ms(after)),
            Did::Camera(CameraDid::Shutter) => "shutter".to_owned(),
            Did::Camera(CameraDid::Trouble { brief, .. }) => brief.clone(),
            Did::Camera(CameraDid::Closed { open_for, after }) => {
                let open_for = open_for.as_secs_f64();
                match after {
                    Some(after) => format!("closed after {} ms, was open for {open_for:.1} s", ms(after)),
                    None => format!("closed by itself, was open for {open_for:.1} s"),
                }
            }
        }
    }

    /// Whether it says little without the device's name.
    pub const fn is_about_its_name(&self) -> bool {
        matches!(self.did, Did::Appeared | Did::Gone)
    }

    /// How long it took, where it is something that takes time.
    fn took(&self) -> Option<Duration> {
        match &self.did {
            Did::Reader(Happened::Read(read)) => Some(read.took),
            Did::Reader(Happened::Flickered { gone }) => Some(*gone),
            Did::Camera(CameraDid::Opened { after } | CameraDid::FirstFrame { after }) => Some(*after),
            Did::Camera(CameraDid::Closed { after, .. }) => *after,
            _ => None,
        }
    }
}

/// One sentence without its full stop. How often it came stands apart.
impl fmt::Display for DeviceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.did {
            Did::Reader(what) => what.write_of(name, f),
            Did::Appeared => write!(f, "{name} plugged in"),
            Did::Gone => write!(f, "{name} unplugged"),
            Did::Camera(CameraDid::Trouble { trouble, .. }) => f.write_str(&trouble.text),
            Did::Camera(_) => write!(f, "{}: {name}", self.brief()),
        }
    }
}

impl From<&DeviceEvent> for DeviceRecord {
    fn from(event: &DeviceEvent) -> Self {
        let read = event.read();
        Self {
            device: event.device().to_string(),
            name: event.name.clone(),
            event: event.event().to_owned(),
            text: event.to_string(),
            hint: event.hint(),
            times: event.times,
            took_us: event.took().map(micros),
            technology: read.map(|read| read.technology.to_owned()),
            apdus: read.map(|read| read.apdus.iter().map(ApduRecord::from).collect()).unwrap_or_default(),
        }
    }
}

impl From<&Apdu> for ApduRecord {
    fn from(apdu: &Apdu) -> Self {
        Self {
            header: hex(&apdu.header).to_uppercase(),
            sent: apdu.sent,
            answered: apdu.answered,
            status: apdu.status.map(|status| format!("{status:04X}")),
            us: micros(apdu.took),
        }
    }
}

/// A sentence about a device, with `it` or `the reader` where its name stands.
fn without(sentence: &str, name: &str) -> String {
    if name.is_empty() {
        return sentence.to_owned();
    }
    sentence.replace(&format!("the reader {name}"), "the reader").replace(name, "the reader")
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
