//! What is known of the way between the two sides: the stack's figures and our own.

use std::time::Duration;

/// Whether anything comes from the peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallState {
    /// It does.
    #[default]
    Open,
    /// Nothing has come for a while. It may come back by itself; a session never does.
    Unreachable,
    /// The call is over.
    Closed,
}

/// What is known of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallFacts {
    /// Whether anything comes from the peer.
    pub state: CallState,
    /// The two addresses in use: `host 192.0.2.1:5000 ↔ relay 198.51.100.7:6000`.
    pub pair: Option<String>,
    /// There and back, by the last test of the way.
    pub rtt: Option<Duration>,
    /// Packets of sound sent.
    pub sent_packets: u64,
    /// Bytes of sound in them.
    pub sent_bytes: u64,
    /// Packets of sound that came.
    pub received_packets: u64,
    /// Bytes of sound in them.
    pub received_bytes: u64,
    /// Packets of sound that should have come and did not.
    pub lost: u64,
    /// How unevenly they come (RFC 3550, section 6.4.1).
    pub jitter: Option<Duration>,
    /// Bytes of messages that were sent and not acknowledged.
    pub backlog_bytes: usize,
    /// The largest message that the peer takes, in bytes; none: any.
    pub max_message: Option<usize>,
}
