//! A token and the one origin it may go to (R17). A caller asks [`Credentials::bearer_for`] with a resolved
//! target, and gets the token only if it may be sent there.

use std::path::Path;

use zeroize::Zeroizing;

use super::{NetError, Origin, Target, UrlPolicy};
use crate::files;
use crate::redact::Token;

/// Longest token file that is read, in bytes.
const TOKEN_BYTES: usize = 16 * 1024;

/// The user's token and the origin it is bound to.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    /// The token, if the user gave one.
    pub token: Option<Token>,
    /// Where it may go: the origin the user named (`--token-origin`) or typed as the card's. Without one,
    /// as for a card from a file, the token goes nowhere.
    pub origin: Option<Origin>,
}

/// Whether a token goes along, and if not, why.
#[derive(Clone, Copy, Debug)]
pub enum Bearer<'a> {
    /// Send this one.
    Send(&'a Token),
    /// There is no token.
    NoToken,
    /// The token is bound to another origin, or to none.
    OtherOrigin,
    /// The connection is neither secured by TLS nor a loopback one in local development.
    NotSecure,
}

/// What became of the user's token in a request that was refused, so that the hint says what is really missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenFate {
    /// There is no token.
    #[default]
    Absent,
    /// It was sent.
    Sent,
    /// It was kept back: it belongs to another origin, or to none.
    OtherOrigin,
    /// It was kept back: neither TLS nor this machine.
    NotSecure,
}

impl From<Bearer<'_>> for TokenFate {
    fn from(bearer: Bearer<'_>) -> Self {
        match bearer {
            Bearer::Send(_) => Self::Sent,
            Bearer::NoToken => Self::Absent,
            Bearer::OtherOrigin => Self::OtherOrigin,
            Bearer::NotSecure => Self::NotSecure,
        }
    }
}

impl TokenFate {
    /// What the user can do about a 401.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::Absent => "It wants a token: give one with --token-env or --token-file.",
            Self::Sent => "The token was sent and not accepted: is it the right one, and still valid?",
            Self::OtherOrigin => {
                "It wants a token, and yours was not sent: it belongs to another origin. --token-origin names the one it may go to."
            }
            Self::NotSecure => {
                "It wants a token, and yours was not sent: it goes only over https, or with --local to this machine."
            }
        }
    }
}

impl Credentials {
    /// Binds the token to `origin` unless the user already named one.
    #[must_use]
    pub fn bound_to(mut self, origin: Option<Origin>) -> Self {
        self.origin = self.origin.or(origin);
        self
    }

    /// Whether the token may go to `target`: its own origin, over TLS or, with `--local`, to this machine.
    pub fn bearer_for(&self, target: &Target, policy: UrlPolicy) -> Bearer<'_> {
        let Some(token) = &self.token else { return Bearer::NoToken };
        if self.origin.as_ref() != Some(target.origin()) {
            return Bearer::OtherOrigin;
        }
        if target.origin().is_secure() || (policy.local && target.is_loopback()) {
            Bearer::Send(token)
        } else {
            Bearer::NotSecure
        }
    }
}

/// Reads a token from the environment variable `name` (`--token-env`).
///
/// # Errors
/// [`NetError::Setup`] when it is not set or holds no usable token.
pub fn read_token_env(name: &str) -> Result<Token, NetError> {
    let refuse = |reason: &str| NetError::Setup {
        what: "the token variable",
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    let value = std::env::var(name).map_err(|_| refuse("it is not set"))?;
    usable(&value).map_err(refuse)
}

/// Reads a token from a file (`--token-file`); white space around it is dropped.
///
/// # Errors
/// [`NetError::Setup`] when it cannot be read or holds no usable token.
pub fn read_token_file(path: &Path) -> Result<Token, NetError> {
    let refuse = |reason: String| NetError::setup_file("the token file", path, reason);
    let bytes = files::read_at_most(path, TOKEN_BYTES).map_err(|e| refuse(e.to_string()))?;
    let value = String::from_utf8(bytes).map(Zeroizing::new);
    let value = value.map_err(|_| refuse("it is not UTF-8".to_owned()))?;
    if value.len() > TOKEN_BYTES {
        return Err(refuse(format!("it has more than {TOKEN_BYTES} bytes")));
    }
    usable(&value).map_err(|reason| refuse(reason.to_owned()))
}

/// A token must fit an `Authorization` header: visible ASCII, no white space (RFC 6750).
fn usable(value: &str) -> Result<Token, &'static str> {
    let value = value.trim();
    if value.is_empty() {
        Err("it is empty")
    } else if !value.bytes().all(|b| b.is_ascii_graphic()) {
        Err("it holds white space or characters that no bearer token has")
    } else {
        Ok(Token::new(value))
    }
}
