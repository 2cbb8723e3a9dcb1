//! The wire of the AgentCall AG-UI extension 0.1: what is said, in which bounds, by which rules. Pure.
//!
//! Checked at the door, typed after it: bytes go through [`json::parse`] (bounds, BOM, duplicate keys)
//! and become a [`serde_json::Value`] that is kept for display; the typed message is read from it.
//! Envelopes with nothing unusual in them take a quick way to the same end (`plain`).
//! Encoders and decoders take a [`Dialect`], the one place that holds the names which the profile's text
//! leaves open (readings marked † in `docs/readings.md`).
//!
//! Everybody may use this module; it uses only level 0.

pub mod bounds;
pub mod card;
mod check;
pub mod client;
mod content;
pub mod dialect;
mod event;
pub mod finding;
pub mod frame;
pub mod json;
pub mod modality;
pub mod observation;
pub mod passport;
mod plain;
pub mod rules;
pub mod schema;
pub mod server;
pub mod shape;
pub mod view;

pub use client::ClientMessage;
pub use content::Content;
pub use dialect::Dialect;
pub use finding::{Decoded, Finding};
pub use modality::{Modalities, Modality};
pub use rules::{Level, Rule};
pub use server::{Envelope, Event};

/// SHA-256 of `bytes` in lower-case hexadecimal, as the wire writes digests.
pub fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::Digest;
    crate::units::hex(&sha2::Sha256::digest(bytes))
}

#[cfg(test)]
mod tests;
