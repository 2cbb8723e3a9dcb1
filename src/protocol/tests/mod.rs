//! The wire, tested as a specification: one line per case where that is possible.

mod checks;
mod dialect;
mod json;
mod messages;
mod plain;
mod samples;
mod view;
