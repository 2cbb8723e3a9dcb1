//! F8, proxies: none unless the user says so; then everything that is not near goes through it, by `CONNECT`
//! to an address that was checked here. The proxy is written by hand on a loopback port. The dialer keeps every
//! address that is tried, and opens only those of this machine: a way past the proxy would show, and fail.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentcall::net::{
    Credentials, Dialer, NetContext, NetError, NetErrorKind, Origin, Proxies, ProxyChoice, Resolver,
    Timeouts, UrlPolicy, http,
};
use agentcall::redact::Token;
use agentcall::transport::websocket::{Options, open};
use futures_util::future::BoxFuture;
use tokio::net::TcpStream;
use url::Url;

use crate::answers::serve_tls;
use crate::peer::switch;
use crate::server::*;

mod faults;

const AGENT: &str = "https://agent.example/card.json";
const OPENED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

/// Opens connections to this machine only, and keeps what it was asked for.
#[derive(Default)]
struct Watching(Mutex<Vec<SocketAddr>>);

impl Dialer for Watching {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.0.lock().unwrap().push(address);
        Box::pin(async move {
            if address.ip().is_loopback() {
                TcpStream::connect(address).await
            } else {
                Err(io::ErrorKind::ConnectionRefused.into())
            }
        })
    }
}

/// Names and their addresses.
struct Names(HashMap<&'static str, Vec<&'static str>>);

impl Resolver for Names {
    fn lookup<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let found = self.0.get(host.trim_end_matches('.'));
        let found = found.map(|list| list.iter().map(|address| address.parse().unwrap()).collect());
        Box::pin(async move { found.ok_or_else(|| io::Error::other("no such name")) })
    }
}

/// A context that goes through `proxies`, and what it tried.
fn through(
    proxies: Proxies,
    agent: &[&'static str],
    authorities: &[std::path::PathBuf],
) -> (NetContext, Arc<Watching>) {
    let watching = Arc::new(Watching::default());
    let mut net = local_trusting(authorities);
    net.policy = UrlPolicy { local: false };
    // Times that never matter, however busy the machine is; who waits for one sets it.
    let long = Duration::from_secs(30);
    net.timeouts = Timeouts { resolve: long, address: long, connect: long, first_byte: long, exchange: long };
    net.resolver = Arc::new(Names(HashMap::from([
        ("agent.example", agent.to_vec()),
        ("other.example", agent.to_vec()),
        ("a{b}.example", agent.to_vec()),
        ("proxy.example", vec!["127.0.0.1"]),
    ])));
    net.dialer = watching.clone();
    net.proxies = proxies;
    (net, watching)
}

fn tried(watching: &Watching) -> Vec<String> {
    watching.0.lock().unwrap().iter().map(ToString::to_string).collect()
}

fn server(url: &str) -> Proxies {
    Proxies::of(&ProxyChoice::parse(url).unwrap(), |_| None).unwrap()
}

/// What an environment with these variables means for one who asks for it, or does not.
fn environment(choice: &ProxyChoice, variables: &[(&str, &str)]) -> Result<Proxies, NetError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    Proxies::of(choice, |name| variables.get(name).map(OsString::from))
}

/// A proxy that leads every way to a loopback port, and keeps the heads it gets.
async fn leads_to(port: u16) -> (u16, Heads) {
    let heads = Heads::default();
    let kept = heads.clone();
    let proxy = serve(move |mut stream: TcpStream| {
        let kept = kept.clone();
        async move {
            let head = read_head(&mut stream).await;
            kept.lock().unwrap().push(head);
            write(&mut stream, OPENED).await;
            let mut agent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut agent).await;
        }
    })
    .await;
    (proxy, heads)
}

/// A proxy that answers each `CONNECT` with the next of these texts, the last one again and again, and then
/// hangs up or waits.
async fn answers(texts: Vec<String>, hangs_up: bool) -> (u16, Heads) {
    let heads = Heads::default();
    let kept = heads.clone();
    let port = serve(move |mut stream: TcpStream| {
        let (kept, texts) = (kept.clone(), texts.clone());
        async move {
            let head = read_head(&mut stream).await;
            let at = kept.lock().unwrap().len().min(texts.len() - 1);
            kept.lock().unwrap().push(head);
            write(&mut stream, &texts[at]).await;
            if !hangs_up {
                until_closed(&mut stream).await;
            }
        }
    })
    .await;
    (port, heads)
}

async fn card(net: &NetContext, url: &str) -> Result<http::Answer, NetError> {
    http::get(net, &Url::parse(url).unwrap(), "application/json", None, 1024).await
}

fn reply(head: &str) -> String {
    if head.contains("sec-websocket-key") { switch(head, "") } else { answer("200 OK", "", "{}") }
}

#[tokio::test]
async fn f8_a_proxy_of_the_environment_is_not_used_unless_the_user_says_so() {
    let (port, heads) = leads_to(1).await;
    let url = format!("http://127.0.0.1:{port}");
    let variables = [("HTTPS_PROXY", url.as_str()), ("all_proxy", &url), ("HTTP_PROXY", &url)];
    let (net, watching) = through(environment(&ProxyChoice::None, &variables).unwrap(), &["8.8.8.8"], &[]);
    let error = card(&net, AGENT).await.unwrap_err();
    let link = open(&Url::parse(AGENT).unwrap(), &net, &Credentials::default(), Options::default()).await;
    assert!(link.is_err());
    assert_eq!(tried(&watching), ["8.8.8.8:443", "8.8.8.8:443"]);
    assert!(heads.lock().unwrap().is_empty());
    assert_eq!(
        error.hint().unwrap(),
        "HTTPS_PROXY is set, but not used: the connection is direct. --proxy environment uses it."
    );
}

#[tokio::test]
async fn the_hint_about_an_unused_proxy_is_given_only_where_one_would_be_used() {
    let variables = [("ALL_PROXY", "http://proxy.example:3128")];
    let (mut net, _) = through(environment(&ProxyChoice::None, &variables).unwrap(), &["10.1.2.3"], &[]);
    net.policy = UrlPolicy { local: true };
    let hint = card(&net, "http://agent.example/").await.unwrap_err().hint().unwrap();
    assert!(hint.contains("Is the agent running?"), "{hint}");
    let only_http = environment(&ProxyChoice::None, &[("HTTP_PROXY", "http://proxy.example:3128")]).unwrap();
    let (net, _) = through(only_http, &["8.8.8.8"], &[]);
    let hint = card(&net, AGENT).await.unwrap_err().hint().unwrap();
    assert!(!hint.contains("PROXY"), "nothing of ours goes where HTTP_PROXY counts: {hint}");
}

#[tokio::test]
async fn card_and_websocket_go_through_the_proxy_to_the_checked_address_and_tls_goes_through_it_to_the_agent()
{
    let (agent, authority, _directory) = serve_tls(&["agent.example"], 2999, reply).await;
    let (port, heads) = leads_to(agent).await;
    let url = format!("http://proxy.example:{port}");
    let variables = [("HTTPS_PROXY", url.as_str())];
    for proxies in [server(&url), environment(&ProxyChoice::Environment, &variables).unwrap()] {
        let (net, watching) = through(proxies, &["8.8.8.8"], std::slice::from_ref(&authority));
        let answer = card(&net, AGENT).await.unwrap();
        assert_eq!((answer.body.as_slice(), answer.peer), (b"{}".as_slice(), "8.8.8.8:443".parse().unwrap()));
        let url = Url::parse("https://agent.example/agui").unwrap();
        let credentials = Credentials { token: Some(Token::new("s3cret")), origin: Origin::of(&url) };
        let link = open(&url, &net, &credentials, Options::default()).await.unwrap();
        assert!(link.peer.tls && link.peer.authorized);
        assert_eq!(link.peer.address, Some("8.8.8.8:443".parse().unwrap()));
        assert_eq!(tried(&watching), [format!("127.0.0.1:{port}"), format!("127.0.0.1:{port}")]);
    }
    let expected = concat!(
        "CONNECT 8.8.8.8:443 HTTP/1.1\r\nhost: 8.8.8.8:443\r\nuser-agent: agentcall/",
        env!("CARGO_PKG_VERSION"),
        "\r\n\r\n"
    );
    assert_eq!(*heads.lock().unwrap(), [expected; 4], "and nothing of the agent or its token");
}

#[tokio::test]
async fn a_certificate_is_asked_for_the_agents_name_whatever_the_proxy_leads_to() {
    let (agent, authority, _directory) = serve_tls(&["proxy.example"], 2999, reply).await;
    let (port, _) = leads_to(agent).await;
    let (net, _) = through(server(&format!("http://proxy.example:{port}")), &["8.8.8.8"], &[authority]);
    let error = card(&net, AGENT).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no secure connection to agent.example at 8.8.8.8:443: its certificate is for another name"
    );
}

#[tokio::test]
async fn near_addresses_are_reached_without_the_proxy() {
    let (agent, _) = serve_routes(|_, _| answer("200 OK", "", "{}")).await;
    let (port, heads) = leads_to(agent).await;
    let (mut net, watching) =
        through(server(&format!("http://127.0.0.1:{port}")), &["10.1.2.3", "127.0.0.1"], &[]);
    net.policy = UrlPolicy { local: true };
    card(&net, &format!("http://agent.example:{agent}/")).await.unwrap();
    assert_eq!(tried(&watching), [format!("10.1.2.3:{agent}"), format!("127.0.0.1:{agent}")]);
    assert!(heads.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_forbidden_address_is_not_asked_of_the_proxy_either() {
    let (port, heads) = answers(vec![OPENED.to_owned()], false).await;
    for (url, names) in [
        (AGENT, &["169.254.169.254"][..]),
        (AGENT, &["8.8.8.8", "10.0.0.1"]),
        (AGENT, &["2606:4700::5efe:10.0.0.1"]),
        ("https://127.0.0.1/", &[]),
        ("https://[64:ff9b::a9fe:a9fe]/", &[]),
    ] {
        let (net, watching) = through(server(&format!("http://127.0.0.1:{port}")), names, &[]);
        assert_eq!(card(&net, url).await.unwrap_err().kind(), NetErrorKind::AddressPolicy);
        assert!(tried(&watching).is_empty() && heads.lock().unwrap().is_empty(), "{url} {names:?}");
    }
}

#[tokio::test]
async fn no_proxy_lists_what_is_reached_directly() {
    let (port, _) = answers(vec![answer("403 Forbidden", "", "")], false).await;
    let url = format!("127.0.0.1:{port}");
    let rows = [
        ("", AGENT, true),
        ("agent.example", AGENT, false),
        (".agent.example", AGENT, false),
        ("AGENT.example", AGENT, false),
        ("example", AGENT, false),
        ("gent.example", AGENT, true),
        ("other.example , agent.example", AGENT, false),
        ("agent.example", "https://agent.example.:8443/", false),
        ("agent.example", "https://other.example/", true),
        ("*", AGENT, false),
        // A host that a URL may have, and that the matcher cannot read.
        ("other.example", "https://a{b}.example/", true),
        ("8.8.8.8", "https://8.8.8.8/", false),
        ("8.8.0.0/16", "https://8.8.8.8/", false),
        ("8.9.0.0/16", "https://8.8.8.8/", true),
        ("2606:4700::/32", "https://[2606:4700::1111]/", false),
        // The list is about what the URL says; a name is not looked up for it.
        ("8.8.8.8", AGENT, true),
        (",,/,8.8.8.8/99,[", AGENT, true),
    ];
    for (list, to, expected) in rows {
        for name in ["NO_PROXY", "no_proxy"] {
            let proxies =
                environment(&ProxyChoice::Environment, &[("https_proxy", url.as_str()), (name, list)])
                    .unwrap();
            let (net, watching) = through(proxies, &["8.8.8.8"], &[]);
            card(&net, to).await.unwrap_err();
            assert_eq!(
                tried(&watching) == [url.clone()],
                expected,
                "{name}={list} {to}: {:?}",
                tried(&watching)
            );
        }
    }
    // Who names a proxy himself means it, whatever the environment excepts.
    let choice = ProxyChoice::parse(&format!("http://{url}")).unwrap();
    let (net, watching) = through(environment(&choice, &[("NO_PROXY", "*")]).unwrap(), &["8.8.8.8"], &[]);
    card(&net, AGENT).await.unwrap_err();
    assert_eq!(tried(&watching), [url]);
}

#[tokio::test]
async fn user_name_and_password_go_to_the_proxy_and_are_shown_nowhere() {
    let (port, heads) = answers(vec!["HTTP/1.1 407 No\r\n\r\n".to_owned()], false).await;
    let proxies = server(&format!("http://me:hunter%3A22%C3%A9@127.0.0.1:{port}"));
    let (net, _) = through(proxies.clone(), &["8.8.8.8"], &[]);
    let error = card(&net, AGENT).await.unwrap_err();
    assert!(
        error.to_string().ends_with("it does not accept the user name and password that it was given (407)")
    );
    let basic = data_encoding::BASE64.encode("me:hunter:22é".as_bytes());
    let head = heads.lock().unwrap()[0].clone();
    assert!(head.contains(&format!("proxy-authorization: Basic {basic}\r\n")), "{head}");
    let shown = format!("{error} {error:?} {:?} {proxies:?}", error.hint());
    assert!(!shown.contains("hunter") && !shown.contains(&basic) && !shown.contains("me:"), "{shown}");
}

#[test]
fn the_environment_is_read_as_others_read_it_and_what_cannot_be_followed_is_refused() {
    let chosen = |variables: &[(&str, &str)]| match environment(&ProxyChoice::Environment, variables) {
        Ok(Proxies::ServerExcept(server, _)) => server.to_string(),
        Ok(Proxies::Unused { variable: None }) => "none".to_owned(),
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            assert_eq!(error.kind(), NetErrorKind::Setup);
            format!("{error} {error:?}")
        }
    };
    assert_eq!(chosen(&[]), "none");
    assert_eq!(chosen(&[("HTTP_PROXY", "http://p:1")]), "none");
    assert_eq!(chosen(&[("HTTPS_PROXY", ""), ("ALL_PROXY", "http://p:1")]), "http://p:1");
    assert_eq!(chosen(&[("all_proxy", "http://b:2"), ("https_proxy", "http://a:1/")]), "http://a:1");
    assert_eq!(chosen(&[("https_proxy", "me:hunter22@p:3128")]), "http://p:3128");
    assert_eq!(chosen(&[("https_proxy", "[::1]:3128")]), "http://[::1]:3128");
    for (wrong, why) in [
        ("https://me:hunter22@p", "only proxies with an http:// URL are known, and this is another kind"),
        ("socks5h://me:hunter22@p", "only proxies with an http:// URL are known, and this is another kind"),
        ("http://me:hunter22@", "it is not a URL with a host"),
        ("http://me:hunter22@p:99999", "it is not a URL with a host"),
        ("http://me:hunter22@p/pac", "the URL of a proxy ends after host and port"),
        ("http://me%3Ahunter22:x@p", "its user name or password cannot be sent (RFC 7617)"),
        ("http://me:hunter22%ff@p", "its user name or password cannot be sent (RFC 7617)"),
        ("http://me:hunter22%0d%0aX@p", "its user name or password cannot be sent (RFC 7617)"),
    ] {
        let error = chosen(&[("ALL_PROXY", wrong)]);
        let expected = format!("the proxy variable ALL_PROXY cannot be used: {why} ");
        assert!(error.starts_with(&expected) && !error.contains("hunter22"), "{error}");
    }
}

/// The program itself: by flag, by variable, by file; and a mistake is told without the password.
#[tokio::test(flavor = "multi_thread")]
async fn the_program_uses_the_proxy_that_flag_variable_or_file_name() {
    let (port, heads) = answers(vec![answer("403 Forbidden", "", "")], false).await;
    let url = format!("http://me:hunter22@127.0.0.1:{port}");
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("agentcall.toml");
    std::fs::write(&file, format!("proxy = \"{url}\"\n")).unwrap();
    let file = file.to_str().unwrap().to_owned();
    let run = async |arguments: &[&str], variables: &[(&'static str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentcall"));
        command.arg("card").args(arguments).arg("https://8.8.8.8/card.json").env_clear();
        command.env("HOME", home.path()).envs(variables.iter().copied());
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    type Call<'a> = (&'a [&'a str], &'a [(&'static str, &'a str)]);
    let calls: [Call; 4] = [
        (&["--proxy", &url], &[]),
        (&[], &[("AGENTCALL_PROXY", &url)]),
        (&["--config", &file], &[]),
        (&["--proxy", "environment"], &[("HTTPS_PROXY", &url), ("AGENTCALL_PROXY", "none")]),
    ];
    for (count, (arguments, variables)) in calls.into_iter().enumerate() {
        let (code, text) = run(arguments, variables).await;
        assert_eq!(code, Some(4), "{text}");
        let expected = format!(
            "o way to 8.8.8.8 through the proxy http://127.0.0.1:{port}: it refused to open a way to 8.8.8.8:443 (403 Forbidden)"
        );
        assert!(text.contains(&expected) && !text.contains("hunter22"), "{text}");
        assert_eq!(heads.lock().unwrap().len(), count + 1);
    }
    let (code, text) = run(&["--proxy", "socks5://me:hunter22@p"], &[]).await;
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--proxy takes none, environment, or http://HOST:PORT"), "{text}");
    let (code, other) = run(&["--proxy", "environment"], &[("ALL_PROXY", "socks5://me:hunter22@p")]).await;
    assert_eq!(code, Some(2), "{other}");
    assert!(other.contains("The proxy variable ALL_PROXY cannot be used"), "{other}");
    assert!(!text.contains("hunter22") && !other.contains("hunter22"), "{text} {other}");
}
