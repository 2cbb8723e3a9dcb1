//! Terminals of every size, and of sizes that no terminal has.

use super::harness::{Pty, Start};

/// Rows and columns.
type Size = (u16, u16);

/// Sizes that programs make up, and resizes that go wrong.
const ODD: [Size; 8] =
    [(0, 0), (1, 1), (65_535, 65_535), (1, 65_535), (65_535, 1), (0, 80), (24, 0), (2_000, 2_000)];

fn panes(screen: &str) -> bool {
    ["Conversation", "Events", "Inspector"].iter().all(|pane| screen.contains(pane))
}

#[test]
fn every_size_is_drawn_and_one_that_is_too_small_says_so() {
    let mut pty = Pty::spawn(&["demo"], 50, 200);
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

#[test]
fn a_size_that_no_terminal_has_costs_nothing_but_its_frame() {
    let mut pty = Pty::live_demo();
    for (rows, columns) in ODD {
        let before = pty.written().len();
        pty.say_size(rows, columns);
        // Each one is drawn for itself, if there is anything to be drawn on.
        if rows > 0 && columns > 0 {
            pty.wait_written("a frame", before);
        }
        pty.resize(16, 60);
        pty.wait_for("tabs", |screen| screen.contains("1 Talk") && !panes(screen));
        pty.resize(30, 140);
        pty.wait_for("the panes", |screen| panes(screen) && screen.contains("● live"));
    }
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn a_size_that_no_terminal_has_is_none_at_the_start_either() {
    for (rows, columns) in ODD {
        let mut pty = Start::agentcall(&["demo"]).size(rows, columns).spawn();
        pty.wait_screen("a screen of its own", |screen| screen.alternate_screen());
        pty.resize(30, 140);
        pty.wait_for("the panes", |screen| panes(screen) && screen.contains("● live"));
        pty.send("q");
        assert_eq!(pty.wait_exit(), 0, "{columns}×{rows}");
        pty.assert_given_back();
    }
}

#[test]
fn the_top_left_corner_of_a_larger_terminal_is_the_screen() {
    let mut pty = Start::agentcall(&["demo"]).size(65_535, 65_535).spawn();
    let screen = pty.wait_for("the panes", |screen| panes(screen) && screen.contains("● live"));
    let (first, last) = (screen.lines().next().unwrap(), screen.lines().last().unwrap());
    assert!(first.contains("● live") && last.contains("help"), "first and last line:\n{first}\n{last}");
    assert_eq!(screen.lines().count(), 500);
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn a_storm_of_sizes_and_keys_ends_where_it_should() {
    let mut pty = Pty::live_demo();
    let keys = [
        "1", "2", "3", "4", "j", "k", "G", "g", "?", "\x1b", ":", "\x1b", "/a", "\x1b", "\x1b", "i", "x\x1b",
    ];
    for round in 0..400_usize {
        let (rows, columns) = match round % 3 {
            0 => ODD[round / 3 % ODD.len()],
            1 => (1 + (round * 7 % 60) as u16, 1 + (round * 13 % 220) as u16),
            _ => (16, 60),
        };
        pty.say_size(rows, columns);
        pty.send(keys[round % keys.len()]);
    }
    pty.resize(30, 140);
    pty.send("\x1b\x1b\x1b");
    pty.wait_for("the panes", |screen| panes(screen) && screen.contains("● live"));
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}
