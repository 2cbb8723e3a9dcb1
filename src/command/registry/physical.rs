//! Scanning, capturing, reviewing.

use super::Context::{Armed, Panes, Review};
use super::{Act, Command, EVERYWHERE, View};
use crate::client::Request;
use crate::client::request::{Aim, Orient};
use crate::command::key::Key::{self, Char};

pub(super) const COMMANDS: &[Command] = &[
    command!(
        "scan",
        "scan",
        &[Panes, Review],
        [Char('s')],
        Some("scan"),
        true,
        Act::Ask(Request::ArmScan(Aim::Answering)),
        "Arm the reader for one tag; it answers the agent's request if that asks for a scan."
    ),
    command!(
        "scan-unrelated",
        "scan, not answering",
        &[Panes, Review],
        [Char('S')],
        Some("scan"),
        true,
        Act::Ask(Request::ArmScan(Aim::Unrelated)),
        "Arm the reader for one tag that answers no request."
    ),
    command!(
        "capture",
        "capture",
        &[Panes, Review],
        [Char('c')],
        Some("capture"),
        true,
        Act::Ask(Request::ArmCapture(Aim::Answering)),
        "Open the camera; it answers the agent's request if that asks for a photo."
    ),
    command!(
        "capture-unrelated",
        "capture, not answering",
        &[Panes, Review],
        [Char('C')],
        Some("capture"),
        true,
        Act::Ask(Request::ArmCapture(Aim::Unrelated)),
        "Open the camera for a photo that answers no request."
    ),
    command!(
        "shutter",
        "take the picture",
        &[Armed],
        [Key::Enter],
        Some("capture"),
        true,
        Act::Ask(Request::Shutter),
        "Take the picture and close the camera."
    ),
    command!(
        "disarm",
        "stop",
        &[Armed],
        [Key::Esc],
        None,
        true,
        Act::Ask(Request::Disarm),
        "Stop what is armed; the camera closes."
    ),
    command!(
        "send",
        "send",
        &[Review],
        [Key::Enter],
        Some("observe"),
        true,
        Act::Ask(Request::SendReviewed),
        "Send exactly what is shown for review."
    ),
    command!(
        "drop",
        "drop",
        &[Review],
        [Key::Esc],
        None,
        true,
        Act::Ask(Request::DropReviewed),
        "Drop what is under review and forget its picture."
    ),
    command!(
        "intent",
        "intent",
        &[Armed, Review],
        [Char('n')],
        Some("observe"),
        true,
        Act::Ask(Request::NextIntent),
        "Change the intent: identify, remember, inspect, act. It grants no authority."
    ),
    command!(
        "insist",
        "alias all the same",
        &[Review],
        [Char('a')],
        Some("scan"),
        true,
        Act::Ask(Request::Insist),
        "Send an alias of a tag that has no stable identity; it names this one tap alone."
    ),
    command!(
        "add",
        "add a tag or photo",
        &[Review],
        [Char('b')],
        Some("observe"),
        true,
        Act::Ask(Request::AddOther),
        "Add the other modality, so that a tag and a photo go in one observation."
    ),
    command!(
        "rotate-left",
        "rotate left",
        &[Armed, Review],
        [Char('[')],
        None,
        true,
        Act::Ask(Request::Orient(Orient::Left)),
        "Turn the picture a quarter counter-clockwise."
    ),
    command!(
        "rotate-right",
        "rotate right",
        &[Armed, Review],
        [Char(']')],
        None,
        true,
        Act::Ask(Request::Orient(Orient::Right)),
        "Turn the picture a quarter clockwise."
    ),
    command!(
        "mirror",
        "mirror",
        &[Armed, Review],
        [Char('|')],
        None,
        true,
        Act::Ask(Request::Orient(Orient::Mirror)),
        "Mirror the picture."
    ),
    command!(
        "place",
        "place a tag",
        EVERYWHERE,
        [Char('p')],
        Some("scan"),
        true,
        Act::View(View::Picker),
        "Put a tag on the simulated reader: one of the demo tags, a file, or uid=HEX."
    ),
    command!(
        "passport",
        "passport",
        &[Review],
        [Char('P')],
        Some("scan"),
        true,
        Act::View(View::Passport),
        "Attach a passport file to the scanned object."
    ),
];
