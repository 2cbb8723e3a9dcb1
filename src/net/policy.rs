//! Which URLs are allowed by their form, and what an origin is. Called first, before anything is resolved.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Position, Url};

use super::{NetError, UrlFault, classify};

/// The policy for every URL the program contacts: the card's, its redirects, and `agui.url`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlPolicy {
    /// `--local`: plain HTTP, loopback and private addresses are allowed for development (R23).
    pub local: bool,
}

impl UrlPolicy {
    /// Reads a URL and checks its form: `https:`, or `http:` with `local`; a host; no user name or
    /// password. A fragment is dropped. A host that is literally an address is checked by [`Self::admit`].
    ///
    /// # Errors
    /// [`NetError::Form`] for the form, [`NetError::Address`] for a literal address.
    pub fn parse(self, text: &str) -> Result<Url, NetError> {
        let form = |fault| NetError::Form { url: shown_text(text), fault };
        let url = Url::parse(text.trim()).map_err(|e| form(UrlFault::NotAUrl(e.to_string())))?;
        self.check(&url)
    }

    /// [`Self::parse`] for a URL that is one already, as a redirect's.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn check(self, url: &Url) -> Result<Url, NetError> {
        let form = |fault| NetError::Form { url: shown(url), fault };
        match url.scheme() {
            "https" => {}
            "http" if self.local => {}
            "http" => return Err(form(UrlFault::PlainHttp)),
            "ws" | "wss" => return Err(form(UrlFault::WebSocketScheme)),
            other => return Err(form(UrlFault::Scheme(other.to_owned()))),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(form(UrlFault::UserInfo));
        }
        match url.host() {
            None => return Err(form(UrlFault::NoHost)),
            Some(Host::Domain("")) => return Err(form(UrlFault::NoHost)),
            Some(Host::Domain(_)) => {}
            Some(Host::Ipv4(v4)) => self.admit(url, IpAddr::V4(v4))?,
            Some(Host::Ipv6(v6)) => self.admit(url, IpAddr::V6(v6))?,
        }
        let mut url = url.clone();
        url.set_fragment(None);
        Ok(url)
    }

    /// Checks one address that the host of `url` stands for: public ones over HTTPS; with `local` also
    /// loopback and private ones, and over plain HTTP only those (R23).
    ///
    /// # Errors
    /// [`NetError::Address`].
    pub fn admit(self, url: &Url, address: IpAddr) -> Result<(), NetError> {
        let seen = classify(address);
        let plain = url.scheme() == "http";
        if seen.is_allowed(self.local) && (!plain || seen.is_near()) {
            return Ok(());
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        Err(NetError::Address { host, address, class: seen.class, form: seen.form, plain })
    }
}

/// Scheme, host and port of a URL (RFC 6454): what a token is bound to (R17).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: String,
    host: Host<String>,
    port: u16,
}

impl Origin {
    /// The origin of an `http:` or `https:` URL; none for another.
    pub fn of(url: &Url) -> Option<Self> {
        matches!(url.scheme(), "http" | "https").then_some(())?;
        Some(Self {
            scheme: url.scheme().to_owned(),
            host: url.host()?.to_owned(),
            port: url.port_or_known_default()?,
        })
    }

    /// Whether the origin is one of TLS.
    pub fn is_secure(&self) -> bool {
        self.scheme == "https"
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = if self.is_secure() { 443 } else { 80 };
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.port == default { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// A URL as errors and traces show it: without user name, password, query and fragment, any of which may
/// be a secret.
pub fn shown(url: &Url) -> String {
    let host = &url[Position::BeforeHost..Position::AfterPath];
    let query = if url.query().is_some() { "?…" } else { "" };
    if url.has_host() {
        format!("{}://{host}{query}", url.scheme())
    } else {
        format!("{}:{host}{query}", url.scheme())
    }
}

/// The same for text that could not be read as a URL.
fn shown_text(text: &str) -> String {
    let text = text.trim();
    let cut = text.find(['?', '#']).map_or(text, |at| &text[..at]);
    let (scheme, rest) = cut.split_once("://").map_or(("", cut), |(s, r)| (s, r));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, after)| after);
    let rest: String = rest.chars().take(200).collect();
    if scheme.is_empty() { rest } else { format!("{scheme}://{rest}") }
}
