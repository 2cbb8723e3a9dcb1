//! The conversation and the session.

use super::Context::Panes;
use super::{Act, Command, EVERYWHERE, View};
use crate::client::Request;
use crate::command::key::Key::{Char, Ctrl};

pub(super) const COMMANDS: &[Command] = &[
    command!(
        "type",
        "type",
        EVERYWHERE,
        [Char('i')],
        Some("say"),
        true,
        Act::View(View::Type),
        "Type a message; Enter sends it."
    ),
    command!(
        "cancel",
        "cancel",
        EVERYWHERE,
        [Char('x')],
        Some("cancel"),
        true,
        Act::Ask(Request::Cancel),
        "Cancel the active run, the agent's request and the proposal; stop the local speech."
    ),
    command!(
        "drop-held",
        "drop queued",
        &[Panes],
        [Ctrl('x')],
        None,
        true,
        Act::Ask(Request::DropHeld),
        "Forget the turn that waits for the active run."
    ),
    command!(
        "reconnect",
        "reconnect",
        &[Panes],
        [Char('r')],
        None,
        true,
        Act::Ask(Request::Reconnect),
        "Fetch the card anew and start a new session; nothing of the old one is kept."
    ),
    command!(
        "end",
        "end session",
        &[Panes],
        [Char('E')],
        Some("end"),
        true,
        Act::Ask(Request::End),
        "End the session in order and stay here."
    ),
];
