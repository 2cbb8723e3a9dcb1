//! Lines and spans from texts that may be drawn.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::safe_text::SafeText;

/// A safe text as a span.
pub(super) fn safe(text: &SafeText, style: Style) -> Span<'static> {
    Span::styled(text.as_str().to_owned(), style)
}

/// Our own words as a span.
pub(super) fn word(text: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(text.into(), style)
}

/// Breaks a safe text into lines of `width` columns, at words where that is possible. Never empty.
pub(super) fn wrap(text: &SafeText, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for line in text.as_str().split('\n') {
        let options = textwrap::Options::new(width)
            .break_words(true)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        lines.extend(textwrap::wrap(line, options).into_iter().map(std::borrow::Cow::into_owned));
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// A safe text with a label before its first line and as much space before the others.
pub(super) fn labelled(
    label: &str,
    label_style: Style,
    text: &SafeText,
    style: Style,
    width: usize,
) -> Vec<Line<'static>> {
    let indent = label.width();
    let lines = wrap(text, width.saturating_sub(indent));
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            let label = if at == 0 { label.to_owned() } else { " ".repeat(indent) };
            Line::from(vec![Span::styled(label, label_style), Span::styled(line, style)])
        })
        .collect()
}

/// Breaks a line of several styles after `width` columns; what follows hangs `hang` columns in.
pub(super) fn fold(line: Line<'static>, width: usize, hang: usize) -> Vec<Line<'static>> {
    if line.width() <= width || width == 0 {
        return vec![line];
    }
    let hang = if hang + 8 > width { 0 } else { hang };
    let mut lines = Vec::new();
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut used = 0;
    for span in line.spans {
        let mut part = String::new();
        for grapheme in span.content.graphemes(true) {
            let more = grapheme.width();
            if used + more > width {
                spans.push(Span::styled(std::mem::take(&mut part), span.style));
                lines.push(Line::from(std::mem::take(&mut spans)));
                spans.push(Span::raw(" ".repeat(hang)));
                used = hang;
            }
            used += more;
            part.push_str(grapheme);
        }
        spans.push(Span::styled(part, span.style));
    }
    lines.push(Line::from(spans));
    lines
}

/// Cuts to `width` columns, with `…` where something is missing.
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let more = grapheme.width();
        if used + more + 1 > width {
            break;
        }
        used += more;
        out.push_str(grapheme);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Fits to exactly `width` columns, filled with spaces on the right.
pub(super) fn left(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let pad = width.saturating_sub(text.width());
    text + &" ".repeat(pad)
}

/// Fits to exactly `width` columns, filled with spaces on the left.
pub(super) fn right(text: &str, width: usize) -> String {
    let text = fit(text, width);
    " ".repeat(width.saturating_sub(text.width())) + &text
}

/// A number of columns or rows as the terminal counts them.
pub(super) fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
