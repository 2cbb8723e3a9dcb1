//! The filter of the event stream: what is typed after `/`, read once, asked of each row.
//!
//! Terms stand apart by spaces and must all hold; `-` before one turns it round, quotation marks keep spaces and make
//! a word of anything, and an id exact (a doubled one stands for itself there). Words are found in type, text and
//! content, whatever their case unless they hold a capital.

use memchr::memmem::Finder;

use crate::protocol::Level;

use super::row::{Row, Way};

/// What a term may be, as errors and the empty field say it.
pub const FORMS: &str =
    "words, in, out, device, type:text.*, finding, finding:ENV-2, turn:3, id:ix-1, -word, \"two words\"";

/// What may stand before a colon, in the order of the README.
const KEYS: [&str; 5] = ["dir", "type", "finding", "turn", "id"];

/// Names that people try, and the key that does it.
const OTHER_NAMES: [(&str, &str); 4] =
    [("direction", "dir"), ("level", "finding"), ("rule", "finding"), ("interaction", "id")];

/// Near to a key by chance: beginnings of URIs that stand in tags and passports.
const SCHEMES: [&str; 2] = ["urn", "did"];

/// A filter that was read.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

/// One term.
#[derive(Clone, Debug)]
struct Term {
    negated: bool,
    asks: Asks,
}

/// What a term asks of a row.
#[derive(Clone, Debug)]
enum Asks {
    Way(Way),
    /// A pattern of the type, in lower case.
    Type(String),
    /// Any finding.
    Finding,
    /// A finding of this level.
    Level(Level),
    /// A finding whose rule has this id, as a pattern in lower case.
    Rule(String),
    Turn(u64),
    /// A pattern of the interaction's id.
    Interaction(String),
    /// The interaction's id itself.
    ExactInteraction(String),
    Word(Box<Needle>),
}

impl Filter {
    /// Reads what was typed; nothing but spaces shows everything.
    ///
    /// # Errors
    /// One sentence: what was expected and what came.
    pub fn parse(text: &str) -> Result<Self, String> {
        words(text).map(term).collect::<Result<Vec<_>, _>>().map(|terms| Self { terms })
    }

    /// Whether it shows everything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a row is shown.
    pub fn shows(&self, row: &Row) -> bool {
        self.terms.iter().all(|term| term.asks.holds(row) != term.negated)
    }
}

impl Asks {
    fn holds(&self, row: &Row) -> bool {
        let findings = row.findings();
        match self {
            Self::Way(way) => row.way == *way,
            Self::Type(pattern) => fits(pattern, &row.kind.as_str().to_lowercase()),
            Self::Finding => !findings.is_empty(),
            Self::Level(level) => findings.iter().any(|finding| finding.rule.level == *level),
            Self::Rule(pattern) => {
                findings.iter().any(|finding| fits(pattern, &finding.rule.id.to_lowercase()))
            }
            Self::Turn(turn) => row.turn == Some(*turn),
            Self::Interaction(pattern) => {
                row.interaction.as_ref().is_some_and(|id| fits(pattern, id.as_str()))
            }
            Self::ExactInteraction(wanted) => {
                row.interaction.as_ref().is_some_and(|id| id.as_str() == wanted)
            }
            Self::Word(needle) => {
                let mut room = Vec::new();
                row.texts(&mut |text| needle.is_in(text, &mut room))
            }
        }
    }
}

/// What was typed between spaces, and whether any of it stood in quotation marks.
struct Typed {
    negated: bool,
    quoted: bool,
    text: String,
}

fn words(text: &str) -> impl Iterator<Item = Typed> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let (negated, body) = match rest.strip_prefix(['-', '!']) {
            Some(body) if body.starts_with(|c: char| !c.is_whitespace()) => (true, body),
            _ => (false, rest),
        };
        if body.is_empty() {
            return None;
        }
        let mut typed = Typed { negated, quoted: false, text: String::new() };
        let mut inside = false;
        let mut end = body.len();
        let mut chars = body.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' if inside && chars.next_if(|(_, next)| *next == '"').is_some() => typed.text.push('"'),
                '"' => {
                    inside = !inside;
                    typed.quoted = true;
                }
                c if c.is_whitespace() && !inside => {
                    end = at;
                    break;
                }
                c => typed.text.push(c),
            }
        }
        rest = &body[end..];
        Some(typed)
    })
    .filter(|typed| !typed.text.is_empty())
}

fn term(Typed { negated, quoted, text }: Typed) -> Result<Term, String> {
    let word = || Asks::Word(Box::new(Needle::new(&text)));
    let asks = match text.split_once(':') {
        None if quoted => word(),
        None => match text.as_str() {
            "in" | "←" => Asks::Way(Way::In),
            "out" | "→" => Asks::Way(Way::Out),
            "device" | "◇" => Asks::Way(Way::Device),
            "finding" | "findings" => Asks::Finding,
            _ => word(),
        },
        Some((key, value)) => match (key.to_lowercase().as_str(), value) {
            ("dir", "in") => Asks::Way(Way::In),
            ("dir", "out") => Asks::Way(Way::Out),
            ("dir", "device") => Asks::Way(Way::Device),
            ("dir", other) => {
                return Err(format!("expected dir:in, dir:out or dir:device, came dir:{other}"));
            }
            ("type" | "finding" | "turn" | "id", "") => {
                return Err(format!("expected something after {key}:"));
            }
            ("type", pattern) => Asks::Type(pattern.to_lowercase()),
            ("finding", "must") => Asks::Level(Level::Must),
            ("finding", "should") => Asks::Level(Level::Should),
            ("finding", rule) => Asks::Rule(rule.to_lowercase()),
            ("turn", number) => match number.parse() {
                Ok(turn) => Asks::Turn(turn),
                Err(_) => return Err(format!("expected the number of a turn, came turn:{number}")),
            },
            ("id", id) if quoted => Asks::ExactInteraction(id.to_owned()),
            ("id", pattern) => Asks::Interaction(pattern.to_owned()),
            // `urn:agentcall:…` and times are words like any other.
            (key, _) => match meant(key).filter(|_| !quoted) {
                None => word(),
                Some(meant) => {
                    return Err(format!("{key}: is no key, did you mean {meant}:?"));
                }
            },
        },
    };
    Ok(Term { negated, asks })
}

/// The key that was most likely meant by a word before a colon, if that is a slip. One edit in four letters: more
/// would turn every short word into one.
fn meant(word: &str) -> Option<&'static str> {
    if let Some((_, key)) = OTHER_NAMES.iter().find(|(other, _)| *other == word) {
        return Some(key);
    }
    if word.len() < 2 || SCHEMES.contains(&word) || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let slips = KEYS.into_iter().map(|key| (strsim::osa_distance(word, key), key));
    slips.filter(|(edits, key)| *edits <= key.len().div_ceil(4)).min().map(|(_, key)| key)
}

/// Whether `text` fits a pattern in which `*` stands for anything; without one it is the beginning that counts.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, mut tail)) = pattern.split_once('*') else { return text.starts_with(pattern) };
    let Some(mut left) = text.strip_prefix(head) else { return false };
    while let Some((part, rest)) = tail.split_once('*') {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
        tail = rest;
    }
    left.ends_with(tail)
}

/// A word to look for.
#[derive(Clone, Debug)]
struct Needle {
    /// As typed, or in lower case when case does not count.
    text: String,
    exact: bool,
    finder: Finder<'static>,
}

impl Needle {
    fn new(text: &str) -> Self {
        let exact = text.chars().any(char::is_uppercase);
        let text = if exact { text.to_owned() } else { text.to_lowercase() };
        Self { finder: Finder::new(&text).into_owned(), text, exact }
    }

    /// Whether the word stands in `text`; `room` is memory to work in, the same for many texts.
    fn is_in(&self, text: &str, room: &mut Vec<u8>) -> bool {
        if text.len() < self.text.len() && self.text.is_ascii() {
            false
        } else if self.exact {
            self.finder.find(text.as_bytes()).is_some()
        } else if self.text.is_ascii() {
            // Copying and finding are each several times quicker than comparing without case at every place, and
            // finding stays so whatever word and text are.
            room.clear();
            room.extend_from_slice(text.as_bytes());
            room.make_ascii_lowercase();
            self.finder.find(room).is_some()
        } else {
            self.finder.find(text.to_lowercase().as_bytes()).is_some()
        }
    }
}
