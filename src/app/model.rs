//! The model: everything that the screen shows, and what the person is doing.

use std::sync::Arc;
use std::time::Duration;

use super::conversation::Conversation;
use super::edit::Editor;
use super::events::Events;
use super::facts::{ActivityFacts, CardFacts, Link, PhysicalFacts, SectionFacts, SessionFacts};
use super::palette::Palette;
use super::voice::VoiceFacts;
use crate::client::notice::Preview;
use crate::command::{Context, Keymap};
use crate::protocol::Modality;
use crate::safe_text::SafeText;

/// From so many columns the panes stand side by side; below they are tabs.
pub const WIDE: u16 = 100;
/// Smallest screen that is drawn: columns and rows.
pub const SMALLEST: (u16, u16) = (60, 16);

/// What the screen is told once, at its start.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The keys in force.
    pub keymap: Keymap,
    /// The tags that the picker offers.
    pub tags: Vec<TagChoice>,
    /// Memory for the events in bytes; [`BUDGET`](super::BUDGET) without it.
    pub trace: Option<usize>,
}

/// A tag that the picker offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagChoice {
    /// Its name.
    pub name: SafeText,
    /// What to place: a path or `uid=HEX`.
    pub spec: String,
}

/// A pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The conversation.
    #[default]
    Talk,
    /// The event stream.
    Events,
    /// The inspector.
    Inspect,
    /// Reader and camera.
    Physical,
}

impl Pane {
    /// The panes in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Talk, Self::Events, Self::Inspect, Self::Physical];
}

/// What the person is doing. One at a time.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    /// Looking at the panes, or at what is armed or under review.
    #[default]
    Panes,
    /// Typing a message; the draft is kept in the model.
    Typing,
    /// Typing a label to teach.
    Teaching(Editor),
    /// Typing the path of a passport.
    Passport(Editor),
    /// Typing a filter.
    Filtering(Filtering),
    /// Looking at what would be remembered: object and label.
    Confirming(SafeText, SafeText),
    /// Reading the help, scrolled by so many lines.
    Help(usize),
    /// Looking at the devices that are found, scrolled by so many lines.
    Devices(usize),
    /// Looking at the figures of the call, scrolled by so many lines.
    Call(usize),
    /// Looking for a command.
    Palette(Palette),
    /// Choosing a tag: what is typed, and which line is chosen.
    Picker(Editor, usize),
    /// Asked whether to quit although a run is active.
    /// Asked whether to do what ends the session or a run.
    Asking(Question),
}

/// A place in the conversation: a line of an item, counted from the item's first; drawing settles one beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The number of the item.
    pub item: u64,
    /// The line in it.
    pub line: isize,
}

/// How far the screen reached when it was drawn: what scrolling counts from. Drawing decides nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The first line of the conversation on the screen; `None` where it was not drawn.
    pub top: Option<Spot>,
    /// Whether its newest line was on the screen.
    pub newest: bool,
    /// How far the inspector was scrolled, if it was drawn.
    pub inspected: Option<usize>,
    /// How far the review was scrolled, if it was drawn.
    pub reviewed: Option<usize>,
    /// How far the open page was scrolled, if one was.
    pub page: Option<usize>,
}

/// What ends something, and so is asked about first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Quit although a run is active.
    Quit,
    /// A new session although one is live.
    Reconnect,
    /// End the live session.
    End,
}

/// How a status line sounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something did not go through.
    Trouble,
    /// Something is worth knowing.
    Note,
}

/// A filter being typed; it counts at once.
#[derive(Clone, Debug, Default)]
pub struct Filtering {
    /// What is typed.
    pub editor: Editor,
    /// The filter before, which Esc brings back.
    pub(super) before: String,
    /// Which of the earlier filters stands in the field, counted from the newest.
    pub(super) recalled: usize,
}

/// One line about what just happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// The sentence.
    pub text: SafeText,
    /// What to do.
    pub hint: Option<SafeText>,
    /// How it sounds.
    pub tone: Tone,
    /// When it came.
    pub at: Duration,
}

/// Everything that the screen shows.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Keys and tags.
    pub options: Options,
    /// The time since the engine was started.
    pub now: Duration,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// How far the connection has come.
    pub link: Link,
    /// What the card came down to.
    pub card: Option<CardFacts>,
    /// The session.
    pub session: SessionFacts,
    /// Reader and camera.
    pub physical: PhysicalFacts,
    /// Microphone, speaker and call, where the session has sound.
    pub voice: Option<VoiceFacts>,
    /// What the agent says is being spoken on this machine.
    pub speaking: bool,
    /// The devices that were found, while somebody looks at them.
    pub devices: Vec<SectionFacts>,
    /// When the review came up that is open now.
    pub(super) review_since: Duration,
    /// What the camera sees while aiming.
    pub preview: Option<Arc<Preview>>,
    /// The conversation.
    pub conversation: Conversation,
    /// Where the conversation is held; `None` follows the newest line.
    pub held_at: Option<Spot>,
    /// The event stream.
    pub events: Events,
    /// How many lines the inspector is scrolled.
    pub inspected: usize,
    /// Whether the inspector shows long lists whole.
    pub unfolded: bool,
    /// How many lines the review is scrolled.
    pub reviewed: usize,
    /// How far the screen reached when it was drawn last.
    pub seen: Seen,
    /// The pane that has the focus.
    pub pane: Pane,
    /// What the person is doing.
    pub mode: Mode,
    /// The message being typed; kept when it is left.
    pub draft: Editor,
    /// The message that was handed to the engine and has not gone out yet.
    pub(super) unsent: Option<String>,
    /// The field whose path or id the engine was asked to take; it opens again if that is refused.
    pub(super) asked: Option<Mode>,
    /// Where to go back to when nothing is armed or reviewed any more; on narrow screens only.
    pub(super) back_to: Option<Pane>,
    /// Filters that were used, the newest last.
    pub(super) filters: Vec<String>,
    /// The last thing worth a line.
    pub status: Option<Status>,
    /// Whether the program is ending.
    pub ending: bool,
}

impl Model {
    /// An empty screen.
    pub fn new(options: Options) -> Self {
        let events = Events::within(options.trace.unwrap_or(super::BUDGET));
        Self { options, events, ..Self::default() }
    }

    /// Which keys count now.
    pub fn context(&self) -> Context {
        match &self.mode {
            // What leaves this machine comes first.
            Mode::Panes if self.is_talking() => Context::Talking,
            Mode::Panes => match &self.physical.activity {
                activity if activity.armed().is_some() => Context::Armed,
                ActivityFacts::Reviewing(..) => Context::Review,
                _ => Context::Panes,
            },
            Mode::Typing | Mode::Teaching(_) | Mode::Passport(_) | Mode::Filtering(_) => Context::Typing,
            Mode::Confirming(..)
            | Mode::Help(_)
            | Mode::Devices(_)
            | Mode::Call(_)
            | Mode::Palette(_)
            | Mode::Picker(..)
            | Mode::Asking(_) => Context::Overlay,
        }
    }

    /// Whether the panes are tabs.
    pub fn is_narrow(&self) -> bool {
        self.size.0 < WIDE
    }

    /// Whether the screen is too small to show what a key would do.
    pub fn is_too_small(&self) -> bool {
        self.size != (0, 0) && (self.size.0 < SMALLEST.0 || self.size.1 < SMALLEST.1)
    }

    /// Whether the camera is armed and shows what it sees.
    pub fn is_aiming(&self) -> bool {
        self.physical.activity.armed().is_some_and(|armed| armed.modality == Modality::Photo)
    }

    /// The key to show for a command.
    pub fn key(&self, id: &str) -> String {
        self.options.keymap.shown(id)
    }

    /// The tags that the picker lists for what is typed.
    pub fn picked(&self, typed: &str) -> Vec<&TagChoice> {
        fitting(&self.options.tags, typed)
    }
}

/// The tags whose names hold what is typed.
pub(super) fn fitting<'a>(tags: &'a [TagChoice], typed: &str) -> Vec<&'a TagChoice> {
    let typed = typed.trim().to_lowercase();
    tags.iter().filter(|tag| tag.name.as_str().to_lowercase().contains(&typed)).collect()
}
