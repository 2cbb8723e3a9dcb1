//! What the user can do about a failure, a sentence for each that something can be done about.

use super::{ANSWERING, EXCHANGING, ProxyFault, TlsFault};
use crate::net::{AddressClass, AddressForm};

pub(super) fn address(class: AddressClass, form: AddressForm, plain: bool) -> Option<String> {
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

pub(super) fn tls(fault: &TlsFault) -> Option<String> {
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
pub(super) fn timeout(operation: &str) -> Option<&'static str> {
    matches!(operation, ANSWERING | EXCHANGING).then_some(
        "It took the connection and was too slow with its answer: is it overloaded, or stuck? Trying again may help.",
    )
}

pub(super) fn proxy(fault: &ProxyFault) -> &'static str {
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
