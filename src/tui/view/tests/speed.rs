//! Drawing touches what is seen and no more, however much there is.

use std::time::Duration;

use serde_json::json;

use super::drawn;
use crate::app::Message;
use crate::app::tests::stage::Stage;
use crate::tui::theme::Theme;

/// How long this thread has run on a processor: what others do meanwhile does not count.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a thread has run for no negative time")
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// The fastest of a few frames, so that a busy machine does not decide.
fn fastest(stage: &mut Stage) -> Duration {
    let frame = |stage: &mut Stage| {
        let start = processor_time();
        drawn(&mut stage.model, Theme::with(true));
        processor_time() - start
    };
    (0..12).map(|_| frame(stage)).min().expect("twelve frames")
}

/// A frame of a full session may take at most this much longer than one of an empty session.
const ALLOWED: Duration = Duration::from_millis(40);

fn full() -> Stage {
    let mut stage = Stage::live(200, 50);
    for _ in 0..50_000 {
        stage.came(1, json!({"type": "run.started"}));
        stage.came(1, json!({"type": "run.completed"}));
    }
    for n in 0..2_400 {
        stage.exchange(&format!("question {n}"), &["an answer"]);
    }
    stage.said("everything");
    stage.streams(&[&"word ".repeat(13_000)]);
    stage
}

#[test]
fn a_full_session_is_drawn_about_as_fast_as_an_empty_one() {
    let empty = fastest(&mut Stage::live(200, 50));
    let mut stage = full();
    for (keys, what) in
        [("1", "newest"), ("g", "oldest"), ("2 g", "first rows"), ("PgDn", "frozen"), ("G", "last rows")]
    {
        stage.press(keys);
        let took = fastest(&mut stage);
        assert!(took < empty + ALLOWED, "{what}: {took:?}, empty {empty:?}");
    }
    stage.model.update(Message::Resized(60, 16));
    let narrow = fastest(&mut stage);
    assert!(narrow < empty + ALLOWED, "narrow: {narrow:?}, empty {empty:?}");
}

#[test]
fn the_largest_frame_is_inspected_fast() {
    let mut stage = Stage::live(200, 50);
    let empty = fastest(&mut stage);
    let items: Vec<_> = (0..10_000).map(|n| json!([n, {"k": "v"}])).collect();
    stage.came(1, json!({"type": "x", "items": items, "text": "y".repeat(20_000)}));
    stage.press("3 G");
    let took = fastest(&mut stage);
    assert!(took < empty + ALLOWED, "{took:?}, empty {empty:?}");
}
