//! One WebRTC call: one Opus track each way and one ordered, reliable data channel (`agentcall-webrtc-0.1`). The offering
//! and the answering side, for `transport` and for the embedded `agent`. Level 1. The stack and what uses it are behind the
//! feature `webrtc`; the ends of a call, its facts and what judges descriptions are always there.
//!
//! An offer is prepared ([`Offering`]), carried to the peer by somebody else, and its answer makes it a [`Call`]; an
//! [`Answering`] is the other side of it. Descriptions are judged in [`sdp`] before the stack sees them. An open call is one
//! task (`open`), which ends when either side closes, when nothing comes any more, or when its ends are dropped; whatever
//! happens, the sockets are given back (`guard`).
//!
//! What is known to go wrong in the stack, and where it is held, stands at the head of `call/tests/mod.rs`.

#[cfg(feature = "webrtc")]
mod answering;
#[cfg(feature = "webrtc")]
mod connecting;
mod error;
mod facts;
#[cfg(feature = "webrtc")]
mod figures;
#[cfg(feature = "webrtc")]
mod guard;
#[cfg(feature = "webrtc")]
mod offering;
#[cfg(feature = "webrtc")]
mod open;
pub mod sdp;
mod settings;
#[cfg(feature = "webrtc")]
mod sound;
#[cfg(feature = "webrtc")]
mod stack;

use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

#[cfg(feature = "webrtc")]
pub use answering::Answering;
pub use error::{CallError, Reached};
pub use facts::{CallFacts, CallState};
#[cfg(feature = "webrtc")]
pub use offering::Offering;
pub use settings::{IceServer, IceServerFault, Reach, Settings};

use crate::rtp::SoundPacket;

/// The label of the one data channel.
pub const CHANNEL_LABEL: &str = "agentcall.events";
/// Its subprotocol.
pub const CHANNEL_PROTOCOL: &str = "agentcall-agui-dc-0.1";

/// How many received messages may wait to be taken before nothing more is read from the channel.
pub const INCOMING_QUEUE: usize = 1024;
/// How many messages may wait to be sent before a sender waits.
pub const OUTGOING_QUEUE: usize = 4;
/// How many packets of sound may wait to be sent: a second of them.
pub const SOUND_OUT_QUEUE: usize = 50;
/// How many received packets of sound may wait to be taken; more are dropped, since sound that waits is late.
pub const SOUND_IN_QUEUE: usize = 256;

/// The ends of an open call. Dropping `outgoing` closes it in order, as [`ToPeer::Close`] does; dropping `incoming` ends it
/// at once.
#[derive(Debug)]
pub struct Call {
    /// Messages to send, in order.
    pub outgoing: mpsc::Sender<ToPeer>,
    /// What came, in order; [`FromPeer::Closed`] last.
    pub incoming: mpsc::Receiver<FromPeer>,
    /// The sound, both ways.
    pub sound: SoundEnds,
    /// What is known of the way between the two, about twice a second.
    pub facts: watch::Receiver<CallFacts>,
}

/// What is asked of an open call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToPeer {
    /// One message.
    Text(String),
    /// Close; what was queued before is sent first.
    Close,
}

/// What an open call tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromPeer {
    /// One message within the bound.
    Text(String),
    /// A binary message: discarded.
    Binary {
        /// Its size.
        bytes: usize,
    },
    /// A message over the bound: discarded.
    Oversized {
        /// Its size.
        bytes: usize,
    },
    /// A message of ours is larger than the peer said that it takes, and was not sent.
    Unsendable {
        /// Its size.
        bytes: usize,
        /// The most that the peer takes.
        bound: usize,
    },
    /// The peer has acknowledged nothing of what was sent for so long. Sending goes on waiting.
    Stalled {
        /// How long.
        after: Duration,
    },
    /// It acknowledges again.
    Flowing,
    /// The call is over; nothing comes after this.
    Closed(CallEnd),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallEnd {
    /// The peer closed the channel or the connection.
    #[error("the other side closed the call")]
    ByPeer,
    /// Nothing comes from the peer any more.
    #[error("the connection was lost: nothing came from the other side for {} s", .after.as_secs_f32())]
    Lost {
        /// How long, about.
        after: Duration,
    },
    /// The peer takes nothing any more.
    #[error("the other side has acknowledged nothing for {} s, and {backlog} bytes wait to be sent", .after.as_secs_f32())]
    Stalled {
        /// How long.
        after: Duration,
        /// What waits, in bytes.
        backlog: usize,
    },
    /// The peer broke the rules of the channel.
    #[error("the call was dropped: {0}")]
    ProtocolError(String),
    /// The stack ended by itself.
    #[error("the call broke: {0}")]
    Broken(String),
    /// We closed it.
    #[error("the call was closed")]
    ByUs,
}

/// The sound of a call.
#[derive(Debug)]
pub struct SoundEnds {
    /// Packets to send, at the pace at which they were recorded.
    pub outgoing: mpsc::Sender<SoundOut>,
    /// Packets as they come: late, twice or not at all.
    pub incoming: mpsc::Receiver<SoundPacket>,
}

/// What is asked of the sending side of the sound.
#[derive(Debug)]
pub enum SoundOut {
    /// One packet.
    Packet(SoundPacket),
    /// Answers when every packet before it has been handed to the socket; a message sent then comes after them.
    Flush(oneshot::Sender<()>),
}

/// The other ends of a [`Call`], for its task.
#[cfg(feature = "webrtc")]
struct FarEnds {
    to_send: mpsc::Receiver<ToPeer>,
    came: mpsc::Sender<FromPeer>,
    to_play: mpsc::Sender<SoundPacket>,
    to_speak: mpsc::Receiver<SoundOut>,
    facts: watch::Sender<CallFacts>,
}

/// A call and its other ends.
#[cfg(feature = "webrtc")]
fn ends(facts: CallFacts) -> (Call, FarEnds) {
    let (outgoing, to_send) = mpsc::channel(OUTGOING_QUEUE);
    let (came, incoming) = mpsc::channel(INCOMING_QUEUE);
    let (to_play, heard) = mpsc::channel(SOUND_IN_QUEUE);
    let (speak, to_speak) = mpsc::channel(SOUND_OUT_QUEUE);
    let (known, facts) = watch::channel(facts);
    let sound = SoundEnds { outgoing: speak, incoming: heard };
    let far = FarEnds { to_send, came, to_play, to_speak, facts: known };
    (Call { outgoing, incoming, sound, facts }, far)
}

#[cfg(all(test, feature = "webrtc"))]
mod tests;
