//! The conversation as a person reads it: who said what, streamed text, speech segments, failures.

use std::collections::VecDeque;
use std::time::Duration;

use crate::protocol::Event;
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Direction, Record};

/// Most items that are kept; the oldest go first.
const ITEMS: usize = 5_000;
/// Most bytes of text in all items together; the oldest go first.
const BYTES: usize = 8 * 1024 * 1024;
/// Most bytes of one answer that are kept for the screen; the stream keeps every frame.
const ANSWER: usize = 64 * 1024;
/// Most speech segments of one answer, and most characters of one.
const SEGMENTS: (usize, usize) = (1_000, 1_000);
/// What stands behind an answer that is longer.
const CUT: &str = "… (longer than the screen keeps; the events hold the rest)";

/// One thing in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What the user said.
    You(SafeText),
    /// What the user showed.
    Showed(SafeText),
    /// What the agent says.
    Agent {
        /// Its text so far.
        text: SafeText,
        /// Texts of its speech segments.
        segments: Vec<SafeText>,
        /// How it stands.
        state: Answer,
    },
    /// A failure: code and message.
    Failure(SafeText, SafeText),
    /// The connection failed: why, and what to do.
    Trouble(SafeText, Option<SafeText>),
    /// The agent asks for something.
    Asked(SafeText),
    /// What happened to the connection or the session.
    Note(SafeText),
}

/// How an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// More may come.
    Streaming,
    /// More may come, and is not kept for the screen.
    Full,
    /// The run has ended.
    Done,
    /// The connection or a failure ended it.
    Broken,
}

impl Answer {
    /// Whether its run is still active.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Streaming | Self::Full)
    }
}

impl Item {
    /// Bytes of text.
    fn bytes(&self) -> usize {
        let length = |text: &SafeText| text.as_str().len();
        match self {
            Self::You(text) | Self::Showed(text) | Self::Asked(text) | Self::Note(text) => length(text),
            Self::Agent { text, segments, .. } => length(text) + segments.iter().map(length).sum::<usize>(),
            Self::Failure(code, message) => length(code) + length(message),
            Self::Trouble(text, hint) => length(text) + hint.as_ref().map_or(0, length),
        }
    }
}

/// The conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    items: VecDeque<Item>,
    /// The number of the oldest item that is kept.
    first: u64,
    bytes: usize,
    /// Whether the user has said or shown anything.
    begun: bool,
    /// Since when a spoken turn is open.
    speaking: Option<Duration>,
    /// The rule that the agent broke last in this run: a storm of one kind is one line.
    broken: Option<&'static str>,
}

impl Conversation {
    /// The items, oldest first.
    pub fn items(&self) -> &VecDeque<Item> {
        &self.items
    }

    /// The number of the oldest item that is kept; the next has one more.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Whether the user has said or shown anything yet.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Adds a line when a frame of the agent breaks a must-level rule, the first of its kind in a row: whoever
    /// reads the conversation alone must not take it for healthy.
    pub fn hear_broken(&mut self, record: &Record) {
        let Some(finding) = record.findings.iter().find(|f| f.is_must() && record.direction == Direction::In)
        else {
            return;
        };
        if self.broken.replace(finding.rule.id) != Some(finding.rule.id) {
            let text = format!("‼ the agent broke {}: {}", finding.rule.id, finding.detail);
            self.push(Item::Note(SafeText::line(&text).cut(400)));
        }
    }

    /// Adds a line about the connection.
    pub fn note(&mut self, text: SafeText) {
        self.push(Item::Note(text));
    }

    /// Adds why the connection is over, and what to do.
    pub fn trouble(&mut self, text: SafeText, hint: Option<SafeText>) {
        self.push(Item::Trouble(text, hint));
    }

    /// Adds what a frame says. Frames that were not acted on say nothing here. `cancelling` says whether the user
    /// has cancelled the active run.
    pub fn hear(&mut self, record: &Record, cancelling: bool) {
        if !record.acted || record.direction == Direction::In && !matches!(record.body, Body::Event(_)) {
            return;
        }
        if let Some(late) = &record.late {
            self.stream(late);
        }
        match &record.body {
            Body::Say { text, .. } => self.push(Item::You(SafeText::block(text))),
            Body::Show { object_ref, image, intent, answers, .. } => {
                let mut parts = Vec::new();
                parts.extend(object_ref.clone());
                parts.extend(image.as_ref().map(|i| format!("a photo {}×{}", i.width, i.height)));
                let answer = if answers.is_some() { ", answering the request" } else { "" };
                self.push(Item::Showed(SafeText::line(&format!(
                    "{} ({intent}{answer})",
                    parts.join(" and ")
                ))));
            }
            Body::Event(event) => self.event(event, cancelling),
            Body::Client => self.spoke(record),
            Body::Unread => {}
        }
    }

    /// A spoken turn was opened, and sent or dropped.
    fn spoke(&mut self, record: &Record) {
        let started = self.speaking;
        match &*record.kind {
            "audio.turn.start" => self.speaking = Some(record.at),
            "audio.turn.commit" | "audio.turn.cancel" => {
                self.speaking = None;
                let open = started.map(|since| record.at.saturating_sub(since).as_secs_f32());
                let long = open.map(|seconds| format!(", {seconds:.1} s")).unwrap_or_default();
                if record.kind == "audio.turn.commit" {
                    self.push(Item::You(SafeText::line(&format!("♪ spoken{long}"))));
                } else {
                    self.note(SafeText::line(&format!("what was said was dropped{long}")));
                }
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &Event, cancelling: bool) {
        match event {
            Event::RunStarted => {
                // What breaks in this run is said anew: its answer may lack a piece.
                self.broken = None;
                self.begin();
            }
            Event::TextDelta(delta) => self.stream(&delta.text),
            Event::SpeechSegment(segment) => self.speak(&segment.text),
            Event::RunCompleted => self.close(Answer::Done),
            // What the user has asked for is no failure.
            Event::Failure(failure) if cancelling && failure.code == "cancelled" => {
                self.close(Answer::Broken);
                self.note(SafeText::line("cancelled, as you asked"));
            }
            Event::Failure(failure) => {
                self.close(Answer::Broken);
                self.push(Item::Failure(
                    SafeText::line(&failure.code).cut(64),
                    SafeText::block(&failure.message).cut(1_024),
                ));
            }
            Event::InteractionRequested(request) => {
                self.push(Item::Asked(SafeText::line(&request.prompt).cut(1_024)));
            }
            Event::InteractionResolved(resolved) => {
                self.note(SafeText::line(&format!("the request is {}", resolved.outcome)).cut(80));
            }
            Event::SessionEstablished(_) => self.note(SafeText::line("session established")),
            Event::Unknown { .. } => {}
        }
    }

    fn begin(&mut self) {
        self.close(Answer::Broken);
        self.push(Item::Agent { text: SafeText::default(), segments: Vec::new(), state: Answer::Streaming });
    }

    fn stream(&mut self, more: &str) {
        let Some(Item::Agent { text, state, .. }) = self.open() else { return };
        if *state == Answer::Full {
            return;
        }
        let before = text.as_str().len();
        if before + more.len() > ANSWER {
            text.push(&SafeText::block(CUT));
            *state = Answer::Full;
        } else {
            text.push(&SafeText::block(more));
        }
        let grown = text.as_str().len() - before;
        self.grow(grown);
    }

    fn speak(&mut self, spoken: &str) {
        let Some(Item::Agent { segments, .. }) = self.open() else { return };
        if segments.len() < SEGMENTS.0 {
            let segment = SafeText::line(spoken).cut(SEGMENTS.1);
            let grown = segment.as_str().len();
            segments.push(segment);
            self.grow(grown);
        }
    }

    /// The answer that is still open.
    fn open(&mut self) -> Option<&mut Item> {
        self.items.iter_mut().rev().find(|item| matches!(item, Item::Agent { state, .. } if state.is_open()))
    }

    /// Closes the open answer; one without any text leaves nothing behind.
    pub fn close(&mut self, as_what: Answer) {
        let is_open = |item: &Item| matches!(item, Item::Agent { state, .. } if state.is_open());
        let Some(at) = self.items.iter().rposition(is_open) else { return };
        if let Some(Item::Agent { text, segments, state }) = self.items.get_mut(at) {
            *state = as_what;
            if text.is_empty() && segments.is_empty() {
                self.items.remove(at);
            }
        }
    }

    fn push(&mut self, item: Item) {
        self.begun |= matches!(item, Item::You(_) | Item::Showed(_));
        let bytes = item.bytes();
        self.items.push_back(item);
        self.grow(bytes);
    }

    /// Makes room: the oldest items go first, the newest always stays.
    fn grow(&mut self, by: usize) {
        self.bytes += by;
        while self.items.len() > ITEMS || (self.bytes > BYTES && self.items.len() > 1) {
            let Some(oldest) = self.items.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.bytes());
            self.first += 1;
        }
    }
}
