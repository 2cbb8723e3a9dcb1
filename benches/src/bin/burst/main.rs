//! A burst of envelopes: `agentcall run --json`, which receives, checks and prints, beside `websocat`, which merely
//! prints.
//!
//! `burst [--write FILE]`; `BURST_ENVELOPES` and `BURST_ROUNDS` change the sizes while something is being tried.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use agentcall_benches::agent::Agent;
use agentcall_benches::frames::Stream;
use agentcall_benches::process::{Memory, Scratch, built, memory};
use agentcall_benches::report::Report;
use agentcall_benches::stats::{Times, ratio};

/// Envelopes in one block of the agent: how finely memory is sampled.
const BLOCK: usize = 1_000;

/// Memory that may grow by less than this, in MiB, over the second half of the burst is flat.
const FLAT: f64 = 2.0;

/// One way to take the burst.
struct Way {
    name: &'static str,
    times: Times,
    /// Peaks of resident memory when half had been sent, and at the end.
    peaks: Option<(f64, f64)>,
    /// Lines that it printed, the last time.
    lines: u64,
    /// Acks that the agent got, the last time.
    acks: u64,
}

impl Way {
    fn new(name: &'static str) -> Self {
        Self { name, times: Times::default(), peaks: None, lines: 0, acks: 0 }
    }
}

fn main() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (envelopes, rounds) = (number("BURST_ENVELOPES", 200_000), number("BURST_ROUNDS", 9));
    let mut report = Report::new("burst");
    let scratch = Scratch::new("burst");
    let scenario = scratch.path().join("burst.agentcall");
    std::fs::write(&scenario, "say go\nexpect event run.completed within 100s\nend\n")
        .expect("a file can be written");
    let scenario = scenario.to_str().expect("a plain path").to_owned();
    let agent = Agent::start(Stream::new(envelopes, envelopes, BLOCK), None);
    let half = envelopes / BLOCK as u64 / 2;
    let mut ways =
        [Way::new("websocat"), Way::new("agentcall run --json"), Way::new("agentcall run --json --no-acks")];
    // One round that does not count warms the caches.
    for round in 0..=rounds {
        for (at, way) in ways.iter_mut().enumerate() {
            let out = scratch.path().join("out");
            let mut command = match at {
                0 => websocat(&agent),
                _ => agentcall(&agent, &scenario, at == 2),
            };
            command.stdout(File::create(&out).expect("a file can be made"));
            let acks = agent.counts.acks.load(Relaxed);
            let blocks = agent.counts.blocks.load(Relaxed);
            let start = Instant::now();
            let child = command.stdin(Stdio::null()).spawn().expect("it is installed");
            let peaks = watched(child, || at != 0 && agent.counts.blocks.load(Relaxed) - blocks >= half);
            let took = start.elapsed();
            way.lines = lines(&out);
            way.acks = agent.counts.acks.load(Relaxed) - acks;
            assert!(way.lines >= envelopes, "{} printed {} lines of {envelopes}", way.name, way.lines);
            if round > 0 {
                way.times.push(took);
                way.peaks = peaks.or(way.peaks);
            }
        }
    }
    tell(&mut report, &ways);
    report.finish();
}

fn tell(report: &mut Report, ways: &[Way; 3]) {
    let mut rows = Vec::new();
    for (at, way) in ways.iter().enumerate() {
        let ratio = ratio(&way.times, &ways[0].times);
        let (memory, flat) = match way.peaks {
            Some((half, end)) => (format!("{half:.1} MiB, {end:.1} MiB"), end - half < FLAT),
            None => ("not looked at".to_owned(), true),
        };
        let verdict = if at == 0 { "peer".to_owned() } else { report.verdict(ratio <= 1.0 && flat) };
        rows.push(vec![
            format!("`{}`", way.name),
            way.times.spread(),
            format!("{ratio:.2}"),
            memory,
            way.lines.to_string(),
            way.acks.to_string(),
            verdict,
        ]);
    }
    report.table(
        &[
            "program",
            "time, median (least–most)",
            "ratio",
            "peak memory after half, at the end",
            "lines",
            "acks",
            "≤ 1, flat",
        ],
        &rows,
    );
}

fn websocat(agent: &Agent) -> Command {
    let mut command = Command::new("websocat");
    command.args(["-U", &agent.print_url()]);
    command
}

fn agentcall(agent: &Agent, scenario: &str, quiet: bool) -> Command {
    let mut command = Command::new(built("agentcall"));
    command
        .args(["run", "--local", "--json"])
        .args(quiet.then_some("--no-acks"))
        .args([&agent.origin(), scenario]);
    command
}

/// Waits for its end; its peaks of memory when `half` came true and at the last look.
fn watched(mut child: Child, half: impl Fn() -> bool) -> Option<(f64, f64)> {
    let (mut first, mut last): (Option<f64>, Option<f64>) = (None, None);
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert!(status.success(), "it ended with {status}");
            return first.zip(last);
        }
        if let Some(Memory { peak, .. }) = memory(child.id()) {
            if half() {
                first.get_or_insert(peak);
            }
            last = Some(peak);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn lines(path: &Path) -> u64 {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path).expect("it was made"));
    let mut count = 0;
    loop {
        let block = reader.fill_buf().expect("it can be read");
        if block.is_empty() {
            return count;
        }
        count += block.iter().filter(|byte| **byte == b'\n').count() as u64;
        let length = block.len();
        reader.consume(length);
    }
}
