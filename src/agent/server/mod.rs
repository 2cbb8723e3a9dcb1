//! The agent on one loopback listener: its card over HTTP, its sessions over WebSocket or WebRTC.
//!
//! `GET /.well-known/agent-card.json` answers with the card, `GET /agui` upgrades to a WebSocket, `POST /agui`
//! answers an offer of a call, anything else is a small 404. Where both are served, the card of calls is at
//! `/webrtc/agent-card.json`. Pages in a browser may neither read nor drive it (`caller`). [`serve`] binds, returns at once, and serves until [`Running::stop`] or until the
//! handle is dropped. `cli` is the only caller besides tests.

#[cfg(feature = "webrtc")]
mod call;
mod caller;
mod http;
#[cfg(feature = "webrtc")]
mod recording;
mod socket;
#[cfg(feature = "webrtc")]
mod voice;

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::agent::Fault;
use crate::agent::brain::BrainConfig;
use crate::agent::card::CardOptions;
use crate::protocol::card::TransportProfile;
use crate::protocol::{Dialect, Modalities};
use crate::redact::Token;

/// Most sessions at one time; a further one is answered with 503.
const SESSIONS: usize = 64;
/// Most connections whose request is not complete. For a further one the oldest is closed, so that whoever opens many
/// and says nothing shuts nobody out.
const UNFINISHED: usize = 64;
/// How long a client may take for the head of its request.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Largest head of a request in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// How long [`Running::stop`] waits for sessions to say goodbye.
const STOP_WITHIN: Duration = Duration::from_secs(2);

/// How the agent can be talked to (`--transport`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transports {
    /// Over WebSocket.
    #[default]
    WebSocket,
    /// Over WebRTC, with sound.
    WebRtc,
    /// Over both; a card names one, so there are two cards.
    Both,
}

impl Transports {
    fn has_sockets(self) -> bool {
        self != Self::WebRtc
    }

    fn has_calls(self) -> bool {
        self != Self::WebSocket
    }

    /// What the card at the well-known place names.
    fn first(self) -> TransportProfile {
        if self.has_sockets() { TransportProfile::WebSocket } else { TransportProfile::WebRtc }
    }
}

/// How the agent is served.
#[derive(Clone, Debug)]
pub struct AgentConfig {
    /// Where to listen; port 0 takes a free one. The default is loopback.
    pub listen: SocketAddr,
    /// How it can be talked to.
    pub transports: Transports,
    /// What the card accepts and the agent may ask for; nothing makes it text-only (`--accept none`).
    pub accepted: Modalities,
    /// Whether the card carries the legacy extension URI (`--legacy-uri`).
    pub legacy_uri: bool,
    /// What to do wrong, deliberately (`--fault NAME`).
    pub faults: Vec<Fault>,
    /// Time between two events of a run.
    pub delta_interval: Duration,
    /// The open names of the wire.
    pub dialect: Dialect,
    /// The bearer token that card and upgrade require, if any. For tests of clients.
    pub bearer: Option<Token>,
    /// Whether replies are spoken on calls, by espeak-ng (`--speak`).
    pub speak: bool,
    /// How long a session may stay silent before it is pinged; after three times as long it is dropped.
    pub ping_every: Duration,
}

impl AgentConfig {
    /// Where `agentcall agent` listens unless told otherwise.
    pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8787);
}

/// A free loopback port, both modalities, no faults: what the demo uses.
impl Default for AgentConfig {
    fn default() -> Self {
        let brain = BrainConfig::default();
        Self {
            listen: SocketAddr::new(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0),
            transports: Transports::WebSocket,
            accepted: brain.accepted,
            legacy_uri: false,
            faults: Vec::new(),
            delta_interval: brain.delta_interval,
            dialect: brain.dialect,
            bearer: None,
            speak: false,
            ping_every: Duration::from_secs(20),
        }
    }
}

impl AgentConfig {
    fn brain(&self) -> BrainConfig {
        BrainConfig {
            accepted: self.accepted,
            agent_requests: self.accepted,
            delta_interval: self.delta_interval,
            dialect: self.dialect.clone(),
            faults: self.faults.clone(),
            ..BrainConfig::default()
        }
    }

    fn card(&self, transport: TransportProfile) -> CardOptions {
        CardOptions {
            transport,
            accepted: self.accepted,
            agent_requests: self.accepted,
            legacy_uri: self.legacy_uri,
            bearer: self.bearer.is_some(),
        }
    }
}

/// Why the agent cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The address is taken, not ours, or not allowed.
    #[error("Listening on {addr} failed: {source}. Choose another address with --listen.")]
    Listen {
        /// The address that was asked for.
        addr: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The voice that was asked for is not there.
    #[error(
        "Replies cannot be spoken: running espeak-ng failed ({source}). Install espeak-ng, or leave --speak out."
    )]
    NoVoice {
        /// What the system said.
        source: std::io::Error,
    },
}

/// A served agent. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    /// The address that was bound.
    pub addr: SocketAddr,
    /// Where its card is.
    pub card_url: String,
    /// Where the card of calls is, if that is another one.
    pub call_card_url: Option<String>,
    shutdown: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Closes every session with code 1001 and waits, at most two seconds, until all have gone.
    pub async fn stop(self) {
        let Self { shutdown, task, .. } = self;
        // The receiver is the task itself: if it is gone there is nothing to stop.
        let _ = shutdown.send(true);
        let abort = task.abort_handle();
        if tokio::time::timeout(STOP_WITHIN, task).await.is_err() {
            abort.abort();
        }
    }

    /// Waits until the agent has stopped by itself, which it never does unless its task fails.
    pub async fn stopped(&mut self) {
        let _ = (&mut self.task).await;
    }
}

/// What every connection shares.
struct Shared {
    config: AgentConfig,
    /// Places for sessions.
    places: Arc<Semaphore>,
    addr: SocketAddr,
    shutdown: watch::Receiver<bool>,
}

/// Binds the listener and serves from a task of its own.
///
/// # Errors
/// [`AgentError::Listen`] when the address cannot be bound, [`AgentError::NoVoice`] without the program that speaks.
pub async fn serve(config: AgentConfig) -> Result<Running, AgentError> {
    #[cfg(feature = "webrtc")]
    if config.speak {
        voice::check().await.map_err(|source| AgentError::NoVoice { source })?;
    }
    let failed = |source| AgentError::Listen { addr: config.listen, source };
    let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
    let addr = listener.local_addr().map_err(failed)?;
    let (shutdown, stopping) = watch::channel(false);
    let at = |path: &str| format!("http://{}{path}", reachable(addr));
    let card_url = at(http::CARD_PATH);
    let call_card_url = (config.transports == Transports::Both).then(|| at(http::CALL_CARD_PATH));
    let places = Arc::new(Semaphore::new(SESSIONS));
    let shared = Arc::new(Shared { config, places, addr, shutdown: stopping });
    let task = tokio::spawn(accept(listener, shared));
    Ok(Running { addr, card_url, call_card_url, shutdown, task })
}

/// Waits for a deadline on a session's clock; without one, for ever.
async fn until(started: Instant, deadline: Option<Duration>) {
    match deadline {
        Some(deadline) => sleep_until(started + deadline).await,
        None => std::future::pending().await,
    }
}

/// The bound address, or loopback when every address was bound: nobody can connect to `0.0.0.0`.
fn reachable(addr: SocketAddr) -> SocketAddr {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, addr.port())
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    let mut unfinished: VecDeque<(AbortHandle, Arc<AtomicBool>)> = VecDeque::new();
    let mut stopping = shared.shutdown.clone();
    loop {
        let accepted = tokio::select! {
            // An error means that the handle was dropped, which is a stop as well.
            _ = stopping.wait_for(|stop| *stop) => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, or a client that left while being accepted: others still come.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        unfinished.retain(|(task, finished)| !task.is_finished() && !finished.load(SeqCst));
        if unfinished.len() >= UNFINISHED
            && let Some((oldest, _)) = unfinished.pop_front()
        {
            oldest.abort();
        }
        let finished = Arc::new(AtomicBool::new(false));
        let task = connections.spawn(connection(stream, Arc::clone(&shared), Arc::clone(&finished)));
        unfinished.push_back((task, finished));
    }
    while connections.join_next().await.is_some() {}
}

/// One connection from its first byte to its last: one HTTP exchange, then the session if it upgraded.
/// `finished` is set once the exchange is over.
async fn connection(stream: tokio::net::TcpStream, shared: Arc<Shared>, finished: Arc<AtomicBool>) {
    // Small envelopes must not wait for each other; a system that refuses this is only slower.
    let _ = stream.set_nodelay(true);
    let upgraded = http::Upgraded::default();
    let service = http::service(Arc::clone(&shared), upgraded.clone());
    let exchange = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut stopping = shared.shutdown.clone();
    let served = tokio::select! {
        served = tokio::time::timeout(HEAD_WITHIN * 2, exchange) => served,
        _ = stopping.wait_for(|stop| *stop) => return,
    };
    finished.store(true, SeqCst);
    if let (Ok(Ok(())), Some((next, place))) = (served, upgraded.take()) {
        match next {
            http::Next::WebSocket(upgrade) => socket::session(upgrade, &shared).await,
            #[cfg(feature = "webrtc")]
            http::Next::Call(answering) => call::session(*answering, &shared).await,
        }
        drop(place);
    }
}
