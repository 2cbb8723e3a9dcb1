//! Random walks: whatever the user and the agent do, the model has nothing to complain about.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::dialogue::{draft, terms};
use super::model::Model;
use crate::protocol::card::TransportProfile;
use crate::protocol::frame::RawFrame;
use crate::protocol::{Modalities, Modality};
use crate::session::{Answer, Ask, Input, Output, Session, Terms};

/// One step of a walk.
#[derive(Clone, Debug)]
enum Step {
    Open,
    Closed,
    Wait(u64),
    Ask(Box<Ask>),
    /// Shows what the pending request asks for, or the other modality.
    Answer {
        right: bool,
    },
    /// The agent says that the pending request is over.
    Resolve(&'static str),
    /// An event whose sequence is this much more than the last one sent; 0 and less is a fault.
    Frame(i64, serde_json::Value),
    Raw(RawFrame),
}

fn modalities() -> impl Strategy<Value = Modalities> {
    prop_oneof![
        4 => Just(Modalities::BOTH),
        1 => Just(Modalities::NONE.with(Modality::Nfc)),
        1 => Just(Modalities::NONE.with(Modality::Photo)),
        1 => Just(Modalities::NONE),
    ]
}

fn any_terms() -> impl Strategy<Value = Terms> {
    let explicit = any::<bool>();
    let transport = prop_oneof![9 => Just(Some(TransportProfile::WebSocket)), 1 => Just(None)];
    (modalities(), modalities(), modalities(), transport, any::<bool>(), explicit).prop_map(
        |(accepted, agent_requests, offered, transport, acks, explicit_turns)| Terms {
            accepted,
            agent_requests: agent_requests.intersection(accepted),
            offered,
            transport,
            acks,
            explicit_turns,
            ..terms()
        },
    )
}

fn id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g", "h"]).prop_map(str::to_owned)
}

fn ask() -> impl Strategy<Value = Ask> {
    let text = prop::sample::select(vec![
        "hello",
        "",
        "teach object Router",
        "teach object Switch",
        "confirm object",
        "cancel teaching",
        "yes",
    ]);
    let object = prop::option::of(prop::sample::select(vec!["urn:a", "urn:b", "urn:A"]));
    let answer = prop_oneof![Just(Answer::Unrelated), id().prop_map(Answer::To)];
    prop_oneof![
        4 => text.prop_map(|text| Ask::Say(text.to_owned())),
        6 => (object, any::<bool>(), answer).prop_map(|(o, p, a)| Ask::Show(draft(o, p, a))),
        2 => Just(Ask::Cancel),
        1 => Just(Ask::DropHeld),
        3 => Just(Ask::OpenAudio),
        2 => Just(Ask::CommitAudio { asked: Duration::ZERO }),
        1 => Just(Ask::CancelAudio),
        1 => Just(Ask::Deliberate("{}".to_owned())),
    ]
}

fn event() -> impl Strategy<Value = serde_json::Value> {
    let kind = prop::sample::select(vec!["physical.nfc.scan", "physical.photo.capture", "other"]);
    let outcome = prop::sample::select(vec!["answered", "cancelled", "lost"]);
    prop_oneof![
        1 => any::<bool>().prop_map(|r| json!({"type": "session.established", "resumed": r})),
        5 => Just(json!({"type": "run.started"})),
        3 => Just(json!({"type": "text.delta", "text": "x"})),
        1 => Just(json!({"type": "text.delta"})),
        1 => Just(json!({"type": "speech.segment", "segmentId": "s", "text": "x", "stable": true})),
        5 => Just(json!({"type": "run.completed"})),
        2 => Just(json!({"type": "failure", "code": "c", "message": ""})),
        4 => (kind, id(), prop::bool::weighted(0.1)).prop_map(|(kind, id, freeform)| json!({
            "type": "interaction.requested", "kind": kind, "interactionId": id, "allowsFreeform": freeform})),
        3 => (id(), outcome).prop_map(|(id, outcome)| json!({
            "type": "interaction.resolved", "interactionId": id, "outcome": outcome})),
        1 => Just(json!({"type": "surprise"})),
    ]
}

/// One step, or a whole run of the agent.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let run = ["run.started", "run.completed"].map(|kind| Step::Frame(1, json!({"type": kind})));
    prop_oneof![8 => step().prop_map(|step| vec![step]), 1 => Just(run.to_vec())]
}

fn step() -> impl Strategy<Value = Step> {
    let ahead = prop_oneof![9 => Just(1_i64), 1 => -2..4_i64];
    let raw = prop_oneof![
        Just(RawFrame::Binary { bytes: 3 }),
        Just(RawFrame::Oversized { bytes: 200_000 }),
        "[ -~]{0,12}".prop_map(RawFrame::Text),
    ];
    prop_oneof![
        20 => ask().prop_map(|ask| Step::Ask(Box::new(ask))),
        24 => (ahead, event()).prop_map(|(ahead, event)| Step::Frame(ahead, event)),
        8 => prop::bool::weighted(0.8).prop_map(|right| Step::Answer { right }),
        3 => prop::sample::select(vec!["answered", "cancelled"]).prop_map(Step::Resolve),
        5 => prop::sample::select(vec![1, 20, 50, 1_000, 5_000]).prop_map(Step::Wait),
        2 => raw.prop_map(Step::Raw),
        1 => Just(Step::Open),
    ]
}

/// The start, mostly sound; many steps; an end, and some steps after it.
fn walk() -> impl Strategy<Value = Vec<Step>> {
    let established = Step::Frame(1, json!({"type": "session.established", "resumed": false}));
    let start = prop_oneof![9 => Just(vec![Step::Open, established]), 1 => Just(Vec::new())];
    let end = prop_oneof![Just(Step::Closed), Just(Step::Ask(Box::new(Ask::End)))];
    let steps = prop::collection::vec(steps(), 0..80).prop_map(|steps| steps.concat());
    (start, steps, end, prop::collection::vec(step(), 0..6)).prop_map(|(mut all, steps, end, after)| {
        all.extend(steps);
        all.push(end);
        all.extend(after);
        all
    })
}

fn input(step: Step, session: &Session, now: &mut Duration, sequence: &mut u64) -> Input {
    let pending = session.view().pending;
    let id = pending.as_ref().map_or("a", |p| &p.interaction_id).to_owned();
    match step {
        Step::Answer { right } => {
            let photo = pending.is_some_and(|p| (p.modality == Modality::Photo) == right);
            let object = (!photo).then_some("urn:a");
            Input::Ask(Ask::Show(draft(object, photo, Answer::To(id))))
        }
        Step::Resolve(outcome) => {
            let event = json!({"type": "interaction.resolved", "interactionId": id, "outcome": outcome});
            input(Step::Frame(1, event), session, now, sequence)
        }
        Step::Open => Input::Opened,
        Step::Closed => Input::Closed,
        Step::Ask(ask) => Input::Ask(*ask),
        Step::Raw(frame) => Input::Received(frame),
        Step::Wait(ms) => {
            *now += Duration::from_millis(ms);
            Input::Tick
        }
        Step::Frame(ahead, event) => {
            let number = sequence.saturating_add_signed(ahead);
            *sequence = number.max(*sequence);
            Input::Received(RawFrame::Text(json!({"sequence": number, "event": event}).to_string()))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_walk_breaks_the_model(terms in any_terms(), steps in walk()) {
        let mut session = Session::new(terms.clone());
        let mut model = Model::new(&terms);
        let (mut now, mut sequence) = (Duration::ZERO, 0);
        for step in steps {
            let input = input(step, &session, &mut now, &mut sequence);
            let is_frame = matches!(input, Input::Received(_));
            let before = session.view();
            let closed = matches!(input, Input::Closed);
            let refused = session.handle(now, input).is_err();
            let outputs: Vec<Output> = std::iter::from_fn(|| session.poll()).collect();
            let judged = outputs.iter().filter(|o| matches!(o, Output::Judged(_))).count();
            prop_assert_eq!(judged, usize::from(is_frame), "one verdict for each frame");
            if refused && outputs.is_empty() {
                prop_assert_eq!(&session.view(), &before, "a refusal changes nothing");
            }
            for output in &outputs {
                model.came_out(now, output).map_err(TestCaseError::fail)?;
            }
            if closed {
                model.closed();
            }
            model.agrees(&session.view()).map_err(TestCaseError::fail)?;
            prop_assert!(session.next_deadline().is_none_or(|d| d > now), "a deadline that is past");
        }
    }
}
