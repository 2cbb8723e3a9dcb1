//! The least that a program with ratatui does: one frame, and the end with the first key.

use ratatui::crossterm::event::{self, Event};

fn main() -> std::io::Result<()> {
    let mut terminal = ratatui::init();
    terminal.draw(|frame| frame.render_widget("blank", frame.area()))?;
    while !matches!(event::read()?, Event::Key(_)) {}
    ratatui::restore();
    Ok(())
}
