//! `agentcall devices --watch`: a line for each change of what is plugged in, until Ctrl-C.
//!
//! Readers tell by themselves. Cameras and sound are asked again: cameras when the system's list of nodes has changed,
//! sound every few seconds. No tag and no picture is looked at.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::asked::{AUTO, Asked, Awaited};
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

/// Says which names are waited for, and what there is instead: a name may be misspelt.
///
/// # Errors
/// When nobody reads what is written.
pub fn waiting(awaited: &[Awaited], there: &Inventory, printer: &mut Printer<'_>) -> Result<(), Failure> {
    for Awaited { sort, name } in awaited {
        let word = records::sort(*sort);
        if printer.form() == Form::Json {
            let change = ChangeRecord {
                what: "waiting",
                sort: word,
                name: Some(name.clone()),
                device: None,
                trouble: None,
            };
            printer.json(&OutputLine::Change(ChangeLine { t: Duration::ZERO.into(), change }))?;
            continue;
        }
        let named = if name == AUTO { format!("a {word}") } else { format!("the {word} \"{name}\"") };
        let devices = there.section(*sort).map_or(&[][..], |section| &section.devices);
        let names: Vec<&str> = devices.iter().map(|found| found.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        printer.line(&format!("Waiting for {named}; what there is now: {names}."))?;
        printer.flush()?;
    }
    Ok(())
}

/// Watches until a signal comes: that is how it is meant to end.
///
/// # Errors
/// When nobody reads what is written.
pub async fn watch(
    sorts: &[DeviceSort],
    asked: &Asked,
    mut heard: Heard,
    width: usize,
    signals: &mut Signals,
    printer: &mut Printer<'_>,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let wants = |sort| sorts.contains(&sort);
    let has_sound = wants(DeviceSort::Microphone) || wants(DeviceSort::Speaker);
    let mut readers = wants(DeviceSort::Reader).then(nfc::watch);
    let (mut nodes, mut seen, mut ticks) = (interval(NODES_EVERY), video_nodes(), 0);
    let mut sound = interval(SOUND_EVERY);
    sound.set_missed_tick_behavior(MissedTickBehavior::Delay);
    nodes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Each takes seconds where a server or a driver hangs. Meanwhile readers are told of, and a signal ends it.
    let (mut listing, mut listening) = (None, None);
    let mut before = asked.now(&Inventory::of(&heard, &Surroundings::here()));
    loop {
        tokio::select! {
            biased;
            _ = signals.next() => return Ok(Exit::Well),
            told = next(&mut readers) => match told {
                Some(told) => heard.readers = Some(told),
                None => readers = None,
            },
            cameras = ended(&mut listing) => heard.cameras = Some(cameras),
            audio = ended(&mut listening) => heard.audio = Some(audio),
            _ = nodes.tick(), if wants(DeviceSort::Camera) && listing.is_none() => {
                ticks += 1;
                let now = video_nodes();
                let is_due = now != seen || (now.is_none() && ticks % CAMERAS_EVERY == 0);
                if is_due {
                    seen = now;
                    listing = Some(inventory::cameras().boxed());
                }
                continue;
            }
            _ = sound.tick(), if has_sound && listening.is_none() => {
                listening = Some(inventory::sound().boxed());
                continue;
            }
        }
        let now = asked.now(&Inventory::of(&heard, &Surroundings::here()));
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

/// What work that goes on comes to; never, where none does.
async fn ended<T>(work: &mut Option<BoxFuture<'static, T>>) -> T {
    let Some(going) = work else { return std::future::pending().await };
    let ended = going.await;
    *work = None;
    ended
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
