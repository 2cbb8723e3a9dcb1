//! The registry of what a person can do: id, arguments, help, contexts, default key, palette entry, scenario verb, effect.
//!
//! One entry feeds keymap, footer, help overlay, palette, documentation and the list of scenario verbs; nothing names a
//! key anywhere else. It knows no terminal: [`Key`] is our own, and [`crate::tui`] translates into it.

pub mod docs;
pub mod key;
pub mod keymap;
pub mod registry;

#[cfg(test)]
mod tests;

pub use key::Key;
pub use keymap::{Keymap, KeymapError};
pub use registry::{ALL, Act, Command, Context, View};
