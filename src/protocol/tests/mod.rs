//! The wire, tested as a specification: one line per case where that is possible.

mod checks;
mod dialect;
mod json;
mod messages;
mod samples;
mod view;
