//! Everything that is written, searched for what must never be written: ids of tags, the token, the photo.
//!
//! The agent here is hostile: it repeats whatever it was sent, the token too, and spells ids of tags, in every spelling,
//! whole and in pieces. [`secrets`] has the spellings, [`search`] finds them (and shows that it does), the rest holds
//! what each face writes.
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

#[path = "../common/mod.rs"]
mod common;
mod hostile;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod screen;
mod search;
mod secrets;
mod writes;
