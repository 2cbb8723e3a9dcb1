//! What the program prints for programs with `--json`: one JSON object a line, and nothing else on
//! standard output (`agentcall run --help`).
//!
//! `run` prints frames, steps, findings, the session and what happens at devices; `card` prints a card; `devices`
//! prints what [`super::found`] holds; everything may print an error. Frames come masked from `protocol::view::for_trace`. Text stands as it came: JSON escapes it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::found::{ChangeLine, FoundLine, ProbeLine, ProbesLine, TroubleLine, WaitingLine};
use crate::protocol::finding::FindingRecord;
use crate::protocol::schema::{Side, document};

/// One line. `C` is what `card` says of a card.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OutputLine<C> {
    /// A frame went out or came in.
    Frame(FrameLine),
    /// A step of a scenario is done.
    Step(StepLine),
    /// Something differs from a rule.
    Finding(FindingLine),
    /// A whole scenario is done.
    Scenario(ScenarioLine),
    /// The session changed its state.
    Session(SessionLine),
    /// Something happened at a reader or a camera.
    Device(DeviceLine),
    /// A card was fetched and validated.
    Card(CardLine<C>),
    /// A device was found.
    Found(FoundLine),
    /// Something is wrong with a whole sort of devices.
    Trouble(TroubleLine),
    /// A device was plugged in or pulled out, or something else changed.
    Change(ChangeLine),
    /// A device is armed and waits.
    Waiting(WaitingLine),
    /// A tag or a frame was read, or not.
    Probe(ProbeLine),
    /// All tags or frames of a device were read.
    Probes(ProbesLine),
    /// The program gave up, or one thing in it failed.
    Error(ErrorLine),
}

/// Seconds since the start, to the microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Seconds(#[schemars(range(min = 0))] f64);

impl From<Duration> for Seconds {
    fn from(time: Duration) -> Self {
        // In 64 bits: a run of half a million years would be the first that does not fit.
        Self(u64::try_from(time.as_micros()).unwrap_or(u64::MAX) as f64 / 1e6)
    }
}

/// The way of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From us to the agent.
    Out,
    /// From the agent to us.
    In,
}

/// `{"t":…,"dir":"out","frame":{…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameLine {
    /// When.
    pub t: Seconds,
    /// Which way.
    pub dir: Direction,
    /// The frame; images in it are replaced by `{"bytes":N,"sha256":"…"}`.
    pub frame: Value,
    /// Whether it was sent past the gate on purpose; absent means no.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deliberate: bool,
}

impl FrameLine {
    /// What stands behind the frame in its line.
    pub const TAIL: &str = "}";

    /// What stands before the frame in its line: a frame that is one line of JSON already goes between this and
    /// [`FrameLine::TAIL`] as it is, and the line is the same.
    pub fn head(t: Seconds, dir: Direction) -> String {
        let dir = match dir {
            Direction::Out => "out",
            Direction::In => "in",
        };
        let t = serde_json::to_string(&t).expect("a number can be written");
        format!(r#"{{"t":{t},"dir":"{dir}","frame":"#)
    }
}

/// `{"t":…,"step":3,"ok":true,"verb":"say"}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepLine {
    /// When it was done.
    pub t: Seconds,
    /// Its number in its scenario file, from 1.
    #[schemars(range(min = 1))]
    pub step: usize,
    /// Whether it did what it should.
    pub ok: bool,
    /// Its verb, such as `scan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<String>,
    /// Why it failed. Values of `uid=` are never repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The scenario file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// `{"t":…,"scenario":{…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScenarioLine {
    /// When it was over.
    pub t: Seconds,
    /// What came of it.
    pub scenario: ScenarioRecord,
}

/// What came of one scenario file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScenarioRecord {
    /// The file, as it was given.
    pub file: String,
    /// Whether all is well.
    pub ok: bool,
    /// How many steps it has.
    pub steps: usize,
    /// How many of them went well.
    pub passed: usize,
    /// How many must-level findings there were that no step expected.
    pub must: usize,
    /// How many should-level findings there were that no step expected.
    pub should: usize,
    /// Why it failed, in one plain sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do about it; absent when there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// `{"t":…,"finding":{…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FindingLine {
    /// When; absent outside a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<Seconds>,
    /// What.
    pub finding: FindingRecord,
}

/// `{"t":…,"session":{…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionLine {
    /// When.
    pub t: Seconds,
    /// Its state now.
    pub session: SessionRecord,
}

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionRecord {
    /// `connecting`, `open`, `closed` and the like.
    pub state: String,
    /// Why, in a plain sentence, when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The modalities that were negotiated, when it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modalities: Option<Vec<String>>,
}

/// `{"t":…,"device":{"device":"reader","event":"inserted",…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DeviceLine {
    /// When.
    pub t: Seconds,
    /// What happened, and where.
    pub device: DeviceRecord,
}

/// One thing that happened at a device. Nothing of a tag's id or content, nor of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DeviceRecord {
    /// `reader` or `camera`.
    pub device: String,
    /// Its name; empty where it concerns the service behind all readers.
    pub name: String,
    /// In one word: `inserted`, `flickered`, `removed`, `torn_away`, `read`, `trouble`, `recovered`, `appeared` and `gone`
    /// of a reader, `opened`, `first_frame`, `shutter`, `trouble` and `closed` of a camera.
    pub event: String,
    /// The same as one sentence.
    pub text: String,
    /// What to do; absent when there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How often it came: a trouble that stands is counted.
    #[schemars(range(min = 1))]
    pub times: u32,
    /// How long it took, in microseconds: reading a tag from the connection to the last answer, opening a camera and its
    /// first picture from the capture key, closing it from what ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_us: Option<u64>,
    /// What kind of tag was read, such as `Type 2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Every command that the read took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apdus: Vec<ApduRecord>,
}

/// One command to a tag and how it was answered. What was answered is not in it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ApduRecord {
    /// The command's first four bytes: class, instruction, two parameters.
    #[schemars(regex(pattern = "^[0-9A-F]{8}$"))]
    pub header: String,
    /// Bytes of the command.
    pub sent: usize,
    /// Bytes of the answer without its status word.
    pub answered: usize,
    /// The status word; absent where there was no whole answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9A-F]{4}$"))]
    pub status: Option<String>,
    /// How long it took, in microseconds.
    pub us: u64,
}

/// `{"card":{…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CardLine<C> {
    /// What came of the card.
    pub card: C,
}

/// `{"error":{"kind":…,"message":…,"hint":…}}`
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ErrorLine {
    /// What went wrong.
    pub error: ErrorRecord,
}

/// One error for programs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ErrorRecord {
    /// For programs, such as `usage`, `card`, `connection`, `timeout`, `device`, `internal`.
    pub kind: String,
    /// For people, one plain sentence.
    pub message: String,
    /// What to do; absent when there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl<C: Serialize> OutputLine<C> {
    /// The line, without its line break.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("output lines have only string keys")
    }
}

/// The JSON Schema of every line, for a given card record: `assets/schemas/output.schema.json`.
pub fn schema<C: JsonSchema>() -> (&'static str, Value) {
    document::<OutputLine<C>>(
        Side::Written,
        "output",
        "agentcall output",
        "One line of the standard output of agentcall with --json.",
    )
}
