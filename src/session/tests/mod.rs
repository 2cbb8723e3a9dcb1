//! Dialogues of the session, one line per exchange, and its random walks against a simple model.
//!
//! A dialogue is a text. What goes in: `open`, `closed`, `+ 50ms` (time passes), `< …` (a frame comes),
//! `> …` (the user asks), `? field value` (what a face sees). What comes out stands indented under it; a
//! frame that is acted on without a finding says nothing.

mod acks;
mod dialogue;
mod ending;
mod hostile;
mod insertions;
mod interactions;
mod model;
mod physical;
mod runs;
mod sequences;
mod speaking;
mod starting;
mod teaching;
mod walk;
