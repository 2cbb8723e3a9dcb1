//! The filter while frames come: what is shown is always what the filter shows of what is there, whenever it was set.

use proptest::prelude::*;
use serde_json::json;

use super::stage::{Stage, step_back, unknown_event};
use crate::app::{Events, Message, Row, Seen, Way};
use crate::client::devices::{DeviceEvent, Did};
use crate::device::nfc::{Happened, ReaderTrouble};
use crate::trace::record::Body;

/// One thing that happens between client and agent.
#[derive(Clone, Debug)]
enum Step {
    Delta(&'static str),
    Ack(u8),
    Said(&'static str),
    Broken,
    Started,
    Unknown(u8),
    Asked(&'static str),
    Tag,
    Trouble(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::sample::select(vec!["kettle ", "Lamp ", "ket", "tle ", "x"]).prop_map(Step::Delta),
        3 => (0..20_u8).prop_map(Step::Ack),
        1 => prop::sample::select(vec!["lamp", "a kettle"]).prop_map(Step::Said),
        1 => Just(Step::Broken),
        1 => Just(Step::Started),
        1 => (0..20_u8).prop_map(Step::Unknown),
        1 => prop::sample::select(vec!["ix-1", "ix-10", "a \"b\" c", "a*"]).prop_map(Step::Asked),
        1 => Just(Step::Tag),
        1 => (1..4_u32).prop_map(Step::Trouble),
    ]
}

fn play(stage: &mut Stage, step: &Step) {
    match step {
        Step::Delta(text) => stage.came(1, json!({"type": "text.delta", "text": text})),
        Step::Ack(n) => stage.went(1, json!({"type": "ack", "sequence": n}), Body::Client),
        Step::Said(text) => stage.said(text),
        Step::Broken => {
            stage.came_with(1, json!({"type": "text.delta", "text": "b"}), false, vec![step_back()]);
        }
        Step::Started => stage.came(1, json!({"type": "run.started"})),
        Step::Unknown(n) => {
            stage.came_with(1, json!({"type": "mystery.event", "n": n}), true, vec![unknown_event()]);
        }
        Step::Asked(id) => stage.came(1, asked(id)),
        Step::Tag => stage.at_reader(1, Happened::Inserted { lay_there: false }),
        Step::Trouble(times) => {
            stage.at_device(1, "kettle", Did::Reader(Happened::Trouble(ReaderTrouble::NoReader)), *times);
        }
    }
}

fn asked(id: &str) -> serde_json::Value {
    json!({"type": "interaction.requested", "interactionId": id, "kind": "physical.nfc.scan", "prompt": "p",
        "spokenPrompt": "p"})
}

/// A term, and the same said in plain code.
type Term = (&'static str, fn(&Row) -> bool);

const TERMS: &[Term] = &[
    ("in", |row| row.way == Way::In),
    ("dir:out", |row| row.way == Way::Out),
    ("device", |row| row.way == Way::Device),
    ("type:text.", |row| row.kind.as_str().starts_with("text.")),
    ("type:*.started", |row| row.kind.as_str().ends_with(".started")),
    ("finding", |row| !row.findings().is_empty()),
    ("turn:1", |row| row.turn == Some(1)),
    ("id:ix", |row| row.interaction.as_ref().is_some_and(|id| id.as_str().starts_with("ix"))),
    ("id:\"ix-1\"", |row| row.interaction.as_ref().is_some_and(|id| id.as_str() == "ix-1")),
    ("kettle", |row| content(row).to_lowercase().contains("kettle")),
    ("Lamp", |row| content(row).contains("Lamp")),
    ("\"tle x\"", |row| content(row).to_lowercase().contains("tle x")),
];

/// Everything in which words are looked for.
fn content(row: &Row) -> String {
    let value =
        row.record().and_then(|record| record.value.as_ref()).map(ToString::to_string).unwrap_or_default();
    let value = if row.text.is_empty() { value } else { String::new() };
    let hint = row.device().and_then(DeviceEvent::hint).unwrap_or_default();
    format!("{}\n{}\n{}\n{value}\n{hint}", row.kind, row.summary, row.text)
}

fn numbers(events: &Events) -> Vec<u64> {
    events.window(10_000).iter().map(|(row, _)| row.number).collect()
}

/// The numbers of all rows that are so.
fn plain(events: &Events, so: impl Fn(&Row) -> bool) -> Vec<u64> {
    let mut all = events.clone();
    all.clear_filter();
    all.window(10_000).into_iter().filter(|(row, _)| so(row)).map(|(row, _)| row.number).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_filter_shows_the_same_whether_frames_came_before_or_after_it(
        terms in prop::collection::vec((prop::sample::select(TERMS), any::<bool>()), 1..4),
        steps in prop::collection::vec(step(), 0..30),
        budget in prop_oneof![Just(20_000_usize), Just(1_000_000)],
    ) {
        let filter: Vec<String> =
            terms.iter().map(|((term, _), no)| format!("{}{term}", if *no { "-" } else { "" })).collect();
        let mut stage = Stage::within(budget);
        stage.model.events.set_filter(&filter.join(" ")).expect("these can be read");
        for step in &steps {
            play(&mut stage, step);
            let events = &stage.model.events;
            let shown = numbers(events);
            let plain = plain(events, |row| terms.iter().all(|((_, holds), no)| holds(row) != *no));
            prop_assert_eq!(&shown, &plain, "{:?} after {:?}", filter, step);
            let selected = events.selected().map(|row| row.number);
            prop_assert!(shown.is_empty() || selected.is_some_and(|number| shown.contains(&number)),
                "{:?} is selected of {:?}", selected, shown);
        }
    }

    #[test]
    fn a_search_in_slices_shows_in_the_end_what_one_at_once_shows(
        terms in prop::collection::vec((prop::sample::select(TERMS), any::<bool>()), 1..3),
        before in prop::collection::vec(step(), 0..60),
        after in prop::collection::vec((step(), 0..4_usize), 0..20),
        back in 0..20_isize,
    ) {
        let filter: Vec<String> =
            terms.iter().map(|((term, _), no)| format!("{}{term}", if *no { "-" } else { "" })).collect();
        let holds = |row: &Row| terms.iter().all(|((_, holds), no)| holds(row) != *no);
        // An eighth of it is asked at once: a few rows.
        let mut stage = Stage::within(20_000);
        before.iter().for_each(|step| play(&mut stage, step));
        stage.model.events.step(-back);
        stage.model.events.set_filter(&filter.join(" ")).expect("these can be read");
        for (step, slices) in &after {
            play(&mut stage, step);
            (0..*slices).for_each(|_| stage.model.events.search_on());
            let plain = plain(&stage.model.events, holds);
            let shown = numbers(&stage.model.events);
            prop_assert!(plain.ends_with(&shown), "{:?}: {:?} are not the newest of {:?}", filter, shown, plain);
        }
        let mut slices = 0;
        while stage.model.events.is_searching() {
            stage.model.events.search_on();
            slices += 1;
            prop_assert!(slices < 100, "the search does not end");
        }
        let shown = numbers(&stage.model.events);
        prop_assert_eq!(&shown, &plain(&stage.model.events, holds), "{:?}", filter);
        let selected = stage.model.events.selected().map(|row| row.number);
        prop_assert!(shown.is_empty() || selected.is_some_and(|number| shown.contains(&number)),
            "{:?} is selected of {:?}", selected, shown);
    }

    #[test]
    fn no_filter_that_can_be_typed_breaks_anything(typed in "\\PC{0,40}", quoted in "[ a\"*:!-]{0,12}") {
        let mut stage = Stage::live(120, 40);
        stage.came(1, asked("a \"b\" c"));
        for filter in [typed, quoted] {
            if stage.model.events.set_filter(&filter).is_err() {
                prop_assert_eq!(stage.model.events.filter(), "");
            }
            stage.model.events.clear_filter();
        }
    }
}

#[test]
fn a_filter_over_much_shows_the_newest_at_once_and_the_rest_with_the_next_frames() {
    let mut stage = Stage::within(200_000);
    for n in 0..300 {
        stage.came(1, json!({"type": "mystery.event", "n": n}));
    }
    stage.press("2");
    stage.press("/");
    stage.types("mys");
    let (first, all) = stage.model.events.counts();
    assert!(stage.model.events.is_searching() && first > 0 && first < all, "{first} of {all}");
    assert_eq!(
        stage.model.events.selected().map(|row| row.number),
        numbers(&stage.model.events).last().copied()
    );
    let mut frames = 0;
    while stage.model.events.is_searching() {
        stage.model.update(Message::Drawn(Seen::default()));
        frames += 1;
    }
    assert!((3..=8).contains(&frames), "{frames} frames");
    assert_eq!(stage.model.events.counts(), (all, all));
}

#[test]
fn what_belongs_to_an_interaction_is_its_own_whatever_its_id() {
    for id in ["ix-1", "a \"b\" c", "\"", "-x", "a*", "x:y"] {
        let mut stage = Stage::live(120, 40);
        stage.press("2");
        for other in ["ix-10", "ix-", "a b c", "abc", "x", "xx:y"] {
            stage.came(1, asked(other));
        }
        stage.came(1, asked(id));
        stage.came(1, json!({"type": "interaction.resolved", "interactionId": id, "outcome": "answered"}));
        stage.press("v");
        assert_eq!(stage.model.events.counts().0, 2, "{id}: {}", stage.model.events.filter());
        stage.press("v");
        assert_eq!(stage.model.events.filter(), "", "{id}: the same key shows everything again");
    }
}
