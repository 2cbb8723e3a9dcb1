//! The longer parts of what an error of the network says, and what to do about it. Called by `error` alone, and by
//! `proxy` for the addresses that were tried.

use std::net::{IpAddr, SocketAddr};

use super::error::{ANSWERING, EXCHANGING};
use super::{AddressClass, AddressForm, ProxyFault, TlsFault};
use crate::units::Bytes;

pub(super) fn address_sentence(
    host: &str,
    address: IpAddr,
    class: AddressClass,
    form: AddressForm,
    plain: bool,
) -> String {
    let literal = host.trim_matches(['[', ']']).parse::<IpAddr>() == Ok(address);
    let at = if literal { format!("the address {address}") } else { format!("the host {host} at {address}") };
    let class = match form {
        AddressForm::Plain => class.to_string(),
        form => format!("{class} in {form} form"),
    };
    let rule = if plain { ", and plain HTTP goes only to loopback and private addresses" } else { "" };
    format!("{at} was refused: it is {class}{rule}. Nothing was sent")
}

pub(super) fn address_hint(class: AddressClass, form: AddressForm, plain: bool) -> Option<String> {
    let plainly = matches!(form, AddressForm::Plain | AddressForm::Mapped);
    match class {
        AddressClass::Loopback | AddressClass::Private if plainly => {
            Some("Use --local for an agent on this machine or network.".to_owned())
        }
        AddressClass::Public if plain => Some("Use https.".to_owned()),
        AddressClass::Unspecified => {
            Some("That is an address to listen at, not one to connect to: try 127.0.0.1.".to_owned())
        }
        _ => None,
    }
}

pub(super) fn tls_hint(fault: &TlsFault) -> Option<String> {
    Some(match fault {
        TlsFault::UnknownIssuer => {
            "If you trust its issuer, give the issuer's certificate with --ca FILE (PEM).".to_owned()
        }
        TlsFault::Expired | TlsFault::NotYetValid => {
            "The agent needs a new certificate; also check this machine's clock.".to_owned()
        }
        TlsFault::OldVersion => "The agent's server needs an update; older versions are not safe.".to_owned(),
        TlsFault::WrongName => "Use the name that stands in the certificate.".to_owned(),
        TlsFault::NotTls => "If it is an agent for local development, use http:// with --local.".to_owned(),
        _ => return None,
    })
}

/// What to do about an answer that does not come, or not whole.
pub(super) fn timeout_hint(operation: &str) -> Option<&'static str> {
    matches!(operation, ANSWERING | EXCHANGING).then_some(
        "It took the connection and was too slow with its answer: is it overloaded, or stuck? Trying again may help.",
    )
}

pub(super) fn proxy_hint(fault: &ProxyFault) -> &'static str {
    match fault {
        ProxyFault::CredentialsWanted | ProxyFault::CredentialsRefused => {
            "They stand in its URL, http://USER:PASSWORD@HOST:PORT; in AGENTCALL_PROXY no other user sees them."
        }
        ProxyFault::Refused { .. } => {
            "It is asked for an address that was checked here, not for a name; its operator may have to allow that. --proxy none goes without it."
        }
        ProxyFault::NotHttp | ProxyFault::TooLarge(_) | ProxyFault::SpokeFirst(_) | ProxyFault::Ended => {
            "Is it an HTTP proxy, and spoken to without TLS? --proxy none goes without it."
        }
        ProxyFault::Unreachable(_) | ProxyFault::Late(_) | ProxyFault::Other(_) => {
            "Is its address right, and is it up? --proxy none goes without it."
        }
    }
}

pub(super) fn attempts_sentence(attempts: &[(SocketAddr, std::io::Error)]) -> String {
    let one = |(address, error): &(SocketAddr, std::io::Error)| format!("{address}: {error}");
    attempts.iter().map(one).collect::<Vec<_>>().join("; ")
}

pub(super) fn reason_phrase(status: u16) -> String {
    let known = hyper::StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason());
    known.map(|reason| format!(" {reason}")).unwrap_or_default()
}

pub(super) fn body_sentence(body: &str) -> String {
    let words = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

pub(super) fn exceeds(declared: Option<u64>) -> String {
    match declared {
        Some(size) => format!("announces {} bytes,", Bytes(usize::try_from(size).unwrap_or(usize::MAX))),
        None => "has".to_owned(),
    }
}
