//! What is wrong with a scenario, and where.

use thiserror::Error;

use crate::redact::mask_uid_values;

/// A line that cannot be read. Its `Display` shows the line with a caret; the values of `uid=` are masked.
///
/// ```text
/// demo.agentcall:3:20: expected identify, remember, inspect or act, came "buy"
///   3 | scan tag:uid=… intent=buy
///     |                ^
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.shown())]
pub struct ScenarioError {
    /// The file's name as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1, in the line as it is shown.
    pub column: usize,
    /// What was expected and what came.
    pub message: String,
    /// The line with the values of `uid=` masked.
    pub shown: String,
    /// Further lines of the same file that cannot be read, in order; theirs is empty.
    pub also: Vec<ScenarioError>,
}

/// Longest part of a line that a message repeats, in characters.
const SHOWN: usize = 200;

/// The beginning of a text of the user's.
pub(super) fn bounded(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

impl ScenarioError {
    /// An error at byte `at` of `text`, the whole line. `message` repeats no value of a `uid=`.
    pub(super) fn new(file: &str, line: usize, text: &str, at: usize, message: &str) -> Self {
        let before = text.get(..at).unwrap_or(text);
        Self {
            file: file.to_owned(),
            line,
            column: mask_uid_values(before).chars().count() + 1,
            message: message.to_owned(),
            shown: bounded(&mask_uid_values(text)),
            also: Vec::new(),
        }
    }

    fn shown(&self) -> String {
        let Self { file, line, column, message, shown, .. } = self;
        let margin = " ".repeat(line.to_string().len());
        // Tabs keep their width under the caret.
        let indent: String =
            shown.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        format!("{file}:{line}:{column}: {message}\n  {line} | {shown}\n  {margin} | {indent}^")
    }
}
