//! Every way out, and out and in again.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::frozen::freeze;
use super::harness::{Pty, Start, children, process, signal_to, within};
use super::probe::PLACES;

#[test]
fn q_leaves_and_the_terminal_is_as_it_was() {
    let mut pty = Pty::live_demo();
    pty.wait_screen("a screen of its own", |screen| {
        screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste()
    });
    assert!(!pty.has_settings_from_before(), "raw mode");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn ctrl_c_leaves_from_the_middle_of_a_message() {
    let mut pty = Pty::live_demo();
    pty.send("i");
    pty.wait_for("the field", |screen| screen.contains("Esc leave"));
    pty.send("half a sent\x03");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn signals_that_end_a_program_end_it_in_order() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::QUIT, 131), (Signal::HUP, 129)] {
        let mut pty = Pty::live_demo();
        pty.signal(signal);
        assert_eq!(pty.wait_exit(), code, "{signal:?}");
        pty.assert_given_back();
    }
}

#[test]
fn a_panic_anywhere_gives_the_terminal_back_before_its_line() {
    let probe = std::env::current_exe().unwrap();
    let args = ["--exact", "probe::panics_while_the_terminal_is_taken", "--ignored", "--nocapture"];
    for place in PLACES {
        let mut pty =
            Start::program(probe.to_str().unwrap(), &args).variable("AGENTCALL_PROBE", place).spawn();
        let screen = pty.wait_for("the line about it", |screen| screen.contains("nternal fault at"));
        assert!(!screen.contains("a late frame"), "{place}: what is drawn later goes nowhere:\n{screen}");
        assert_eq!(pty.wait_exit(), 70, "{place}");
        pty.assert_given_back();
        let written = String::from_utf8_lossy(&pty.written()).into_owned();
        assert!(
            !written.contains("secret"),
            "{place}: what a panic says may hold what a user typed:\n{written}"
        );
        assert_eq!(written.matches("nternal fault at").count(), 1, "{place}:\n{written}");
    }
}

#[test]
fn a_terminal_that_cannot_place_text_is_refused_with_a_way_out() {
    let demo = || Start::agentcall(&["demo"]);
    let connect = || Start::agentcall(&["connect", "--local", "http://127.0.0.1:1"]);
    for (term, start, said) in [
        ("dumb", demo().variable("TERM", "dumb"), "TERM=dumb"),
        ("dumb", connect().variable("TERM", "dumb"), "TERM=dumb"),
        ("unknown", demo().variable("TERM", "unknown"), "TERM=unknown"),
        ("", demo().variable("TERM", ""), "TERM=\"\""),
        ("none", demo().without("TERM"), "TERM=(not set)"),
    ] {
        let mut pty = start.spawn();
        assert_eq!(pty.wait_exit(), 2, "{term:?}");
        let written = String::from_utf8_lossy(&pty.written_whole()).into_owned();
        assert!(written.contains(said) && written.contains("agentcall run"), "{term:?}: {written}");
        assert!(!written.contains('\x1b'), "{term:?}: nothing is sent that it cannot read: {written:?}");
    }
}

#[test]
fn ctrl_z_stops_the_job_and_fg_takes_the_terminal_again() {
    // A shell with job control above it: sh stops waiting when its job stops.
    let script = "set -m; \"$0\" demo; for turn in 1 2; do echo shell has the terminal; read line; fg; done; echo over $?";
    let mut pty = Start::program("sh", &["-c", script, env!("CARGO_BIN_EXE_agentcall")]).spawn();
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    pty.send("\x1a");
    pty.wait_screen("the shell's screen", |screen| {
        screen.contents().contains("shell has the terminal")
            && !screen.alternate_screen()
            && !screen.hide_cursor()
    });
    let jobs = children(pty.pid());
    assert!(jobs.iter().all(|job| job.state == 'T'), "{jobs:?}");
    assert!(pty.has_settings_from_before(), "the shell's settings");
    pty.send("\r");
    pty.wait_screen("the screen again, drawn whole", |screen| {
        let text = screen.contents();
        screen.alternate_screen()
            && screen.hide_cursor()
            && screen.bracketed_paste()
            && text.contains("● live")
    });
    pty.send("i");
    pty.wait_for("keys that work", |screen| screen.contains("Esc leave"));
    pty.send("\x1a");
    pty.wait_screen("the shell's screen again", |screen| {
        screen.contents().matches("shell has the terminal").count() == 2 && !screen.alternate_screen()
    });
    assert!(pty.has_settings_from_before(), "the shell's settings");
    pty.send("\r");
    pty.wait_screen("the screen once more", |screen| {
        screen.alternate_screen() && screen.contents().contains("Esc leave")
    });
    pty.send("\x03");
    pty.wait_for("the end", |screen| screen.contains("over 0"));
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn a_stop_from_outside_without_a_shell_takes_the_terminal_anew() {
    let mut pty = Pty::live_demo();
    let pid = pty.pid();
    pty.signal(Signal::STOP);
    assert!(within(Duration::from_secs(10), || process(pid).is_some_and(|process| process.state == 'T')));
    let before = pty.written().len();
    pty.signal(Signal::CONT);
    pty.wait_for("the screen", |screen| screen.contains("● live"));
    let entered = b"\x1b[?1049h";
    assert!(
        within(Duration::from_secs(10), || {
            pty.written()[before..].windows(entered.len()).any(|window| window == entered)
        }),
        "it is taken anew"
    );
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn no_camera_is_left_behind() {
    for way in ["q", "kill", "close"] {
        let mut pty = Pty::live_demo();
        pty.send("c");
        pty.wait_for("an aim", |screen| screen.contains("Enter take the picture"));
        let cameras: Vec<u32> = children(pty.pid()).iter().map(|child| child.pid).collect();
        assert!(!cameras.is_empty(), "the camera is a process of its own");
        match way {
            "q" => {
                pty.send("q");
                assert_eq!(pty.wait_exit(), 0);
            }
            "close" => {
                pty.close();
                assert_eq!(pty.wait_exit(), 129);
            }
            _ => signal_to(pty.pid(), Signal::KILL),
        }
        let gone = |pid: &u32| process(*pid).is_none_or(|process| process.state == 'Z');
        assert!(within(Duration::from_secs(5), || cameras.iter().all(gone)), "after {way}: {cameras:?}");
    }
}

/// The milliseconds in the last `closed after 41 ms` on the screen.
fn closed_after(screen: &str) -> Option<u64> {
    let (_, rest) = screen.rsplit_once("closed after ")?;
    rest.split_whitespace().next()?.parse().ok()
}

#[test]
fn the_mark_of_an_open_camera_stays_until_it_is_closed_and_that_is_counted_from_the_key() {
    for (key, marked) in [("\r", "CAMERA OPEN · taking the picture"), ("\x1b", "")] {
        let mut pty = Pty::live_demo();
        pty.send("c");
        pty.wait_for("an aim", |screen| screen.contains("CAMERA OPEN") && screen.contains("Enter take"));
        let camera = children(pty.pid())[0].pid;
        let is_gone = || process(camera).is_none_or(|process| process.state == 'Z');
        // A camera that is held up: the picture does not come, and Esc ends it all the same.
        freeze(camera);
        let pressed = Instant::now();
        pty.send(key);
        let mut held = Duration::ZERO;
        if !marked.is_empty() {
            pty.wait_for("the mark", |screen| screen.contains(marked));
            let seen = Instant::now();
            assert!(!within(Duration::from_millis(150), is_gone), "it is held");
            held = seen.elapsed();
            assert!(pty.wait_for("the mark", |screen| screen.contains(marked)).contains(marked));
            signal_to(camera, Signal::CONT);
        }
        let screen = pty.wait_for("no mark", |screen| !screen.contains("CAMERA OPEN"));
        assert!(is_gone(), "{screen}");
        let screen = pty.wait_for("the event", |screen| closed_after(screen).is_some());
        let told = Duration::from_millis(closed_after(&screen).unwrap());
        assert!(held <= told + Duration::from_millis(1) && told <= pressed.elapsed(), "{told:?}: {screen}");
    }
}

#[test]
fn an_open_camera_is_gone_within_200_ms_of_esc_and_of_losing_the_focus() {
    for (what, sent) in [("Esc", "\x1b"), ("the focus is lost", "\x1b[O")] {
        let mut pty = Pty::live_demo();
        pty.send("c");
        pty.wait_for("an aim", |screen| screen.contains("CAMERA OPEN") && screen.contains("Enter take"));
        let camera = children(pty.pid())[0].pid;
        pty.send(sent);
        let is_gone = || process(camera).is_none_or(|process| process.state == 'Z');
        assert!(within(Duration::from_millis(200), is_gone), "{what}");
        pty.wait_for("no mark", |screen| !screen.contains("CAMERA OPEN"));
        pty.send("q");
        assert_eq!(pty.wait_exit(), 0, "{what}");
    }
}

#[test]
fn no_camera_stays_open_while_the_program_is_stopped() {
    let script = "set -m; \"$0\" demo; echo shell has the terminal; read line; fg";
    let mut pty =
        Start::program("sh", &["-c", script, env!("CARGO_BIN_EXE_agentcall")]).size(30, 140).spawn();
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    pty.send("c");
    pty.wait_for("an aim", |screen| screen.contains("Enter take the picture"));
    let jobs = children(pty.pid());
    let [job] = &jobs[..] else { panic!("one job: {jobs:?}") };
    assert_eq!(children(job.pid).len(), 1, "the camera");
    pty.send("\x1a");
    pty.wait_for("the shell", |screen| screen.contains("shell has the terminal"));
    let left = children(job.pid);
    assert!(left.iter().all(|camera| camera.state == 'Z'), "{left:?}");
    pty.send("\r");
    pty.wait_for("the screen again", |screen| screen.contains("● live") && screen.contains("closed"));
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn who_quits_without_ever_having_had_a_session_gets_the_code_of_the_failure() {
    // Nobody listens on a port that was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let mut pty = Pty::spawn(&["connect", "--local", &url], 30, 140);
    pty.wait_screen("the failure", |screen| {
        screen.alternate_screen() && screen.contents().contains("refused")
    });
    pty.send("q");
    assert_eq!(pty.wait_exit(), 4);
    pty.assert_given_back();
    pty.wait_for("the reason, in the shell", |screen| screen.contains("refused"));
}
