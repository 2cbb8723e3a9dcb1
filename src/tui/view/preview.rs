//! A picture in half blocks: two pixels a cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::Widget;

use crate::client::notice::Preview;

/// Draws a preview as large as the area allows, in proportion.
pub(super) struct HalfBlocks<'a> {
    /// What is drawn.
    pub preview: &'a Preview,
    /// Whether the terminal has colours.
    pub colours: bool,
}

impl HalfBlocks<'_> {
    /// Columns and rows that the picture takes in an area.
    fn size(&self, area: Rect) -> (u32, u32) {
        let (width, height) = (self.preview.width.max(1), self.preview.height.max(1));
        let (most_columns, most_rows) = (u32::from(area.width), u32::from(area.height) * 2);
        let columns = most_columns.min(most_rows * width / height).clamp(1, width.max(1));
        let rows = (columns * height / width).clamp(1, most_rows.max(1));
        (columns, rows)
    }

    fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let at = (y as usize * self.preview.width as usize + x as usize) * 3;
        match self.preview.rgb.expose().get(at..at + 3) {
            Some([r, g, b]) => [*r, *g, *b],
            _ => [0; 3],
        }
    }
}

impl Widget for HalfBlocks<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() || self.preview.width == 0 || self.preview.height == 0 {
            return;
        }
        let (columns, rows) = self.size(area);
        for row in 0..rows.div_ceil(2) {
            for column in 0..columns {
                let x = column * self.preview.width / columns;
                let at =
                    |y: u32| self.pixel(x, (y * self.preview.height / rows).min(self.preview.height - 1));
                let (top, bottom) = (at(row * 2), at((row * 2 + 1).min(rows - 1)));
                let (Ok(dx), Ok(dy)) = (u16::try_from(column), u16::try_from(row)) else { return };
                if let Some(cell) = buffer.cell_mut((area.x + dx, area.y + dy)) {
                    if self.colours {
                        cell.set_symbol("▀").set_style(Style::new().fg(rgb(top)).bg(rgb(bottom)));
                    } else {
                        cell.set_symbol(shade(top, bottom));
                    }
                }
            }
        }
    }
}

fn rgb([r, g, b]: [u8; 3]) -> Color {
    Color::Rgb(r, g, b)
}

/// Without colours: how bright the two pixels are together.
fn shade(top: [u8; 3], bottom: [u8; 3]) -> &'static str {
    let luma = |[r, g, b]: [u8; 3]| (u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b)) / 10;
    match (luma(top) + luma(bottom)) / 2 {
        0..=50 => " ",
        51..=101 => "░",
        102..=152 => "▒",
        153..=203 => "▓",
        _ => "█",
    }
}
