//! What readers and cameras deliver.

use agentcall::device::camera::wire::{self, PREFIX_BYTES, Prefix, Reply, Request};
use agentcall::device::nfc::TagSpec;
use agentcall::observation::alias::DeviceKey;
use agentcall::observation::reading::{TagReading, TagSource, read_tag};
use agentcall::picture::raw::{self, Care, Colours, Matrix, PixelFormat, Range, RawFrame};
use agentcall::picture::{self, MAX_JPEG_BYTES, MAX_SIDE};
use agentcall::protocol::bounds;
use agentcall::redact::{TagUid, spells_uid};
use zeroize::Zeroizing;

/// A tag: the first byte chooses what was delivered. What comes of it is bounded, and the id is nowhere but in its
/// own field.
pub fn tag(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let key = DeviceKey::new(Zeroizing::new([7; 32]));
    let uid = TagUid::new(&[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]);
    let text = std::str::from_utf8(data);
    let reading = match choice % 6 {
        0 => read_tag(TagSource::NdefMessage { bytes: data, uid: Some(&uid) }, &key),
        1 => read_tag(TagSource::NdefMessage { bytes: data, uid: None }, &key),
        2 => read_tag(TagSource::Type2Memory { bytes: data, uid: None }, &key),
        3 => read_tag(TagSource::Type2Memory { bytes: data, uid: Some(&uid) }, &key),
        4 => match text {
            Ok(text) => read_tag(TagSource::FlipperFile(text), &key),
            Err(_) => return,
        },
        _ => {
            if let Ok(text) = text {
                let _ = TagSpec::parse(text);
            }
            read_tag(TagSource::UidOnly(&TagUid::new(data)), &key)
        }
    };
    if let Ok(reading) = reading {
        bounded(&reading);
    }
}

fn bounded(reading: &TagReading) {
    assert!(!reading.object_ref.is_empty());
    assert!(reading.object_ref.chars().count() <= bounds::OBJECT_REF, "a reference over the bound");
    if let Some(uid) = reading.uid.as_ref().filter(|uid| uid.len() >= 4) {
        let told = [&reading.object_ref].into_iter().chain(&reading.other_content).chain(&reading.notes);
        for text in told {
            assert!(!spells_uid(uid, text), "the id is spelled in what is shown or sent");
        }
    }
    let _ = serde_json::to_string(&reading.object_input(None)).map(|json| json.len());
}

/// A picture file: what decodes also fits the wire, in five encodings at most, and what was made is what it says.
pub fn picture(data: &[u8]) {
    let Ok(picture) = picture::decode(data) else { return };
    assert!(picture.width() > 0 && picture.height() > 0);
    let rgb = picture.expose_rgb().len();
    assert_eq!(rgb, picture.width() as usize * picture.height() as usize * 3);
    // A larger one takes longer than an input may; the benches fit such.
    if rgb > 3 * 256 * 256 {
        return;
    }
    let fitted = picture::fit(&picture).expect("what decodes can be sent");
    assert!(fitted.jpeg.len() <= MAX_JPEG_BYTES && fitted.width <= MAX_SIDE && fitted.height <= MAX_SIDE);
    assert!(fitted.encodings <= 5);
    let facts = picture::verify(fitted.jpeg.expose()).expect("our own JPEG is in order");
    assert_eq!((facts.width, facts.height), (fitted.width, fitted.height));
}

/// A raw frame of a camera: format, size and padding are the first bytes, the buffer is the rest. A picture has the size
/// that was agreed, or for a JPEG at most that; the quick one is no larger than asked for.
pub fn rawframe(data: &[u8]) {
    let Some((&[kind, width, height, pad, side], bytes)) = data.split_first_chunk::<5>() else { return };
    let formats = [
        PixelFormat::Mjpeg,
        PixelFormat::Yuyv,
        PixelFormat::Uyvy,
        PixelFormat::Nv12,
        PixelFormat::Rgb24,
        PixelFormat::Bgr24,
        PixelFormat::Grey,
    ];
    let format = formats[usize::from(kind) % formats.len()];
    let colours = Colours {
        matrix: if kind & 0x40 == 0 { Matrix::Bt601 } else { Matrix::Bt709 },
        range: if kind & 0x80 == 0 { Range::Limited } else { Range::Full },
    };
    let (width, height) = (u32::from(width), u32::from(height));
    let stride = (pad > 0).then(|| width * 2 + u32::from(pad));
    let frame = RawFrame { format, width, height, stride, colours, bytes };
    if let Ok(picture) = raw::decode(&frame, Care::Whole) {
        assert!(picture.width() > 0 && picture.height() > 0);
        if format == PixelFormat::Mjpeg {
            assert!(picture.width() * picture.height() <= width * height, "no larger than agreed");
        } else {
            assert_eq!((picture.width(), picture.height()), (width, height));
        }
        let rgb = picture.width() as usize * picture.height() as usize * 3;
        assert_eq!(picture.expose_rgb().len(), rgb);
    }
    let side = u32::from(side).max(1);
    if let Ok(picture) = raw::decode(&frame, Care::Quick { side }) {
        assert!(picture.width() <= side && picture.height() <= side, "no larger than asked for");
    }
}

/// The bytes that a camera's child process writes, and those that it reads: lengths are believed only within their
/// bounds, a message that was read is written back the same, a frame holds exactly the pixels it says.
pub fn camera_wire(data: &[u8]) {
    let mut left = data;
    while let Some((prefix, rest)) = left.split_first_chunk::<PREFIX_BYTES>() {
        let Ok(Prefix { header, payload }) = Prefix::parse(prefix) else { return };
        assert!(header <= wire::HEADER_BYTES && payload <= wire::PAYLOAD_BYTES);
        let Some((header, rest)) = rest.split_at_checked(header) else { return };
        // A payload that is announced and not there is what a torn pipe gives.
        let (payload, rest) = rest.split_at(payload.min(rest.len()));
        if let Ok(request) = wire::decode::<Request>(header) {
            same(&request);
        }
        if let Ok(reply) = wire::decode::<Reply>(header) {
            same(&reply);
            if let Reply::Frame { format, width, height, stride, .. } = reply
                && let Ok(picture) = wire::picture(&format, width, height, stride, payload.to_vec())
            {
                assert_eq!((picture.width(), picture.height()), (width, height));
                assert_eq!(picture.expose_rgb().len(), width as usize * height as usize * 3);
            }
        }
        left = rest;
    }
}

fn same<T>(message: &T)
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    if let Ok(bytes) = wire::encode(message, 0) {
        let again: T = wire::decode(&bytes[PREFIX_BYTES..]).expect("what we write we can read");
        assert_eq!(&again, message);
    }
}
