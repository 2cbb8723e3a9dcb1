//! What leaves: the JPEG that fits, and what a receiver finds in it.

use super::*;

fn check(fitted: &FittedJpeg) {
    let facts = verify(fitted.jpeg.expose()).unwrap();
    assert_eq!((facts.width, facts.height, &facts.sha256), (fitted.width, fitted.height, &fitted.sha256));
    assert!(facts.is_baseline && !facts.has_metadata && facts.byte_count <= MAX_JPEG_BYTES);
    assert!(fitted.encodings <= 5, "{} encodings", fitted.encodings);
}

#[test]
fn a_photograph_keeps_its_size_and_uses_the_room() {
    let fitted = fit(&photo(1_280, 720)).unwrap();
    check(&fitted);
    assert_eq!((fitted.width, fitted.height), (1_024, 576));
    assert!(fitted.quality >= 95 || fitted.jpeg.len() * 100 >= MAX_JPEG_BYTES * 90, "{fitted:?}");
}

#[test]
fn small_pictures_are_never_enlarged() {
    let fitted = fit(&photo(200, 120)).unwrap();
    check(&fitted);
    assert_eq!((fitted.width, fitted.height, fitted.quality, fitted.encodings), (200, 120, 95, 1));
}

#[test]
fn the_worst_picture_is_shrunk_until_it_fits() {
    let fitted = fit(&noise(1_024, 1_024)).unwrap();
    check(&fitted);
    assert!(fitted.width < 1_024 && fitted.quality >= 7, "{fitted:?}");
    assert!(fitted.jpeg.len() > MAX_JPEG_BYTES / 2, "{fitted:?}");
}

/// The sampling factors of the three components in the frame header.
fn sampling(fitted: &FittedJpeg) -> [u8; 3] {
    let bytes = fitted.jpeg.expose();
    let frame = bytes.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    [bytes[frame + 11], bytes[frame + 14], bytes[frame + 17]]
}

#[test]
fn the_colours_are_thinned_only_where_room_is_short() {
    assert_eq!(sampling(&fit(&noise(1_024, 600)).unwrap()), [0x22, 0x11, 0x11]);
    assert_eq!(sampling(&fit(&corners()).unwrap()), [0x11, 0x11, 0x11]);
}

/// Dots of pure colours: averaging four pixels moves the mean, and that is no fault.
#[test]
fn stark_dots_are_no_fault_of_the_encoder() {
    for side in [64, 300, 1_000] {
        let dots = (0..side * side).flat_map(|n| match (n % side + n / side) % 3 {
            0 => [255, 0, 0],
            1 => [0, 0, 255],
            _ => [255, 255, 0],
        });
        let picture = Picture::from_rgb(side, side, dots.collect()).unwrap();
        check(&fit(&picture).unwrap());
    }
}

#[test]
fn metadata_of_the_source_does_not_survive() {
    let tagged = jpeg_with(&corners(), |e| {
        e.add_app_segment(1, exif(6)).unwrap();
        e.add_app_segment(13, b"Photoshop 3.0 SECRET PLACE".to_vec()).unwrap();
        e.add_icc_profile(&[7; 400]).unwrap();
    });
    assert!(verify(&tagged).unwrap().has_metadata);
    let fitted = fit(&decode(&tagged).unwrap()).unwrap();
    check(&fitted);
    assert_eq!((fitted.width, fitted.height), (32, 64));
    assert!(!fitted.jpeg.expose().windows(6).any(|w| w == b"SECRET"));
}

#[test]
fn a_receiver_refuses_what_breaks_a_bound_or_lies() {
    let good = jpeg_of(&corners());
    assert!(verify(&good).is_ok());
    assert!(verify(&[&good[..], b"tail"].concat()).unwrap().has_metadata);
    let line = |bytes: &[u8]| verify(bytes).unwrap_err().to_string();
    let over = [&good[..], &vec![0; MAX_JPEG_BYTES]].concat();
    assert!(line(&over).contains("at most 61,440 are allowed"));
    assert!(line(&jpeg_of(&photo(1_025, 8))).contains("1025×8 pixels; at most 1024 a side"));
    assert!(line(&as_format(&corners().image, ImageFormat::Png)).contains("not a JPEG"));
    assert!(line(&good[..good.len() / 2]).contains("damaged"));
    assert!(line(&[&[0, 0], &good[..]].concat()).contains("not a JPEG"));
    let mut forged = good.clone();
    let frame = forged.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    forged[frame + 5..frame + 9].copy_from_slice(&[2, 0, 2, 0]);
    let forged = verify(&forged);
    assert!(forged.as_ref().is_err() || forged.is_ok_and(|f| (f.width, f.height) == (512, 512)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_goes_in_a_sound_jpeg_comes_out(w in 1_u32..300, h in 1_u32..300, noisy: bool) {
        let picture = if noisy { noise(w, h) } else { photo(w, h) };
        let fitted = fit(&picture).unwrap();
        check(&fitted);
        prop_assert_eq!((fitted.width, fitted.height), (w, h));
    }
}

/// The largest mean difference of a channel between a picture and the decoded JPEG of it.
fn distance(picture: &Picture, jpeg: &[u8]) -> f64 {
    let decoded = decode(jpeg).unwrap();
    let pairs = picture.expose_rgb().iter().zip(decoded.expose_rgb());
    pairs.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / picture.expose_rgb().len() as f64
}

#[test]
fn the_colours_survive_at_every_size() {
    for (w, h) in
        [(64, 32), (1, 1), (2, 2), (15, 17), (16, 16), (33, 9), (64, 64), (200, 120), (320, 200), (640, 360)]
    {
        let picture = if (w, h) == (64, 32) { corners() } else { photo(w, h) };
        let off = distance(&picture, fit(&picture).unwrap().jpeg.expose());
        assert!(off < 8.0, "{w}×{h}: {off:.1}");
    }
}
