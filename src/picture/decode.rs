//! Bytes of a file to a [`Picture`]: by content, under limits, upright, opaque, eight bits a channel.

use std::hash::{DefaultHasher, Hasher};
use std::io::Cursor;

use image::error::ImageError;
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use zeroize::Zeroizing;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

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
            decode_jpeg(&bytes[start..], Whose::Theirs)
        }
    }
}

/// Who made a JPEG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Our own encoder, a moment ago: it is complete.
    Ours,
    /// Anybody: pixels may be missing.
    Theirs,
}

/// Bytes put where pixels may be missing.
const FILLING: usize = 8_192;

/// Decodes what begins with the start-of-image marker.
///
/// Decoders fill what is missing with grey and say nothing, end marker or not. If different fillings give the same
/// picture, no pixel was missing.
pub(super) fn decode_jpeg(bytes: &[u8], whose: Whose) -> Result<Picture, PictureError> {
    decode_trimmed(&jpeg::trim(bytes)?, whose)
}

/// The same of a JPEG that was cut out already.
pub(super) fn decode_trimmed(trimmed: &jpeg::Trimmed, whose: Whose) -> Result<Picture, PictureError> {
    let mut pixels = Zeroizing::new(Vec::new());
    if whose == Whose::Ours {
        return raster(&trimmed.filled(0, 0), trimmed.frame, &mut pixels)?.into_picture(pixels);
    }
    let broken = || PictureError::Damaged {
        why: match trimmed.has_end {
            true => "part of the image is missing or spoilt".into(),
            false => "the file breaks off in the middle of the image".into(),
        },
    };
    let mut spread = |filling| match raster(&trimmed.filled(filling, FILLING), trimmed.frame, &mut pixels) {
        Err(PictureError::Damaged { .. }) => Err(broken()),
        other => other.map(|raster| (raster, fingerprint(&pixels))),
    };
    let (_, one) = spread(0x55)?;
    let (raster, other) = spread(0x00)?;
    if one == other { raster.into_picture(pixels) } else { Err(broken()) }
}

/// Stands for pixels where keeping them twice would take too much memory.
fn fingerprint(pixels: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(pixels);
    hasher.finish()
}

/// What is known of decoded pixels.
struct Raster {
    width: u32,
    height: u32,
    is_grey: bool,
    orientation: Orientation,
}

impl Raster {
    fn into_picture(self, mut pixels: Zeroizing<Vec<u8>>) -> Result<Picture, PictureError> {
        let pixels = std::mem::take(&mut *pixels);
        let image = match self.is_grey {
            true => GrayImage::from_raw(self.width, self.height, pixels).map(DynamicImage::ImageLuma8),
            false => RgbImage::from_raw(self.width, self.height, pixels).map(DynamicImage::ImageRgb8),
        };
        let mut image = image.expect("the buffer was made for this size");
        image.apply_orientation(self.orientation);
        Ok(Picture::from_image(image.into_rgb8()))
    }
}

/// Decodes a trimmed JPEG into `pixels`. Strict: `image` decodes leniently, and a wrong code turns all that follows grey.
/// `frame` is the header by which its size was judged; a second one that is larger is refused.
fn raster(jpeg: &[u8], frame: jpeg::Frame, pixels: &mut Vec<u8>) -> Result<Raster, PictureError> {
    let refused =
        |e: zune_jpeg::errors::DecodeErrors| PictureError::Damaged { why: first_line(&e.to_string()) };
    let (width, height) = (frame.width as usize, frame.height as usize);
    let options = DecoderOptions::default().set_strict_mode(true).set_max_width(width).set_max_height(height);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(jpeg), options);
    decoder.decode_headers().map_err(refused)?;
    let is_grey = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let out = if is_grey { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(out));
    let bytes = decoder.output_buffer_size().unwrap_or(usize::MAX);
    if bytes > MAX_WORKING_BYTES {
        return Err(PictureError::TooMuchMemory);
    }
    pixels.resize(bytes, 0);
    decoder.decode_into(pixels).map_err(refused)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let orientation = decoder.exif().and_then(|exif| Orientation::from_exif_chunk(exif));
    Ok(Raster {
        width: u32::try_from(width).unwrap_or(u32::MAX),
        height: u32::try_from(height).unwrap_or(u32::MAX),
        is_grey,
        orientation: orientation.unwrap_or(Orientation::NoTransforms),
    })
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
