//! The inspector: the selected frame as coloured JSON, its findings with their rules on top; or what happened at a device.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Padding, Paragraph};

use super::text::{labelled, word};
use super::{View, at_device, framed, json, titled};
use crate::app::{Pane, Row, Source};
use crate::protocol::{Event, Finding};
use crate::safe_text::SafeText;
use crate::trace::record::{Body, Record};

/// Draws the pane; says how far it is scrolled.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) -> usize {
    let selected = view.model.events.selected();
    let (title, _) = titled(&title(selected), "", area.width);
    let padding = if view.model.is_narrow() { Padding::ZERO } else { Padding::left(1) };
    let inner = framed(view, Pane::Inspect, &title, "").padding(padding).inner(area);
    let lines = match selected {
        Some(row) => lines(view, row, usize::from(inner.width)),
        None => empty(view, usize::from(inner.width)),
    };
    let height = usize::from(inner.height);
    let most = lines.len().saturating_sub(height);
    let scrolled = view.model.inspected.min(most);
    let note = if most == 0 {
        String::new()
    } else {
        format!("{} of {}", (scrolled + height).min(lines.len()), lines.len())
    };
    frame.render_widget(framed(view, Pane::Inspect, &title, &note), area);
    let shown: Vec<Line<'_>> = lines.into_iter().skip(scrolled).take(height).collect();
    frame.render_widget(Paragraph::new(shown), inner);
    scrolled
}

fn empty(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let text =
        "The selected event appears here: its JSON, its findings and their rules; of a read tag, each APDU.";
    let mut lines = Vec::new();
    lines.extend(labelled("", view.theme.dim(), &SafeText::line(text), view.theme.dim(), width));
    lines
}

fn title(row: Option<&Row>) -> String {
    match row.map(|row| (row, row.sequences)) {
        Some((_, Some((_, last)))) => format!("Inspector · seq {last}"),
        Some((row, None)) => match row.device() {
            Some(event) => format!("Inspector · {}", event.device()),
            None => format!("Inspector · {}", row.kind),
        },
        None => "Inspector".to_owned(),
    }
}

fn lines(view: View<'_>, row: &Row, width: usize) -> Vec<Line<'static>> {
    match &row.source {
        Source::Frame(record) => frame_lines(view, row, record, width),
        Source::Device(event) => at_device::lines(view, event, width),
    }
}

fn frame_lines(view: View<'_>, row: &Row, record: &Record, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = Vec::new();
    for finding in &record.findings {
        lines.extend(finding_lines(view, finding, width));
    }
    if record.deliberate {
        lines.push(Line::from(word("sent past the gate on purpose", theme.notice())));
    }
    if !record.acted {
        lines.push(Line::from(word("not acted on", theme.notice())));
    } else if matches!(record.body, Body::Event(Event::Unknown { .. })) {
        lines.push(Line::from(word("unknown type: shown, not acted on", theme.notice())));
    }
    if row.count > 1 {
        lines.push(Line::from(word(format!("the last of {} in a row", row.count), theme.dim())));
        lines.extend(labelled("", theme.dim(), &row.text, theme.strong(), width));
    }
    match &record.value {
        Some(content) => lines.extend(json::lines(&content.value(), view, width)),
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
