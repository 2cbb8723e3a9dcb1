//! Finding a command by its words.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::edit::Editor;
use crate::command::{ALL, Command};

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
    pub fn found(&self) -> Vec<&'static Command> {
        let listed = ALL.iter().filter(|command| command.palette);
        let text = self.editor.text();
        if text.is_empty() {
            return listed.collect();
        }
        let pattern = Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let typed = text.to_lowercase();
        let mut scored: Vec<(u32, &'static Command)> = listed
            .filter_map(|command| {
                let mut score = |words: &str| pattern.score(Utf32Str::new(words, &mut buffer), &mut matcher);
                // Letters may be skipped in the title and the name. In the sentence behind them, where any few letters stand
                // somewhere, only what stands there as it was typed counts, and less.
                let named =
                    score(command.title).into_iter().chain(score(command.id)).max().map(|score| score * 3);
                let told = typed.split_whitespace().all(|word| command.help.to_lowercase().contains(word));
                named.or(told.then_some(1)).map(|score| (score, command))
            })
            .collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, command)| command).collect()
    }

    /// The chosen command.
    pub fn choice(&self) -> Option<&'static Command> {
        let found = self.found();
        found.get(self.chosen.min(found.len().saturating_sub(1))).copied()
    }
}
