//! What happened, when, how large. Nothing here holds an image, a token or a hardware id.

pub mod found;
pub mod output;
pub mod record;
