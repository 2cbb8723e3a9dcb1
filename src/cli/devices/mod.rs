//! `agentcall devices`: what is plugged in, what it can do, what is wrong and how to mend it; and the choice of devices
//! for a session.
//!
//! Order: [`inventory`] asks for every sort at once, [`asked`] takes what was named out of it, [`text`] or [`records`]
//! show it; then [`watch`] tells of changes, or [`probe`] reads one tag and one frame.

mod advice;
mod asked;
mod choice;
mod inventory;
mod late;
mod pane;
mod probe;
mod records;
mod sound;
mod surroundings;
mod text;
mod watch;

use std::io::IsTerminal;

use self::asked::Asked;
use self::choice::simulated_reader;
use self::inventory::{Facts, Found, Heard, Inventory};
use self::probe::{CameraTarget, Plan, ReaderTarget};
use self::surroundings::Surroundings;
use super::args::DevicesArgs;
use super::exit::{Exit, Failure, Kind};
use super::kit::Kit;
use super::output::{Form, Printer};
use super::signals::{Signals, interrupted};
use crate::client::devices::DeviceSort;
use crate::device::camera::simulated::simulated_cameras;
use crate::device::camera::{self, Camera, CameraProgram, Webcam};
use crate::device::nfc::{Choice, PcscReaders, TagSpec};
use crate::trace::output::OutputLine;

pub use asked::{AUTO, SIMULATED};
pub use choice::{Absent, Devices, Wanted};
pub use pane::lister;

/// How wide the text is where nobody says it.
const WIDTH: usize = 100;
/// The narrowest and the widest that it becomes.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=200;

/// Lists devices; watches or probes them if asked.
///
/// # Errors
/// [`Kind::Device`] when something that was asked for is not there, or could not be read.
pub async fn devices(args: &DevicesArgs, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    let asked = Asked {
        readers: args.reader.clone(),
        camera: args.camera.clone(),
        microphone: args.microphone.clone(),
        speaker: args.speaker.clone(),
    };
    args.csv.as_deref().map_or(Ok(()), probe::vacant)?;
    let sorts = sorts(args, &asked);
    let width = width();
    // From here to the end: a signal between two parts must not be lost.
    let mut signals = Signals::listen()?;
    let heard = tokio::select! {
        heard = Heard::of(&sorts) => heard,
        signal = signals.next() => return Err(interrupted(signal)),
    };
    let mut inventory = Inventory::of(&heard, &Surroundings::here());
    inventory.sections.retain(|section| sorts.contains(&section.sort));
    if args.watch {
        // What is named and not there yet is what is waited for; of what is ambiguous, nobody can say which is meant.
        let (chosen, awaited) = match asked.narrow_to_come(&inventory) {
            Ok(chosen) => chosen,
            Err(failure) => {
                show(&inventory, width, printer)?;
                return Err(failure);
            }
        };
        show(&chosen, width, printer)?;
        watch::waiting(&awaited, &inventory, printer)?;
        return watch::watch(&sorts, &asked, heard, width, &mut signals, printer).await;
    }
    let chosen = match asked.narrow(&inventory) {
        Ok(chosen) => chosen,
        Err(failure) => {
            show(&inventory, width, printer)?;
            return Err(failure);
        }
    };
    show(&chosen, width, printer)?;
    if !args.probe {
        return Ok(Exit::Well);
    }
    if printer.form() == Form::Text {
        printer.line("")?;
    }
    let kit = Kit::lay_out()?;
    probe::probe(plan(args, &asked, &chosen, &kit)?, width, &mut signals, printer).await
}

/// What is looked for: with a probe, of which nothing is named, the sorts that can be probed.
fn sorts(args: &DevicesArgs, asked: &Asked) -> Vec<DeviceSort> {
    if args.probe && *asked == Asked::default() {
        vec![DeviceSort::Reader, DeviceSort::Camera]
    } else {
        asked.sorts()
    }
}

fn show(inventory: &Inventory, width: usize, printer: &mut Printer<'_>) -> Result<(), Failure> {
    if printer.form() == Form::Text {
        return text::lines(inventory, width).iter().try_for_each(|line| printer.line(line));
    }
    for section in &inventory.sections {
        for line in records::found_lines(section) {
            printer.json_soon(&OutputLine::Found(line))?;
        }
        for line in records::trouble_lines(section) {
            printer.json_soon(&OutputLine::Trouble(line))?;
        }
    }
    printer.flush()
}

/// What is probed: what is named, or else every real reader and the first real camera.
fn plan(args: &DevicesArgs, asked: &Asked, chosen: &Inventory, kit: &Kit) -> Result<Plan, Failure> {
    let found = |sort| chosen.section(sort).map_or(&[][..], |section| &section.devices);
    let reader = reader_target(&asked.readers, found(DeviceSort::Reader), kit)?;
    let camera = camera_target(asked.camera.as_deref(), found(DeviceSort::Camera))?;
    if reader.is_none() && camera.is_none() {
        let failure = Failure::new(Kind::Device, "there is neither a reader nor a camera to probe");
        return Err(failure.hint("--reader simulated and --camera simulated are always there.".to_owned()));
    }
    Ok(Plan { reader, camera, repeat: args.repeat, within: args.within, csv: args.csv.clone() })
}

fn reader_target(names: &[String], found: &[Found], kit: &Kit) -> Result<Option<ReaderTarget>, Failure> {
    let real: Vec<String> = found
        .iter()
        .filter(|found| match found.facts {
            Facts::Reader(kind) => !names.is_empty() || kind.is_for_tags(),
            _ => false,
        })
        .map(|found| found.name.clone())
        .collect();
    if !real.is_empty() {
        let count = real.len();
        let target = ReaderTarget::new(Box::new(PcscReaders::new(Choice::Named(real))), None);
        return Ok(Some(target.of(count)));
    }
    if names.is_empty() || found.is_empty() {
        return Ok(None);
    }
    let (reader, placer) = simulated_reader();
    let Some(tag) = kit.tags(None)?.into_iter().next() else { return Ok(None) };
    let tag = TagSpec::parse(&tag.spec).map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
    Ok(Some(ReaderTarget::new(reader, placer.map(|placer| (placer, tag)))))
}

fn camera_target(name: Option<&str>, found: &[Found]) -> Result<Option<CameraTarget>, Failure> {
    let program = CameraProgram::this();
    let real = found.iter().filter_map(|found| match &found.facts {
        Facts::Camera(info) => Some(Box::new(Webcam::new(info.clone(), program.clone())) as Box<dyn Camera>),
        _ => None,
    });
    let name = match name {
        Some(name) if name != AUTO => name.to_owned(),
        _ => match found.iter().find(|found| !found.is_simulated()) {
            Some(first) => first.name.clone(),
            None => return Ok(None),
        },
    };
    let cameras = real.chain(simulated_cameras(None, &program)).collect();
    let camera = camera::choose(&name, &program, cameras)
        .map_err(|error| Failure::new(Kind::Device, error.to_string()).hint(error.hint()))?;
    Ok(Some(CameraTarget::new(camera)))
}

/// The columns of the terminal; where there is none, those of COLUMNS.
fn width() -> usize {
    let of_terminal = || {
        let is_terminal = std::io::stdout().is_terminal();
        is_terminal.then(crossterm::terminal::size).and_then(Result::ok).map(|(columns, _)| columns.into())
    };
    let of_variable = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width: usize = of_terminal().or_else(of_variable).unwrap_or(WIDTH);
    width.clamp(*WIDTHS.start(), *WIDTHS.end())
}

#[cfg(test)]
mod tests;
