//! The scrubber: finds by value what must not be shown, traced or recorded, and replaces it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use zeroize::Zeroizing;

use super::condensed::Condensed;
use super::hexscan::HexScan;
use super::images::{self, ImageIndex};
use super::spellings::{Spelling, Spellings};
use super::unescape::{ROUNDS, Unescaped};
use super::{ImageBytes, TagUid, Token};

mod stream;

pub use stream::Piece;

/// Spellings shorter than this many characters would shred ordinary text and hide nothing.
const SHORTEST: usize = 6;
/// The same for what is left of a spelling whose edges depend on what stands beside it.
const SHORTEST_INNER: usize = 8;
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
    condensed: Condensed,
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
        let encoded =
            [BASE64_NOPAD.encode(text.as_bytes()), HEXLOWER.encode(text.as_bytes())].map(Zeroizing::new);
        for spelling in [text].into_iter().chain(encoded.iter().map(|spelling| spelling.as_str())) {
            self.condensed.add(Kind::Token, spelling);
        }
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
            for hex in [HEXLOWER.encode(bytes), HEXUPPER.encode(bytes)].map(Zeroizing::new) {
                self.spell_inner_base64(Kind::TagId, hex.as_bytes());
                self.condensed.add(Kind::TagId, &hex);
            }
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
        self.condensed.keep_only(Kind::Token);
        self.measure();
    }

    fn measure(&mut self) {
        let image = (self.known[2] > 0).then_some(images::SHORTEST);
        let condensed = self.condensed.shortest();
        let all =
            [self.spellings.shortest(), self.hex.shortest(), self.token_hex.shortest(), condensed, image];
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
                self.condensed.add(Kind::TagId, &text);
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
        found.extend(self.condensed.find(text));
        found.extend(
            self.images.find(text).into_iter().map(|(start, end)| (start, padded(text, end), Kind::Image)),
        );
        accept_words(text, words, &mut found);
        found
    }
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
