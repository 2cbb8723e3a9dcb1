//! Devices: traits, simulated and unavailable implementations side by side; consent as a type. Level 2.
//!
//! A device is chosen by name, says whether it is simulated, and does nothing without an [`Armed`]
//! (§ Session and input: "the user must initiate each collection"). Only [`crate::client`] and the probe of
//! `agentcall devices` mint one; what devices deliver is raw and is judged elsewhere, in `observation`.

pub mod audio;
pub mod camera;
pub mod consent;
pub mod key;
pub mod nfc;

pub use consent::{Armed, ArmedBy, DeviceKind, Disarm, Ended, Leash};
