//! What a user meets on the network: answers, TLS, redirects, cards, WebSocket links. Every server here is
//! written by hand on a loopback port, byte by byte, so that it can also be wrong.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod addresses;
mod agent;
mod answers;
mod cards;
mod frames;
mod framing;
mod links;
mod peer;
mod proxy;
mod server;
mod silence;
mod tls;
mod upgrade;
