//! How scenarios are read and played.

mod flood;
mod grammar;
mod outcomes;
mod playing;
mod shell;
mod stage;
