//! Where something is typed or chosen.

use super::Context::{Overlay, Panes, Typing};
use super::{Act, Command, View};
use crate::command::key::Key::{self, Ctrl};

pub(super) const COMMANDS: &[Command] = &[
    command!(
        "accept",
        "accept",
        &[Typing, Overlay],
        [Key::Enter],
        None,
        false,
        Act::View(View::Accept),
        "Send what is typed, or take what is chosen."
    ),
    command!(
        "new-line",
        "new line",
        &[Typing],
        [Ctrl('j')],
        None,
        false,
        Act::View(View::NewLine),
        "A new line in the message."
    ),
    command!(
        "leave",
        "leave",
        &[Panes, Typing, Overlay],
        [Key::Esc],
        None,
        false,
        Act::View(View::Leave),
        "Leave what is open; a draft is kept."
    ),
];
