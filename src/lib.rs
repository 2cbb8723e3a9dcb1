//! `agentcall`: the terminal client for AgentCall agents.
//!
//! The crate is one engine with many faces. Levels import only what stands below them
//! (`tests/layering.rs` holds this); siblings never import each other.
//!
//! | level | modules |
//! |---|---|
//! | 0 | [`units`], [`files`], [`safe_text`], [`redact`], [`rtp`], [`tlv`], [`words`] |
//! | 1 | [`protocol`], [`net`], [`picture`], [`media`], [`call`] |
//! | 2 | [`session`], [`observation`], [`discovery`], [`transport`], [`device`], [`agent`], [`trace`] |
//! | 3 | [`config`], [`client`] |
//! | 4 | [`command`] |
//! | 5 | [`app`], [`scenario`] |
//! | 6 | [`tui`] |
//! | 7 | [`cli`] |
//!
//! # The run-loop contract
//!
//! [`session`] and the reducer in [`client`] are sans-I/O: one input goes in together with the time
//! (a [`std::time::Duration`] since the start of the session), then outputs are drained until there
//! are none. Nobody else reads a clock: drivers at the edge pass the time in.

pub mod files;
pub mod redact;
pub mod rtp;
pub mod safe_text;
pub mod tlv;
pub mod units;
pub mod words;

pub mod call;
pub mod media;
pub mod net;
pub mod picture;
pub mod protocol;

pub mod agent;
pub mod device;
pub mod discovery;
pub mod observation;
pub mod session;
pub mod trace;
pub mod transport;

pub mod client;
pub mod config;

pub mod command;

pub mod app;
pub mod scenario;

pub mod tui;

pub mod cli;
