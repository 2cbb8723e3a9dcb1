//! The terminal: guard, input thread, keymap, theme, view.
