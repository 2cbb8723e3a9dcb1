//! A JSON value as coloured lines, every text in it made safe to draw.

use ratatui::text::{Line, Span};
use serde_json::Value;

use super::text::word;
use crate::safe_text::SafeText;
use crate::tui::theme::Theme;

/// Longest text that is shown whole.
const TEXT: usize = 2_000;
/// Most lines that are made.
const LINES: usize = 2_000;

/// The lines of a value.
pub(super) fn lines(value: &Value, theme: Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    walk(value, Vec::new(), 0, "", theme, &mut out);
    out
}

fn walk(
    value: &Value,
    mut head: Vec<Span<'static>>,
    depth: usize,
    tail: &str,
    theme: Theme,
    out: &mut Vec<Line<'static>>,
) {
    if out.len() >= LINES {
        return;
    }
    let indent = "  ".repeat(depth + 1);
    let close = |out: &mut Vec<Line<'static>>, bracket: &str| {
        out.push(Line::from(word(format!("{}{bracket}{tail}", "  ".repeat(depth)), theme.dim())));
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            head.push(word("{", theme.dim()));
            out.push(Line::from(head));
            for (at, (key, inner)) in map.iter().enumerate() {
                let name = SafeText::line(key).cut(100);
                let head = vec![
                    word(indent.clone(), theme.dim()),
                    word(format!("\"{name}\""), theme.accent()),
                    word(": ", theme.dim()),
                ];
                walk(inner, head, depth + 1, if at + 1 < map.len() { "," } else { "" }, theme, out);
            }
            close(out, "}");
        }
        Value::Array(items) if !items.is_empty() => {
            head.push(word("[", theme.dim()));
            out.push(Line::from(head));
            for (at, inner) in items.iter().enumerate() {
                let head = vec![word(indent.clone(), theme.dim())];
                walk(inner, head, depth + 1, if at + 1 < items.len() { "," } else { "" }, theme, out);
            }
            close(out, "]");
        }
        Value::String(text) => {
            head.push(word(format!("\"{}\"", SafeText::line(text).cut(TEXT)), theme.string()));
            head.push(word(tail.to_owned(), theme.dim()));
            out.push(Line::from(head));
        }
        other => {
            head.push(word(other.to_string(), theme.number()));
            head.push(word(tail.to_owned(), theme.dim()));
            out.push(Line::from(head));
        }
    }
}
