//! From a name to addresses, once. Called by [`super::NetContext::resolve`], which bounds the time and
//! checks every address.

use std::io;
use std::net::IpAddr;

use futures_util::future::BoxFuture;

/// Turns a host name into addresses. Tests inject one that answers differently each time (rebinding).
pub trait Resolver: Send + Sync {
    /// All addresses of `host`, in the order to try them.
    fn lookup<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The operating system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn lookup<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            let mut addresses: Vec<IpAddr> = Vec::new();
            for address in found.map(|socket| socket.ip()) {
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
            Ok(addresses)
        })
    }
}
