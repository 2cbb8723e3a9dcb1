//! Tabs instead of panes, on narrow screens.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::View;
use super::text::word;
use crate::app::{ActivityFacts, Pane};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let View { model, theme } = view;
    let (_, events) = model.events.counts();
    let findings = match model.events.findings() {
        0 => String::new(),
        n => format!(" !{n}"),
    };
    let is_idle = model.physical.activity == ActivityFacts::Idle && !model.is_talking();
    let active = if is_idle { "" } else { " ◆" };
    let mut spans = Vec::new();
    for (at, pane) in Pane::ALL.into_iter().enumerate() {
        let name = match pane {
            Pane::Talk => "Talk".to_owned(),
            Pane::Events => format!("Events {events}{findings}"),
            Pane::Inspect => "Inspect".to_owned(),
            Pane::Physical => format!("Physical{active}"),
        };
        let number = at + 1;
        let (text, style) = if model.pane == pane {
            (format!("[{number} {name}]"), theme.focus())
        } else {
            (format!(" {number} {name} "), theme.dim())
        };
        spans.push(word(text, style));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}
