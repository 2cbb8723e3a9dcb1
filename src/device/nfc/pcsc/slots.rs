//! The readers at which a scan waits: what lies on each, since when, and when it may be tried.

use std::time::{Duration, Instant};

use super::super::flow::atr;
use super::super::happening::Happened;
use super::service::Slot;
use super::teller::Teller;

/// A tag that is back within this time was never away: hands shake, and fields have edges.
pub const DEBOUNCE: Duration = Duration::from_millis(300);

/// One reader.
#[derive(Debug)]
pub struct Place {
    /// As the service last said.
    pub slot: Slot,
    /// Whether its tag was told of.
    told: bool,
    /// Since when it is gone, not told yet.
    gone: Option<Instant>,
    /// When it may be tried; never before something changes, if `None`.
    pub due: Option<Instant>,
    /// How often it was tried in vain since something changed.
    pub tries: u32,
}

/// All readers of a scan, in the order of choice.
#[derive(Debug, Default)]
pub struct Slots(Vec<Place>);

impl Slots {
    /// What the service says of one reader now. `first` is set for what lay there when the reader was armed.
    pub fn update(&mut self, slot: Slot, first: bool, teller: &Teller) {
        let now = Instant::now();
        let at = self.0.iter().position(|place| place.slot.reader == slot.reader).unwrap_or_else(|| {
            let slot = Slot { reader: slot.reader.clone(), ..Slot::default() };
            self.0.push(Place { slot, told: false, gone: None, due: None, tries: 0 });
            self.0.len() - 1
        });
        let place = &mut self.0[at];
        let present = slot.present && !atr::is_sam(&slot.atr);
        // Two counts more at once: it went and came between two looks.
        let came_again = place.told && place.gone.is_none() && slot.count.wrapping_sub(place.slot.count) >= 2;
        let reader = slot.reader.clone();
        let changed = place.slot.present != present || place.slot.mute != slot.mute || came_again;
        place.slot = Slot { present, ..slot };
        if !present {
            place.due = None;
            if place.told && place.gone.is_none() {
                place.gone = Some(now);
            }
            return;
        }
        match place.gone.take() {
            Some(gone) => teller.tell(&reader, Happened::Flickered { gone: gone.elapsed() }),
            None if came_again => teller.tell(&reader, Happened::Flickered { gone: Duration::ZERO }),
            None if !place.told => teller.tell(&reader, Happened::Inserted { lay_there: first }),
            None => {}
        }
        place.told = true;
        if changed {
            (place.due, place.tries) = (Some(now), 0);
        }
    }

    /// Tells of the tags that have been gone for long enough.
    pub fn settle(&mut self, teller: &Teller) {
        for place in &mut self.0 {
            if place.gone.is_some_and(|gone| gone.elapsed() >= DEBOUNCE) {
                (place.gone, place.told) = (None, false);
                teller.taken_off(&place.slot.reader);
            }
        }
    }

    /// The readers are not watched any more: what lies on them counts as taken off, in pairs (A14).
    pub fn close(&mut self, kept: &[String], teller: &Teller) {
        for place in &mut self.0 {
            if !kept.contains(&place.slot.reader) && std::mem::take(&mut place.told) {
                teller.taken_off(&place.slot.reader);
            }
        }
        self.0.retain(|place| kept.contains(&place.slot.reader));
    }

    /// The first reader whose tag may be tried now; this one comes last.
    pub fn next_due(&mut self, last: Option<&str>) -> Option<&mut Place> {
        let now = Instant::now();
        let is_due = |place: &&mut Place| place.slot.present && place.due.is_some_and(|due| due <= now);
        self.0.iter_mut().filter(is_due).min_by_key(|place| last == Some(place.slot.reader.as_str()))
    }

    /// How long nothing need be done, at most `most`.
    pub fn idle(&self, most: Duration) -> Duration {
        let now = Instant::now();
        let dues = self.0.iter().filter(|place| place.slot.present).filter_map(|place| place.due);
        let settles = self.0.iter().filter_map(|place| place.gone).map(|gone| gone + DEBOUNCE);
        let soonest = dues.chain(settles).map(|at| at.saturating_duration_since(now)).min();
        soonest.map_or(most, |idle| idle.min(most))
    }

    /// Other readers than this on which a tag lies.
    pub fn others<'a>(&'a self, reader: &'a str) -> impl Iterator<Item = &'a str> {
        let present = self.0.iter().filter(move |place| place.slot.present && place.slot.reader != reader);
        present.map(|place| place.slot.reader.as_str())
    }

    /// Whether the tag on this reader was told of and not taken off yet.
    pub fn holds(&self, reader: &str) -> bool {
        self.0.iter().any(|place| place.slot.reader == reader && place.told)
    }
}

impl Place {
    /// Tries again after a while, longer each time: 100 ms, 200 ms, … 1 s.
    pub fn try_again(&mut self) {
        self.tries += 1;
        let pause = Duration::from_millis(100 * u64::from(self.tries.min(10)));
        self.due = Some(Instant::now() + pause);
    }
}
