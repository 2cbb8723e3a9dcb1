//! Real readers: our binary on a real PC/SC daemon, whose readers and tags are virtual.
//!
//! `pcscd` and the PC/SC library are what people have; only the metal is missing. `make test-packages` installs them.
//!
//! Field reports of other programs' failures, and where each is held here:
//!
//! | report | test |
//! |---|---|
//! | A1 a daemon restarted under a live context | `troubles`: a daemon that dies under a scan, at any command of a read, is frozen and replaced |
//! | A2 Windows ends its service with the last reader | not here: only Windows does; `a2_…` in `device/nfc/pcsc` and the daemon that is stopped in `troubles` |
//! | A4 two readers, one event | `cases::a4_…` |
//! | A5 another program owns the card | `troubles`: a card that another program holds, and does not keep others from being read |
//! | A7 polkit says no | `troubles`: a user without rights; polkit itself is not at hand, a daemon that hangs up is what it makes |
//! | A8 one device, several slots, a phantom card | `troubles`: slots that are not for tags |
//! | A10 a random id | `kinds`: a phone has another id every time; `told`: sent only where the step insists |
//! | A11 reading past the end | `kinds`: a chip that is smaller than it says |
//! | A13 the shape of an id | `kinds`: an id is taken only in a shape that ids have |
//! | A14 torn away at any command | `torn`, and `program`: survived inside one step |
//! | A16 errors without end | `cases::a16_…`; a clone's USB errors are the daemon's, and reach a client as these |
//! | A17 the wrong protocol | `cases::a17_…` |
//! | A19 MIFARE Classic without NDEF | `kinds`: tags that hold no message |
//! | A20 odd chips, a failed first command | `kinds`: a first command that fails; the container by a short read in each kind. Not here: suspend, which a virtual machine of a test has not; what follows it is A1 |
//! | B1, B2, B4, B5, B11, B13 | `kinds`: blocks before the message, a message that fills the area, damaged blocks, lengths |
//! | B7, B8, B10, B14 | `cases::family_b_…`, with what an agent gets of them |
#![cfg(all(target_os = "linux", feature = "nfc"))]
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../terminal/harness.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod harness;

mod at_rest;
mod cases;
mod facts;
mod kinds;
mod pace;
mod pcscd;
mod place;
mod probe;
mod program;
mod review;
mod scanner;
mod tag;
mod told;
mod torn;
mod troubles;
