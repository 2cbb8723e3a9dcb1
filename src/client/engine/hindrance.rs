//! What hinders the armed scan, for as long as it does, and whether a tag is being read by it.

use crate::client::devices::Trouble;
use crate::device::nfc::{Happened, ReaderEvent};
use crate::units::count;

/// Of one armed scan, at all of its readers.
#[derive(Debug, Default)]
pub(super) struct Hindrance {
    /// At most one for each reader; the newest last.
    standing: Vec<Hinders>,
    /// The readers on which a tag lies that is being read.
    reading: Vec<String>,
}

#[derive(Debug)]
struct Hinders {
    reader: String,
    trouble: Trouble,
    /// Whether it is over when the tag is taken off.
    goes_with_tag: bool,
}

impl Hindrance {
    /// Takes in what happened at an armed reader. Returns whether what is shown of it is another thing now; of a trouble
    /// that comes again and again, at its first, second, fourth, eighth, … time.
    pub(super) fn take(&mut self, event: &ReaderEvent) -> bool {
        let before = self.shown();
        let reader = &event.reader;
        self.reading.retain(|reading| reading != reader);
        let mut is_told = false;
        match &event.what {
            Happened::Trouble(trouble) => {
                is_told = self.hinder(reader, trouble.into(), trouble.is_of_the_tag());
            }
            Happened::TornAway { after } => {
                let text = format!("the tag was torn away after {}", count(*after, "APDU"));
                let hint = "hold it again, and still; nothing of it is kept".to_owned();
                is_told = self.hinder(reader, Trouble::new(text, Some(hint)), false);
            }
            Happened::Removed => self.standing.retain(|old| old.reader != *reader || !old.goes_with_tag),
            Happened::Flickered { .. } => self.reading.push(reader.clone()),
            Happened::Inserted { .. } => {
                self.standing.retain(|old| old.reader != *reader);
                self.reading.push(reader.clone());
            }
            Happened::Read(_) | Happened::Recovered(_) => self.standing.retain(|old| old.reader != *reader),
        }
        is_told || self.shown() != before
    }

    /// What hinders, the newest.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        self.standing.last().map(|hinders| hinders.trouble.clone())
    }

    /// Whether a tag is being read.
    pub(super) fn is_reading(&self) -> bool {
        !self.reading.is_empty()
    }

    fn shown(&self) -> (Option<String>, bool) {
        (self.standing.last().map(|hinders| hinders.trouble.text.clone()), self.is_reading())
    }

    /// Returns whether its count is one of those that are shown.
    fn hinder(&mut self, reader: &str, trouble: Trouble, goes_with_tag: bool) -> bool {
        let old =
            self.standing.iter().position(|old| old.reader == reader).map(|at| self.standing.remove(at));
        let times = old
            .filter(|old| old.trouble.text == trouble.text)
            .map_or(1, |old| old.trouble.times.saturating_add(1));
        let trouble = Trouble { times, ..trouble };
        self.standing.push(Hinders { reader: reader.to_owned(), trouble, goes_with_tag });
        times.is_power_of_two()
    }
}
