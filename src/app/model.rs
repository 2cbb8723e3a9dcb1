//! The model: everything that the screen shows, and what the person is doing.

use std::sync::Arc;
use std::time::Duration;

use super::conversation::Conversation;
use super::edit::Editor;
use super::events::Events;
use super::facts::{ActivityFacts, CardFacts, Link, PhysicalFacts, SessionFacts};
use super::palette::Palette;
use crate::client::notice::Preview;
use crate::command::{Context, Keymap};
use crate::protocol::Modality;
use crate::safe_text::SafeText;

/// What the screen is told once, at its start.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The keys in force.
    pub keymap: Keymap,
    /// The tags that the picker offers.
    pub tags: Vec<TagChoice>,
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
    Filtering(Editor),
    /// Looking at what would be remembered.
    Confirming,
    /// Reading the help, scrolled by so many lines.
    Help(usize),
    /// Looking for a command.
    Palette(Palette),
    /// Choosing a tag: what is typed, and which line is chosen.
    Picker(Editor, usize),
    /// Asked whether to quit although a run is active.
    Quitting,
}

/// How a status line sounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something did not go through.
    Trouble,
    /// Something is worth knowing.
    Note,
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
    /// When the review came up that is open now.
    pub(super) review_since: Duration,
    /// What the camera sees while aiming.
    pub preview: Option<Arc<Preview>>,
    /// The conversation.
    pub conversation: Conversation,
    /// How many lines the conversation is scrolled back.
    pub scrolled: usize,
    /// The event stream.
    pub events: Events,
    /// How many lines the inspector is scrolled.
    pub inspected: usize,
    /// The pane that has the focus.
    pub pane: Pane,
    /// What the person is doing.
    pub mode: Mode,
    /// The message being typed; kept when it is left.
    pub draft: Editor,
    /// The last thing worth a line.
    pub status: Option<Status>,
    /// Whether the program is ending.
    pub ending: bool,
}

impl Model {
    /// An empty screen.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Which keys count now.
    pub fn context(&self) -> Context {
        match &self.mode {
            Mode::Panes => match &self.physical.activity {
                activity if activity.armed().is_some() => Context::Armed,
                ActivityFacts::Reviewing(..) => Context::Review,
                _ => Context::Panes,
            },
            Mode::Typing | Mode::Teaching(_) | Mode::Passport(_) | Mode::Filtering(_) => Context::Typing,
            Mode::Confirming | Mode::Help(_) | Mode::Palette(_) | Mode::Picker(..) | Mode::Quitting => {
                Context::Overlay
            }
        }
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
        let typed = typed.to_lowercase();
        self.options.tags.iter().filter(|tag| tag.name.as_str().to_lowercase().contains(&typed)).collect()
    }
}
