//! Speaking, where a session has sound.

use super::Context::{Panes, Talking};
use super::{Act, Command, EVERYWHERE, View};
use crate::client::Request;
use crate::client::request::Talk;
use crate::command::key::Key::{self, Char};

pub(super) const COMMANDS: &[Command] = &[
    command!(
        "talk",
        "talk",
        &[Panes],
        [Char('m')],
        Some("talk"),
        true,
        Act::Ask(Request::Talk(Talk::default())),
        "Open the microphone; what is said leaves until the same key ends the turn. It stops the local speech."
    ),
    command!(
        "talk-done",
        "end the turn",
        &[Talking],
        [Key::Enter, Char('m')],
        Some("talk"),
        true,
        Act::Ask(Request::TalkDone),
        "Close the microphone and send what was said: the agent answers it."
    ),
    command!(
        "talk-drop",
        "drop the turn",
        &[Talking],
        [Key::Esc],
        Some("talk"),
        true,
        Act::Ask(Request::TalkDropped),
        "Close the microphone and cancel the turn: the agent is told to forget it."
    ),
    command!(
        "call",
        "call figures",
        EVERYWHERE,
        [Char('M')],
        None,
        true,
        Act::View(View::Call),
        "How the call does: packets, loss, jitter, buffer, and the latency of the last spoken turn."
    ),
];
