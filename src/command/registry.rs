//! The table itself: data, one entry after the other, and so longer than other files.

use super::key::Key;
use crate::client::Request;
use crate::client::request::{Aim, Orient};

/// Where a key counts. A person is in exactly one of them at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// The panes: nothing is open and nothing is typed.
    Panes,
    /// A device is armed or a picture is aimed at.
    Armed,
    /// An observation is under review.
    Review,
    /// A line is being typed.
    Typing,
    /// A list or page is open over the panes.
    Overlay,
}

impl Context {
    /// All contexts, in the order of the documentation.
    pub const ALL: [Self; 5] = [Self::Panes, Self::Armed, Self::Review, Self::Typing, Self::Overlay];

    /// For people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Panes => "in the panes",
            Self::Armed => "while something is armed",
            Self::Review => "while reviewing",
            Self::Typing => "while typing",
            Self::Overlay => "in a list or page",
        }
    }
}

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// It asks the engine.
    Ask(Request),
    /// It concerns the view alone.
    View(View),
}

/// What concerns the view alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The next pane.
    NextPane,
    /// The previous pane.
    PreviousPane,
    /// The pane of this number, from 1.
    Pane(u8),
    /// The help overlay.
    Help,
    /// The palette.
    Palette,
    /// Quit; asks while a run is active.
    Quit,
    /// Type a message.
    Type,
    /// Type what is to be taught.
    Teach,
    /// Show what would be remembered; Enter sends it.
    Confirm,
    /// The picker of simulated tags.
    Picker,
    /// Type a path of a passport.
    Passport,
    /// Up.
    Up,
    /// Down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// The first.
    First,
    /// The last.
    Last,
    /// Follow the newest event, or stay.
    Follow,
    /// Filter the events.
    Filter,
    /// The next event with a finding.
    NextFinding,
    /// The event with a finding before.
    PreviousFinding,
    /// What belongs to the selected event.
    Related,
    /// Copy the selected frame.
    Copy,
    /// Inspect the selected frame.
    Inspect,
    /// Fold long lists of the inspector, or unfold them.
    Fold,
    /// Accept what is typed or chosen.
    Accept,
    /// Leave: closes, drops, stops, in that order.
    Leave,
    /// A new line in what is typed.
    NewLine,
    /// Suspend the program.
    Suspend,
}

/// One thing that a person can do.
#[derive(Debug)]
pub struct Command {
    /// Its stable name, in `[keys]` of the configuration and in the palette.
    pub id: &'static str,
    /// A few words for footer and palette.
    pub title: &'static str,
    /// One sentence for the help.
    pub help: &'static str,
    /// Where its keys count.
    pub contexts: &'static [Context],
    /// Its default keys; the first is shown.
    pub keys: &'static [Key],
    /// The scenario verb that does the same, for commands that put something on the wire or into what goes
    /// there. What stays at this desk has none: stopping a device, dropping what was not sent, turning a
    /// picture, connecting anew.
    pub verb: Option<&'static str>,
    /// Whether the palette lists it.
    pub palette: bool,
    /// What it does.
    act: fn() -> Act,
}

impl Command {
    /// What it does.
    pub fn act(&self) -> Act {
        (self.act)()
    }
}

/// The command of this id.
pub fn by_id(id: &str) -> Option<&'static Command> {
    ALL.iter().find(|command| command.id == id)
}

use Context::{Armed, Overlay, Panes, Review, Typing};
use Key::{Char, Ctrl};

const EVERYWHERE: &[Context] = &[Panes, Armed, Review];

macro_rules! command {
    ($id:literal, $title:literal, $contexts:expr, [$($key:expr),*], $verb:expr, $palette:literal, $act:expr, $help:literal) => {
        Command {
            id: $id, title: $title, help: $help, contexts: $contexts, keys: &[$($key),*], verb: $verb,
            palette: $palette, act: || $act,
        }
    };
}

/// Everything that a person can do, in the order of help and palette.
pub static ALL: &[Command] = &[
    // session
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
        "Cancel the active run, the agent's request and the proposal."
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
    // physical
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
        "add",
        "add the other",
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
    // teaching
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
    // view
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
        "Show only some events: words, in, out, type:text.*, finding, turn:3, id:ix-1; - before one turns it round."
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
    // typing and overlays
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

/// What `T` says (§ Independent reference proof).
pub const CANCEL_TEACHING: &str = "cancel teaching";
/// What `o` and Enter say.
pub const CONFIRM_OBJECT: &str = "confirm object";
/// What `t` says before the label.
pub const TEACH_OBJECT: &str = "teach object ";
