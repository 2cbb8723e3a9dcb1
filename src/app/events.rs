//! The event stream: rows, folding of text deltas, filter, selection, follow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::{Event, view};
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Direction, Record};

/// Most rows that are kept; the oldest go first, and their number is shown.
const ROWS: usize = 100_000;
/// Most bytes on the wire of the frames that are kept; the oldest go first.
const BYTES: usize = 48 * 1024 * 1024;
/// Longest summary in characters.
const SUMMARY: usize = 200;
/// Characters of a folded text that its row repeats.
const FOLDED: usize = 60;

/// One row: a frame, or a run of text deltas.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number since the start.
    pub number: u64,
    /// First and last sequence.
    pub sequences: Option<(u64, u64)>,
    /// When the first of it came.
    pub at: Duration,
    /// How long after the frame before.
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

/// What frames without findings fold into one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    /// The text of an answer.
    Text,
    /// Our acknowledgements.
    Ack,
}

fn fold(record: &Record) -> Option<Fold> {
    if !record.acted || record.deliberate || !record.findings.is_empty() {
        return None;
    }
    match (record.direction, record.kind.as_str()) {
        (Direction::In, "text.delta") => Some(Fold::Text),
        (Direction::Out, "ack") => Some(Fold::Ack),
        _ => None,
    }
}

impl Row {
    fn new(number: u64, since: Duration, record: &Arc<Record>) -> Self {
        let summary = match text_of(record) {
            Some(text) => quoted(text),
            None => {
                SafeText::line(&record.value.as_ref().map(view::summary).unwrap_or_default()).cut(SUMMARY)
            }
        };
        Self {
            number,
            sequences: record.sequence.map(|s| (s.0, s.0)),
            at: record.at,
            since,
            direction: record.direction,
            kind: SafeText::line(&record.kind).cut(64),
            summary,
            bytes: record.bytes,
            count: 1,
            record: Arc::clone(record),
        }
    }

    /// Takes one more frame of the same kind.
    fn take(&mut self, record: &Arc<Record>) {
        if let (Some(sequences), Some(sequence)) = (&mut self.sequences, record.sequence) {
            sequences.1 = sequence.0;
        }
        match text_of(record) {
            Some(text) => self.repeat(text),
            None => {
                let summary = record.value.as_ref().map(view::summary).unwrap_or_default();
                self.summary = SafeText::line(&summary).cut(SUMMARY);
            }
        }
        self.count += 1;
        self.bytes += record.bytes;
        self.record = Arc::clone(record);
    }

    /// Adds to the text that the row repeats, as long as there is room.
    fn repeat(&mut self, more: &str) {
        let so_far = self.summary.as_str();
        if let Some(open) = so_far.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
            && !open.ends_with('…')
        {
            self.summary = quoted(&format!("{open}{more}"));
        }
    }

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
    /// When the last frame came or went.
    newest: Duration,
    /// Bytes on the wire of the frames that are kept.
    bytes: usize,
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
            newest: Duration::ZERO,
            bytes: 0,
        }
    }
}

impl Events {
    /// Takes a frame.
    pub fn push(&mut self, record: &Arc<Record>) {
        self.findings += record.findings.len();
        let since = record.at.saturating_sub(self.newest);
        self.newest = record.at;
        if self.fold(record) {
            return;
        }
        let row = Row::new(self.next, since, record);
        self.next += 1;
        self.bytes += record.bytes;
        if row.matches(&self.words) {
            self.shown.push_back(row.number);
            if self.follow && fold(record) != Some(Fold::Ack) {
                self.selected = Some(row.number);
            }
        }
        self.rows.push_back(row);
        while self.rows.len() > ROWS || (self.bytes > BYTES && self.rows.len() > 1) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(row) = self.rows.pop_front() else { return };
        self.bytes = self.bytes.saturating_sub(row.record.bytes);
        if self.shown.front() == Some(&row.number) {
            self.shown.pop_front();
        }
        if self.selected == Some(row.number) {
            self.selected = self.shown.front().copied();
        }
    }

    /// Adds a plain text delta or acknowledgement to a row of such. The two come in turns, so the row before the
    /// last may take it too; each row keeps the time of its first frame.
    fn fold(&mut self, record: &Arc<Record>) -> bool {
        let Some(kind) = fold(record) else { return false };
        let Some(last) = self.rows.len().checked_sub(1) else { return false };
        let at = match fold(&self.rows[last].record) {
            Some(other) if other == kind => last,
            Some(_) if last > 0 && fold(&self.rows[last - 1].record) == Some(kind) => last - 1,
            _ => return false,
        };
        let row = &mut self.rows[at];
        self.bytes = (self.bytes + record.bytes).saturating_sub(row.record.bytes);
        row.take(record);
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

    /// Selects the last row that is more than an acknowledgement, and follows.
    pub fn last(&mut self) {
        let says = |number: &&u64| self.row(**number).is_some_and(|row| fold(&row.record) != Some(Fold::Ack));
        // Acknowledgements fold, so that a longer row of them can only come from a filter.
        let said = self.shown.iter().rev().take(64).find(says);
        self.selected = said.or(self.shown.back()).copied();
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
        match self.place().and_then(|place| self.shown.get(place).copied()) {
            // What is selected stays, or the next that is shown takes its place.
            Some(nearest) if !self.follow => self.selected = Some(nearest),
            _ => self.last(),
        }
    }
}

/// The text of a text delta.
fn text_of(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Event(Event::TextDelta(delta)) => Some(&delta.text),
        _ => None,
    }
}

fn quoted(text: &str) -> SafeText {
    let text = SafeText::line(text).cut(FOLDED);
    SafeText::line(&format!("\"{text}\""))
}
