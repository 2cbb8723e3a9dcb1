//! The protocol between us and a camera's child process. Pure: bytes in, messages out.
//!
//! A message is `ACC1`, the length of the header and of the payload (four bytes each, big-endian), the header
//! (JSON) and the payload (raw pixels). The child speaks first, with [`Reply::Hello`]; after that each request gets
//! one reply, but for [`Request::List`], which gets a [`Reply::Camera`] for each camera and then [`Reply::Listed`]:
//! what was found before a driver hangs is not lost. Lengths are checked before anything is allocated.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::CameraTrouble;
use super::choice::Wish;
use super::info::{CameraInfo, FormatInfo};
use crate::picture::Picture;

/// The version both sides must speak.
pub const VERSION: u32 = 4;
/// Bytes of the fixed part before the header.
pub const PREFIX_BYTES: usize = 12;
/// Largest header in bytes: room for any path that an operating system takes, escaped.
pub const HEADER_BYTES: usize = 32 * 1024;
/// Largest payload in bytes.
pub const PAYLOAD_BYTES: usize = 24 * 1024 * 1024;
/// Longest side of a full frame in pixels: with three bytes a pixel it fits the payload.
pub const FULL_SIDE: u32 = 2_048;
/// Longest side of a preview frame in pixels: more than a terminal shows, and a quarter of the work of twice as many.
pub const PREVIEW_SIDE: u32 = 320;
/// Longest message of a camera in characters.
pub const MESSAGE_CHARS: usize = 300;
const MAGIC: [u8; 4] = *b"ACC1";

/// Where pictures come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Source {
    /// The moving test card.
    TestCard,
    /// A picture file.
    File {
        /// Its absolute path.
        path: String,
    },
    /// A camera that is plugged in.
    Device {
        /// Its node, or its number where the system has no nodes; asked first.
        node: String,
        /// What the maker calls it. Another camera that has the node by now is not taken for it.
        card: String,
        /// Where it was plugged in; it counts when several are alike.
        bus: String,
        /// The format to set, as it was listed; nothing is asked again where it can be had.
        format: Option<FormatInfo>,
        /// What the user asked for: decisive where no format was known yet, and for what the camera then really sets.
        #[serde(default, skip_serializing_if = "Wish::is_any")]
        wish: Wish,
    },
}

/// Which frame is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Size {
    /// Small, for aiming.
    Preview,
    /// As large as may be, for the shutter: the last one. The camera is closed as soon as it was caught.
    Full,
}

/// From us to the child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Request {
    /// Look which cameras there are; answered by a `Camera` for each and then `Listed`.
    List,
    /// Open the source; answered by `Opened`.
    Open {
        /// The source.
        source: Source,
    },
    /// The next frame; answered by `Frame`.
    Frame {
        /// Its size.
        size: Size,
    },
    /// Close and exit; not answered.
    Close,
}

/// From the child to us.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum Reply {
    /// The child is there.
    Hello {
        /// Its version of this protocol.
        version: u32,
    },
    /// The source is open.
    Opened {
        /// The camera's own name.
        name: String,
        /// Width of its pictures in pixels.
        width: u32,
        /// Height of its pictures in pixels.
        height: u32,
        /// The four-letter code of what comes from a lens; none where nothing does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fourcc: Option<String>,
        /// Pictures a second, where the camera says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fps: Option<f32>,
    },
    /// A camera that is plugged in.
    Camera {
        /// What is known of it. Its name is not yet told apart from the others'.
        camera: CameraInfo,
    },
    /// Every camera was told.
    Listed {
        /// What went wrong while looking.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trouble: Option<CameraTrouble>,
    },
    /// A frame; the pixels are the payload.
    Frame {
        /// Always `rgb8`.
        format: String,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Bytes from one row to the next.
        stride: u32,
        /// What the camera delivered for it; none where no lens did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<RawFacts>,
    },
    /// It could not be done.
    Failed {
        /// Why, in one line.
        message: String,
        /// Why, as a kind, where the camera is to blame.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trouble: Option<CameraTrouble>,
    },
}

/// What a camera delivered for one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawFacts {
    /// Bytes of the frame before it was decoded.
    pub bytes: u32,
    /// How many damaged ones were dropped before it.
    pub dropped: u32,
}

/// Why bytes are not a message of this protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// It does not begin with `ACC1`.
    #[error("it sent something that is no message")]
    NoMessage,
    /// A length over its bound.
    #[error("it announced a {part} of {bytes} bytes; at most {most} are allowed")]
    TooLong {
        /// `header` or `payload`.
        part: &'static str,
        /// What it announced.
        bytes: usize,
        /// The bound.
        most: usize,
    },
    /// The header is not one of the messages.
    #[error("it sent a message that is not understood")]
    Header,
    /// The pixels do not fit what the header says.
    #[error("it sent a frame whose pixels do not match its size or format")]
    Pixels,
}

/// The lengths that a message announces, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Bytes of the header, at most [`HEADER_BYTES`].
    pub header: usize,
    /// Bytes of the payload, at most [`PAYLOAD_BYTES`].
    pub payload: usize,
}

impl Prefix {
    /// Reads the fixed part.
    ///
    /// # Errors
    /// [`WireError::NoMessage`] and [`WireError::TooLong`].
    pub fn parse(bytes: &[u8; PREFIX_BYTES]) -> Result<Self, WireError> {
        let [m0, m1, m2, m3, h0, h1, h2, h3, p0, p1, p2, p3] = *bytes;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(WireError::NoMessage);
        }
        let header = bounded("header", u32::from_be_bytes([h0, h1, h2, h3]), HEADER_BYTES)?;
        let payload = bounded("payload", u32::from_be_bytes([p0, p1, p2, p3]), PAYLOAD_BYTES)?;
        Ok(Self { header, payload })
    }
}

fn bounded(part: &'static str, announced: u32, most: usize) -> Result<usize, WireError> {
    let bytes = usize::try_from(announced).unwrap_or(usize::MAX);
    if bytes > most { Err(WireError::TooLong { part, bytes, most }) } else { Ok(bytes) }
}

/// The prefix and header of a message whose payload of `payload` bytes follows.
///
/// # Errors
/// [`WireError::TooLong`] when a bound would be broken.
pub fn encode<T: Serialize>(message: &T, payload: usize) -> Result<Vec<u8>, WireError> {
    let header = serde_json::to_vec(message).map_err(|_| WireError::Header)?;
    let header_length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    let payload_length = u32::try_from(payload).unwrap_or(u32::MAX);
    bounded("header", header_length, HEADER_BYTES)?;
    bounded("payload", payload_length, PAYLOAD_BYTES)?;
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&header_length.to_be_bytes());
    out.extend_from_slice(&payload_length.to_be_bytes());
    out.extend_from_slice(&header);
    Ok(out)
}

/// Reads a header.
///
/// # Errors
/// [`WireError::Header`].
pub fn decode<T: DeserializeOwned>(header: &[u8]) -> Result<T, WireError> {
    serde_json::from_slice(header).map_err(|_| WireError::Header)
}

/// The picture of a [`Reply::Frame`] and its payload; rows may be padded.
///
/// # Errors
/// [`WireError::Pixels`] when format, size, stride and payload do not agree or a side is over [`FULL_SIDE`].
pub fn picture(
    format: &str,
    width: u32,
    height: u32,
    stride: u32,
    mut payload: Vec<u8>,
) -> Result<Picture, WireError> {
    let (row, rows, step) = (width as usize * 3, height as usize, stride as usize);
    let sound = format == "rgb8" && width <= FULL_SIDE && height <= FULL_SIDE && step >= row;
    if !sound || step.checked_mul(rows) != Some(payload.len()) {
        return Err(WireError::Pixels);
    }
    if step > row && row > 0 {
        payload = payload.chunks_exact(step).flat_map(|line| &line[..row]).copied().collect();
    }
    Picture::from_rgb(width, height, payload).map_err(|_| WireError::Pixels)
}
