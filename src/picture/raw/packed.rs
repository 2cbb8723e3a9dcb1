//! Uncompressed frames.

use super::{MAX_WORKING_BYTES, PixelFormat, RawFrame};
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
    let mut rgb = vec![0; columns * rows * 3];
    for (y, out) in (0..height).step_by(step).zip(rgb.chunks_exact_mut(columns * 3)) {
        let line = &frame.bytes[y * stride..y * stride + row];
        match frame.format {
            PixelFormat::Yuyv => pairs(line, [0, 1, 3], step, out),
            PixelFormat::Uyvy => pairs(line, [1, 0, 2], step, out),
            PixelFormat::Nv12 => {
                let at = stride * height + y / 2 * stride;
                half(line, &frame.bytes[at..at + row.next_multiple_of(2)], step, out);
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
fn pairs(line: &[u8], [y, u, v]: [usize; 3], step: usize, out: &mut [u8]) {
    if step == 1 {
        for (pair, two) in line.chunks_exact(4).zip(out.chunks_mut(6)) {
            let colour = Colour::of(pair[u], pair[v]);
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
        pixel.copy_from_slice(&Colour::of(pair[u], pair[v]).lit(pair[y + x % 2 * 2]));
    }
}

fn half(luma: &[u8], chroma: &[u8], step: usize, out: &mut [u8]) {
    for (x, pixel) in out.chunks_exact_mut(3).enumerate() {
        let x = x * step;
        let at = x / 2 * 2;
        pixel.copy_from_slice(&Colour::of(chroma[at], chroma[at + 1]).lit(luma[x]));
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

/// What the colours add to each channel: BT.601, limited range, in 1/65536.
struct Colour {
    red: i32,
    green: i32,
    blue: i32,
}

impl Colour {
    fn of(u: u8, v: u8) -> Self {
        let (u, v) = (i32::from(u) - 128, i32::from(v) - 128);
        Self { red: 104_597 * v, green: -25_675 * u - 53_279 * v, blue: 132_201 * u }
    }

    fn lit(&self, y: u8) -> [u8; 3] {
        let y = 76_309 * (i32::from(y) - 16) + 32_768;
        let channel = |add: i32| ((y + add) >> 16).clamp(0, 255) as u8;
        [channel(self.red), channel(self.green), channel(self.blue)]
    }
}

/// Every `step`th pixel of a picture, in both directions.
pub(super) fn thinned(picture: &Picture, step: usize) -> Picture {
    let frame = RawFrame {
        format: PixelFormat::Rgb24,
        width: picture.width(),
        height: picture.height(),
        stride: None,
        bytes: picture.expose_rgb(),
    };
    decode(&frame, step).expect("a picture is a whole frame of itself")
}
