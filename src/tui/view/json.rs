//! A JSON value as coloured lines, every text in it made safe to draw.

use ratatui::text::{Line, Span};
use serde_json::Value;

use super::View;
use super::text::{fold, word};
use crate::safe_text::SafeText;
use crate::tui::theme::Theme;

/// Longest text that is shown whole.
const TEXT: usize = 4_000;
/// Most values that are shown.
const VALUES: usize = 1_500;
/// A list with more entries than this is folded.
const LONG: usize = 16;
/// How many entries of a folded list are shown.
const SHOWN: usize = 8;
/// Deepest step to the right.
const STEPS: usize = 12;

/// The lines of a value, broken at `width` columns; long lists are folded unless the person unfolded them.
pub(super) fn lines(value: &Value, view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let unfolds = (!view.model.unfolded).then(|| view.model.key("fold"));
    let mut writer = Writer { theme, width, unfolds, values: 0, lines: Vec::new() };
    writer.walk(value, Vec::new(), 0, "");
    if writer.values > VALUES {
        writer.lines.push(Line::from(word("… more than is shown here", theme.dim())));
    }
    writer.lines
}

struct Writer {
    theme: Theme,
    width: usize,
    /// The key that unfolds; `None` where nothing is folded.
    unfolds: Option<String>,
    values: usize,
    lines: Vec<Line<'static>>,
}

impl Writer {
    /// Writes a value behind what already stands on its line; `tail` follows it.
    fn walk(&mut self, value: &Value, mut head: Vec<Span<'static>>, depth: usize, tail: &str) {
        self.values += 1;
        if self.values > VALUES {
            return;
        }
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.open(head, "{", depth);
                for (at, (key, inner)) in map.iter().take(self.shown(map.len())).enumerate() {
                    let head = self.member(key, depth + 1);
                    self.walk(inner, head, depth + 1, comma(at, map.len()));
                }
                self.folded(map.len(), depth);
                self.close("}", depth, tail);
            }
            Value::Array(items) if !items.is_empty() => {
                self.open(head, "[", depth);
                for (at, inner) in items.iter().take(self.shown(items.len())).enumerate() {
                    let head = vec![self.indent(depth + 1)];
                    self.walk(inner, head, depth + 1, comma(at, items.len()));
                }
                self.folded(items.len(), depth);
                self.close("]", depth, tail);
            }
            Value::String(text) => {
                head.push(word(format!("\"{}\"", SafeText::line(text).cut(TEXT)), self.theme.string()));
                self.end(head, depth, tail);
            }
            other => {
                head.push(word(other.to_string(), self.theme.number()));
                self.end(head, depth, tail);
            }
        }
    }

    /// How many of so many entries are shown.
    fn shown(&self, of: usize) -> usize {
        if self.unfolds.is_some() && of > LONG { SHOWN } else { of }
    }

    /// Says what is folded away.
    fn folded(&mut self, of: usize, depth: usize) {
        let hidden = of - self.shown(of);
        if let Some(key) = self.unfolds.as_deref().filter(|_| hidden > 0) {
            let text = word(format!("… {hidden} more · {key} unfolds"), self.theme.dim());
            let line = vec![self.indent(depth + 1), text];
            self.push(line, depth + 1);
        }
    }

    fn indent(&self, depth: usize) -> Span<'static> {
        word("  ".repeat(depth.min(STEPS)), self.theme.dim())
    }

    fn member(&self, key: &str, depth: usize) -> Vec<Span<'static>> {
        let name = SafeText::line(key).cut(100);
        let name = word(format!("\"{name}\""), self.theme.accent());
        vec![self.indent(depth), name, word(": ", self.theme.dim())]
    }

    fn open(&mut self, mut head: Vec<Span<'static>>, bracket: &str, depth: usize) {
        head.push(word(bracket.to_owned(), self.theme.dim()));
        self.push(head, depth);
    }

    fn close(&mut self, bracket: &str, depth: usize, tail: &str) {
        let line = vec![self.indent(depth), word(format!("{bracket}{tail}"), self.theme.dim())];
        self.push(line, depth);
    }

    fn end(&mut self, mut head: Vec<Span<'static>>, depth: usize, tail: &str) {
        head.push(word(tail.to_owned(), self.theme.dim()));
        self.push(head, depth);
    }

    fn push(&mut self, spans: Vec<Span<'static>>, depth: usize) {
        self.lines.extend(fold(Line::from(spans), self.width, depth.min(STEPS) * 2 + 4));
    }
}

fn comma(at: usize, of: usize) -> &'static str {
    if at + 1 < of { "," } else { "" }
}
