use proptest::prelude::*;

use super::*;

/// What a request with these headers comes to.
fn asked(headers: &[(&str, &str)]) -> Result<(), Stranger> {
    let mut request = Request::builder().uri("/agui");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    check(&request.body(()).unwrap())
}

#[test]
fn a_host_is_an_address_or_a_name_that_nobody_can_own() {
    #[rustfmt::skip]
    let rows = [
        ("127.0.0.1:8787",          Ok(())),
        ("127.0.0.1",               Ok(())),
        ("192.168.1.20:80",         Ok(())),
        ("[::1]:8787",              Ok(())),
        ("[fe80::1]",               Ok(())),
        ("localhost:8787",          Ok(())),
        ("LocalHost.",              Ok(())),
        ("demo.localhost:1",        Ok(())),
        ("mybox:8787",              Ok(())),
        ("mybox.local",             Ok(())),
        ("agent.home.arpa",         Ok(())),
        ("agent.internal:8787",     Ok(())),
        ("evil.example",            Err(Stranger::PublicName)),
        ("evil.example.:8787",      Err(Stranger::PublicName)),
        ("127.0.0.1.evil.example",  Err(Stranger::PublicName)),
        ("localhost.evil.example",  Err(Stranger::PublicName)),
        ("evillocal.example",       Err(Stranger::PublicName)),
        ("notlocalhost.com",        Err(Stranger::PublicName)),
        (".local",                  Err(Stranger::PublicName)),
        ("local..",                 Err(Stranger::PublicName)),
        // Browsers make addresses of these before they send them; a name server could answer for them.
        ("0x7f.1",                  Err(Stranger::PublicName)),
        ("127.1",                   Err(Stranger::PublicName)),
        ("a\"b<script>",            Err(Stranger::NoHost)),
        ("user@127.0.0.1",          Err(Stranger::NoHost)),
        ("127.0.0.1:port",          Err(Stranger::NoHost)),
        ("127.0.0.1:99999",         Err(Stranger::NoHost)),
        ("127.0.0.1/path",          Err(Stranger::NoHost)),
        ("",                        Err(Stranger::NoHost)),
        (":8787",                   Err(Stranger::NoHost)),
    ];
    for (host, expected) in rows {
        assert_eq!(asked(&[("host", host)]), expected, "{host}");
    }
    assert_eq!(asked(&[]), Err(Stranger::NoHost));
    assert_eq!(asked(&[("host", "127.0.0.1"), ("host", "127.0.0.1")]), Err(Stranger::NoHost));
}

#[test]
fn an_origin_is_missing_or_the_agent_itself() {
    #[rustfmt::skip]
    let rows = [
        ("http://127.0.0.1:8787",       Ok(())),
        ("http://LOCALHOST:8787",       Err(Stranger::Page)),
        ("https://127.0.0.1:8787",      Err(Stranger::Page)),
        ("http://127.0.0.1",            Err(Stranger::Page)),
        ("http://127.0.0.1:8788",       Err(Stranger::Page)),
        ("http://127.0.0.1:8787/",      Err(Stranger::Page)),
        ("http://evil.example",         Err(Stranger::Page)),
        ("http://127.0.0.1:8787@evil",  Err(Stranger::Page)),
        ("chrome-extension://abcdef",   Err(Stranger::Page)),
        ("null",                        Err(Stranger::Page)),
        ("",                            Err(Stranger::Page)),
    ];
    for (origin, expected) in rows {
        assert_eq!(asked(&[("host", "127.0.0.1:8787"), ("origin", origin)]), expected, "{origin}");
    }
    let own = ("origin", "http://127.0.0.1:8787");
    assert_eq!(asked(&[("host", "127.0.0.1:8787"), own, own]), Err(Stranger::Page));
}

#[test]
fn what_only_looks_like_an_address_is_no_host() {
    for host in ["[]", "[::1::]", "[1]:80", "4294967296", "0x100000000"] {
        assert_eq!(asked(&[("host", host)]), Err(Stranger::NoHost), "{host}");
    }
}

/// RFC 9112, section 3.2.2: the name in the target goes before `Host`.
#[test]
fn a_target_with_a_name_of_its_own_is_checked_as_well() {
    for (target, expected) in
        [("http://127.0.0.1:8787/agui", Ok(())), ("http://evil.example/agui", Err(Stranger::PublicName))]
    {
        let request = Request::builder().uri(target).header("host", "127.0.0.1:8787").body(()).unwrap();
        assert_eq!(check(&request), expected);
    }
}

proptest! {
    /// What the card may echo is a host and a port, and nothing that means more in a URL or in JSON.
    #[test]
    fn an_accepted_host_is_nothing_but_a_host(host in "[a-z0-9.:\\[\\]@/?#%\"\\\\<> -]{0,24}") {
        if asked(&[("host", &host)]).is_ok() {
            let url = url::Url::parse(&format!("http://{host}/agui")).unwrap();
            prop_assert_eq!((url.path(), url.username(), url.query()), ("/agui", "", None));
        }
    }

    #[test]
    fn no_name_under_a_public_ending_is_answered(
        name in "[a-z0-9-]{1,12}(\\.[a-z0-9-]{1,12}){0,3}",
        ending in prop::sample::select(vec!["com", "example", "org", "dev", "localhost.com", "local.net"]),
    ) {
        let host = format!("{name}.{ending}:8787");
        prop_assert_eq!(asked(&[("host", &host)]), Err(Stranger::PublicName));
    }
}
