//! A terminal that stays open and takes no output, such as an ssh whose line is dead: nothing else stops with it.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::harness::{Pty, process, within};

/// How long the program may take to end.
const ENDS: Duration = Duration::from_secs(2);

/// A live demo whose terminal takes no more output.
fn stalled() -> Pty {
    let pty = Pty::live_demo();
    pty.stop_reading();
    let mut columns = 100;
    let full = within(Duration::from_secs(20), || {
        // Every new size is drawn whole.
        columns = if columns == 100 { 140 } else { 100 };
        pty.resize(30, columns);
        !pty.takes_output()
    });
    assert!(full, "a terminal that is not read is full some time");
    pty.resize(30, 140);
    pty
}

fn ends(pty: &mut Pty, what: &str, code: u32) {
    let (pid, begun) = (pty.pid(), Instant::now());
    let ended = within(ENDS, || process(pid).is_none_or(|process| process.state == 'Z'));
    assert!(ended, "{what}: it still runs after {:?}", begun.elapsed());
    assert_eq!(pty.wait_exit(), code, "{what}");
    assert!(pty.has_settings_from_before(), "{what}: the terminal's settings");
}

#[test]
fn signals_end_it_all_the_same() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut pty = stalled();
        pty.signal(signal);
        ends(&mut pty, &format!("{signal:?}"), code);
    }
}

#[test]
fn so_does_a_key() {
    for key in ["q", "\x03"] {
        let mut pty = stalled();
        pty.send(key);
        ends(&mut pty, key, 0);
    }
}

#[test]
fn so_does_a_key_behind_hundreds_of_others() {
    for others in [
        "j".repeat(450),
        "1234".repeat(120),
        format!("i{}", "x".repeat(450)),
        "s".repeat(450),
        "y".repeat(450),
        "sc\r\x1b".repeat(120),
    ] {
        let mut pty = stalled();
        pty.send(&others);
        pty.send("\x03");
        ends(&mut pty, &others[..4], 0);
    }
}

#[test]
fn so_does_a_terminal_that_closes_then() {
    let mut pty = stalled();
    pty.close_unread();
    let pid = pty.pid();
    assert!(within(ENDS, || process(pid).is_none_or(|process| process.state == 'Z')));
    assert_eq!(pty.wait_exit(), 129);
}

#[test]
fn what_was_typed_meanwhile_is_there_when_it_takes_output_again() {
    let mut pty = stalled();
    let (pid, before) = (pty.pid(), process(pty.pid()).unwrap().ticks);
    pty.send("i");
    for word in ["typed ", "into ", "the ", "dark"] {
        pty.send(word);
        std::thread::sleep(Duration::from_millis(300));
    }
    let ticks = process(pid).unwrap().ticks - before;
    assert!(ticks <= 30, "{ticks} ticks of 10 ms while nothing could be drawn");
    pty.read_on();
    pty.wait_for("one frame with all of it", |screen| {
        screen.contains("typed into the dark") && screen.contains("● live") && screen.contains("Inspector")
    });
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}
