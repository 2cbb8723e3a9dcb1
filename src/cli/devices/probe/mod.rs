//! `agentcall devices --probe`: reads one tag and one frame, as often as was asked, and tells times and sizes.
//!
//! The command line is the user's own consent, for as many collections as it names: each run mints one, and the screen
//! says what is armed while it lasts. No agent is connected. What was read is dropped at once; nothing of it is told.

mod camera;
mod csv;
mod reader;
mod spread;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, interval};

use super::records;
use crate::cli::exit::{Exit, Failure, Kind};
use crate::cli::output::{Form, Printer};
use crate::cli::signals::{Signals, interrupted};
use crate::client::devices::DeviceSort;
use crate::trace::found::{ProbeLine, ProbeRecord, ProbesLine, ProbesRecord, WaitingLine, WaitingRecord};
use crate::trace::output::OutputLine;

pub use camera::CameraTarget;
pub use csv::vacant;
pub use reader::ReaderTarget;
use text::Look;

/// What is probed, and how.
pub struct Plan {
    /// The readers, armed together; none are probed if there is none.
    pub reader: Option<ReaderTarget>,
    /// The camera.
    pub camera: Option<CameraTarget>,
    /// How often each.
    pub repeat: u32,
    /// How long each run waits.
    pub within: Duration,
    /// Where the table of all runs goes.
    pub csv: Option<PathBuf>,
}

/// What a run says while it lasts.
pub enum Say {
    /// A line for people, and what to do.
    Line(String, Option<String>),
}

/// One device and everything that was read with it.
enum Target {
    Reader(ReaderTarget),
    Camera(CameraTarget),
}

impl Target {
    fn sort(&self) -> DeviceSort {
        match self {
            Self::Reader(_) => DeviceSort::Reader,
            Self::Camera(_) => DeviceSort::Camera,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Reader(target) => target.name(),
            Self::Camera(target) => target.name(),
        }
    }

    /// How many devices stand behind it.
    fn count(&self) -> usize {
        match self {
            Self::Reader(target) => target.count(),
            Self::Camera(_) => 1,
        }
    }

    /// What the user is to do, while it is armed.
    fn asks(&self) -> String {
        let name = self.name();
        match self {
            Self::Reader(target) if target.is_simulated() => format!("A demo tag is placed on {name}"),
            Self::Reader(_) => format!("ARMED: hold a tag to {name}"),
            Self::Camera(_) => format!("OPEN: {name} takes one picture"),
        }
    }

    async fn run(&mut self, within: Duration, say: &mut dyn FnMut(Say)) -> ProbeRecord {
        match self {
            Self::Reader(target) => target.run(within, say).await,
            Self::Camera(target) => target.run(within, say).await,
        }
    }
}

/// Probes what is planned. A run in which nothing was read makes the exit code that of a device.
///
/// # Errors
/// [`Kind::Device`] when a run failed, [`Kind::Usage`] when the table cannot be written; what a signal ended.
pub async fn probe(
    plan: Plan,
    width: usize,
    signals: &mut Signals,
    printer: &mut Printer<'_>,
) -> Result<Exit, Failure> {
    let mut table = plan.csv.as_deref().map(csv::Table::create).transpose()?;
    let start = Instant::now();
    let readers = plan.reader.into_iter().map(Target::Reader);
    let cameras = plan.camera.into_iter().map(Target::Camera);
    let mut has_failed = false;
    for mut target in readers.chain(cameras) {
        let mut runs: Vec<ProbeRecord> = Vec::new();
        let mut ended = None;
        for number in 1..=plan.repeat {
            let mut out = Out { printer, start, width };
            out.waiting(&target, plan.within, number, plan.repeat)?;
            let run = tokio::select! {
                biased;
                signal = signals.next() => {
                    ended = Some(interrupted(signal));
                    break;
                }
                run = one(&mut target, plan.within, (number, plan.repeat), &mut out) => run?,
            };
            let run = ProbeRecord { run: number, ..run };
            table.iter_mut().try_for_each(|table| table.row(start.elapsed(), &run))?;
            has_failed |= !run.ok;
            out.done(&target, &run, plan.repeat)?;
            runs.push(run);
        }
        if plan.repeat > 1 && !runs.is_empty() {
            Out { printer, start, width }.all(&target, &runs)?;
        }
        if let Some(ended) = ended {
            printer.countdown("");
            return Err(ended);
        }
    }
    if has_failed { Err(Failure::silent(Kind::Device)) } else { Ok(Exit::Well) }
}

/// One run, with its countdown.
async fn one(
    target: &mut Target,
    within: Duration,
    (number, of): (u32, u32),
    out: &mut Out<'_, '_>,
) -> Result<ProbeRecord, Failure> {
    let number = if of > 1 { format!(" ({number} of {of})") } else { String::new() };
    let asks = format!("{}{number}", target.asks());
    let armed = Instant::now();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let mut say = move |said| drop(tell.send(said));
    let mut run = std::pin::pin!(target.run(within, &mut say));
    let mut second = interval(Duration::from_secs(1));
    let record = loop {
        tokio::select! {
            biased;
            Some(said) = told.recv() => out.say(&said)?,
            record = &mut run => break record,
            _ = second.tick() => {
                let left = within.saturating_sub(armed.elapsed());
                out.printer.countdown(&format!("{asks} · {} s · Ctrl-C stops", left.as_secs_f64().round()));
            }
        }
    };
    while let Ok(said) = told.try_recv() {
        out.say(&said)?;
    }
    out.printer.countdown("");
    Ok(record)
}

/// Where it is told.
struct Out<'a, 'p> {
    printer: &'a mut Printer<'p>,
    start: Instant,
    width: usize,
}

impl Out<'_, '_> {
    fn waiting(&mut self, target: &Target, within: Duration, run: u32, of: u32) -> Result<(), Failure> {
        if self.printer.form() == Form::Text {
            // Where the countdown itself cannot be shown, this is what says that something is armed.
            if run == 1 && !self.printer.is_live() {
                let times = if of > 1 { format!("{of} times, each ") } else { String::new() };
                let seconds = within.as_secs_f64();
                self.printer.aside(&format!("{}, {times}for at most {seconds} s.", target.asks()));
            }
            return Ok(());
        }
        let waiting = WaitingRecord {
            sort: records::sort(target.sort()),
            name: target.name(),
            seconds: within.as_secs_f64(),
        };
        self.printer.json(&OutputLine::Waiting(WaitingLine { t: self.start.elapsed().into(), waiting }))
    }

    fn look(&self, target: &Target) -> Look {
        Look { width: self.width, devices: target.count() }
    }

    fn say(&mut self, said: &Say) -> Result<(), Failure> {
        let Say::Line(text, hint) = said;
        self.printer.countdown("");
        self.printer.aside(&format!("  {text}"));
        hint.iter().for_each(|hint| self.printer.aside(&format!("    → {hint}")));
        Ok(())
    }

    fn done(&mut self, target: &Target, run: &ProbeRecord, of: u32) -> Result<(), Failure> {
        match self.printer.form() {
            Form::Json => {
                let t = self.start.elapsed().into();
                self.printer.json(&OutputLine::Probe(ProbeLine { t, probe: run.clone() }))
            }
            Form::Text => self.look(target).run(run, of).iter().try_for_each(|line| self.printer.line(line)),
        }
    }

    fn all(&mut self, target: &Target, runs: &[ProbeRecord]) -> Result<(), Failure> {
        let is_reader = target.sort() == DeviceSort::Reader;
        let of_reader = |count: usize| is_reader.then_some(count);
        let probes = ProbesRecord {
            sort: records::sort(target.sort()),
            name: target.name(),
            runs: runs.len(),
            ok: runs.iter().filter(|run| run.ok).count(),
            with_ndef: of_reader(runs.iter().filter(|run| run.ndef_bytes.is_some()).count()),
            damaged: of_reader(runs.iter().filter(|run| run.damaged).count()),
            torn: of_reader(runs.iter().filter_map(|run| run.torn).sum()),
            times: spread::of(runs),
        };
        match self.printer.form() {
            Form::Json => {
                self.printer.json(&OutputLine::Probes(ProbesLine { t: self.start.elapsed().into(), probes }))
            }
            Form::Text => self.look(target).all(&probes).iter().try_for_each(|line| self.printer.line(line)),
        }
    }
}

#[cfg(test)]
mod tests;
