//! A terminal that is gone, or sends half a sequence.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::harness::{Pty, Start, process, within};

/// How long the program may outlive its terminal.
const OUTLIVES: Duration = Duration::from_secs(2);
/// How long it may run on a processor meanwhile, in ticks of 10 ms: one that spins takes them all.
const TICKS: u64 = 40;

fn ends_quietly(mut pty: Pty) {
    let pid = pty.pid();
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    let before = process(pid).unwrap().ticks;
    pty.close();
    let closed = Instant::now();
    // An ended process is still told of until it is waited for.
    let ended = within(OUTLIVES, || process(pid).unwrap().state == 'Z');
    let (took, ticks) = (closed.elapsed(), process(pid).unwrap().ticks - before);
    assert!(ended, "it still runs {took:?} after its terminal has gone ({ticks} ticks)");
    assert!(ticks <= TICKS, "{ticks} ticks of 10 ms in {took:?}");
    assert_eq!(pty.wait_exit(), 129);
}

#[test]
fn a_closed_terminal_ends_it_soon_and_quietly() {
    ends_quietly(Pty::spawn(&["demo"], 30, 100));
}

#[test]
fn so_does_one_that_closes_in_the_middle_of_an_answer() {
    let mut pty = Pty::spawn(&["demo"], 30, 100);
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    pty.send("i");
    pty.wait_for("the field", |screen| screen.contains("Esc leave"));
    pty.send("help\r");
    pty.wait_for("an answer that is on its way", |screen| {
        screen.contains("turn 1 · ") && !screen.contains("turn 1 · idle")
    });
    ends_quietly(pty);
}

#[test]
fn so_does_one_that_closes_without_a_signal() {
    ends_quietly(Start::agentcall(&["demo"]).without_control().spawn());
}

#[test]
fn so_does_one_that_closes_in_the_middle_of_a_sequence() {
    let mut pty = Start::agentcall(&["demo"]).without_control().spawn();
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    pty.send("\x1b[200~never ended");
    ends_quietly(pty);
}

#[test]
fn half_a_sequence_freezes_nothing() {
    for half in [&b"\x1b["[..], b"\xf0\x9f", b"\x1b[200~never ended", b"\x1b]11;"] {
        let mut pty = Pty::live_demo();
        pty.send(half);
        pty.resize(16, 60);
        pty.wait_for("another size", |screen| screen.contains("1 Talk"));
        pty.resize(30, 120);
        pty.wait_for("and another", |screen| screen.contains("Inspector"));
        pty.signal(Signal::TERM);
        assert_eq!(pty.wait_exit(), 143, "{}", half.escape_ascii());
        pty.assert_given_back();
    }
}

#[test]
fn an_idle_program_and_half_a_sequence_cost_next_to_nothing() {
    for half in [&b""[..], b"\x1b[", b"\x1b]11;", b"\x1b[200~never ended"] {
        let mut pty = Pty::live_demo();
        pty.send(half);
        // The first second still holds what a start leaves behind.
        std::thread::sleep(Duration::from_secs(1));
        let before = process(pty.pid()).unwrap().ticks;
        std::thread::sleep(Duration::from_secs(2));
        let ticks = process(pty.pid()).unwrap().ticks - before;
        // One in a hundred would be 2; an unoptimised program takes more.
        assert!(ticks <= 12, "{ticks} ticks of 10 ms in 2 s after {}", half.escape_ascii());
        pty.signal(Signal::TERM);
        assert_eq!(pty.wait_exit(), 143);
    }
}
