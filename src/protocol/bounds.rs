//! Every bound of the profile, and ours where the profile gives none (R11).
//!
//! As a producer we never exceed them; as a consumer we accept what fits a frame, cut it for display and
//! note it (R11), except where the profile itself bounds what is received.

/// Largest Agent Card in bytes: 256 KiB, checked before parsing (§ WebSocket and WebRTC).
pub const CARD_BYTES: usize = 256 * 1024;
/// Largest JSON frame in bytes: 128 KiB, checked before parsing (§ WebSocket and WebRTC).
pub const FRAME_BYTES: usize = 128 * 1024;
/// Largest message that is still discarded; beyond it the connection is closed (R30).
pub const CLOSE_BEYOND_BYTES: usize = 1024 * 1024;
/// Deepest nesting of arrays and objects that is parsed.
pub const JSON_DEPTH: usize = 64;
/// Most modalities in `accepted` and `agentRequests` (§ Discovery).
pub const MODALITIES: usize = 2;
/// Largest decoded image in bytes (§ Security, photos, and exact object lookup).
pub const IMAGE_BYTES: usize = 61_440;
/// Largest side of an image in pixels (§ Security, photos, and exact object lookup).
pub const IMAGE_SIDE: u32 = 1_024;
/// Longest text of a turn in characters (R11).
pub const TURN_TEXT: usize = 8_192;
/// Longest id in characters: session, observation, interaction (R11).
pub const ID: usize = 128;
/// Longest `segmentId` in characters (R11).
pub const SEGMENT_ID: usize = 128;
/// Longest `prompt` and `spokenPrompt` in characters (R11).
pub const PROMPT: usize = 1_024;
/// Longest `code` of a `failure` in characters (R11).
pub const FAILURE_CODE: usize = 64;
/// Longest `message` of a `failure` in characters (R11).
pub const FAILURE_MESSAGE: usize = 1_024;
/// Most Context entries on a turn (R11).
pub const CONTEXT_ENTRIES: usize = 16;
/// Longest Context `description` in characters (R11).
pub const CONTEXT_DESCRIPTION: usize = 256;
/// Longest Context `value` in characters (R11).
pub const CONTEXT_VALUE: usize = 2_048;
/// Longest object reference in characters (R9).
pub const OBJECT_REF: usize = 512;
/// Longest label of the teaching conversation in characters (§ Independent reference proof).
pub const LABEL: usize = 256;
/// Most labels of one session of the reference agent (§ Independent reference proof).
pub const LABELS: usize = 32;
/// Largest passport in bytes (R19).
pub const PASSPORT_BYTES: usize = 16 * 1024;
