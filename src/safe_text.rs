//! Text from outside (agent, card, tag, device names, files), made drawable. Level 0.
//!
//! A terminal obeys what it is sent. Whatever somebody else wrote passes through [`SafeText`] at the
//! boundary, once, before it is stored for drawing; views take nothing else. What a terminal would obey or
//! hide becomes a mark that can be seen, so that nothing is dropped silently:
//!
//! | in the text | drawn as |
//! |---|---|
//! | control characters U+0000–U+001F, U+007F (escape, bell, …) | control pictures: `␛`, `␇`, `␡` |
//! | control characters U+0080–U+009F, direction controls, zero-width and other ignorable or format characters, line and paragraph separators, tag characters, private use, unassigned code points | `⟨U+202E⟩` |
//! | a line break in [`SafeText::line`] | `⏎` |
//! | a tab | one space in a line, four in a block |
//! | more than four marks on one character | the first four, then `⟨+96⟩` |
//!
//! What follows an escape (`[31m`) stays as the harmless text it then is. Joiners and variation selectors
//! stay inside emoji, where they belong. Cleaning clean text changes nothing, and text never grows by more
//! than six times its bytes.

use std::fmt;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

mod clean;

/// Text that can be drawn without harm: the only text from outside that a view accepts.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct SafeText(String);

impl SafeText {
    /// One line: every line break becomes `⏎`, every tab a space.
    pub fn line(text: &str) -> Self {
        Self(clean::clean(text, clean::Shape::Line))
    }

    /// Several lines: `\n` stays, `\r\n` becomes `\n`, a tab four spaces.
    ///
    /// A carriage return alone would let a line be overwritten, so it is a mark (`␍`) like other controls.
    pub fn block(text: &str) -> Self {
        Self(clean::clean(text, clean::Shape::Block))
    }

    /// The drawable text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns that a terminal needs: of the widest line, where there are several.
    pub fn width(&self) -> usize {
        self.0.split('\n').map(UnicodeWidthStr::width).max().unwrap_or(0)
    }

    /// At most `max_chars` Unicode characters: whole grapheme clusters, then `…` where something was left
    /// out. Text that fits is returned as it is; with `max_chars` of 0 nothing is left.
    pub fn cut(&self, max_chars: usize) -> Self {
        if self.0.chars().nth(max_chars).is_none() {
            return self.clone();
        }
        let Some(mut room) = max_chars.checked_sub(1) else {
            return Self::default();
        };
        let mut kept = String::new();
        for cluster in self.0.graphemes(true) {
            let Some(left) = room.checked_sub(cluster.chars().count()) else {
                break;
            };
            room = left;
            kept.push_str(cluster);
        }
        kept.push('…');
        Self(kept)
    }

    /// Appends `more`, as a stream of text deltas does. The bounds hold across the seam too: marks at the
    /// start of `more` count with those on the last character here.
    ///
    /// Line breaks of `more` stay line breaks: pushing a block makes a block.
    pub fn push(&mut self, more: &Self) {
        clean::append(&mut self.0, &more.0, clean::Shape::Block);
    }

    /// Gives back memory that was reserved for more; what is kept for long and grows no more needs none.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests;
