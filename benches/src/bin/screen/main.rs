//! The screen while an agent talks: draws and answers to keys under 20,000 events a second, the share of a core under
//! 1,000 a second, memory and answers to keys after a million envelopes. All in a pseudo-terminal of 200×50, with acks.
//!
//! `screen [--write FILE]`; `SCREEN_SECONDS` and `SCREEN_ENVELOPES` change the sizes while something is being tried.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use agentcall_benches::agent::Agent;
use agentcall_benches::frames::Stream;
use agentcall_benches::process::{Scratch, built, memory, worked};
use agentcall_benches::report::Report;
use agentcall_benches::screen::Screen;
use agentcall_benches::stats::Times;

const SIZE: (u16, u16) = (200, 50);
/// Letters that neither the agent nor the screen writes: when one comes, it is the key that was pressed.
const LETTERS: &str = "ЖФЩЮЯЪЭЦЧШЫБГДЗИЙЛПУ";
/// Letters after which the draft is emptied, so that it stays on one line.
const DRAFT: usize = 60;

fn main() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (seconds, envelopes) = (number("SCREEN_SECONDS", 20), number("SCREEN_ENVELOPES", 1_000_000));
    let mut report = Report::new("screen");
    under_load(&mut report, seconds);
    at_a_pace(&mut report, seconds);
    after_many(&mut report, envelopes);
    report.finish();
}

/// The program on this agent, with the turn said that makes it talk, and its draft open.
fn talking(agent: &Agent, scratch: &Scratch) -> Screen {
    let origin = agent.origin();
    let mut screen =
        Screen::start(&built("agentcall"), &["connect", "--local", "--reader", "simulated", "--camera", "simulated", &origin], scratch.path(), SIZE);
    screen.first("live");
    screen.settle();
    // What is the same in two frames is not written again, so only a letter that stood nowhere tells of itself.
    screen.press("i");
    screen.press_until("Ѫ", "Ѫ");
    screen.press("\r");
    screen
}

/// 20,000 events a second: draws a second, and the time from each key to its letter.
fn under_load(report: &mut Report, seconds: u64) {
    const A_SECOND: u64 = 20_000;
    let scratch = Scratch::new("load");
    let stream = Stream::new(A_SECOND * (seconds + 3), 2_000, 20);
    let agent = Agent::start(stream, Some(Duration::from_millis(1)));
    let mut screen = talking(&agent, &scratch);
    std::thread::sleep(Duration::from_secs(1));
    let (start, before) = (Instant::now(), screen.frames());
    let (work, blocks) = (worked(screen.pid()).expect("it runs"), agent.counts.blocks.load(Relaxed));
    let mut keys = Times::default();
    let mut letters = LETTERS.chars().cycle();
    while start.elapsed() < Duration::from_secs(seconds) {
        let letter = letters.next().expect("a cycle has no end").to_string();
        keys.push(screen.press_until(&letter, &letter));
        if keys.count() % DRAFT == 0 {
            screen.press(&"\x7f".repeat(DRAFT));
        }
        // Uneven, so that keys do not keep step with the draws.
        std::thread::sleep(Duration::from_millis(20 + 13 * (keys.count() as u64 % 5)));
    }
    let took = start.elapsed().as_secs_f64();
    let draws = (screen.frames() - before) as f64 / took;
    let events = (agent.counts.blocks.load(Relaxed) - blocks) as f64 * 20.0 / took;
    let share = (worked(screen.pid()).expect("it runs") - work).as_secs_f64() / took * 100.0;
    let late = keys.quantile(0.99);
    let rows = [
        vec!["draws a second".into(), format!("{draws:.1}"), report.verdict(draws <= 60.0)],
        vec![
            format!("from a key to its letter, 99th percentile of {}", keys.count()),
            format!(
                "{:.1} ms (median {:.1}, most {:.1})",
                ms(late),
                ms(keys.median()),
                ms(keys.quantile(1.0))
            ),
            report.verdict(late <= Duration::from_millis(33)),
        ],
        vec!["share of one core".into(), format!("{share:.0} %"), "no target".into()],
    ];
    report.table(
        &[&format!("{events:.0} events a second for {took:.0} s"), "measured", "≤ 60; ≤ 33 ms"],
        &rows,
    );
}

/// 1,000 events a second: the share of a core.
fn at_a_pace(report: &mut Report, seconds: u64) {
    let scratch = Scratch::new("pace");
    let agent = Agent::start(Stream::new(1_000 * (seconds + 4), 1_000, 1), Some(Duration::from_millis(1)));
    let screen = talking(&agent, &scratch);
    std::thread::sleep(Duration::from_secs(2));
    let (start, before) = (Instant::now(), screen.frames());
    let (work, blocks) = (worked(screen.pid()).expect("it runs"), agent.counts.blocks.load(Relaxed));
    std::thread::sleep(Duration::from_secs(seconds));
    let took = start.elapsed().as_secs_f64();
    let share = (worked(screen.pid()).expect("it runs") - work).as_secs_f64() / took * 100.0;
    let events = (agent.counts.blocks.load(Relaxed) - blocks) as f64 / took;
    let draws = (screen.frames() - before) as f64 / took;
    let verdict = report.verdict(share < 25.0);
    let row = vec![format!("{share:.1} %"), format!("{draws:.1}"), verdict];
    report.table(
        &[
            &format!("{events:.0} events a second for {took:.0} s: share of one core"),
            "draws a second",
            "< 25 %",
        ],
        &[row],
    );
}

/// A session of a million envelopes: memory, and the time from any key to its frame.
fn after_many(report: &mut Report, envelopes: u64) {
    let scratch = Scratch::new("many");
    let agent = Agent::start(Stream::new(envelopes, 2_000, 1_000), None);
    let started = Instant::now();
    let mut screen = talking(&agent, &scratch);
    while agent.counts.blocks.load(Relaxed) < envelopes / 1_000 {
        assert!(started.elapsed() < Duration::from_secs(300), "the envelopes are not taken");
        std::thread::sleep(Duration::from_millis(50));
    }
    screen.settle();
    let took = started.elapsed();
    // The pane of events, and what can be done there; the filter asks every row that is kept, at each letter.
    let keys = [
        "\x1b", "2", "g", "G", "\x1b[5~", "\x1b[5~", "\x1b[6~", "k", "k", "j", "g", "\x1b[6~", "j", "/", "r",
        "o", "u", "t", "e", "r", "\r", "g", "G", "\x1b", "/", "-", "t", "y", "p", "e", ":", "t", "e", "x",
        "t", "\r", "\x1b", "?", "\x1b", ":", "f", "\x1b", "f", "\r", "\x1b", "v", "v", "1", "g", "\x1b[6~",
        "G", "2", "3", "4", "\t", "2",
    ];
    let mut times = Vec::new();
    for round in 0..5 {
        for key in &keys[usize::from(round > 0)..] {
            // A lone Esc may be the begin of a sequence; the program waits a little for the rest.
            times.push((screen.press_until_drawn(key), *key));
            std::thread::sleep(Duration::from_millis(60));
        }
    }
    let memory = memory(screen.pid()).expect("it runs");
    let (slowest, key) = times.iter().max().expect("keys were pressed");
    let mut all = Times::default();
    times.iter().for_each(|(time, _)| all.push(*time));
    let rows = [
        vec![
            "resident memory, at most".into(),
            format!("{:.1} MiB (now {:.1})", memory.peak, memory.now),
            report.verdict(memory.peak < 150.0),
        ],
        vec![
            format!("from a key to its frame, slowest of {}", times.len()),
            format!("{:.1} ms (`{}`), median {:.1} ms", ms(*slowest), key.escape_debug(), ms(all.median())),
            report.verdict(*slowest <= Duration::from_millis(50)),
        ],
    ];
    let head = format!("{envelopes} envelopes, taken in {:.1} s", took.as_secs_f64());
    report.table(&[&head, "measured", "< 150 MiB; ≤ 50 ms"], &rows);
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
