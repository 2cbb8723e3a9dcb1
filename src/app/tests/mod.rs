//! Dialogues with the screen model: keys and notices in, effects out.

pub(crate) mod devices;
mod filtering;
mod hearing;
mod physical;
pub(crate) mod stage;
mod stream;
mod talking;
mod views;
mod voice;
