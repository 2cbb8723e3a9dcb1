//! One `CONNECT` (RFC 9110, section 9.3.6): the proxy opens a way to a checked address, or says why not.
//! Its answer is bounded in bytes and in time as an agent's is.

use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Host;

use super::ProxyServer;
use crate::net::http::{Driver, HEADER_BYTES, USER_AGENT, bounded};
use crate::net::{NetContext, NetError, ProxyFault};

impl NetContext {
    /// Asks `proxy` for a way to `address`, one of the checked addresses of `host`.
    ///
    /// # Errors
    /// [`NetError::Proxy`].
    pub(in crate::net) async fn tunnel(
        &self,
        proxy: &ProxyServer,
        host: &str,
        address: SocketAddr,
    ) -> Result<TcpStream, NetError> {
        let failed = |fault| NetError::Proxy { proxy: proxy.to_string(), host: host.to_owned(), fault };
        let stream = self.reach(proxy).await.map_err(failed)?;
        let bound = self.timeouts.address;
        let opened = timeout(bound, open(stream, proxy, address)).await;
        opened.unwrap_or(Err(ProxyFault::Late(bound))).map_err(failed)
    }

    /// Connects to the proxy. Its address is the user's own word, so no policy stands before it.
    async fn reach(&self, proxy: &ProxyServer) -> Result<TcpStream, ProxyFault> {
        let addresses = match &proxy.host {
            Host::Ipv4(v4) => vec![IpAddr::V4(*v4)],
            Host::Ipv6(v6) => vec![IpAddr::V6(*v6)],
            Host::Domain(name) => match self.lookup(name).await {
                Ok(addresses) => addresses,
                Err(error) => return Err(ProxyFault::Unreachable(error.to_string())),
            },
        };
        let mut attempts = Vec::new();
        for ip in addresses {
            match self.dial(SocketAddr::new(ip, proxy.port)).await {
                Ok(stream) => return Ok(stream),
                Err(failed) => attempts.push(failed),
            }
        }
        Err(ProxyFault::Unreachable(crate::net::error::attempts_sentence(&attempts)))
    }
}

async fn open(stream: TcpStream, proxy: &ProxyServer, address: SocketAddr) -> Result<TcpStream, ProxyFault> {
    let request = request(proxy, address)?;
    let (mut sender, connection) = bounded().handshake(TokioIo::new(stream)).await.map_err(|e| fault(&e))?;
    let _driver = Driver::run(connection);
    let answer = sender.send_request(request).await.map_err(|e| fault(&e))?;
    judge(&answer, proxy, address)?;
    let upgraded = hyper::upgrade::on(answer).await.map_err(|e| fault(&e))?;
    let parts = upgraded
        .downcast::<TokioIo<TcpStream>>()
        .expect("what comes out of the connection is the stream that went in");
    // Through the tunnel TLS begins, and there the client speaks first.
    if !parts.read_buf.is_empty() {
        return Err(ProxyFault::SpokeFirst(parts.read_buf.len()));
    }
    Ok(parts.io.into_inner())
}

fn request(proxy: &ProxyServer, address: SocketAddr) -> Result<Request<Empty<Bytes>>, ProxyFault> {
    let to = address.to_string();
    let mut request = Request::builder()
        .method(Method::CONNECT)
        .uri(&to)
        .header(header::HOST, &to)
        .header(header::USER_AGENT, USER_AGENT);
    if let Some(credentials) = &proxy.credentials {
        let mut value = HeaderValue::from_str(&format!("Basic {}", credentials.expose_for_header()))
            .expect("base64 fits a header");
        value.set_sensitive(true);
        request = request.header(header::PROXY_AUTHORIZATION, value);
    }
    request.body(Empty::new()).map_err(|e| ProxyFault::Other(e.to_string()))
}

fn judge<T>(answer: &Response<T>, proxy: &ProxyServer, address: SocketAddr) -> Result<(), ProxyFault> {
    match answer.status() {
        status if status.is_success() => Ok(()),
        StatusCode::PROXY_AUTHENTICATION_REQUIRED if proxy.credentials.is_some() => {
            Err(ProxyFault::CredentialsRefused)
        }
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => Err(ProxyFault::CredentialsWanted),
        status => Err(ProxyFault::Refused { address, status: status.as_u16() }),
    }
}

fn fault(error: &hyper::Error) -> ProxyFault {
    if error.is_parse_too_large() {
        ProxyFault::TooLarge(HEADER_BYTES)
    } else if error.is_parse() {
        ProxyFault::NotHttp
    } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        ProxyFault::Ended
    } else {
        let cause = std::error::Error::source(error).map(|c| format!(" ({c})")).unwrap_or_default();
        ProxyFault::Other(format!("{error}{cause}"))
    }
}
