use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use proptest::prelude::*;
use tokio::net::TcpStream;
use url::Url;

use super::*;
use crate::redact::Token;

const PUBLIC: UrlPolicy = UrlPolicy { local: false };
const LOCAL: UrlPolicy = UrlPolicy { local: true };

/// One row: address, class, form, allowed without and with `--local`.
#[rustfmt::skip]
const ADDRESSES: &[(&str, AddressClass, AddressForm, bool, bool)] = {
    use AddressClass as C;
    use AddressForm as F;
    &[
        ("8.8.8.8", C::Public, F::Plain, true, true),
        ("2606:4700::1111", C::Public, F::Plain, true, true),
        ("127.0.0.1", C::Loopback, F::Plain, false, true),
        ("127.8.8.8", C::Loopback, F::Plain, false, true),
        ("::1", C::Loopback, F::Plain, false, true),
        ("10.1.2.3", C::Private, F::Plain, false, true),
        ("172.16.0.1", C::Private, F::Plain, false, true),
        ("172.32.0.1", C::Public, F::Plain, true, true),
        ("192.168.1.1", C::Private, F::Plain, false, true),
        ("fd12::1", C::Private, F::Plain, false, true),
        ("169.254.1.1", C::LinkLocal, F::Plain, false, false),
        ("fe80::1", C::LinkLocal, F::Plain, false, false),
        ("fec0::1", C::LinkLocal, F::Plain, false, false),
        ("169.254.169.254", C::Metadata, F::Plain, false, false),
        ("100.100.100.200", C::Metadata, F::Plain, false, false),
        ("168.63.129.16", C::Metadata, F::Plain, false, false),
        ("fd00:ec2::254", C::Metadata, F::Plain, false, false),
        ("0.0.0.0", C::Unspecified, F::Plain, false, false),
        ("::", C::Unspecified, F::Plain, false, false),
        ("224.0.0.1", C::Multicast, F::Plain, false, false),
        ("ff02::1", C::Multicast, F::Plain, false, false),
        ("255.255.255.255", C::Broadcast, F::Plain, false, false),
        ("192.0.2.1", C::Documentation, F::Plain, false, false),
        ("198.51.100.1", C::Documentation, F::Plain, false, false),
        ("203.0.113.1", C::Documentation, F::Plain, false, false),
        ("2001:db8::1", C::Documentation, F::Plain, false, false),
        ("3fff::1", C::Documentation, F::Plain, false, false),
        ("100.64.0.1", C::Shared, F::Plain, false, false),
        ("198.18.0.1", C::Benchmarking, F::Plain, false, false),
        ("240.0.0.1", C::Reserved, F::Plain, false, false),
        ("192.88.99.1", C::Reserved, F::Plain, false, false),
        ("2001:20::1", C::Reserved, F::Plain, false, false),
        ("100::1", C::Reserved, F::Plain, false, false),
        ("4000::1", C::Reserved, F::Plain, false, false),
        // F11 and F13: an IPv4 address inside an IPv6 one
        ("::ffff:7f00:1", C::Loopback, F::Mapped, false, true),
        ("::ffff:169.254.169.254", C::Metadata, F::Mapped, false, false),
        ("::ffff:8.8.8.8", C::Public, F::Mapped, true, true),
        ("::127.0.0.1", C::Loopback, F::Compatible, false, false),
        ("::10.0.0.1", C::Private, F::Compatible, false, false),
        ("::ffff:0:7f00:1", C::Loopback, F::Translated, false, false),
        ("64:ff9b::a9fe:a9fe", C::Metadata, F::Nat64, false, false),
        ("64:ff9b::7f00:1", C::Loopback, F::Nat64, false, false),
        ("64:ff9b::808:808", C::Public, F::Nat64, true, true),
        ("64:ff9b:1::808:808", C::Reserved, F::LocalNat64, false, false),
        ("64:ff9b:1:7f00:0:100::", C::Reserved, F::LocalNat64, false, false),
        ("2002:7f00:1::", C::Loopback, F::SixToFour, false, false),
        ("2002:a9fe:a9fe::1", C::Metadata, F::SixToFour, false, false),
        ("2002:808:808::1", C::Public, F::SixToFour, true, true),
        // Teredo: the client's address is inverted, 5601:5601 is 169.254.169.254; the server counts too
        ("2001::5601:5601", C::Metadata, F::Teredo, false, false),
        ("2001:0:808:808:0:0:f7f7:f7f7", C::Public, F::Teredo, true, true),
        ("2001:0:7f00:1:0:0:f7f7:f7f7", C::Loopback, F::Teredo, false, false),
        ("2001:0:808:808:0:0:80ff:fffe", C::Loopback, F::Teredo, false, false),
        // its flags and port may look like ISATAP: its client's address is inverted all the same
        ("2001:0:808:808:0:5efe:f7f7:f7f7", C::Public, F::Teredo, true, true),
        // ISATAP: under a public prefix, a private one, and one that carries an IPv4 address itself
        ("2606:4700::5efe:127.0.0.1", C::Loopback, F::Isatap, false, false),
        ("2606:4700::200:5efe:169.254.169.254", C::Metadata, F::Isatap, false, false),
        ("2606:4700::300:5efe:10.0.0.1", C::Private, F::Isatap, false, false),
        ("2606:4700::200:5efe:8.8.8.8", C::Public, F::Isatap, true, true),
        ("2606:4700::400:5efe:10.0.0.1", C::Public, F::Plain, true, true),
        ("fe80::5efe:8.8.8.8", C::LinkLocal, F::Isatap, false, false),
        ("fd12::5efe:8.8.8.8", C::Private, F::Isatap, false, false),
        ("::5efe:8.8.8.8", C::Reserved, F::Isatap, false, false),
        ("2002:808:808::5efe:10.0.0.1", C::Private, F::Isatap, false, false),
        ("2002:7f00:1::5efe:8.8.8.8", C::Loopback, F::Isatap, false, false),
        // the edges of the ranges
        ("0.255.255.255", C::Unspecified, F::Plain, false, false),
        ("9.255.255.255", C::Public, F::Plain, true, true),
        ("11.0.0.0", C::Public, F::Plain, true, true),
        ("100.63.255.255", C::Public, F::Plain, true, true),
        ("100.127.255.255", C::Shared, F::Plain, false, false),
        ("100.128.0.0", C::Public, F::Plain, true, true),
        ("126.255.255.255", C::Public, F::Plain, true, true),
        ("127.255.255.255", C::Loopback, F::Plain, false, true),
        ("169.253.255.255", C::Public, F::Plain, true, true),
        ("169.255.0.0", C::Public, F::Plain, true, true),
        ("172.15.255.255", C::Public, F::Plain, true, true),
        ("172.31.255.255", C::Private, F::Plain, false, true),
        ("192.0.0.255", C::Reserved, F::Plain, false, false),
        ("192.0.1.0", C::Public, F::Plain, true, true),
        ("192.169.0.0", C::Public, F::Plain, true, true),
        ("198.17.255.255", C::Public, F::Plain, true, true),
        ("198.19.255.255", C::Benchmarking, F::Plain, false, false),
        ("198.20.0.0", C::Public, F::Plain, true, true),
        ("223.255.255.255", C::Public, F::Plain, true, true),
        ("239.255.255.255", C::Multicast, F::Plain, false, false),
        ("255.255.255.254", C::Reserved, F::Plain, false, false),
        ("fbff::1", C::Reserved, F::Plain, false, false),
        ("fc00::1", C::Private, F::Plain, false, true),
        ("fdff::1", C::Private, F::Plain, false, true),
        ("fe00::1", C::Reserved, F::Plain, false, false),
        ("febf::1", C::LinkLocal, F::Plain, false, false),
        ("feff::1", C::LinkLocal, F::Plain, false, false),
        ("ff0e::1", C::Multicast, F::Plain, false, false),
        ("2001:1ff::1", C::Reserved, F::Plain, false, false),
        ("2001:200::1", C::Public, F::Plain, true, true),
        ("2001:2::1", C::Benchmarking, F::Plain, false, false),
        ("2001:db7:ffff::1", C::Public, F::Plain, true, true),
        ("2001:db9::1", C::Public, F::Plain, true, true),
        ("3fff:fff::1", C::Documentation, F::Plain, false, false),
        ("3fff:1000::1", C::Public, F::Plain, true, true),
        ("1fff::1", C::Reserved, F::Plain, false, false),
        ("64:ff9b::1:0:0", C::Reserved, F::Plain, false, false),
        ("5f00::1", C::Reserved, F::Plain, false, false),
    ]
};

#[test]
fn every_kind_of_address_is_seen_for_what_it_is() {
    for (text, class, form, public, local) in ADDRESSES {
        let seen = classify(text.parse().unwrap());
        assert_eq!((seen.class, seen.form), (*class, *form), "{text}");
        assert_eq!((seen.is_allowed(false), seen.is_allowed(true)), (*public, *local), "{text}");
    }
}

#[test]
fn a_literal_address_in_a_url_is_refused_as_the_same_address_resolved() {
    for (text, _, _, public, local) in ADDRESSES {
        let host = if text.contains(':') { format!("[{text}]") } else { (*text).to_owned() };
        let url = format!("https://{host}/");
        assert_eq!(PUBLIC.parse(&url).is_ok(), *public, "{url}");
        assert_eq!(LOCAL.parse(&url).is_ok(), *local, "{url}");
    }
}

proptest! {
    #[test]
    fn no_ipv6_form_makes_an_ipv4_address_more_allowed(bits: u32, local: bool, form in 0..8_usize) {
        let v4 = Ipv4Addr::from_bits(bits);
        let (high, low) = ((bits >> 16) as u16, bits as u16);
        let wrapped = match form {
            0 => Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
            1 => Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
            2 => Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
            3 => Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            4 => Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            5 => Ipv6Addr::new(0x2001, 0, 0x0808, 0x0808, 0, 0, !high, !low),
            6 => Ipv6Addr::new(0x2606, 0x4700, 0, 1, 0, 0x5efe, high, low),
            _ => Ipv6Addr::new(0x2002, 0x0808, 0x0808, 1, 0x0200, 0x5efe, high, low),
        };
        // ::1 lies inside the IPv4-compatible block and is IPv6's own loopback address.
        prop_assume!(!(form == 1 && high == 0 && low <= 1));
        if classify(IpAddr::V6(wrapped)).is_allowed(local) {
            prop_assert!(classify(IpAddr::V4(v4)).is_allowed(local), "{wrapped} lets {v4} through");
        }
    }

    #[test]
    fn what_is_allowed_without_local_is_also_allowed_with_it(bits: u128) {
        let seen = classify(IpAddr::V6(Ipv6Addr::from_bits(bits)));
        prop_assert!(!seen.is_allowed(false) || seen.is_allowed(true));
    }

    #[test]
    fn no_text_makes_the_policy_panic_or_lets_user_info_through(text in ".{0,60}") {
        for text in [text.clone(), format!("https://{text}")] {
            if let Ok(url) = PUBLIC.parse(&text) {
                prop_assert!(url.scheme() == "https" && url.username().is_empty());
                prop_assert!(url.password().is_none() && url.fragment().is_none());
            }
        }
    }
}

#[test]
fn urls_are_judged_by_their_form() {
    let judge = |policy: UrlPolicy, text: &str| match policy.parse(text) {
        Ok(url) => format!("ok {url}"),
        Err(error) => format!("{:?}: {error}", error.kind()),
    };
    let rows = [
        (PUBLIC, "https://agent.example/a?b=1#part", "ok https://agent.example/a?b=1"),
        (
            PUBLIC,
            "http://agent.example/",
            "UrlForm: the URL http://agent.example/ was refused: plain HTTP is allowed only for local development",
        ),
        (LOCAL, "http://agent.example/", "ok http://agent.example/"),
        (
            LOCAL,
            "wss://agent.example/agui",
            "UrlForm: the URL wss://agent.example/agui was refused: it must be an https: URL; the WebSocket \
             address is derived from it (R23)",
        ),
        (
            PUBLIC,
            "https://user:secret@agent.example/?key=secret",
            "UrlForm: the URL https://agent.example/?… was refused: it carries a user name or password, and \
             credentials never stand in a URL",
        ),
        (
            PUBLIC,
            "https://u:secret@agent example/",
            "UrlForm: the URL https://agent example/ was refused: it is not a URL (invalid international \
             domain name)",
        ),
        (
            PUBLIC,
            "file:///etc/passwd",
            "UrlForm: the URL file:/etc/passwd was refused: the scheme \"file\" is not https",
        ),
        (
            PUBLIC,
            "https://[::ffff:7f00:1]/",
            "AddressPolicy: the address ::ffff:127.0.0.1 was refused: it is a loopback address in IPv4-mapped \
             form. Nothing was sent",
        ),
        (
            PUBLIC,
            "https://0x7f000001/",
            "AddressPolicy: the address 127.0.0.1 was refused: it is a loopback address. Nothing was sent",
        ),
        (
            LOCAL,
            "http://8.8.8.8/",
            "AddressPolicy: the address 8.8.8.8 was refused: it is a public address, and plain HTTP goes only \
             to loopback and private addresses. Nothing was sent",
        ),
    ];
    for (policy, text, expected) in rows {
        assert_eq!(judge(policy, text), expected);
    }
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    let origin = |text: &str| Origin::of(&Url::parse(text).unwrap()).unwrap();
    assert_eq!(origin("https://Agent.example/a"), origin("https://agent.example:443/b?c"));
    for other in ["https://agent.example:8443/", "http://agent.example/", "https://a.agent.example/"] {
        assert_ne!(origin("https://agent.example/"), origin(other), "{other}");
    }
    assert_eq!(origin("http://[::1]:8080/x").to_string(), "http://[::1]:8080");
    assert_eq!(Origin::of(&Url::parse("wss://agent.example/").unwrap()), None);
}

/// Answers each look-up with the next list; the last one stays.
struct Script {
    answers: Vec<Vec<&'static str>>,
    asked: AtomicUsize,
}

impl Resolver for Script {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let found = self.answers[at].iter().map(|a| a.parse().unwrap()).collect();
        Box::pin(async move { Ok(found) })
    }
}

fn context(policy: UrlPolicy, answers: Vec<Vec<&'static str>>) -> (NetContext, Arc<Script>) {
    let script = Arc::new(Script { answers, asked: AtomicUsize::new(0) });
    let mut net = NetContext::trusting_only(policy, &[]).unwrap();
    net.resolver = script.clone();
    (net, script)
}

#[tokio::test]
async fn one_bad_address_among_good_ones_refuses_the_host() {
    let (net, _) = context(PUBLIC, vec![vec!["8.8.8.8", "169.254.169.254"]]);
    let error = net.resolve(&Url::parse("https://agent.example/").unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), NetErrorKind::AddressPolicy);
    assert_eq!(
        error.to_string(),
        "the host agent.example at 169.254.169.254 was refused: it is a cloud metadata address. Nothing was sent"
    );
}

#[tokio::test]
async fn a_host_is_resolved_once_and_only_its_checked_addresses_are_connected_to() {
    let (net, script) = context(PUBLIC, vec![vec!["8.8.8.8"], vec!["127.0.0.1"]]);
    let url = Url::parse("https://agent.example/").unwrap();
    let target = net.resolve(&url).await.unwrap();
    assert_eq!(target.addresses(), ["8.8.8.8:443".parse::<SocketAddr>().unwrap()]);
    assert_eq!(script.asked.load(Ordering::SeqCst), 1);
    // The name now points inside: asking anew is refused, the first target still holds the first address.
    assert_eq!(net.resolve(&url).await.unwrap_err().kind(), NetErrorKind::AddressPolicy);
    assert_eq!(target.addresses(), ["8.8.8.8:443".parse::<SocketAddr>().unwrap()]);
}

#[tokio::test(start_paused = true)]
async fn a_resolver_that_never_answers_is_given_up() {
    struct Silent;
    impl Resolver for Silent {
        fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
            Box::pin(std::future::pending())
        }
    }
    let (mut net, _) = context(PUBLIC, vec![]);
    net.resolver = Arc::new(Silent);
    let error = net.resolve(&Url::parse("https://agent.example/").unwrap()).await.unwrap_err();
    assert_eq!(error.to_string(), "resolving agent.example took more than 5 s");
    assert_eq!(error.kind(), NetErrorKind::Timeout);
}

/// F2: an address that takes no connection and refuses none, as behind a firewall that drops packets.
#[tokio::test(start_paused = true)]
async fn a_connection_that_is_never_made_is_given_up_address_by_address_and_as_a_whole() {
    struct Mute;
    impl Dialer for Mute {
        fn dial(&self, _: SocketAddr) -> BoxFuture<'_, std::io::Result<TcpStream>> {
            Box::pin(std::future::pending())
        }
    }
    for (addresses, seconds, said) in [
        (vec!["8.8.8.8"], 4, "connecting to https://agent.example took more than 4 s"),
        (
            vec!["8.8.8.8", "8.8.4.4", "1.1.1.1"],
            10,
            "connecting to https://agent.example took more than 10 s",
        ),
    ] {
        let (mut net, _) = context(PUBLIC, vec![addresses]);
        net.dialer = Arc::new(Mute);
        let target = net.resolve(&Url::parse("https://agent.example/").unwrap()).await.unwrap();
        let begun = tokio::time::Instant::now();
        let error = net.connect(&target).await.err().expect("nothing answers");
        assert_eq!(begun.elapsed().as_secs(), seconds, "{error}");
        assert_eq!(error.to_string(), said);
    }
}

#[tokio::test]
async fn a_token_goes_to_its_own_origin_over_tls_or_to_this_machine_alone() {
    let judge = async |bound_to: Option<&str>, policy, target: &str, address| {
        let (net, _) = context(policy, vec![vec![address]]);
        let target = net.resolve(&Url::parse(target).unwrap()).await.unwrap();
        let origin = bound_to.map(|text| Origin::of(&Url::parse(text).unwrap()).unwrap());
        let credentials = Credentials { token: Some(Token::new("s3cret")), origin };
        format!("{:?}", credentials.bearer_for(&target, policy))
    };
    let (https, http) = ("https://agent.example/", "http://agent.example/");
    assert_eq!(judge(Some(https), PUBLIC, "https://agent.example/agui", "8.8.8.8").await, "Send([token])");
    assert_eq!(judge(Some(https), PUBLIC, "https://other.example/agui", "8.8.8.8").await, "OtherOrigin");
    assert_eq!(judge(Some(https), PUBLIC, "https://agent.example:444/", "8.8.8.8").await, "OtherOrigin");
    assert_eq!(judge(None, PUBLIC, https, "8.8.8.8").await, "OtherOrigin");
    assert_eq!(judge(Some(https), LOCAL, http, "127.0.0.1").await, "OtherOrigin");
    assert_eq!(judge(Some(http), LOCAL, http, "127.0.0.1").await, "Send([token])");
    assert_eq!(judge(Some(http), LOCAL, http, "192.168.1.1").await, "NotSecure");
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_read_to_their_bound_only() {
    let token = read_token_file(std::path::Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(token.contains("more than 16384 bytes"), "{token}");
    let authority = super::tls::Trust::new(&["/dev/zero".into()], false).err().unwrap().to_string();
    assert!(authority.contains("more than 4,194,304 bytes"), "{authority}");
}

#[test]
fn token_files_are_read_without_their_line_end_and_never_repeated_in_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let good = read_token_file(&write("good", "abc.def-1\n")).unwrap();
    assert_eq!(good.expose_for_header(), "abc.def-1");
    for (name, text) in
        [("empty", " \n"), ("two", "s3cret s3cret"), ("line", "s3cret\nX: y"), ("non", "s3crét")]
    {
        let error = read_token_file(&write(name, text)).unwrap_err();
        assert_eq!(error.kind(), NetErrorKind::Setup);
        assert!(!format!("{error} {error:?}").contains("s3cr"), "{error:?}");
    }
    let missing = read_token_file(&directory.path().join("missing")).unwrap_err();
    assert!(missing.to_string().starts_with("the token file "), "{missing}");
}
