//! The log under a flood: bounded, and found in it all the same.

use std::time::Duration;

use super::stage::came;
use crate::protocol::server::TextDelta;
use crate::protocol::{Event, Finding, rules};
use crate::scenario::What;
use crate::scenario::log::{KEPT, KEPT_TEXT, Log};
use crate::trace::record::{Body, Record};

fn delta(text: &str) -> Record {
    let event = Event::TextDelta(TextDelta { text: text.to_owned() });
    Record { body: Body::Event(event), ..came("text.delta x") }
}

#[test]
fn types_of_events_and_findings_count_like_text() {
    let mut log = Log::default();
    let kind = "k".repeat(100_000);
    for _ in 0..400 {
        log.frame(&came(&kind));
    }
    assert!(log.text_bytes() <= KEPT_TEXT, "{}", log.text_bytes());
    assert!(log.instead().ends_with(" older ones that were too many to keep"), "{}", log.instead());
    assert!(log.instead().len() < 2_000, "{}", log.instead().len());
    let step_back = Finding::new(rules::by_id("ENV-2").unwrap(), "again");
    for _ in 0..250_000 {
        log.finding(&step_back);
    }
    assert!(log.kept() <= KEPT, "{}", log.kept());
    assert_eq!(log.unexpected().count(true), 250_000, "forgotten findings still fail the run");
}

#[test]
fn a_long_answer_is_searched_once() {
    let mut log = Log::default();
    let wanted = What::Text("needle in it".to_owned());
    log.frame(&came("run.started"));
    let started = std::time::Instant::now();
    for _ in 0..40_000 {
        log.frame(&delta("hay and nee"));
        assert!(!log.consume(&wanted));
    }
    assert!(started.elapsed() < Duration::from_secs(10), "each look searches only what is new");
    log.frame(&delta("dle in i"));
    log.frame(&delta("t, and more"));
    assert!(log.consume(&wanted));
    assert!(log.consume(&What::Text(", and m".to_owned())), "consumed through the match and no further");
    assert!(!log.consume(&wanted));
}

#[test]
fn what_is_forgotten_still_counts_as_broken() {
    let mut log = Log::default();
    log.finding(&Finding::new(&rules::RUN_NESTED, "early"));
    for n in 0..200_000 {
        log.frame(&came(if n == 199_999 { "run.completed" } else { "run.started" }));
    }
    assert_eq!(log.unexpected().broken(), "RUN-1");
    assert_eq!(log.unexpected().count(true), 1);
    assert!(log.consume(&What::Event("run.completed".to_owned())), "the newest is there");
}

#[test]
fn large_texts_are_bounded_too() {
    let mut log = Log::default();
    let large = "x".repeat(100_000);
    for _ in 0..1_000 {
        log.frame(&delta(&large));
    }
    log.frame(&delta("the end"));
    assert!(log.text_bytes() <= 17 * 1024 * 1024, "{}", log.text_bytes());
    assert!(log.consume(&What::Text("the end".to_owned())));
}
