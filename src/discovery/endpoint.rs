//! The form of `params.agui.url` (R23), and whether it can be reached from here at all.
//!
//! Only what the text of the URL says is judged here; which addresses a name resolves to is checked by
//! `net` when the connection is made.

use std::net::IpAddr;

use url::{Host, Url};

use super::CardContext;
use super::findings::{At, Findings, quoted};
use crate::protocol::rules;

/// Checks the URL; gives it back as advertised when its form is good.
pub(super) fn check(at: &At, context: &CardContext, found: &mut Findings) -> Option<String> {
    let rule = &rules::CARD_ENDPOINT;
    let Some(text) = at.text() else {
        found.refuse(rule, &at.pointer, format!("expected an https URL, {}", at.came()));
        return None;
    };
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            found.refuse(rule, &at.pointer, "expected a whole https URL, came one without scheme and host");
            return None;
        }
        Err(error) => {
            found.refuse(rule, &at.pointer, format!("it is not a URL: {error}"));
            return None;
        }
    };
    let before = found.refusals.len();
    scheme(&url, at, context, found);
    if !url.username().is_empty() || url.password().is_some() {
        found.refuse(rule, &at.pointer, "it carries a user name or a password, which is never sent");
    }
    reachable(&url, at, context, found);
    (found.refusals.len() == before).then(|| text.to_owned())
}

fn scheme(url: &Url, at: &At, context: &CardContext, found: &mut Findings) {
    let rule = &rules::CARD_ENDPOINT;
    match url.scheme() {
        "https" => {}
        "http" if context.local && is_near(url) => {}
        "http" if context.local => {
            let detail = "http: is allowed only to a loopback or private address, use https: (R23)";
            found.refuse(rule, &at.pointer, detail);
        }
        "http" => {
            let detail =
                "expected https:, came http:; for an agent on your own machine or network add --local";
            found.refuse(rule, &at.pointer, detail);
        }
        "ws" | "wss" => {
            let detail = format!(
                "expected https:, came {}:; the WebSocket address is derived from an https URL (R23)",
                url.scheme()
            );
            found.refuse(rule, &at.pointer, detail);
        }
        other => found.refuse(rule, &at.pointer, format!("expected https:, came {}", quoted(other))),
    }
}

fn reachable(url: &Url, at: &At, context: &CardContext, found: &mut Findings) {
    let rule = &rules::CARD_ENDPOINT;
    let source = context.final_url.as_deref().and_then(|text| Url::parse(text).ok());
    let hint = match &source {
        Some(url) => format!("; the card itself came from {}", url.origin().ascii_serialization()),
        None => String::new(),
    };
    if ip_of(url).is_some_and(|ip| ip.is_unspecified()) {
        let detail = format!(
            "it names an address that is not reachable: a server listens on it, nobody can connect to it{hint}"
        );
        found.refuse(rule, &at.pointer, detail);
        return;
    }
    let Some(source) = source.filter(|source| is_loopback(url) && !is_loopback(source)) else { return };
    let detail = format!(
        "the card names an address that is not reachable from here: it is the agent's own machine, and the card came from {}",
        source.origin().ascii_serialization()
    );
    if context.local {
        found.note(rule, &at.pointer, detail);
    } else {
        found.refuse(rule, &at.pointer, detail);
    }
}

/// The address that the host spells out; IPv4 inside IPv6 is unwrapped.
fn ip_of(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(ip) => Some(ip.into()),
        Host::Ipv6(ip) => Some(IpAddr::from(ip).to_canonical()),
        Host::Domain(_) => None,
    }
}

fn is_localhost(url: &Url) -> bool {
    let Some(Host::Domain(name)) = url.host() else { return false };
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

fn is_loopback(url: &Url) -> bool {
    is_localhost(url) || ip_of(url).is_some_and(|ip| ip.is_loopback())
}

/// Whether the host may be loopback or private; a name is decided when it is resolved.
fn is_near(url: &Url) -> bool {
    match ip_of(url) {
        Some(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_unspecified(),
        Some(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unspecified(),
        None => true,
    }
}
