//! Settings: defaults < file < environment < flags, resolved once, each with its origin.
//!
//! [`resolve()`] is called once at the start with what the command line gave ([`Layer`]) and the
//! [`Environment`]; nobody reads a file or a variable for a setting afterwards. The keys stand in one table
//! ([`table::KEYS`]) from which the layers, the resolved [`Settings`], and the reference page are made; the
//! annotated default (`config.toml`, [`DEFAULT_FILE`]) is tested against it.

pub mod docs;
mod environment;
mod error;
mod file;
mod resolve;
pub mod table;
mod value;

#[cfg(test)]
mod tests;

pub use environment::Environment;
pub use error::ConfigError;
pub use file::read_text;
pub use resolve::resolve;
pub use table::{KEYS, Key, Layer, Origin, Set, Settings};
pub use value::{CommandLine, EnvName, Megabytes, Names, Setting, Time};

/// The annotated default, as it stands at the top of the repository.
pub const DEFAULT_FILE: &str = include_str!("../../config.toml");
