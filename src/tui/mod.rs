//! The terminal: guard, input thread, theme, view. Model, messages and update are in [`crate::app`].

pub mod theme;
pub mod view;
