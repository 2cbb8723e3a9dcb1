//! The event stream: sequence, time, time since the last, direction, type, summary, size, findings in place.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::text::{fit, left, right, word};
use super::{View, framed};
use crate::app::{Pane, Row};
use crate::trace::record::Direction;
use crate::units::Bytes;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let block = framed(view, Pane::Events, title(view));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let height = usize::from(inner.height).saturating_sub(1);
    let width = usize::from(inner.width);
    let rows = view.model.events.window(height);
    let mut lines = vec![Line::from(word(header(width), view.theme.dim()))];
    if rows.is_empty() {
        lines.push(Line::default());
        lines.push(Line::from(word(empty(view), view.theme.dim())));
    }
    lines.extend(rows.into_iter().map(|(row, selected)| line(view, row, selected, width)));
    frame.render_widget(Paragraph::new(lines), inner);
}

fn title(view: View<'_>) -> String {
    let events = &view.model.events;
    let (shown, all) = events.counts();
    let mut title = format!("Events · {shown} of {all}");
    if events.dropped() > 0 {
        title.push_str(&format!(" · {} older dropped", events.dropped()));
    }
    if !events.filter().is_empty() {
        title.push_str(&format!(
            " · /{}",
            fit(crate::safe_text::SafeText::line(events.filter()).as_str(), 20)
        ));
    }
    title.push_str(if events.is_following() { " · follow" } else { " · frozen" });
    title
}

fn empty(view: View<'_>) -> String {
    if view.model.events.filter().is_empty() {
        " Every frame appears here, in both directions.".to_owned()
    } else {
        format!(" No event holds these words. {} shows all again.", view.model.key("leave"))
    }
}

/// Columns: sequence 8, time 8, since 6, mark 2, arrow 2, type and summary, size 7.
const FIXED: usize = 8 + 1 + 8 + 1 + 6 + 1 + 2 + 2 + 1 + 7;

fn header(width: usize) -> String {
    format!(
        "{} {} {}     {}{}",
        right("seq", 8),
        right("+s", 8),
        right("Δms", 6),
        left("what", width.saturating_sub(FIXED)),
        right("size", 8)
    )
}

fn line(view: View<'_>, row: &Row, selected: bool, width: usize) -> Line<'static> {
    let theme = view.theme;
    let sequence = match row.sequences {
        Some((first, last)) if first != last => format!("{first}…{last}"),
        Some((first, _)) => first.to_string(),
        None => String::new(),
    };
    let times = if row.count > 1 { format!(" ×{}", row.count) } else { String::new() };
    let past = if row.record.deliberate { " [deliberate]" } else { "" };
    let verdict = if row.record.acted { "" } else { "  not acted on" };
    let what = format!("{}{times}{past}  {}{verdict}", row.kind, row.summary);
    let (mark, mark_style) = match row.record.findings.iter().map(crate::protocol::Finding::is_must).max() {
        Some(true) => ("‼ ", theme.trouble()),
        Some(false) => ("! ", theme.notice()),
        None => ("  ", theme.dim()),
    };
    let (arrow, arrow_style) = match row.direction {
        Direction::Out => ("→ ", theme.accent()),
        Direction::In => ("← ", theme.dim()),
    };
    let plain = ratatui::style::Style::new();
    let line = Line::from(vec![
        word(right(&sequence, 8), theme.dim()),
        word(right(&format!("{:.3}", row.at.as_secs_f64()), 9), theme.dim()),
        word(right(&row.since.as_millis().to_string(), 7), theme.dim()),
        word(" ", plain),
        word(mark, mark_style),
        word(arrow, arrow_style),
        word(left(&what, width.saturating_sub(FIXED)), plain),
        word(right(&Bytes(row.bytes).to_string(), 8), theme.dim()),
    ]);
    if selected && view.model.pane == Pane::Events { line.style(theme.selected()) } else { line }
}
