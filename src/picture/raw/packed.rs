//! Uncompressed frames.

use super::{Colours, MAX_WORKING_BYTES, Matrix, PixelFormat, Range, RawFrame};
use crate::picture::{Picture, PictureError};

/// The pixels of a frame, of both directions every `step`th.
pub(super) fn decode(frame: &RawFrame<'_>, step: usize) -> Result<Picture, PictureError> {
    let (width, height) = (frame.width as usize, frame.height as usize);
    let row = frame.format.row(width);
    let stride = match frame.stride {
        Some(stride) if stride as usize >= row => stride as usize,
        _ => row,
    };
    let needed = needed(frame.format, row, stride, height);
    if frame.bytes.len() < needed {
        let why = format!("the frame has {} bytes; its size takes {needed}", frame.bytes.len());
        return Err(PictureError::Damaged { why });
    }
    let (columns, rows) = (width.div_ceil(step), height.div_ceil(step));
    if columns * rows * 3 > MAX_WORKING_BYTES {
        return Err(PictureError::TooMuchMemory);
    }
    let scale = &Scale::of(frame.colours);
    let mut rgb = vec![0; columns * rows * 3];
    for (y, out) in (0..height).step_by(step).zip(rgb.chunks_exact_mut(columns * 3)) {
        let line = &frame.bytes[y * stride..y * stride + row];
        match frame.format {
            PixelFormat::Yuyv => pairs(scale, line, [0, 1, 3], step, out),
            PixelFormat::Uyvy => pairs(scale, line, [1, 0, 2], step, out),
            PixelFormat::Nv12 => {
                let at = stride * height + y / 2 * stride;
                half(scale, line, &frame.bytes[at..at + row.next_multiple_of(2)], step, out);
            }
            PixelFormat::Rgb24 => triples(line, [0, 1, 2], step, out),
            PixelFormat::Bgr24 => triples(line, [2, 1, 0], step, out),
            PixelFormat::Grey => grey(line, step, out),
            PixelFormat::Mjpeg => {}
        }
    }
    Picture::from_rgb(side(columns), side(rows), rgb)
}

/// Bytes that the picture takes; what follows the last row is no part of it.
fn needed(format: PixelFormat, row: usize, stride: usize, height: usize) -> usize {
    match format {
        // The plane of colours has half the rows, two bytes for each two pixels.
        PixelFormat::Nv12 => stride * height + (height.div_ceil(2) - 1) * stride + row.next_multiple_of(2),
        _ => stride * (height - 1) + row,
    }
}

fn side(pixels: usize) -> u32 {
    u32::try_from(pixels).unwrap_or(u32::MAX)
}

/// Two pixels in four bytes; `[y, u, v]` are the places of the first luma and of the colours.
fn pairs(scale: &Scale, line: &[u8], [y, u, v]: [usize; 3], step: usize, out: &mut [u8]) {
    if step == 1 {
        for (pair, two) in line.chunks_exact(4).zip(out.chunks_mut(6)) {
            let colour = scale.colour(pair[u], pair[v]);
            two[..3].copy_from_slice(&colour.lit(pair[y]));
            if let Some(second) = two.get_mut(3..6) {
                second.copy_from_slice(&colour.lit(pair[y + 2]));
            }
        }
        return;
    }
    for (x, pixel) in out.chunks_exact_mut(3).enumerate() {
        let x = x * step;
        let pair = &line[x / 2 * 4..][..4];
        pixel.copy_from_slice(&scale.colour(pair[u], pair[v]).lit(pair[y + x % 2 * 2]));
    }
}

fn half(scale: &Scale, luma: &[u8], chroma: &[u8], step: usize, out: &mut [u8]) {
    for (x, pixel) in out.chunks_exact_mut(3).enumerate() {
        let x = x * step;
        let at = x / 2 * 2;
        pixel.copy_from_slice(&scale.colour(chroma[at], chroma[at + 1]).lit(luma[x]));
    }
}

fn triples(line: &[u8], [r, g, b]: [usize; 3], step: usize, out: &mut [u8]) {
    for (from, pixel) in line.chunks_exact(3).step_by(step).zip(out.chunks_exact_mut(3)) {
        pixel.copy_from_slice(&[from[r], from[g], from[b]]);
    }
}

fn grey(line: &[u8], step: usize, out: &mut [u8]) {
    for (from, pixel) in line.iter().step_by(step).zip(out.chunks_exact_mut(3)) {
        pixel.fill(*from);
    }
}

/// What luma and colours are worth, in 1/65536.
struct Scale {
    black: i32,
    luma: i32,
    red_v: i32,
    green_u: i32,
    green_v: i32,
    blue_u: i32,
}

impl Scale {
    const fn of(colours: Colours) -> Self {
        let (black, luma, chroma) = match colours.range {
            Range::Limited => (16, 255.0 / 219.0, 255.0 / 224.0),
            Range::Full => (0, 1.0, 1.0),
        };
        // ITU-R BT.601 and BT.709: the share of red and of blue in luma.
        let (red, blue) = match colours.matrix {
            Matrix::Bt601 => (0.299, 0.114),
            Matrix::Bt709 => (0.2126, 0.0722),
        };
        let green = 1.0 - red - blue;
        Self {
            black,
            luma: fixed(luma),
            red_v: fixed(chroma * 2.0 * (1.0 - red)),
            green_u: fixed(chroma * 2.0 * (1.0 - blue) * blue / green),
            green_v: fixed(chroma * 2.0 * (1.0 - red) * red / green),
            blue_u: fixed(chroma * 2.0 * (1.0 - blue)),
        }
    }

    /// The colours of two pixels or four, ready for their luma.
    fn colour(&self, u: u8, v: u8) -> Colour {
        let (u, v) = (i32::from(u) - 128, i32::from(v) - 128);
        Colour {
            luma: self.luma,
            red: self.red_v * v - self.luma * self.black + HALF,
            green: -self.green_u * u - self.green_v * v - self.luma * self.black + HALF,
            blue: self.blue_u * u - self.luma * self.black + HALF,
        }
    }
}

const HALF: i32 = 1 << 15;

const fn fixed(factor: f64) -> i32 {
    (factor * 65_536.0 + 0.5) as i32
}

struct Colour {
    luma: i32,
    red: i32,
    green: i32,
    blue: i32,
}

impl Colour {
    fn lit(&self, y: u8) -> [u8; 3] {
        let y = self.luma * i32::from(y);
        let channel = |add: i32| ((y + add) >> 16).clamp(0, 255) as u8;
        [channel(self.red), channel(self.green), channel(self.blue)]
    }
}

/// Every `step`th pixel of a picture's upper left part, in both directions; `width` and `height` are at most the picture's.
pub(super) fn part(picture: &Picture, (width, height): (u32, u32), step: usize) -> Picture {
    let frame = RawFrame {
        format: PixelFormat::Rgb24,
        width,
        height,
        stride: Some(picture.width() * 3),
        colours: Colours::default(),
        bytes: picture.expose_rgb(),
    };
    decode(&frame, step).expect("it is a whole frame of the picture")
}
