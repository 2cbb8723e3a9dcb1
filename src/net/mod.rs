//! The way to the network: which URLs and addresses are allowed, how a connection is pinned, what may be
//! sent on it. Level 1; called by `discovery` and `transport`, never by faces.
//!
//! The order is fixed (§ WebSocket and WebRTC: "apply HTTPS, DNS/IP, redirect, timeout, credential, and
//! size validation before connecting"):
//!
//! 1. [`UrlPolicy::check`] looks at the form of a URL;
//! 2. [`NetContext::resolve`] resolves its host once and checks *every* address it got;
//! 3. [`NetContext::connect`] connects to exactly those addresses and opens TLS;
//! 4. [`http::exchange`] sends one request and reads one bounded answer, or `transport` upgrades.
//!
//! Nothing here follows a redirect, keeps a connection for later, or uses a proxy that the user did not name.

mod address;
mod connect;
mod credentials;
mod dial;
mod error;
pub mod http;
mod policy;
mod proxy;
mod resolve;
mod tls;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use address::{AddressClass, AddressForm, Classified, classify};
pub use connect::{BoxedStream, Connection, Stream, Target};
pub use credentials::{Bearer, Credentials, TokenFate, read_token_env, read_token_file};
pub use dial::{Dialer, SystemDialer};
pub use error::{NetError, NetErrorKind, ProxyFault, RedirectFault, TlsFault, UrlFault, WAIT_HINT};
pub use policy::{Origin, UrlPolicy, shown};
pub use proxy::{Proxies, ProxyChoice, ProxyServer, ProxyUrlFault};
pub use resolve::{Resolver, SystemResolver};

/// How long each part of a connection may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Resolving a host name; 5 s by default.
    pub resolve: Duration,
    /// One address of several; 4 s by default.
    pub address: Duration,
    /// All addresses together, and the TLS handshake; 10 s by default.
    pub connect: Duration,
    /// From the sent request to the head of the answer; 8 s by default.
    pub first_byte: Duration,
    /// A whole request with its answer, once connected; 10 s by default. It bounds an agent that sends one
    /// byte at a time.
    pub exchange: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            resolve: Duration::from_secs(5),
            address: Duration::from_secs(4),
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(8),
            exchange: Duration::from_secs(10),
        }
    }
}

/// Everything a connection needs beside its URL. Cheap to clone.
#[derive(Clone)]
pub struct NetContext {
    /// Which URLs and addresses are allowed.
    pub policy: UrlPolicy,
    /// Turns names into addresses; tests inject their own.
    pub resolver: Arc<dyn Resolver>,
    /// Opens connections to checked addresses; tests inject their own.
    pub dialer: Arc<dyn Dialer>,
    /// How long each part may take.
    pub timeouts: Timeouts,
    /// The proxies that the user named; none by default.
    pub proxies: Proxies,
    trust: Arc<tls::Trust>,
}

impl NetContext {
    /// The context of the real program: the system's resolver, the system's root certificates, and those of
    /// the PEM files in `authorities` (`--ca`).
    ///
    /// # Errors
    /// [`NetError::Setup`] when a PEM file cannot be read or holds no certificate.
    pub fn system(policy: UrlPolicy, authorities: &[PathBuf]) -> Result<Self, NetError> {
        Self::with_roots(policy, authorities, true)
    }

    /// As [`NetContext::system`], but trusting the PEM files alone.
    ///
    /// # Errors
    /// As [`NetContext::system`].
    pub fn trusting_only(policy: UrlPolicy, authorities: &[PathBuf]) -> Result<Self, NetError> {
        Self::with_roots(policy, authorities, false)
    }

    fn with_roots(policy: UrlPolicy, authorities: &[PathBuf], native: bool) -> Result<Self, NetError> {
        Ok(Self {
            policy,
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(SystemDialer),
            timeouts: Timeouts::default(),
            proxies: Proxies::Unused { variable: None },
            trust: Arc::new(tls::Trust::new(authorities, native)?),
        })
    }
}

#[cfg(test)]
mod tests;
