//! The conversation as a person reads it: who said what, streamed text, speech segments, failures.

use std::collections::VecDeque;

use crate::protocol::Event;
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Direction, Record};

/// Most items that are kept; the oldest go first.
const ITEMS: usize = 5_000;
/// Most characters of one answer that are kept for the screen; the stream keeps every frame.
const ANSWER: usize = 64 * 1024;

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
        /// Whether the run is over.
        done: bool,
    },
    /// A failure: code and message.
    Failure(SafeText, SafeText),
    /// The agent asks for something.
    Asked(SafeText),
    /// What happened to the connection or the session.
    Note(SafeText),
}

/// The conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    items: VecDeque<Item>,
}

impl Conversation {
    /// The items, oldest first.
    pub fn items(&self) -> &VecDeque<Item> {
        &self.items
    }

    /// Adds a line about the connection.
    pub fn note(&mut self, text: SafeText) {
        self.push(Item::Note(text));
    }

    /// Adds what a frame says. Frames that were not acted on say nothing here.
    pub fn hear(&mut self, record: &Record) {
        if !record.acted || record.direction == Direction::In && !matches!(record.body, Body::Event(_)) {
            return;
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
            Body::Event(event) => self.event(event),
            Body::Client | Body::Unread => {}
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::RunStarted => {
                self.push(Item::Agent { text: SafeText::default(), segments: Vec::new(), done: false });
            }
            Event::TextDelta(delta) => {
                if let Some((text, _)) = self.open()
                    && text.as_str().len() < ANSWER
                {
                    text.push(&SafeText::block(&delta.text));
                }
            }
            Event::SpeechSegment(segment) => {
                if let Some((_, segments)) = self.open()
                    && segments.len() < 1_000
                {
                    segments.push(SafeText::line(&segment.text).cut(1_000));
                }
            }
            Event::RunCompleted => self.close(),
            Event::Failure(failure) => {
                self.close();
                self.push(Item::Failure(
                    SafeText::line(&failure.code).cut(64),
                    SafeText::block(&failure.message).cut(1_024),
                ));
            }
            Event::InteractionRequested(request) => {
                self.push(Item::Asked(SafeText::line(&request.prompt).cut(1_024)));
            }
            Event::InteractionResolved(resolved) => {
                self.note(SafeText::line(&format!("request {}", resolved.outcome)).cut(80));
            }
            Event::SessionEstablished(_) => self.note(SafeText::line("session established")),
            Event::Unknown { .. } => {}
        }
    }

    /// The answer that is still open.
    fn open(&mut self) -> Option<(&mut SafeText, &mut Vec<SafeText>)> {
        self.items.iter_mut().rev().find_map(|item| match item {
            Item::Agent { text, segments, done: false } => Some((text, segments)),
            _ => None,
        })
    }

    /// Closes the open answer; one without any text leaves nothing behind.
    pub fn close(&mut self) {
        let at = self.items.iter().rposition(|item| matches!(item, Item::Agent { done: false, .. }));
        let Some(at) = at else { return };
        if let Some(Item::Agent { text, segments, done }) = self.items.get_mut(at) {
            *done = true;
            if text.is_empty() && segments.is_empty() {
                self.items.remove(at);
            }
        }
    }

    fn push(&mut self, item: Item) {
        self.items.push_back(item);
        while self.items.len() > ITEMS {
            self.items.pop_front();
        }
    }
}
