//! The scrubber: finds by value what must not be shown, traced or recorded, and replaces it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use zeroize::Zeroizing;

use super::hexscan::HexScan;
use super::images::{self, ImageIndex};
use super::spellings::{Spelling, Spellings};
use super::unescape::{ROUNDS, Unescaped, open_escape};
use super::{ImageBytes, TagUid, Token};

/// Characters of base64 after which a piece of an image would have been found.
const IMAGE_WINDOW: usize = 192;
/// Most bytes of an answer that are kept back: padding between the characters of a secret must not hold all of it.
const LONGEST_KEPT: usize = 16 * 1024;
/// Spellings shorter than this many characters would shred ordinary text and hide nothing.
const SHORTEST: usize = 6;
/// The same for what is left of a spelling whose edges depend on what stands beside it.
const SHORTEST_INNER: usize = 8;
/// Stands where a piece ends in so many characters of something known that they tell something ([`SHORTEST`]).
const BEGUN: &str = "[scrubbed: beginning of a secret]";
/// Digits from which a number is looked for inside longer numbers too.
const LONG_NUMBER: usize = 8;
/// Characters from which a token is looked for inside words too.
const LONG_TOKEN: usize = 4;

/// What was found, and so what is written in its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Token,
    TagId,
    Image,
}

impl Kind {
    fn placeholder(self) -> &'static str {
        match self {
            Self::Token => "[scrubbed: token]",
            Self::TagId => "[scrubbed: tag id]",
            Self::Image => "[scrubbed: image data]",
        }
    }
}

/// Where a spelling counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Anywhere,
    /// Only with no letter or digit beside it.
    WholeWord,
}

/// How often words are gone through for those that stand alone only once another is taken.
const WORD_PASSES: usize = 8;
/// How often a text is looked through anew after something was replaced; bounded, because a token may be a word of the
/// placeholders.
const LOOKS: usize = 4;

/// A piece of a text that comes in pieces, scrubbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it adds to the text.
    pub text: String,
    /// How the piece is shown by itself, where what is known reaches across its beginning or its end; else
    /// [`Scrubber::scrub`] says it.
    pub alone: Option<String>,
}

/// Knows this session's token, the ids of tags read in it and the images sent in it, and takes them out of
/// any text by value, however they are spelled. An agent may echo them; nobody shall see them.
///
/// It is filled as these values appear; every text is scrubbed before it is shown, traced, logged or
/// recorded. JSON is parsed first and scrubbed with [`Scrubber::scrub_value`], so that escapes hide nothing.
/// All values are wiped from memory when forgotten or dropped.
#[derive(Default)]
pub struct Scrubber {
    spellings: Spellings,
    hex: HexScan,
    token_hex: HexScan,
    images: ImageIndex,
    known: [usize; 3],
    /// Bytes of the shortest text that can hold a known value; nothing shorter is looked at.
    shortest: usize,
}

impl Scrubber {
    /// A scrubber that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hides this token: as it is, in capitals or small letters throughout, in base64 (both alphabets; inside a longer
    /// text's base64 too, but for the characters at its edges), as a list of bytes and in hexadecimal. One of fewer
    /// than four characters is hidden only where it stands as a word.
    pub fn add_token(&mut self, token: &Token) {
        let text = token.expose_for_header();
        if text.is_empty() {
            return;
        }
        self.known[0] += 1;
        let fit = if text.chars().count() < LONG_TOKEN { Fit::WholeWord } else { Fit::Anywhere };
        self.spell(Kind::Token, fit, Zeroizing::new(text.to_owned()));
        for cased in [text.to_ascii_uppercase(), text.to_ascii_lowercase()].map(Zeroizing::new) {
            if *cased != text {
                self.spell(Kind::Token, fit, cased);
            }
        }
        self.spell_base64(Kind::Token, text.as_bytes());
        self.spell_inner_base64(Kind::Token, text.as_bytes());
        self.spell_list(Kind::Token, text.as_bytes());
        if text.len() * 2 >= SHORTEST {
            self.token_hex.add(text.as_bytes());
        }
        self.measure();
    }

    /// Hides this tag id in both byte orders: hexadecimal in either case with any usual separators (as a number too,
    /// which begins without its zeros), decimal (one number up to 8 bytes, or a list of bytes), base64 in both alphabets.
    ///
    /// Spellings of fewer than six characters are left alone; short numbers count only where they stand
    /// alone.
    pub fn add_uid(&mut self, uid: &TagUid) {
        let forward = Zeroizing::new(uid.expose_for_alias().to_vec());
        let backward = Zeroizing::new(forward.iter().rev().copied().collect::<Vec<u8>>());
        if forward.is_empty() {
            return;
        }
        self.known[1] += 1;
        for bytes in [&forward, &backward] {
            if bytes.len() * 2 >= SHORTEST {
                self.hex.add(bytes);
            }
            if bytes[0] < 0x10 && bytes.len() * 2 > LONG_NUMBER {
                self.hex.add_as_number(bytes);
            }
            self.spell_base64(Kind::TagId, bytes);
            self.spell_inner_base64(Kind::TagId, bytes);
            self.spell_decimal(bytes);
        }
        self.measure();
    }

    /// Hides any run of at least 64 consecutive characters of this image's base64, in both alphabets.
    pub fn add_image(&mut self, image: &ImageBytes) {
        self.known[2] += 1;
        self.images.add(image.expose());
        self.measure();
    }

    /// Forgets the images, once none of them can be echoed any more.
    pub fn forget_images(&mut self) {
        self.known[2] = 0;
        self.images = ImageIndex::default();
        self.measure();
    }

    /// Forgets what belongs to a session: tag ids and images. Tokens outlive it.
    pub fn clear_session(&mut self) {
        self.forget_images();
        self.known[1] = 0;
        self.hex = HexScan::default();
        self.spellings.keep_only(Kind::Token);
        self.measure();
    }

    fn measure(&mut self) {
        let image = (self.known[2] > 0).then_some(images::SHORTEST);
        let all = [self.spellings.shortest(), self.hex.shortest(), self.token_hex.shortest(), image];
        self.shortest = all.into_iter().flatten().min().unwrap_or(usize::MAX);
    }

    /// Whether nothing that is known fits into so many bytes.
    pub(super) fn is_too_short(&self, bytes: usize) -> bool {
        self.knows_nothing() || bytes < self.shortest
    }

    /// `text` with every known value replaced by `[scrubbed: token]`, `[scrubbed: tag id]` or
    /// `[scrubbed: image data]`; borrowed if there was none.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        // What was glued to a value may be one too, once that is gone.
        for _ in 0..LOOKS {
            match self.replaced(&text) {
                Some(less) => text = Cow::Owned(less),
                None => break,
            }
        }
        text
    }

    /// `text` with everything found in it replaced, if something is.
    fn replaced(&self, text: &str) -> Option<String> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end, kind) in spans {
            out.push_str(&text[done..start]);
            out.push_str(kind.placeholder());
            done = end;
        }
        out.push_str(&text[done..]);
        Some(out)
    }

    /// The same for a text that comes in pieces: `more`, scrubbed together with what was kept back, up to where a known
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
        let begun = joined.len() - telling >= SHORTEST;
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
        from
    }

    fn spell(&mut self, kind: Kind, fit: Fit, text: Zeroizing<String>) {
        self.spellings.add(Spelling { kind, fit, text });
    }

    /// Without padding; a match takes the padding along.
    fn spell_base64(&mut self, kind: Kind, bytes: &[u8]) {
        let standard = Zeroizing::new(BASE64_NOPAD.encode(bytes));
        if standard.len() < SHORTEST {
            return;
        }
        let url_safe = Zeroizing::new(BASE64URL_NOPAD.encode(bytes));
        if url_safe != standard {
            self.spell(kind, Fit::Anywhere, url_safe);
        }
        self.spell(kind, Fit::Anywhere, standard);
    }

    fn spell_decimal(&mut self, bytes: &[u8]) {
        if bytes.len() <= size_of::<u64>() {
            let number = bytes.iter().fold(0_u64, |sum, &byte| (sum << 8) | u64::from(byte));
            let text = Zeroizing::new(number.to_string());
            if text.len() >= SHORTEST {
                let fit = if text.len() >= LONG_NUMBER { Fit::Anywhere } else { Fit::WholeWord };
                self.spell(Kind::TagId, fit, text);
            }
        }
        self.spell_list(Kind::TagId, bytes);
    }

    /// The bytes one by one, in decimal.
    fn spell_list(&mut self, kind: Kind, bytes: &[u8]) {
        if bytes.len() >= 4 {
            for separator in [", ", ",", " "] {
                let list = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(separator);
                self.spell(kind, Fit::WholeWord, Zeroizing::new(list));
            }
        }
    }

    /// The characters that all base64 of a longer text has which holds these bytes, for each of the three places at
    /// which they may begin in a group: `Bearer` and a token, encoded together.
    fn spell_inner_base64(&mut self, kind: Kind, bytes: &[u8]) {
        for before in 0..3 {
            let longer = Zeroizing::new([&vec![0; before][..], bytes].concat());
            for encoding in [&BASE64_NOPAD, &BASE64URL_NOPAD] {
                let encoded = Zeroizing::new(encoding.encode(&longer));
                let inner = &encoded[(before * 8).div_ceil(6)..longer.len() * 8 / 6];
                if inner.len() >= SHORTEST_INNER {
                    self.spell(kind, Fit::Anywhere, Zeroizing::new(inner.to_owned()));
                }
            }
        }
    }

    /// Whether there is nothing to look for.
    pub fn knows_nothing(&self) -> bool {
        self.known == [0; 3]
    }

    /// Everything found in the text and in what it says once escapes are undone, in order, without overlaps.
    fn spans(&self, text: &str) -> Vec<(usize, usize, Kind)> {
        if self.is_too_short(text.len()) {
            return Vec::new();
        }
        let mut found = self.spans_as_is(text);
        let mut layers: Vec<Unescaped> = Vec::new();
        while layers.len() < ROUNDS
            && let Some(layer) = Unescaped::of(layers.last().map_or(text, |layer| layer.text.as_str()))
        {
            layers.push(layer);
            let inner = layers.last().expect("one was pushed");
            found.extend(self.spans_as_is(&inner.text).into_iter().map(|(start, end, kind)| {
                let (start, end) = layers.iter().rev().fold((start, end), |span, layer| layer.span(span));
                (start, end, kind)
            }));
        }
        merged(found)
    }

    fn spans_as_is(&self, text: &str) -> Vec<(usize, usize, Kind)> {
        let mut found = Vec::new();
        let mut words = Vec::new();
        for (start, spelling) in self.spellings.find(text) {
            let span = (start, padded(text, start + spelling.text.len()), spelling.kind);
            match spelling.fit {
                Fit::Anywhere => found.push(span),
                Fit::WholeWord => words.push(span),
            }
        }
        found.extend(self.hex.find(text).into_iter().map(|(start, end)| (start, end, Kind::TagId)));
        found.extend(self.token_hex.find(text).into_iter().map(|(start, end)| (start, end, Kind::Token)));
        found.extend(
            self.images.find(text).into_iter().map(|(start, end)| (start, padded(text, end), Kind::Image)),
        );
        accept_words(text, words, &mut found);
        found
    }
}

/// Where a place in the innermost of the layers stood in the original.
fn original(layers: &[Unescaped], at: usize) -> usize {
    layers.iter().rev().fold(at, |at, layer| layer.start(at))
}

/// In order, and without overlaps.
fn merged(mut found: Vec<(usize, usize, Kind)>) -> Vec<(usize, usize, Kind)> {
    found.sort_unstable();
    let mut spans: Vec<(usize, usize, Kind)> = Vec::with_capacity(found.len());
    for (start, end, kind) in found {
        match spans.last_mut() {
            Some(last) if start < last.1 || (start == last.1 && kind == last.2) => {
                last.1 = last.1.max(end);
            }
            _ => spans.push((start, end, kind)),
        }
    }
    spans
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

/// Past the base64 padding that follows at `end`, of which there are at most two.
fn padded(text: &str, end: usize) -> usize {
    end + text[end..].bytes().take(2).take_while(|&byte| byte == b'=').count()
}

/// Adds those of `words` that stand alone. What is taken out beside a word leaves it standing alone: a word that is taken
/// asks those that touch it once more.
fn accept_words(text: &str, words: Vec<(usize, usize, Kind)>, found: &mut Vec<(usize, usize, Kind)>) {
    if words.is_empty() {
        return;
    }
    let mut starts: HashSet<usize> = found.iter().map(|span| span.0).collect();
    let mut ends: HashSet<usize> = found.iter().map(|span| span.1).collect();
    let is_letter = |beside: Option<char>| beside.is_some_and(char::is_alphanumeric);
    let mut waiting = words;
    waiting.sort_unstable();
    // To and fro, so that words that wait for one beside them are taken in one go from whichever end it comes.
    for _ in 0..WORD_PASSES {
        let before = waiting.len();
        waiting.retain(|&(start, end, kind)| {
            let alone = (ends.contains(&start) || !is_letter(text[..start].chars().next_back()))
                && (starts.contains(&end) || !is_letter(text[end..].chars().next()));
            if alone {
                starts.insert(start);
                ends.insert(end);
                found.push((start, end, kind));
            }
            !alone
        });
        if waiting.len() == before {
            return;
        }
        waiting.reverse();
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [tokens, uids, images] = self.known;
        write!(f, "[scrubber: {tokens} tokens, {uids} tag ids, {images} images]")
    }
}
