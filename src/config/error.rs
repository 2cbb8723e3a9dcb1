//! What is wrong with a setting, and where it came from. No message repeats a value: it may be a secret.

use std::path::PathBuf;

use thiserror::Error;

use crate::files;

/// Why the settings cannot be used. Nothing was started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is there and cannot be read, or was named and is not there.
    #[error("Cannot read the configuration {}: {source}", files::shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is larger than any configuration.
    #[error("The configuration {} is larger than {most} bytes", files::shown(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The bound in bytes.
        most: usize,
    },
    /// A line of the file.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The key, what was expected, and what came.
        message: String,
    },
    /// An environment variable.
    #[error("The environment variable {name} {message}")]
    Variable {
        /// Its name.
        name: &'static str,
        /// What was expected.
        message: String,
    },
    /// Two settings that do not go together.
    #[error("{0}")]
    Together(String),
    /// There is no place for files of this user.
    #[error("There is no home directory to keep the state in; set AGENTCALL_STATE_DIR")]
    NoHome,
}
