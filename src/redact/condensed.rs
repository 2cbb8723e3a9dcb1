//! Secrets with something between their characters: `s-3-c-r-3-t`, `S 3 C R 3 T`, `1,303,689,068,602,870`.
//!
//! Only letters and digits of ASCII are compared, in small letters; whatever stands between them, of any length, goes with
//! what is found. So only what is long enough never to stand in ordinary text by chance is looked for like this.

use zeroize::Zeroizing;

use super::scrub::Kind;

/// Fewest letters and digits of a token that is looked for.
const TOKEN: usize = 12;
/// The same of an id, whose digits mean less by chance.
const ID: usize = 8;

/// What is looked for.
#[derive(Default)]
pub(super) struct Condensed {
    secrets: Vec<Secret>,
}

struct Secret {
    kind: Kind,
    text: Zeroizing<Vec<u8>>,
}

/// The letters and digits of a text, and where each stood.
struct Letters {
    letters: Zeroizing<Vec<u8>>,
    places: Vec<u32>,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Zeroizing::new(Vec::with_capacity(text.len()));
        let mut places = Vec::with_capacity(text.len());
        for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()) {
            letters.push(byte.to_ascii_lowercase());
            places.push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        Self { letters, places }
    }

    fn place(&self, at: usize) -> usize {
        self.places[at] as usize
    }
}

/// A place for each letter and digit of ASCII.
const fn bit(letter: u8) -> u128 {
    1 << (letter & 127)
}

impl Condensed {
    /// Looks for this spelling of a secret from now on, unless too few letters and digits are in it.
    pub fn add(&mut self, kind: Kind, spelling: &str) {
        let text = Letters::of(spelling).letters;
        let fewest = if kind == Kind::Token { TOKEN } else { ID };
        if text.len() >= fewest && self.secrets.iter().all(|known| known.text != text) {
            self.secrets.push(Secret { kind, text });
        }
    }

    /// Forgets what is not of this kind.
    pub fn keep_only(&mut self, kind: Kind) {
        self.secrets.retain(|secret| secret.kind == kind);
    }

    /// The fewest bytes of a text that can hold one.
    pub fn shortest(&self) -> Option<usize> {
        self.secrets.iter().map(|secret| secret.text.len()).min()
    }

    /// Everything found: start, end, kind.
    pub fn find(&self, text: &str) -> Vec<(usize, usize, Kind)> {
        if self.shortest().is_none_or(|shortest| text.len() < shortest) {
            return Vec::new();
        }
        let letters = Letters::of(text);
        let mut found = Vec::new();
        for Secret { kind, text } in &self.secrets {
            for at in memchr::memchr_iter(text[0], &letters.letters) {
                if letters.letters[at..].starts_with(text) {
                    found.push((letters.place(at), letters.place(at + text.len() - 1) + 1, *kind));
                }
            }
        }
        found
    }

    /// Where the longest end of `text` starts that is a beginning of a secret, but not all of it.
    pub fn begun(&self, text: &str) -> Option<usize> {
        let longest = self.secrets.iter().map(|secret| secret.text.len()).max()?;
        let mut end: Vec<(usize, u8)> = text
            .bytes()
            .enumerate()
            .rev()
            .filter(|(_, byte)| byte.is_ascii_alphanumeric())
            .take(longest - 1)
            .map(|(at, byte)| (at, byte.to_ascii_lowercase()))
            .collect();
        end.reverse();
        // Most places begin nothing by their first letter already.
        let firsts = self.secrets.iter().fold(0, |firsts, secret| firsts | bit(secret.text[0]));
        let begins = |from: &usize| {
            let tail = &end[*from..];
            if tail.first().is_none_or(|(_, letter)| bit(*letter) & firsts == 0) {
                return false;
            }
            let is_begun = |secret: &Secret| {
                tail.len() < secret.text.len()
                    && tail.iter().zip(secret.text.iter()).all(|(has, is)| has.1 == *is)
            };
            self.secrets.iter().any(is_begun)
        };
        (0..end.len()).find(begins).map(|from| end[from].0)
    }
}
