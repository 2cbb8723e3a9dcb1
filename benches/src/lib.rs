//! What the measurements share. Each measurement is a program in `src/bin/`; `make bench` runs them all.
//!
//! A measurement makes a [`report::Report`]: it prints it, and with `--write FILE` puts it between its markers there.

pub mod agent;
pub mod frames;
pub mod machine;
pub mod process;
pub mod report;
pub mod screen;
pub mod stats;

pub use report::put_between_markers;
