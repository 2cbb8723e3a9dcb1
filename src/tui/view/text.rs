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

/// Breaks a line of several styles after `width` columns, at a space where one is near; what follows hangs `hang`
/// columns in.
pub(super) fn fold(line: Line<'static>, width: usize, hang: usize) -> Vec<Line<'static>> {
    if line.width() <= width || width == 0 {
        return vec![line];
    }
    let hang = if hang + 8 > width { 0 } else { hang };
    let clusters: Vec<(&str, Style)> = line
        .spans
        .iter()
        .flat_map(|span| span.content.graphemes(true).map(|cluster| (cluster, span.style)))
        .collect();
    let mut lines = Vec::new();
    let mut from = 0;
    while from < clusters.len() {
        let indent = if lines.is_empty() { 0 } else { hang };
        let (end, next) = break_at(&clusters[from..], width - indent, hang);
        let mut spans = vec![Span::raw(" ".repeat(indent))];
        spans.extend(runs(&clusters[from..from + end]));
        lines.push(Line::from(spans));
        from += next;
    }
    lines
}

/// Where a line ends that may have so many columns, and where the next begins.
fn break_at(clusters: &[(&str, Style)], width: usize, hang: usize) -> (usize, usize) {
    let mut used = 0;
    let mut space = None;
    for (at, (cluster, _)) in clusters.iter().enumerate() {
        used += cluster.width();
        if used > width {
            // A space in the first half would leave the line emptier than a broken word looks bad.
            return match space.filter(|space| *space > hang.max(width / 2)) {
                _ if *cluster == " " => (at, at + 1),
                Some(space) => (space, space + 1),
                None => (at.max(1), at.max(1)),
            };
        }
        if *cluster == " " {
            space = Some(at);
        }
    }
    (clusters.len(), clusters.len())
}

/// Neighbours of one style become one span.
fn runs(clusters: &[(&str, Style)]) -> Vec<Span<'static>> {
    clusters
        .chunk_by(|(_, one), (_, other)| one == other)
        .map(|run| {
            let style = run.first().map_or(Style::new(), |(_, style)| *style);
            Span::styled(run.iter().map(|(cluster, _)| *cluster).collect::<String>(), style)
        })
        .collect()
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

/// Cuts to `width` columns with `…` in the middle: devices that are alike differ at the ends of their names.
pub(super) fn fit_ends(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut tail = Vec::new();
    let mut used = 0;
    for grapheme in text.graphemes(true).rev() {
        used += grapheme.width();
        if used > width / 3 {
            break;
        }
        tail.push(grapheme);
    }
    let tail: String = tail.into_iter().rev().collect();
    fit(text, width - tail.width()) + &tail
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
