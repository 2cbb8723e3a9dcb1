//! The WebRTC transport (`agentcall-webrtc-0.1`): the offer is POSTed here, the open call is `call`'s, and `bridge` stands
//! between it and the link.
//!
//! As for a WebSocket, the address is resolved, checked and pinned anew (R23), the bearer goes along only where R17
//! allows it, and no redirect is followed (R18). A call is never taken up again: ICE may find its way back by itself, and a
//! lost one is the end of its session.

#[cfg(feature = "webrtc")]
mod bridge;
#[cfg(feature = "webrtc")]
mod dial;
#[cfg(not(feature = "webrtc"))]
mod unavailable;

use std::time::Duration;

use futures_util::future::BoxFuture;
use url::Url;

#[cfg(feature = "webrtc")]
pub use dial::open;
#[cfg(not(feature = "webrtc"))]
pub use unavailable::open;

use super::{DialError, Dialer, Link};
use crate::call::{Reach, Settings};
use crate::net::{Credentials, NetContext};

/// Times and bounds of a call.
#[derive(Clone, Debug)]
pub struct Options {
    /// Those of the call itself, and its servers. Whether loopback addresses are offered is decided by where the agent is.
    pub call: Settings,
    /// How long the whole answer may take, once its head is there; 10 s by default. The head has its own time
    /// (`net::Timeouts::first_byte`).
    pub answer_within: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { call: Settings::default(), answer_within: Duration::from_secs(10) }
    }
}

impl Options {
    /// The settings of a call with an agent that is, or is not, on this machine. An agent behind a forwarded port looks as if
    /// it were here and is not, so that every address is offered then.
    #[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "there are no calls"))]
    fn for_peer(&self, on_this_machine: bool) -> Settings {
        let reach = match self.call.reach {
            Reach::Network if on_this_machine => Reach::NetworkAndLoopback,
            reach => reach,
        };
        Settings { reach, ..self.call.clone() }
    }
}

/// Everything needed to open calls to one agent, for one session.
#[derive(Clone)]
pub struct WebRtcDialer {
    /// The card's `agui.url` (R2).
    pub url: Url,
    /// Policy, resolver, TLS, times.
    pub net: NetContext,
    /// The token and where it may go.
    pub credentials: Credentials,
    /// Times, bounds and servers.
    pub options: Options,
    /// The id that `session.start` will carry (R29): made before the call.
    pub session_id: String,
}

impl Dialer for WebRtcDialer {
    fn dial(&self) -> BoxFuture<'_, Result<Link, DialError>> {
        Box::pin(open(&self.url, &self.net, &self.credentials, &self.options, &self.session_id))
    }
}
