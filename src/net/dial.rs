//! From a checked address to an open TCP connection. Called by `connect` alone, so that whoever stands in
//! for [`SystemDialer`] sees every connection that is tried.

use std::io;
use std::net::SocketAddr;

use futures_util::future::BoxFuture;
use tokio::net::TcpStream;

/// Opens TCP connections. Tests inject one that counts, and that leads public addresses to a loopback port.
pub trait Dialer: Send + Sync {
    /// Connects to `address`. The time is bounded by the caller.
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

/// The operating system's network.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDialer;

impl Dialer for SystemDialer {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        Box::pin(TcpStream::connect(address))
    }
}
