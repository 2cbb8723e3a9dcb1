//! The terminal: guard, input thread, signals, theme, view, and the run loop that joins them.
//!
//! Order: [`guard::Guard::enter`] takes the terminal, then [`input::spawn`] and [`signals::signals`] begin to
//! report what happens to it; when the guard is dropped, whatever the reason, the terminal is as it was. Model,
//! messages and update are in [`crate::app`].

pub mod bounded;
pub mod clipboard;
pub mod guard;
pub mod input;
mod run;
pub mod signals;
pub mod theme;
pub mod view;

pub use run::{Left, Outcome, run};
