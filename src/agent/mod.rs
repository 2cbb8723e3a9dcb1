//! The reference agent: a pure [`brain`], a [`card`], and a small [`server`] that carries both.
//!
//! It exists so that a person can try the client against something, and so that people who write clients
//! have an agent that is strict and, on request, wrong ([`Fault`]). It shares `protocol` and `picture`
//! with the client and never imports `session` or `client`: each tests the other.
//!
//! `cli` calls [`serve`] with an [`AgentConfig`]; the server makes one [`brain::Brain`] for each WebSocket
//! session, so that nothing one session learns reaches another. Nothing is ever written to disk.

pub mod brain;
pub mod card;
pub mod server;

pub use brain::faults::Fault;
pub use server::{AgentConfig, AgentError, Running, Transports, serve};
