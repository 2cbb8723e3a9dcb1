//! How frames travel: a [`Link`] of two bounded channels, whatever carries them. Level 2; the session
//! driver in `client` holds the two ends, a task of the transport owns the socket.
//!
//! A link is dialled once and never reconnects: a new one is a new session. Everything it has to say comes
//! through [`Link::incoming`], in order, and [`Incoming::Closed`] is the last. Frames are text as they
//! came; their meaning is for `protocol` and `session`.

mod error;
pub mod memory;
mod refusal;
pub mod webrtc;
pub mod websocket;

use std::net::SocketAddr;

use futures_util::future::BoxFuture;
use thiserror::Error;
use tokio::sync::{mpsc, watch};

pub use crate::call::{CallFacts, CallState, SoundOut};
use crate::rtp::SoundPacket;
use crate::units::Bytes;
pub use error::DialError;

/// How many received frames may wait for the session driver before the socket is read no further.
pub const INCOMING_QUEUE: usize = 1024;
/// How many frames may wait to be sent before a sender waits. Few: who sends keeps count of what waits.
pub const OUTGOING_QUEUE: usize = 4;

/// The two ends that a session driver holds. Dropping `outgoing` closes the connection properly, as
/// [`Outgoing::Close`] does; dropping `incoming` ends it at once.
#[derive(Debug)]
pub struct Link {
    /// Frames to send, in order.
    pub outgoing: mpsc::Sender<Outgoing>,
    /// What came, in order; [`Incoming::Closed`] last.
    pub incoming: mpsc::Receiver<Incoming>,
    /// Who is at the other end.
    pub peer: PeerInfo,
    /// The sound beside the frames, where the transport carries any: WebRTC alone.
    pub sound: Option<SoundLine>,
}

/// The sound of a link, both ways. It ends with the link; dropping it ends nothing.
#[derive(Debug)]
pub struct SoundLine {
    /// Packets to send, at the pace at which they were recorded. After a [`SoundOut::Flush`] is answered, a frame that is
    /// sent comes behind them.
    pub outgoing: mpsc::Sender<SoundOut>,
    /// Packets as they come: late, twice or not at all. Those that nobody takes are dropped.
    pub incoming: mpsc::Receiver<SoundPacket>,
    /// What is known of the way between the two, about twice a second.
    pub facts: watch::Receiver<CallFacts>,
}

/// Who is at the other end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerInfo {
    /// The checked address the connection goes to; none in memory.
    pub address: Option<SocketAddr>,
    /// Whether it is secured by TLS.
    pub tls: bool,
    /// The HTTP status that opened it, `101` for a WebSocket.
    pub status: Option<u16>,
    /// Whether the bearer token went along (R17).
    pub authorized: bool,
}

/// What the session driver asks of the transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// One frame.
    Text(String),
    /// Close properly; what was queued before is sent first.
    Close,
}

/// What the transport tells the session driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// One frame within the bound.
    Text(String),
    /// A binary message, which the profile forbids: discarded, the link goes on.
    Binary {
        /// Its size.
        bytes: usize,
    },
    /// A frame over 128 KiB: discarded unparsed, the link goes on (R30).
    Oversized {
        /// Its size.
        bytes: usize,
    },
    /// A frame of ours is larger than the agent said that it takes, and was not sent; the link goes on.
    Unsendable {
        /// Its size.
        bytes: usize,
        /// The most that the agent takes.
        bound: usize,
    },
    /// The agent has taken nothing of what is sent for so long. Sending goes on waiting.
    Stalled {
        /// How long.
        after: std::time::Duration,
    },
    /// It takes what is sent again.
    Flowing,
    /// The link is over; nothing comes after this.
    Closed(Closure),
}

/// How a link ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Closure {
    /// The agent closed properly.
    #[error("the agent closed the connection ({})", close_words(*.code, .reason))]
    Normal {
        /// The close code, if it sent one.
        code: Option<u16>,
        /// Its reason: text from outside.
        reason: String,
    },
    /// The agent closed the call; a call has no codes.
    #[error("the agent closed the call")]
    HungUp,
    /// The connection ended without a close.
    #[error("the connection to the agent was lost: {0}")]
    Lost(String),
    /// Nothing came for too long, not even an answer to a ping.
    #[error("the agent has gone silent: nothing came for {} s", .after.as_secs_f32())]
    TimedOut {
        /// How long.
        after: std::time::Duration,
    },
    /// The agent broke the rules of the transport; the connection was dropped.
    #[error("the connection was dropped: {0}")]
    ProtocolError(String),
    /// The agent sent a message over 1 MiB; the connection was closed (R30).
    #[error("the connection was closed: the agent sent a message of {} bytes, more than {} (R30)",
        Bytes(*.bytes), Bytes(*.bound))]
    TooLarge {
        /// The size, as far as it was known when it was refused.
        bytes: usize,
        /// The bound.
        bound: usize,
    },
    /// We closed it.
    #[error("the connection was closed")]
    ByUs,
}

fn close_words(code: Option<u16>, reason: &str) -> String {
    match (code, reason) {
        (None, _) => "no code".to_owned(),
        (Some(code), "") => format!("code {code}"),
        (Some(code), reason) => format!("code {code}: {reason}"),
    }
}

/// Opens links of one kind: what `client` knows of a transport.
pub trait Dialer: Send + Sync {
    /// Opens one link.
    ///
    /// # Errors
    /// Whatever stands between the URL and an open link.
    fn dial(&self) -> BoxFuture<'_, Result<Link, DialError>>;
}

#[cfg(test)]
mod tests;
