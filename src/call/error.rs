//! Why a call does not come about: a sentence and what to do.

use std::time::Duration;

use thiserror::Error;

use super::sdp::{Kind, SdpFault};
use super::{CHANNEL_LABEL, CHANNEL_PROTOCOL};

/// A call that did not come about.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CallError {
    /// This machine cannot make one.
    #[error("the call cannot be prepared: {0}")]
    Setup(String),
    /// The other side's description is not what the profile asks for.
    #[error("{0}")]
    Sdp(#[from] SdpFault),
    /// It looked right, and the stack refuses it.
    #[error("the SDP {} cannot be applied: {reason}", if *.kind == Kind::Offer { "offer" } else { "answer" })]
    Refused {
        /// Which of the two.
        kind: Kind,
        /// What the stack says.
        reason: String,
    },
    /// Not open in time.
    #[error("the call did not open within {} s: {reached}", .after.as_secs_f32())]
    Late {
        /// The bound.
        after: Duration,
        /// How far it came.
        reached: Reached,
    },
    /// The stack gave up before.
    #[error("the call failed: {reached}")]
    Failed {
        /// How far it came.
        reached: Reached,
    },
    /// The other side closed it before it was open.
    #[error("the other side closed the call before its channel was open")]
    ClosedEarly,
    /// The other side opened another channel than the profile's.
    #[error(
        "the other side opened the channel {label:?} with the protocol {protocol:?}{}, and {CHANNEL_LABEL:?} with \
         {CHANNEL_PROTOCOL:?}, ordered and reliable, was expected",
        if *.reliable { "" } else { ", unordered or unreliable" }
    )]
    Channel {
        /// Its label.
        label: String,
        /// Its protocol.
        protocol: String,
        /// Whether it is ordered and reliable.
        reliable: bool,
    },
}

/// How far a call came that did not open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Error)]
pub enum Reached {
    /// Nothing of the other side was seen.
    #[default]
    #[error("no way to the other side was found (ICE: checking)")]
    Nothing,
    /// Packets go both ways.
    #[error("a way to the other side was found, and no keys were agreed on over it (DTLS: connecting)")]
    Way,
    /// Both are sure of each other.
    #[error("the connection is secured, and the channel did not open on it (SCTP)")]
    Keys,
}

impl CallError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        let reached = match self {
            Self::Late { reached, .. } | Self::Failed { reached } => reached,
            Self::Sdp(_) | Self::Refused { .. } => {
                return Some("The fault is in the other side's SDP: its log may say why.");
            }
            Self::Setup(_) => return Some("Is there a network, and may this program use UDP?"),
            Self::ClosedEarly | Self::Channel { .. } => return Some("The other side's log may say why."),
        };
        Some(match reached {
            Reached::Nothing => {
                "A firewall or NAT between the two may drop UDP: a TURN server in config.toml (webrtc) goes round it."
            }
            Reached::Way => {
                "Its certificate may not be the one in its SDP, or it offers nothing that both can use."
            }
            Reached::Keys => "The other side may not speak SCTP: its log may say why.",
        })
    }
}
