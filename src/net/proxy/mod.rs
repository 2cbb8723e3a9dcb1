//! Proxies: what the user said about them ([`ProxyChoice`]), which one a connection takes ([`Proxies`]), and
//! how one is asked to open a way (`tunnel`). Called by `connect`; the choice comes from the settings.
//!
//! None is used unless the user says so. Names are resolved and addresses checked here all the same, and the
//! proxy is asked for the checked address: it is trusted with the way, not with the policy. Loopback and
//! private addresses are reached directly, and with them everything over plain HTTP (R23).

mod tunnel;

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use url::{Host, Url};
use zeroize::Zeroizing;

use super::NetError;
use crate::redact::Token;

/// The variables that name a proxy for `https:` URLs; the first that is set counts. `HTTP_PROXY` is not among
/// them: what goes over plain HTTP is near and never takes a proxy.
const VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
/// The variables that list what is reached without a proxy; the first that is set counts.
const EXCEPT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// What the user says about proxies (`proxy`, `--proxy`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxyChoice {
    /// None is used, whatever the environment says.
    #[default]
    None,
    /// `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` are followed.
    Environment,
    /// Everything that is not near goes through this one.
    Server(ProxyServer),
}

impl ProxyChoice {
    /// Reads `none`, `environment` or the `http:` URL of a proxy.
    ///
    /// # Errors
    /// [`ProxyUrlFault`], which repeats nothing of the text.
    pub fn parse(text: &str) -> Result<Self, ProxyUrlFault> {
        match text.trim() {
            "none" => Ok(Self::None),
            "environment" => Ok(Self::Environment),
            url => ProxyServer::parse(url).map(Self::Server),
        }
    }
}

impl fmt::Display for ProxyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Environment => f.write_str("environment"),
            Self::Server(server) => server.fmt(f),
        }
    }
}

/// An HTTP proxy that is spoken to over plain TCP. What is sent through it is TLS all the same. Shown without
/// its user name and password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyServer {
    host: Host<String>,
    port: u16,
    /// Base64 of user name and password (RFC 7617).
    credentials: Option<Token>,
}

/// Why a text does not name a proxy. Nothing of the text is repeated: it may hold a password.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ProxyUrlFault {
    /// The text is no URL.
    #[error("it is not a URL with a host")]
    NotAUrl,
    /// HTTPS, SOCKS, or something else.
    #[error("only proxies with an http:// URL are known, and this is another kind")]
    Scheme,
    /// A path, a query or a fragment.
    #[error("the URL of a proxy ends after host and port")]
    Path,
    /// A user name with a colon, or bytes that are no text.
    #[error("its user name or password cannot be sent (RFC 7617)")]
    Credentials,
}

impl ProxyServer {
    /// Reads `http://[USER:PASSWORD@]HOST[:PORT]`; without a port it is 80.
    ///
    /// # Errors
    /// [`ProxyUrlFault`].
    pub fn parse(text: &str) -> Result<Self, ProxyUrlFault> {
        let url = Url::parse(text).map_err(|_| ProxyUrlFault::NotAUrl)?;
        if url.scheme() != "http" {
            return Err(ProxyUrlFault::Scheme);
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(ProxyUrlFault::Path);
        }
        let host = url.host().ok_or(ProxyUrlFault::NotAUrl)?.to_owned();
        let port = url.port_or_known_default().ok_or(ProxyUrlFault::NotAUrl)?;
        Ok(Self { host, port, credentials: basic(&url)? })
    }
}

/// The credentials of a Basic `Proxy-Authorization`, if the URL has any (RFC 7617, section 2).
fn basic(url: &Url) -> Result<Option<Token>, ProxyUrlFault> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let decode = |text| -> Result<Zeroizing<String>, ProxyUrlFault> {
        let text = percent_decode_str(text).decode_utf8().map_err(|_| ProxyUrlFault::Credentials)?;
        Ok(Zeroizing::new(text.into_owned()))
    };
    let (user, password) = (decode(url.username())?, decode(url.password().unwrap_or_default())?);
    if user.contains(':') || user.chars().chain(password.chars()).any(char::is_control) {
        return Err(ProxyUrlFault::Credentials);
    }
    let pair = Zeroizing::new(format!("{}:{}", *user, *password));
    let encoded = Zeroizing::new(data_encoding::BASE64.encode(pair.as_bytes()));
    Ok(Some(Token::new(&encoded)))
}

impl fmt::Display for ProxyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}:{}", self.host, self.port)
    }
}

/// Which proxy a connection takes. Made once, from the choice and the environment.
#[derive(Clone, Debug)]
pub enum Proxies {
    /// None.
    Unused {
        /// The variable that names one all the same, for the hint when a connection fails.
        variable: Option<&'static str>,
    },
    /// This one, for everything that is not near.
    Server(Arc<ProxyServer>),
    /// This one, but for the hosts that `NO_PROXY` lists.
    ServerExcept(Arc<ProxyServer>, Arc<Matcher>),
}

impl Proxies {
    /// Looks up what the choice means. `variable` reads the environment.
    ///
    /// # Errors
    /// [`NetError::Setup`] for a variable that names no proxy of a known kind: going without it would not be
    /// what the user said.
    pub fn of(choice: &ProxyChoice, variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, NetError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let named = VARIABLES.into_iter().find_map(|name| Some((name, set(name)?)));
        match (choice, named) {
            (ProxyChoice::Server(server), _) => Ok(Self::Server(Arc::new(server.clone()))),
            (ProxyChoice::None, named) => Ok(Self::Unused { variable: named.map(|(name, _)| name) }),
            (ProxyChoice::Environment, None) => Ok(Self::Unused { variable: None }),
            (ProxyChoice::Environment, Some((name, value))) => {
                let server = of_variable(name, &value)?;
                let except = EXCEPT.into_iter().find_map(set).unwrap_or_default();
                // Its own proxy is never asked for: it only has to have one, to say where none is taken.
                let except = Matcher::builder().https("http://proxy").no(except.to_string_lossy().as_ref());
                Ok(Self::ServerExcept(Arc::new(server), Arc::new(except.build())))
            }
        }
    }

    /// The proxy for this URL, when its address is not near.
    pub(super) fn for_url(&self, url: &Url) -> Option<&ProxyServer> {
        match self {
            Self::Unused { .. } => None,
            Self::Server(server) => Some(server),
            Self::ServerExcept(server, except) => {
                // The host alone: the rest says nothing, and is a stranger's.
                let host = url.host_str().unwrap_or_default().trim_end_matches('.');
                // What the list cannot be asked about is not excepted: a proxy was asked for.
                let uri = format!("https://{host}/").parse::<Uri>();
                let direct = uri.is_ok_and(|uri| except.intercept(&uri).is_none());
                (!direct).then_some(&**server)
            }
        }
    }

    /// The variable that names a proxy which is not used.
    pub(super) fn unused_variable(&self) -> Option<&'static str> {
        match self {
            Self::Unused { variable } => *variable,
            Self::Server(_) | Self::ServerExcept(..) => None,
        }
    }
}

fn of_variable(name: &'static str, value: &OsString) -> Result<ProxyServer, NetError> {
    let refuse =
        |reason: String| NetError::Setup { what: "the proxy variable", name: name.to_owned(), reason };
    let value = value.to_str().ok_or_else(|| refuse("it is not valid UTF-8".to_owned()))?;
    // `proxy.example:3128` without a scheme is common in the environment, and means http.
    let http = format!("http://{value}");
    let url = if value.contains("://") { value } else { &http };
    ProxyServer::parse(url).map_err(|fault| refuse(fault.to_string()))
}
