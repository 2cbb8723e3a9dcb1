//! Bytes of a file to a [`Picture`]: by content, under limits, upright, opaque, eight bits a channel.

use std::io::Cursor;

use image::error::ImageError;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use super::{Picture, PictureError, jpeg};

/// Largest file that is decoded: 32 MiB.
pub const MAX_FILE_BYTES: usize = 32 * 1024 * 1024;
/// Longest side that is decoded, in pixels.
pub const MAX_SOURCE_SIDE: u32 = 8_192;
/// Most memory that decoding may take, in bytes: 128 MiB, enough for 44 megapixels.
pub const MAX_WORKING_BYTES: usize = 128 * 1024 * 1024;

/// Decodes a JPEG, PNG or WebP, told apart by content. The EXIF orientation is applied, transparency is laid on
/// white, 16-bit channels become 8-bit ones. What stands before or after a JPEG is ignored, a missing end is
/// accepted when no pixel is missing, missing Huffman tables are the standard ones.
///
/// # Errors
/// One clear sentence for each way in which bytes are not a usable picture; sizes are refused before any pixel is
/// decoded.
pub fn decode(bytes: &[u8]) -> Result<Picture, PictureError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(PictureError::FileTooLarge { bytes: bytes.len() });
    }
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::WebP)) => decode_as(bytes, format),
        _ => {
            let start = jpeg::start(bytes).ok_or(PictureError::UnknownFormat)?;
            decode_jpeg(&bytes[start..])
        }
    }
}

/// Decodes what begins with the start-of-image marker.
pub(super) fn decode_jpeg(bytes: &[u8]) -> Result<Picture, PictureError> {
    let trimmed = jpeg::trim(bytes)?;
    if trimmed.has_end {
        return decode_as(&trimmed.bytes, ImageFormat::Jpeg);
    }
    // Decoders fill what is missing with grey and say nothing. If different fillings give the same picture,
    // nothing but the end marker was missing.
    let broken = || PictureError::Damaged { why: "the file breaks off in the middle of the image".into() };
    let one = decode_as(&jpeg::filled(&trimmed.bytes, 0x00), ImageFormat::Jpeg).map_err(|_| broken())?;
    let other = decode_as(&jpeg::filled(&trimmed.bytes, 0x55), ImageFormat::Jpeg).map_err(|_| broken())?;
    if one == other { Ok(one) } else { Err(broken()) }
}

fn decode_as(bytes: &[u8], format: ImageFormat) -> Result<Picture, PictureError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits());
    let mut decoder = reader.into_decoder().map_err(|e| refusal(&e))?;
    let (width, height) = decoder.dimensions();
    super::check_sides(width, height)?;
    if decoder.total_bytes() > MAX_WORKING_BYTES as u64 {
        return Err(PictureError::TooMuchMemory);
    }
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(|e| refusal(&e))?;
    image.apply_orientation(orientation);
    Ok(Picture::from_image(opaque(image)))
}

/// The memory only: sides are checked by us, so that the refusal can name them.
fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_WORKING_BYTES as u64);
    limits
}

/// Lays transparency on white: what is invisible must not come out as whatever colour stands under it.
fn opaque(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let rgba = image.into_rgba8();
    let (width, height) = rgba.dimensions();
    let mut rgb = Vec::with_capacity(rgba.as_raw().len() / 4 * 3);
    for pixel in rgba.as_raw().chunks_exact(4) {
        let alpha = u32::from(pixel[3]);
        for channel in &pixel[..3] {
            let laid = (u32::from(*channel) * alpha + 255 * (255 - alpha) + 127) / 255;
            rgb.push(u8::try_from(laid).unwrap_or(u8::MAX));
        }
    }
    RgbImage::from_raw(width, height, rgb).expect("three bytes were made of every four")
}

/// Our sentence for an error of the decoder.
fn refusal(error: &ImageError) -> PictureError {
    match error {
        ImageError::Limits(_) => PictureError::TooMuchMemory,
        ImageError::IoError(_) => PictureError::Damaged { why: "the file breaks off in the middle".into() },
        other => PictureError::Damaged { why: first_line(&other.to_string()) },
    }
}

/// A decoder's own words: one line, printable, bounded.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).take(160).collect()
}
