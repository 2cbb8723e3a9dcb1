//! What is open over the panes.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::text::{cells, word};
use super::{View, devices, pages, voice};
use crate::app::Mode;

/// One overlay: its title, its lines, how far it is scrolled, and where the cursor stands in its first line.
pub(super) struct Page {
    /// Its title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line<'static>>,
    /// How many of them are scrolled past.
    pub scrolled: usize,
    /// The column of the cursor in the first line, if it has one.
    pub cursor: Option<usize>,
    /// Lines it wants; the screen may give fewer.
    pub height: usize,
    /// Columns it wants.
    pub width: u16,
}

/// Draws what is open; says how far it is scrolled.
pub(super) fn draw(frame: &mut Frame<'_>, screen: Rect, view: View<'_>) -> Option<usize> {
    let page = match &view.model.mode {
        Mode::Help(scrolled) => pages::help(view, *scrolled, screen.width),
        Mode::Call(scrolled) => voice::page(view, *scrolled, screen.width),
        Mode::Devices(scrolled) => devices::page(view, *scrolled, screen.width),
        Mode::Palette(palette) => pages::palette(view, palette, screen.width),
        Mode::Picker(editor, chosen) => pages::picker(view, editor, *chosen),
        Mode::Confirming(object, label) => pages::confirm(view, object, label, screen.width),
        Mode::Asking(question) => pages::ask(view, *question),
        _ => return None,
    };
    let width = pages::page_width(page.width, screen.width);
    let height = cells(page.height + 2).min(screen.height.saturating_sub(3));
    let area = Rect {
        x: screen.x + (screen.width - width) / 2,
        // The status bar stays in sight: it says what is armed.
        y: screen.y + ((screen.height - height) / 3).max(1),
        width,
        height,
    };
    // A wide glyph must not be cut in half by the edge: clear one column more on both sides.
    let wider = Rect { x: area.x.saturating_sub(1), width: (area.width + 2).min(screen.width), ..area };
    frame.render_widget(Clear, wider);
    let block = Block::new()
        .borders(Borders::ALL)
        .border_style(view.theme.accent())
        .title(format!(" {} ", page.title))
        .title_style(view.theme.focus());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let most = page.lines.len().saturating_sub(usize::from(inner.height));
    let scrolled = page.scrolled.min(most);
    let lines: Vec<Line<'_>> = page.lines.into_iter().skip(scrolled).collect();
    frame.render_widget(Paragraph::new(lines), inner);
    if let Some(column) = page.cursor {
        let x = inner.x + u16::try_from(column).unwrap_or(0);
        frame.set_cursor_position(Position::new(x.min(inner.right().saturating_sub(1)), inner.y));
    }
    Some(scrolled)
}

/// A field in the first line of a page, and where its cursor stands.
pub(super) fn field(view: View<'_>, label: &str, typed: &crate::app::Editor) -> (Line<'static>, usize) {
    let shown = crate::safe_text::SafeText::line(typed.text());
    let before: String = typed.text().chars().take(typed.cursor()).collect();
    let column = label.width() + crate::safe_text::SafeText::line(&before).width();
    let line = Line::from(vec![
        word(label.to_owned(), view.theme.accent()),
        super::text::safe(&shown, ratatui::style::Style::new()),
    ]);
    (line, column)
}
