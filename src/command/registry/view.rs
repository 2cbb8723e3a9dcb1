//! What is shown: the stream, the panes, the program itself.

use super::Context::{Armed, Overlay, Panes, Review, Typing};
use super::{Act, Command, EVERYWHERE, View};
use crate::command::key::Key::{self, Char, Ctrl};

pub(super) const COMMANDS: &[Command] = &[
    command!(
        "follow",
        "follow",
        &[Panes],
        [Char('f')],
        None,
        true,
        Act::View(View::Follow),
        "Follow the newest event, or stay where you are."
    ),
    command!(
        "filter",
        "filter",
        &[Panes],
        [Char('/')],
        None,
        true,
        Act::View(View::Filter),
        "Show only some events: words, in, out, device, type:text.*, finding, turn:3, id:ix-1; a minus, as in -word, turns one round."
    ),
    command!(
        "next-finding",
        "next finding",
        &[Panes],
        [Char('.')],
        None,
        true,
        Act::View(View::NextFinding),
        "Select the next event that breaks a rule."
    ),
    command!(
        "previous-finding",
        "previous finding",
        &[Panes],
        [Char(',')],
        None,
        true,
        Act::View(View::PreviousFinding),
        "Select the event before that breaks a rule."
    ),
    command!(
        "related",
        "what belongs to it",
        &[Panes],
        [Char('v')],
        None,
        true,
        Act::View(View::Related),
        "Show only what belongs to the selected event's interaction or turn; again, or Esc, shows all."
    ),
    command!(
        "inspect",
        "inspect",
        &[Panes],
        [Key::Enter],
        None,
        true,
        Act::View(View::Inspect),
        "Look at the selected frame, its findings and their rules."
    ),
    command!(
        "fold",
        "fold",
        &[Panes],
        [Char(' ')],
        None,
        true,
        Act::View(View::Fold),
        "Show long lists in the inspector whole; again folds them."
    ),
    command!(
        "copy",
        "copy",
        &[Panes],
        [Char('y')],
        None,
        true,
        Act::View(View::Copy),
        "Copy the selected frame to the clipboard (OSC 52)."
    ),
    command!(
        "up",
        "up",
        &[Panes, Armed, Review, Overlay],
        [Key::Up, Char('k')],
        None,
        true,
        Act::View(View::Up),
        "The line above."
    ),
    command!(
        "down",
        "down",
        &[Panes, Armed, Review, Overlay],
        [Key::Down, Char('j')],
        None,
        true,
        Act::View(View::Down),
        "The line below."
    ),
    command!(
        "page-up",
        "page up",
        &[Panes, Armed, Review, Typing, Overlay],
        [Key::PageUp],
        None,
        true,
        Act::View(View::PageUp),
        "A page up."
    ),
    command!(
        "page-down",
        "page down",
        &[Panes, Armed, Review, Typing, Overlay],
        [Key::PageDown],
        None,
        true,
        Act::View(View::PageDown),
        "A page down."
    ),
    command!(
        "first",
        "first",
        &[Panes],
        [Char('g'), Key::Home],
        None,
        true,
        Act::View(View::First),
        "The first line."
    ),
    command!(
        "last",
        "last",
        &[Panes],
        [Char('G'), Key::End],
        None,
        true,
        Act::View(View::Last),
        "The last line."
    ),
    command!(
        "next-pane",
        "next pane",
        EVERYWHERE,
        [Key::Tab],
        None,
        true,
        Act::View(View::NextPane),
        "The next pane."
    ),
    command!(
        "previous-pane",
        "previous pane",
        EVERYWHERE,
        [Key::BackTab],
        None,
        true,
        Act::View(View::PreviousPane),
        "The previous pane."
    ),
    command!(
        "pane-1",
        "conversation",
        EVERYWHERE,
        [Char('1')],
        None,
        true,
        Act::View(View::Pane(1)),
        "The conversation."
    ),
    command!(
        "pane-2",
        "events",
        EVERYWHERE,
        [Char('2')],
        None,
        true,
        Act::View(View::Pane(2)),
        "The event stream."
    ),
    command!(
        "pane-3",
        "inspector",
        EVERYWHERE,
        [Char('3')],
        None,
        true,
        Act::View(View::Pane(3)),
        "The inspector."
    ),
    command!(
        "pane-4",
        "physical",
        EVERYWHERE,
        [Char('4')],
        None,
        true,
        Act::View(View::Pane(4)),
        "Reader and camera."
    ),
    command!(
        "devices",
        "devices",
        EVERYWHERE,
        [Char('d')],
        None,
        true,
        Act::View(View::Devices),
        "Every reader, camera and sound device that is found, what is wrong with it, and how to mend it."
    ),
    command!(
        "look-again",
        "look for devices again",
        &[Overlay],
        [Char('r')],
        None,
        true,
        Act::View(View::LookAgain),
        "Look anew for what is plugged in; readers are watched as long as the list is open."
    ),
    command!(
        "palette",
        "palette",
        EVERYWHERE,
        [Char(':')],
        None,
        true,
        Act::View(View::Palette),
        "Find a command by its words."
    ),
    command!(
        "help",
        "help",
        EVERYWHERE,
        [Char('?')],
        None,
        true,
        Act::View(View::Help),
        "Every key, and what it does."
    ),
    command!(
        "quit",
        "quit",
        EVERYWHERE,
        [Char('q')],
        None,
        true,
        Act::View(View::Quit),
        "Quit; asks first while a run is active. Ctrl+C quits at once, wherever you are."
    ),
    command!(
        "suspend",
        "suspend",
        &[Panes, Armed, Review, Typing, Overlay],
        [Ctrl('z')],
        None,
        true,
        Act::View(View::Suspend),
        "Leave to the shell; fg comes back. Devices are disarmed."
    ),
];
