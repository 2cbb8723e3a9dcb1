//! The cleaning of [`SafeText`](super::SafeText): one pass, one character of look-ahead.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use icu_properties::props::{
    DefaultIgnorableCodePoint, Emoji, EmojiModifier, ExtendedPictographic, GeneralCategory,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Marks that one base character may carry: enough for every living script, too few to climb over
/// neighbouring lines.
const MARKS_PER_BASE: usize = 4;

/// Joins in one emoji. The longest in use (a kiss with skin tones) has three.
const JOINS_PER_EMOJI: usize = 4;

const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// Whether line breaks and tabs keep their meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Line,
    Block,
}

/// The clean form of `text`.
pub(super) fn clean(text: &str, shape: Shape) -> String {
    let mut out = String::with_capacity(text.len());
    append(&mut out, text, shape);
    out
}

/// Appends the clean form of `text` to `out`, which is clean already.
pub(super) fn append(out: &mut String, text: &str, shape: Shape) {
    let emoji = trailing_emoji(out);
    let mut cleaner = Cleaner { marks: trailing_marks(out), out, shape, surplus: 0, emoji };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        cleaner.take(c, &mut chars);
    }
    cleaner.settle_surplus();
}

/// What the end of a clean text allows next: its last grapheme, taken once more.
fn trailing_emoji(clean: &str) -> EmojiState {
    let Some(last) = clean.graphemes(true).next_back() else { return EmojiState::None };
    let mut scratch = String::new();
    let out = &mut scratch;
    let mut cleaner = Cleaner { marks: 0, out, shape: Shape::Block, surplus: 0, emoji: EmojiState::None };
    let mut chars = last.chars().peekable();
    while let Some(c) = chars.next() {
        cleaner.take(c, &mut chars);
    }
    cleaner.emoji
}

/// What the last characters written allow next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmojiState {
    /// No emoji stands before.
    None,
    /// A character that may take a variation selector (`#`, `©`, `❤`), but joins nothing.
    Plain,
    /// A pictograph after so many joins: may take a selector, a skin tone and a joiner.
    Pictograph { joins: usize },
    /// The same, its selector or skin tone already taken.
    Dressed { joins: usize },
    /// A joiner was just written; a pictograph follows, as the look-ahead made sure.
    Joined { joins: usize },
}

struct Cleaner<'a> {
    out: &'a mut String,
    shape: Shape,
    marks: usize,
    surplus: usize,
    emoji: EmojiState,
}

impl Cleaner<'_> {
    fn take(&mut self, c: char, rest: &mut Peekable<Chars<'_>>) {
        if (' '..='~').contains(&c) {
            let emoji = if matches!(c, '#' | '*' | '0'..='9') { EmojiState::Plain } else { EmojiState::None };
            return self.base(c, emoji);
        }
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' => self.base(if self.shape == Shape::Line { '⏎' } else { '\n' }, EmojiState::None),
            '\t' => {
                let spaces = if self.shape == Shape::Line { 1 } else { 4 };
                (0..spaces).for_each(|_| self.base(' ', EmojiState::None));
            }
            '\0'..='\u{1F}' => self.base(picture(c as u32), EmojiState::None),
            '\u{7F}' => self.base('␡', EmojiState::None),
            _ => self.beyond_ascii(c, rest.peek().copied()),
        }
    }

    fn beyond_ascii(&mut self, c: char, next: Option<char>) {
        if self.selects_variant(c) || self.joins_emoji(c, next) {
            self.out.push(c);
        } else if is_hidden(c) {
            self.settle_surplus();
            write!(self.out, "⟨U+{:04X}⟩", c as u32).expect("writing to a String cannot fail");
            (self.marks, self.emoji) = (0, EmojiState::None);
        } else if is_mark(c) {
            self.mark(c);
        } else {
            let emoji = self.emoji_after(c);
            self.base(c, emoji);
        }
    }

    /// A text or emoji variation selector directly after a character that has both looks.
    fn selects_variant(&mut self, c: char) -> bool {
        if !matches!(c, '\u{FE0E}' | '\u{FE0F}') || self.surplus > 0 {
            return false;
        }
        self.emoji = match self.emoji {
            EmojiState::Plain => EmojiState::None,
            EmojiState::Pictograph { joins } => EmojiState::Dressed { joins },
            EmojiState::None | EmojiState::Dressed { .. } | EmojiState::Joined { .. } => return false,
        };
        true
    }

    /// A joiner between two pictographs.
    fn joins_emoji(&mut self, c: char, next: Option<char>) -> bool {
        let (EmojiState::Pictograph { joins } | EmojiState::Dressed { joins }) = self.emoji else {
            return false;
        };
        let joined = c == ZERO_WIDTH_JOINER
            && self.surplus == 0
            && joins < JOINS_PER_EMOJI
            && next.is_some_and(is_pictograph);
        if joined {
            self.emoji = EmojiState::Joined { joins: joins + 1 };
        }
        joined
    }

    fn emoji_after(&self, c: char) -> EmojiState {
        let joins = match self.emoji {
            EmojiState::Pictograph { joins } if CodePointSetData::new::<EmojiModifier>().contains(c) => {
                return EmojiState::Dressed { joins };
            }
            EmojiState::Joined { joins } => joins,
            _ => 0,
        };
        if is_pictograph(c) {
            EmojiState::Pictograph { joins }
        } else if CodePointSetData::new::<Emoji>().contains(c) {
            EmojiState::Plain
        } else {
            EmojiState::None
        }
    }

    fn base(&mut self, c: char, emoji: EmojiState) {
        self.settle_surplus();
        self.out.push(c);
        (self.marks, self.emoji) = (0, emoji);
    }

    fn mark(&mut self, c: char) {
        self.emoji = EmojiState::None;
        if self.marks < MARKS_PER_BASE {
            self.marks += 1;
            self.out.push(c);
        } else {
            self.surplus += 1;
        }
    }

    /// Says how many marks were left out, once their run is over.
    fn settle_surplus(&mut self) {
        if self.surplus > 0 {
            write!(self.out, "⟨+{}⟩", self.surplus).expect("writing to a String cannot fail");
            (self.surplus, self.marks) = (0, 0);
        }
    }
}

/// The picture of a control character below U+0020.
fn picture(control: u32) -> char {
    char::from_u32(0x2400 + control).expect("U+2400 to U+241F are characters")
}

/// Whether a terminal would obey `c`, or draw nothing or something arbitrary for it.
pub(super) fn is_hidden(c: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    matches!(
        category,
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Surrogate
            | GeneralCategory::Unassigned
    ) || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Whether `c` is drawn upon the character before it: combining marks, and vowels and finals of Hangul.
pub(super) fn is_mark(c: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    matches!(
        category,
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark | GeneralCategory::SpacingMark
    ) || c.width() == Some(0)
}

fn is_pictograph(c: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(c)
        && !is_hidden(c)
        && !CodePointSetData::new::<EmojiModifier>().contains(c)
}

/// How many marks the last character of clean text carries.
fn trailing_marks(clean: &str) -> usize {
    clean
        .chars()
        .rev()
        .take(MARKS_PER_BASE)
        .take_while(|&c| !c.is_ascii() && !is_hidden(c) && is_mark(c))
        .count()
}
