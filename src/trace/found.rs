//! What `agentcall devices --json` prints: one JSON object a line, of the family of [`super::output`].
//!
//! `found` and `trouble` come first, one line for each device and for what is wrong with a whole sort; with `--watch` a
//! `change` follows for each; with `--probe` a `probe` for each run and a `probes` for each device. Nothing of a tag's id
//! or content is in any of it, nor of a picture.

use schemars::JsonSchema;
use serde::Serialize;

use super::output::{ApduRecord, Seconds};

/// `{"found":{"sort":"reader","name":…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FoundLine {
    /// The device.
    pub found: FoundRecord,
}

/// A device that was found. What a sort does not have is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FoundRecord {
    /// `reader`, `camera`, `microphone` or `speaker`.
    pub sort: &'static str,
    /// The name by which it is chosen.
    pub name: String,
    /// Whether no hardware stands behind it.
    pub simulated: bool,
    /// Of a reader: `contactless`, `contact`, `sam` or `unknown`, as far as its name says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Of a camera: its node, such as `/dev/video0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Of a camera: where it is plugged in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<String>,
    /// Of a camera: what it can deliver.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<FormatRecord>,
    /// Of a microphone or speaker: what the system calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Of a microphone or speaker: whether the system prefers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Of a microphone: whether it repeats what a speaker plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitor: Option<bool>,
    /// Of a microphone or speaker: its channels, unless it is asked otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u16>,
    /// Of a microphone or speaker: its samples a second, unless it is asked otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// Of a microphone or speaker: the form of a sample, unless it is asked otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Of a microphone or speaker: its lowest and highest samples a second, where the device itself sets them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rates: Option<[u32; 2]>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<WrongRecord>,
}

/// A format that a camera delivers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FormatRecord {
    /// Its four-letter code.
    pub fourcc: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The highest number of pictures a second, where the camera says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f32>,
}

/// What is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WrongRecord {
    /// One plain sentence.
    pub text: String,
    /// What to do; absent when there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// `{"trouble":{"sort":"reader","text":…,"hint":…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TroubleLine {
    /// What is wrong with a whole sort of devices.
    pub trouble: TroubleRecord,
}

/// What is wrong with a whole sort of devices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TroubleRecord {
    /// `reader`, `camera`, `microphone` or `speaker`.
    pub sort: &'static str,
    /// What, and what to do.
    #[serde(flatten)]
    pub wrong: WrongRecord,
}

/// `{"t":…,"change":{"what":"added","sort":"camera","name":…,"device":{…}}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ChangeLine {
    /// When, since the start.
    pub t: Seconds,
    /// What changed.
    pub change: ChangeRecord,
}

/// A change of what is plugged in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ChangeRecord {
    /// `added`, `removed`, `changed` (of a device), `trouble`, `recovered` (of a whole sort), `waiting` (of a name that
    /// nothing fits yet).
    pub what: &'static str,
    /// `reader`, `camera`, `microphone` or `speaker`.
    pub sort: &'static str,
    /// The device's name; of `waiting`, the name that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The device as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<FoundRecord>,
    /// What is wrong, or was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<WrongRecord>,
}

/// `{"t":…,"waiting":{"sort":"reader","name":…,"seconds":30}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WaitingLine {
    /// When, since the start.
    pub t: Seconds,
    /// What is waited for.
    pub waiting: WaitingRecord,
}

/// A device that is armed now.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WaitingRecord {
    /// `reader` or `camera`.
    pub sort: &'static str,
    /// The device's name.
    pub name: String,
    /// How long it stays armed at most, in seconds.
    pub seconds: f64,
}

/// `{"t":…,"probe":{"sort":"reader","name":…,"run":1,"ok":true,…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProbeLine {
    /// When it was over, since the start.
    pub t: Seconds,
    /// What came of it.
    pub probe: ProbeRecord,
}

/// One tag or one frame that was read, or why not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ProbeRecord {
    /// `reader` or `camera`.
    pub sort: &'static str,
    /// The device's name.
    pub name: String,
    /// The number of the run, from 1.
    #[schemars(range(min = 1))]
    pub run: u32,
    /// Whether something was read.
    pub ok: bool,
    /// What kind of tag it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Bytes of its NDEF message; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ndef_bytes: Option<usize>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_ndef: Option<String>,
    /// Whether that is because its content is damaged or unreadable, rather than absent; only then it is told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
    /// Every command that the read took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apdus: Vec<ApduRecord>,
    /// What the camera gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameRecord>,
    /// How long each part took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<TimeRecord>,
    /// Of a reader: how many tags were torn away in the middle of a read before it was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torn: Option<usize>,
    /// Why nothing was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<WrongRecord>,
}

/// A frame in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameRecord {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The four-letter code of what the camera delivers; absent for a simulated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fourcc: Option<String>,
    /// Bytes as the camera gave it; absent for a simulated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// How many frames came until one was neither dark nor unfilled.
    pub frames: u32,
    /// Damaged frames that were dropped right before it.
    pub dropped: u32,
}

/// How long one part took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimeRecord {
    /// Of a reader: `tag` (until a tag came), `read` (from the connection to the last answer), `apdus` (their sum). Of a
    /// camera, each from when it was asked for: `started`, `opened`, `first_frame`, `first_usable`, `picture`, `closed`.
    pub what: &'static str,
    /// In microseconds.
    pub us: u64,
}

/// `{"t":…,"probes":{"sort":"reader","name":…,"runs":20,"ok":19,…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProbesLine {
    /// When the last was over, since the start.
    pub t: Seconds,
    /// What came of all of them.
    pub probes: ProbesRecord,
}

/// All runs on one device.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProbesRecord {
    /// `reader` or `camera`.
    pub sort: &'static str,
    /// The device's name.
    pub name: String,
    /// How many runs there were.
    pub runs: usize,
    /// How many of them read something.
    pub ok: usize,
    /// Of a reader: how many of those got an NDEF message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_ndef: Option<usize>,
    /// Of a reader: how many of those found a content that is damaged or unreadable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<usize>,
    /// Of a reader: how many tags were torn away in the middle of a read, in all runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torn: Option<usize>,
    /// Of each part of those that did: how long it took.
    pub times: Vec<SpreadRecord>,
}

/// How long one part took over many runs, in microseconds (nearest rank).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpreadRecord {
    /// As in a `probe`.
    pub what: &'static str,
    /// Half took at most this long.
    pub p50_us: u64,
    /// Nine of ten.
    pub p90_us: u64,
    /// Ninety-nine of a hundred.
    pub p99_us: u64,
    /// All of them.
    pub max_us: u64,
}
