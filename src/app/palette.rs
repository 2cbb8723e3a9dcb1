//! Finding a command by its words, with letters left out or one of them wrong.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Matcher, Utf32Str};

use super::edit::Editor;
use crate::command::{ALL, Command};

/// Characters that are typed before one of them may be wrong: of fewer, the rest would fit anything.
const TYPO_FROM: usize = 4;
/// Characters up to which one of them may be wrong; nobody types a longer name of a command.
const TYPO_TO: usize = 40;

/// The palette: what is typed, and which line is chosen.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// What is typed.
    pub editor: Editor,
    /// The chosen line, from 0.
    pub chosen: usize,
}

impl Palette {
    /// The commands that fit, best first; all of them while nothing is typed.
    ///
    /// Letters may be skipped in the title and the id (`cncl`). In the sentence of the help, where any few letters stand
    /// somewhere, only what stands there as it was typed counts, and less. Unless what is typed is part of a title or
    /// an id, one letter may be too many, wrong, or in its neighbour's place; such commands stand last.
    pub fn found(&self) -> Vec<&'static Command> {
        let listed = ALL.iter().filter(|command| command.palette);
        let text = self.editor.text();
        if text.is_empty() {
            return listed.collect();
        }
        let mut search = Search::new(text);
        let mut scored: Vec<((Fit, u32), &'static Command)> =
            listed.filter_map(|command| Some((search.fit(command)?, command))).collect();
        // Who types a name as it stands has made no slip.
        let is_named =
            |command: &Command| [command.title, command.id].iter().any(|name| name.contains(&search.text));
        if scored.iter().any(|(_, command)| is_named(command)) {
            scored.retain(|((fit, _), _)| *fit != Fit::Typo);
        }
        scored.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
        scored.into_iter().map(|(_, command)| command).collect()
    }

    /// The chosen command.
    pub fn choice(&self) -> Option<&'static Command> {
        let found = self.found();
        found.get(self.chosen.min(found.len().saturating_sub(1))).copied()
    }
}

/// The text without one of its characters, for each of them; nothing if it is too short or too long for a typo.
fn without_one(text: &str) -> Vec<String> {
    let count = text.chars().count();
    if !(TYPO_FROM..=TYPO_TO).contains(&count) {
        return Vec::new();
    }
    (0..count)
        .map(|gone| text.chars().enumerate().filter(|(at, _)| *at != gone).map(|(_, c)| c).collect())
        .collect()
}

/// How a command fits, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The title or the id has all letters but one.
    Typo,
    /// The sentence of the help has the words as they are typed.
    Sentence,
    /// The title or the id has all letters in order.
    Name,
}

/// What is looked for, and the matcher with its room.
struct Search {
    /// In small letters.
    text: String,
    whole: Pattern,
    /// Without one letter, for each.
    slips: Vec<Pattern>,
    matcher: Matcher,
    room: Vec<char>,
}

impl Search {
    fn new(text: &str) -> Self {
        let parse = |text: &str| Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let slips = without_one(text).iter().map(|text| parse(text)).collect();
        let (matcher, room) = (Matcher::default(), Vec::new());
        Self { text: text.to_lowercase(), whole: parse(text), slips, matcher, room }
    }

    /// How the command fits, and how well; `None` if it does not.
    fn fit(&mut self, command: &Command) -> Option<(Fit, u32)> {
        let Self { text, whole, slips, matcher, room } = self;
        let mut named = |pattern: &Pattern| {
            let score = |name: &str| pattern.score(Utf32Str::new(name, room), matcher);
            [command.title, command.id].into_iter().filter_map(score).max()
        };
        if let Some(score) = named(whole) {
            return Some((Fit::Name, score));
        }
        let sentence = command.help.to_lowercase();
        if text.split_whitespace().all(|word| sentence.contains(word)) {
            return Some((Fit::Sentence, 0));
        }
        slips.iter().filter_map(&mut named).max().map(|score| (Fit::Typo, score))
    }
}
