//! From session outputs to what a face may see: no image, no token, no hardware id, whatever the agent says.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use zeroize::Zeroizing;

use super::{Effect, Engine};
use crate::client::notice::{Line, LineKind, Notice};
use crate::protocol::client::{UserObservation, UserTurn};
use crate::protocol::server::{SpeechSegment, TextDelta};
use crate::protocol::{ClientMessage, Content, Envelope, Event, Finding, json, rules, view};
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
            kind: kind_of(&value).unwrap_or_else(|| message.kind().to_owned()).into(),
            bytes: text.len(),
            value: Some(self.scrubber.scrub_value(view::for_trace(&value)).into()),
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
            kind: value.as_ref().and_then(kind_of).map_or("(not JSON)".into(), Cow::Owned),
            bytes: text.len(),
            value: value.map(|v| self.scrubber.scrub_value(view::for_trace(&v)).into()),
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
        let mut findings: Vec<Finding> = findings.into_iter().map(|f| self.scrubbed_finding(f)).collect();
        let Shown { mut content, kind, mut as_it_came, leaked } = self.shown(value, event.as_ref());
        if leaked {
            findings.push(Finding::new(
                &rules::EV_LEAK,
                "it repeats a secret of this session, which is hidden here",
            ));
        }
        if self.starting.is_some() && !acted {
            // The one answer that the start waits for: no other will come.
            let answer = matches!(event, Some(Event::SessionEstablished(_)));
            let violation = findings.iter().find(|finding| finding.is_must()).cloned();
            self.refused_start = violation.map(|finding| (finding, answer));
            if answer {
                self.starting = Some(now);
            }
        }
        let kind = kind.unwrap_or_else(|| unread_kind(&findings).into());
        let Heard { piece, alone, late } = self.heard(event.as_ref(), acted);
        if let Some(alone) = alone {
            (content, as_it_came) = (content.map(|content| with_text(content, alone)), false);
        }
        let body = match event {
            Some(Event::TextDelta(_)) if let Some(text) = piece => {
                Body::Event(Event::TextDelta(TextDelta { text }))
            }
            // What is shown as it came need not be read again.
            Some(event) if as_it_came => Body::Event(event),
            Some(event) => Body::Event(self.scrubbed_event(&event, content.as_ref())),
            None => Body::Unread,
        };
        if acted {
            self.speech_of(now, &body);
        }
        self.record(Record {
            index: 0,
            at: now,
            direction: Direction::In,
            sequence,
            kind,
            bytes,
            value: content,
            body,
            acted,
            deliberate: false,
            findings,
            late,
        });
    }

    /// What of a frame may be shown.
    fn shown(&self, content: Option<Content>, event: Option<&Event>) -> Shown {
        let content = match (content, event) {
            (Some(Content::Plain(text)), Some(event)) if self.hides_nothing_in(&text) => {
                let kind = event.named_kind().map(Cow::Borrowed);
                return Shown { content: Some(Content::Plain(text)), kind, as_it_came: true, leaked: false };
            }
            (content, _) => content.map(Content::into_value),
        };
        let traced = content.as_ref().map(view::for_trace);
        // Scrubbing takes the value; only a failure is compared with what it was.
        let before = matches!(event, Some(Event::Failure(_))).then(|| traced.clone());
        let shown = traced.map(|value| self.scrubber.scrub_value(value));
        let kind = shown.as_ref().map(|shown| match event {
            Some(_) => {
                let kind = shown.pointer("/event/type").and_then(Value::as_str);
                kind.map_or("?".into(), |kind| Cow::Owned(kind.to_owned()))
            }
            None => "(not an envelope)".into(),
        });
        let (as_it_came, leaked) = (shown == content, before.is_some_and(|before| before != shown));
        Shown { content: shown.map(Content::from), kind, as_it_came, leaked }
    }

    /// Whether no string of this plain frame needs scrubbing. Without a backslash every string stands in the text as
    /// it is, with a quotation mark on both sides, so nothing can be in one of them that is not in the whole; what is
    /// in the whole alone (a number) is left for the careful way.
    fn hides_nothing_in(&self, text: &str) -> bool {
        self.scrubber.knows_nothing()
            || (!text.contains('\\') && matches!(self.scrubber.scrub(text), Cow::Borrowed(_)))
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
    fn scrubbed_event(&self, event: &Event, shown: Option<&Content>) -> Event {
        let again =
            shown.and_then(|content| Envelope::decode(content.to_string(), &self.settings.dialect).ok());
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

/// What of a frame may be shown.
struct Shown {
    content: Option<Content>,
    /// The type of the message or event; `None` when the frame is no JSON.
    kind: Option<Cow<'static, str>>,
    /// Nothing in it was replaced.
    as_it_came: bool,
    /// It is a failure, and a secret in it was replaced.
    leaked: bool,
}

/// The same envelope, with this text in its event.
fn with_text(content: Content, text: String) -> Content {
    let mut value = content.into_value();
    if let Some(place) = value.pointer_mut("/event/text") {
        *place = Value::String(text);
    }
    value.into()
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
