//! Finds many known spellings in one pass over a text.
//!
//! A table says of each pair of bytes whether a spelling begins with it; only where one does are spellings compared.
//! Most texts hold none, and a frame has dozens of texts, so the pass costs about a nanosecond a byte.

use zeroize::Zeroizing;

use super::scrub::{Fit, Kind};

/// One way to write a known value.
pub(super) struct Spelling {
    pub(super) kind: Kind,
    pub(super) fit: Fit,
    pub(super) text: Zeroizing<String>,
}

impl Spelling {
    /// What it begins with; one of a single byte counts as if a zero followed.
    fn pair(&self) -> [u8; 2] {
        let bytes = self.text.as_bytes();
        [bytes[0], bytes.get(1).copied().unwrap_or_default()]
    }
}

/// The spellings to look for.
#[derive(Default)]
pub(super) struct Spellings {
    /// In the order of their pairs.
    all: Vec<Spelling>,
    /// One bit a pair; empty as long as there is nothing to look for.
    pairs: Zeroizing<Vec<u64>>,
    shortest: usize,
    longest: usize,
}

impl Spellings {
    /// Looks for one more, unless it is known; it must not be empty.
    pub(super) fn add(&mut self, spelling: Spelling) {
        if !self.all.iter().any(|known| known.text == spelling.text && known.fit == spelling.fit) {
            self.all.push(spelling);
            self.index();
        }
    }

    /// Forgets those of other kinds.
    pub(super) fn keep_only(&mut self, kind: Kind) {
        self.all.retain(|spelling| spelling.kind == kind);
        self.index();
    }

    /// Bytes of the shortest; `None` if there is none.
    pub(super) fn shortest(&self) -> Option<usize> {
        (!self.all.is_empty()).then_some(self.shortest)
    }

    fn index(&mut self) {
        self.all.sort_by_key(Spelling::pair);
        let lengths = || self.all.iter().map(|spelling| spelling.text.len());
        self.shortest = lengths().min().unwrap_or_default();
        self.longest = lengths().max().unwrap_or_default();
        self.pairs = Zeroizing::default();
        if !self.all.is_empty() {
            self.pairs.resize(1 << 10, 0);
        }
        for spelling in &self.all {
            let pair = usize::from(u16::from_be_bytes(spelling.pair()));
            self.pairs[pair / 64] |= 1 << (pair % 64);
        }
    }

    /// Every place of every spelling, by place.
    pub(super) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a Spelling)> {
        let bytes = if text.len() < self.shortest { &[][..] } else { text.as_bytes() };
        let pairs = bytes.windows(2).enumerate().filter(|(_, pair)| self.begins([pair[0], pair[1]]));
        let longer = pairs.flat_map(move |(at, pair)| {
            self.beginning([pair[0], pair[1]])
                .iter()
                .filter(move |spelling| bytes[at..].starts_with(spelling.text.as_bytes()))
                .map(move |spelling| (at, spelling))
        });
        // A single byte, which no pair tells.
        let has_single = self.shortest == 1;
        let single = self.all.iter().filter(move |spelling| has_single && spelling.text.len() == 1);
        longer.chain(
            single.flat_map(move |one| text.match_indices(one.text.as_str()).map(move |(at, _)| (at, one))),
        )
    }

    /// Where the longest end of `text` starts that is a beginning of a spelling, but not all of it.
    pub(super) fn begun(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        (text.len().saturating_sub(self.longest.saturating_sub(1))..text.len()).find(|&at| {
            let end = &bytes[at..];
            let candidates = match *end {
                [first, second, ..] if self.begins([first, second]) => self.beginning([first, second]),
                // The last byte alone: whatever begins with it.
                [_] => &self.all,
                _ => return false,
            };
            text.is_char_boundary(at)
                && candidates.iter().any(|spelling| {
                    end.len() < spelling.text.len() && spelling.text.as_bytes().starts_with(end)
                })
        })
    }

    #[inline]
    fn begins(&self, pair: [u8; 2]) -> bool {
        let pair = usize::from(u16::from_be_bytes(pair));
        self.pairs.get(pair / 64).is_some_and(|bits| bits >> (pair % 64) & 1 == 1)
    }

    fn beginning(&self, pair: [u8; 2]) -> &[Spelling] {
        let from = self.all.partition_point(|spelling| spelling.pair() < pair);
        let to = from + self.all[from..].partition_point(|spelling| spelling.pair() == pair);
        &self.all[from..to]
    }
}
