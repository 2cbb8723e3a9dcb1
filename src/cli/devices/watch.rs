//! `agentcall devices --watch`: a line for each change of what is plugged in, until Ctrl-C.
//!
//! Readers tell by themselves. Cameras and sound are asked again: cameras when the system's list of nodes has changed,
//! sound every few seconds. No tag and no picture is looked at.

use std::time::Duration;

use tokio::time::{Instant, interval};

use super::inventory::{self, Found, Heard, Inventory};
use super::records;
use super::surroundings::Surroundings;
use super::text;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Form, Printer};
use crate::cli::signals::Signals;
use crate::client::devices::{DeviceSort, Trouble};
use crate::device::nfc::{self, Readers};
use crate::trace::found::{ChangeLine, ChangeRecord};
use crate::trace::output::OutputLine;

/// How often it is looked whether nodes of cameras came or went.
const NODES_EVERY: Duration = Duration::from_millis(500);
/// How often cameras are asked where the system has no nodes to look at.
const CAMERAS_EVERY: u32 = 10;
/// How often sound is asked.
const SOUND_EVERY: Duration = Duration::from_secs(3);

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A device is there that was not.
    Added(DeviceSort, Found),
    /// A device is gone.
    Removed(DeviceSort, Found),
    /// A device has other formats, or something else is wrong with it.
    Changed(DeviceSort, Found),
    /// Something is wrong with a whole sort.
    Trouble(DeviceSort, Trouble),
    /// It is so no more.
    Recovered(DeviceSort, Trouble),
}

/// What changed: what is gone first, then what is wrong, then what came.
pub fn changes(before: &Inventory, now: &Inventory) -> Vec<Change> {
    now.sections
        .iter()
        .flat_map(|section| {
            let sort = section.sort;
            let old = before.section(sort);
            let old_devices = old.map_or(&[][..], |old| &old.devices);
            let old_troubles = old.map_or(&[][..], |old| &old.troubles);
            let is_named = |found: &Found, name: &str| found.name == name;
            let gone = old_devices.iter().filter(|o| !section.devices.iter().any(|d| is_named(d, &o.name)));
            let over = old_troubles.iter().filter(|old| !section.troubles.contains(old));
            let wrong = section.troubles.iter().filter(|trouble| !old_troubles.contains(trouble));
            let other = section.devices.iter().filter_map(move |found| {
                match old_devices.iter().find(|old| is_named(old, &found.name)) {
                    None => Some(Change::Added(sort, found.clone())),
                    Some(old) if old != found => Some(Change::Changed(sort, found.clone())),
                    Some(_) => None,
                }
            });
            let gone = gone.cloned().map(move |found| Change::Removed(sort, found));
            let over = over.cloned().map(move |trouble| Change::Recovered(sort, trouble));
            let wrong = wrong.cloned().map(move |trouble| Change::Trouble(sort, trouble));
            gone.chain(over).chain(wrong).chain(other).collect::<Vec<_>>()
        })
        .collect()
}

impl Change {
    fn record(&self) -> ChangeRecord {
        let device = |what, sort, found: &Found, is_there: bool| ChangeRecord {
            what,
            sort: records::sort(sort),
            name: Some(found.name.clone()),
            device: is_there.then(|| records::found_record(sort, found)),
            trouble: None,
        };
        let whole = |what, sort, trouble: &Trouble| ChangeRecord {
            what,
            sort: records::sort(sort),
            name: None,
            device: None,
            trouble: Some(records::wrong(trouble)),
        };
        match self {
            Self::Added(sort, found) => device("added", *sort, found, true),
            Self::Removed(sort, found) => device("removed", *sort, found, false),
            Self::Changed(sort, found) => device("changed", *sort, found, true),
            Self::Trouble(sort, trouble) => whole("trouble", *sort, trouble),
            Self::Recovered(sort, trouble) => whole("recovered", *sort, trouble),
        }
    }

    /// `    3.204 + reader      ACS ACR122U`, then what it is, or what is wrong with it.
    fn lines(&self, at: Duration, width: usize) -> Vec<String> {
        let head = |mark: char, sort, text: &str| {
            format!("{:9.3} {mark} {:10}  {text}", at.as_secs_f64(), records::sort(sort))
        };
        let below = "                         ";
        let with = |mark, sort, found: &Found| {
            let mut lines =
                vec![head(mark, sort, &format!("{} · {}", found.name, found.parts().join(" · ")))];
            lines.extend(found.trouble.iter().flat_map(|trouble| text::trouble_lines(trouble, below, width)));
            lines
        };
        match self {
            Self::Added(sort, found) => with('+', *sort, found),
            Self::Changed(sort, found) => with('~', *sort, found),
            Self::Removed(sort, found) => vec![head('-', *sort, &found.name)],
            Self::Recovered(sort, trouble) => vec![head('+', *sort, &format!("over: {}", trouble.text))],
            Self::Trouble(sort, trouble) => {
                let mut lines = vec![head('!', *sort, &trouble.text)];
                lines.extend(trouble.hint.iter().map(|hint| format!("{below}→ {hint}")));
                lines
            }
        }
    }
}

/// Watches until a signal comes: that is how it is meant to end.
///
/// # Errors
/// When nobody reads what is written.
pub async fn watch(
    sorts: &[DeviceSort],
    mut heard: Heard,
    width: usize,
    signals: &mut Signals,
    printer: &mut Printer<'_>,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let wants = |sort| sorts.contains(&sort);
    let mut readers = wants(DeviceSort::Reader).then(nfc::watch);
    let (mut nodes, mut seen, mut ticks) = (interval(NODES_EVERY), video_nodes(), 0);
    let mut sound = interval(SOUND_EVERY);
    let mut before = Inventory::of(&heard, &Surroundings::here());
    loop {
        tokio::select! {
            _ = signals.next() => return Ok(Exit::Well),
            told = next(&mut readers) => match told {
                Some(told) => heard.readers = Some(told),
                None => readers = None,
            },
            _ = nodes.tick(), if wants(DeviceSort::Camera) => {
                ticks += 1;
                let now = video_nodes();
                let is_due = now != seen || (now.is_none() && ticks % CAMERAS_EVERY == 0);
                if !is_due {
                    continue;
                }
                seen = now;
                heard.cameras = Some(inventory::cameras().await);
            }
            _ = sound.tick(), if wants(DeviceSort::Microphone) || wants(DeviceSort::Speaker) => {
                heard.audio = Some(inventory::sound().await);
            }
        }
        let now = Inventory::of(&heard, &Surroundings::here());
        let at = start.elapsed();
        for change in changes(&before, &now).iter().filter(|change| wants(change.sort())) {
            match printer.form() {
                Form::Json => {
                    printer.json_soon(&OutputLine::Change(ChangeLine {
                        t: at.into(),
                        change: change.record(),
                    }))?;
                }
                Form::Text => change.lines(at, width).iter().try_for_each(|line| printer.line(line))?,
            }
        }
        printer.flush()?;
        before = now;
    }
}

impl Change {
    fn sort(&self) -> DeviceSort {
        match self {
            Self::Added(sort, _) | Self::Removed(sort, _) | Self::Changed(sort, _) => *sort,
            Self::Trouble(sort, _) | Self::Recovered(sort, _) => *sort,
        }
    }
}

/// The next list of readers; never, where none is watched.
async fn next(readers: &mut Option<tokio::sync::watch::Receiver<Readers>>) -> Option<Readers> {
    let Some(receiver) = readers else { return std::future::pending().await };
    receiver.changed().await.ok()?;
    Some(receiver.borrow_and_update().clone())
}

/// The nodes of cameras by name, without opening one; `None` where the system has none to look at.
fn video_nodes() -> Option<Vec<String>> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let entries = std::fs::read_dir("/dev").ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut nodes: Vec<String> = names.filter(|name| name.starts_with("video")).collect();
    nodes.sort();
    Some(nodes)
}
