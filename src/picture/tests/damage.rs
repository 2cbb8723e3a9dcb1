//! Cases C1, C2, C13, C14, C16: what files and cameras really deliver.

use super::*;

fn is_damaged(result: &Result<Picture, PictureError>) -> bool {
    matches!(result, Err(PictureError::Damaged { .. }))
}

#[test]
fn c1_a_frame_without_huffman_tables_gets_the_standard_ones() {
    let standard = as_format(&photo(96, 64).image, ImageFormat::Jpeg);
    let mut cut = Vec::new();
    let mut at = 0;
    while let Some(offset) = standard[at..].windows(2).position(|w| w == [0xFF, 0xC4]) {
        cut.extend_from_slice(&standard[at..at + offset]);
        let from = at + offset;
        at = from + 2 + usize::from(u16::from_be_bytes([standard[from + 2], standard[from + 3]]));
    }
    cut.extend_from_slice(&standard[at..]);
    assert!(cut.len() + 400 < standard.len());
    assert_eq!(decode(&cut).unwrap(), decode(&standard).unwrap());
}

#[test]
fn c2_tails_heads_and_joins_are_tolerated() {
    let whole = jpeg_of(&photo(320, 200));
    let picture = decode(&whole).unwrap();
    let no_end = whole[..whole.len() - 2].to_vec();
    let half_end = whole[..whole.len() - 1].to_vec();
    let padded = [&whole[..], &[0; 5_000]].concat();
    let padded_without_end = [&no_end[..], &[0; 5_000]].concat();
    let glued = [&whole[..], &jpeg_of(&noise(64, 64))].concat();
    let late = [&[0x00, 0xFF], &whole[..]].concat();
    for (name, bytes) in [
        ("no end", no_end),
        ("half an end", half_end),
        ("padded", padded),
        ("padded, no end", padded_without_end),
        ("glued", glued),
        ("junk before", late),
    ] {
        assert_eq!(decode(&bytes).as_ref(), Ok(&picture), "{name}");
    }
}

#[test]
fn c2_missing_pixels_are_never_sent_as_grey() {
    for whole in [jpeg_of(&photo(320, 200)), jpeg_with(&photo(320, 200), |e| e.set_progressive(true))] {
        for percent in [3, 10, 30, 50, 70, 90, 97, 99] {
            let cut = &whole[..whole.len() * percent / 100];
            assert!(is_damaged(&decode(cut)), "cut at {percent} %");
        }
        let line = decode(&whole[..whole.len() / 2]).unwrap_err().to_string();
        assert_eq!(line, "the picture is damaged: the file breaks off in the middle of the image");
    }
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        let whole = as_format(&photo(320, 200).image, format);
        assert!(is_damaged(&decode(&whole[..whole.len() / 2])), "{format:?}");
    }
}

fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut png = as_format(&corners().image, ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    png
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { 0xEDB8_8320 ^ (c >> 1) } else { c >> 1 })
    })
}

#[test]
fn c13_bombs_are_refused_before_memory_is_taken() {
    let bomb = decode(&png_header(100_000, 100_000));
    assert_eq!(bomb, Err(PictureError::TooLarge { width: 100_000, height: 100_000 }));
    assert_eq!(decode(&png_header(8_192, 8_192)), Err(PictureError::TooMuchMemory));
    assert_eq!(
        decode(&vec![0xFF; MAX_FILE_BYTES + 1]).unwrap_err().to_string(),
        "the picture's file has 33,554,433 bytes; at most 33,554,432 are read"
    );
    let mut jpeg = jpeg_of(&corners());
    let frame = jpeg.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(decode(&jpeg), Err(PictureError::TooLarge { width: 65_535, height: 65_535 }));
}

/// A PNG of four corners with this chunk after its header.
pub(super) fn png_with(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let png = as_format(&corners().image, ImageFormat::Png);
    let named = [&kind[..], body].concat();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&png[..33], &length, &named, &crc(&named).to_be_bytes(), &png[33..]].concat()
}

/// 128 MiB of zeros as a zlib stream of some hundred kilobytes: the pixels of a black PNG.
fn zlib_bomb() -> Vec<u8> {
    let black = DynamicImage::ImageLuma8(image::GrayImage::new(8_192, 16_384));
    let png = as_format(&black, ImageFormat::Png);
    let (mut at, mut out) = (8, Vec::new());
    while at + 8 < png.len() {
        let length = u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        if &png[at + 4..at + 8] == b"IDAT" {
            out.extend_from_slice(&png[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    out
}

#[test]
fn c13_texts_and_profiles_that_unpack_without_end_are_never_unpacked() {
    let bomb = zlib_bomb();
    assert!(bomb.len() < 1024 * 1024, "{} bytes stand for 128 MiB", bomb.len());
    for (name, kind, head) in [
        ("compressed text", b"zTXt", &b"Comment\0\0"[..]),
        ("compressed international text", b"iTXt", b"Comment\0\x01\0\0\0"),
        ("colour profile", b"iCCP", b"profile\0\0"),
    ] {
        let png = png_with(kind, &[head, &bomb].concat());
        match decode(&png) {
            Ok(picture) => assert_eq!(quarters(&picture), "RGBW", "{name}"),
            Err(error) => assert_eq!(error, PictureError::TooMuchMemory, "{name}"),
        }
    }
    let nested = png_with(b"tEXt", &[&b"Comment\0"[..], &b"[".repeat(1_000_000)].concat());
    assert_eq!(decode(&nested).map(|p| quarters(&p)).as_deref(), Ok("RGBW"), "a text is not parsed");
}

fn cmyk(transform: ColorType) -> Vec<u8> {
    let mut out = Vec::new();
    // Cyan and half black: a dark cyan.
    let inks: Vec<u8> = [255, 0, 0, 128].repeat(32 * 32);
    Encoder::new(&mut out, 95).encode(&inks, 32, 32, transform).unwrap();
    out
}

#[test]
fn c14_four_inks_come_out_right_or_are_refused() {
    for kind in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        let bytes = cmyk(kind);
        let picture = decode(&bytes).unwrap();
        let [r, g, b] = [0, 1, 2].map(|i| picture.expose_rgb()[i]);
        assert!(r < 12 && (115..140).contains(&g) && (115..140).contains(&b), "{kind:?}: {r} {g} {b}");
        let adobe = bytes.windows(2).position(|w| w == [0xFF, 0xEE]).unwrap();
        let bare = [&bytes[..adobe], &bytes[adobe + 16..]].concat();
        assert!(matches!(decode(&bare), Err(PictureError::UnsupportedColour { .. })));
    }
}

#[test]
fn c16_degenerate_sizes() {
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
        assert_eq!(
            Picture::from_rgb(width, height, Vec::new()),
            Err(PictureError::Degenerate { width, height })
        );
        assert!(decode(&png_header(width, height)).is_err());
    }
    let line = as_format(&photo(65_536, 1).image, ImageFormat::Png);
    assert_eq!(decode(&line), Err(PictureError::TooLarge { width: 65_536, height: 1 }));
    let thin = |w, h| fit(&photo(w, h)).map(|f| (f.width, f.height));
    assert_eq!(thin(4_000, 1), Ok((1_024, 1)));
    assert_eq!(thin(1, 4_000), Ok((1, 1_024)));
    assert_eq!(thin(1, 1), Ok((1, 1)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), kind in 0..4_usize) {
        let magic: [&[u8]; 4] = [b"", b"\xFF\xD8\xFF", b"\x89PNG\r\n\x1A\n", b"RIFF\x10\0\0\0WEBPVP8L"];
        let _ = decode(&[magic[kind], &bytes].concat());
    }

    #[test]
    fn no_mutation_makes_the_decoder_panic(
        kind in 0..4_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = match kind {
            0 => jpeg_of(&corners()),
            1 => jpeg_with(&corners(), |e| e.set_progressive(true)),
            2 => as_format(&corners().image, ImageFormat::WebP),
            _ => as_format(&corners().image, ImageFormat::Png),
        };
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(picture) = decode(&bytes) {
            prop_assert!(picture.width() <= MAX_SOURCE_SIDE && picture.height() <= MAX_SOURCE_SIDE);
        }
        let _ = verify(&bytes);
    }
}
