//! One frame as it comes from a transport, before anything is parsed.

/// What a transport delivered. Its size was bounded by the transport; its content was not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawFrame {
    /// A text frame of at most [`super::bounds::FRAME_BYTES`].
    Text(String),
    /// A binary frame, discarded (§ WebSocket and WebRTC: reject binary input).
    Binary {
        /// Its size in bytes.
        bytes: usize,
    },
    /// A text frame over [`super::bounds::FRAME_BYTES`], discarded unparsed (R30).
    Oversized {
        /// Its size in bytes.
        bytes: usize,
    },
}
