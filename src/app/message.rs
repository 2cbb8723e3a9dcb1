//! What goes into the model, and what comes out.

use std::time::Duration;

use super::model::Seen;
use crate::client::{Notice, Request};
use crate::command::Key;

/// One thing that happens to the screen.
#[derive(Clone, Debug)]
pub enum Message {
    /// A key was pressed.
    Key(Key),
    /// A text was pasted; it never sends.
    Paste(String),
    /// The terminal gained or lost the focus.
    Focus(bool),
    /// The terminal has this size now: columns, rows.
    Resized(u16, u16),
    /// The engine tells something.
    Notice(Notice),
    /// The time since the engine was started.
    Tick(Duration),
    /// The screen was drawn, and this is how far it reached.
    Drawn(Seen),
    /// A copy to the clipboard went well (bytes), or not.
    Copied(Result<usize, String>),
}

/// One thing that the model wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the engine.
    Ask(Request),
    /// Put this text on the clipboard.
    Copy(String),
    /// Give the terminal back and stop, until the shell's `fg`.
    Suspend,
    /// Leave the program.
    Exit,
}
