//! A JSON value as coloured lines, every text in it made safe to draw.

use ratatui::text::{Line, Span};
use serde_json::Value;

use super::text::{fold, word};
use crate::safe_text::SafeText;
use crate::tui::theme::Theme;

/// Longest text that is shown whole.
const TEXT: usize = 4_000;
/// Most values that are shown.
const VALUES: usize = 1_500;
/// Deepest step to the right.
const STEPS: usize = 12;

/// The lines of a value, broken at `width` columns.
pub(super) fn lines(value: &Value, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut writer = Writer { theme, width, values: 0, lines: Vec::new() };
    writer.walk(value, Vec::new(), 0, "");
    if writer.values > VALUES {
        writer.lines.push(Line::from(word("… more than is shown here", theme.dim())));
    }
    writer.lines
}

struct Writer {
    theme: Theme,
    width: usize,
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
                for (at, (key, inner)) in map.iter().enumerate() {
                    let head = self.member(key, depth + 1);
                    self.walk(inner, head, depth + 1, comma(at, map.len()));
                }
                self.close("}", depth, tail);
            }
            Value::Array(items) if !items.is_empty() => {
                self.open(head, "[", depth);
                for (at, inner) in items.iter().enumerate() {
                    let head = vec![self.indent(depth + 1)];
                    self.walk(inner, head, depth + 1, comma(at, items.len()));
                }
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
