//! The scrubber: finds by value what must not be shown, traced or recorded, and replaces it.

use std::borrow::Cow;
use std::fmt;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use serde_json::Value;
use zeroize::Zeroizing;

use super::hexscan::HexScan;
use super::images::ImageIndex;
use super::{ImageBytes, TagUid, Token};

/// Bytes at the end of a piece of text in which a value in hexadecimal is looked for that has begun.
const HEX_WINDOW: usize = 512;
/// Characters of base64 after which a piece of an image would have been found.
const IMAGE_WINDOW: usize = 192;
/// Spellings shorter than this many characters would shred ordinary text and hide nothing.
const SHORTEST: usize = 6;
/// Digits from which a number is looked for inside longer numbers too.
const LONG_NUMBER: usize = 8;
/// Characters from which a token is looked for inside words too.
const LONG_TOKEN: usize = 4;

/// What was found, and so what is written in its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
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
enum Fit {
    Anywhere,
    /// Only with no letter or digit beside it.
    WholeWord,
}

struct Spelling {
    kind: Kind,
    fit: Fit,
    text: Zeroizing<String>,
}

/// Knows this session's token, the ids of tags read in it and the images sent in it, and takes them out of
/// any text by value, however they are spelled. An agent may echo them; nobody shall see them.
///
/// It is filled as these values appear; every text is scrubbed before it is shown, traced, logged or
/// recorded. JSON is parsed first and scrubbed with [`Scrubber::scrub_value`], so that escapes hide nothing.
/// All values are wiped from memory when forgotten or dropped.
#[derive(Default)]
pub struct Scrubber {
    spellings: Vec<Spelling>,
    hex: HexScan,
    token_hex: HexScan,
    images: ImageIndex,
    known: [usize; 3],
}

impl Scrubber {
    /// A scrubber that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hides this token: as it is, in base64 (both alphabets) and in hexadecimal. One of fewer than four
    /// characters is hidden only where it stands as a word.
    pub fn add_token(&mut self, token: &Token) {
        let text = token.expose_for_header();
        if text.is_empty() {
            return;
        }
        self.known[0] += 1;
        let fit = if text.chars().count() < LONG_TOKEN { Fit::WholeWord } else { Fit::Anywhere };
        self.spell(Kind::Token, fit, Zeroizing::new(text.to_owned()));
        self.spell_base64(Kind::Token, text.as_bytes());
        if text.len() * 2 >= SHORTEST {
            self.token_hex.add(text.as_bytes());
        }
    }

    /// Hides this tag id in both byte orders: hexadecimal in either case with any usual separators,
    /// decimal (one number up to 8 bytes, or a list of bytes), base64 in both alphabets.
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
            self.spell_base64(Kind::TagId, bytes);
            self.spell_decimal(bytes);
        }
    }

    /// Hides any run of at least 64 consecutive characters of this image's base64, in both alphabets.
    pub fn add_image(&mut self, image: &ImageBytes) {
        self.known[2] += 1;
        self.images.add(image.expose());
    }

    /// Forgets the images, once none of them can be echoed any more.
    pub fn forget_images(&mut self) {
        self.known[2] = 0;
        self.images = ImageIndex::default();
    }

    /// Forgets what belongs to a session: tag ids and images. Tokens outlive it.
    pub fn clear_session(&mut self) {
        self.forget_images();
        self.known[1] = 0;
        self.hex = HexScan::default();
        self.spellings.retain(|s| s.kind == Kind::Token);
    }

    /// `text` with every known value replaced by `[scrubbed: token]`, `[scrubbed: tag id]` or
    /// `[scrubbed: image data]`; borrowed if there was none.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end, kind) in spans {
            out.push_str(&text[done..start]);
            out.push_str(kind.placeholder());
            done = end;
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// The same for a text that comes in pieces: `more`, scrubbed together with what was kept back, up to where a known
    /// value could still be under way; the rest is kept back. What is kept back at the end is for [`Self::scrub`].
    pub fn stream(&self, kept_back: &mut Zeroizing<String>, more: &str) -> String {
        let joined = Zeroizing::new(format!("{}{more}", kept_back.as_str()));
        let mut end = self.under_way(&joined);
        // A value that was found is not cut in two.
        if end < joined.len()
            && let Some(crossing) = self.spans(&joined).into_iter().find(|span| span.0 < end && span.1 > end)
        {
            end = crossing.1;
        }
        *kept_back = Zeroizing::new(joined[end..].to_owned());
        self.scrub(&joined[..end]).into_owned()
    }

    /// Where the longest end of `text` starts that a known value can begin with; its length when there is none.
    fn under_way(&self, text: &str) -> usize {
        let mut from = text.len();
        for spelling in &self.spellings {
            from = from.min(begun(text, &spelling.text));
        }
        let window = (0..=text.len().saturating_sub(HEX_WINDOW)).rev().find(|at| text.is_char_boundary(*at));
        let window = window.unwrap_or(0);
        for scan in [&self.hex, &self.token_hex] {
            from = from.min(scan.begun(&text[window..]).map_or(text.len(), |at| window + at));
        }
        if self.known[2] > 0 {
            from = from.min(image_begun(text));
        }
        from
    }

    /// A parsed JSON value with every string, key, number and list of numbers scrubbed. A number or list
    /// that spells a known value becomes a string.
    pub fn scrub_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.scrub(&text) {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(clean) => Value::String(clean),
            },
            Value::Number(number) => match self.scrub(&number.to_string()) {
                Cow::Borrowed(_) => Value::Number(number),
                Cow::Owned(clean) => Value::String(clean),
            },
            Value::Array(items) => self.scrub_list(items),
            Value::Object(members) => {
                let mut clean = serde_json::Map::with_capacity(members.len());
                for (key, member) in members {
                    clean.insert(self.free_key(&clean, &key), self.scrub_value(member));
                }
                Value::Object(clean)
            }
            Value::Null | Value::Bool(_) => value,
        }
    }

    fn scrub_list(&self, items: Vec<Value>) -> Value {
        if items.len() > 1 && items.iter().all(Value::is_number) {
            let list = Zeroizing::new(items.iter().map(Value::to_string).collect::<Vec<_>>().join(","));
            if let Cow::Owned(clean) = self.scrub(&list) {
                return Value::String(clean);
            }
        }
        Value::Array(items.into_iter().map(|item| self.scrub_value(item)).collect())
    }

    /// The scrubbed key; numbered where scrubbing made it equal to an earlier one, so no member is lost.
    fn free_key(&self, taken: &serde_json::Map<String, Value>, key: &str) -> String {
        let clean = self.scrub(key).into_owned();
        if !taken.contains_key(&clean) {
            return clean;
        }
        (2_usize..)
            .map(|n| format!("{clean} {n}"))
            .find(|numbered| !taken.contains_key(numbered))
            .expect("an object has fewer members than there are numbers")
    }

    /// Whether there is nothing to look for.
    pub fn knows_nothing(&self) -> bool {
        self.known == [0; 3]
    }

    fn spell(&mut self, kind: Kind, fit: Fit, text: Zeroizing<String>) {
        self.spellings.push(Spelling { kind, fit, text });
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
        if bytes.len() >= 4 {
            for separator in [", ", ",", " "] {
                let list = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(separator);
                self.spell(Kind::TagId, Fit::WholeWord, Zeroizing::new(list));
            }
        }
    }

    /// Everything found, in order, without overlaps.
    fn spans(&self, text: &str) -> Vec<(usize, usize, Kind)> {
        let mut found = Vec::new();
        let mut words = Vec::new();
        for spelling in &self.spellings {
            for (start, part) in text.match_indices(spelling.text.as_str()) {
                let span = (start, padded(text, start + part.len()), spelling.kind);
                match spelling.fit {
                    Fit::Anywhere => found.push(span),
                    Fit::WholeWord => words.push(span),
                }
            }
        }
        found.extend(self.hex.find(text).into_iter().map(|(start, end)| (start, end, Kind::TagId)));
        found.extend(self.token_hex.find(text).into_iter().map(|(start, end)| (start, end, Kind::Token)));
        found.extend(
            self.images.find(text).into_iter().map(|(start, end)| (start, padded(text, end), Kind::Image)),
        );
        accept_words(text, words, &mut found);
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
}

/// Where the longest end of `text` starts that is a beginning of `value`, but not all of it.
fn begun(text: &str, value: &str) -> usize {
    let first = text.len().saturating_sub(value.len().saturating_sub(1));
    let begins =
        |&at: &usize| value.as_bytes().starts_with(&text.as_bytes()[at..]) && text.is_char_boundary(at);
    (first..text.len()).find(begins).unwrap_or(text.len())
}

/// Where the run of base64 at the end of `text` starts, which could grow into a piece of an image; of a run that has
/// grown long without being one, only the end.
fn image_begun(text: &str) -> usize {
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let run = text.bytes().rev().take_while(|byte| base64(byte)).count();
    match run {
        0..IMAGE_WINDOW => text.len() - run,
        _ => text.len() - IMAGE_WINDOW / 3,
    }
}

/// Past the base64 padding that follows at `end`, of which there are at most two.
fn padded(text: &str, end: usize) -> usize {
    end + text[end..].bytes().take(2).take_while(|&byte| byte == b'=').count()
}

/// Adds those of `words` that stand alone. What is taken out beside a word leaves it standing alone.
fn accept_words(text: &str, mut words: Vec<(usize, usize, Kind)>, found: &mut Vec<(usize, usize, Kind)>) {
    loop {
        let before = found.len();
        words.retain(|&(start, end, kind)| {
            let free =
                |beside: Option<char>, is_gone: bool| is_gone || !beside.is_some_and(char::is_alphanumeric);
            let alone = free(text[..start].chars().next_back(), found.iter().any(|span| span.1 == start))
                && free(text[end..].chars().next(), found.iter().any(|span| span.0 == end));
            if alone {
                found.push((start, end, kind));
            }
            !alone
        });
        if found.len() == before || words.is_empty() {
            return;
        }
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [tokens, uids, images] = self.known;
        write!(f, "[scrubber: {tokens} tokens, {uids} tag ids, {images} images]")
    }
}
