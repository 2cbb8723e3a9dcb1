//! Real readers: our binary on a real PC/SC daemon, whose readers and tags are virtual.
//!
//! `pcscd` and the PC/SC library are what people have; only the metal is missing. `make test-packages` installs them.
#![cfg(all(target_os = "linux", feature = "nfc"))]
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../terminal/harness.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod harness;

mod at_rest;
mod facts;
mod kinds;
mod pcscd;
mod place;
mod probe;
mod program;
mod scanner;
mod tag;
mod told;
mod torn;
mod troubles;
