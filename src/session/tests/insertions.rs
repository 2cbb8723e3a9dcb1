//! Whatever is put between the frames of a sound conversation, and however its frames are dressed, the conversation
//! comes out the same (§ WebSocket and WebRTC, § Session and input).

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::dialogue::terms;
use crate::protocol::frame::RawFrame;
use crate::session::{Ask, Input, Judged, Output, Session, SessionView};

/// A live session and the number of its last envelope.
pub struct Table {
    pub session: Session,
    sequence: u64,
    out: Vec<String>,
}

impl Table {
    pub fn live() -> Self {
        let mut table = Self { session: Session::new(terms()), sequence: 0, out: Vec::new() };
        table.input(Input::Opened);
        table.event(&json!({"type": "session.established", "resumed": false}));
        table
    }

    fn input(&mut self, input: Input) -> Vec<Output> {
        // A refused request is part of the conversation too.
        if let Err(refusal) = self.session.handle(Duration::ZERO, input) {
            self.out.push(format!("refused {:?}", refusal.kind));
        }
        let came: Vec<Output> = std::iter::from_fn(|| self.session.poll()).collect();
        self.out.extend(came.iter().map(line));
        came
    }

    pub fn ask(&mut self, text: &str) {
        self.input(Input::Ask(Ask::Say(text.to_owned())));
    }

    pub fn event(&mut self, event: &Value) -> Judged {
        self.dressed(event, |text| text)
    }

    /// The next envelope, its text changed by `dress` on the way.
    fn dressed(&mut self, event: &Value, dress: impl Fn(String) -> String) -> Judged {
        self.sequence += 1;
        let text = json!({"sequence": self.sequence, "event": event}).to_string();
        self.text(dress(text))
    }

    fn text(&mut self, text: String) -> Judged {
        self.raw(RawFrame::Text(text))
    }

    fn raw(&mut self, frame: RawFrame) -> Judged {
        let came = self.input(Input::Received(frame));
        let judged: Vec<Judged> = came
            .into_iter()
            .filter_map(|output| if let Output::Judged(judged) = output { Some(judged) } else { None })
            .collect();
        let [judged] = judged.try_into().expect("a frame is one line");
        judged
    }
}

/// What came out, without the sequence, which foreign frames move on.
fn line(output: &Output) -> String {
    match output {
        Output::Judged(judged) => format!(
            "{:?} acted {} {:?}",
            judged.event,
            judged.acted,
            judged.findings.iter().map(|f| f.rule.id).collect::<Vec<_>>()
        ),
        other => format!("{other:?}"),
    }
}

/// One step of a sound conversation.
#[derive(Clone, Debug)]
enum Step {
    Say(&'static str),
    Cancel,
    Event(Value),
}

/// Two turns, a request, a cancel and a failure.
fn conversation() -> Vec<Step> {
    let event = |kind: &str, mut more: Value| {
        more["type"] = json!(kind);
        Step::Event(more)
    };
    vec![
        Step::Say("one"),
        event("run.started", json!({})),
        event("text.delta", json!({"text": "Hi"})),
        event("speech.segment", json!({"segmentId": "a", "text": "Hi", "stable": true})),
        Step::Say("two"),
        event("run.completed", json!({})),
        event("run.started", json!({})),
        event(
            "interaction.requested",
            json!({"interactionId": "ix-1", "kind": "physical.nfc.scan", "prompt": "Show it",
                   "spokenPrompt": "Show it", "options": [], "allowsFreeform": false}),
        ),
        Step::Cancel,
        event("failure", json!({"code": "cancelled", "message": "as asked"})),
        event("interaction.resolved", json!({"interactionId": "ix-1", "outcome": "cancelled"})),
        Step::Say("three"),
        event("run.started", json!({})),
        event("run.completed", json!({})),
    ]
}

fn step(table: &mut Table, step: &Step, dress: impl Fn(String) -> String) -> Option<Judged> {
    match step {
        Step::Say(text) => table.ask(text),
        Step::Cancel => {
            table.input(Input::Ask(Ask::Cancel));
        }
        Step::Event(event) => return Some(table.dressed(event, dress)),
    }
    None
}

fn plain() -> (Vec<String>, SessionView) {
    let mut table = Table::live();
    for at in &conversation() {
        step(&mut table, at, |text| text);
    }
    (table.out, table.session.view())
}

/// A frame that must not be acted on, wherever it stands.
#[derive(Clone, Debug)]
enum Foreign {
    /// Not an envelope, or one whose number cannot be read.
    Unnumbered(RawFrame),
    /// An envelope that spends the next number.
    Event(Value),
    /// A sound event whose number has been spent.
    Stale(u64),
}

fn foreign() -> impl Strategy<Value = Foreign> {
    let text = |text: String| Foreign::Unnumbered(RawFrame::Text(text));
    let started = r#"{"sequence":9,"event":{"type":"run.completed"}}"#;
    let deep = "[".repeat(200) + &"]".repeat(200);
    let broken = prop::sample::select(vec![
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "\u{feff}".to_owned(),
        "\0".to_owned(),
        deep.clone(),
        format!("{started}\0"),
        format!("\0{started}"),
        format!("{started}{started}"),
        format!("{started},"),
        format!("\u{feff}\u{feff}{started}"),
        format!("data: {started}\n\n"),
        started.replace('}', ""),
        started.replace('"', "'"),
        started.replace("run", "run\n"),
        started.replace("9", "0"),
        started.replace("9", "-9"),
        started.replace("9", "9.5"),
        started.replace("9", "\"9\""),
        started.replace("9", "1e400"),
        started.replace("9", "18446744073709551616"),
        started.replace("9", "null"),
        started.replace("9", "NaN"),
        started.replace("sequence", "Sequence"),
        started.replace("\"run.completed\"", &deep),
    ]);
    let unnamed = prop::sample::select(vec![
        json!(null),
        json!([]),
        json!("run.completed"),
        json!({}),
        json!({"type": 7}),
        json!({"type": null}),
        json!({"type": ["run.completed"]}),
    ]);
    let misshapen = prop::sample::select(vec![
        json!({"type": "text.delta"}),
        json!({"type": "text.delta", "text": null}),
        json!({"type": "text.delta", "text": ["a"]}),
        json!({"type": "text.delta", "delta": "AG-UI's name"}),
        json!({"type": "speech.segment", "segmentId": 1, "text": "a"}),
        json!({"type": "failure", "code": 7}),
        json!({"type": "interaction.requested"}),
        json!({"type": "interaction.requested", "interactionId": "n", "kind": "physical.nfc.scan", "options": {}}),
        json!({"type": "interaction.requested", "interactionId": "n", "kind": "shell.run"}),
        json!({"type": "interaction.requested", "interactionId": "", "kind": "physical.nfc.scan"}),
        json!({"type": "interaction.resolved", "interactionId": "never asked", "outcome": "answered"}),
        json!({"type": "session.established", "resumed": true}),
        json!({"type": "session.established", "resumed": false}),
    ]);
    let other = prop_oneof![
        prop::sample::select(vec![
            "RUN_STARTED",
            "RUN_FINISHED",
            "RUN_ERROR",
            "RUN_CANCELLED",
            "TEXT_MESSAGE_CONTENT",
            "THINKING_START",
            "THINKING_END",
            "REASONING_START",
            "STATE_DELTA",
            "STATE_SNAPSHOT",
            "MESSAGES_SNAPSHOT",
            "TOOL_CALL_START",
            "RAW",
            "CUSTOM",
            "task.submitted",
            "Run.Completed",
            "run.completed ",
            " run.completed",
            "run.completed\0",
            "",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
    .prop_filter("not a known type", |name| !crate::protocol::Event::KINDS.contains(&name.as_str()));
    prop_oneof![
        3 => broken.prop_map(text),
        1 => "[^{\"]{0,40}".prop_map(text),
        1 => (0_usize..200_000).prop_map(|bytes| Foreign::Unnumbered(RawFrame::Binary { bytes })),
        1 => (131_073_usize..900_000).prop_map(|bytes| Foreign::Unnumbered(RawFrame::Oversized { bytes })),
        2 => unnamed.prop_map(Foreign::Event),
        3 => misshapen.prop_map(Foreign::Event),
        3 => (other, any::<i64>()).prop_map(|(name, n)| Foreign::Event(json!({"type": name, "state": [n, {"run": "completed"}]}))),
        1 => (0_u64..4).prop_map(Foreign::Stale),
    ]
}

fn put(table: &mut Table, foreign: &Foreign) -> Judged {
    match foreign {
        Foreign::Unnumbered(frame) => table.raw(frame.clone()),
        Foreign::Event(event) => table.event(event),
        Foreign::Stale(back) => {
            let sequence = table.sequence.saturating_sub(*back).max(1);
            table.text(json!({"sequence": sequence, "event": {"type": "run.completed"}}).to_string())
        }
    }
}

type Dress = fn(String) -> String;

/// Dresses that change nothing of what a frame says, and the rule that notes them.
const DRESSES: [(Dress, Option<&str>); 9] = [
    (|text| text, None),
    (|text| format!("\u{feff}{text}"), Some("FRAME-5")),
    (|text| format!(" \t\r\n{text}\n"), None),
    (|text| text.replacen('{', r#"{"sequence":77,"#, 1), Some("FRAME-4")),
    (|text| text.replace(r#""type":"#, r#""type":"failure","type":"#), Some("FRAME-4")),
    (|text| text.replacen('{', r#"{"more":"\ud83d","#, 1), Some("FRAME-6")),
    (|text| text.replacen('{', r#"{"more":"\ude00\ud83d\u0000","#, 1), Some("FRAME-6")),
    (|text| text.replacen('{', &format!(r#"{{"more":{}{},"#, "[".repeat(63), "]".repeat(63)), 1), None),
    (|text| text.replace(r#""type":"#, r#""\u0074ype":"#), None),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// One flagged line each, and the conversation is the one that it would have been.
    #[test]
    fn foreign_frames_between_sound_ones_change_nothing(
        foreign in prop::collection::vec((0_usize..15, foreign()), 1..12),
    ) {
        let mut table = Table::live();
        let steps = conversation();
        for at in 0..=steps.len() {
            for (_, foreign) in foreign.iter().filter(|(place, _)| *place == at) {
                let (before, length) = (table.session.view(), table.out.len());
                let judged = put(&mut table, foreign);
                prop_assert!(!judged.acted && !judged.findings.is_empty(), "{foreign:?}: {judged:?}");
                prop_assert_eq!(table.out.len(), length + 1, "{:?}: {:?}", foreign, &table.out[length..]);
                prop_assert_eq!(table.session.view(), before, "{:?}", foreign);
                table.out.pop();
            }
            if let Some(at) = steps.get(at) {
                step(&mut table, at, |text| text);
            }
        }
        let (out, view) = plain();
        prop_assert_eq!(&table.out, &out);
        prop_assert_eq!(table.session.view(), view);
    }

    /// A byte order mark, a name given twice, half a character, deep or escaped members: noted at most, and acted on.
    #[test]
    fn however_a_sound_frame_is_dressed_it_is_acted_on(dresses in prop::collection::vec(0..DRESSES.len(), 14)) {
        let mut table = Table::live();
        for (at, dress) in conversation().iter().zip(dresses) {
            let (dress, rule) = DRESSES[dress];
            if let Some(judged) = step(&mut table, at, dress) {
                prop_assert!(judged.acted, "{judged:?}");
                let noted: Vec<_> = judged.findings.iter().map(|f| f.rule.id).collect();
                prop_assert_eq!(noted, Vec::from_iter(rule));
            }
        }
        let (_, view) = plain();
        prop_assert_eq!(table.session.view(), view);
    }
}
