//! Cases C1, C2, C11, C14 and everything alike: the kinds of files that cameras, scanners and programs write.

use image::ImageEncoder;

use super::*;

/// The marker segments of `jpeg` from its first byte: marker, offset, offset past it; the last is the scan header.
fn segments(jpeg: &[u8]) -> Vec<(u8, usize, usize)> {
    let (mut at, mut found) = (2, Vec::new());
    loop {
        let (marker, length) = (jpeg[at + 1], usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]])));
        found.push((marker, at, at + 2 + length));
        at += 2 + length;
        if marker == 0xDA {
            return found;
        }
    }
}

fn segment_of(jpeg: &[u8], marker: u8) -> (usize, usize) {
    let (_, from, to) = segments(jpeg).into_iter().find(|(m, ..)| *m == marker).unwrap();
    (from, to)
}

/// `jpeg` with `bytes` before its scan header.
fn before_the_scan(jpeg: &[u8], bytes: &[u8]) -> Vec<u8> {
    let (at, _) = segment_of(jpeg, 0xDA);
    [&jpeg[..at], bytes, &jpeg[at..]].concat()
}

fn app(number: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
    [&[0xFF, 0xE0 | number][..], &length, body].concat()
}

#[test]
fn c2_a_frame_that_lost_data_is_never_sent_as_grey() {
    let picture = photo(320, 200);
    for (kind, whole) in [
        ("baseline", jpeg_of(&picture)),
        ("quartered colours", jpeg_with(&picture, |e| e.set_sampling_factor(SamplingFactor::F_2_2))),
        ("restarts", jpeg_with(&picture, |e| e.set_restart_interval(8))),
    ] {
        let (_, data) = segment_of(&whole, 0xDA);
        let end = whole.len() - 2;
        let share = |percent: usize| data + (end - data) * percent / 100;
        for percent in [5, 30, 50, 80, 98] {
            // The device ends its frame properly all the same.
            let cut = [&whole[..share(percent)], &[0xFF, 0xD9]].concat();
            let line = decode(&cut).unwrap_err().to_string();
            assert_eq!(
                line, "the picture is damaged: part of the image is missing or spoilt",
                "{kind} {percent}"
            );
            // The next frame follows without a pause.
            let joined = [&whole[..share(percent)], &whole].concat();
            assert!(decode(&joined).is_err(), "{kind}: cut at {percent} % and joined");
            // No code of any table begins with sixteen ones.
            let mut spoilt = whole.clone();
            spoilt[share(percent) - 12..share(percent)].copy_from_slice(&[0xFF, 0].repeat(6));
            assert!(decode(&spoilt).is_err(), "{kind}: spoilt at {percent} %");
        }
    }
}

#[test]
fn c2_stray_bytes_between_the_parts_of_a_jpeg_are_passed_over() {
    let whole = jpeg_of(&photo(320, 200));
    let picture = decode(&whole).unwrap();
    for (name, stray) in [
        ("zeros", vec![0; 300]),
        ("filling", vec![0xFF; 7]),
        ("an empty comment", vec![0xFF, 0xFE, 0, 2]),
        ("a vendor's segment", app(11, b"vendor")),
        (
            "two profiles",
            [app(2, b"ICC_PROFILE\0\x01\x02junk"), app(2, b"ICC_PROFILE\0\x09\x02junk")].concat(),
        ),
        ("a preview with a JPEG in it", app(13, &jpeg_of(&corners()))),
    ] {
        assert_eq!(decode(&before_the_scan(&whole, &stray)).as_ref(), Ok(&picture), "{name}");
    }
}

#[test]
fn c14_kinds_of_jpeg_come_out_right_or_are_refused() {
    let reds: Vec<(String, Vec<u8>)> = [
        SamplingFactor::F_1_1,
        SamplingFactor::F_2_1,
        SamplingFactor::F_1_2,
        SamplingFactor::F_2_2,
        SamplingFactor::F_4_1,
    ]
    .into_iter()
    .flat_map(|factor| [(factor, false, false), (factor, true, false), (factor, false, true)])
    .map(|(factor, is_progressive, is_split)| {
        let bytes = jpeg_with(&corners(), |e| {
            e.set_sampling_factor(factor);
            e.set_progressive(is_progressive);
            e.set_optimized_huffman_tables(is_split);
        });
        (format!("{factor:?}, progressive {is_progressive}, one scan a colour {is_split}"), bytes)
    })
    .collect();
    let mut refused = Vec::new();
    for (name, bytes) in &reds {
        match decode(bytes) {
            Ok(picture) => assert_eq!(quarters(&picture), "RGBW", "{name}"),
            Err(PictureError::UnsupportedColour { .. }) => refused.push(name.as_str()),
            Err(e) => panic!("{name}: {e}"),
        }
    }
    let is_split = |bytes: &[u8]| bytes[segment_of(bytes, 0xDA).0 + 4] == 1;
    let expected: Vec<&str> = reds
        .iter()
        .filter(|(name, bytes)| name.contains("progressive false") && is_split(bytes))
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(expected.len(), 6);
    assert_eq!(refused, expected);
}

#[test]
fn c14_kinds_of_jpeg_that_are_not_read_are_named() {
    let whole = jpeg_of(&corners());
    let (frame, _) = segment_of(&whole, 0xC0);
    let line = |marker: u8, precision: u8| {
        let mut bytes = whole.clone();
        (bytes[frame + 1], bytes[frame + 4]) = (marker, precision);
        decode(&bytes).unwrap_err().to_string()
    };
    for (marker, precision, kind) in [
        (0xC3, 8, "a lossless JPEG"),
        (0xC6, 8, "a hierarchical JPEG"),
        (0xC9, 8, "an arithmetic-coded JPEG"),
        (0xC1, 12, "a JPEG of more than 8 bits a channel"),
    ] {
        let expected = format!(
            "the picture is not read: it is {kind}; save it as an ordinary JPEG or as PNG and try again"
        );
        assert_eq!(line(marker, precision), expected);
    }
}

#[test]
fn c14_a_jpeg_of_rgb_and_one_of_grey_keep_their_colours() {
    let mut grey = Vec::new();
    Encoder::new(&mut grey, 95).encode(&[90; 64 * 64], 64, 64, ColorType::Luma).unwrap();
    let picture = decode(&grey).unwrap();
    assert!(picture.expose_rgb().iter().all(|c| c.abs_diff(90) < 3));
    // Adobe's transform 0 says that the three components are red, green and blue themselves.
    let mut adobe = b"Adobe\0\x64\0\0\0\0\0".to_vec();
    let flat = |rgb: [u8; 3]| Picture::from_rgb(16, 16, rgb.repeat(256)).unwrap();
    // Y'CbCr (0, 128, 255) read as RGB: what the encoder makes of this colour.
    let bytes = before_the_scan(&jpeg_of(&flat([200, 10, 10])), &app(14, &adobe));
    let raw = decode(&bytes).unwrap();
    let [r, g, b] = [0, 1, 2].map(|i| raw.expose_rgb()[i]);
    assert!(r.abs_diff(67) < 4 && g.abs_diff(96) < 4 && b.abs_diff(223) < 4, "{r} {g} {b}");
    *adobe.last_mut().unwrap() = 1;
    let bytes = before_the_scan(&jpeg_of(&flat([200, 10, 10])), &app(14, &adobe));
    assert!(decode(&bytes).unwrap().expose_rgb()[0] > 190);
}

#[test]
fn orientations_that_mean_nothing_leave_the_picture_as_it_is() {
    let with = |data: &[u8]| {
        let bytes = jpeg_with(&corners(), |e| e.add_app_segment(1, data.to_vec()).unwrap());
        quarters(&decode(&bytes).unwrap())
    };
    for value in [0, 9, 42, 255] {
        assert_eq!(with(&exif(value)), "RGBW", "orientation {value}");
    }
    let upside_down = exif(3);
    assert_eq!(with(&upside_down), "WBGR");
    for length in 0..upside_down.len() {
        // Breaking off anywhere is no reason to refuse a picture. The last bytes say nothing any more.
        let seen = with(&upside_down[..length]);
        assert!(seen == "RGBW" || seen == "WBGR", "cut at {length}: {seen}");
    }
    let mut far = upside_down.clone();
    far[10..14].copy_from_slice(&u32::MAX.to_be_bytes());
    assert_eq!(with(&far), "RGBW", "an offset out of the data");
    let mut endless = upside_down.clone();
    endless[14..16].copy_from_slice(&u16::MAX.to_be_bytes());
    assert!(["RGBW", "WBGR"].contains(&with(&endless).as_str()), "65,535 entries");
    let mut itself = upside_down;
    itself[10..14].copy_from_slice(&0_u32.to_be_bytes());
    with(&itself);
    with(b"Exif\0\0");
    with(b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta");
}

#[test]
fn the_orientation_of_png_and_webp_counts_too() {
    let tiff = &exif(6)[6..];
    let png = super::damage::png_with(b"eXIf", tiff);
    assert_eq!(quarters(&decode(&png).unwrap()), "BRWG");
    let mut webp = Vec::new();
    let mut encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut webp);
    encoder.set_exif_metadata(tiff.to_vec()).unwrap();
    encoder.encode(corners().expose_rgb(), 64, 32, image::ExtendedColorType::Rgb8).unwrap();
    assert_eq!(quarters(&decode(&webp).unwrap()), "BRWG");
}

/// A PNG written by hand: what `image` never writes.
fn png_of(size: (u32, u32), bits: u8, colour: u8, chunks: &[(&[u8; 4], &[u8])], rows: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png_encoder(&mut out, size, bits, colour);
    for (kind, body) in chunks {
        match *kind {
            b"PLTE" => encoder.set_palette(body.to_vec()),
            b"tRNS" => encoder.set_trns(body.to_vec()),
            _ => unreachable!(),
        }
    }
    encoder.write_header().unwrap().write_image_data(rows).unwrap();
    out
}

fn png_encoder(
    out: &mut Vec<u8>,
    (width, height): (u32, u32),
    bits: u8,
    colour: u8,
) -> png::Encoder<'_, &mut Vec<u8>> {
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_depth(png::BitDepth::from_u8(bits).unwrap());
    encoder.set_color(png::ColorType::from_u8(colour).unwrap());
    encoder
}

#[test]
fn c11_every_kind_of_png_becomes_opaque_rgb() {
    let palette: &[u8] = &[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
    let first = |bytes: Vec<u8>| <[u8; 3]>::try_from(&decode(&bytes).unwrap().expose_rgb()[..3]).unwrap();
    for (bits, row) in [(1, [0x7F_u8]), (2, [0b0110_1100]), (4, [0x12]), (8, [1])] {
        let wide = u32::from(8 / bits);
        let pixels = png_of((wide, 1), bits, 3, &[(b"PLTE", palette)], &row);
        let expected = if bits == 1 { [255, 0, 0] } else { [0, 255, 0] };
        assert_eq!(first(pixels), expected, "palette of {bits} bits");
        let level = [0, 0x55, 0x11, 1][bits.trailing_zeros() as usize];
        assert_eq!(first(png_of((wide, 1), bits, 0, &[], &row)), [level; 3], "grey of {bits} bits");
    }
    let clear = png_of((1, 1), 8, 3, &[(b"PLTE", palette), (b"tRNS", &[0])], &[0]);
    assert_eq!(first(clear), [255; 3], "a clear entry of the palette lies on white");
    let keyed = png_of((1, 1), 8, 2, &[(b"tRNS", &[0, 9, 0, 9, 0, 9])], &[9, 9, 9]);
    assert_eq!(first(keyed), [255; 3], "a colour that means clear");
    let deep = png_of((1, 1), 16, 6, &[], &[0xFF, 0xFF, 0x80, 0x80, 0, 0, 0x80, 0x80]);
    assert_eq!(first(deep), [255, 191, 127], "sixteen bits, half clear");
    assert_eq!(first(png_of((1, 1), 16, 0, &[], &[0x80, 0])), [128; 3]);
    let beyond = png_of((1, 1), 8, 3, &[(b"PLTE", &palette[..3])], &[7]);
    assert!(decode(&beyond).map_or(true, |p| p.width() == 1), "an index out of the palette is no panic");
}

#[test]
fn of_what_moves_the_first_picture_is_taken() {
    let mut apng = Vec::new();
    let mut encoder = png_encoder(&mut apng, (64, 32), 8, 2);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(corners().expose_rgb()).unwrap();
    writer.write_image_data(corners().turned(Turning::Mirror).expose_rgb()).unwrap();
    drop(writer);
    assert_eq!(quarters(&decode(&apng).unwrap()), "RGBW");
    assert_eq!(quarters(&decode(&moving_webp()).unwrap()), "RGBW");
}

/// Two frames around the lossless pictures that `image` writes (the container of WebP, RFC 9649).
fn moving_webp() -> Vec<u8> {
    let chunk = |kind: &[u8; 4], body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap().to_le_bytes();
        let padding: &[u8] = if body.len() % 2 == 1 { &[0] } else { &[] };
        [&kind[..], &length, body, padding].concat()
    };
    let frame = |picture: &Picture| {
        let still = as_format(&picture.image, ImageFormat::WebP);
        let head = [0, 0, 0, 0, 0, 0, 63, 0, 0, 31, 0, 0, 100, 0, 0, 0];
        chunk(b"ANMF", &[&head[..], &still[12..]].concat())
    };
    let body = [
        b"WEBP".to_vec(),
        chunk(b"VP8X", &[0b10, 0, 0, 0, 63, 0, 0, 31, 0, 0]),
        chunk(b"ANIM", &[255, 255, 255, 255, 0, 0]),
        frame(&corners()),
        frame(&corners().turned(Turning::Mirror)),
    ]
    .concat();
    chunk(b"RIFF", &body)
}

#[test]
fn colour_profiles_whole_or_broken_neither_stop_nor_follow_a_picture() {
    let profile = |body: &[u8]| {
        let bytes = jpeg_with(&corners(), |e| e.add_icc_profile(body).unwrap());
        let picture = decode(&bytes).unwrap();
        assert_eq!(quarters(&picture), "RGBW");
        let sent = fit(&picture).unwrap();
        assert!(!verify(sent.jpeg.expose()).unwrap().has_metadata);
    };
    profile(b"");
    profile(&[0; 200]);
    profile(&b"not a profile".repeat(20_000));
}

#[test]
fn a_progressive_picture_of_a_hundred_thousand_scans_is_refused() {
    let whole = jpeg_with(&photo(64, 64), |e| e.set_progressive(true));
    let (scan, _) = segment_of(&whole, 0xDA);
    // An empty refinement of one coefficient, again and again.
    let again = [0xFF, 0xDA, 0, 8, 1, 1, 0, 63, 63, 0x10, 0xFF, 0xFF];
    let mut bomb = whole[..whole.len() - 2].to_vec();
    for _ in 0..100_000 {
        bomb.extend_from_slice(&again[..10]);
    }
    bomb.extend_from_slice(&[0xFF, 0xD9]);
    assert!(scan < bomb.len() && decode(&bomb).is_err());
}
