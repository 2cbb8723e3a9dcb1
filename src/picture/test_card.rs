//! The moving test card: what a camera shows when there is none. Colour bars, a block that travels, the time.

use std::time::Duration;

use super::Picture;

const BARS: [[u8; 3]; 8] = [
    [235, 235, 235],
    [219, 211, 16],
    [16, 211, 211],
    [16, 195, 16],
    [219, 16, 211],
    [211, 16, 16],
    [16, 16, 211],
    [24, 24, 24],
];
/// The travelling block crosses the picture once in this time.
const CROSSING: Duration = Duration::from_secs(4);

/// Draws the card: colour bars, a block that crosses the picture every four seconds of `elapsed`, and `clock` in
/// digits (`0–9`, `:`, `.`, `-`, capitals; anything else is a space). Sides are clamped to 16 to 2,048 pixels.
pub fn test_card(width: u32, height: u32, elapsed: Duration, clock: &str) -> Picture {
    let mut canvas = Canvas::new(width.clamp(16, 2_048), height.clamp(16, 2_048));
    let (w, h) = (canvas.width, canvas.height);
    for (i, colour) in (0_u32..).zip(BARS) {
        let (from, to) = (i * w / 8, (i + 1) * w / 8);
        canvas.fill(from, 0, to - from, h, colour);
    }
    canvas.fill(0, h * 2 / 3, w, h - h * 2 / 3, [32, 32, 40]);
    let block = (h / 8).max(2);
    let way = u64::from(w - block.min(w));
    let phase = elapsed.as_millis() % CROSSING.as_millis();
    let x = u32::try_from(u128::from(way) * phase / CROSSING.as_millis()).unwrap_or(0);
    canvas.fill(x, h * 5 / 8 - block / 2, block, block, [255, 255, 255]);
    canvas.text(w / 20, h * 3 / 4, w * 9 / 10, h / 5, clock, [255, 255, 255]);
    canvas.into_picture()
}

/// A surface for drawing rectangles and text.
pub(super) struct Canvas {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    rgb: Vec<u8>,
}

impl Canvas {
    /// A black surface.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, rgb: vec![0; width as usize * height as usize * 3] }
    }

    /// Fills a rectangle; what lies outside is cut off.
    pub fn fill(&mut self, x: u32, y: u32, width: u32, height: u32, colour: [u8; 3]) {
        let (right, bottom) = ((x + width).min(self.width), (y + height).min(self.height));
        if x >= right {
            return;
        }
        let row = colour.repeat((right - x) as usize);
        for line in y..bottom {
            let at = (line as usize * self.width as usize + x as usize) * 3;
            self.rgb[at..at + row.len()].copy_from_slice(&row);
        }
    }

    /// Writes `text` as large as fits the box, left-aligned.
    pub fn text(&mut self, x: u32, y: u32, width: u32, height: u32, text: &str, colour: [u8; 3]) {
        let columns = u32::try_from(text.chars().count()).unwrap_or(u32::MAX).saturating_mul(6);
        let dot = (width / columns.max(1)).min(height / 7).max(1);
        for (i, character) in (0_u32..).zip(text.chars().take(64)) {
            for (line, bits) in (0_u32..).zip(glyph(character)) {
                for column in (0..5_u32).filter(|c| bits >> (4 - c) & 1 == 1) {
                    self.fill(x + (i * 6 + column) * dot, y + line * dot, dot, dot, colour);
                }
            }
        }
    }

    /// The finished picture.
    pub fn into_picture(self) -> Picture {
        Picture::from_rgb(self.width, self.height, self.rgb)
            .expect("the canvas has three bytes for every pixel")
    }
}

/// Seven rows of five dots.
fn glyph(character: char) -> [u8; 7] {
    match character {
        '0' => [14, 17, 19, 21, 25, 17, 14],
        '1' => [4, 12, 4, 4, 4, 4, 14],
        '2' => [14, 17, 1, 2, 4, 8, 31],
        '3' => [31, 2, 4, 2, 1, 17, 14],
        '4' => [2, 6, 10, 18, 31, 2, 2],
        '5' => [31, 16, 30, 1, 1, 17, 14],
        '6' => [6, 8, 16, 30, 17, 17, 14],
        '7' => [31, 1, 2, 4, 8, 8, 8],
        '8' => [14, 17, 17, 14, 17, 17, 14],
        '9' => [14, 17, 17, 15, 1, 2, 12],
        ':' => [0, 12, 12, 0, 12, 12, 0],
        '.' => [0, 0, 0, 0, 0, 12, 12],
        '-' => [0, 0, 0, 31, 0, 0, 0],
        'A' => [14, 17, 17, 31, 17, 17, 17],
        'B' => [30, 17, 17, 30, 17, 17, 30],
        'C' => [14, 17, 16, 16, 16, 17, 14],
        'D' => [30, 17, 17, 17, 17, 17, 30],
        'E' => [31, 16, 16, 30, 16, 16, 31],
        'F' => [31, 16, 16, 30, 16, 16, 16],
        'G' => [14, 17, 16, 23, 17, 17, 15],
        'H' => [17, 17, 17, 31, 17, 17, 17],
        'I' => [14, 4, 4, 4, 4, 4, 14],
        'J' => [7, 2, 2, 2, 2, 18, 12],
        'K' => [17, 18, 20, 24, 20, 18, 17],
        'L' => [16, 16, 16, 16, 16, 16, 31],
        'M' => [17, 27, 21, 21, 17, 17, 17],
        'N' => [17, 25, 21, 19, 17, 17, 17],
        'O' => [14, 17, 17, 17, 17, 17, 14],
        'P' => [30, 17, 17, 30, 16, 16, 16],
        'Q' => [14, 17, 17, 17, 21, 18, 13],
        'R' => [30, 17, 17, 30, 20, 18, 17],
        'S' => [15, 16, 16, 14, 1, 1, 30],
        'T' => [31, 4, 4, 4, 4, 4, 4],
        'U' => [17, 17, 17, 17, 17, 17, 14],
        'V' => [17, 17, 17, 17, 17, 10, 4],
        'W' => [17, 17, 17, 21, 21, 21, 10],
        'X' => [17, 17, 10, 4, 10, 17, 17],
        'Y' => [17, 17, 10, 4, 4, 4, 4],
        'Z' => [31, 1, 2, 4, 8, 16, 31],
        _ => [0; 7],
    }
}
