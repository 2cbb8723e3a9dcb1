//! Scripted sessions: one step a line, read by [`parse`], played by [`run`] on the engine's two channels.
//!
//! ```text
//! scan tag:router.ndef                 # or reader:"NAME", tag:uid=04A1B2C3D4E5F6; passport:P.json
//! expect text "do not know"
//! say teach object Workshop router
//! scan tag:router.ndef intent=identify # answers a pending request of its modality; `unrelated` does not
//! capture file:desk.png                # or camera:"NAME"
//! observe tag:router.ndef file:desk.png intent=inspect
//! expect event run.completed within 5s
//! expect no finding ENV-2
//! cancel
//! wait 500ms
//! end
//! ```
//!
//! A script is read as a whole before anything is sent, so that a slip in its last line costs no session. The
//! player is a pure state machine (notices and times in, requests and reports out) in a thin asynchronous shell.

mod error;
pub mod grammar;
mod lexer;
mod log;
mod outcome;
mod parser;
mod player;
mod runner;
mod script;
mod sink;

#[cfg(test)]
mod tests;

pub use error::ScenarioError;
pub use outcome::{Class, Outcome};
pub use parser::parse;
pub use runner::{Options, run};
pub use script::{Action, Expectation, Scenario, Step, VERBS, What};
pub use sink::{Sink, StepReport};
