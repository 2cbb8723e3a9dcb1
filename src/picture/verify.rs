//! What a receiver checks of an image, by looking at the bytes themselves (§ Security, photos, and exact object lookup).

use sha2::{Digest, Sha256};

use super::decode::{Whose, decode_jpeg};
use super::{MAX_JPEG_BYTES, MAX_SIDE, Picture, PictureError, jpeg};
use crate::units::{Bytes, hex};

/// Facts about a JPEG, taken from its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JpegFacts {
    /// Real width in pixels, 1 to [`MAX_SIDE`].
    pub width: u32,
    /// Real height in pixels, 1 to [`MAX_SIDE`].
    pub height: u32,
    /// Number of bytes, 1 to [`MAX_JPEG_BYTES`].
    pub byte_count: usize,
    /// SHA-256 of the bytes in lower-case hexadecimal.
    pub sha256: String,
    /// Whether it is a baseline JPEG.
    pub is_baseline: bool,
    /// Whether it carries anything beside the image: EXIF, XMP, ICC, comments, vendor segments, bytes after the end.
    pub has_metadata: bool,
}

/// Verifies a received image: bytes counted and header read before anything is decoded, then decoded whole.
///
/// # Errors
/// [`PictureError::Bound`] for too many bytes or pixels, [`PictureError::UnknownFormat`] when it is not a JPEG,
/// [`PictureError::Damaged`] when it does not decode to the end or to the size its header claims.
pub fn verify(bytes: &[u8]) -> Result<JpegFacts, PictureError> {
    verified(bytes, Whose::Theirs).map(|(facts, _)| facts)
}

/// The facts, and the picture that the bytes decode to.
pub(super) fn verified(bytes: &[u8], whose: Whose) -> Result<(JpegFacts, Picture), PictureError> {
    if bytes.len() > MAX_JPEG_BYTES {
        let why = format!("{} bytes; at most {} are allowed", Bytes(bytes.len()), Bytes(MAX_JPEG_BYTES));
        return Err(PictureError::Bound { why });
    }
    if jpeg::start(bytes) != Some(0) {
        return Err(PictureError::UnknownFormat);
    }
    let layout = jpeg::walk(bytes);
    let Some(frame) = layout.frame else {
        return Err(PictureError::Damaged { why: "the JPEG breaks off before its image data".into() });
    };
    if frame.width > MAX_SIDE || frame.height > MAX_SIDE {
        let why = format!("{}×{} pixels; at most {MAX_SIDE} a side are allowed", frame.width, frame.height);
        return Err(PictureError::Bound { why });
    }
    let picture = decode_jpeg(bytes, whose)?;
    // An EXIF orientation may exchange the sides; the header holds what the wire calls width and height.
    let (real, claimed) = ((picture.width(), picture.height()), (frame.width, frame.height));
    if real != claimed && (real.1, real.0) != claimed {
        return Err(PictureError::Damaged { why: "its header and its content differ in size".into() });
    }
    let facts = JpegFacts {
        width: frame.width,
        height: frame.height,
        byte_count: bytes.len(),
        sha256: hex(&Sha256::digest(bytes)),
        is_baseline: frame.marker == 0xC0,
        has_metadata: layout.has_metadata || layout.end != Some(bytes.len()),
    };
    Ok((facts, picture))
}
