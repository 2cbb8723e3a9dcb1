//! What has come since the last acting step was issued, in order, and how far expectations have consumed it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::script::What;
use crate::protocol::{Event, Finding};
use crate::trace::record::{Body, Direction, Record};
use crate::units::Bytes;

/// How much of what came instead is told.
const TOLD: usize = 8;
/// Longest piece of it in characters.
const TOLD_TEXT: usize = 60;
/// Most things that are kept; beyond it the older half goes, so that a flood costs no memory.
pub(super) const KEPT: usize = 16_384;
/// Most bytes of text that are kept, likewise.
pub(super) const KEPT_TEXT: usize = 2 * 1024 * 1024;

/// Findings that no step expected: rule to level and number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unexpected(BTreeMap<&'static str, (bool, usize)>);

impl Unexpected {
    /// How many there are of must level, or of should level.
    pub fn count(&self, must: bool) -> usize {
        self.0.values().filter(|(level, _)| *level == must).map(|(_, number)| number).sum()
    }

    /// The must-level rules that were broken: `ENV-2, RUN-1`.
    pub fn broken(&self) -> String {
        let broken: Vec<&str> = self.0.iter().filter(|(_, (must, _))| *must).map(|(id, _)| *id).collect();
        broken.join(", ")
    }
}

/// One thing that came.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    /// An event, by its type, with the code of a failure.
    Event { kind: Cow<'static, str>, code: Option<String> },
    /// The text of a `text.delta`, which follows its event.
    Text(String),
    /// A finding; those of a frame follow its event. The flag says whether a step has expected it.
    Finding { id: &'static str, must: bool, expected: bool },
}

impl Seen {
    /// Bytes of text of the agent's in it: the types and codes of a hostile agent are as long as its frames.
    fn bytes(&self) -> usize {
        match self {
            Self::Event { kind, code } => kind.len() + code.as_ref().map_or(0, String::len),
            Self::Text(text) => text.len(),
            Self::Finding { .. } => 0,
        }
    }
}

/// The log.
#[derive(Debug, Default)]
pub(super) struct Log {
    seen: Vec<Seen>,
    /// The first thing that no expectation has consumed, and the byte in it if it is a text.
    cursor: (usize, usize),
    /// How far the current expectation has looked.
    search: Option<Search>,
    /// Findings of earlier steps that nobody expected.
    earlier: Unexpected,
    /// Bytes of text in `seen`.
    text_bytes: usize,
    /// How many things went for want of room before an expectation consumed them.
    forgotten: usize,
}

/// How far one expectation has looked: everything before `next` is no match.
#[derive(Debug)]
struct Search {
    what: What,
    next: usize,
    /// The text of the run so far, from where a match could still begin.
    run: String,
    /// Where each piece of `run` begins in it, which thing it is, and the byte in that.
    pieces: Vec<(usize, usize, usize)>,
}

impl Log {
    /// An acting step is issued: what came before it is past.
    pub fn begin(&mut self) {
        *self = Self { earlier: self.unexpected(), ..Self::default() };
    }

    /// A frame came, or went out.
    pub fn frame(&mut self, record: &Record) {
        if let Some(late) = &record.late {
            self.keep(Seen::Text(late.clone()));
        }
        if record.direction == Direction::In {
            match &record.body {
                Body::Event(event) if record.acted || matches!(event, Event::Unknown { .. }) => {
                    self.event(record.kind.clone(), event);
                }
                _ => {}
            }
        }
        record.findings.iter().for_each(|finding| self.finding(finding));
    }

    fn event(&mut self, kind: Cow<'static, str>, event: &Event) {
        let code = match event {
            Event::Failure(failure) => Some(failure.code.clone()),
            _ => None,
        };
        self.keep(Seen::Event { kind, code });
        if let Event::TextDelta(delta) = event {
            self.keep(Seen::Text(delta.text.clone()));
        }
    }

    fn keep(&mut self, seen: Seen) {
        self.text_bytes += seen.bytes();
        self.seen.push(seen);
        if self.seen.len() > KEPT || self.text_bytes > KEPT_TEXT {
            self.forget_half();
        }
    }

    fn forget_half(&mut self) {
        let gone = self.seen.len() / 2;
        let kept = self.seen.split_off(gone.max(1));
        self.earlier = self.unexpected();
        let gone = std::mem::replace(&mut self.seen, kept).len();
        let (at, byte) = self.cursor;
        self.forgotten += gone.saturating_sub(at);
        self.cursor = if at < gone { (0, 0) } else { (at - gone, byte) };
        self.search = None;
        self.text_bytes = self.seen.iter().map(Seen::bytes).sum();
    }

    /// Something was noticed.
    pub fn finding(&mut self, finding: &Finding) {
        self.keep(Seen::Finding { id: finding.rule.id, must: finding.is_must(), expected: false });
    }

    /// Findings that nobody expected.
    pub fn unexpected(&self) -> Unexpected {
        let mut all = self.earlier.clone();
        for seen in &self.seen {
            if let Seen::Finding { id, must, expected: false } = seen {
                all.0.entry(id).or_insert((*must, 0)).1 += 1;
            }
        }
        all
    }

    /// How many things are kept.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.seen.len()
    }

    /// Bytes of text that are kept.
    #[cfg(test)]
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Whether it is there, not yet consumed.
    pub fn holds(&mut self, what: &What) -> bool {
        self.find(what).is_some()
    }

    /// Consumes through the match, if there is one.
    pub fn consume(&mut self, what: &What) -> bool {
        let Some((at, byte)) = self.find(what) else { return false };
        if let Seen::Finding { expected, .. } = &mut self.seen[at] {
            *expected = true;
        }
        let spent = match &self.seen[at] {
            Seen::Text(text) => byte >= text.len(),
            _ => true,
        };
        self.cursor = if spent { (at + 1, 0) } else { (at, byte) };
        self.search = None;
        true
    }

    /// Where the match ends: the thing that holds its end, and the byte after it if that is a text.
    fn find(&mut self, what: &What) -> Option<(usize, usize)> {
        let (from, skip) = self.cursor;
        let search = match &mut self.search {
            Some(search) if search.what == *what => search,
            other => other.insert(Search {
                what: what.clone(),
                next: from,
                run: String::new(),
                pieces: Vec::new(),
            }),
        };
        while let Some(seen) = self.seen.get(search.next) {
            let at = search.next;
            let found = match (what, seen) {
                (What::Text(wanted), Seen::Text(text)) => {
                    let skip = if at == from { skip } else { 0 };
                    search.piece(wanted, at, skip, &text[skip..])
                }
                (What::Text(_), Seen::Event { kind, .. }) if kind == "run.started" => {
                    search.run.clear();
                    search.pieces.clear();
                    None
                }
                _ => is(what, seen).then_some((at, 0)),
            };
            if found.is_some() {
                return found;
            }
            search.next += 1;
        }
        None
    }

    /// What came and was not consumed, in one line, bounded.
    pub fn instead(&self) -> String {
        let mut told: Vec<String> = Vec::new();
        let mut text = String::new();
        let (from, skip) = self.cursor;
        for (at, seen) in self.seen.iter().enumerate().skip(from) {
            match seen {
                Seen::Text(piece) => text.push_str(if at == from { &piece[skip..] } else { piece }),
                Seen::Event { kind, .. } if kind == "text.delta" => {}
                other => {
                    told.extend(cut(&mut text));
                    told.push(match other {
                        Seen::Event { kind, code: Some(code) } => format!("{} {}", start(kind), start(code)),
                        Seen::Event { kind, .. } => start(kind),
                        Seen::Finding { id, .. } => format!("finding {id}"),
                        Seen::Text(_) => continue,
                    });
                }
            }
        }
        told.extend(cut(&mut text));
        let left_out = told.len().saturating_sub(TOLD);
        let shown = if told.is_empty() { "nothing".to_owned() } else { told[left_out..].join(", ") };
        let more = if left_out == 0 { String::new() } else { format!("({left_out} more) ") };
        let older = match self.forgotten {
            0 => String::new(),
            gone => format!(", after {} older ones that were too many to keep", Bytes(gone)),
        };
        format!("{more}{shown}{older}")
    }
}

impl Search {
    /// One more piece of the run's text.
    fn piece(&mut self, wanted: &str, at: usize, skip: usize, text: &str) -> Option<(usize, usize)> {
        self.pieces.push((self.run.len(), at, skip));
        self.run.push_str(text);
        if let Some(found) = self.run.find(wanted) {
            let end = found + wanted.len();
            let (begins, at, skip) = self.pieces.iter().rev().find(|(begins, ..)| *begins < end)?;
            return Some((*at, skip + (end - begins)));
        }
        // A later match begins at most its own length before the end; what is older cannot matter any more.
        let old = self.run.len().saturating_sub(wanted.len());
        let old = (0..=old).rev().find(|i| self.run.is_char_boundary(*i)).unwrap_or(0);
        self.run.drain(..old);
        let last_old = self.pieces.iter().rposition(|(begins, ..)| *begins <= old).unwrap_or(0);
        self.pieces.drain(..last_old);
        for (begins, _, skip) in &mut self.pieces {
            *skip += old.saturating_sub(*begins);
            *begins = begins.saturating_sub(old);
        }
        None
    }
}

/// Whether this thing is what is wanted; texts are looked for across things.
fn is(what: &What, seen: &Seen) -> bool {
    match (what, seen) {
        (What::Event(kind), Seen::Event { kind: came, .. }) => kind == came,
        (What::Failure(None), Seen::Event { code: Some(_), .. }) => true,
        (What::Failure(Some(code)), Seen::Event { code: Some(came), .. }) => code == came,
        (What::Finding(id), Seen::Finding { id: came, .. }) => id == came,
        _ => false,
    }
}

/// A name of the agent's as it is told: its beginning.
fn start(name: &str) -> String {
    match name.char_indices().nth(TOLD_TEXT) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_owned(),
    }
}

/// A text as it is told: its end, where the expectation has looked last.
fn cut(text: &mut String) -> Option<String> {
    let text = std::mem::take(text);
    let length = text.chars().count();
    match length {
        0 => None,
        _ if length <= TOLD_TEXT => Some(format!("text {text:?}")),
        _ => {
            let end: String = text.chars().skip(length - TOLD_TEXT).collect();
            Some(format!("text …{end:?}"))
        }
    }
}
