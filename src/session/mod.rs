//! The client's state machine, sans I/O and without a clock.
//!
//! One [`Input`] goes into [`Session::handle`] together with the time, then [`Session::poll`] is drained
//! until it answers `None`; [`Session::next_deadline`] says when [`Input::Tick`] is due. It owns the
//! negotiation, the turn counter, the sequence, the one active run, the one held turn, the one pending
//! interaction, the one audio turn, the physical focus and the proposal (§ Session and input; § Agent-requested collection).
//!
//! It is two halves that do not know each other's errors: the *gate* looks at what we send and refuses it
//! with a [`Refusal`]; the *judge* looks at what we receive, reports [`Finding`](crate::protocol::Finding)s,
//! and says whether the frame is acted on. What the gate forbids can be sent through one door only,
//! [`Ask::Deliberate`], and is marked as such.

mod context;
mod gate;
mod input;
mod judge;
mod machine;
mod output;
mod teaching;
mod view;

#[cfg(test)]
mod tests;

pub use input::{Answer, Ask, Draft, Input, Terms};
pub use machine::Session;
pub use output::{Judged, Output, Refusal, RefusalKind};
pub use view::{
    AudioTurn, Focus, Held, Latency, Pending, PendingState, Phase, Proposal, RunState, SessionView,
};
