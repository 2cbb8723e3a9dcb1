//! How scenarios are read and played.

mod grammar;
mod outcomes;
mod playing;
mod shell;
mod stage;
