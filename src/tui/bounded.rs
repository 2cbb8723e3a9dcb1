//! A backend that is never larger than a screen can be. A terminal tells its size itself, up to 65535×65535, and a
//! buffer of so many cells is more memory than there is. What is beyond stays empty.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// The most columns and rows that are drawn, in the top left corner: more than a wall of displays shows legibly.
pub const LARGEST: (u16, u16) = (1_000, 500);

/// This size, or as much of it as is drawn.
pub fn drawn_part(columns: u16, rows: u16) -> (u16, u16) {
    (columns.min(LARGEST.0), rows.min(LARGEST.1))
}

/// The terminal, up to [`LARGEST`].
#[derive(Debug)]
pub struct Bounded<W: Write>(CrosstermBackend<W>);

impl<W: Write> Bounded<W> {
    /// Draws through `output`.
    pub const fn new(output: W) -> Self {
        Self(CrosstermBackend::new(output))
    }
}

impl<W: Write> Backend for Bounded<W> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.0.draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.0.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        let size = self.0.size()?;
        Ok(drawn_part(size.width, size.height).into())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.0.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.0)
    }
}
