//! Teaching the agent an object (§ Independent reference proof).

use super::{Act, CANCEL_TEACHING, Command, EVERYWHERE, View};
use crate::client::Request;
use crate::command::key::Key::Char;

pub(super) const COMMANDS: &[Command] = &[
    command!(
        "teach",
        "teach",
        EVERYWHERE,
        [Char('t')],
        Some("say"),
        true,
        Act::View(View::Teach),
        "Propose a label for the object in focus; nothing is stored yet."
    ),
    command!(
        "confirm",
        "confirm",
        EVERYWHERE,
        [Char('o')],
        Some("say"),
        true,
        Act::View(View::Confirm),
        "Show what would be remembered; Enter confirms it."
    ),
    command!(
        "cancel-teaching",
        "cancel teaching",
        EVERYWHERE,
        [Char('T')],
        Some("say"),
        true,
        Act::Ask(Request::Say(CANCEL_TEACHING.to_owned())),
        "Drop the proposal."
    ),
];
