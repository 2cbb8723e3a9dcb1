//! A terminal of any size, drawn on at most as much of it as a screen can have.
//!
//! The run loop draws through [`Bounded`]. A terminal may say that it has 65,535 columns and rows (a program that made it
//! up, a resize gone wrong); two buffers of that many cells are no memory that anybody has.

use std::io;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// Columns and rows that are drawn at most: four times an 8K display with letters of 16 by 32 pixels. The rest of a larger
/// terminal stays empty.
pub const MOST: (u16, u16) = (1_000, 500);

/// This many columns and rows, as far as they are drawn.
pub fn bounded(columns: u16, rows: u16) -> (u16, u16) {
    (columns.min(MOST.0), rows.min(MOST.1))
}

/// A backend whose size is bounded.
#[derive(Debug)]
pub struct Bounded<B>(pub B);

impl<B: Backend<Error = io::Error>> Backend for Bounded<B> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.0.draw(content)
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.0.append_lines(count)
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
        self.0.size().map(of)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let WindowSize { columns_rows, pixels } = self.0.window_size()?;
        Ok(WindowSize { columns_rows: of(columns_rows), pixels })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn of(size: Size) -> Size {
    let (width, height) = bounded(size.width, size.height);
    Size { width, height }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::CrosstermBackend;

    use super::*;

    #[test]
    fn what_a_screen_can_have_stays_and_more_is_cut() {
        for (said, drawn) in [
            ((0, 0), (0, 0)),
            ((1, 65_535), (1, 500)),
            ((200, 50), (200, 50)),
            ((1_000, 500), (1_000, 500)),
            ((65_535, 65_535), (1_000, 500)),
        ] {
            assert_eq!(bounded(said.0, said.1), drawn);
        }
    }

    #[test]
    fn a_terminal_draws_through_it() {
        let mut out = Vec::new();
        let backend = Bounded(CrosstermBackend::new(&mut out));
        let area = ratatui::layout::Rect::new(0, 0, 10, 2);
        let viewport = ratatui::Viewport::Fixed(area);
        let mut terminal = Terminal::with_options(backend, ratatui::TerminalOptions { viewport }).unwrap();
        terminal.draw(|frame| frame.render_widget("drawn", frame.area())).unwrap();
        drop(terminal);
        assert!(String::from_utf8(out).unwrap().contains("drawn"));
    }
}
