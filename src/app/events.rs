//! The event stream: rows, folding of text deltas, filter, selection, follow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::view;
use crate::safe_text::SafeText;
use crate::trace::record::{Direction, Record};

/// Most rows that are kept; the oldest go first, and their number is shown.
const ROWS: usize = 100_000;
/// Longest summary in characters.
const SUMMARY: usize = 200;

/// One row: a frame, or a run of text deltas.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number since the start.
    pub number: u64,
    /// First and last sequence.
    pub sequences: Option<(u64, u64)>,
    /// When the first of it came.
    pub at: Duration,
    /// How long after the row before.
    pub since: Duration,
    /// Which way.
    pub direction: Direction,
    /// `type` of the message or event.
    pub kind: SafeText,
    /// What it says, in a few words.
    pub summary: SafeText,
    /// Size on the wire, of all its frames.
    pub bytes: usize,
    /// How many frames it holds.
    pub count: usize,
    /// The last frame.
    pub record: Arc<Record>,
}

impl Row {
    fn matches(&self, words: &[String]) -> bool {
        let arrow = if self.direction == Direction::Out { "out" } else { "in" };
        let rules: Vec<&str> = self.record.findings.iter().map(|f| f.rule.id).collect();
        let text = format!("{arrow} {} {} {}", self.kind, self.summary, rules.join(" ")).to_lowercase();
        words.iter().all(|word| text.contains(word))
    }
}

/// The stream.
#[derive(Clone, Debug)]
pub struct Events {
    rows: VecDeque<Row>,
    next: u64,
    filter: String,
    words: Vec<String>,
    /// Numbers of the rows that the filter shows.
    shown: VecDeque<u64>,
    selected: Option<u64>,
    follow: bool,
    findings: usize,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            rows: VecDeque::new(),
            next: 0,
            filter: String::new(),
            words: Vec::new(),
            shown: VecDeque::new(),
            selected: None,
            follow: true,
            findings: 0,
        }
    }
}

impl Events {
    /// Takes a frame.
    pub fn push(&mut self, record: &Arc<Record>) {
        self.findings += record.findings.len();
        if self.fold(record) {
            return;
        }
        let before = self.rows.back().map_or(Duration::ZERO, |row| row.at);
        let summary = record.value.as_ref().map(view::summary).unwrap_or_default();
        let row = Row {
            number: self.next,
            sequences: record.sequence.map(|s| (s.0, s.0)),
            at: record.at,
            since: record.at.saturating_sub(before),
            direction: record.direction,
            kind: SafeText::line(&record.kind).cut(64),
            summary: SafeText::line(&summary).cut(SUMMARY),
            bytes: record.bytes,
            count: 1,
            record: Arc::clone(record),
        };
        self.next += 1;
        if row.matches(&self.words) {
            self.shown.push_back(row.number);
            if self.follow {
                self.selected = Some(row.number);
            }
        }
        self.rows.push_back(row);
        if self.rows.len() > ROWS {
            self.rows.pop_front();
            let oldest = self.rows.front().map_or(self.next, |row| row.number);
            while self.shown.front().is_some_and(|number| *number < oldest) {
                self.shown.pop_front();
            }
        }
    }

    /// Adds a text delta without findings to a row of such.
    fn fold(&mut self, record: &Arc<Record>) -> bool {
        let plain = |r: &Record| {
            r.kind == "text.delta" && r.direction == Direction::In && r.acted && r.findings.is_empty()
        };
        let Some(row) = self.rows.back_mut().filter(|row| plain(record) && plain(&row.record)) else {
            return false;
        };
        let (Some(sequences), Some(sequence)) = (&mut row.sequences, record.sequence) else { return false };
        sequences.1 = sequence.0;
        row.count += 1;
        row.bytes += record.bytes;
        row.record = Arc::clone(record);
        true
    }

    /// The row of this number.
    pub fn row(&self, number: u64) -> Option<&Row> {
        let first = self.rows.front()?.number;
        self.rows.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// How many rows the filter shows, and how many there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.shown.len(), self.rows.len())
    }

    /// How many old rows were dropped.
    pub fn dropped(&self) -> u64 {
        self.rows.front().map_or(0, |row| row.number)
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
        let end = match self.place() {
            Some(place) if !self.follow => (place + height / 2 + 1).max(height).min(self.shown.len()),
            _ => self.shown.len(),
        };
        let begin = end.saturating_sub(height);
        let numbers = self.shown.iter().skip(begin).take(end - begin);
        numbers.filter_map(|n| self.row(*n)).map(|row| (row, Some(row.number) == self.selected)).collect()
    }

    /// Where the selection stands among the shown rows.
    fn place(&self) -> Option<usize> {
        let selected = self.selected?;
        let at = self.shown.partition_point(|number| *number < selected);
        (at < self.shown.len()).then_some(at)
    }

    /// Moves the selection; moving freezes the list, reaching the last row follows again.
    pub fn step(&mut self, by: isize) {
        let Some(last) = self.shown.len().checked_sub(1) else { return };
        let at = self.place().unwrap_or(last).saturating_add_signed(by).min(last);
        self.selected = self.shown.get(at).copied();
        self.follow = at == last && by > 0;
    }

    /// Selects the first row.
    pub fn first(&mut self) {
        self.selected = self.shown.front().copied();
        self.follow = false;
    }

    /// Selects the last row and follows.
    pub fn last(&mut self) {
        self.selected = self.shown.back().copied();
        self.follow = true;
    }

    /// Follows, or stays.
    pub fn toggle_follow(&mut self) {
        if self.follow { self.follow = false } else { self.last() }
    }

    /// Shows only the rows that hold every one of these words; an empty filter shows all.
    pub fn set_filter(&mut self, filter: &str) {
        self.filter = filter.trim().to_owned();
        self.words = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        self.shown = self.rows.iter().filter(|row| row.matches(&self.words)).map(|row| row.number).collect();
        if self.follow || self.place().is_none() {
            self.last();
        }
    }
}
