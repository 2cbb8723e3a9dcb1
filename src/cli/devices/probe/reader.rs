//! One tag: armed, waited for, read, dropped.

use std::time::{Duration, Instant};

use super::Say;
use crate::device::nfc::{
    Happened, NfcError, NfcReader, Placer, RawTag, ReaderEvent, TagRead, TagSpec, Told,
};
use crate::device::{Armed, ArmedBy, DeviceKind};
use crate::trace::found::{ProbeRecord, TimeRecord, WrongRecord};
use crate::words::sentence;

/// The readers that are probed, and the tag that is placed if they are simulated.
pub struct ReaderTarget {
    reader: Box<dyn NfcReader>,
    placed: Option<(Placer, TagSpec)>,
    count: usize,
}

/// What was told while it was armed.
#[derive(Default)]
struct Seen {
    tag: Option<Instant>,
    read: Option<TagRead>,
    torn: usize,
}

impl ReaderTarget {
    /// These readers; `placed` is put on a simulated one at each run.
    pub fn new(reader: Box<dyn NfcReader>, placed: Option<(Placer, TagSpec)>) -> Self {
        Self { reader, placed, count: 1 }
    }

    /// So many readers, armed together.
    #[must_use]
    pub fn of(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// How many readers are armed together.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What screens call it.
    pub fn name(&self) -> String {
        self.reader.label()
    }

    /// Whether its tags are files.
    pub fn is_simulated(&self) -> bool {
        self.reader.is_simulated()
    }

    /// Waits for one tag and reads it.
    pub async fn run(&mut self, within: Duration, say: &mut dyn FnMut(Say)) -> ProbeRecord {
        let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, within);
        let start = Instant::now();
        if let Some((placer, tag)) = &self.placed {
            placer.place(tag.clone());
        }
        let name = self.name();
        let (told, mut events) = Told::channel();
        let mut seen = Seen::default();
        let scanned = {
            let mut scan = self.reader.scan(&armed, told);
            loop {
                tokio::select! {
                    biased;
                    Some(event) = events.recv() => seen.take(event, say),
                    scanned = &mut scan => break scanned,
                }
            }
        };
        let end = Instant::now();
        while let Ok(event) = events.try_recv() {
            seen.take(event, say);
        }
        // Whether the tag is taken off again is not waited for: with the channel the watch over it ends.
        match scanned {
            Ok(scanned) => seen.record(scanned.reader, &scanned.tag, start, end),
            Err(error) => failed(name, &error, seen.torn),
        }
    }
}

impl Seen {
    fn take(&mut self, event: ReaderEvent, say: &mut dyn FnMut(Say)) {
        let text = event.to_string();
        match event.what {
            Happened::Inserted { .. } => self.tag = Some(event.at),
            Happened::Read(read) => self.read = Some(read),
            Happened::Trouble(trouble) => say(Say::Line(text, trouble.hint())),
            Happened::TornAway { .. } => {
                self.torn += 1;
                say(Say::Line(text, None));
            }
            Happened::Recovered(_) => say(Say::Line(text, None)),
            Happened::Flickered { .. } | Happened::Removed => {}
        }
    }

    fn record(self, name: String, tag: &RawTag, start: Instant, end: Instant) -> ProbeRecord {
        let came = self.tag.unwrap_or(end);
        let (technology, ndef) = kind(tag);
        let mut times = vec![time("tag", came.saturating_duration_since(start))];
        match &self.read {
            Some(read) => times.extend([time("read", read.took), time("apdus", read.in_apdus())]),
            None => times.push(time("read", end.saturating_duration_since(came))),
        }
        ProbeRecord {
            sort: "reader",
            name,
            run: 1,
            ok: true,
            technology: Some(technology.to_owned()),
            ndef_bytes: ndef.as_ref().ok().copied(),
            no_ndef: ndef.err(),
            damaged: matches!(tag, RawTag::Read { ndef: Err(none), .. } if none.damaged),
            apdus: self.read.iter().flat_map(|read| &read.apdus).map(Into::into).collect(),
            times,
            torn: Some(self.torn),
            ..ProbeRecord::default()
        }
    }
}

/// What kind of tag it is, and how large its message, or why it has none.
fn kind(tag: &RawTag) -> (&str, Result<usize, String>) {
    match tag {
        RawTag::Read { technology, ndef, .. } => {
            (technology, ndef.as_ref().map(|bytes| bytes.len()).map_err(|none| sentence(&none.why)))
        }
        RawTag::NdefMessage { bytes, .. } => ("NDEF file", Ok(bytes.len())),
        RawTag::Type2Memory { .. } => {
            ("Type 2 memory file", Err("Files of memory are not looked into here.".into()))
        }
        RawTag::FlipperFile(_) => ("Flipper file", Err("Flipper files are not looked into here.".into())),
        RawTag::UidOnly(_) => ("id only", Err("Nothing but the id was read.".into())),
    }
}

fn failed(name: String, error: &NfcError, torn: usize) -> ProbeRecord {
    let hint = match error {
        NfcError::Trouble(trouble) => trouble.hint(),
        NfcError::TimedOut => {
            Some("hold it flat on the middle of the reader, or give more time with --within".into())
        }
        _ => None,
    };
    let trouble = Some(WrongRecord { text: sentence(&error.to_string()), hint });
    ProbeRecord { sort: "reader", name, run: 1, torn: Some(torn), trouble, ..ProbeRecord::default() }
}

pub(super) fn time(what: &'static str, time: Duration) -> TimeRecord {
    TimeRecord { what, us: u64::try_from(time.as_micros()).unwrap_or(u64::MAX) }
}
