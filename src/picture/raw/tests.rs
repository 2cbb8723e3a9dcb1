use proptest::prelude::*;

use super::*;
use crate::picture::{DemoPicture, demo_picture, test_card};

/// The eight bars of a test picture: red, green, blue, and the same as Y, U, V in BT.601, limited range.
const BARS: [([u8; 3], [u8; 3]); 8] = [
    ([255, 255, 255], [235, 128, 128]),
    ([255, 255, 0], [210, 16, 146]),
    ([0, 255, 255], [170, 166, 16]),
    ([0, 255, 0], [145, 54, 34]),
    ([255, 0, 255], [106, 202, 222]),
    ([255, 0, 0], [81, 90, 240]),
    ([0, 0, 255], [41, 240, 110]),
    ([0, 0, 0], [16, 128, 128]),
];
const ALL: [PixelFormat; 6] = [
    PixelFormat::Yuyv,
    PixelFormat::Uyvy,
    PixelFormat::Nv12,
    PixelFormat::Rgb24,
    PixelFormat::Bgr24,
    PixelFormat::Grey,
];

/// Bars two pixels wide, 16×4, each row padded by `pad` bytes.
fn bars(format: PixelFormat, pad: usize) -> (Vec<u8>, u32) {
    let row: Vec<u8> = BARS
        .iter()
        .flat_map(|(rgb @ [r, g, b], [y, u, v])| match format {
            PixelFormat::Yuyv => vec![*y, *u, *y, *v],
            PixelFormat::Uyvy => vec![*u, *y, *v, *y],
            PixelFormat::Nv12 | PixelFormat::Grey => vec![*y, *y],
            PixelFormat::Rgb24 => rgb.repeat(2),
            PixelFormat::Bgr24 => [*b, *g, *r].repeat(2),
            PixelFormat::Mjpeg => unreachable!("no rows"),
        })
        .collect();
    let padding = vec![0xA5; pad];
    let mut frame = [row.clone(), padding.clone()].concat().repeat(4);
    if format == PixelFormat::Nv12 {
        let colours: Vec<u8> = BARS.iter().flat_map(|(_, [_, u, v])| [*u, *v]).collect();
        frame.extend([colours, padding].concat().repeat(2));
    }
    (frame, u32::try_from(row.len() + pad).unwrap())
}

fn frame(format: PixelFormat, stride: Option<u32>, bytes: &[u8]) -> RawFrame<'_> {
    RawFrame { format, width: 16, height: 4, stride, colours: Colours::default(), bytes }
}

fn shows_bars(picture: &Picture, is_grey: bool) {
    let columns = picture.width() as usize;
    for (at, pixel) in picture.expose_rgb().chunks_exact(3).enumerate() {
        let (rgb, [y, ..]) = BARS[at % columns * 8 / columns];
        let expected = if is_grey { [y; 3] } else { rgb };
        let near = pixel.iter().zip(expected).all(|(is, should)| is.abs_diff(should) <= 3);
        assert!(near, "{pixel:?} is not {expected:?}, column {}", at % columns);
    }
}

#[test]
fn the_bars_have_their_colours_in_every_format_padded_or_not() {
    for format in ALL {
        for pad in [0, 2, 32] {
            let (mut bytes, stride) = bars(format, pad);
            let grey = format == PixelFormat::Grey;
            let stride = (pad > 0).then_some(stride);
            shows_bars(&decode(&frame(format, stride, &bytes), Care::Whole).unwrap(), grey);
            // Whole pages.
            bytes.resize(4_096, 0x5A);
            shows_bars(&decode(&frame(format, stride, &bytes), Care::Whole).unwrap(), grey);
            let small = decode(&frame(format, stride, &bytes), Care::Quick { side: 8 }).unwrap();
            assert_eq!((small.width(), small.height()), (8, 2));
            shows_bars(&small, grey);
        }
    }
}

#[test]
fn a_frame_that_is_a_byte_too_short_is_damaged() {
    for format in ALL {
        for pad in [0, 6] {
            let (bytes, stride) = bars(format, pad);
            // The padding behind the last row is no part of the picture.
            let whole = &bytes[..bytes.len() - pad];
            assert!(decode(&frame(format, Some(stride), whole), Care::Whole).is_ok(), "{format:?}");
            let short = decode(&frame(format, Some(stride), &whole[..whole.len() - 1]), Care::Whole);
            assert!(matches!(short, Err(PictureError::Damaged { .. })), "{format:?}");
        }
        let nothing = decode(&frame(format, None, &[]), Care::Whole).unwrap_err();
        assert!(nothing.to_string().contains("the frame has 0 bytes; its size takes "), "{nothing}");
    }
}

#[test]
fn sizes_are_refused_before_anything_is_allocated() {
    let sized = |width, height| {
        let frame = RawFrame {
            format: PixelFormat::Nv12,
            width,
            height,
            stride: None,
            colours: Colours::default(),
            bytes: &[],
        };
        decode(&frame, Care::Whole).unwrap_err()
    };
    assert!(matches!(sized(0, 4), PictureError::Degenerate { .. }));
    assert!(matches!(sized(u32::MAX, u32::MAX), PictureError::TooLarge { .. }));
    let all = vec![0; 8_192 * 8_192];
    let frame = RawFrame {
        format: PixelFormat::Grey,
        width: 8_192,
        height: 8_192,
        stride: None,
        colours: Colours::default(),
        bytes: &all,
    };
    assert_eq!(decode(&frame, Care::Whole), Err(PictureError::TooMuchMemory));
    assert!(decode(&frame, Care::Quick { side: 640 }).is_ok(), "a small one of it fits");
}

#[test]
fn codes_name_formats() {
    for (code, format) in
        [("YUYV", PixelFormat::Yuyv), ("420v", PixelFormat::Nv12), ("MJPG", PixelFormat::Mjpeg)]
    {
        assert_eq!(PixelFormat::of_fourcc(code), Some(format));
    }
    for other in ["", "H264", "BA81", "NV21", "yuyv", "\u{fffd}"] {
        assert_eq!(PixelFormat::of_fourcc(other), None, "{other}");
    }
}

/// Decodes a frame of a camera with which this size was agreed.
fn mjpeg((width, height): (u32, u32), bytes: &[u8], care: Care) -> Result<Picture, PictureError> {
    // What is said of rows counts for nothing.
    let stride = Some(1);
    let frame =
        RawFrame { format: PixelFormat::Mjpeg, width, height, stride, colours: Colours::default(), bytes };
    decode(&frame, care)
}

fn why(refused: Result<Picture, PictureError>) -> String {
    match refused {
        Err(PictureError::Damaged { why }) => why,
        other => panic!("it is damaged, and not {other:?}"),
    }
}

fn jpeg_of(picture: &Picture) -> Vec<u8> {
    crate::picture::fit(picture).unwrap().jpeg.expose().to_vec()
}

/// The same without its Huffman tables, as webcams send it.
fn without_tables(jpeg: &[u8]) -> Vec<u8> {
    let mut out = jpeg[..2].to_vec();
    let mut at = 2;
    while jpeg[at + 1] != 0xDA {
        let end = at + 2 + usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]]));
        if jpeg[at + 1] != 0xC4 {
            out.extend_from_slice(&jpeg[at..end]);
        }
        at = end;
    }
    out.extend_from_slice(&jpeg[at..]);
    out
}

#[test]
fn c1_frames_without_huffman_tables_are_repaired() {
    let desk = demo_picture(DemoPicture::Desk).shrunk_to(640);
    let (whole, size) = (jpeg_of(&desk), (desk.width(), desk.height()));
    let bare = without_tables(&whole);
    assert!(bare.len() < whole.len() - 300, "four tables are gone");
    let picture = mjpeg(size, &whole, Care::Whole).unwrap();
    assert_eq!(mjpeg(size, &bare, Care::Whole).unwrap(), picture);
    let small = mjpeg(size, &bare, Care::Quick { side: 300 }).unwrap();
    assert!(small.width().max(small.height()) <= 300);
}

#[test]
fn c2_heads_and_tails_are_ignored_and_halves_are_damaged() {
    let card = test_card(320, 180, std::time::Duration::ZERO, "12:00:00Z");
    let whole = jpeg_of(&card);
    let picture = mjpeg((320, 180), &whole, Care::Whole).unwrap();
    let joined = [whole.as_slice(), &whole].concat();
    let padded = [whole.as_slice(), &[0; 5_000]].concat();
    let late = [&[0x17, 0xFF][..], &whole].concat();
    let endless = &whole[..whole.len() - 2];
    for frame in [&joined[..], &padded, &late, endless] {
        assert_eq!(mjpeg((320, 180), frame, Care::Whole).unwrap(), picture);
    }
    for part in [whole.len() / 2, whole.len() * 9 / 10, 700] {
        let mut half = whole[..part].to_vec();
        assert!(matches!(mjpeg((320, 180), &half, Care::Whole), Err(PictureError::Damaged { .. })), "{part}");
        half.resize(20_000, 0);
        assert!(
            matches!(mjpeg((320, 180), &half, Care::Whole), Err(PictureError::Damaged { .. })),
            "{part} and zeros"
        );
    }
    for nothing in [&[][..], &[0; 4_096], b"GIF89a"] {
        assert!(matches!(mjpeg((320, 180), nothing, Care::Whole), Err(PictureError::Damaged { .. })));
        assert!(matches!(
            mjpeg((320, 180), nothing, Care::Quick { side: 9 }),
            Err(PictureError::Damaged { .. })
        ));
    }
}

/// The frame header of a JPEG, from its marker on: marker, length, precision, height, width.
fn header(jpeg: &mut [u8]) -> &mut [u8] {
    let at = jpeg.windows(4).position(|w| w == [0xFF, 0xC0, 0x00, 0x11]).expect("it is a baseline JPEG");
    &mut jpeg[at..]
}

#[test]
fn a_frame_that_is_larger_than_agreed_costs_nothing_and_blocks_that_are_too_many_are_cut_off() {
    let card = test_card(320, 192, std::time::Duration::ZERO, "12:00:00Z");
    let jpeg = jpeg_of(&card);
    let whole = mjpeg((320, 192), &jpeg, Care::Whole).unwrap();
    for agreed in [(320, 180), (310, 192), (305, 177)] {
        let cut = mjpeg(agreed, &jpeg, Care::Whole).unwrap();
        assert_eq!((cut.width(), cut.height()), agreed);
        let row = agreed.0 as usize * 3;
        for (is, should) in cut.expose_rgb().chunks(row).zip(whole.expose_rgb().chunks(320 * 3)) {
            assert_eq!(is, &should[..row]);
        }
        let small = mjpeg(agreed, &jpeg, Care::Quick { side: 80 }).unwrap();
        assert!(small.width() <= 80 && small.height() <= 80);
    }
    for agreed in [(335, 207), (336, 192), (1_280, 720)] {
        assert_eq!(mjpeg(agreed, &jpeg, Care::Whole).unwrap(), whole, "a smaller one is a picture");
    }
    for agreed in [(304, 192), (320, 176), (160, 720)] {
        let why = why(mjpeg(agreed, &jpeg, Care::Whole));
        assert_eq!(why, format!("the frame is 320×192 pixels and not {}×{}", agreed.0, agreed.1));
    }
    let mut huge = jpeg;
    header(&mut huge)[5..9].copy_from_slice(&[0x10, 0x00, 0x18, 0x00]);
    let why = why(mjpeg((320, 192), &huge, Care::Quick { side: 80 }));
    assert_eq!(why, "the frame is 6144×4096 pixels and not 320×192");
}

#[test]
fn kinds_of_jpeg_that_no_camera_sends_are_damaged_frames() {
    let jpeg = jpeg_of(&test_card(64, 48, std::time::Duration::ZERO, "12:00:00Z"));
    for (marker, expected) in [(0xC2, "the frame is a progressive JPEG"), (0xC3, "it is a lossless JPEG")] {
        let mut other = jpeg.clone();
        header(&mut other)[1] = marker;
        let why = why(mjpeg((64, 48), &other, Care::Whole));
        assert!(why.contains(expected), "{why}");
    }
    // A second header, larger than the one by which the frame was judged.
    let mut second = jpeg.clone();
    let mut again = header(&mut second)[..19].to_vec();
    again[5..9].copy_from_slice(&[0x10, 0x00, 0x18, 0x00]);
    let at = jpeg.len() - header(&mut second).len() + 19;
    let two = [&jpeg[..at], &again, &jpeg[at..]].concat();
    why(mjpeg((64, 48), &two, Care::Quick { side: 64 }));
}

const MEANINGS: [Colours; 4] = [
    Colours { matrix: Matrix::Bt601, range: Range::Limited },
    Colours { matrix: Matrix::Bt601, range: Range::Full },
    Colours { matrix: Matrix::Bt709, range: Range::Limited },
    Colours { matrix: Matrix::Bt709, range: Range::Full },
];

/// The formulas themselves, in floating point.
fn exact([y, u, v]: [u8; 3], colours: Colours) -> [f64; 3] {
    let (mut y, mut u, mut v) = (f64::from(y), f64::from(u) - 128.0, f64::from(v) - 128.0);
    if colours.range == Range::Limited {
        (y, u, v) = ((y - 16.0) * 255.0 / 219.0, u * 255.0 / 224.0, v * 255.0 / 224.0);
    }
    match colours.matrix {
        Matrix::Bt601 => [y + 1.402 * v, y - 0.344_136 * u - 0.714_136 * v, y + 1.772 * u],
        Matrix::Bt709 => [y + 1.5748 * v, y - 0.187_324 * u - 0.468_124 * v, y + 1.8556 * u],
    }
}

proptest! {
    #[test]
    fn every_colour_is_the_formulas_within_one(y: u8, u: u8, v: u8, meaning in 0..4_usize) {
        let (bytes, colours) = ([y, u, y, v], MEANINGS[meaning]);
        let frame = RawFrame { format: PixelFormat::Yuyv, width: 2, height: 1, stride: None, colours, bytes: &bytes };
        let picture = decode(&frame, Care::Whole).unwrap();
        for (is, should) in picture.expose_rgb().iter().zip(exact([y, u, v], colours)) {
            prop_assert!((f64::from(*is) - should.clamp(0.0, 255.0)).abs() <= 1.0, "{} {}", is, should);
        }
    }

    #[test]
    fn no_frame_makes_it_panic_and_sizes_are_what_was_asked(
        format in 0..7_usize,
        width in 0..40_u32,
        height in 0..40_u32,
        stride in proptest::option::of(0..200_u32),
        side in 1..50_u32,
        bytes in proptest::collection::vec(any::<u8>(), 0..5_000),
    ) {
        let format = [ALL.as_slice(), &[PixelFormat::Mjpeg]].concat()[format];
        let frame = RawFrame { format, width, height, stride, colours: Colours::default(), bytes: &bytes };
        if let Ok(picture) = decode(&frame, Care::Whole) && format != PixelFormat::Mjpeg {
            prop_assert_eq!((picture.width(), picture.height()), (width, height));
        }
        if let Ok(picture) = decode(&frame, Care::Quick { side }) {
            prop_assert!(picture.width() <= side && picture.height() <= side);
        }
    }

    #[test]
    fn the_quick_picture_is_every_nth_pixel_of_the_whole(format in 0..6_usize, seed: u8, width in 1..30_u32, height in 1..20_u32, side in 1..16_u32) {
        let bytes: Vec<u8> = (0..4_000_u32).map(|i| (i * 37 + u32::from(seed)) as u8).collect();
        let frame = RawFrame { format: ALL[format], width, height, stride: None, colours: Colours::default(), bytes: &bytes };
        let whole = decode(&frame, Care::Whole).unwrap();
        let quick = decode(&frame, Care::Quick { side }).unwrap();
        let step = width.max(height).div_ceil(side) as usize;
        let pixel = |picture: &Picture, x: usize, y: usize| {
            let at = (y * picture.width() as usize + x) * 3;
            picture.expose_rgb()[at..at + 3].to_vec()
        };
        for y in 0..quick.height() as usize {
            for x in 0..quick.width() as usize {
                prop_assert_eq!(pixel(&quick, x, y), pixel(&whole, x * step, y * step));
            }
        }
    }
}
