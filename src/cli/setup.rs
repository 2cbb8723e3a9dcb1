//! From what was typed to what the engine is told: policy, credentials, devices, times.

use std::time::Duration;

use super::args::{ConfigArgs, NetArgs};
use super::exit::{Failure, Kind};
use crate::discovery::fetch::CardSource;
use crate::net::{Credentials, NetContext, Origin, UrlPolicy, read_token_env, read_token_file};
use crate::protocol::Dialect;

/// How an agent is reached, resolved.
#[derive(Clone)]
pub struct Settled {
    /// Policy, resolver, TLS, times.
    pub net: NetContext,
    /// The token and where it may go (R17).
    pub credentials: Credentials,
    /// How long to wait for an agent that is not up yet.
    pub wait: Option<Duration>,
    /// The open names of the wire.
    pub dialect: Dialect,
}

impl Settled {
    /// Resolves the flags.
    ///
    /// # Errors
    /// [`Kind::Usage`] when a file, a variable or a URL cannot be used.
    pub fn of(net: &NetArgs, _config: &ConfigArgs) -> Result<Self, Failure> {
        let policy = UrlPolicy { local: net.local };
        Ok(Self {
            net: NetContext::system(policy, &net.ca)?,
            credentials: credentials(net, policy)?,
            wait: net.wait,
            dialect: Dialect::default(),
        })
    }

    /// Reads the URL or path of a card.
    ///
    /// # Errors
    /// [`Kind::Usage`] for a form that the policy refuses, [`Kind::Connection`] for an address.
    pub fn source(&self, typed: &str) -> Result<CardSource, Failure> {
        Ok(CardSource::parse(typed, self.net.policy)?)
    }
}

fn credentials(net: &NetArgs, policy: UrlPolicy) -> Result<Credentials, Failure> {
    let token = match (&net.token_env, &net.token_file) {
        (Some(name), _) => Some(read_token_env(name)?),
        (None, Some(path)) => Some(read_token_file(path)?),
        (None, None) => None,
    };
    let origin = match &net.token_origin {
        Some(url) => Some(origin(url, policy)?),
        None => None,
    };
    if token.is_none() && origin.is_some() {
        let failure =
            Failure::new(Kind::Usage, "--token-origin says where a token may go, and there is none");
        return Err(failure.hint("Give one with --token-env or --token-file.".to_owned()));
    }
    Ok(Credentials { token, origin })
}

fn origin(url: &str, policy: UrlPolicy) -> Result<Origin, Failure> {
    let url = policy.parse(url)?;
    Origin::of(&url).ok_or_else(|| Failure::new(Kind::Usage, "--token-origin needs an https URL with a host"))
}
