//! The brain as dialogues. Each line of a dialogue is what the client says (`>`), what the agent answers
//! (`<`, in order, nothing more), what the time is (`@ ms`), or what the driver heard (`heard MS DB PACKETS`).
//!
//! Client lines are written short (see [`client`]): `say N text`, `scan N ref`, `photo N`, `both N ref`,
//! with `ix=ID` for an answer, `cancel`, `end`, `start nfc photo`, or any JSON. Agent lines are written as
//! [`shown`] writes them; a whole run of one text is `run: text`.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::protocol::{Envelope, Modality};
use crate::redact::ImageBytes;
use crate::units::{Sequence, hex};

mod faults;
mod gates;
mod hearing;
mod observations;
mod requests;
mod runs;
mod teaching;

/// A dialogue with one session.
pub(super) struct Dialogue {
    pub(super) brain: Brain,
    now: Duration,
    last: Option<Sequence>,
}

impl Dialogue {
    pub(super) fn new(config: BrainConfig) -> Self {
        Self { brain: Brain::new(config), now: Duration::ZERO, last: None }
    }

    /// An open session with both modalities whose runs are sent at once.
    fn open() -> Self {
        let mut dialogue = Self::new(at_once());
        dialogue.expect("> start nfc photo\n< established");
        dialogue
    }

    /// Plays the lines and holds the agent to its answers.
    fn expect(&mut self, script: &str) -> &mut Self {
        let mut said: Vec<String> = Vec::new();
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(expected) = line.strip_prefix("< ") {
                assert!(
                    !said.is_empty(),
                    "expected {expected:?}, the agent said nothing more; in:\n{script}"
                );
                assert_eq!(said.remove(0).trim_end(), expected.trim_end(), "in:\n{script}");
                continue;
            }
            assert!(said.is_empty(), "before {line:?} the agent also said {said:?}; in:\n{script}");
            if let Some(heard) = line.strip_prefix("heard ") {
                let mut numbers = heard.split(' ').map(|number| number.parse::<i32>().unwrap());
                let mut next = || numbers.next().unwrap();
                let heard = Heard {
                    duration: Duration::from_millis(next().unsigned_abs().into()),
                    level_db: next() as f32,
                    packets: next().unsigned_abs().into(),
                };
                let replies = self.brain.heard(self.now, heard);
                said = self.shown(&replies);
                continue;
            }
            let replies = match (line.strip_prefix("> "), line.strip_prefix("@ ")) {
                (Some(message), _) => self.brain.receive(self.now, &client(message)),
                (_, Some(ms)) => {
                    self.now = Duration::from_millis(ms.parse().unwrap());
                    self.brain.poll(self.now)
                }
                _ => panic!("a line begins with >, < or @: {line:?}"),
            };
            said = self.shown(&replies);
        }
        assert!(said.is_empty(), "at the end the agent also said {said:?}; in:\n{script}");
        self
    }

    /// The replies as lines, with runs folded and sequences checked.
    fn shown(&mut self, replies: &[Reply]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for reply in replies {
            if let Reply::Envelope(Envelope { sequence, .. }) = reply {
                assert!(Some(*sequence) > self.last, "the sequence goes back");
                self.last = Some(*sequence);
            }
            lines.push(shown(reply));
        }
        fold(lines)
    }
}

fn at_once() -> BrainConfig {
    BrainConfig { delta_interval: Duration::ZERO, ..BrainConfig::default() }
}

fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Close(close) => format!("close {}", close.code),
        Reply::Listen(listen) => format!("({})", format!("{listen:?}").to_lowercase()),
        Reply::Deliberate(deliberate) => format!("{deliberate:?}"),
        Reply::Envelope(envelope) => match &envelope.event {
            Event::SessionEstablished(established) if established.resumed => "established resumed".to_owned(),
            Event::SessionEstablished(_) => "established".to_owned(),
            Event::RunStarted => "run.started".to_owned(),
            Event::TextDelta(delta) => format!("delta {}", delta.text),
            Event::SpeechSegment(segment) => format!("speech {}", segment.segment_id),
            Event::RunCompleted => "run.completed".to_owned(),
            Event::Failure(failure) => format!("failure {}", failure.code),
            Event::InteractionRequested(asked) => format!("asks {} {}", asked.kind, asked.interaction_id),
            Event::InteractionResolved(done) => format!("{} {}", done.outcome, done.interaction_id),
            Event::Unknown { name } => format!("unknown {name}"),
        },
    }
}

/// Folds `run.started … run.completed` into `run: text`, with a request inside it after the run.
fn fold(lines: Vec<String>) -> Vec<String> {
    let whole = lines.iter().position(|l| l == "run.completed");
    let (Some(from), Some(to)) = (lines.iter().position(|l| l == "run.started"), whole) else { return lines };
    let text: String = lines[from..to].iter().filter_map(|l| l.strip_prefix("delta ")).collect();
    let asked = lines[from..to].iter().filter(|l| l.starts_with("asks ")).cloned();
    let mut folded = lines[..from].to_vec();
    folded.push(format!("run: {text}"));
    folded.extend(asked);
    folded.extend(lines[to + 1..].to_vec());
    folded
}

/// The JSON of a client line.
pub(super) fn client(line: &str) -> String {
    if line.starts_with('{') || line.starts_with('[') {
        return line.to_owned();
    }
    let mut words = line.split(' ');
    let (verb, mut rest) = (words.next().unwrap(), words.collect::<Vec<_>>());
    let ix = rest.iter().position(|w| w.starts_with("ix=")).map(|at| rest.remove(at)[3..].to_owned());
    let message = match verb {
        "start" => json!({
            "type": "session.start", "sessionId": "proof-1",
            "clientCapabilities": { "physicalObservations": { "modalities": rest } }
        }),
        "say" => json!({ "type": "user.turn", "turn": turn(&rest), "text": rest[1..].join(" ") }),
        "scan" => observation(turn(&rest), Some(rest[1]), None, ix),
        "photo" => observation(turn(&rest), None, Some(image()), ix),
        "both" => observation(turn(&rest), Some(rest[1]), Some(image()), ix),
        "ack" => json!({ "type": "ack", "sequence": turn(&rest) }),
        "cancel" => json!({ "type": "response.cancel" }),
        "end" => json!({ "type": "session.end" }),
        _ => panic!("no such client line: {line:?}"),
    };
    message.to_string()
}

fn turn(words: &[&str]) -> u64 {
    words[0].parse().unwrap()
}

pub(super) fn observation(
    turn: u64,
    object_ref: Option<&str>,
    image: Option<Value>,
    ix: Option<String>,
) -> Value {
    let mut inner = json!({
        "schemaVersion": "0.1", "observationId": format!("o-{turn}"),
        "capturedAt": "2026-09-07T10:00:00Z", "intent": "identify"
    });
    if let Some(object_ref) = object_ref {
        inner["object"] = json!({
            "objectRef": object_ref, "carrier": "ndef", "assurance": "unverifiedTag", "payloadSha256": "0".repeat(64)
        });
    }
    if let Some(image) = image {
        inner["image"] = image;
    }
    let mut message = json!({ "type": "user.observation", "turn": turn, "observation": inner });
    if let Some(ix) = ix {
        message["interactionId"] = json!(ix);
    }
    message
}

fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(width, height).write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
    bytes.into_inner()
}

/// A sound image of 16 × 9 pixels.
pub(super) fn image() -> Value {
    image_of(&jpeg(16, 9), 16, 9)
}

fn image_of(bytes: &[u8], width: u32, height: u32) -> Value {
    let data = crate::protocol::observation::ImageData::encode(&ImageBytes::new(bytes.to_vec()));
    json!({
        "mediaType": "image/jpeg", "data": data, "byteCount": bytes.len(),
        "sha256": hex(&<sha2::Sha256 as sha2::Digest>::digest(bytes)), "pixelWidth": width, "pixelHeight": height
    })
}

fn see() -> String {
    format!("I see a JPEG of 16 × 9, {} bytes.", jpeg(16, 9).len())
}

const UNKNOWN: &str =
    "run: I do not know this object yet. Say \"teach object …\" and I will propose what to remember.";
const PROPOSED: &str = "run: I would remember urn:a as \"Workshop router\". Nothing is stored yet. \
                        Say \"confirm object\" to store it, or \"cancel teaching\" to drop it.";
const NO_PROPOSAL: &str = "run: There is no proposal to confirm. Nothing was stored.";
const ASKS: &str = "< run: Please show me the tag.\n< asks physical.nfc.scan ix-1";
