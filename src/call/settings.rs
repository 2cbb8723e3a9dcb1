//! Times, bounds and servers of a call.

use std::time::Duration;

use thiserror::Error;

use crate::redact::Token;
use crate::safe_text::SafeText;

/// Whom the call can reach, and who can reach it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Every address of this machine but its loopback ones.
    #[default]
    Network,
    /// Those and the loopback addresses, for a peer that may be on this machine.
    NetworkAndLoopback,
    /// This machine alone.
    Loopback,
}

impl Reach {
    /// The addresses to bind. A family that this machine has not is left out; the stack would fail.
    #[cfg(feature = "webrtc")]
    pub(super) fn addresses(self) -> Vec<String> {
        let network = ["0.0.0.0:0", "[::]:0"];
        let loopback = ["127.0.0.1:0", "[::1]:0"];
        let wanted: Vec<&str> = match self {
            Self::Network => network.to_vec(),
            Self::NetworkAndLoopback => network.into_iter().chain(loopback).collect(),
            Self::Loopback => loopback.to_vec(),
        };
        let there = |address: &&str| std::net::UdpSocket::bind(address).is_ok();
        wanted.into_iter().filter(there).map(str::to_owned).collect()
    }
}

/// A server that tells how this machine looks from outside (STUN) or that relays (TURN). None is used unless the user named
/// it: each learns that this machine calls, and a relay with whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IceServer {
    url: String,
    user: String,
    secret: Option<Token>,
}

/// Why a server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IceServerFault {
    /// Not a URL of such a server.
    #[error("{0:?} is not stun:HOST[:PORT] or turn:HOST[:PORT] (RFC 7064, RFC 7065)")]
    Url(String),
    /// A relay without its user name and password.
    #[error("{0:?} relays, and a relay needs a user name and a password")]
    NoCredentials(String),
}

impl IceServer {
    /// A server by its URL; `turn:` needs `user` and `secret`.
    ///
    /// # Errors
    /// [`IceServerFault`].
    pub fn new(url: &str, user: &str, secret: Option<Token>) -> Result<Self, IceServerFault> {
        let shown = || SafeText::line(url).cut(100).to_string();
        let (scheme, rest) = url.split_once(':').unwrap_or_default();
        let host_fits = |b: u8| b.is_ascii_alphanumeric() || b".-:[]?=_".contains(&b);
        let known = ["stun", "turn"].contains(&scheme);
        if !known || rest.is_empty() || url.len() > 300 || !rest.bytes().all(host_fits) {
            return Err(IceServerFault::Url(shown()));
        }
        if scheme == "turn" && (user.is_empty() || secret.is_none()) {
            return Err(IceServerFault::NoCredentials(shown()));
        }
        Ok(Self { url: url.to_owned(), user: user.to_owned(), secret })
    }

    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// As the stack wants it.
    #[cfg(feature = "webrtc")]
    pub(super) fn for_stack(&self) -> webrtc::peer_connection::RTCIceServer {
        webrtc::peer_connection::RTCIceServer {
            urls: vec![self.url.clone()],
            username: self.user.clone(),
            credential: self.secret.as_ref().map(|s| s.expose_for_header().to_owned()).unwrap_or_default(),
        }
    }
}

/// Times, bounds and servers of a call.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which addresses are bound.
    pub reach: Reach,
    /// STUN and TURN servers; none by default.
    pub ice_servers: Vec<IceServer>,
    /// How long candidates are gathered before the description goes out with those that are there; 3 s by default. A
    /// server that does not answer would take eleven.
    pub gather_within: Duration,
    /// From the applied answer to the open channel; 15 s by default. The stack itself may wait for ever.
    pub connect_within: Duration,
    /// How often the way is tested while it is idle; 0.5 s by default.
    pub keep_alive: Duration,
    /// How long without anything until the peer counts as unreachable, which is shown; 2 s by default: four tests.
    pub unreachable_after: Duration,
    /// How long it may stay so until the call is given up; 6 s by default. Changing from one Wi-Fi station to another
    /// takes up to three, and a session that ends cannot be resumed.
    pub lost_after: Duration,
    /// How long the peer may acknowledge nothing of what is sent until that is told; 10 s by default.
    pub stalled_after: Duration,
    /// And how much longer until the call is given up; 20 s by default.
    pub given_up_after: Duration,
    /// How long what is queued may take to leave before a close; 2 s by default.
    pub leave_within: Duration,
    /// How long giving back the sockets may take; 5 s by default.
    pub close_within: Duration,
    /// How often the facts are told; 0.5 s by default.
    pub facts_every: Duration,
    /// How many bytes may be sent and not acknowledged before a sender waits; 512 KiB by default.
    pub backlog_bytes: usize,
    /// Largest message that is handed on; 128 KiB by default. One of up to 256 KiB is discarded and told; of larger ones
    /// the stack tells nothing, and its description forbids them.
    pub frame_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reach: Reach::default(),
            ice_servers: Vec::new(),
            gather_within: Duration::from_secs(3),
            connect_within: Duration::from_secs(15),
            keep_alive: Duration::from_millis(500),
            unreachable_after: Duration::from_secs(2),
            lost_after: Duration::from_secs(6),
            stalled_after: Duration::from_secs(10),
            given_up_after: Duration::from_secs(20),
            leave_within: Duration::from_secs(2),
            close_within: Duration::from_secs(5),
            facts_every: Duration::from_millis(500),
            backlog_bytes: 512 * 1024,
            frame_bytes: 128 * 1024,
        }
    }
}
