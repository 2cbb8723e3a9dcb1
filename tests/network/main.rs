//! What a user meets on the network: answers, TLS, redirects, cards, WebSocket links. Every server here is
//! written by hand on a loopback port, byte by byte, so that it can also be wrong.

mod answers;
mod cards;
mod links;
mod server;
