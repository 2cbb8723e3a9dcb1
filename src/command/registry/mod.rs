//! What a command is, and the table of all of them, which is data: a file for each part of it.

use super::key::Key;
use crate::client::Request;

/// Where a key counts. A person is in exactly one of them at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// The panes: nothing is open and nothing is typed.
    Panes,
    /// A device is armed or a picture is aimed at.
    Armed,
    /// An observation is under review.
    Review,
    /// The microphone is open.
    Talking,
    /// A line is being typed.
    Typing,
    /// A list or page is open over the panes.
    Overlay,
}

impl Context {
    /// All contexts, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::Panes, Self::Talking, Self::Armed, Self::Review, Self::Typing, Self::Overlay];

    /// For people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Panes => "in the panes",
            Self::Armed => "while something is armed",
            Self::Review => "while reviewing",
            Self::Talking => "while the microphone is open",
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
    /// The list of devices.
    Devices,
    /// The figures of the call.
    Call,
    /// Look for devices anew.
    LookAgain,
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
#[derive(Clone, Copy, Debug)]
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

const EVERYWHERE: &[Context] = &[Context::Panes, Context::Talking, Context::Armed, Context::Review];

macro_rules! command {
    ($id:literal, $title:literal, $contexts:expr, [$($key:expr),*], $verb:expr, $palette:literal, $act:expr, $help:literal) => {
        Command {
            id: $id, title: $title, help: $help, contexts: $contexts, keys: &[$($key),*], verb: $verb,
            palette: $palette, act: || $act,
        }
    };
}

mod physical;
mod session;
mod teaching;
mod typing;
mod view;
mod voice;

const PARTS: [&[Command]; 6] = [
    session::COMMANDS,
    voice::COMMANDS,
    physical::COMMANDS,
    teaching::COMMANDS,
    view::COMMANDS,
    typing::COMMANDS,
];

const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// Everything that a person can do, in the order of help and palette.
pub static ALL: &[Command] = &TABLE;

static TABLE: [Command; COUNT] = {
    let mut all = [PARTS[0][0]; COUNT];
    let (mut to, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut at = 0;
        while at < PARTS[part].len() {
            all[to] = PARTS[part][at];
            to += 1;
            at += 1;
        }
        part += 1;
    }
    all
};

/// What `T` says (§ Independent reference proof).
pub const CANCEL_TEACHING: &str = "cancel teaching";
/// What `o` and Enter say.
pub const CONFIRM_OBJECT: &str = "confirm object";
/// What `t` says before the label.
pub const TEACH_OBJECT: &str = "teach object ";
