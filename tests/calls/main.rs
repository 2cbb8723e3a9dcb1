//! What a user meets when a call is opened: the offer's POST, every way an agent can answer it wrongly, and the open call. The
//! agents are `call`'s answering side behind HTTP servers on loopback ports, written by hand so that they can also be wrong.

#![cfg(feature = "webrtc")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod agent;
mod answers;
mod asked;
mod links;
