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
    /// Letters may be left out (`cncl`). In the title or the id one letter may also be too many, wrong, or in its
    /// neighbour's place; such a hit counts less than the words as typed in the sentence of the help, and more than
    /// their letters scattered over it.
    pub fn found(&self) -> Vec<&'static Command> {
        let text = self.editor.text();
        let listed = ALL.iter().filter(|command| command.palette);
        if text.is_empty() {
            return listed.collect();
        }
        let mut search = Search::new(text);
        let mut scored: Vec<((Fit, u32), &'static Command)> =
            listed.filter_map(|command| Some((search.fit(command)?, command))).collect();
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
    /// Its letters stand in the sentence of the help, in order.
    Scattered,
    /// The title or the id has all letters but one.
    Typo,
    /// The sentence has it as it is typed.
    Sentence,
    /// The title or the id has its letters in order.
    Name,
}

/// What is looked for, and the matcher with its room.
struct Search {
    text: String,
    typed: Pattern,
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
        Self { text: text.to_lowercase(), typed: parse(text), slips, matcher, room }
    }

    /// How the command fits, and how well; `None` if it does not.
    fn fit(&mut self, command: &Command) -> Option<(Fit, u32)> {
        let Self { text, typed, slips, matcher, room } = self;
        let name = format!("{} {}", command.title, command.id);
        let mut score = |pattern: &Pattern, words: &str| pattern.score(Utf32Str::new(words, room), matcher);
        if let Some(in_name) = score(typed, &name) {
            // A hit in the title alone counts more than one that needs the id.
            return Some((Fit::Name, in_name + score(typed, command.title).unwrap_or(0) * 2));
        }
        let in_all = score(typed, &format!("{name} {}", command.help));
        if let Some(score) = in_all.filter(|_| command.help.to_lowercase().contains(text.as_str())) {
            return Some((Fit::Sentence, score));
        }
        let typo = slips.iter().filter_map(|slip| score(slip, &name)).max();
        typo.map(|score| (Fit::Typo, score)).or(in_all.map(|score| (Fit::Scattered, score)))
    }
}
