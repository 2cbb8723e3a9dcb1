//! From session outputs to what a face may see: no image, no token, no hardware id, whatever the agent says.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use zeroize::Zeroizing;

use super::{Effect, Engine};
use crate::client::notice::{Line, LineKind, Notice};
use crate::protocol::client::{UserObservation, UserTurn};
use crate::protocol::server::{SpeechSegment, TextDelta};
use crate::protocol::{ClientMessage, Envelope, Event, Finding, json, rules, view};
use crate::redact::Piece;
use crate::session::{Judged, Output, SessionView};
use crate::trace::record::{Body, Direction, ImageFacts, Record};
use crate::units::Turn;

/// What a frame adds to a text that goes on from event to event.
#[derive(Default)]
struct Heard {
    /// The text that a delta adds to the answer once no secret can reach across its end.
    piece: Option<String>,
    /// How the frame's text is shown by itself, if it holds a share of a secret.
    alone: Option<String>,
    /// The text that was kept back from the deltas before, and comes before what this frame says.
    late: Option<String>,
}

impl Engine {
    pub(super) fn output(&mut self, now: Duration, output: Output) {
        match output {
            Output::Send(message) => self.sent(now, &message),
            Output::SendDeliberate(text) => self.sent_deliberately(now, text),
            Output::Judged(judged) => self.judged(now, judged),
            Output::Noted(finding) => {
                let finding = self.scrubbed_finding(finding);
                self.notify(Notice::Finding { at: now, finding });
            }
            Output::HeldRefused(refusal) => self.refuse(now, LineKind::Gate, refusal.to_string(), None),
            Output::TurnOver(_) => {}
            Output::Close => self.effects.push_back(Effect::CloseLink),
        }
    }

    fn sent(&mut self, now: Duration, message: &ClientMessage) {
        let value = message.encode(&self.settings.dialect);
        let text = value.to_string();
        let record = Record {
            index: 0,
            at: now,
            direction: Direction::Out,
            sequence: None,
            kind: kind_of(&value).unwrap_or_else(|| message.kind().to_owned()),
            bytes: text.len(),
            value: Some(self.scrubber.scrub_value(view::for_trace(&value))),
            body: body_of(message),
            acted: true,
            deliberate: false,
            findings: Vec::new(),
            late: None,
        };
        self.record(record);
        self.effects.push_back(Effect::Transmit(text));
    }

    fn sent_deliberately(&mut self, now: Duration, text: String) {
        let value = json::parse(&text).ok().map(|parsed| parsed.value);
        let record = Record {
            index: 0,
            at: now,
            direction: Direction::Out,
            sequence: None,
            kind: value.as_ref().and_then(kind_of).unwrap_or_else(|| "(not JSON)".to_owned()),
            bytes: text.len(),
            value: value.map(|v| self.scrubber.scrub_value(view::for_trace(&v))),
            body: Body::Client,
            acted: true,
            deliberate: true,
            findings: Vec::new(),
            late: None,
        };
        self.record(record);
        self.effects.push_back(Effect::Transmit(text));
    }

    fn judged(&mut self, now: Duration, judged: Judged) {
        let Judged { sequence, value, event, bytes, acted, findings } = judged;
        let traced = value.as_ref().map(view::for_trace);
        // Scrubbing takes the value; only a failure is compared with what it was.
        let before = matches!(event, Some(Event::Failure(_))).then(|| traced.clone());
        let mut shown = traced.map(|v| self.scrubber.scrub_value(v));
        let mut findings: Vec<Finding> = findings.into_iter().map(|f| self.scrubbed_finding(f)).collect();
        if before.is_some_and(|before| before != shown) {
            findings.push(Finding::new(
                &rules::EV_LEAK,
                "it repeats a secret of this session, which is hidden here",
            ));
        }
        if self.starting.is_some() && !acted {
            self.refused_start = findings.iter().find(|finding| finding.is_must()).cloned();
        }
        let kind = match (&event, &shown) {
            (Some(_), Some(shown)) => {
                shown.pointer("/event/type").and_then(Value::as_str).unwrap_or("?").to_owned()
            }
            (None, Some(_)) => "(not an envelope)".to_owned(),
            _ => unread_kind(&findings).to_owned(),
        };
        let Heard { piece, alone, late } = self.heard(event.as_ref(), acted);
        if let Some(alone) = alone
            && let Some(text) = shown.as_mut().and_then(|v| v.pointer_mut("/event/text"))
        {
            *text = Value::String(alone);
        }
        let body = match event {
            Some(Event::TextDelta(_)) if let Some(text) = piece => {
                Body::Event(Event::TextDelta(TextDelta { text }))
            }
            // What is shown as it came need not be read again.
            Some(event) if shown == value => Body::Event(event),
            Some(event) => Body::Event(self.scrubbed_event(&event, shown.as_ref())),
            None => Body::Unread,
        };
        self.record(Record {
            index: 0,
            at: now,
            direction: Direction::In,
            sequence,
            kind,
            bytes,
            value: shown,
            body,
            acted,
            deliberate: false,
            findings,
            late,
        });
    }

    /// Joins texts that go on from event to event, so that a secret in pieces is no secret shown.
    fn heard(&mut self, event: Option<&Event>, acted: bool) -> Heard {
        match event {
            Some(Event::TextDelta(delta)) if acted => {
                let Piece { text, alone } = self.scrubber.stream(&mut self.kept_back, &delta.text);
                Heard { piece: Some(text), alone, late: None }
            }
            Some(Event::TextDelta(TextDelta { text }))
            | Some(Event::SpeechSegment(SpeechSegment { text, .. })) => {
                let alone = self.scrubber.stream(&mut self.kept_aside, text).alone;
                Heard { alone, ..self.ended(acted) }
            }
            _ => self.ended(acted && event.is_some()),
        }
    }

    /// What was kept back of the answer, if this ends the text.
    fn ended(&mut self, ends: bool) -> Heard {
        if !ends || self.kept_back.is_empty() {
            return Heard::default();
        }
        let late = self.scrubber.scrub(&self.kept_back).into_owned();
        self.kept_back = Zeroizing::default();
        Heard { late: Some(late), ..Heard::default() }
    }

    fn record(&mut self, record: Record) {
        let record = Record { index: self.records, ..record };
        self.records += 1;
        self.notify(Notice::Frame(Arc::new(record)));
    }

    /// The event as read from the scrubbed JSON, so that a text in it cannot differ from what is shown.
    fn scrubbed_event(&self, event: &Event, shown: Option<&Value>) -> Event {
        let again = shown.and_then(|v| Envelope::decode(&v.to_string(), &self.settings.dialect).ok());
        match again {
            Some(decoded) => decoded.message.event,
            None => Event::Unknown { name: self.scrubber.scrub(event.kind()).into_owned() },
        }
    }

    pub(super) fn scrubbed_finding(&self, finding: Finding) -> Finding {
        Finding {
            rule: finding.rule,
            detail: self.scrubber.scrub(&finding.detail).into_owned(),
            pointer: finding.pointer.map(|p| self.scrubber.scrub(&p).into_owned()),
        }
    }

    pub(super) fn scrubbed_line(&self, line: Line) -> Line {
        let hint = line.hint.map(|h| self.scrubber.scrub(&h).into_owned());
        Line { text: self.scrubber.scrub(&line.text).into_owned(), hint, ..line }
    }

    pub(super) fn scrubbed_view(&self, mut view: SessionView) -> SessionView {
        if let Some(pending) = &mut view.pending {
            pending.prompt = self.scrubber.scrub(&pending.prompt).into_owned();
        }
        view
    }
}

fn kind_of(value: &Value) -> Option<String> {
    value.get("type").and_then(Value::as_str).map(str::to_owned)
}

fn unread_kind(findings: &[Finding]) -> &'static str {
    match findings.first().map(|f| f.rule.id) {
        Some(id) if id == rules::FRAME_BINARY.id => "(binary)",
        Some(id) if id == rules::FRAME_SIZE.id => "(oversized)",
        _ => "(not JSON)",
    }
}

fn body_of(message: &ClientMessage) -> Body {
    match message {
        ClientMessage::UserTurn(UserTurn { turn, text, .. }) => {
            Body::Say { turn: Turn(*turn), text: text.clone() }
        }
        ClientMessage::UserObservation(UserObservation { turn, interaction_id, observation }) => Body::Show {
            turn: Turn(*turn),
            object_ref: observation.object.as_ref().map(|o| o.object_ref.clone()),
            image: observation.image.as_ref().map(|image| ImageFacts {
                bytes: image.byte_count,
                sha256: image.sha256.clone(),
                width: image.pixel_width,
                height: image.pixel_height,
            }),
            intent: observation.intent,
            answers: interaction_id.clone(),
        },
        _ => Body::Client,
    }
}
