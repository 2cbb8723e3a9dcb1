//! The event stream: rows within a budget of memory, filter, selection, follow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use self::shown::{Change, SLICE, Shown};
use super::filter::Filter;
use super::row::{Fold, Row, fold, fold_of};
use crate::client::devices::DeviceEvent;
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Direction, Record};

mod shown;

/// Memory for the events, unless the settings say otherwise, in bytes.
pub const BUDGET: usize = 64 * 1024 * 1024;

/// How many rows back something is looked for that goes on there.
const NEAR: usize = 256;

/// The stream.
#[derive(Clone, Debug)]
pub struct Events {
    rows: VecDeque<Row>,
    next: u64,
    /// The filter as it was typed.
    filter: String,
    shown: Shown,
    selected: Option<u64>,
    follow: bool,
    findings: usize,
    /// When the last frame came or went.
    newest: Duration,
    /// The turn that was sent last.
    turn: Option<u64>,
    /// How many frames were dropped.
    dropped: u64,
    /// About the memory of what is kept, in bytes, and how much it may be.
    weight: usize,
    budget: usize,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            rows: VecDeque::new(),
            next: 0,
            filter: String::new(),
            shown: Shown::default(),
            selected: None,
            follow: true,
            findings: 0,
            newest: Duration::ZERO,
            turn: None,
            dropped: 0,
            weight: 0,
            budget: BUDGET,
        }
    }
}

impl Events {
    /// A stream that keeps about so many bytes of memory.
    pub fn within(budget: usize) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Takes a frame.
    pub fn push(&mut self, record: &Arc<Record>) {
        self.findings += record.findings.len();
        let since = record.at.saturating_sub(self.newest);
        self.newest = record.at;
        if let Body::Say { turn, .. } | Body::Show { turn, .. } = &record.body {
            self.turn = Some(turn.0);
        }
        if let Some(late) = &record.late
            && let Some(at) = self.newest_text()
        {
            self.grow(at, |row| row.text.push(&SafeText::block(late)));
        }
        if !self.fold(record) {
            self.add(since, record);
        }
        self.keep_within();
    }

    fn keep_within(&mut self) {
        while self.weight > self.budget && self.rows.len() > 1 {
            self.drop_oldest();
        }
    }

    /// Takes what happened at a device: it stands between the frames and counts as none. A trouble that stands stays one
    /// row, counted, however many frames have come since.
    pub fn push_device(&mut self, event: &Arc<DeviceEvent>) {
        if event.times > 1
            && event.trouble().is_some()
            && let Some(at) = self.same_trouble(event)
        {
            return self.grow(at, |row| row.take_again(event));
        }
        let before = self.rows.back().map_or(Duration::ZERO, |row| row.at).max(self.newest);
        self.put(Row::of_device(self.next, event.at.saturating_sub(before), event));
        self.keep_within();
    }

    /// The row of this trouble, if it is not far back.
    fn same_trouble(&self, event: &DeviceEvent) -> Option<usize> {
        let near = self.rows.len().saturating_sub(NEAR)..self.rows.len();
        near.rev().find(|at| {
            self.rows[*at].device().is_some_and(|old| old.name == event.name && old.did == event.did)
        })
    }

    /// The last of the rows of text that may still grow; what happened at devices stands between.
    fn newest_text(&self) -> Option<usize> {
        let near = (self.rows.len().saturating_sub(NEAR)..self.rows.len()).rev();
        let mut frames = near.filter(|at| self.rows[*at].record().is_some()).take(2);
        frames.find(|at| fold_of(&self.rows[*at]) == Some(Fold::Text))
    }

    fn add(&mut self, since: Duration, record: &Arc<Record>) {
        let turn = self.turn.filter(|_| record.direction == Direction::In || record.kind != "ack");
        self.put(Row::new(self.next, since, turn, record));
    }

    fn put(&mut self, row: Row) {
        self.next += 1;
        self.weight += row.weight();
        let follows = self.follow && fold_of(&row) != Some(Fold::Ack);
        // The first that is shown where nothing was.
        if self.shown.take(&row) && (follows || self.shown.numbers().len() == 1) {
            self.selected = Some(row.number);
        }
        self.rows.push_back(row);
        // Only the last two rows take more.
        if let Some(at) = self.rows.len().checked_sub(3) {
            self.rows[at].settle();
        }
    }

    /// Adds to a row, and counts and judges it anew.
    fn grow(&mut self, at: usize, add: impl FnOnce(&mut Row)) {
        let row = &mut self.rows[at];
        let before = row.weight();
        add(row);
        self.weight = (self.weight + row.weight()).saturating_sub(before);
        self.judge_again(at);
    }

    /// Asks the filter about a row that grew.
    fn judge_again(&mut self, at: usize) {
        let row = &self.rows[at];
        let number = row.number;
        let Some(change) = self.shown.judge_again(row) else { return };
        let numbers = self.shown.numbers();
        if self.follow {
            self.last();
        } else if change == Change::Came && numbers.len() == 1 {
            self.selected = Some(number);
        } else if change == Change::Went && self.selected == Some(number) {
            self.selected = numbers.get(self.shown.place(number)).or(numbers.back()).copied();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(row) = self.rows.pop_front() else { return };
        self.weight = self.weight.saturating_sub(row.weight());
        self.dropped += row.count as u64;
        self.shown.forget(row.number);
        if self.selected == Some(row.number) {
            self.selected = self.shown.numbers().front().copied();
        }
    }

    /// Adds a plain text delta or acknowledgement to a row of such. The two come in turns, so the row before the
    /// last may take it too; each row keeps the time of its first frame.
    fn fold(&mut self, record: &Arc<Record>) -> bool {
        let Some(kind) = fold(record) else { return false };
        let Some(last) = self.rows.len().checked_sub(1) else { return false };
        let at = match fold_of(&self.rows[last]) {
            Some(other) if other == kind => last,
            Some(_) if last > 0 && fold_of(&self.rows[last - 1]) == Some(kind) => last - 1,
            _ => return false,
        };
        if !self.rows[at].has_room() {
            return false;
        }
        self.grow(at, |row| row.take(record));
        true
    }

    /// The row of this number.
    pub fn row(&self, number: u64) -> Option<&Row> {
        let first = self.rows.front()?.number;
        self.rows.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// How many rows the filter shows, and how many there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.shown.numbers().len(), self.rows.len())
    }

    /// How many old events were dropped to stay within the budget.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many findings the frames had.
    pub fn findings(&self) -> usize {
        self.findings
    }

    /// Whether the newest row is followed.
    pub fn is_following(&self) -> bool {
        self.follow
    }

    /// The filter.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// The selected row.
    pub fn selected(&self) -> Option<&Row> {
        self.row(self.selected?)
    }

    /// The rows in a window of `height` lines around the selection, the selected one marked.
    pub fn window(&self, height: usize) -> Vec<(&Row, bool)> {
        let shown = self.shown.numbers();
        let end = match self.place() {
            Some(place) if !self.follow => (place + height / 2 + 1).max(height).min(shown.len()),
            _ => shown.len(),
        };
        let begin = end.saturating_sub(height);
        let numbers = shown.iter().skip(begin).take(end - begin);
        numbers.filter_map(|n| self.row(*n)).map(|row| (row, Some(row.number) == self.selected)).collect()
    }

    /// Where the selection stands among the shown rows.
    fn place(&self) -> Option<usize> {
        let at = self.shown.place(self.selected?);
        (at < self.shown.numbers().len()).then_some(at)
    }

    /// Moves the selection; moving freezes the list, reaching the last row follows again.
    pub fn step(&mut self, by: isize) {
        let Some(last) = self.shown.numbers().len().checked_sub(1) else { return };
        let at = self.place().unwrap_or(last).saturating_add_signed(by).min(last);
        self.selected = self.shown.numbers().get(at).copied();
        self.follow = at == last && by > 0;
    }

    /// Selects the first row.
    pub fn first(&mut self) {
        self.shown.ask_more(&self.rows, usize::MAX);
        self.selected = self.shown.numbers().front().copied();
        self.follow = false;
    }

    /// Selects the last row that is more than an acknowledgement, and follows.
    pub fn last(&mut self) {
        let says = |number: &&u64| self.row(**number).is_some_and(|row| fold_of(row) != Some(Fold::Ack));
        // Acknowledgements fold, so that a longer row of them can only come from a filter.
        let said = self.shown.numbers().iter().rev().take(64).find(says);
        self.selected = said.or(self.shown.numbers().back()).copied();
        self.follow = true;
    }

    /// Follows, or stays.
    pub fn toggle_follow(&mut self) {
        if self.follow { self.follow = false } else { self.last() }
    }

    /// Selects the nearest row with a finding, before or after the selected one, among those shown.
    pub fn step_to_finding(&mut self, forward: bool) -> bool {
        self.shown.ask_more(&self.rows, usize::MAX);
        let shown = self.shown.numbers();
        let here = self.place().unwrap_or(shown.len());
        let has = |number: &&u64| self.row(**number).is_some_and(|row| !row.findings().is_empty());
        let found = if forward {
            shown.iter().skip(here + 1).find(has)
        } else {
            shown.iter().take(here).rev().find(has)
        };
        let found = found.copied();
        if found.is_some() {
            self.selected = found;
            self.follow = false;
        }
        found.is_some()
    }

    /// The filter that shows what belongs to the selected row: its interaction, or else its turn.
    pub fn related(&self) -> Option<String> {
        let row = self.selected()?;
        match (&row.interaction, row.turn) {
            (Some(id), _) => Some(format!("id:\"{}\"", id.as_str().replace('"', "\"\""))),
            (None, Some(turn)) => Some(format!("turn:{turn}")),
            (None, None) => None,
        }
    }

    /// Shows only the rows that this filter shows; an empty one shows all. The newest rows are asked at once, older
    /// ones by [`Events::search_on`].
    ///
    /// # Errors
    /// One sentence about what cannot be read; what is shown stays.
    pub fn set_filter(&mut self, filter: &str) -> Result<(), String> {
        let read = Filter::parse(filter)?;
        if filter.trim() == self.filter {
            return Ok(());
        }
        self.shown.begin(read, &self.rows);
        self.filter = filter.trim().to_owned();
        self.search_on();
        Ok(())
    }

    /// Asks the next rows what the filter says; called after each frame while [`Events::is_searching`].
    pub fn search_on(&mut self) {
        self.shown.ask_more(&self.rows, SLICE.min(self.budget / 8));
        if self.follow {
            return self.last();
        }
        // What is selected stays, or the next that is shown takes its place.
        if self.selected.is_none_or(|selected| self.shown.has_asked(selected)) || !self.is_searching() {
            let numbers = self.shown.numbers();
            let nearest = self.place().and_then(|place| numbers.get(place)).or(numbers.back());
            // Where nothing is shown, what was selected is selected again once the filter is gone.
            self.selected = nearest.copied().or(self.selected);
        }
    }

    /// Whether there are rows that the filter has not been asked about yet.
    pub fn is_searching(&self) -> bool {
        self.rows.front().is_some_and(|row| !self.shown.has_asked(row.number))
    }

    /// Shows all.
    pub fn clear_filter(&mut self) {
        let _ = self.set_filter("");
    }
}
