//! The field in which a message is typed, and the turn that waits for the active run.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::View;
use super::text::{cells, fit, word};
use crate::app::{Editor, Mode, Model};
use crate::command::Context;
use crate::safe_text::SafeText;

/// Most lines of a message that are shown at once.
const LINES: usize = 4;

pub(super) fn height(model: &Model) -> u16 {
    let lines = field(model).map_or(0, |(_, editor)| editor.text().split('\n').count().min(LINES));
    u16::try_from(lines).unwrap_or(1) + u16::from(model.session.held.is_some())
}

/// The field that is open: its label and what is typed. A kept draft stays visible.
fn field(model: &Model) -> Option<(&'static str, &Editor)> {
    match &model.mode {
        Mode::Typing => Some(("▸ ", &model.draft)),
        Mode::Teaching(editor) => Some(("teach object ▸ ", editor)),
        Mode::Passport(editor) => Some(("passport file ▸ ", editor)),
        Mode::Filtering(filtering) => Some(("filter ▸ ", &filtering.editor)),
        Mode::Panes if !model.draft.text().is_empty() => Some(("draft · ", &model.draft)),
        _ => None,
    }
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let View { model, theme } = view;
    if area.is_empty() {
        return;
    }
    let mut area = area;
    if let Some(held) = &model.session.held {
        let (label, drop) = (" ▸ queued until the run ends: ", drop_key(model));
        let room = usize::from(area.width).saturating_sub(label.width() + drop.width() + 3);
        let line = Line::from(vec![
            word(label, theme.notice()),
            word(fit(held.as_str(), room), theme.strong()),
            word(format!("  {drop}"), theme.key()),
        ]);
        frame.render_widget(Paragraph::new(line), Rect { height: 1, ..area });
        area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    }
    if let Some((label, editor)) = field(model).filter(|_| area.height > 0) {
        draw_field(frame, area, view, label, editor);
    }
}

/// The key that drops the queued turn, where one does.
fn drop_key(model: &Model) -> String {
    match model.context() {
        Context::Panes => format!("{} drops it", model.key("leave")),
        _ => String::new(),
    }
}

fn draw_field(frame: &mut Frame<'_>, area: Rect, view: View<'_>, label: &str, editor: &Editor) {
    let View { model, theme } = view;
    let typed = editor.text();
    let before: String = typed.chars().take(editor.cursor()).collect();
    let row = before.split('\n').count() - 1;
    let from = (row + 1).saturating_sub(usize::from(area.height));
    let room = usize::from(area.width).saturating_sub(label.width() + 2);
    let column = SafeText::line(before.rsplit('\n').next().unwrap_or_default()).width();
    // Long lines slide so that the cursor stays in sight.
    let slide = column.saturating_sub(room);
    let mut lines: Vec<Line<'static>> = typed
        .split('\n')
        .enumerate()
        .skip(from)
        .take(usize::from(area.height))
        .map(|(at, line)| {
            let head = if at == 0 { format!(" {label}") } else { " ".repeat(label.width() + 1) };
            let shown: String = slid(SafeText::line(line).as_str(), if at == row { slide } else { 0 });
            Line::from(vec![word(head, theme.accent()), word(fit(&shown, room + 1), Style::new())])
        })
        .collect();
    if typed.is_empty()
        && let Some(line) = lines.first_mut()
    {
        line.push_span(word(placeholder(&model.mode), theme.dim()));
    }
    frame.render_widget(Paragraph::new(lines), area);
    if !matches!(model.mode, Mode::Panes) {
        let x = area.x + cells(1 + label.width() + column - slide);
        let y = area.y + cells(row - from);
        frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), y));
    }
}

fn placeholder(mode: &Mode) -> &'static str {
    match mode {
        Mode::Teaching(_) => "its label",
        Mode::Passport(_) => "path of a JSON file",
        Mode::Filtering(_) => crate::app::FILTER_FORMS,
        _ => "type a message",
    }
}

/// The text without its first `columns` columns.
fn slid(text: &str, columns: usize) -> String {
    let mut skipped = 0;
    let clusters = unicode_segmentation::UnicodeSegmentation::graphemes(text, true);
    clusters
        .skip_while(|cluster| {
            let skip = skipped < columns;
            skipped += cluster.width();
            skip
        })
        .collect()
}
