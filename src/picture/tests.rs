use std::io::Cursor;
use std::time::Duration;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use proptest::prelude::*;

use super::*;

mod damage;
mod fitting;
mod kinds;

/// Soft shapes with a little grain: compresses like a photograph.
fn photo(width: u32, height: u32) -> Picture {
    let mut seed = 7_u32;
    let image = RgbImage::from_fn(width, height, |x, y| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (seed >> 28) as f32;
        let wave = ((x as f32 / 23.0).sin() + (y as f32 / 31.0).cos()) * 50.0 + 110.0;
        Rgb([(wave + grain) as u8, (wave * 0.7 + grain) as u8, (255.0 - wave + grain) as u8])
    });
    Picture::from_image(image)
}

fn noise(width: u32, height: u32) -> Picture {
    let mut seed = 99_u32;
    let rgb = (0..width * height * 3).map(|_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    });
    Picture::from_rgb(width, height, rgb.collect()).unwrap()
}

/// Red on the left, blue on the right, the top half brighter: every orientation looks different.
fn corners() -> Picture {
    let image = RgbImage::from_fn(64, 32, |x, y| match (x < 32, y < 16) {
        (true, true) => Rgb([255, 0, 0]),
        (false, true) => Rgb([0, 255, 0]),
        (true, false) => Rgb([0, 0, 255]),
        (false, false) => Rgb([255, 255, 255]),
    });
    Picture::from_image(image)
}

fn as_format(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

fn jpeg_with(picture: &Picture, set: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, 92);
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    set(&mut encoder);
    encoder
        .encode(picture.expose_rgb(), picture.width() as u16, picture.height() as u16, ColorType::Rgb)
        .unwrap();
    out
}

fn jpeg_of(picture: &Picture) -> Vec<u8> {
    jpeg_with(picture, |_| {})
}

fn exif(orientation: u8) -> Vec<u8> {
    let mut data = b"Exif\0\0MM\0\x2A\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    data.extend_from_slice(&[orientation, 0, 0, 0, 0, 0, 0]);
    data
}

/// The colour in the middle of each quarter: top left, top right, bottom left, bottom right.
fn quarters(picture: &Picture) -> String {
    let (w, h) = (picture.width(), picture.height());
    [(1, 1), (3, 1), (1, 3), (3, 3)]
        .map(|(x, y)| {
            let at = ((h * y / 4) * w + w * x / 4) as usize * 3;
            let rgb = &picture.expose_rgb()[at..at + 3];
            match (rgb[0] > 128, rgb[1] > 128, rgb[2] > 128) {
                (true, false, false) => 'R',
                (false, true, false) => 'G',
                (false, false, true) => 'B',
                (true, true, true) => 'W',
                _ => '?',
            }
        })
        .iter()
        .collect()
}

#[test]
fn all_eight_orientations_come_out_upright() {
    let seen: Vec<(u8, String, u32)> = (1..=8)
        .map(|o| {
            let bytes = jpeg_with(&corners(), |e| e.add_app_segment(1, exif(o)).unwrap());
            let picture = decode(&bytes).unwrap();
            (o, quarters(&picture), picture.width())
        })
        .collect();
    let expected = [
        (1, "RGBW", 64),
        (2, "GRWB", 64),
        (3, "WBGR", 64),
        (4, "BWRG", 64),
        (5, "RBGW", 32),
        (6, "BRWG", 32),
        (7, "WGBR", 32),
        (8, "GWRB", 32),
    ];
    assert_eq!(seen, expected.map(|(o, q, w)| (o, q.to_owned(), w)));
}

#[test]
fn the_users_keys_turn_and_mirror() {
    let picture = corners();
    assert_eq!(quarters(&picture.turned(Turning::Right)), "BRWG");
    assert_eq!(quarters(&picture.turned(Turning::Left)), "GWRB");
    assert_eq!(quarters(&picture.turned(Turning::Mirror)), "GRWB");
    assert_eq!(picture.turned(Turning::Left).turned(Turning::Right), picture);
    assert_eq!(picture.turned(Turning::Mirror).turned(Turning::Mirror), picture);
}

#[test]
fn formats_are_told_apart_by_content() {
    let image = corners().image.clone();
    for bytes in
        [as_format(&image, ImageFormat::Png), as_format(&image, ImageFormat::WebP), jpeg_of(&corners())]
    {
        assert_eq!(quarters(&decode(&bytes).unwrap()), "RGBW");
    }
    for bytes in [&b""[..], b"GIF89a", b"\xFF\xD8", b"hello, this is not a picture"] {
        assert_eq!(decode(bytes), Err(PictureError::UnknownFormat));
    }
}

#[test]
fn transparency_is_laid_on_white_and_sixteen_bits_become_eight() {
    let clear_red = DynamicImage::ImageRgba8(image::RgbaImage::from_pixel(4, 4, image::Rgba([255, 0, 0, 0])));
    let picture = decode(&as_format(&clear_red, ImageFormat::Png)).unwrap();
    assert!(picture.expose_rgb().iter().all(|c| *c == 255), "C11: transparent red is not solid red");
    let half = DynamicImage::ImageRgba8(image::RgbaImage::from_pixel(4, 4, image::Rgba([0, 0, 0, 128])));
    assert_eq!(decode(&as_format(&half, ImageFormat::Png)).unwrap().expose_rgb()[0], 127);
    let deep = DynamicImage::ImageRgb16(image::ImageBuffer::from_pixel(4, 4, Rgb([65_535_u16, 32_896, 0])));
    assert_eq!(&decode(&as_format(&deep, ImageFormat::Png)).unwrap().expose_rgb()[..3], [255, 128, 0]);
    let grey = DynamicImage::ImageLumaA8(image::ImageBuffer::from_pixel(4, 4, image::LumaA([90_u8, 255])));
    assert_eq!(&decode(&as_format(&grey, ImageFormat::Png)).unwrap().expose_rgb()[..3], [90, 90, 90]);
}

#[test]
fn thumbnails_keep_proportion_and_are_never_enlarged() {
    let size = |w, h, cols, rows| {
        let t = Thumbnail::of(&photo(w, h), cols, rows);
        assert!(t.pixel(t.width - 1, t.height - 1).is_some() && t.pixel(t.width, 0).is_none());
        (t.width, t.height)
    };
    assert_eq!(size(640, 360, 40, 20), (40, 23));
    assert_eq!(size(360, 640, 40, 20), (23, 40));
    assert_eq!(size(10, 6, 40, 20), (10, 6));
    assert_eq!(size(900, 1, 40, 20), (40, 1));
    assert_eq!(size(64, 64, 0, 0), (1, 1));
    let t = Thumbnail::of_jpeg(&fit(&corners()).unwrap(), 4, 1).unwrap();
    assert_eq!((t.width, t.height), (4, 2));
    let [r, g, b] = t.pixel(0, 0).unwrap();
    assert!(r > 150 && r > g.saturating_add(80) && r > b.saturating_add(80), "the red corner: {r} {g} {b}");
}

#[test]
fn the_test_card_moves_and_shows_the_time() {
    let at = |ms, clock: &str| test_card(320, 180, Duration::from_millis(ms), clock);
    assert_eq!(at(0, "12:00:00"), at(4_000, "12:00:00"));
    assert_ne!(at(0, "12:00:00"), at(700, "12:00:00"));
    assert_ne!(at(0, "12:00:00"), at(0, "12:00:01"));
    assert_eq!((test_card(0, 9_999, Duration::MAX, "é").width(), at(0, "").height()), (16, 180));
}

#[test]
fn nothing_printed_holds_pixels() {
    let fitted = fit(&corners()).unwrap();
    let printed = format!("{:?} {:?} {:?}", corners(), Thumbnail::of(&corners(), 4, 2), fitted.jpeg);
    assert_eq!(printed, format!("[picture 64×32] [thumbnail 4×2] [image, {} bytes]", fitted.jpeg.len()));
}

/// Draws the demo pictures and compares; with `UPDATE_ASSETS=1` it writes them.
#[test]
fn the_demo_pictures_in_assets_are_the_ones_the_code_draws() {
    for which in DemoPicture::ALL {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures").join(which.file_name());
        let drawn = demo_picture(which);
        if std::env::var_os("UPDATE_ASSETS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, as_format(&drawn.image, ImageFormat::Png)).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.len() < 300_000 && decode(&bytes).unwrap() == drawn, "{}", path.display());
    }
}
