//! The real binary in a real terminal: what it takes it gives back, whatever happens, and nothing freezes it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod faults;
mod harness;
mod leaving;
mod probe;
mod sizes;
mod stalled;
mod typing;

use harness::Pty;

#[test]
fn every_size_is_drawn_and_one_that_is_too_small_says_so() {
    let mut pty = Pty::spawn(&["demo"], 50, 200);
    let panes =
        |screen: &str| ["Conversation", "Events", "Inspector"].iter().all(|pane| screen.contains(pane));
    pty.wait_for("panes side by side", |screen| screen.contains("● live") && panes(screen));
    pty.resize(16, 60);
    pty.wait_for("tabs", |screen| screen.contains("1 Talk") && screen.contains("● live") && !panes(screen));
    pty.resize(10, 50);
    pty.wait_for("the line that says so", |screen| screen.contains("too small: 60×16 needed, this is 50×10"));
    pty.resize(1, 1);
    pty.resize(30, 100);
    pty.wait_for("the panes again", |screen| panes(screen) && !screen.contains("too small"));
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}
