//! Whatever a client sends, and whenever: the brain keeps its promises.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;

use super::tests::client;
use super::*;
use crate::protocol::Envelope;

/// Client lines that mean something, in the short form of the dialogues.
fn line() -> impl Strategy<Value = String> {
    let turn = 0_u64..12;
    let object = prop_oneof![Just("urn:a"), Just("urn:b")];
    let ix = prop_oneof![Just(""), Just(" ix=ix-1"), Just(" ix=ix-2"), Just(" ix=other")];
    let text = prop_oneof![
        Just("scan an object"),
        Just("take a photo"),
        Just("teach object Lathe"),
        Just("teach object Drill"),
        Just("confirm object"),
        Just("cancel teaching"),
        Just("yes"),
        Just("tell a story"),
        Just("hello"),
    ];
    prop_oneof![
        6 => (turn.clone(), text).prop_map(|(n, text)| format!("say {n} {text}")),
        4 => (turn.clone(), object, ix.clone()).prop_map(|(n, o, ix)| format!("scan {n} {o}{ix}")),
        1 => (turn, ix).prop_map(|(n, ix)| format!("photo {n}{ix}")),
        1 => Just("cancel".to_owned()),
        1 => (0_u64..40).prop_map(|n| format!("ack {n}")),
        1 => Just("start nfc".to_owned()),
        1 => Just("{\"type\":\"mystery\"}".to_owned()),
    ]
}

/// What an onlooker knows of the session from its envelopes alone.
#[derive(Default)]
struct Onlooker {
    sequence: u64,
    in_run: bool,
    pending: Option<String>,
    asked: HashMap<String, usize>,
}

impl Onlooker {
    fn see(&mut self, replies: &[Reply]) -> Result<(), TestCaseError> {
        for reply in replies {
            let Reply::Envelope(Envelope { sequence, event }) = reply else { continue };
            prop_assert!(sequence.0 > self.sequence, "the sequence goes back");
            self.sequence = sequence.0;
            self.event(event)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::RunStarted => {
                prop_assert!(!self.in_run, "a run inside a run");
                self.in_run = true;
            }
            Event::TextDelta(_) | Event::SpeechSegment(_) => prop_assert!(self.in_run, "text outside a run"),
            Event::RunCompleted => prop_assert!(std::mem::take(&mut self.in_run), "an end without a run"),
            Event::Failure(failure) => {
                let ends_it = ["cancelled", "too_many_refused"].contains(&failure.code.as_str());
                prop_assert!(!self.in_run || ends_it, "a refusal ends a run");
                self.in_run = false;
            }
            Event::InteractionRequested(asked) => {
                prop_assert!(self.pending.is_none(), "two requests");
                self.pending = Some(asked.interaction_id.clone());
                *self.asked.entry(asked.interaction_id.clone()).or_default() += 1;
                prop_assert_eq!(self.asked[&asked.interaction_id], 1, "an id is used again");
            }
            Event::InteractionResolved(done) => {
                prop_assert_eq!(self.pending.take(), Some(done.interaction_id.clone()));
            }
            Event::SessionEstablished(_) | Event::Unknown { .. } => {}
        }
        Ok(())
    }
}

fn labels(brain: &Brain) -> usize {
    match &brain.phase {
        Phase::Open(conversation) => conversation.labels(),
        Phase::AwaitingStart { .. } | Phase::Closed => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_conversation_keeps_the_promises(
        lines in proptest::collection::vec((line(), 0_u64..400), 0..60),
        interval in prop_oneof![Just(0_u64), Just(20)],
    ) {
        let delta_interval = Duration::from_millis(interval);
        let mut brain = Brain::new(BrainConfig { delta_interval, ..BrainConfig::default() });
        let mut onlooker = Onlooker::default();
        let mut now = Duration::ZERO;
        onlooker.see(&brain.receive(now, &client("start nfc photo")))?;
        for (line, wait) in lines {
            let before = labels(&brain);
            onlooker.see(&brain.receive(now, &client(&line)))?;
            if labels(&brain) > before {
                prop_assert!(line.ends_with("confirm object"), "{} stored a label", line);
            }
            now += Duration::from_millis(wait);
            onlooker.see(&brain.poll(now))?;
            prop_assert!(brain.next_deadline().is_none_or(|at| at > now));
        }
        onlooker.see(&brain.poll(now + Duration::from_secs(60)))?;
        prop_assert!(!onlooker.in_run, "a run never ends");
    }

    #[test]
    fn any_text_is_answered_without_panic(texts in proptest::collection::vec(".{0,60}", 1..8)) {
        let mut brain = Brain::new(BrainConfig::default());
        brain.receive(Duration::ZERO, &client("start nfc photo"));
        for (turn, text) in (1..).zip(texts) {
            brain.receive(Duration::from_secs(turn), &text);
            let turn = serde_json::json!({ "type": "user.turn", "turn": turn, "text": text });
            brain.receive(Duration::from_secs(turn["turn"].as_u64().unwrap_or(1)), &turn.to_string());
        }
    }
}
