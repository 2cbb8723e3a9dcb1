//! What the fuzz targets check, one function a target: bytes from outside go in, and besides not crashing, what
//! must always hold is asserted. Each target in `targets/` hands its bytes to one of these.
//!
//! `make fuzz` runs them; docs/fuzzing.md says what was reached.

mod devices;
mod screen;
mod texts;
mod wire;

pub use devices::{camera_wire, picture, rawframe, tag};
pub use screen::{keys, safe_text};
pub use texts::{config, scenario, url_policy};
pub use wire::{card, frame};
