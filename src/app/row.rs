//! One row of the event stream: a frame, a run of text deltas or acknowledgements, or what happened at a device; and
//! what it weighs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::client::devices::DeviceEvent;
use crate::protocol::{Content, Event, Finding, view};
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Direction, Record};

/// Longest summary in characters.
const SUMMARY: usize = 200;
/// Characters of a folded text that its row repeats.
const FOLDED: usize = 60;
/// Bytes of text after which a run of deltas goes on in a new row.
const TEXT: usize = 16 * 1024;
/// What an allocation costs beside what it holds, in bytes.
const ALLOCATION: usize = 16;

/// Where a row stands between the user and the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// A frame from us to the agent.
    Out,
    /// A frame from the agent to us.
    In,
    /// No frame: something happened at a device.
    Device,
}

impl From<Direction> for Way {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Out => Self::Out,
            Direction::In => Self::In,
        }
    }
}

/// What a row shows.
#[derive(Clone, Debug)]
pub enum Source {
    /// A frame; of a run of them the last.
    Frame(Arc<Record>),
    /// What happened at a device; of a trouble that stands the newest.
    Device(Arc<DeviceEvent>),
}

/// One row: a frame, a run of text deltas, or what happened at a device.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number since the start.
    pub number: u64,
    /// First and last sequence.
    pub sequences: Option<(u64, u64)>,
    /// When the first of it came.
    pub at: Duration,
    /// How long after the frame before; at a device, after the row before.
    pub since: Duration,
    /// Which way.
    pub way: Way,
    /// `type` of the message or event; `reader.inserted`, `camera.opened` at a device.
    pub kind: SafeText,
    /// What it says, in a few words.
    pub summary: SafeText,
    /// Size on the wire, of all its frames; 0 at a device.
    pub bytes: usize,
    /// How many frames it holds, or how often it came.
    pub count: usize,
    /// The text of all its deltas.
    pub text: SafeText,
    /// The turn that it belongs to: the one that was sent last before it.
    pub turn: Option<u64>,
    /// The interaction that it asks for, answers or resolves.
    pub interaction: Option<SafeText>,
    /// The last frame, or what happened.
    pub source: Source,
}

/// What frames without findings fold into one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The text of an answer.
    Text,
    /// Our acknowledgements.
    Ack,
}

/// What a row folds into.
pub(super) fn fold_of(row: &Row) -> Option<Fold> {
    row.record().and_then(|record| fold(record))
}

pub(super) fn fold(record: &Record) -> Option<Fold> {
    if !record.acted || record.deliberate || !record.findings.is_empty() {
        return None;
    }
    match (record.direction, record.kind.as_ref()) {
        (Direction::In, "text.delta") => Some(Fold::Text),
        (Direction::Out, "ack") => Some(Fold::Ack),
        _ => None,
    }
}

impl Row {
    pub(super) fn new(number: u64, since: Duration, turn: Option<u64>, record: &Arc<Record>) -> Self {
        let text = text_of(record);
        let summary = text.map_or_else(|| summary_of(record), quoted);
        Self {
            number,
            sequences: record.sequence.map(|s| (s.0, s.0)),
            at: record.at,
            since,
            way: record.direction.into(),
            kind: SafeText::line(&record.kind).cut(64),
            summary,
            bytes: record.bytes,
            count: 1,
            text: text.map(SafeText::block).unwrap_or_default(),
            turn,
            interaction: interaction_of(record).map(|id| SafeText::line(id).cut(128)),
            source: Source::Frame(Arc::clone(record)),
        }
    }

    /// What happened at a device. It belongs to no turn: whoever looks at a turn looks at what went over the wire.
    pub(super) fn of_device(number: u64, since: Duration, event: &Arc<DeviceEvent>) -> Self {
        Self {
            number,
            sequences: None,
            at: event.at,
            since,
            way: Way::Device,
            kind: SafeText::line(&format!("{}.{}", event.device(), event.event())),
            summary: SafeText::line(&event.to_string()).cut(SUMMARY),
            bytes: 0,
            count: times(event),
            text: SafeText::default(),
            turn: None,
            interaction: None,
            source: Source::Device(Arc::clone(event)),
        }
    }

    /// Takes the same trouble again, counted.
    pub(super) fn take_again(&mut self, event: &Arc<DeviceEvent>) {
        self.count = times(event);
        self.source = Source::Device(Arc::clone(event));
    }

    /// The last frame, if it is a row of frames.
    pub fn record(&self) -> Option<&Arc<Record>> {
        match &self.source {
            Source::Frame(record) => Some(record),
            Source::Device(_) => None,
        }
    }

    /// What happened at a device, if it is such a row.
    pub fn device(&self) -> Option<&DeviceEvent> {
        match &self.source {
            Source::Frame(_) => None,
            Source::Device(event) => Some(event),
        }
    }

    /// What was noticed about the frame.
    pub fn findings(&self) -> &[Finding] {
        self.record().map_or(&[], |record| &record.findings)
    }

    /// Whether one more frame of the same kind finds room.
    pub(super) fn has_room(&self) -> bool {
        self.text.as_str().len() < TEXT
    }

    /// Takes one more frame of the same kind.
    pub(super) fn take(&mut self, record: &Arc<Record>) {
        if let (Some(sequences), Some(sequence)) = (&mut self.sequences, record.sequence) {
            sequences.1 = sequence.0;
        }
        match text_of(record) {
            Some(text) => {
                self.text.push(&SafeText::block(text));
                self.repeat(text);
            }
            None => self.summary = summary_of(record),
        }
        self.count += 1;
        self.bytes += record.bytes;
        self.source = Source::Frame(Arc::clone(record));
    }

    /// Says that no frame will be added any more: a text that grew in pieces may hold twice its memory.
    pub(super) fn settle(&mut self) {
        self.text.shrink();
    }

    /// Adds to the text that the row repeats, as long as there is room.
    fn repeat(&mut self, more: &str) {
        let so_far = self.summary.as_str();
        if let Some(open) = so_far.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
            && !open.ends_with('…')
        {
            self.summary = quoted(&format!("{open}{more}"));
        }
    }

    /// Whether `found` says yes to any text of this row: type, summary, rules, the whole text of its deltas, or else
    /// every text of its frame. What it finds in a text it must find in every longer one too.
    pub(super) fn texts(&self, found: &mut dyn FnMut(&str) -> bool) -> bool {
        found(self.kind.as_str())
            || found(self.summary.as_str())
            || self.findings().iter().any(|finding| found(finding.rule.id))
            || match &self.source {
                Source::Device(event) => event.hint().is_some_and(|hint| found(&hint)),
                Source::Frame(_) if !self.text.is_empty() => found(self.text.as_str()),
                Source::Frame(record) => {
                    record.value.as_ref().is_some_and(|content| any_text_in(content, found))
                }
            }
    }

    /// About the memory that it holds, in bytes.
    pub(super) fn weight(&self) -> usize {
        let own = [&self.kind, &self.summary, &self.text].map(|text| text.as_str().len() + ALLOCATION);
        let id = self.interaction.as_ref().map_or(0, |id| id.as_str().len() + ALLOCATION);
        let source = match &self.source {
            Source::Frame(record) => weight_of(record),
            Source::Device(event) => weight_of_event(event),
        };
        size_of::<Self>() + own.iter().sum::<usize>() + id + source
    }
}

/// About the memory of a frame: its JSON, and once more what its body holds of it.
fn weight_of(record: &Record) -> usize {
    let value = record.value.as_ref().map_or(0, weigh_content);
    let body = match &record.body {
        Body::Client | Body::Unread => 0,
        // The image of an observation is not in it.
        Body::Show { .. } => record.bytes.min(value),
        Body::Say { .. } | Body::Event(_) => record.bytes,
    };
    let findings: usize =
        record.findings.iter().map(|finding| size_of_val(finding) + finding.detail.len()).sum();
    size_of::<Record>() + record.kind.len() + value + body + findings + 4 * ALLOCATION
}

fn weight_of_event(event: &DeviceEvent) -> usize {
    let apdus = event.read().map_or(0, |read| size_of_val(read.apdus.as_slice()));
    // A trouble may name the reader once more, and others.
    size_of::<DeviceEvent>() + event.name.len() * 2 + apdus + 4 * ALLOCATION
}

fn times(event: &DeviceEvent) -> usize {
    // The end of a trouble is one, however often that came.
    event.trouble().map_or(1, |_| usize::try_from(event.times).unwrap_or(usize::MAX))
}

fn weigh_content(content: &Content) -> usize {
    match content {
        Content::Plain(text) => text.len() + ALLOCATION,
        Content::Parsed(value) => weigh(value),
    }
}

fn weigh(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len() + ALLOCATION,
        Value::Array(items) => {
            items.iter().map(|item| size_of::<Value>() + weigh(item)).sum::<usize>() + ALLOCATION
        }
        Value::Object(members) => {
            // An entry also has a hash, and a place in the index.
            let entry = size_of::<Value>() + size_of::<String>() + 2 * size_of::<u64>() + ALLOCATION;
            members.iter().map(|(key, member)| entry + key.len() + weigh(member)).sum::<usize>()
                + 2 * ALLOCATION
        }
    }
}

fn any_text_in(content: &Content, found: &mut dyn FnMut(&str) -> bool) -> bool {
    match content {
        // Without escapes every text stands in the line as it is: reading it is for what may be there.
        Content::Plain(line) if !line.contains('\\') && !found(line) => false,
        content => any_text(&content.value(), found),
    }
}

fn any_text(value: &Value, found: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => found(&number.to_string()),
        Value::String(text) => found(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, found)),
        Value::Object(members) => members.iter().any(|(key, member)| found(key) || any_text(member, found)),
    }
}

/// The text of a text delta.
fn text_of(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Event(Event::TextDelta(delta)) => Some(&delta.text),
        _ => None,
    }
}

/// What a frame says, in a few words.
fn summary_of(record: &Record) -> SafeText {
    let summary = record.value.as_ref().map(|content| view::summary(&content.value()));
    SafeText::line(&summary.unwrap_or_default()).cut(SUMMARY)
}

fn interaction_of(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Event(Event::InteractionRequested(request)) => Some(&request.interaction_id),
        Body::Event(Event::InteractionResolved(resolved)) => Some(&resolved.interaction_id),
        Body::Show { answers, .. } => answers.as_deref(),
        _ => None,
    }
}

fn quoted(text: &str) -> SafeText {
    let text = SafeText::line(text).cut(FOLDED);
    SafeText::line(&format!("\"{text}\""))
}
