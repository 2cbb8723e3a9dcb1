//! Sizes that no screen has, and terminals that are none.

use super::harness::{Pty, Start};

/// What a terminal may say of itself: rows and columns.
const ABSURD: [(u16, u16); 7] =
    [(0, 0), (0, 80), (24, 0), (1, 1), (65_535, 65_535), (1, 65_535), (65_535, 1)];

#[test]
fn an_absurd_size_at_the_start_breaks_nothing() {
    for (rows, columns) in ABSURD {
        let mut pty = Start::agentcall(&["demo"]).size(rows, columns).spawn();
        pty.wait_screen("its own screen", |screen| screen.alternate_screen());
        pty.resize(30, 100);
        pty.wait_for("a live session", |screen| screen.contains("● live") && screen.contains("Inspector"));
        pty.send("q");
        assert_eq!(pty.wait_exit(), 0, "{columns}×{rows}");
        pty.assert_given_back();
    }
}

#[test]
fn what_is_larger_than_any_screen_is_drawn_in_its_top_left_corner() {
    let mut pty = Start::agentcall(&["demo"]).size(65_535, 65_535).spawn();
    let screen = pty.wait_for("a live session", |screen| screen.contains("● live"));
    assert_eq!(screen.lines().count(), 500);
    let (last, first) = (screen.lines().last().unwrap(), screen.lines().next().unwrap());
    assert!(first.contains("● live") && last.contains("help"), "first and last line:\n{first}\n{last}");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn a_storm_of_sizes_breaks_no_session() {
    let mut pty = Pty::live_demo();
    pty.send("i");
    pty.wait_for("the field", |screen| screen.contains("Esc leave"));
    pty.send("hello");
    for turn in 0..15_u16 {
        for (rows, columns) in ABSURD {
            pty.resize(rows, columns);
            pty.resize(10 + turn, 50 + 7 * turn);
        }
    }
    pty.resize(30, 140);
    pty.wait_for("what was typed", |screen| screen.contains("hello") && screen.contains("Inspector"));
    pty.send("!\r");
    pty.wait_for("the answer", |screen| screen.contains("turn 1 · idle"));
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn a_terminal_that_can_place_no_cursor_is_refused_in_one_line() {
    for args in [&["demo"][..], &["connect", "--local", "http://127.0.0.1:1"]] {
        for term in [Some("dumb"), Some(""), None] {
            let start = Start::agentcall(args);
            let start = match term {
                Some(term) => start.env("TERM", term),
                None => start.env_without("TERM"),
            };
            let mut pty = start.spawn();
            assert_eq!(pty.wait_exit(), 2, "{term:?}");
            pty.wait_for("why, and what does without", |screen| {
                screen.contains("needs a terminal") && screen.contains("agentcall run")
            });
            assert!(!pty.written().contains(&0x1b), "{term:?}: nothing that it cannot obey");
        }
    }
}
