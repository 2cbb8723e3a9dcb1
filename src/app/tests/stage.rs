//! A screen model with a person at its keys and an engine that can be played: what tests of the model and of the
//! view share.
#![allow(clippy::needless_pass_by_value)] // json! is handed over as it is written

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{Effect, Message, Model, Options, TagChoice};
use crate::client::devices::Trouble;
use crate::client::notice::{
    Activity, ArmedView, CardNotice, Connection, DeviceLine, Line, LineKind, PhotoReview, PhysicalView,
    Preview, Review, TagName, TagReview,
};
use crate::client::voice::{MicrophoneState, VoiceView};
use crate::client::{Notice, Request};
use crate::command::Key;
use crate::device::nfc::ReaderTrouble;
use crate::protocol::observation::{Assurance, Carrier, Intent};
use crate::protocol::{Dialect, Envelope, Finding, Modalities, Modality, rules, view};
use crate::redact::ImageBytes;
use crate::safe_text::SafeText;
use crate::session::{Focus, Held, Latency, Pending, PendingState, Phase, Proposal, RunState, SessionView};
use crate::trace::record::{Body, Direction, ImageFacts, Record};
use crate::units::{Sequence, Turn};

/// The model, the engine's time, and its view of the session.
pub(crate) struct Stage {
    pub model: Model,
    pub session: SessionView,
    pub ms: u64,
    /// The chosen camera, where it is no simulated one.
    pub camera: Option<DeviceLine>,
    /// Whether the camera is open while it is armed.
    pub is_camera_open: bool,
    /// The readers, if they are not simulated.
    pub readers: Option<Vec<DeviceLine>>,
    sequence: u64,
    turn: u64,
}

impl Stage {
    /// An empty start at this size, with two tags in the picker.
    pub fn new(columns: u16, rows: u16) -> Self {
        let tag = |name: &str, spec: &str| TagChoice { name: SafeText::line(name), spec: spec.to_owned() };
        let tags = vec![
            tag("kettle.bin · a Type 2 dump with a Text record", "/tags/kettle.bin"),
            tag("router.ndef · urn:agentcall:object:workshop-router", "/tags/router.ndef"),
        ];
        let mut model = Model::new(Options { tags, ..Options::default() });
        model.update(Message::Resized(columns, rows));
        let session = SessionView { negotiated: Modalities::BOTH, ..SessionView::default() };
        Self {
            model,
            session,
            ms: 0,
            is_camera_open: false,
            camera: None,
            readers: None,
            sequence: 0,
            turn: 0,
        }
    }

    /// An empty start whose events may take so many bytes.
    pub fn within(budget: usize) -> Self {
        let mut stage = Self::new(120, 40);
        stage.model = Model::new(Options { trace: Some(budget), ..stage.model.options.clone() });
        stage.model.update(Message::Resized(120, 40));
        stage
    }

    /// A live session on the workshop agent.
    pub fn live(columns: u16, rows: u16) -> Self {
        let mut stage = Self::new(columns, rows);
        stage.card();
        stage.connection(Connection::Starting);
        stage.went(3, json!({"type": "session.start", "sessionId": "aXm3"}), Body::Client);
        stage.came(7, json!({"type": "session.established", "resumed": false}));
        stage.connection(Connection::Live);
        stage.session.phase = Phase::Live;
        stage.tell();
        stage.physical(Activity::Idle);
        stage
    }

    pub fn card(&mut self) {
        self.notice(Notice::Card(CardNotice {
            agent: "Workshop agent".to_owned(),
            endpoint: "wss agent.example".to_owned(),
            explanation: vec!["Offers: text, scanning a tag (nfc)".to_owned()],
            notes: Vec::new(),
        }));
    }

    pub fn notice(&mut self, notice: Notice) -> Vec<Effect> {
        self.model.update(Message::Notice(notice))
    }

    pub fn connection(&mut self, connection: Connection) {
        self.notice(Notice::Connection(connection));
    }

    pub fn line(&self, kind: LineKind, text: &str) -> Line {
        Line { at: self.at(), text: text.to_owned(), hint: None, kind }
    }

    pub fn at(&self) -> Duration {
        Duration::from_millis(self.ms)
    }

    /// The engine's time moves on.
    pub fn later(&mut self, ms: u64) {
        self.ms += ms;
        self.model.update(Message::Tick(self.at()));
    }

    /// The session has sound, and its microphone is so.
    pub fn voice(&mut self, state: MicrophoneState) {
        let device = |name: &str| DeviceLine { name: name.to_owned(), simulated: true, trouble: None };
        let (microphone, speaker) = (device("SIMULATED tone 440 Hz"), device("SIMULATED nowhere"));
        self.notice(Notice::Voice(Some(Arc::new(VoiceView { microphone, speaker, explicit: true, state }))));
    }

    /// The session as `self.session` has it is told.
    pub fn tell(&mut self) {
        let view = SessionView { last_turn: self.turn, ..self.session.clone() };
        self.notice(Notice::Session(Arc::new(view)));
    }

    /// An event came, and was acted on.
    pub fn came(&mut self, after_ms: u64, event: Value) {
        self.came_with(after_ms, event, true, Vec::new());
    }

    pub fn came_with(&mut self, after_ms: u64, event: Value, acted: bool, findings: Vec<Finding>) {
        self.later(after_ms);
        self.sequence += 1;
        let value = json!({"sequence": self.sequence, "event": event});
        let text = value.to_string();
        let decoded = Envelope::decode(&text, &Dialect::default()).ok().map(|d| d.message.event);
        let kind = value["event"]["type"].as_str().unwrap_or("?").to_owned();
        let body = decoded.map_or(Body::Unread, Body::Event);
        self.frame(Direction::In, kind, text.len(), value, body, acted, findings);
    }

    /// A frame went out.
    pub fn went(&mut self, after_ms: u64, value: Value, body: Body) {
        self.later(after_ms);
        let kind = value["type"].as_str().unwrap_or("?").to_owned();
        self.frame(Direction::Out, kind, value.to_string().len(), value, body, true, Vec::new());
    }

    #[allow(clippy::too_many_arguments)] // a frame has so many facts
    fn frame(
        &mut self,
        direction: Direction,
        kind: String,
        bytes: usize,
        value: Value,
        body: Body,
        acted: bool,
        findings: Vec<Finding>,
    ) {
        let sequence = (direction == Direction::In).then_some(Sequence(self.sequence));
        let record = Record {
            index: 0,
            at: self.at(),
            direction,
            sequence,
            kind: kind.into(),
            bytes,
            value: Some(view::for_trace(&value).into()),
            body,
            acted,
            deliberate: false,
            findings,
            late: None,
        };
        self.notice(Notice::Frame(Arc::new(record)));
    }

    /// The user's text went out as the next turn; its run is in flight.
    pub fn said(&mut self, text: &str) {
        self.turn += 1;
        let turn = Turn(self.turn);
        let value = json!({"type": "user.turn", "turn": self.turn, "text": text});
        self.went(1_500, value, Body::Say { turn, text: text.to_owned() });
        let at = self.at();
        let latency = Latency { turn, asked: at, sent: at, started: None, first_text: None, completed: None };
        self.session.latency = Some(latency);
        self.session.run = RunState::InFlight { turn };
        self.tell();
    }

    /// The agent begins to answer and streams these pieces.
    pub fn streams(&mut self, pieces: &[&str]) {
        self.came(7, json!({"type": "run.started"}));
        self.session.run = RunState::Running { turn: Some(Turn(self.turn)) };
        let at = self.at();
        self.session.latency.iter_mut().for_each(|latency| latency.started = Some(at));
        for piece in pieces {
            self.came(2, json!({"type": "text.delta", "text": piece}));
            let at = self.at();
            let first = self.session.latency.as_mut().map(|latency| &mut latency.first_text);
            first.into_iter().for_each(|text| *text = text.or(Some(at)));
        }
        self.tell();
    }

    /// The run ends well.
    pub fn completes(&mut self) {
        self.came(59, json!({"type": "run.completed"}));
        self.session.run = RunState::Idle;
        let at = self.at();
        self.session.latency.iter_mut().for_each(|latency| latency.completed = Some(at));
        self.tell();
    }

    /// A whole exchange.
    pub fn exchange(&mut self, text: &str, pieces: &[&str]) {
        self.said(text);
        self.streams(pieces);
        self.completes();
    }

    /// An observation of the router went out.
    pub fn showed(&mut self, answers: Option<&str>) {
        self.turn += 1;
        let value = json!({"type": "user.observation", "turn": self.turn, "interactionId": answers,
            "observation": {"object": {"objectRef": ROUTER}, "intent": "identify"}});
        let body = Body::Show {
            turn: Turn(self.turn),
            object_ref: Some(ROUTER.to_owned()),
            image: Some(ImageFacts { bytes: 58_912, sha256: "9f".repeat(32), width: 1_024, height: 576 }),
            intent: Intent::Identify,
            answers: answers.map(str::to_owned),
        };
        self.went(900, value, body);
        self.session.focus = Some(Focus {
            object_ref: ROUTER.to_owned(),
            carrier: Carrier::Ndef,
            assurance: Assurance::UnverifiedTag,
        });
        self.tell();
    }

    pub fn asks(&mut self, modality: Modality, prompt: &str) {
        let kind = match modality {
            Modality::Nfc => "physical.nfc.scan",
            Modality::Photo => "physical.photo.capture",
        };
        self.came(
            20,
            json!({"type": "interaction.requested", "interactionId": "ix-2", "kind": kind, "prompt": prompt,
                "spokenPrompt": prompt, "options": [], "allowsFreeform": false}),
        );
        self.session.pending = Some(Pending {
            interaction_id: "ix-2".to_owned(),
            modality,
            prompt: prompt.to_owned(),
            state: PendingState::Open,
        });
        self.tell();
    }

    pub fn proposes(&mut self, label: &str) {
        self.session.proposal = Some(Proposal { object_ref: ROUTER.to_owned(), label: label.to_owned() });
        self.tell();
    }

    pub fn holds(&mut self, text: &str) {
        self.session.held = Some(Held::Say(text.to_owned()));
        self.tell();
    }

    pub fn physical(&mut self, activity: Activity) {
        let device = |name: &str| DeviceLine { name: name.to_owned(), simulated: true, trouble: None };
        let view = PhysicalView {
            readers: self.readers.clone().unwrap_or_else(|| vec![device("SIMULATED tags")]),
            camera: self.camera.clone().unwrap_or_else(|| device("SIMULATED test card")),
            camera_open: self.is_camera_open,
            activity,
            last: None,
        };
        self.notice(Notice::Physical(Arc::new(view)));
    }

    /// Real readers are chosen: their names, and what is wrong.
    pub fn real_readers(&mut self, readers: &[(&str, Option<ReaderTrouble>)]) {
        let line = |(name, trouble): &(&str, Option<ReaderTrouble>)| DeviceLine {
            name: (*name).to_owned(),
            simulated: false,
            trouble: trouble.as_ref().map(Trouble::from),
        };
        self.readers = Some(readers.iter().map(line).collect());
        self.physical(Activity::Idle);
    }

    pub fn armed(&self, modality: Modality, answers: bool) -> ArmedView {
        ArmedView {
            modality,
            until: self.at() + Duration::from_secs(24),
            answers: answers.then(|| "ix-2".to_owned()),
            trouble: None,
            is_reading: false,
        }
    }

    /// A review comes up, and a person has had the time to read it.
    pub fn reviews(&mut self, review: Review, adding: Option<ArmedView>) {
        self.physical(Activity::Reviewing { review: Arc::new(review), adding });
        self.later(1_000);
    }

    /// A person presses keys, named as in the registry; what they ask for.
    pub fn press(&mut self, keys: &str) -> Vec<Effect> {
        let pressed: Vec<Key> =
            keys.split(' ').map(|name| name.parse().unwrap_or_else(|_| panic!("{name}: no key"))).collect();
        pressed.into_iter().flat_map(|key| self.model.update(Message::Key(key))).collect()
    }

    /// A person types characters one by one; nothing may come of it.
    pub fn types(&mut self, text: &str) {
        for c in text.chars() {
            assert_eq!(self.model.update(Message::Key(Key::Char(c))), Vec::new(), "typing {c:?} in {text:?}");
        }
    }

    pub fn pastes(&mut self, text: &str) {
        assert_eq!(self.model.update(Message::Paste(text.to_owned())), Vec::new(), "pasting sends nothing");
    }
}

/// The demo object.
pub(crate) const ROUTER: &str = "urn:agentcall:object:workshop-router";

/// What one key asks for.
pub(crate) fn asks(request: Request) -> Vec<Effect> {
    vec![Effect::Ask(request)]
}

/// Says this.
pub(crate) fn says(text: &str) -> Vec<Effect> {
    asks(Request::Say(text.to_owned()))
}

pub(crate) fn unknown_event() -> Finding {
    Finding::new(&rules::EV_UNKNOWN, "the event type mystery.event is not known")
}

pub(crate) fn step_back() -> Finding {
    Finding::at(&rules::ENV_SEQUENCE, "/sequence", "sequence 3 came after 9")
}

pub(crate) fn tag_review() -> Review {
    Review {
        tag: Some(TagReview {
            technology: "Type 2".to_owned(),
            records: 2,
            bytes: 62,
            uid_bytes: Some(7),
            object_ref: ROUTER.to_owned(),
            carrier: Carrier::Ndef,
            payload_sha256: "9f2c41d7".repeat(8),
            other_content: vec!["Text \"kiss - cold\"".to_owned()],
            random_uid: false,
            name: TagName::Lasting,
            notes: Vec::new(),
        }),
        photo: None,
        intent: Intent::Identify,
        answers: Some("ix-2".to_owned()),
        passport: None,
    }
}

pub(crate) fn photo_review() -> Review {
    Review {
        tag: None,
        photo: Some(PhotoReview {
            width: 1_024,
            height: 576,
            bytes: 58_912,
            quality: 81,
            sha256: "41d79f2c".repeat(8),
            source: "SIMULATED desk.png".to_owned(),
            source_size: (1_920, 1_080),
            preview: preview(),
        }),
        intent: Intent::Inspect,
        answers: None,
        passport: None,
    }
}

pub(crate) fn both_review() -> Review {
    Review {
        photo: photo_review().photo,
        passport: Some(json!({"schemaVersion": "0.1", "title": "Workshop router"})),
        ..tag_review()
    }
}

/// A gradient of 96×54 pixels.
pub(crate) fn preview() -> Arc<Preview> {
    let (width, height) = (96_u32, 54_u32);
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let (r, g) = (x * 255 / width, y * 255 / height);
            rgb.extend([r as u8, g as u8, ((r + g) / 2) as u8]);
        }
    }
    Arc::new(Preview { width, height, rgb: ImageBytes::new(rgb) })
}
