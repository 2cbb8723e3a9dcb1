//! Candidates (RFC 8839, section 5.1): junk is left out and the call goes on.

use std::net::IpAddr;

/// Most candidates that are tried. A peer has one for each of its addresses and servers.
pub(super) const CANDIDATES: usize = 100;

/// Where a candidate is, if it can be tried at all: UDP, a port, and an address or a name of mDNS. Other names are
/// never looked up: whoever wrote the description must not choose them.
pub(super) fn usable(value: &str) -> bool {
    let mut words = value.split_ascii_whitespace();
    let (_foundation, component) = (words.next(), words.next());
    let (protocol, priority) = (words.next(), words.next());
    let (address, port) = (words.next(), words.next());
    let (typ, kind) = (words.next(), words.next());
    let is_number = |word: Option<&str>, most: u64| {
        word.and_then(|w| w.parse::<u64>().ok()).is_some_and(|n| (1..=most).contains(&n))
    };
    is_number(component, 256)
        && protocol.is_some_and(|p| p.eq_ignore_ascii_case("udp"))
        && is_number(priority, u64::from(u32::MAX))
        && is_number(port, 65_535)
        && typ == Some("typ")
        && kind.is_some_and(|kind| ["host", "srflx", "prflx", "relay"].contains(&kind))
        && address.is_some_and(is_place)
}

fn is_place(address: &str) -> bool {
    match address.parse::<IpAddr>() {
        Ok(address) => !address.is_unspecified() && !address.is_multicast(),
        Err(_) => is_mdns(address),
    }
}

/// A name of multicast DNS, behind which browsers hide their addresses.
fn is_mdns(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    name.strip_suffix(".local").is_some_and(|n| !n.is_empty() && n.len() <= 63 && n.bytes().all(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e8_junk_candidates_are_told_from_good_ones() {
        let good = [
            "1 1 udp 2130706431 127.0.0.1 9 typ host",
            "a/+ 1 UDP 1 2001:db8::1 65535 typ srflx raddr 0.0.0.0 rport 0",
            "1 1 udp 1 10.0.0.1 1 typ relay generation 0 ufrag abcd",
            "1 1 udp 1 8fd7a4b2-6c1e-4d0b-9a3f-000000000000.local 50000 typ host",
        ];
        let junk = [
            "",
            "1 1 udp",
            "1 1 ssltcp 1 10.0.0.1 443 typ host",
            "1 1 tcp 1 10.0.0.1 9 typ host tcptype active",
            "1 1 udp 1 10.0.0.1 70000 typ host",
            "1 1 udp 1 10.0.0.1 0 typ host",
            "1 1 udp 1 fe80::1%eth0 5000 typ host",
            "1 1 udp 1 agent.example 5000 typ host",
            "1 1 udp 1 0.0.0.0 5000 typ host",
            "1 1 udp 1 224.0.0.251 5353 typ host",
            "1 1 udp 1 ..local 5000 typ host",
            "1 1 udp x 10.0.0.1 5000 typ host",
            "1 1 udp 1 10.0.0.1 5000 typ guess",
        ];
        assert_eq!(good.map(usable), [true; 4]);
        assert_eq!(junk.map(usable), [false; 13]);
    }
}
