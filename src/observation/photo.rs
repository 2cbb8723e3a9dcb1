//! A fitted picture to the image of an observation (§ Security, photos, and exact object lookup; R6). Pure.
//!
//! Called by `client` when the user sends what was reviewed. The photo lives in the returned value until the
//! observation is sent or dropped, and nowhere else.

use crate::picture::FittedJpeg;
use crate::protocol::observation::{ImageData, ImageInput};

/// The only media type of the profile.
pub const MEDIA_TYPE: &str = "image/jpeg";

/// The wire form of `photo`. Byte count, hash and size are the facts that [`crate::picture::fit`] took from the
/// final bytes by decoding them again; nothing is taken from the source.
pub fn image_input(photo: &FittedJpeg) -> ImageInput {
    ImageInput {
        media_type: MEDIA_TYPE.to_owned(),
        data: ImageData::encode(&photo.jpeg),
        byte_count: photo.jpeg.len() as u64,
        sha256: photo.sha256.clone(),
        pixel_width: photo.width,
        pixel_height: photo.height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{self, DemoPicture, demo_picture, verify};
    use crate::protocol::bounds;

    #[test]
    fn a_receiver_finds_exactly_the_facts_that_were_declared() {
        let image = image_input(&picture::fit(&demo_picture(DemoPicture::Desk)).unwrap());
        let facts = verify(image.data.decode().unwrap().expose()).unwrap();
        assert_eq!(
            (facts.width, facts.height, facts.byte_count as u64, facts.sha256, "image/jpeg"),
            (
                image.pixel_width,
                image.pixel_height,
                image.byte_count,
                image.sha256.clone(),
                image.media_type.as_str()
            )
        );
        assert!(!facts.has_metadata && !format!("{image:?}").contains("/9j/"));
    }

    #[test]
    fn both_rooms_hold_the_same_bounds() {
        assert_eq!((picture::MAX_JPEG_BYTES, picture::MAX_SIDE), (bounds::IMAGE_BYTES, bounds::IMAGE_SIDE));
    }
}
