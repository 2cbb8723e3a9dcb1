//! Which addresses a connection is tried to at all, however they are written and whoever names them. Every
//! connection goes through a dialer that keeps what it was asked for: what is refused was never tried.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use agentcall::discovery::fetch::{CardSource, fetch};
use agentcall::net::{Credentials, Dialer, NetContext, NetErrorKind, Resolver, UrlPolicy, http};
use agentcall::transport::websocket::{Options, open};
use futures_util::future::BoxFuture;
use proptest::prelude::*;
use tokio::net::TcpStream;
use url::Url;

use crate::server::{answer, local, paths, serve_routes};

/// Connects nowhere, and keeps what it was asked for.
#[derive(Default)]
struct Counting(Mutex<Vec<SocketAddr>>);

impl Dialer for Counting {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.0.lock().unwrap().push(address);
        Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
    }
}

/// Gives every name these addresses.
struct Always(Vec<IpAddr>);

impl Resolver for Always {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// What came of asking `url` for a card and for a WebSocket: the kinds of failure, and every address that was
/// tried.
async fn tried(local: bool, url: &str, names: &[&str]) -> (Vec<NetErrorKind>, Vec<SocketAddr>) {
    let dialer = Arc::new(Counting::default());
    let mut net = NetContext::trusting_only(UrlPolicy { local }, &[]).unwrap();
    net.dialer = dialer.clone();
    net.resolver = Arc::new(Always(names.iter().map(|name| name.parse().unwrap()).collect()));
    let mut kinds = Vec::new();
    match net.policy.parse(url) {
        Err(error) => kinds.push(error.kind()),
        Ok(url) => {
            kinds.push(http::get(&net, &url, "application/json", None, 10).await.unwrap_err().kind());
            let link = open(&url, &net, &Credentials::default(), Options::default()).await;
            kinds.extend(link.err().map(|error| error.kind()));
        }
    }
    kinds.dedup();
    let addresses = dialer.0.lock().unwrap().clone();
    (kinds, addresses)
}

/// Every way in which one IPv4 address may be written in a URL (WHATWG URL, section 3.5).
fn spellings(address: u32) -> Vec<String> {
    let [a, b, c, d] = address.to_be_bytes();
    let (low16, low24) = (address & 0xffff, address & 0x00ff_ffff);
    let mut all = vec![
        format!("{a}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("{a:#o}.{b:#o}.{c:#o}.{d:#o}").replace("0o", "0"),
        format!("{a:#x}.{b:#X}.{c:#x}.{d:#x}"),
        format!("{a:#x}.{b}.0{c:o}.{d}"),
        format!("{a}.{b}.{low16}"),
        format!("{a}.{low24:#x}"),
        format!("{a}.0{low24:o}."),
        format!("{address}"),
        format!("{address:#x}"),
        format!("0x{address:012X}"),
        format!("0{address:o}"),
        format!("[::ffff:{a}.{b}.{c}.{d}]"),
        format!("[0:0:0:0:0:FFFF:{:x}:{low16:x}]", address >> 16),
    ];
    let wide: String = all[0].chars().map(wide).collect();
    all.extend([wide, all[0].replace('.', "\u{3002}"), all[0].replace('.', "%2e"), percent(&all[8])]);
    all
}

/// The fullwidth form of an ASCII character (U+FF01..), which IDNA maps back.
fn wide(c: char) -> char {
    char::from_u32(u32::from(c) + 0xfee0).unwrap()
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

const SPECIAL: &[&str] = &[
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.1.2.3",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
];

/// IPv6 addresses that are special themselves, or because of an IPv4 address in them.
const SPECIAL_V6: &[&str] = &[
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8",
    "2001::5601:5601",
    "2001:2::1",
    "2001:db8::1",
    "2002:a00:1::",
    "2606:4700::5efe:10.0.0.1",
    "2606:4700::200:5efe:169.254.169.254",
    "3fff::1",
    "4000::1",
    "100::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
];

#[tokio::test]
async fn f13_no_spelling_of_a_special_address_is_ever_tried() {
    for special in SPECIAL {
        let address: std::net::Ipv4Addr = special.parse().unwrap();
        for spelling in spellings(address.to_bits()) {
            let url = format!("https://{spelling}/card.json");
            assert_eq!(tried(false, &url, &[]).await, (vec![NetErrorKind::AddressPolicy], vec![]), "{url}");
        }
    }
    for special in SPECIAL_V6 {
        let url = format!("https://[{special}]:8443/card.json");
        assert_eq!(tried(false, &url, &[]).await, (vec![NetErrorKind::AddressPolicy], vec![]), "{url}");
    }
}

#[tokio::test]
async fn f13_no_name_of_a_special_address_is_ever_tried_though_a_public_one_stands_beside_it() {
    for special in SPECIAL.iter().chain(SPECIAL_V6) {
        for names in [&[*special][..], &["8.8.8.8", special], &[special, "2606:4700::1111"]] {
            for host in ["agent.example", "agent.example.", "localhost", "b\u{fc}cher.example"] {
                let seen = tried(false, &format!("https://{host}/"), names).await;
                assert_eq!(seen, (vec![NetErrorKind::AddressPolicy], vec![]), "{host} is {names:?}");
            }
        }
    }
}

#[tokio::test]
async fn local_opens_this_machine_and_network_and_nothing_else() {
    for special in SPECIAL.iter().chain(SPECIAL_V6) {
        let near = ["10.", "127.", "172.16.", "192.168.", "::1", "::ffff:10.", "fc00:"];
        // "::127.0.0.1" begins like "::1", and is a deprecated form that no system writes.
        let near = near.iter().any(|kind| special.starts_with(kind)) && *special != "::127.0.0.1";
        let address: IpAddr = special.parse().unwrap();
        for (url, port) in [("https://agent.example/", 443), ("http://agent.example:81/", 81)] {
            let (kinds, addresses) = tried(true, url, &[special]).await;
            if near {
                let once = SocketAddr::new(address, port);
                assert_eq!((kinds, addresses), (vec![NetErrorKind::Connect], vec![once, once]), "{special}");
            } else {
                assert_eq!((kinds, addresses), (vec![NetErrorKind::AddressPolicy], vec![]), "{special}");
            }
        }
    }
    let (kinds, addresses) = tried(true, "http://agent.example/", &["8.8.8.8"]).await;
    assert_eq!((kinds, addresses), (vec![NetErrorKind::AddressPolicy], vec![]), "plain HTTP stays near");
}

#[tokio::test]
async fn a_host_that_is_no_host_is_a_mistake_of_the_url() {
    for host in [
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[::1",
        "[::ffff:127.0.0.1.]",
        "[127.0.0.1]",
        "256.1.1.1",
        "1.2.3.4.5",
        "0x100000000",
        "4294967296",
        "1.2.3.08",
        "agent.example.1",
        "agent example",
        "agent%00.example",
        "agent%2F.example",
        "a\u{0}b",
        "xn--a\u{308}",
        "[::1]evil",
        "",
    ] {
        let (kinds, addresses) = tried(true, &format!("https://{host}/"), &["8.8.8.8"]).await;
        assert_eq!((kinds, addresses), (vec![NetErrorKind::UrlForm], vec![]), "{host}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is written, the address that is tried is the one that was meant, or none.
    #[test]
    fn every_spelling_means_the_same_address(bits: u32, at in 0..18_usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let plain = runtime.block_on(tried(true, &format!("https://{}/", std::net::Ipv4Addr::from_bits(bits)), &[]));
        let spelling = &spellings(bits)[at];
        let other = runtime.block_on(tried(true, &format!("https://{spelling}/"), &[]));
        prop_assert_eq!(&plain.0, &other.0, "{}", spelling);
        let unmapped = other.1.iter().map(|a| (a.ip().to_canonical(), a.port())).collect::<Vec<_>>();
        let expected = plain.1.iter().map(|a| (a.ip(), a.port())).collect::<Vec<_>>();
        prop_assert_eq!(unmapped, expected, "{}", spelling);
    }

    /// However an origin is reached, a card cannot make the program try an address that is not public.
    #[test]
    fn whatever_a_name_resolves_to_only_public_addresses_are_tried(bits: u128, four: bool) {
        let address: IpAddr = if four {
            std::net::Ipv4Addr::from_bits(bits as u32).into()
        } else {
            std::net::Ipv6Addr::from_bits(bits).into()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (_, tried) = runtime.block_on(tried(false, "https://agent.example/", &[&address.to_string()]));
        let public = agentcall::net::classify(address).is_allowed(false);
        prop_assert_eq!(tried.len(), if public { 2 } else { 0 });
    }
}

#[test]
fn a_url_that_means_a_name_is_not_mistaken_for_an_address() {
    for name in ["127.0.0.1.example", "0x7f.example", "localhost.example", "\u{ff41}gent.example"] {
        let url = UrlPolicy { local: false }.parse(&format!("https://{name}/")).unwrap();
        assert!(matches!(url.host(), Some(url::Host::Domain(_))), "{url}");
    }
    let url: Url = UrlPolicy { local: false }.parse("https://\u{ff41}gent.example/").unwrap();
    assert_eq!(url.host_str(), Some("agent.example"), "fullwidth letters are the letters they look like");
}

/// Connects to this machine, and keeps what it was asked for.
#[derive(Default)]
struct Keeping(Mutex<Vec<SocketAddr>>);

impl Dialer for Keeping {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.0.lock().unwrap().push(address);
        assert!(address.ip().is_loopback(), "{address} was tried");
        Box::pin(TcpStream::connect(address))
    }
}

/// A name that means this machine at first, and then something that nobody may ask.
#[derive(Default)]
struct Changing(Mutex<usize>);

impl Resolver for Changing {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let mut asked = self.0.lock().unwrap();
        *asked += 1;
        let address = if *asked == 1 { "127.0.0.1" } else { "169.254.169.254" };
        Box::pin(async move { Ok(vec![address.parse().unwrap()]) })
    }
}

#[tokio::test]
async fn f14_a_name_that_changes_on_the_way_is_checked_again_each_time() {
    for path in ["/card.json", "/moved.json"] {
        let (port, heads) = serve_routes(|path, _| match path {
            "/moved.json" => answer("302 Found", "Location: /card.json\r\n", ""),
            _ => answer("200 OK", "Content-Type: application/json\r\n", "{}"),
        })
        .await;
        let dialer = Arc::new(Keeping::default());
        let mut net = local();
        net.dialer = dialer.clone();
        net.resolver = Arc::new(Changing::default());
        let at = |path: &str| Url::parse(&format!("http://agent.test:{port}{path}")).unwrap();
        let card = fetch(&CardSource::Url(at(path)), &net, &Credentials::default(), None).await;
        let refused = match card {
            // The card came from here; its session would go elsewhere.
            Ok(_) => open(&at("/agui"), &net, &Credentials::default(), Options::default())
                .await
                .err()
                .map(|e| e.kind()),
            // The redirect would have.
            Err(error) => Some(error.kind()),
        };
        assert_eq!(refused, Some(NetErrorKind::AddressPolicy), "{path}");
        assert_eq!(dialer.0.lock().unwrap().len(), 1, "{path}: what was refused was not tried");
        assert_eq!(paths(&heads), [path]);
    }
}
