//! From a checked URL to an open stream: resolve once, check every address, connect to exactly those, open
//! TLS. The steps are apart so that `transport` can decide about credentials between them.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::{NetContext, NetError, Origin, ProxyFault, classify, policy::shown, tls};
use crate::net::AddressClass;

/// Any byte stream a protocol can run on.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A stream whose kind no longer matters.
pub type BoxedStream = Box<dyn Stream>;

/// A URL whose host was resolved and whose every address was checked.
#[derive(Clone, Debug)]
pub struct Target {
    url: Url,
    origin: Origin,
    addresses: Vec<SocketAddr>,
}

impl Target {
    /// The checked URL, without a fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Its origin.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The addresses that will be tried, in order; every one was checked.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Whether every address is this machine itself.
    pub fn is_loopback(&self) -> bool {
        self.addresses.iter().all(|a| classify(a.ip()).class == AddressClass::Loopback)
    }

    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

/// An open connection to a checked address.
pub struct Connection {
    /// The stream, TLS included.
    pub stream: BoxedStream,
    /// The address it goes to.
    pub peer: SocketAddr,
    /// Whether it is secured by TLS.
    pub tls: bool,
}

impl NetContext {
    /// Checks the form of `url`, resolves its host once and checks every address: one bad address refuses
    /// all, since a resolver under foreign control could mix them.
    ///
    /// # Errors
    /// [`NetError::Form`], [`NetError::Address`], [`NetError::Resolve`], [`NetError::Timeout`].
    pub async fn resolve(&self, url: &Url) -> Result<Target, NetError> {
        let url = self.policy.check(url)?;
        let no_host = || NetError::Form { url: shown(&url), fault: super::UrlFault::NoHost };
        let origin = Origin::of(&url).ok_or_else(no_host)?;
        let port = url.port_or_known_default().ok_or_else(no_host)?;
        let addresses = match url.host() {
            Some(Host::Ipv4(v4)) => vec![IpAddr::V4(v4)],
            Some(Host::Ipv6(v6)) => vec![IpAddr::V6(v6)],
            Some(Host::Domain(name)) => self.lookup(name).await?,
            None => return Err(no_host()),
        };
        for address in &addresses {
            self.policy.admit(&url, *address)?;
        }
        let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        Ok(Target { url, origin, addresses })
    }

    pub(super) async fn lookup(&self, name: &str) -> Result<Vec<IpAddr>, NetError> {
        let bound = self.timeouts.resolve;
        let failed = |reason: String| NetError::Resolve { host: name.to_owned(), reason };
        let found = timeout(bound, self.resolver.lookup(name)).await.map_err(|_| NetError::Timeout {
            operation: "resolving",
            url: name.to_owned(),
            after: bound,
        })?;
        let found = found.map_err(|e| failed(e.to_string()))?;
        if found.is_empty() { Err(failed("it has no address".to_owned())) } else { Ok(found) }
    }

    /// Connects to the checked addresses of `target` and to no others, in order, each through the user's proxy
    /// if there is one and the address is not near, and opens TLS for an `https:` URL.
    ///
    /// # Errors
    /// [`NetError::Connect`], [`NetError::Proxy`], [`NetError::Tls`], [`NetError::Timeout`].
    pub async fn connect(&self, target: &Target) -> Result<Connection, NetError> {
        let deadline = Instant::now() + self.timeouts.connect;
        let late = || NetError::Timeout {
            operation: "connecting to",
            url: target.origin.to_string(),
            after: self.timeouts.connect,
        };
        let (stream, peer) = timeout_at(deadline, self.connect_tcp(target)).await.map_err(|_| late())??;
        if !target.origin.is_secure() {
            return Ok(Connection { stream: Box::new(stream), peer, tls: false });
        }
        let failed = |fault| NetError::Tls { host: target.host().to_owned(), peer, fault };
        let connector = TlsConnector::from(self.trust.client());
        let name = server_name(&target.url).ok_or_else(|| failed(super::TlsFault::WrongName))?;
        let stream = timeout_at(deadline, connector.connect(name, stream))
            .await
            .map_err(|_| late())?
            .map_err(|e| failed(tls::fault(&e)))?;
        Ok(Connection { stream: Box::new(stream), peer, tls: true })
    }

    async fn connect_tcp(&self, target: &Target) -> Result<(TcpStream, SocketAddr), NetError> {
        let proxy = self.proxies.for_url(&target.url);
        let (mut attempts, mut refused) = (Vec::new(), None);
        for &address in &target.addresses {
            match proxy.filter(|_| !classify(address.ip()).is_near()) {
                None => match self.dial(address).await {
                    Ok(stream) => return Ok((stream, address)),
                    Err(failed) => attempts.push(failed),
                },
                Some(proxy) => match self.tunnel(proxy, target.host(), address).await {
                    Ok(stream) => return Ok((stream, address)),
                    // The proxy cannot reach this address; it may well reach the next.
                    Err(error @ NetError::Proxy { fault: ProxyFault::Refused { status: 500.., .. }, .. }) => {
                        refused = Some(error);
                    }
                    Err(error) => return Err(error),
                },
            }
        }
        Err(refused.unwrap_or_else(|| self.unreachable(target, attempts)))
    }

    /// Connects to one address, within the time that one address has.
    pub(super) async fn dial(&self, address: SocketAddr) -> Result<TcpStream, (SocketAddr, io::Error)> {
        match timeout(self.timeouts.address, self.dialer.dial(address)).await {
            Ok(Ok(stream)) => {
                // Frames are small and waited for; a delay to fill packets would only be felt.
                let _ = stream.set_nodelay(true);
                Ok(stream)
            }
            Ok(Err(error)) => Err((address, error)),
            Err(_) => Err((address, io::Error::new(io::ErrorKind::TimedOut, "no answer"))),
        }
    }

    fn unreachable(&self, target: &Target, attempts: Vec<(SocketAddr, io::Error)>) -> NetError {
        // A near address would be reached directly even if the proxy were used.
        let far = attempts.iter().any(|(address, _)| !classify(address.ip()).is_near());
        let proxy_variable = self.proxies.unused_variable().filter(|_| far);
        if proxy_variable.is_none() && attempts.iter().all(|(_, e)| e.kind() == io::ErrorKind::TimedOut) {
            let url = target.origin.to_string();
            return NetError::Timeout { operation: "connecting to", url, after: self.timeouts.address };
        }
        NetError::Connect { host: target.host().to_owned(), attempts, proxy_variable }
    }
}

fn server_name(url: &Url) -> Option<ServerName<'static>> {
    Some(match url.host()? {
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned()).ok()?,
        Host::Ipv4(v4) => ServerName::IpAddress(IpAddr::V4(v4).into()),
        Host::Ipv6(v6) => ServerName::IpAddress(IpAddr::V6(v6).into()),
    })
}
