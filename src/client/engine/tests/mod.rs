//! Dialogues of the engine: what goes in, and in one line each what comes out.

mod connection;
mod devices;
mod physical;
mod secrets;
mod speech;
mod voice;

use std::sync::Arc;
use std::time::Duration;

use super::{Engine, EngineSettings};
use crate::client::effect::Effect;
use crate::client::event::{Attempt, CardResult, Collected, CollectedPhoto, CollectedTag, Collection, Event};
use crate::client::notice::{
    Activity, Connection, DeviceLine, Notice, PhotoReview, Preview, TagName, TagReview,
};
use crate::client::request::Request;
use crate::client::voice::MicrophoneState;
use crate::protocol::card::{Offer, TransportProfile};
use crate::protocol::frame::RawFrame;
use crate::protocol::observation::{Assurance, Carrier, ImageData, ImageInput, ObjectInput};
use crate::protocol::{Dialect, Modalities, sha256_hex};
use crate::redact::{ImageBytes, Scrubber, TagUid, Token};
use crate::trace::record::Direction;

/// An engine and the time.
struct Bench {
    engine: Engine,
    now: Duration,
    attempt: u64,
    sequence: u64,
    /// Everything that was sent, as text.
    wire: Vec<String>,
    /// Everything that faces were told, in `Debug`.
    told: String,
}

const CAMERA: &str = "SIMULATED test card";
const TOKEN: &str = "secret-token-4711";

impl Bench {
    fn new() -> Self {
        let device = |name: &str| DeviceLine { name: name.to_owned(), simulated: true, trouble: None };
        let settings = EngineSettings {
            offered: Modalities::BOTH,
            acks: false,
            dialect: Dialect::default(),
            start_within: Duration::from_secs(10),
            scan_within: Duration::from_secs(30),
            capture_within: Duration::from_secs(30),
            reader: device("SIMULATED tags"),
            watched: None,
            talk_within: Duration::from_secs(120),
            speaks: true,
            camera: device(CAMERA),
            microphone: device("SIMULATED tone"),
            speaker: device("SIMULATED nowhere"),
            target: "http://127.0.0.1:1".to_owned(),
        };
        let mut scrubber = Scrubber::default();
        scrubber.add_token(&Token::new(TOKEN));
        let engine = Engine::new(settings, scrubber);
        let mut bench = Self {
            engine,
            now: Duration::ZERO,
            attempt: 0,
            sequence: 0,
            wire: Vec::new(),
            told: String::new(),
        };
        bench.drain();
        bench
    }

    /// An engine with a live session.
    fn live() -> Self {
        let mut bench = Self::new();
        bench.connect();
        bench
    }

    /// An engine with a live session over WebRTC.
    fn live_call(explicit_turns: bool) -> Self {
        let mut bench = Self::new();
        let mut card = card(TransportProfile::WebRtc);
        card.offer.explicit_turns = explicit_turns;
        bench.connect_to(card);
        bench
    }

    fn connect(&mut self) -> Vec<String> {
        self.connect_to(card(TransportProfile::WebSocket))
    }

    fn connect_to(&mut self, card: CardResult) -> Vec<String> {
        let mut out = self.ask(Request::Connect);
        self.attempt += 1;
        self.sequence = 0;
        let attempt = Attempt(self.attempt);
        out.extend(self.put(Event::Card(attempt, Ok(Box::new(card)))));
        out.extend(self.put(Event::Dialled(attempt, Ok(None))));
        out.extend(self.hear(r#"{"type":"session.established","resumed":false}"#));
        out
    }

    fn ask(&mut self, request: Request) -> Vec<String> {
        self.put(Event::Request(request))
    }

    /// The agent says this event, with the next sequence.
    fn hear(&mut self, event: &str) -> Vec<String> {
        self.sequence += 1;
        let text = format!(r#"{{"sequence":{},"event":{event}}}"#, self.sequence);
        self.put(Event::Frame(Attempt(self.attempt), RawFrame::Text(text)))
    }

    /// A whole run without text.
    fn hear_run(&mut self) {
        self.hear(r#"{"type":"run.started"}"#);
        self.hear(r#"{"type":"run.completed"}"#);
    }

    fn put(&mut self, event: Event) -> Vec<String> {
        self.now += Duration::from_millis(1);
        self.engine.handle(self.now, event);
        self.drain()
    }

    fn after(&mut self, time: Duration) -> Vec<String> {
        self.now += time;
        self.put(Event::Tick)
    }

    fn drain(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        while let Some(effect) = self.engine.poll() {
            if let Effect::Transmit(text) = &effect {
                self.wire.push(text.clone());
            } else {
                self.told.push_str(&format!("{effect:?}\n"));
            }
            out.extend(word(&effect));
        }
        out
    }

    /// The last thing sent, as JSON.
    fn last_sent(&self) -> serde_json::Value {
        serde_json::from_str(self.wire.last().expect("something was sent")).expect("we send JSON")
    }
}

/// One effect in one line; snapshots of the session and lists of frames are not repeated here.
fn word(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Notify(notice) => return notice_word(notice),
        Effect::FetchCard(Attempt(n)) => format!("fetch #{n}"),
        Effect::Dial(Attempt(n), ..) => format!("dial #{n}"),
        Effect::Transmit(_) => return None,
        Effect::CloseLink => "close".to_owned(),
        Effect::DropLink => "drop link".to_owned(),
        Effect::Scan { id, within, place } => {
            format!(
                "scan #{} {}s{}",
                id.0,
                within.as_secs(),
                place.as_ref().map(|p| format!(" {p}")).unwrap_or_default()
            )
        }
        Effect::Aim { id, within, show } => {
            format!(
                "aim #{} {}s{}",
                id.0,
                within.as_secs(),
                show.as_ref().map(|p| format!(" {p}")).unwrap_or_default()
            )
        }
        Effect::Shutter(id) => format!("shutter #{}", id.0),
        Effect::Orient(id, orient) => format!("orient #{} {orient:?}", id.0),
        Effect::Disarm => "disarm".to_owned(),
        Effect::ForgetPicture => "forget picture".to_owned(),
        Effect::Place(spec) => format!("place {spec}"),
        Effect::OpenMicrophone { id, within, file } => {
            let file = file.as_ref().map(|file| format!(" {file}")).unwrap_or_default();
            format!("open microphone #{} {}s{file}", id.0, within.as_secs())
        }
        Effect::SendSound(id) => format!("send sound #{}", id.0),
        Effect::CloseMicrophone { id, flush } => {
            format!("close microphone #{}, {}", id.0, if *flush { "flush" } else { "discard" })
        }
        Effect::Speak(number, text) => format!("speak #{number} {text}"),
        Effect::StopSpeaking => "stop speaking".to_owned(),
        Effect::ReadPassport(id, path) => format!("passport #{} {path}", id.0),
        Effect::ListDevices => "list devices".to_owned(),
        Effect::EndList => "end list".to_owned(),
        Effect::Stop => "stop".to_owned(),
    })
}

fn notice_word(notice: &Notice) -> Option<String> {
    Some(match notice {
        Notice::Connection(Connection::Over(line)) => format!("over: {}", line.text),
        Notice::Connection(connection) => format!("{connection:?}").to_lowercase(),
        Notice::Card(card) => format!("card of {}", card.agent),
        Notice::Frame(record) => {
            let arrow = if record.direction == Direction::Out { "→" } else { "←" };
            let verdict = if record.acted { "" } else { " not acted on" };
            let rules: String = record.findings.iter().map(|f| format!(" {}", f.rule.id)).collect();
            format!("{arrow} {}{verdict}{rules}", record.kind)
        }
        Notice::Session(_) => return None,
        Notice::Physical(view) => match &view.activity {
            Activity::Idle => "physical: idle".to_owned(),
            Activity::Armed(armed) => {
                format!("physical: armed {}{}", armed.modality, answering(armed.answers.as_ref()))
            }
            Activity::Preparing(modality) => format!("physical: preparing {modality}"),
            Activity::Reviewing { review, adding } => {
                let parts = [review.tag.as_ref().map(|_| "tag"), review.photo.as_ref().map(|_| "photo")];
                let parts: Vec<&str> = parts.into_iter().flatten().collect();
                let adding = adding.as_ref().map(|a| format!(", adding {}", a.modality)).unwrap_or_default();
                let answers = answering(review.answers.as_ref());
                format!("physical: review {} {}{answers}{adding}", parts.join("+"), review.intent)
            }
        },
        Notice::Preview(preview) => format!("preview {}×{}", preview.width, preview.height),
        Notice::Refused(line) => format!("refused: {}", line.text),
        Notice::Failed(line) => format!("failed: {}", line.text),
        Notice::Info(line) => format!("info: {}", line.text),
        Notice::Finding { finding, .. } => format!("finding {}", finding.rule.id),
        Notice::Device(event) if event.times > 1 => format!("◇ {event} ×{}", event.times),
        Notice::Device(event) => format!("◇ {event}"),
        Notice::Voice(None) => "voice: none".to_owned(),
        Notice::Voice(Some(view)) => match view.state {
            MicrophoneState::Open { turn, .. } => {
                format!("voice: open{}", turn.map(|turn| format!(" for turn {turn}")).unwrap_or_default())
            }
            state => format!("voice: {state:?}").to_lowercase(),
        },
        Notice::Levels(_) | Notice::Media(_) => return None,
        Notice::Spoken(spoken) => format!("spoken: {} in {:?}", spoken.turn, spoken.total()),
        Notice::Speaking(is_on) => format!("speaking: {is_on}"),
        Notice::Devices(report) => format!("devices: {} sections", report.sections.len()),
        Notice::Stopped => "stopped".to_owned(),
    })
}

fn answering(id: Option<&String>) -> String {
    id.map(|id| format!(" answering {id}")).unwrap_or_default()
}

fn card(transport: TransportProfile) -> CardResult {
    CardResult {
        offer: Offer {
            agent_name: "Workshop".to_owned(),
            url: "http://127.0.0.1:1/agui".to_owned(),
            transport,
            accepted: Modalities::BOTH,
            agent_requests: Modalities::BOTH,
            voice_owner: None,
            explicit_turns: false,
            needs_bearer: false,
        },
        explanation: Vec::new(),
        notes: Vec::new(),
        endpoint: "ws 127.0.0.1:1".to_owned(),
    }
}

const REF: &str = "urn:agentcall:object:workshop-router";

fn tag(uid: &[u8]) -> Collected {
    let object = ObjectInput {
        object_ref: REF.to_owned(),
        carrier: Carrier::Ndef,
        assurance: Assurance::UnverifiedTag,
        payload_sha256: "0".repeat(64),
        passport: None,
    };
    Collected::Tag(Box::new(CollectedTag {
        review: TagReview {
            technology: "Type 2".to_owned(),
            records: 1,
            bytes: 46,
            uid_bytes: Some(uid.len()),
            object_ref: object.object_ref.clone(),
            carrier: object.carrier,
            payload_sha256: object.payload_sha256.clone(),
            other_content: Vec::new(),
            random_uid: false,
            name: TagName::Lasting,
            notes: Vec::new(),
        },
        object,
        captured_at: "2026-09-07T10:00:00Z".to_owned(),
        uid: Some(TagUid::new(uid)),
    }))
}

/// Bytes that stand for a JPEG: the engine never looks into them.
fn jpeg() -> ImageBytes {
    ImageBytes::new((0..600_u32).map(|i| (i * 7 % 251) as u8).collect())
}

fn photo() -> Collected {
    let jpeg = jpeg();
    Collected::Photo(Box::new(CollectedPhoto {
        image: ImageInput {
            media_type: "image/jpeg".to_owned(),
            data: ImageData::encode(&jpeg),
            byte_count: jpeg.len() as u64,
            sha256: sha256_hex(jpeg.expose()),
            pixel_width: 640,
            pixel_height: 480,
        },
        captured_at: "2026-09-07T10:00:00Z".to_owned(),
        review: PhotoReview {
            width: 640,
            height: 480,
            bytes: jpeg.len(),
            quality: 80,
            sha256: sha256_hex(jpeg.expose()),
            source: "SIMULATED test card".to_owned(),
            source_size: (1280, 720),
            preview: Arc::new(Preview { width: 1, height: 1, rgb: ImageBytes::new(vec![1, 2, 3]) }),
        },
        jpeg,
    }))
}

fn id(n: u64) -> Collection {
    Collection(n)
}

fn preview_of(width: u32, height: u32) -> Preview {
    Preview { width, height, rgb: ImageBytes::new(vec![7; (width * height * 3) as usize]) }
}
