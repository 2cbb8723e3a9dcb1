//! The conversation pane: wrapped from the newest line up, as far as the pane reaches.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::text::{labelled, safe, word};
use super::{View, framed};
use crate::app::{Item, Link, Pane};
use crate::safe_text::SafeText;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let block = framed(view, Pane::Talk, "Conversation".to_owned());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let proposal = proposal(view, usize::from(inner.width));
    let height = usize::from(inner.height).saturating_sub(proposal.len());
    let mut lines = newest(view, usize::from(inner.width), height);
    if lines.is_empty() {
        lines = empty(view);
    }
    let filler = height.saturating_sub(lines.len());
    lines.extend(std::iter::repeat_n(Line::default(), filler));
    lines.extend(proposal);
    frame.render_widget(Paragraph::new(lines), inner);
}

/// The last lines that fit, further back if it is scrolled.
fn newest(view: View<'_>, width: usize, height: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    let wanted = height.saturating_add(view.model.scrolled);
    for item in view.model.conversation.items().iter().rev() {
        lines.extend(item_lines(view, item, width).into_iter().rev());
        if lines.len() >= wanted {
            break;
        }
    }
    let skip = view.model.scrolled.min(lines.len().saturating_sub(height));
    let mut lines: Vec<Line<'static>> = lines.into_iter().skip(skip).take(height).collect();
    lines.reverse();
    lines
}

fn item_lines(view: View<'_>, item: &Item, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let plain = ratatui::style::Style::new();
    match item {
        Item::You(text) => labelled("you   ", theme.accent(), text, plain, width),
        Item::Showed(text) => {
            labelled("you   ", theme.accent(), &joined("showed ", text), theme.dim(), width)
        }
        Item::Agent { text, segments, done } => {
            let mut lines = labelled("agent ", theme.strong(), text, plain, width);
            if !segments.is_empty() {
                let spoken = if segments.len() == 1 {
                    "1 speech segment".to_owned()
                } else {
                    format!("{} speech segments", segments.len())
                };
                let apart: Vec<&SafeText> =
                    segments.iter().filter(|s| !text.as_str().contains(s.as_str())).collect();
                lines.push(Line::from(word(format!("      ♪ {spoken}"), theme.dim())));
                for segment in apart {
                    lines.extend(labelled("      ♪ ", theme.dim(), segment, theme.dim(), width));
                }
            }
            if !done && let Some(last) = lines.last_mut() {
                last.push_span(word("▌", theme.accent()));
            }
            lines
        }
        Item::Failure(code, message) => {
            let text = SafeText::block(&format!("{code}: {message}"));
            labelled("fail  ", theme.trouble(), &text, theme.trouble(), width)
        }
        Item::Asked(prompt) => labelled("asks  ", theme.notice(), prompt, theme.notice(), width),
        Item::Note(text) => labelled("  ·   ", theme.dim(), text, theme.dim(), width),
    }
}

fn joined(words: &str, text: &SafeText) -> SafeText {
    let mut out = SafeText::line(words);
    out.push(text);
    out
}

fn empty(view: View<'_>) -> Vec<Line<'static>> {
    let key = view.model.key("type");
    let text = match view.model.link {
        Link::Live => format!(
            "Nothing has been said yet. {key} types a message, {} scans a tag.",
            view.model.key("scan")
        ),
        _ => "The conversation appears here once the session is live.".to_owned(),
    };
    vec![Line::default(), Line::from(word(format!(" {text}"), view.theme.dim()))]
}

/// The proposal, not yet stored (R32).
fn proposal(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let View { model, theme } = view;
    let Some((object, label)) = &model.session.proposal else { return Vec::new() };
    let keys =
        format!("{} confirm    {} cancel teaching", model.key("confirm"), model.key("cancel-teaching"));
    let rule = "─".repeat(width.saturating_sub(26));
    vec![
        Line::from(word(format!("╭ proposal, not yet stored {rule}"), theme.notice())),
        Line::from(vec![word("│ ", theme.notice()), safe(&object.cut(width.saturating_sub(3)), theme.dim())]),
        Line::from(vec![
            word("│ \"", theme.notice()),
            safe(&label.cut(width.saturating_sub(5)), theme.strong()),
            word("\"", theme.notice()),
        ]),
        Line::from(vec![word("╰ ", theme.notice()), word(keys, theme.key())]),
    ]
}
