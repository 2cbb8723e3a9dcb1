//! Texts that come in pieces: what could still become a secret is kept back until the next piece decides.

use zeroize::Zeroizing;

use super::{Kind, SHORTEST, Scrubber};
use crate::redact::images;
use crate::redact::unescape::{ROUNDS, Unescaped, open_escape};

/// Characters of base64 after which a piece of an image would have been found.
const IMAGE_WINDOW: usize = 192;
/// Most bytes of an answer that are kept back: padding between the characters of a secret must not hold all of it.
const LONGEST_KEPT: usize = 16 * 1024;
/// Stands where a piece ends in so many characters of something known that they tell something ([`SHORTEST`]).
const BEGUN: &str = "[scrubbed: beginning of a secret]";

/// A piece of a text that comes in pieces, scrubbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it adds to the text.
    pub text: String,
    /// How the piece is shown by itself, where what is known reaches across its beginning or its end; else
    /// [`Scrubber::scrub`] says it.
    pub alone: Option<String>,
}

impl Scrubber {
    /// [`Self::scrub`] for a text that comes in pieces: `more`, scrubbed together with what was kept back, up to where a known
    /// value could still be under way; the rest is kept back. What is kept back at the end is for [`Self::scrub`].
    pub fn stream(&self, kept_back: &mut Zeroizing<String>, more: &str) -> Piece {
        if self.knows_nothing() && kept_back.is_empty() {
            return Piece { text: more.to_owned(), alone: None };
        }
        let joined = Zeroizing::new(format!("{}{more}", kept_back.as_str()));
        let latest = joined.floor_char_boundary(joined.len().saturating_sub(LONGEST_KEPT));
        let begun = self.under_way(&joined);
        let image = if self.known[2] > 0 { image_begun(&joined) } else { joined.len() };
        let mut end = begun.min(image).max(latest);
        let spans =
            if end < joined.len() || !kept_back.is_empty() { self.spans(&joined) } else { Vec::new() };
        // A value that was found is not cut in two: what it ends with begins another only by chance.
        let whole =
            |at: usize| spans.iter().find(|span| span.0 < at && span.1 > at).map_or(at, |span| span.1);
        if end < joined.len() {
            end = whole(end);
        }
        let alone = self.alone(&joined, kept_back.len(), &spans, whole(begun));
        *kept_back = Zeroizing::new(joined[end..].to_owned());
        Piece { text: self.scrub(&joined[..end]).into_owned(), alone }
    }

    /// What is shown of the last piece, which begins `at`: without its share of what was found across its beginning, and
    /// without a beginning of something known, once that is long enough to tell something. `None` if it has neither.
    fn alone(
        &self,
        joined: &str,
        at: usize,
        spans: &[(usize, usize, Kind)],
        telling: usize,
    ) -> Option<String> {
        let begun = telling_length(&joined[telling..]) >= SHORTEST;
        let crossing = spans.iter().find(|span| span.0 < at && span.1 > at);
        if !begun && crossing.is_none() {
            return None;
        }
        let from = crossing.map_or(at, |span| span.1);
        let to = if begun { telling.max(from) } else { joined.len() };
        let mut shown = crossing.map(|span| span.2.placeholder()).unwrap_or_default().to_owned();
        shown.push_str(&self.scrub(&joined[from..to]));
        if to < joined.len() {
            shown.push_str(BEGUN);
        }
        Some(shown)
    }

    /// Where the longest end of `text` starts that a token or an id can begin with, escaped or not; its length when
    /// there is none.
    fn under_way(&self, text: &str) -> usize {
        if self.knows_nothing() {
            return text.len();
        }
        let mut from = self.under_way_as_is(text);
        let mut layers: Vec<Unescaped> = Vec::new();
        while layers.len() < ROUNDS {
            let outer = layers.last().map_or(text, |layer| layer.text.as_str());
            let whole = open_escape(outer).unwrap_or(outer.len());
            from = from.min(original(&layers, whole));
            if whole < outer.len() {
                from = from.min(original(&layers, self.under_way_as_is(&outer[..whole])));
            }
            let Some(layer) = Unescaped::of(&outer[..whole]) else { break };
            layers.push(layer);
            let inner = layers.last().expect("one was pushed");
            let begun = self.under_way_as_is(&inner.text);
            if begun < inner.text.len() {
                from = from.min(original(&layers, begun));
            }
        }
        from
    }

    fn under_way_as_is(&self, text: &str) -> usize {
        let mut from = self.spellings.begun(text).unwrap_or(text.len());
        for scan in [&self.hex, &self.token_hex] {
            from = from.min(scan.begun(text).unwrap_or(text.len()));
        }
        from.min(self.condensed.begun(text).unwrap_or(text.len()))
    }
}

/// How many characters tell something: what stands between two letters or digits, or behind them, counts as one.
fn telling_length(text: &str) -> usize {
    let mut counted = 0;
    let mut between = false;
    for c in text.chars() {
        let letter = c.is_alphanumeric();
        counted += usize::from(letter || !between);
        between = !letter;
    }
    counted
}

/// Where a place in the innermost of the layers stood in the original.
fn original(layers: &[Unescaped], at: usize) -> usize {
    layers.iter().rev().fold(at, |at, layer| layer.start(at))
}

/// Where the run of base64 at the end of `text` starts, which could grow into a piece of an image; of a run that has
/// grown long without being one, only the end.
fn image_begun(text: &str) -> usize {
    let run = text.bytes().rev().take_while(|byte| images::in_alphabet(*byte)).count();
    match run {
        0..IMAGE_WINDOW => text.len() - run,
        _ => text.len() - IMAGE_WINDOW / 3,
    }
}
