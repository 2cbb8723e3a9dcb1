//! The inspector: the selected frame as coloured JSON, its findings with their rules on top.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::text::{labelled, word};
use super::{View, framed, json};
use crate::app::{Pane, Row};
use crate::protocol::Finding;
use crate::safe_text::SafeText;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let selected = view.model.events.selected();
    let block = framed(view, Pane::Inspect, title(selected));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let lines = match selected {
        Some(row) => lines(view, row, usize::from(inner.width)),
        None => vec![
            Line::default(),
            Line::from(word(
                " Select an event to see its JSON, its findings and their rules.",
                view.theme.dim(),
            )),
        ],
    };
    let most = lines.len().saturating_sub(usize::from(inner.height));
    let scroll = u16::try_from(view.model.inspected.min(most)).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).scroll((scroll, 0)), inner);
}

fn title(row: Option<&Row>) -> String {
    match row.map(|row| (row, row.sequences)) {
        Some((_, Some((_, last)))) => format!("Inspector · seq {last}"),
        Some((row, None)) => format!("Inspector · {}", row.kind),
        None => "Inspector".to_owned(),
    }
}

fn lines(view: View<'_>, row: &Row, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = Vec::new();
    for finding in &row.record.findings {
        lines.extend(finding_lines(view, finding, width));
    }
    if row.record.deliberate {
        lines.push(Line::from(word("sent past the gate on purpose", theme.notice())));
    }
    if row.count > 1 {
        lines.push(Line::from(word(format!("the last of {} text deltas in a row", row.count), theme.dim())));
    }
    match &row.record.value {
        Some(value) => lines.extend(json::lines(value, theme)),
        None => lines.push(Line::from(word("This frame is no JSON; it was not kept.", theme.dim()))),
    }
    lines
}

fn finding_lines(view: View<'_>, finding: &Finding, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let (mark, style) = if finding.is_must() { ("‼ ", theme.trouble()) } else { ("! ", theme.notice()) };
    let rule = finding.rule;
    let place = finding.pointer.as_deref().map(|p| format!(" at {p}")).unwrap_or_default();
    let what = SafeText::line(&format!("{} {}: {}{place}", rule.id, rule.level, finding.detail));
    let why = SafeText::line(&format!("{} ({})", rule.text, rule.section));
    let mut lines = labelled(mark, style, &what, style, width);
    lines.extend(labelled("  ", theme.dim(), &why, theme.dim(), width));
    lines
}
