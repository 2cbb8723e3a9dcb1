//! Everything that a face can show. Texts from outside are scrubbed by value, and not yet made safe to draw.

use std::sync::Arc;
use std::time::Duration;

use super::devices::{DeviceEvent, DeviceReport, Trouble};
use super::voice::{Levels, MediaStats, SpokenTurn, VoiceView};
use crate::protocol::observation::{Carrier, Intent};
use crate::protocol::{Finding, Modality};
use crate::session::SessionView;
use crate::trace::record::Record;

/// One thing that a face may show. `at` is the time since the engine was started.
#[derive(Clone, Debug)]
pub enum Notice {
    /// How far the connection has come.
    Connection(Connection),
    /// What the card offers: lines in plain words, and what was noticed.
    Card(CardNotice),
    /// A frame went out or came in.
    Frame(Arc<Record>),
    /// The session has changed.
    Session(Arc<SessionView>),
    /// What is armed, collected or under review has changed.
    Physical(Arc<PhysicalView>),
    /// A new preview frame while aiming: `width × height` RGB pixels.
    Preview(Arc<Preview>),
    /// A request was not carried out: nothing was sent and nothing is lost.
    Refused(Line),
    /// Something failed: a device, a connection.
    Failed(Line),
    /// Something worth a line that is no failure.
    Info(Line),
    /// Something was noticed that belongs to no frame.
    Finding {
        /// When.
        at: Duration,
        /// What.
        finding: Finding,
    },
    /// Something happened at a device. It is no frame.
    Device(Arc<DeviceEvent>),
    /// The voice side has changed; `None`: this session has no sound.
    Voice(Option<Arc<VoiceView>>),
    /// How loud microphone and speaker are, some times a second while there is sound.
    Levels(Levels),
    /// How the call does, once a second.
    Media(Arc<MediaStats>),
    /// The times of the last spoken turn have changed.
    Spoken(SpokenTurn),
    /// Speaking what the agent says has begun, or is over.
    Speaking(bool),
    /// The devices that were found so far, while a face asked for them.
    Devices(Arc<DeviceReport>),
    /// The engine has stopped; nothing comes after this.
    Stopped,
}

/// One plain sentence and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When.
    pub at: Duration,
    /// The sentence.
    pub text: String,
    /// What to do.
    pub hint: Option<String>,
    /// For programs and exit codes.
    pub kind: LineKind,
}

/// What a [`Line`] is about, which decides exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// Form of a URL, configuration.
    Usage,
    /// The card is incompatible or out of bounds.
    Card,
    /// Connection, address policy, HTTP status.
    Connection,
    /// A deadline of connecting.
    Timeout,
    /// A device.
    Device,
    /// The gate of the session.
    Gate,
    /// Nothing is wrong.
    Info,
}

/// How far the connection has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Nothing yet.
    Idle,
    /// The card is being fetched from here.
    Fetching(String),
    /// The endpoint is being dialled.
    Dialling(String),
    /// `session.start` is sent.
    Starting,
    /// The session is live.
    Live,
    /// It is over; the line says why.
    Over(Line),
}

/// What the card came down to.
#[derive(Clone, Debug, PartialEq)]
pub struct CardNotice {
    /// The agent's name.
    pub agent: String,
    /// `wss agent.example`: transport and host.
    pub endpoint: String,
    /// What it offers, in plain words.
    pub explanation: Vec<String>,
    /// What was noticed.
    pub notes: Vec<Finding>,
}

/// The physical side.
#[derive(Clone, Debug, PartialEq)]
pub struct PhysicalView {
    /// The chosen readers, as far as they are there; at least one line.
    pub readers: Vec<DeviceLine>,
    /// The chosen camera.
    pub camera: DeviceLine,
    /// Whether the camera is open.
    pub camera_open: bool,
    /// What is going on.
    pub activity: Activity,
    /// What was sent last: one line, and when.
    pub last: Option<(String, Duration)>,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLine {
    /// Its name; simulated ones begin with `SIMULATED`.
    pub name: String,
    /// Whether it is simulated.
    pub simulated: bool,
    /// Why it cannot be used, if so.
    pub trouble: Option<Trouble>,
}

/// What is armed, being collected or under review. Only one at a time.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// Nothing is armed.
    Idle,
    /// A device is armed.
    Armed(ArmedView),
    /// The picture is being fitted, or the tag read.
    Preparing(Modality),
    /// An observation waits for the user's Enter. `adding` is set while the other modality is armed.
    Reviewing {
        /// What would be sent.
        review: Arc<Review>,
        /// The other modality, armed.
        adding: Option<ArmedView>,
    },
}

/// An armed device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmedView {
    /// What it collects.
    pub modality: Modality,
    /// When it stops by itself, as time of the engine.
    pub until: Duration,
    /// The request that it answers.
    pub answers: Option<String>,
    /// What hinders it; it stays armed.
    pub trouble: Option<Trouble>,
    /// Whether a tag lies there and is being read, which takes seconds for some.
    pub is_reading: bool,
}

/// Exactly what would be sent, and what stays here.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The tag.
    pub tag: Option<TagReview>,
    /// The photo.
    pub photo: Option<PhotoReview>,
    /// Why it is shown.
    pub intent: Intent,
    /// The request that it answers.
    pub answers: Option<String>,
    /// The passport, as JSON, if one is attached.
    pub passport: Option<serde_json::Value>,
}

/// A read tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagReview {
    /// `Type 2`, `NDEF file`, …
    pub technology: String,
    /// How many NDEF records it has.
    pub records: usize,
    /// Size of its NDEF message in bytes.
    pub bytes: usize,
    /// How many bytes its hardware id has, which stays here.
    pub uid_bytes: Option<usize>,
    /// What will be sent as reference.
    pub object_ref: String,
    /// What carried it.
    pub carrier: Carrier,
    /// What will be sent as digest.
    pub payload_sha256: String,
    /// Other content of the tag, untrusted; it stays here.
    pub other_content: Vec<String>,
    /// Whether its id is random, so that it has no stable identity.
    pub random_uid: bool,
    /// Whether the reference names it for good, and whether it may be sent.
    pub name: TagName,
    /// What else was noticed.
    pub notes: Vec<String>,
}

/// What the reference of a tag is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TagName {
    /// It stays the same.
    #[default]
    Lasting,
    /// It names this one tap, since the tag has no stable identity. It is not sent.
    Withheld,
    /// The same, and it is sent: the user insists.
    Insisted,
}

/// A fitted photo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhotoReview {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Size in bytes.
    pub bytes: usize,
    /// JPEG quality, 1 to 100.
    pub quality: u8,
    /// SHA-256, lower-case hexadecimal.
    pub sha256: String,
    /// The camera.
    pub source: String,
    /// Width and height as captured.
    pub source_size: (u32, u32),
    /// The preview of the final JPEG; gone when the review is over.
    pub preview: Arc<Preview>,
}

/// Pixels for the half-block preview. `Debug` shows the size only.
#[derive(Clone, PartialEq, Eq)]
pub struct Preview {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width × height × 3` bytes.
    pub rgb: crate::redact::ImageBytes,
}

impl std::fmt::Debug for Preview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[preview {}×{}]", self.width, self.height)
    }
}
