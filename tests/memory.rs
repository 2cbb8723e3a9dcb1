//! What the event stream says that it holds is what it holds: counted at the allocator.
#![allow(unsafe_code)] // an allocator cannot be counted without

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agentcall::app::Events;
use agentcall::protocol::{Dialect, Envelope, view};
use agentcall::trace::record::{Body, Direction, Record};
use agentcall::units::Sequence;
use serde_json::{Value, json};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BUDGET: usize = 2 * 1024 * 1024;

fn record(n: u64, event: &Value) -> Arc<Record> {
    let value = json!({"sequence": n, "event": event});
    let text = value.to_string();
    let decoded = Envelope::decode(&text, &Dialect::default()).ok();
    Arc::new(Record {
        index: n,
        at: Duration::from_millis(n),
        direction: Direction::In,
        sequence: Some(Sequence(n)),
        kind: event["type"].as_str().unwrap_or("?").to_owned(),
        bytes: text.len(),
        value: Some(view::for_trace(&value)),
        body: decoded.map_or(Body::Unread, |decoded| Body::Event(decoded.message.event)),
        acted: true,
        deliberate: false,
        findings: Vec::new(),
        late: None,
    })
}

fn delta(text: &str) -> Value {
    json!({"type": "text.delta", "text": text})
}

/// A kind of session: its name, how many frames, and the event of each.
type Session = (&'static str, u64, Box<dyn Fn(u64) -> Value>);

/// Each fills the budget several times.
fn sessions() -> Vec<Session> {
    let (long, longer, speech) = ("x".repeat(1_000), "x".repeat(17_000), "one two three ".repeat(60));
    vec![
        (
            "small frames",
            10_000,
            Box::new(|n| json!({"type": (["run.started", "run.completed"])[n as usize % 2]})),
        ),
        ("long deltas", 15_000, Box::new(move |_| delta(&long))),
        ("longest deltas", 1_000, Box::new(move |_| delta(&longer))),
        (
            "short answers",
            100_000,
            Box::new(|n| match n % 20 {
                0 => json!({"type": "run.started"}),
                19 => json!({"type": "run.completed"}),
                _ => delta("some words "),
            }),
        ),
        (
            "speech",
            6_000,
            Box::new(
                move |n| json!({"type": "speech.segment", "segmentId": format!("s{n}"), "text": speech, "stable": true}),
            ),
        ),
        (
            "nested",
            6_000,
            Box::new(|n| {
                json!({"type": "mystery.event", "n": n, "a": {"b": [1, 2, {"c": "d"}], "e": {"f": {}}},
                    "list": [1, 2, 3, 4, 5, 6]})
            }),
        ),
    ]
}

/// One test, since the allocator counts for the whole program.
#[test]
fn the_stream_holds_its_budget_within_a_fifth() {
    for (name, frames, event) in sessions() {
        let before = LIVE.load(Ordering::Relaxed);
        let mut events = Events::within(BUDGET);
        for n in 1..=frames {
            events.push(&record(n, &event(n)));
        }
        let held = LIVE.load(Ordering::Relaxed) - before;
        assert!(events.dropped() > 0, "{name}: {frames} frames fill the budget");
        let share = held as f64 / BUDGET as f64;
        assert!((0.8..=1.2).contains(&share), "{name}: holds {share:.2} of its budget, {held} bytes");
    }
}
