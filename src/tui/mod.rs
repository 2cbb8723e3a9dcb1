//! The terminal: guard, input thread, keymap, theme, view.
//!
//! Order: [`guard::Guard::enter`] takes the terminal, then [`input::spawn`] and [`signals::signals`] begin to
//! report what happens to it; when the guard is dropped, whatever the reason, the terminal is as it was.

pub mod clipboard;
pub mod guard;
pub mod input;
pub mod signals;
