//! The brain as dialogues. Each line of a dialogue is what the client says (`>`), what the agent answers
//! (`<`, in order, nothing more), or what the time is (`@ ms`).
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

// ── the reference proof ──

#[test]
fn an_object_is_taught_by_proposal_and_confirmation() {
    let script = format!(
        "> scan 1 urn:a
         < {UNKNOWN}
         > say 2 teach object Workshop router
         < {PROPOSED}
         > scan 3 urn:a
         < {UNKNOWN}
         > say 4 confirm object
         < run: I will remember \"Workshop router\" until this session ends.
         > scan 5 urn:a
         < run: This is Workshop router.
         > scan 6 urn:b
         < {UNKNOWN}
         > scan 7 URN:A
         < {UNKNOWN}
         > scan 8 urn:a#
         < {UNKNOWN}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn another_object_drops_the_proposal_and_the_same_one_keeps_it() {
    let script = format!(
        "> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}
         > scan 3 urn:b\n< {UNKNOWN}\n> say 4 confirm object\n< {NO_PROPOSAL}
         > scan 5 urn:a\n< {UNKNOWN}\n> say 6 confirm object\n< {NO_PROPOSAL}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn cancelling_drops_the_proposal() {
    for cancel in ["> say 3 cancel teaching\n< run: The proposal is dropped. Nothing was stored.", "> cancel"]
    {
        let script = format!(
            "> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}
             {cancel}
             > say 4 confirm object\n< {NO_PROPOSAL}"
        );
        Dialogue::open().expect(&script);
    }
}

#[test]
fn a_replacement_needs_its_own_confirmation_and_a_failed_one_confirms_nothing() {
    let script = format!(
        "> scan 1 urn:a\n< {UNKNOWN}
         > say 2 teach object Lathe
         < run: I would remember urn:a as \"Lathe\". Nothing is stored yet. Say \"confirm object\" to store it, or \"cancel teaching\" to drop it.
         > say 3 teach object Workshop router\n< {PROPOSED}
         > say 4 confirm object\n< run: I will remember \"Workshop router\" until this session ends.
         > say 5 confirm object\n< {NO_PROPOSAL}
         > say 6 teach object Drill
         < run: I would remember urn:a as \"Drill\". Nothing is stored yet. Say \"confirm object\" to store it, or \"cancel teaching\" to drop it.
         > say 7 teach object
         < run: Say \"teach object\" and the name to remember. Nothing is proposed now.
         > say 8 confirm object\n< {NO_PROPOSAL}
         > scan 9 urn:a\n< run: This is Workshop router."
    );
    Dialogue::open().expect(&script);
}

#[test]
fn generic_assent_stores_nothing() {
    let mut dialogue = Dialogue::open();
    dialogue
        .expect(&format!("> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}"));
    for (turn, assent) in (3..).zip(["yes", "OK", "Sure!", "do it", "confirm", "yes please."]) {
        dialogue.expect(&format!("> say {turn} {assent}\n< run: {}", words::ASSENT));
    }
    dialogue.expect(&format!("> scan 20 urn:a\n< {UNKNOWN}"));
    dialogue.expect(
        "> say 21 Confirm  object.\n< run: I will remember \"Workshop router\" until this session ends.",
    );
    dialogue.expect(&format!("> say 22 yes\n< run: {}", words::NOTHING_PROPOSED));
}

#[test]
fn teaching_needs_an_object() {
    Dialogue::open().expect(
        "> say 1 teach object Lathe\n< run: Show me the object first. Nothing was proposed.
         > say 2 what is this?\n< run: Nothing has been shown to me yet.",
    );
}

#[test]
fn a_remember_intent_and_a_photo_store_nothing() {
    let mut scan = observation(1, Some("urn:a"), Some(image()), None);
    scan["observation"]["intent"] = json!("remember");
    let mut dialogue = Dialogue::open();
    dialogue.expect(&format!("> {scan}\n< run: {} {}", see(), &UNKNOWN[5..]));
    dialogue.expect(&format!("> say 2 confirm object\n< {NO_PROPOSAL}\n> scan 3 urn:a\n< {UNKNOWN}"));
}

#[test]
fn labels_have_256_characters_and_a_session_32_of_them() {
    let mut dialogue = Dialogue::open();
    let (fits, too_long) = ("ü".repeat(256), "ü".repeat(257));
    dialogue.expect(&format!("> scan 1 urn:0\n< {UNKNOWN}"));
    let unfit = words::not_taught(teaching::NotTaught::UnfitLabel);
    dialogue.expect(&format!("> say 2 teach object {too_long}\n< run: {unfit}"));
    let mut turn = 2;
    let mut say = |dialogue: &mut Dialogue, line: String| {
        turn += 1;
        let replies = dialogue.brain.receive(Duration::ZERO, &client(&line.replace('N', &turn.to_string())));
        dialogue.shown(&replies).join("|")
    };
    for n in 0..32 {
        say(&mut dialogue, format!("scan N urn:{n}"));
        say(&mut dialogue, format!("say N teach object {fits}"));
        assert!(say(&mut dialogue, "say N confirm object".into()).starts_with("run: I will remember"));
    }
    say(&mut dialogue, "scan N urn:32".into());
    let full = say(&mut dialogue, "say N teach object one more".into());
    assert_eq!(full, format!("run: {}", words::not_taught(teaching::NotTaught::Full)));
    assert!(say(&mut dialogue, "say N confirm object".into()).contains("no proposal"));
    say(&mut dialogue, "scan N urn:7".into());
    say(&mut dialogue, "say N teach object Seven".into());
    say(&mut dialogue, "say N confirm object".into());
    assert_eq!(say(&mut dialogue, "scan N urn:7".into()), "run: This is Seven.");
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let (mut one, mut other) = (Dialogue::open(), Dialogue::open());
    one.expect(&format!("> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}"));
    other.expect(&format!("> scan 1 urn:a\n< {UNKNOWN}\n> say 2 confirm object\n< {NO_PROPOSAL}"));
    one.expect("> say 3 confirm object\n< run: I will remember \"Workshop router\" until this session ends.");
    other.expect(&format!("> scan 3 urn:a\n< {UNKNOWN}"));
}

#[test]
fn other_text_is_said_back_cut_and_without_control_characters() {
    let mut dialogue = Dialogue::open();
    let frame = json!({ "type": "user.turn", "turn": 1, "text": format!("a\u{1b}[2Jb{}", "c".repeat(500)) });
    let replies = dialogue.brain.receive(Duration::ZERO, &frame.to_string());
    let said = dialogue.shown(&replies).join("|");
    assert!(said.starts_with("run: I heard: a[2Jbcc") && said.contains("ccc…\nI know only"), "{said}");
}

// ── requests ──

const ASKS: &str = "< run: Please show me the tag.\n< asks physical.nfc.scan ix-1";

#[test]
fn a_scan_is_asked_for_and_answered_exactly_once() {
    let script = format!(
        "> say 1 scan an object\n{ASKS}
         > scan 2 urn:a ix=ix-1
         < answered ix-1
         < {UNKNOWN}
         > scan 3 urn:a ix=ix-1
         < failure interaction_mismatch
         > scan 3 urn:a
         < {UNKNOWN}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn only_an_answer_with_the_id_and_the_modality_consumes_the_request() {
    let script = format!(
        "> say 1 scan an object\n{ASKS}
         > photo 2 ix=ix-1
         < failure interaction_mismatch
         > scan 2 urn:a ix=ix-9
         < failure interaction_mismatch
         > scan 2 urn:a
         < {UNKNOWN}
         > say 3 scan an object
         < run: I am still waiting for what I asked for; cancel that first.
         > both 4 urn:a ix=ix-1
         < answered ix-1
         < run: {} {}",
        see(),
        &UNKNOWN[5..]
    );
    Dialogue::open().expect(&script);
}

#[test]
fn a_cancelled_request_cannot_be_answered() {
    let script = format!(
        "> say 1 take a photo
         < run: Please take a photo for me.
         < asks physical.photo.capture ix-1
         > cancel
         < cancelled ix-1
         > photo 2 ix=ix-1
         < failure interaction_mismatch
         > cancel
         > photo 2
         < run: {}
         > say 3 scan an object
         < run: Please show me the tag.
         < asks physical.nfc.scan ix-2",
        see()
    );
    Dialogue::open().expect(&script);
}

#[test]
fn it_asks_only_for_what_was_negotiated_and_offered() {
    let mut client_without_photo = Dialogue::new(at_once());
    client_without_photo.expect(
        "> start nfc\n< established
         > say 1 take a photo\n< run: I cannot ask for that: this session has not negotiated photo.",
    );
    let agent_requests = Modalities::NONE.with(Modality::Photo);
    let mut agent_without_scan = Dialogue::new(BrainConfig { agent_requests, ..at_once() });
    agent_without_scan.expect(
        "> start nfc photo\n< established
         > say 1 scan an object\n< run: I cannot ask for that: this session has not negotiated nfc.",
    );
}

// ── the gates ──

#[test]
fn modalities_are_the_intersection_of_card_and_session() {
    let nfc_only = BrainConfig { accepted: Modalities::NONE.with(Modality::Nfc), ..at_once() };
    Dialogue::new(nfc_only).expect(&format!(
        "> start nfc photo\n< established
         > photo 1\n< failure modality_not_negotiated
         > both 1 urn:a\n< failure modality_not_negotiated
         > scan 1 urn:a\n< {UNKNOWN}"
    ));
    Dialogue::new(at_once()).expect(
        r#"> {"type":"session.start","sessionId":"a"}
           < established
           > scan 1 urn:a
           < failure modality_not_negotiated"#,
    );
}

#[test]
fn without_modalities_the_agent_is_text_only() {
    let text_only = BrainConfig { accepted: Modalities::NONE, agent_requests: Modalities::NONE, ..at_once() };
    Dialogue::new(text_only).expect(
        "> start nfc photo\n< established
         > say 1 hello\n< run: Hello from the workshop. We can talk in text; say \"help\" to hear what about.
         > say 2 help\n< run: You can say \"hello\", \"tell a story\" or \"help\".
         > say 3 scan an object\n< run: I cannot ask for that: this session has not negotiated nfc.
         > say 4 teach object Lathe\n< run: I know no objects in this session: it has not negotiated nfc.
         > scan 5 urn:a\n< failure modality_not_negotiated",
    );
}

#[test]
fn the_first_message_is_session_start_and_it_comes_once() {
    for first in ["say 1 hello", "ack 1", "end", r#"{"type":"session.start"}"#, "{", "[]"] {
        let mut dialogue = Dialogue::new(at_once());
        let replies = dialogue.brain.receive(Duration::ZERO, &client(first));
        let said = dialogue.shown(&replies);
        assert_eq!(said.last().map(String::as_str), Some("close 1008"), "{first}: {said:?}");
        assert!(said[0].starts_with("failure "), "{first}: {said:?}");
        assert!(dialogue.brain.receive(Duration::ZERO, &client("start nfc")).is_empty());
    }
    Dialogue::open().expect("> start nfc\n< failure session_already_started\n> say 1 hi\n< run: Hello from the workshop. Show me a tag or a photo, or say \"help\".");
}

#[test]
fn session_ids_and_declared_modalities_are_checked() {
    for bad in [
        json!({ "sessionId": "" }),
        json!({ "sessionId": "a b" }),
        json!({ "sessionId": "x".repeat(129) }),
        json!({ "sessionId": "a", "clientCapabilities": { "physicalObservations": { "modalities": ["nfc", "nfc"] } } }),
        json!({ "sessionId": "a", "clientCapabilities": { "physicalObservations": { "modalities": ["lidar"] } } }),
    ] {
        let mut start = bad;
        start["type"] = json!("session.start");
        Dialogue::new(at_once()).expect(&format!("> {start}\n< failure invalid_message\n< close 1008"));
    }
}

#[test]
fn a_session_that_does_not_start_is_closed() {
    Dialogue::new(at_once()).expect("@ 0\n@ 29999\n@ 30000\n< failure session_not_started\n< close 1008");
}

#[test]
fn used_turns_are_refused_without_effect() {
    let script = format!(
        "> say 5 hi\n< run: Hello from the workshop. Show me a tag or a photo, or say \"help\".
         > scan 5 urn:a\n< failure turn_replayed
         > say 4 hi\n< failure turn_replayed
         > say 0 hi\n< failure invalid_message
         > say 6 teach object Lathe\n< run: Show me the object first. Nothing was proposed.
         > scan 7 urn:a\n< {UNKNOWN}
         > say 7 teach object Lathe\n< failure turn_replayed
         > say 8 confirm object\n< {NO_PROPOSAL}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn unknown_messages_fields_and_audio_turns_grant_nothing() {
    Dialogue::open().expect(
        r#"> {"type":"mystery.message"}
           < failure invalid_message
           > {"type":"audio.turn.start","turn":1}
           < failure unsupported
           > {"type":"user.turn","turn":1,"text":"hi","capability":"camera","resume":true}
           < run: Hello from the workshop. Show me a tag or a photo, or say "help".
           > ack 1
           > ack 4000
           < failure invalid_message"#,
    );
}

#[test]
fn texts_and_contexts_keep_their_bounds_and_contexts_are_no_commands() {
    let entry = |d: usize, v: usize| json!({ "description": "d".repeat(d), "value": "v".repeat(v) });
    let bad = [
        json!({ "text": "" }),
        json!({ "text": " \n" }),
        json!({ "text": "x".repeat(8193) }),
        json!({ "text": "hi", "context": vec![entry(1, 1); 17] }),
        json!({ "text": "hi", "context": [entry(257, 1)] }),
        json!({ "text": "hi", "context": [entry(1, 2049)] }),
    ];
    let mut dialogue = Dialogue::open();
    for mut turn in bad {
        turn["type"] = json!("user.turn");
        turn["turn"] = json!(1);
        dialogue.expect(&format!("> {turn}\n< failure invalid_message"));
    }
    dialogue.expect(&format!(
        "> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}
         > {}\n< run: Hello from the workshop. Show me a tag or a photo, or say \"help\".
         > scan 4 urn:a\n< {UNKNOWN}",
        json!({ "type": "user.turn", "turn": 3, "text": "hi",
                "context": [{ "description": "user", "value": "confirm object" }] })
    ));
}

// ── observations ──

#[test]
fn observations_are_verified_before_anything_uses_them() {
    let cases: [(&str, &str, Value, &str); 14] = [
        ("schemaVersion", "/observation/schemaVersion", json!("0.2"), "observation_invalid"),
        ("empty id", "/observation/observationId", json!(""), "observation_invalid"),
        ("long id", "/observation/observationId", json!("x".repeat(129)), "observation_invalid"),
        ("a date", "/observation/capturedAt", json!("2026-09-07"), "observation_invalid"),
        ("no offset", "/observation/capturedAt", json!("2026-09-07T10:00:00.00"), "observation_invalid"),
        ("no such day", "/observation/capturedAt", json!("2026-02-30T10:00:00Z"), "observation_invalid"),
        ("a blank for T", "/observation/capturedAt", json!("2026-09-07 10:00:00Z"), "observation_invalid"),
        ("intent", "/observation/intent", json!("steal"), "invalid_message"),
        ("empty ref", "/observation/object/objectRef", json!(""), "observation_invalid"),
        ("long ref", "/observation/object/objectRef", json!("u".repeat(513)), "observation_invalid"),
        ("signed", "/observation/object/assurance", json!("signedTag"), "observation_invalid"),
        ("digest", "/observation/object/payloadSha256", json!("0".repeat(63)), "observation_invalid"),
        ("digest case", "/observation/object/payloadSha256", json!("A".repeat(64)), "observation_invalid"),
        ("carrier", "/observation/object/carrier", json!("qr"), "invalid_message"),
    ];
    let mut dialogue = Dialogue::open();
    for (name, pointer, value, code) in cases {
        let mut scan = observation(1, Some("urn:a"), None, None);
        *scan.pointer_mut(pointer).unwrap() = value;
        let replies = dialogue.brain.receive(Duration::ZERO, &scan.to_string());
        assert_eq!(dialogue.shown(&replies), [format!("failure {code}")], "{name}");
    }
    dialogue.expect(&format!(
        "> {}\n< failure observation_invalid\n> say 1 what is this\n< run: Nothing has been shown to me yet.",
        observation(1, None, None, None)
    ));
}

#[test]
fn offsets_and_fractions_are_rfc_3339_too() {
    for at in ["2026-09-07T10:00:00+02:00", "2026-09-07t10:00:00.123456z", "2026-09-07T10:00:00-00:00"] {
        let mut scan = observation(1, Some("urn:a"), None, None);
        scan["observation"]["capturedAt"] = json!(at);
        Dialogue::open().expect(&format!("> {scan}\n< {UNKNOWN}"));
    }
}

#[test]
fn images_are_what_they_are_said_to_be() {
    let small = jpeg(16, 9);
    let wide = jpeg(1025, 1);
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(4, 4).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let png = png.into_inner();
    let half = &small[..small.len() / 2];
    let with = |field: &str, value: Value| {
        let mut image = image();
        image[field] = value;
        image
    };
    let data = image()["data"].as_str().unwrap().to_owned();
    let cases = [
        ("media type", with("mediaType", json!("image/png"))),
        ("byte count", with("byteCount", json!(small.len() + 1))),
        ("hash", with("sha256", json!("0".repeat(64)))),
        ("forged width", with("pixelWidth", json!(17))),
        ("forged height", with("pixelHeight", json!(10))),
        ("line break in base64", with("data", json!(format!("{}\n{}", &data[..8], &data[8..])))),
        ("no padding", with("data", json!(data.trim_end_matches('=').to_owned() + "A"))),
        ("empty", with("data", json!(""))),
        ("too large", with("data", json!("A".repeat(81_924)))),
        ("not a JPEG", image_of(&png, 4, 4)),
        ("too wide", image_of(&wide, 1025, 1)),
        ("half a JPEG", image_of(half, 16, 9)),
    ];
    let mut dialogue = Dialogue::open();
    for (name, image) in cases {
        let photo = observation(1, None, Some(image), None);
        let replies = dialogue.brain.receive(Duration::ZERO, &photo.to_string());
        assert_eq!(dialogue.shown(&replies), ["failure image_invalid"], "{name}");
    }
    dialogue.expect(&format!("> photo 1\n< run: {}", see()));
}

#[test]
fn passports_are_bounded_and_their_actions_never_run() {
    let mut dialogue = Dialogue::open();
    let mut scan = observation(1, Some("urn:a"), None, None);
    let passport = |passport: Value, scan: &mut Value| scan["observation"]["object"]["passport"] = passport;
    for bad in [
        json!({ "schemaVersion": "0.2" }),
        json!({ "schemaVersion": "0.1", "actions": [{ "name": "reset", "requiresConfirmation": false }] }),
        json!({ "schemaVersion": "0.1", "note": "x".repeat(16 * 1024) }),
    ] {
        passport(bad, &mut scan);
        dialogue.expect(&format!("> {scan}\n< failure observation_invalid"));
    }
    passport(json!({ "schemaVersion": "0.1", "actions": [{ "requiresConfirmation": true }] }), &mut scan);
    dialogue.expect(&format!("> {scan}\n< {UNKNOWN} The passport describes 1 action(s); I carry out none."));
}

#[test]
fn failures_never_repeat_what_came() {
    const SECRET: &str = "s3cr3t";
    let mut passport = observation(1, Some("urn:a"), None, None);
    passport["observation"]["object"]["passport"] =
        json!({ "schemaVersion": "0.1", "actions": [{ SECRET: { SECRET: 1 } }] });
    let mut dialogue = Dialogue::open();
    for frame in [
        SECRET.to_owned(),
        json!({ "type": SECRET }).to_string(),
        json!({ "type": "user.turn", "turn": SECRET, "text": 1 }).to_string(),
        json!({ "type": "user.turn", "turn": 1, "text": { SECRET: SECRET } }).to_string(),
        json!({ "type": "user.turn", "turn": 1, "text": "a", "context": [SECRET] }).to_string(),
        observation(1, Some("urn:a"), None, Some(SECRET.to_owned())).to_string(),
        observation(1, None, Some(json!({ "data": SECRET })), None).to_string(),
        passport.to_string(),
    ] {
        let replies = dialogue.brain.receive(Duration::ZERO, &frame);
        assert!(
            matches!(&replies[..], [Reply::Envelope(e)] if matches!(e.event, Event::Failure(_))),
            "{frame}"
        );
        assert!(!format!("{replies:?}").contains(SECRET), "{replies:?}");
    }
}

// ── runs in time ──

/// An open session whose runs take 10 ms a step.
fn paced() -> Dialogue {
    let mut dialogue =
        Dialogue::new(BrainConfig { delta_interval: Duration::from_millis(10), ..BrainConfig::default() });
    dialogue.expect("> start nfc photo\n< established");
    dialogue
}

#[test]
fn a_run_is_streamed_step_by_step() {
    let mut dialogue = paced();
    dialogue.expect(
        "> say 1 what is this?
         < run.started
         @ 9
         @ 10
         < delta Nothing has been
         @ 30
         < delta shown to me
         < delta yet.
         @ 40
         < speech s1
         @ 50
         < run.completed
         @ 1000",
    );
    assert_eq!(dialogue.brain.next_deadline(), None);
}

#[test]
fn a_cancelled_run_ends_at_once_and_says_no_more() {
    paced().expect(
        "> say 1 tell a story
         < run.started
         @ 10
         < delta Once there was
         > cancel
         < failure cancelled
         @ 5000
         > say 2 what is this?
         < run.started
         > end
         < failure cancelled
         < close 1000
         @ 9000",
    );
}

#[test]
fn a_request_cancelled_before_it_was_made_is_never_made() {
    paced().expect("> say 1 scan an object\n< run.started\n> cancel\n< failure cancelled\n@ 5000");
}

#[test]
fn what_is_refused_during_a_run_is_said_after_it_and_consumes_no_turn() {
    paced().expect(
        "> say 1 what is this?
         < run.started
         > say 2 hello
         > say 1 hello
         > {\"type\":\"mystery\"}
         @ 40
         < delta Nothing has been
         < delta shown to me
         < delta yet.
         < speech s1
         @ 50
         < run.completed
         < failure run_active
         < failure turn_replayed
         < failure invalid_message
         > say 2 hello
         < run.started",
    );
}

#[test]
fn a_client_that_floods_a_run_is_closed() {
    let mut dialogue = paced();
    dialogue.expect("> say 1 tell a story\n< run.started");
    for _ in 0..8 {
        dialogue.expect("> say 2 hello");
    }
    dialogue.expect("> say 2 hello\n< failure too_many_refused\n< close 1008\n@ 9000");
}

#[test]
fn frames_over_the_bound_and_binary_ones_are_refused_and_the_session_goes_on() {
    let mut dialogue = Dialogue::open();
    let frame = json!({ "type": "user.turn", "turn": 1, "text": "x".repeat(128 * 1024) }).to_string();
    let replies = dialogue.brain.receive(Duration::ZERO, &frame);
    assert_eq!(dialogue.shown(&replies), ["failure too_large"]);
    let replies = dialogue.brain.receive_binary(Duration::ZERO);
    assert_eq!(dialogue.shown(&replies), ["failure binary_refused"]);
    dialogue.expect("> say 1 what is this\n< run: Nothing has been shown to me yet.");
}

#[test]
fn ending_closes_a_session_with_everything_pending() {
    Dialogue::open().expect(&format!(
        "> say 1 scan an object\n{ASKS}\n> end\n< cancelled ix-1\n< close 1000\n> say 2 hi"
    ));
}

#[test]
fn failure_codes_and_messages_keep_their_bounds() {
    for code in FailureCode::ALL {
        assert!(code.name().len() <= 64 && code.sentence().ends_with('.'), "{code:?}");
    }
}

// ── faults ──

/// The lines of a session with one fault: start, then a turn that asks for a scan.
fn faulty(fault: Fault) -> Vec<String> {
    let mut brain = Brain::new(BrainConfig { faults: vec![fault], ..at_once() });
    let mut replies = brain.receive(Duration::ZERO, &client("start nfc photo"));
    replies.extend(brain.receive(Duration::ZERO, &client("say 1 scan an object")));
    let sequence = |reply: &Reply| match reply {
        Reply::Envelope(envelope) => format!("{} ", envelope.sequence),
        _ => String::new(),
    };
    let mut lines: Vec<String> = replies.iter().map(|r| sequence(r) + &shown(r)).collect();
    lines.iter_mut().for_each(|line| line.truncate(60));
    lines
}

#[test]
fn each_fault_does_what_its_name_says() {
    let established = "1 established";
    let expected: [(Fault, &[&str]); 12] = [
        (Fault::SequenceStepBack, &["3 delta Please show me ", "2 delta the tag.", "4 speech s1"]),
        (Fault::EventBeforeEstablished, &["1 delta too early", "2 established", "3 run.started"]),
        (Fault::SecondRun, &[established, "2 run.started", "3 run.started", "4 delta Please show me "]),
        (Fault::RequestWhilePending, &["6 asks physical.nfc.scan ix-1", "7 asks physical.nfc.scan fault-1"]),
        (Fault::UnknownResolve, &["2 run.started", "3 answered never-requested"]),
        (
            Fault::OversizedFrame,
            &["2 run.started", "3 delta xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
        ),
        (Fault::BinaryFrame, &["2 run.started", "Binary([0, 1, 2, 3])", "3 delta Please show me "]),
        (Fault::InvalidJson, &["2 run.started", "Text(\"{\\\"sequence\\\":\")", "3 delta Please show me "]),
        (Fault::CloseMidRun, &["3 delta Please show me ", "close 1011"]),
        (Fault::Silent, &["2 run.started", "Silence"]),
        (
            Fault::UnknownEvent,
            &[
                "2 run.started",
                "Text(\"{\\\"sequence\\\":3,\\\"event\\\":{\\\"type\\\":\\\"mystery.event\\\",",
                "4 delta Please show me ",
            ],
        ),
        (Fault::Resumed, &["1 established resumed", "2 run.started"]),
    ];
    assert_eq!(expected.map(|(fault, _)| fault).as_slice(), Fault::ALL);
    for (fault, lines) in expected {
        let said = faulty(fault);
        assert!(said.windows(lines.len()).any(|w| w == lines), "{fault}: {said:#?}");
        assert_eq!(Fault::from_name(fault.name()), Some(fault));
    }
    for last in [Fault::CloseMidRun, Fault::Silent] {
        assert!(faulty(last).last().is_some_and(|l| l == "close 1011" || l == "Silence"));
    }
}

#[test]
fn an_oversized_frame_is_over_the_bound_and_under_the_closing_one() {
    let mut brain = Brain::new(BrainConfig { faults: vec![Fault::OversizedFrame], ..at_once() });
    brain.receive(Duration::ZERO, &client("start"));
    let replies = brain.receive(Duration::ZERO, &client("say 1 hi"));
    let sizes = replies.iter().filter_map(|r| match r {
        Reply::Envelope(e) => Some(e.encode(&Dialect::default()).to_string().len()),
        _ => None,
    });
    assert!(sizes.max().is_some_and(|n| n > 128 * 1024 && n < 1024 * 1024));
}
