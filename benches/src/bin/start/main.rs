//! How quickly it is there: `--version` beside `websocat --version`, the first frame of `demo` beside a program that
//! draws one word with ratatui; and what it costs while nothing happens.
//!
//! `start [--write FILE]`

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agentcall_benches::process::{Scratch, built, memory, worked};
use agentcall_benches::report::Report;
use agentcall_benches::screen::Screen;
use agentcall_benches::stats::{Times, ratio};

/// How often each program is started with `--version`.
const VERSIONS: usize = 200;
/// How often each screen is opened.
const SCREENS: usize = 30;
/// How long the idle program is watched.
const IDLE: Duration = Duration::from_secs(15);

fn main() {
    let mut report = Report::new("start");
    let scratch = Scratch::new("start");
    let (agentcall, blank) = (built("agentcall"), built("blank"));
    let (mut ours, mut peers) = (Times::default(), Times::default());
    for _ in 0..VERSIONS {
        peers.push(version(Path::new("websocat")));
        ours.push(version(&agentcall));
    }
    let mut rows = vec![row("`agentcall --version` / `websocat --version`", &ours, &peers)];
    let (mut ours, mut peers) = (Times::default(), Times::default());
    for _ in 0..SCREENS {
        peers.push(Screen::start(&blank, &[], scratch.path(), (120, 40)).first("blank"));
        ours.push(Screen::start(&agentcall, &["demo"], scratch.path(), (120, 40)).first("Conversation"));
    }
    rows.push(row("first frame of `agentcall demo` / of an empty ratatui program", &ours, &peers));
    report.table(&["what", "agentcall", "peer", "ratio"], &rows);
    let (share, resident) = idle(&agentcall, scratch.path());
    let verdict = report.verdict(share < 1.0);
    let row = vec![
        format!("`demo`, {} s without a key", IDLE.as_secs()),
        format!("{share:.2} %"),
        format!("{resident:.1} MiB"),
        verdict,
    ];
    report.table(&["idle", "of one core", "resident", "< 1 %"], &[row]);
    report.finish();
}

fn row(what: &str, ours: &Times, peers: &Times) -> Vec<String> {
    vec![what.to_owned(), ours.spread(), peers.spread(), format!("{:.2}", ratio(ours, peers))]
}

fn version(program: &Path) -> Duration {
    let start = Instant::now();
    let status = Command::new(program).arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).status();
    let took = start.elapsed();
    assert!(status.expect("it is installed").success());
    took
}

/// The share of a core in percent, and the resident memory, of the demo once its session is live.
fn idle(agentcall: &Path, home: &Path) -> (f64, f64) {
    let screen = Screen::start(agentcall, &["demo"], home, (120, 40));
    screen.first("live");
    screen.settle();
    let before = worked(screen.pid()).expect("it runs");
    std::thread::sleep(IDLE);
    let spent = worked(screen.pid()).expect("it runs") - before;
    (spent.as_secs_f64() / IDLE.as_secs_f64() * 100.0, memory(screen.pid()).expect("it runs").now)
}
