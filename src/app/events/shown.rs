//! Which rows the filter shows: asked from the newest back, one slice at a time, so that a letter of a filter over a
//! full stream is answered in the next frame and the rest follows in those after it.

use std::collections::VecDeque;

use crate::app::filter::Filter;
use crate::app::row::Row;

/// The most that is asked at once, in bytes of what is kept: about 10 ms.
pub(super) const SLICE: usize = 8 * 1024 * 1024;

/// What the filter shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    filter: Filter,
    /// Numbers of the rows shown, ascending.
    numbers: VecDeque<u64>,
    /// Rows of lower numbers have not been asked yet.
    since: u64,
}

impl Shown {
    /// Begins anew with this filter and these rows: nothing is shown until it is asked, unless everything is.
    pub(super) fn begin(&mut self, filter: Filter, rows: &VecDeque<Row>) {
        self.filter = filter;
        self.numbers.clear();
        self.since = rows.back().map_or(0, |row| row.number + 1);
        if self.filter.is_empty() {
            self.numbers.extend(rows.iter().map(|row| row.number));
            self.since = 0;
        }
    }

    /// Asks the newest rows that were not asked yet, until they weigh `most` bytes together; at least one.
    pub(super) fn ask_more(&mut self, rows: &VecDeque<Row>, most: usize) {
        let Some(first) = rows.front().map(|row| row.number) else { return };
        let mut weight = 0;
        while self.since > first && weight < most {
            self.since -= 1;
            let place = usize::try_from(self.since - first).ok();
            let Some(row) = place.and_then(|place| rows.get(place)) else { continue };
            weight += row.weight();
            if self.filter.shows(row) {
                self.numbers.push_front(row.number);
            }
        }
    }

    /// Whether a row was asked.
    pub(super) fn has_asked(&self, number: u64) -> bool {
        number >= self.since
    }

    /// Asks a row that came after all others; whether it is shown.
    pub(super) fn take(&mut self, row: &Row) -> bool {
        let shows = self.filter.shows(row);
        if shows {
            self.numbers.push_back(row.number);
        }
        shows
    }

    /// Asks about a row that grew: a word may have come with the last frame, one that must not be there too. Whether
    /// it is shown now and was not, or the other way round.
    pub(super) fn judge_again(&mut self, row: &Row) -> Option<Change> {
        if !self.has_asked(row.number) {
            return None;
        }
        let place = self.place(row.number);
        match (self.numbers.get(place) == Some(&row.number), self.filter.shows(row)) {
            (false, true) => {
                self.numbers.insert(place, row.number);
                Some(Change::Came)
            }
            (true, false) => {
                self.numbers.remove(place);
                Some(Change::Went)
            }
            _ => None,
        }
    }

    /// Forgets the oldest row, which is no more.
    pub(super) fn forget(&mut self, number: u64) {
        if self.numbers.front() == Some(&number) {
            self.numbers.pop_front();
        }
    }

    /// Where this row stands among those shown, or would stand.
    pub(super) fn place(&self, number: u64) -> usize {
        self.numbers.partition_point(|shown| *shown < number)
    }

    /// The numbers of the rows shown, ascending.
    pub(super) const fn numbers(&self) -> &VecDeque<u64> {
        &self.numbers
    }
}

/// What became of a row that grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is shown now.
    Came,
    /// It is shown no more.
    Went,
}
