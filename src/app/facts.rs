//! Snapshots of the engine with every text made safe to draw.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::client::devices::{DeviceSection, FoundDevice, Trouble};
use crate::client::notice::{Activity, ArmedView, DeviceLine, PhysicalView, Preview, Review, TagName};
use crate::protocol::observation::Intent;
use crate::protocol::{Modalities, Modality};
use crate::safe_text::SafeText;
use crate::session::{Held, Latency, PendingState, Phase, RunState, SessionView};
use crate::units::{Bytes, count, hex};

/// How far the connection has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Link {
    /// Nothing yet.
    #[default]
    Idle,
    /// A word for what is being done.
    Busy(&'static str),
    /// The session is live.
    Live,
    /// Over; why, and what to do.
    Over(SafeText, Option<SafeText>),
}

/// What the card came down to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardFacts {
    /// The agent's name.
    pub agent: SafeText,
    /// Transport and host.
    pub endpoint: SafeText,
    /// What it offers, in plain words.
    pub lines: Vec<SafeText>,
    /// How many findings the card has.
    pub findings: usize,
}

/// The session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFacts {
    /// How far it has come.
    pub phase: Phase,
    /// The usable modalities.
    pub negotiated: Modalities,
    /// The last turn sent.
    pub last_turn: u64,
    /// The active run.
    pub run: RunState,
    /// The turn that waits.
    pub held: Option<SafeText>,
    /// The agent's request: modality, prompt, whether it can be answered.
    pub pending: Option<(Modality, SafeText, PendingState)>,
    /// The object in focus.
    pub focus: Option<SafeText>,
    /// The proposal: object and label.
    pub proposal: Option<(SafeText, SafeText)>,
    /// Times of the last turn.
    pub latency: Option<Latency>,
}

impl From<&SessionView> for SessionFacts {
    fn from(view: &SessionView) -> Self {
        Self {
            phase: view.phase,
            negotiated: view.negotiated,
            last_turn: view.last_turn,
            run: view.run,
            held: view.held.as_ref().map(|held| match held {
                Held::Say(text) => SafeText::line(text).cut(80),
                Held::Show(modalities) => SafeText::line(&format!("an observation ({modalities})")),
            }),
            pending: view
                .pending
                .as_ref()
                .map(|p| (p.modality, SafeText::line(&p.prompt).cut(1_024), p.state)),
            focus: view.focus.as_ref().map(|focus| SafeText::line(&focus.object_ref)),
            proposal: view
                .proposal
                .as_ref()
                .map(|p| (SafeText::line(&p.object_ref), SafeText::line(&p.label))),
            latency: view.latency,
        }
    }
}

/// A device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// Its name.
    pub name: SafeText,
    /// Whether it is simulated.
    pub simulated: bool,
    /// What is wrong with it.
    pub trouble: Option<TroubleFacts>,
}

/// What is wrong with a device.
#[derive(Clone, Debug, PartialEq)]
pub struct TroubleFacts {
    /// The sentence.
    pub text: SafeText,
    /// What to do.
    pub hint: Option<SafeText>,
    /// How often it came.
    pub times: u32,
}

impl From<&Trouble> for TroubleFacts {
    fn from(trouble: &Trouble) -> Self {
        Self {
            text: SafeText::line(&trouble.text),
            hint: trouble.hint.as_deref().map(SafeText::line),
            times: trouble.times,
        }
    }
}

impl From<&DeviceLine> for Device {
    fn from(line: &DeviceLine) -> Self {
        Self {
            name: SafeText::line(&line.name),
            simulated: line.simulated,
            trouble: line.trouble.as_ref().map(TroubleFacts::from),
        }
    }
}

/// Most devices of one sort that are shown.
const MOST_DEVICES: usize = 64;

/// The devices of one sort.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionFacts {
    /// `Readers`, `Cameras`, …
    pub title: &'static str,
    /// Whether it is still being looked for them.
    pub looking: bool,
    /// What is wrong with all of them.
    pub trouble: Option<TroubleFacts>,
    /// Each device, and what it is and can do.
    pub devices: Vec<(Device, SafeText)>,
}

impl From<&DeviceSection> for SectionFacts {
    fn from(section: &DeviceSection) -> Self {
        let device = |found: &FoundDevice| {
            let device = Device {
                name: SafeText::line(&found.name),
                simulated: false,
                trouble: found.trouble.as_ref().map(TroubleFacts::from),
            };
            (device, SafeText::line(&found.what))
        };
        Self {
            title: section.sort.title(),
            looking: section.looking,
            trouble: section.trouble.as_ref().map(TroubleFacts::from),
            devices: section.devices.iter().take(MOST_DEVICES).map(device).collect(),
        }
    }
}

/// The physical side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhysicalFacts {
    /// The chosen readers.
    pub readers: Vec<Device>,
    /// The camera.
    pub camera: Device,
    /// Whether it is open.
    pub camera_open: bool,
    /// What is going on.
    pub activity: ActivityFacts,
    /// What was sent last, and when.
    pub last: Option<(SafeText, Duration)>,
}

/// What is going on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ActivityFacts {
    /// Nothing is armed.
    #[default]
    Idle,
    /// A device is armed.
    Armed(ArmedFacts),
    /// Something is being read or fitted.
    Preparing(Modality),
    /// An observation waits for Enter.
    Reviewing(Box<ReviewFacts>, Option<ArmedFacts>),
}

impl PhysicalFacts {
    /// Whether tags are placed by a key.
    pub fn is_reader_simulated(&self) -> bool {
        self.readers.iter().any(|reader| reader.simulated)
    }

    /// Whether real readers are chosen, so that no tag can be placed.
    pub fn has_real_readers(&self) -> bool {
        self.readers.iter().any(|reader| !reader.name.is_empty()) && !self.is_reader_simulated()
    }

    /// What hinders an armed scan, unless the line of a reader says it already.
    pub fn hindrance(&self) -> Option<&TroubleFacts> {
        let trouble = self.activity.armed()?.trouble.as_ref()?;
        let is_said =
            self.readers.iter().filter_map(|reader| reader.trouble.as_ref()).any(|t| t.text == trouble.text);
        (!is_said).then_some(trouble)
    }
}

impl ActivityFacts {
    /// What is armed, if anything is.
    pub fn armed(&self) -> Option<&ArmedFacts> {
        match self {
            Self::Armed(armed) | Self::Reviewing(_, Some(armed)) => Some(armed),
            _ => None,
        }
    }

    /// What is under review.
    pub fn review(&self) -> Option<&ReviewFacts> {
        match self {
            Self::Reviewing(review, _) => Some(review),
            _ => None,
        }
    }
}

/// An armed device.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmedFacts {
    /// What it collects.
    pub modality: Modality,
    /// When it stops by itself.
    pub until: Duration,
    /// Whether it answers the agent's request.
    pub answers: bool,
    /// What hinders it; it stays armed.
    pub trouble: Option<TroubleFacts>,
    /// Whether a tag lies there and is being read.
    pub is_reading: bool,
}

impl From<&ArmedView> for ArmedFacts {
    fn from(view: &ArmedView) -> Self {
        Self {
            modality: view.modality,
            until: view.until,
            answers: view.answers.is_some(),
            trouble: view.trouble.as_ref().map(TroubleFacts::from),
            is_reading: view.is_reading,
        }
    }
}

/// What would be sent, as labelled lines, and what stays here.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewFacts {
    /// The tag in one line.
    pub tag: Option<SafeText>,
    /// What its reference is worth.
    pub name: TagName,
    /// The photo in one line, and where it came from.
    pub photo: Option<(SafeText, SafeText)>,
    /// The preview of the final JPEG.
    pub preview: Option<Arc<Preview>>,
    /// What would be sent: label and value.
    pub sends: Vec<(&'static str, SafeText)>,
    /// What stays here.
    pub stays: Vec<SafeText>,
    /// Why it is shown.
    pub intent: Intent,
    /// The request that it answers.
    pub answers: Option<SafeText>,
}

impl From<&Review> for ReviewFacts {
    fn from(review: &Review) -> Self {
        let mut facts = Self {
            tag: None,
            name: TagName::Lasting,
            photo: None,
            preview: None,
            sends: Vec::new(),
            stays: Vec::new(),
            intent: review.intent,
            answers: review.answers.as_deref().map(SafeText::line),
        };
        facts.add_tag(review);
        facts.add_photo(review);
        facts
    }
}

/// What is said instead of a reference that is withheld.
const NO_IDENTITY: &str = "none: this tag has no stable identity, its ID is random";
/// What an alias of such a tag is worth.
const ONE_TAP: &str = "this tap alone; another tap gives another alias";

impl ReviewFacts {
    fn add_tag(&mut self, review: &Review) {
        let Some(tag) = &review.tag else { return };
        let content = if tag.bytes == 0 {
            "no NDEF message".to_owned()
        } else {
            format!("{}, {}", count(tag.records, "NDEF record"), count(tag.bytes, "byte"))
        };
        self.tag = Some(SafeText::line(&format!("{}, {content}", tag.technology)));
        self.name = tag.name;
        match tag.name {
            TagName::Withheld => self.sends.push(("objectRef", SafeText::line(NO_IDENTITY))),
            TagName::Lasting | TagName::Insisted => {
                self.sends.push(("objectRef", SafeText::line(&tag.object_ref)));
                let carrier = format!("{} · unverifiedTag", tag.carrier.name());
                self.sends.push(("carrier", SafeText::line(&carrier)));
                self.sends.push(("digest", SafeText::line(&short(&tag.payload_sha256))));
            }
        }
        if tag.name == TagName::Insisted {
            self.sends.push(("names", SafeText::line(ONE_TAP)));
        }
        if let Some(passport) = &review.passport {
            let mut label = "passport";
            each_fact(passport, "", &mut |fact| {
                self.sends.push((label, SafeText::line(&fact)));
                label = "";
            });
        }
        match tag.uid_bytes {
            Some(bytes) => self.stays.push(SafeText::line(&format!("hardware ID ({bytes} bytes)"))),
            None => self.stays.push(SafeText::line("no hardware ID was read")),
        }
        if tag.random_uid && tag.name == TagName::Lasting {
            self.stays.push(SafeText::line("this tag has no stable identity: its ID is random"));
        }
        self.stays.extend(tag.notes.iter().map(|note| SafeText::line(note)));
        self.stays.extend(tag.other_content.iter().map(|text| SafeText::line(text).cut(160)));
    }

    fn add_photo(&mut self, review: &Review) {
        let Some(photo) = &review.photo else { return };
        let line = format!(
            "JPEG {}×{} · {} of 61,440 bytes · quality {} · no metadata",
            photo.width,
            photo.height,
            Bytes(photo.bytes),
            photo.quality
        );
        let (width, height) = photo.source_size;
        let source = format!("from {} {width}×{height}", photo.source);
        self.photo = Some((SafeText::line(&line), SafeText::line(&source)));
        self.preview = Some(Arc::clone(&photo.preview));
        self.sends.push(("image", SafeText::line(&format!("image/jpeg · digest {}", short(&photo.sha256)))));
    }
}

impl From<&PhysicalView> for PhysicalFacts {
    fn from(view: &PhysicalView) -> Self {
        Self {
            readers: view.readers.iter().map(Device::from).collect(),
            camera: Device::from(&view.camera),
            camera_open: view.camera_open,
            activity: match &view.activity {
                Activity::Idle => ActivityFacts::Idle,
                Activity::Armed(armed) => ActivityFacts::Armed(armed.into()),
                Activity::Preparing(modality) => ActivityFacts::Preparing(*modality),
                Activity::Reviewing { review, adding } => {
                    let review = ReviewFacts::from(&**review);
                    ActivityFacts::Reviewing(Box::new(review), adding.as_ref().map(ArmedFacts::from))
                }
            },
            last: view.last.as_ref().map(|(line, at)| (SafeText::line(line), *at)),
        }
    }
}

/// Every fact of a passport, each whole: nothing leaves unseen. `model: RB-750`, `links[0].url: https://…`
fn each_fact(value: &Value, path: &str, told: &mut dyn FnMut(String)) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            each_fact(member, &path, told);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| each_fact(item, &format!("{path}[{at}]"), told));
        }
        Value::String(text) => told(format!("{path}: {text}")),
        other => told(format!("{path}: {other}")),
    }
}

/// `9f2c41…e1`: the ends of a digest.
fn short(digest: &str) -> String {
    match (digest.get(..8), digest.get(digest.len().saturating_sub(4)..)) {
        (Some(head), Some(tail)) if digest.len() > 16 => format!("{head}…{tail}"),
        _ => hex(digest.as_bytes()),
    }
}
