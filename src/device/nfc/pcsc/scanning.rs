//! The thread of one scan: from the first call to the service to the tag that is taken off again.
//!
//! It has a context of its own and keeps going through everything that may pass: a service that is not there, is
//! restarted or frozen, readers that come and go, tags that are torn away, programs that hold them. Its end is the tag,
//! or its [`Stop`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::flow;
use super::super::flow::link::{Interrupted, Link};
use super::super::happening::{Happened, TagRead};
use super::super::trouble::ReaderTrouble;
use super::super::{RawTag, Scanned};
use super::choice::Choice;
use super::holders;
use super::service::{Change, Context, PcscError, Service, Watch};
use super::slots::Slots;
use super::stop::Stop;
use super::teller::Teller;

/// How long it waits for what.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Before a service that failed is asked again.
    pub again: Duration,
    /// One wait for a change; a service that does not return from it in time is frozen.
    pub slice: Duration,
    /// Between two listings, where the service does not tell of coming and going readers.
    pub listing: Duration,
    /// One wait for the tag that was read to be taken off.
    pub after: Duration,
    /// How long that is waited for.
    pub afterwards: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            again: Duration::from_millis(500),
            slice: Duration::from_secs(2),
            listing: Duration::from_secs(1),
            after: Duration::from_millis(500),
            afterwards: Duration::from_secs(120),
        }
    }
}

/// How often a read is begun anew after another program reset the tag.
const RESETS: usize = 3;

/// One scan.
pub struct Scanning<'a> {
    /// The service.
    pub service: &'a dyn Service,
    /// The readers.
    pub choice: &'a Choice,
    /// Where it is told.
    pub teller: &'a Teller,
    /// What ends it.
    pub stop: &'a Stop,
    /// How long it waits.
    pub pace: Pace,
    /// Whether the service tells of coming and going readers, as far as is known.
    pub plugging: bool,
    /// The reader on which the scan before read its tag. Where tags lie on several, one press after the other reads them all.
    pub read_last: &'a Mutex<Option<String>>,
}

/// What comes after a round at the readers.
enum Next {
    /// The readers have changed.
    List,
    /// The tag on this reader was read.
    Read(String),
    Stopped,
}

impl Scanning<'_> {
    /// Runs until a tag was read and given, and taken off again, or until it is stopped.
    pub fn run(&mut self, give: impl FnOnce(Scanned)) {
        let mut give = Some(give);
        let (mut was_up, mut was_refused) = (false, false);
        while !self.stop.is_set() {
            let failed = match self.within_a_context(&mut give, &mut was_up) {
                Ok(()) => return,
                Err(failed) => failed,
            };
            self.stop.arm(None);
            if give.is_none() {
                return;
            }
            // A daemon that dies while it greets looks like one that refuses: it is asked twice.
            let is_refused = failed == PcscError::NotAllowed;
            if !is_refused || std::mem::replace(&mut was_refused, true) {
                self.teller.trouble("", service_trouble(failed, was_up));
            }
            was_refused = is_refused;
            self.stop.pause(self.pace.again);
        }
    }

    fn within_a_context(
        &mut self,
        give: &mut Option<impl FnOnce(Scanned)>,
        was_up: &mut bool,
    ) -> Result<(), PcscError> {
        let context = self.stop.call(Duration::ZERO, || self.service.establish())?;
        self.stop.arm(Some(context.waker()));
        let mut slots = Slots::default();
        let mut first = true;
        let ended = loop {
            if self.stop.is_set() {
                break Ok(());
            }
            let present = match self.stop.call(Duration::ZERO, || context.readers()) {
                Ok(present) => present,
                Err(failed) => break Err(failed),
            };
            *was_up = true;
            let chosen = match self.choice.pick(&present) {
                Ok(chosen) => chosen,
                Err(trouble) => {
                    slots.close(&[], self.teller);
                    self.teller.trouble("", trouble);
                    match self.until_plugged(&*context, &present) {
                        Ok(()) => continue,
                        Err(failed) => break Err(failed),
                    }
                }
            };
            self.teller.there(&chosen);
            slots.close(&chosen, self.teller);
            match self.at_readers(&*context, &chosen, &mut slots, first, give) {
                Ok(Next::List) => first = false,
                Ok(Next::Read(_) | Next::Stopped) => break Ok(()),
                Err(failed) => break Err(failed),
            }
        };
        slots.close(&[], self.teller);
        ended
    }

    /// Waits until readers come or go, or for as long as a listing may be put off.
    fn until_plugged(&mut self, context: &dyn Context, present: &[String]) -> Result<(), PcscError> {
        if !self.plugging {
            self.stop.pause(self.pace.listing);
            return Ok(());
        }
        let mut watch = context.watch(&[], true);
        loop {
            match self.wait(&mut *watch, self.pace.slice)? {
                // It may only say how things are; and readers that came between the listing and the first wait are never
                // told of, so an answer of nothing is no reason not to look.
                Some(_) if self.stop.call(Duration::ZERO, || context.readers())? == present => {}
                Some(_) | None => return Ok(()),
            }
            if self.stop.is_set() {
                return Ok(());
            }
        }
    }

    /// One wait. `None` when readers are to be listed anew.
    fn wait(&mut self, watch: &mut dyn Watch, within: Duration) -> Result<Option<Vec<Change>>, PcscError> {
        match self.stop.call(within, || watch.wait(within)) {
            Ok(changes) => Ok(Some(changes)),
            Err(PcscError::Cancelled) => Ok(Some(Vec::new())),
            Err(PcscError::NoPlugging) => {
                self.plugging = false;
                Ok(None)
            }
            Err(PcscError::NoSuchReader) => Ok(None),
            Err(failed) => Err(failed),
        }
    }

    /// Waits at the chosen readers and reads the first tag.
    fn at_readers(
        &mut self,
        context: &dyn Context,
        chosen: &[String],
        slots: &mut Slots,
        mut first: bool,
        give: &mut Option<impl FnOnce(Scanned)>,
    ) -> Result<Next, PcscError> {
        let mut watch = context.watch(chosen, self.plugging);
        let mut listed = Instant::now();
        loop {
            let most = if self.plugging { self.pace.slice } else { self.pace.listing };
            let Some(changes) = self.wait(&mut *watch, slots.idle(most))? else {
                self.stop.pause(Duration::from_millis(100));
                return Ok(Next::List);
            };
            // Also where the service tells of readers: one that came between the listing and the first wait it does not.
            let mut plugged = listed.elapsed() >= most;
            for change in changes {
                match change {
                    Change::Plugged => plugged = true,
                    Change::Slot(slot) => slots.update(slot, first, self.teller),
                }
            }
            first = false;
            slots.settle(self.teller);
            if self.stop.is_set() {
                return Ok(Next::Stopped);
            }
            if plugged {
                listed = Instant::now();
                if self.are_others(context, chosen)? {
                    return Ok(Next::List);
                }
            }
            if let Next::Read(reader) = self.try_due(context, slots, give)? {
                self.until_taken_off(&mut *watch, &reader, slots)?;
                return Ok(Next::Read(reader));
            }
        }
    }

    /// Whether other readers are to be waited at than `chosen`; tells of the one that is gone.
    fn are_others(&self, context: &dyn Context, chosen: &[String]) -> Result<bool, PcscError> {
        let present = self.stop.call(Duration::ZERO, || context.readers())?;
        self.teller.recovered("");
        if let Some(gone) = chosen.iter().find(|name| !present.contains(name)) {
            self.teller.trouble(gone, ReaderTrouble::Unplugged { reader: gone.clone() });
        }
        Ok(self.choice.pick(&present).as_deref() != Ok(chosen))
    }

    /// Tries every tag that may be tried now.
    fn try_due(
        &self,
        context: &dyn Context,
        slots: &mut Slots,
        give: &mut Option<impl FnOnce(Scanned)>,
    ) -> Result<Next, PcscError> {
        let last = self.read_last().clone();
        while let Some(place) = slots.next_due(last.as_deref()) {
            place.due = None;
            let reader = place.slot.reader.clone();
            match self.try_one(context, &reader, &place.slot.atr)? {
                Tried::Read(scanned, read) => {
                    self.teller.recovered(&reader);
                    self.teller.tell(&reader, Happened::Read(read));
                    *self.read_last() = Some(reader.clone());
                    // All that is to be said of this press is said before its tag is given.
                    for other in slots.others(&reader) {
                        let another = ReaderTrouble::Another { reader: other.to_owned() };
                        self.teller.tell(other, Happened::Trouble(another));
                    }
                    if let Some(give) = give.take() {
                        give(scanned);
                    }
                    return Ok(Next::Read(reader));
                }
                Tried::Stopped => return Ok(Next::Stopped),
                Tried::Again => place.try_again(),
                Tried::Torn => place.due = Some(Instant::now() + AFTER_A_TEAR),
            }
        }
        Ok(Next::List)
    }

    fn read_last(&self) -> MutexGuard<'_, Option<String>> {
        self.read_last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_one(&self, context: &dyn Context, reader: &str, atr: &[u8]) -> Result<Tried, PcscError> {
        let again = |trouble| {
            self.teller.trouble(reader, trouble);
            Ok(Tried::Again)
        };
        let mut card = match self.stop.call(Duration::ZERO, || context.connect(reader)) {
            Ok(card) => card,
            Err(PcscError::NoTag) => return Ok(Tried::Again),
            Err(PcscError::Busy) => {
                return again(ReaderTrouble::Busy { reader: reader.to_owned(), holders: holders::running() });
            }
            Err(PcscError::Mute) => return again(ReaderTrouble::Mute { reader: reader.to_owned() }),
            Err(PcscError::Other(code)) => {
                return again(ReaderTrouble::Other { what: "the connection to the tag failed", code });
            }
            Err(failed) => return Err(failed),
        };
        for _ in 0..RESETS {
            let mut link = Link::new(&mut *card, self.stop.flag());
            let got = self.stop.call(READ_AT_MOST, || flow::read(&mut link, atr));
            let (apdus, took) = link.into_trace();
            match got {
                Ok(tag) => {
                    let RawTag::Read { technology, .. } = &tag else { return Ok(Tried::Again) };
                    let read = TagRead { technology, took, apdus };
                    return Ok(Tried::Read(Scanned { tag, reader: reader.to_owned() }, read));
                }
                Err(Interrupted::Stopped) => return Ok(Tried::Stopped),
                Err(Interrupted::Torn { after }) => {
                    self.teller.tell(reader, Happened::TornAway { after });
                    return Ok(Tried::Torn);
                }
                Err(Interrupted::Reset) => {
                    if card.reconnect().is_err() {
                        return Ok(Tried::Again);
                    }
                }
                Err(Interrupted::NoStatus) => {
                    return again(ReaderTrouble::NoStatus { reader: reader.to_owned() });
                }
                Err(Interrupted::Trouble(ReaderTrouble::Lost)) => return Err(PcscError::Lost),
                Err(Interrupted::Trouble(trouble)) => return again(trouble),
            }
        }
        again(ReaderTrouble::Busy { reader: reader.to_owned(), holders: holders::running() })
    }

    /// Waits until the tag that was read is taken off. No command goes to it any more.
    fn until_taken_off(
        &mut self,
        watch: &mut dyn Watch,
        reader: &str,
        slots: &mut Slots,
    ) -> Result<(), PcscError> {
        let end = Instant::now() + self.pace.afterwards;
        while slots.holds(reader) && self.teller.is_heard() && !self.stop.is_set() && Instant::now() < end {
            let Some(changes) = self.wait(watch, slots.idle(self.pace.after))? else { return Ok(()) };
            for change in changes {
                if let Change::Slot(slot) = change {
                    slots.update(slot, false, self.teller);
                }
            }
            slots.settle(self.teller);
        }
        Ok(())
    }
}

/// A read longer than this hangs: the largest tag has some hundred commands of 10 ms.
const READ_AT_MOST: Duration = Duration::from_secs(8);

/// A tag that was torn away is tried again when the service has seen it go and come. One that it never saw go, because it
/// came back at once, is tried after this: services look every 400 ms.
const AFTER_A_TEAR: Duration = Duration::from_millis(600);

/// What came of trying a tag.
enum Tried {
    Read(Scanned, TagRead),
    /// It went away in the middle of it.
    Torn,
    Again,
    Stopped,
}

/// What a failure of the service means.
pub fn service_trouble(failed: PcscError, was_up: bool) -> ReaderTrouble {
    match failed {
        PcscError::NotRunning if was_up => ReaderTrouble::Lost,
        PcscError::NotRunning => ReaderTrouble::NotRunning,
        PcscError::Lost => ReaderTrouble::Lost,
        PcscError::NotAllowed => ReaderTrouble::NotAllowed,
        PcscError::Other(code) => ReaderTrouble::Other { what: "the PC/SC service failed", code },
        other => ReaderTrouble::Other { what: "the PC/SC service failed", code: format!("{other:?}") },
    }
}
