//! What happens at devices: told between the frames, each trouble once and then counted, and what there is to scan with.

use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use super::hindrance::Hindrance;
use crate::client::devices::{CameraDid, DeviceEvent, DeviceReport, DeviceSort, Did, FoundDevice, Trouble};
use crate::client::event::Collection;
use crate::client::notice::{DeviceLine, Notice};
use crate::device::camera::CameraError;
use crate::device::nfc::{
    Happened, Over, ReaderEvent, ReaderInfo, ReaderKind, ReaderTrouble, Readers, select_reader,
};
use crate::protocol::Modality;

/// How often a trouble that stands is told again with its count.
const TOLD_EVERY: Duration = Duration::from_secs(1);
/// Most troubles that are counted; beyond them the oldest is forgotten, and told anew if it comes again.
const MOST_TROUBLES: usize = 32;
/// Most readers that get a line of their own.
const MOST_LINES: usize = 4;

/// What is known of devices.
#[derive(Debug, Default)]
pub(super) struct Devices {
    /// What the service said last; `None` where it is not asked.
    readers: Option<Readers>,
    /// The readers that were there when the service answered last.
    known: Vec<ReaderInfo>,
    /// Troubles that were told and are not over.
    standing: Vec<Standing>,
    hindrance: Hindrance,
    camera: Option<CameraRun>,
    /// Said for as long as it is known that the chosen camera is not there.
    no_camera: Option<Trouble>,
}

impl Devices {
    /// Takes what is known of the camera out of its line: it may change.
    pub(super) fn with_camera(camera: &mut DeviceLine) -> Self {
        Self { no_camera: camera.trouble.take(), ..Self::default() }
    }
}

/// A trouble that was told and is not over.
#[derive(Debug)]
struct Standing {
    reader: String,
    trouble: ReaderTrouble,
    times: u32,
    told: Duration,
}

/// A camera from the capture key until it is closed.
#[derive(Debug)]
struct CameraRun {
    id: Collection,
    asked: Duration,
    /// Its name, and since when it is open.
    open: Option<(String, Duration)>,
    has_delivered: bool,
    /// When it was told to close.
    ended: Option<Duration>,
}

impl Engine {
    // ── readers ──

    /// A reader tells what happens while it is armed, or with the tag that was read.
    pub(super) fn reader_happened(&mut self, id: Collection, at: Duration, event: ReaderEvent) {
        self.hinder(id, &event);
        let ReaderEvent { reader, what, .. } = event;
        match what {
            Happened::Trouble(trouble) => self.reader_trouble(at, reader, trouble),
            Happened::Recovered(_) => self.reader_recovered(at, reader, |_| true),
            what => {
                // Whatever was wrong with it, a tag is seen.
                self.devices.standing.retain(|standing| standing.reader != reader);
                self.tell_device(at, reader, Did::Reader(what), 1);
            }
        }
    }

    /// Keeps what hinders the armed scan, for as long as it does.
    fn hinder(&mut self, id: Collection, event: &ReaderEvent) {
        if self.physical.is_armed(Modality::Nfc, id) && self.devices.hindrance.take(event) {
            self.tell_physical();
        }
    }

    /// What hinders the scan that is armed, and whether it is reading a tag.
    pub(super) fn hindrance(&self) -> &Hindrance {
        &self.devices.hindrance
    }

    /// A new scan is hindered by nothing yet.
    pub(super) fn nothing_hinders(&mut self) {
        self.devices.hindrance = Hindrance::default();
    }

    /// The same trouble is told once, and then now and then with how often it came.
    fn reader_trouble(&mut self, at: Duration, reader: String, trouble: ReaderTrouble) {
        let standing = &mut self.devices.standing;
        let mut times = 1;
        if let Some(same) = standing.iter_mut().find(|s| s.reader == reader && s.trouble == trouble) {
            same.times = same.times.saturating_add(1);
            if at < same.told + TOLD_EVERY {
                return;
            }
            (same.told, times) = (at, same.times);
        } else {
            if standing.len() == MOST_TROUBLES {
                standing.remove(0);
            }
            standing.push(Standing { reader: reader.clone(), trouble: trouble.clone(), times: 1, told: at });
        }
        self.tell_device(at, reader, Did::Reader(Happened::Trouble(trouble)), times);
    }

    /// What was wrong and `is_over`, if anything was; with how often it came.
    fn reader_recovered(&mut self, at: Duration, reader: String, is_over: impl Fn(&ReaderTrouble) -> bool) {
        let is_over = |standing: &mut Standing| standing.reader == reader && is_over(&standing.trouble);
        let over: Vec<Standing> = self.devices.standing.extract_if(.., is_over).collect();
        let times = over.iter().map(|standing| standing.times).fold(0_u32, u32::saturating_add);
        if let Some(last) = over.last() {
            let recovered = Happened::Recovered(Over::of(&last.trouble));
            self.tell_device(at, reader, Did::Reader(recovered), times);
        }
    }

    /// The service tells which readers there are. What it tells first is how things are, and no news.
    pub(super) fn readers_changed(&mut self, now: Duration, readers: Readers) {
        let Some(wanted) = self.settings.watched.clone() else { return };
        if self.devices.readers.as_ref() == Some(&readers) {
            return;
        }
        let is_first = self.devices.readers.replace(readers.clone()).is_none();
        match readers.trouble {
            Some(trouble) => self.reader_trouble(now, String::new(), trouble),
            None => {
                // A reader that no scan waits at ends no scan's want of one.
                let is_usable = readers.readers.iter().any(|reader| is_chosen(reader, &wanted));
                self.reader_recovered(now, String::new(), |trouble| {
                    is_usable || Over::of(trouble) != Over::Absence
                });
                let before = std::mem::replace(&mut self.devices.known, readers.readers);
                if !is_first || !before.is_empty() {
                    self.tell_plugged(now, &before, &wanted);
                }
            }
        }
        self.tell_physical();
    }

    /// Tells which readers came and went. A slot for security modules is nobody's news (A8).
    fn tell_plugged(&mut self, now: Duration, before: &[ReaderInfo], wanted: &[String]) {
        let is_news = |reader: &&ReaderInfo| reader.kind != ReaderKind::SamSlot;
        let there = self.devices.known.clone();
        for gone in before.iter().filter(is_news).filter(|reader| !there.contains(reader)) {
            if is_chosen(gone, wanted) {
                let trouble = ReaderTrouble::Unplugged { reader: gone.name.clone() };
                self.reader_trouble(now, gone.name.clone(), trouble);
            } else {
                self.tell_device(now, gone.name.clone(), Did::Gone, 1);
            }
        }
        for new in there.iter().filter(is_news).filter(|reader| !before.contains(reader)) {
            self.devices.standing.retain(|standing| standing.reader != new.name);
            self.tell_device(now, new.name.clone(), Did::Appeared, 1);
        }
    }

    /// The chosen readers as far as they are there, or what is wrong.
    pub(super) fn reader_lines(&self) -> Vec<DeviceLine> {
        let chosen = &self.settings.reader;
        let (Some(wanted), Some(readers)) = (&self.settings.watched, &self.devices.readers) else {
            return vec![chosen.clone()];
        };
        let line = |name: &str, trouble: Option<Trouble>| DeviceLine {
            name: name.to_owned(),
            trouble,
            ..chosen.clone()
        };
        if let Some(trouble) = &readers.trouble {
            return vec![line(&chosen.name, Some(trouble.into()))];
        }
        let names: Vec<&str> = readers.readers.iter().map(|reader| reader.name.as_str()).collect();
        let mut lines: Vec<DeviceLine> = if wanted.is_empty() {
            readers.readers.iter().filter(|r| r.kind.is_for_tags()).map(|r| line(&r.name, None)).collect()
        } else {
            wanted.iter().map(|name| named(name, &names, line)).collect()
        };
        if lines.is_empty() {
            lines.push(line(&chosen.name, Some(none_for_tags(&names))));
        }
        let more = lines.len().saturating_sub(MOST_LINES);
        if more > 0 {
            lines.truncate(MOST_LINES - 1);
            lines.push(line(&format!("and {} more", more + 1), None));
        }
        lines
    }

    // ── the camera ──

    /// The chosen camera, and whether it is known that there is none.
    pub(super) fn camera_line(&self) -> DeviceLine {
        DeviceLine { trouble: self.devices.no_camera.clone(), ..self.settings.camera.clone() }
    }

    /// Somebody looked for devices; what came of it for the chosen camera is kept.
    pub(super) fn devices_listed(&mut self, report: DeviceReport) {
        let cameras = report.sections.iter().find(|section| section.sort == DeviceSort::Camera);
        if let Some(section) = cameras.filter(|section| !section.looking && section.trouble.is_none())
            && !self.settings.camera.simulated
        {
            let real: Vec<&FoundDevice> =
                section.devices.iter().filter(|found| !found.name.starts_with("SIMULATED")).collect();
            let chosen = self.settings.camera.name.to_lowercase();
            let before = self.devices.no_camera.clone();
            self.devices.no_camera = match before.clone() {
                None => real.is_empty().then(Trouble::no_camera),
                // That one of a name is missing is over when one of that name comes.
                Some(missing) if missing == Trouble::no_camera() => real.is_empty().then_some(missing),
                Some(missing) => Some(missing)
                    .filter(|_| !real.iter().any(|found| found.name.to_lowercase().contains(&chosen))),
            };
            if self.devices.no_camera != before {
                self.tell_physical();
            }
        }
        self.notify(Notice::Devices(Arc::new(report)));
    }

    /// It gives no picture. What comes of a camera that was given up meanwhile is nobody's news.
    pub(super) fn camera_failed(&mut self, now: Duration, id: Collection, error: &CameraError) {
        if !self.physical.is_armed(Modality::Photo, id) {
            return;
        }
        let run = self.devices.camera.as_ref().filter(|run| run.id == id);
        let opened = run.and_then(|run| run.open.as_ref()).map(|(name, _)| name.clone());
        let name = opened.unwrap_or_else(|| self.settings.camera.name.clone());
        self.devices.no_camera = Trouble::of_absence(error);
        let scrubbed = |text: String| self.scrubber.scrub(&text).into_owned();
        let trouble = Trouble::new(scrubbed(error.to_string()), error.hint());
        let did = CameraDid::Trouble { brief: scrubbed(error.brief()), trouble };
        self.tell_device(now, name, Did::Camera(did), 1);
    }

    /// The camera is asked to open.
    pub(super) fn camera_asked(&mut self, now: Duration, id: Collection) {
        self.devices.camera =
            Some(CameraRun { id, asked: now, open: None, has_delivered: false, ended: None });
    }

    /// It is open.
    pub(super) fn camera_opened(&mut self, now: Duration, id: Collection, name: String) {
        let Some(run) = self.devices.camera.as_mut().filter(|run| run.id == id && run.open.is_none()) else {
            return;
        };
        run.open = Some((name.clone(), now));
        self.devices.no_camera = None;
        let after = now.saturating_sub(run.asked);
        self.tell_device(now, name, Did::Camera(CameraDid::Opened { after }), 1);
    }

    /// A picture came of it.
    pub(super) fn camera_delivered(&mut self, now: Duration, id: Collection) {
        let Some(run) = self.devices.camera.as_mut().filter(|run| run.id == id && !run.has_delivered) else {
            return;
        };
        run.has_delivered = true;
        let after = now.saturating_sub(run.asked);
        if let Some((name, _)) = run.open.clone() {
            self.tell_device(now, name, Did::Camera(CameraDid::FirstFrame { after }), 1);
        }
    }

    /// It is told to close; `by_shutter` with a picture.
    pub(super) fn camera_ends(&mut self, now: Duration, by_shutter: bool) {
        let Some(run) = self.devices.camera.as_mut().filter(|run| run.ended.is_none()) else { return };
        run.ended = Some(now);
        if let Some((name, _)) = run.open.clone().filter(|_| by_shutter) {
            self.tell_device(now, name, Did::Camera(CameraDid::Shutter), 1);
        }
    }

    /// It is closed.
    pub(super) fn camera_closed(&mut self, now: Duration, id: Collection) {
        let Some(run) = self.devices.camera.take_if(|run| run.id == id) else { return };
        if let Some((name, opened)) = run.open {
            let open_for = now.saturating_sub(opened);
            let after = run.ended.map(|ended| now.saturating_sub(ended));
            self.tell_device(now, name, Did::Camera(CameraDid::Closed { open_for, after }), 1);
            self.tell_physical();
        }
    }

    /// Whether it is open.
    pub(super) fn is_camera_open(&self) -> bool {
        self.devices.camera.as_ref().is_some_and(|run| run.open.is_some())
    }

    fn tell_device(&mut self, at: Duration, name: String, did: Did, times: u32) {
        self.notify(Notice::Device(Arc::new(DeviceEvent { at, name, did, times })));
    }
}

/// Whether a scan waits at this reader: by one of these names, or because it is one for tags.
fn is_chosen(reader: &ReaderInfo, wanted: &[String]) -> bool {
    if wanted.is_empty() {
        return reader.kind.is_for_tags();
    }
    let name = reader.name.to_lowercase();
    wanted.iter().any(|wanted| name.contains(&wanted.to_lowercase()))
}

/// The line of a reader that was chosen by its name or a part of it.
fn named(wanted: &str, names: &[&str], line: impl Fn(&str, Option<Trouble>) -> DeviceLine) -> DeviceLine {
    match select_reader(wanted, names) {
        Ok(at) => line(names[at], None),
        Err(error) => line(wanted, Some((&ReaderTrouble::from(error)).into())),
    }
}

/// What is wrong where there is no reader for tags.
fn none_for_tags(names: &[&str]) -> Trouble {
    if names.is_empty() {
        return (&ReaderTrouble::NoReader).into();
    }
    let text = format!("no reader for tags is plugged in, only {}", names.join(", "));
    Trouble::new(
        text,
        Some("plug one in; it is picked up at once, or choose one of these with --reader".to_owned()),
    )
}
