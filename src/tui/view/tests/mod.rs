//! The screen as a person sees it: snapshots at three sizes, and what no text and no size may break.

mod device_scenes;
mod robust;
mod scenes;
mod speed;
mod voice_scenes;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::app::{Message, Model};
use crate::tui::theme::Theme;

/// Draws the model at its size, as the run loop does.
fn drawn(model: &mut Model, theme: Theme) -> TestBackend {
    let (columns, rows) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a backend in memory");
    let mut seen = None;
    terminal.draw(|frame| seen = Some(super::draw(frame, model, theme))).expect("drawing in memory");
    model.update(Message::Drawn(seen.expect("it was drawn")));
    terminal.backend().clone()
}

/// The screen as text, without the spaces at the ends of lines.
fn text(model: &mut Model) -> String {
    text_in(model, Theme::with(true))
}

fn text_in(model: &mut Model, theme: Theme) -> String {
    let backend = drawn(model, theme);
    let buffer = backend.buffer();
    let width = usize::from(buffer.area.width).max(1);
    let mut lines = Vec::new();
    for cells in buffer.content().chunks(width) {
        let mut line = String::new();
        let mut hidden = 0;
        for cell in cells {
            if hidden == 0 {
                line.push_str(cell.symbol());
                hidden = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
            } else {
                hidden -= 1;
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}
