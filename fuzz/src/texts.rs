//! What people write: scenarios, configurations, addresses.

use std::net::IpAddr;
use std::path::Path;

use agentcall::config;
use agentcall::net::{Origin, UrlPolicy, classify, shown};
use agentcall::scenario;
use url::{Host, Url};

/// A scenario: an error points into its line, and never repeats the value of a `uid=`.
pub fn scenario(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err(error) = scenario::parse("fuzz.agentcall", text) {
        let lines = text.lines().count().max(1);
        for error in std::iter::once(&error).chain(&error.also) {
            assert!((1..=lines).contains(&error.line), "line {} of {lines}", error.line);
            assert!(error.column >= 1 && !error.message.is_empty());
        }
    }
    // The same after an id: whatever is wrong behind it, the line is shown without it.
    if !text.contains("A1B2") {
        let script = format!("scan tag:uid=04A1B2C3D4E5F6 {text}");
        if let Err(error) = scenario::parse("fuzz.agentcall", &script) {
            assert!(!error.to_string().contains("04A1B2C3D4E5F6"), "an id is repeated");
        }
    }
}

/// A configuration: an error says something; the value of a key that looks like a secret is never repeated, whatever
/// stands around it.
pub fn config(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let path = Path::new("/etc/agentcall/config.toml");
    if let Err(error) = config::read_text(path, text) {
        assert!(!error.to_string().is_empty());
    }
    if !text.contains("s3cr3t") {
        for file in
            [format!("token = \"s3cr3t-value\"\n{text}"), format!("{text}\npassword = 's3cr3t-value'")]
        {
            let said =
                config::read_text(path, &file).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!said.contains("s3cr3t"), "a secret is repeated");
        }
    }
}

/// A URL: what passes is `https:`, or `http:` near the end that `--local` means; it has no user name and goes to no
/// address that the standard library calls loopback, private, link-local, multicast or unspecified; and passing is
/// stable.
pub fn url_policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for local in [false, true] {
        let policy = UrlPolicy { local };
        let Ok(url) = policy.parse(text) else { continue };
        assert!(url.scheme() == "https" || (local && url.scheme() == "http"));
        assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
        match url.host() {
            Some(Host::Ipv4(v4)) => address(IpAddr::V4(v4), &url, local),
            Some(Host::Ipv6(v6)) => address(IpAddr::V6(v6), &url, local),
            Some(Host::Domain(name)) => {
                assert!(name.parse::<IpAddr>().is_err(), "an address taken for a name")
            }
            None => panic!("a URL without a host passed"),
        }
        assert_eq!(policy.check(&url).as_ref().ok(), Some(&url), "what passed does not pass again");
        assert!(Origin::of(&url).is_some());
        let told = shown(&url);
        let query = told.split_once('?').map(|(_, query)| query);
        assert!(matches!(query, None | Some("…")), "a query is shown");
    }
    if let Ok(url) = Url::parse(text) {
        let _ = shown(&url);
    }
    if let Some(octets) = data.first_chunk::<16>() {
        admitted(IpAddr::from(*octets));
    }
    if let Some(octets) = data.first_chunk::<4>() {
        admitted(IpAddr::from(*octets));
    }
}

fn admitted(address: IpAddr) {
    if classify(address).is_allowed(false) {
        assert!(is_plainly_public(address), "{address} passes as public");
    }
}

fn address(address: IpAddr, url: &Url, local: bool) {
    if !local || url.scheme() == "https" && classify(address).is_allowed(false) {
        assert!(is_plainly_public(address), "{address} passes as public");
    }
}

fn is_plainly_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            !(v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_unspecified()
                || v4.is_documentation()
                || v4.is_broadcast()
                // Shared (RFC 6598), benchmarking (RFC 2544), reserved (RFC 1112), IETF assignments (RFC 6890).
                || matches!(v4.octets(), [100, 64..=127, ..] | [198, 18 | 19, ..] | [240..=255, ..] | [192, 0, 0, _] | [0, ..]))
        }
        IpAddr::V6(v6) => {
            !(v6.is_loopback()
                || v6.is_multicast()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                // Documentation (RFC 3849), site-local (RFC 3879), local NAT64 (RFC 8215).
                || matches!(v6.segments(), [0x2001, 0xDB8, ..] | [0xFEC0..=0xFEFF, ..] | [0x64, 0xFF9B, 1, ..]))
                && embedded(v6).is_none_or(|v4| is_plainly_public(IpAddr::V4(v4)))
                && v6.to_ipv4().is_none_or(|v4| is_plainly_public(IpAddr::V4(v4)))
        }
    }
}

/// The IPv4 address inside a NAT64 (RFC 6052) or 6to4 (RFC 3056) address.
fn embedded(v6: std::net::Ipv6Addr) -> Option<std::net::Ipv4Addr> {
    match v6.octets() {
        [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] | [0x20, 0x02, a, b, c, d, ..] => {
            Some([a, b, c, d].into())
        }
        _ => None,
    }
}
