//! The real binary in a real terminal: what it takes it gives back, whatever happens, and nothing freezes it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod faults;
#[path = "../common/frozen.rs"]
mod frozen;
mod harness;
mod leaving;
mod probe;
mod sizes;
mod stalled;
mod typing;
