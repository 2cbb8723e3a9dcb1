//! The screen without a screen: [`Model`], [`Message`], [`Model::update`]. Knows neither ratatui nor tokio.
//!
//! A message goes in, effects come out; the view reads the model and changes nothing. All text from outside becomes
//! [`SafeText`](crate::safe_text::SafeText) when it enters the model, and what a person is doing is one [`Mode`].

mod acting;
mod conversation;
mod edit;
mod events;
mod facts;
mod filter;
mod finding;
mod fresh;
mod message;
mod model;
mod moving;
mod notices;
mod palette;
mod row;
mod update;
mod voice;

#[cfg(test)]
pub(crate) mod tests;

pub use conversation::{Answer, Conversation, Item};
pub use edit::Editor;
pub use events::{BUDGET, Events};
pub use facts::{
    ActivityFacts, ArmedFacts, CardFacts, Device, Link, PhysicalFacts, ReviewFacts, SectionFacts,
    SessionFacts, TroubleFacts,
};
pub use filter::FORMS as FILTER_FORMS;
pub use message::{Effect, Message};
pub use model::{
    Filtering, Mode, Model, Options, Pane, Question, SMALLEST, Seen, Spot, Status, TagChoice, Tone, WIDE,
};
pub use palette::Palette;
pub use row::{Row, Source, Way};
pub use voice::VoiceFacts;
