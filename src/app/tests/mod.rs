//! Dialogues with the screen model: keys and notices in, effects out.

mod filtering;
mod hearing;
mod physical;
pub(crate) mod stage;
mod stream;
mod talking;
mod views;
