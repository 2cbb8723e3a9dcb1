//! From what the user types to the bytes of a card.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agentcall::discovery::fetch::{CardSource, FetchError, FetchedCard, fetch};
use agentcall::net::{Credentials, NetErrorKind, Origin, UrlPolicy};
use agentcall::redact::Token;
use tokio::net::TcpListener;

use crate::server::*;

const LOCAL: UrlPolicy = UrlPolicy { local: true };
const JSON: &str = "Content-Type: application/json\r\n";

fn parse(text: &str) -> CardSource {
    CardSource::parse(text, LOCAL).unwrap()
}

async fn look(port: u16, path: &str) -> Result<FetchedCard, FetchError> {
    fetch(&CardSource::Url(url(port, path)), &local(), &Credentials::default(), None).await
}

fn not_found() -> String {
    answer("404 Not Found", "", "")
}

#[test]
fn a_source_is_a_url_or_a_file() {
    assert_eq!(parse("./card.json"), CardSource::File("./card.json".into()));
    assert_eq!(parse("agent.example"), CardSource::File("agent.example".into()));
    assert!(matches!(parse(" https://agent.example "), CardSource::Url(_)));
    let refused = CardSource::parse("ftp://agent.example/card", LOCAL).unwrap_err();
    assert_eq!(refused.kind(), NetErrorKind::UrlForm);
}

#[test]
fn the_well_known_names_are_tried_under_the_path_and_at_the_origin() {
    let list = |text: &str| {
        let urls = parse(text).candidates();
        urls.iter().map(|url| url[url::Position::BeforePath..].to_owned()).collect::<Vec<_>>()
    };
    let (new, old) = ("/.well-known/agent-card.json", "/.well-known/agent.json");
    assert_eq!(list("https://h"), [new, old]);
    assert_eq!(list("https://h/?x=1#y"), [new, old]);
    let under = ["/v3/serve/ID/.well-known/agent-card.json", new, "/v3/serve/ID/.well-known/agent.json", old];
    assert_eq!(list("https://h/v3/serve/ID"), under);
    assert_eq!(list("https://h/v3/serve/ID/"), under);
    assert_eq!(list("https://h/cards/my.json?v=2"), ["/cards/my.json?v=2"]);
}

#[tokio::test]
async fn a_server_with_only_the_old_name_is_found_and_the_name_noted() {
    let (port, heads) = serve_routes(|path, _| match path {
        "/.well-known/agent.json" => answer("200 OK", JSON, "{\"name\":\"old\"}"),
        _ => not_found(),
    })
    .await;
    let card = look(port, "/").await.unwrap();
    assert_eq!(card.bytes, b"{\"name\":\"old\"}");
    assert_eq!(paths(&heads), ["/.well-known/agent-card.json", "/.well-known/agent.json"]);
    assert_eq!(card.tried.iter().map(|a| a.status).collect::<Vec<_>>(), [404, 200]);
    assert_eq!(card.notes, ["the card stands only under the old name /.well-known/agent.json (§ Discovery)"]);
}

#[tokio::test]
async fn a_card_at_the_origin_is_found_for_a_url_with_a_path_though_the_path_answers_a_page() {
    let (port, _) = serve_routes(|path, _| match path {
        "/.well-known/agent-card.json" => answer("200 OK", JSON, "\u{feff} {}"),
        _ => answer("200 OK", "Content-Type: text/html\r\n", "<html>"),
    })
    .await;
    let card = look(port, "/a2a").await.unwrap();
    assert_eq!(card.location, CardSource::Url(url(port, "/.well-known/agent-card.json")));
    assert_eq!(card.origin, Origin::of(&url(port, "/")));
    assert!(card.notes.is_empty());
}

#[tokio::test]
async fn without_a_card_every_url_is_listed_with_its_status() {
    let (port, _) = serve_routes(|path, _| match path {
        "/.well-known/agent.json" => answer("200 OK", "", "<html>"),
        _ => not_found(),
    })
    .await;
    let error = look(port, "/").await.unwrap_err();
    let at = format!("http://127.0.0.1:{port}/.well-known");
    let expected = format!(
        "no card was found (asked: {at}/agent-card.json answered 404; {at}/agent.json answered 200, but no JSON object)"
    );
    assert_eq!((error.kind(), error.to_string()), (NetErrorKind::Status, expected));
}

#[tokio::test]
async fn a_card_url_that_refuses_says_its_status_and_the_beginning_of_its_body() {
    let (port, _) = serve_routes(|_, _| answer("503 Service Unavailable", "", "try\nlater")).await;
    let error = look(port, "/card.json").await.unwrap_err().to_string();
    assert!(error.contains("/card.json answered 503 Service Unavailable: try later"), "{error}");
}

#[tokio::test]
async fn redirects_are_followed_three_times_and_no_further() {
    let (port, heads) = serve_routes(|path, _| match path {
        "/ok.json" => answer("302 Found", "Location: /2.json\r\n", ""),
        "/far.json" => answer("302 Found", "Location: /1.json\r\n", ""),
        "/1.json" => answer("307 Temporary Redirect", "Location: /2.json\r\n", ""),
        "/2.json" => answer("308 Permanent Redirect", "Location: 3.json\r\n", ""),
        "/3.json" => answer("301 Moved", "Location: /card.json\r\n", ""),
        "/card.json" => answer("200 OK", JSON, "{}"),
        "/circle.json" => answer("302 Found", "Location: /circle.json#again\r\n", ""),
        _ => answer("302 Found", "", ""),
    })
    .await;
    let card = look(port, "/ok.json").await.unwrap();
    assert_eq!((card.tried.len(), card.location), (4, CardSource::Url(url(port, "/card.json"))));
    let asked = paths(&heads).len();
    let far = look(port, "/far.json").await.unwrap_err();
    assert_eq!((far.kind(), paths(&heads).len() - asked), (NetErrorKind::Redirect, 4));
    assert!(far.to_string().contains("that is more than 3 redirects"), "{far}");
    let circle = look(port, "/circle.json").await.unwrap_err().to_string();
    assert!(circle.contains("the redirects go in a circle"), "{circle}");
    let nowhere = look(port, "/none.json").await.unwrap_err().to_string();
    assert!(nowhere.contains("it names no usable Location"), "{nowhere}");
}

#[tokio::test]
async fn a_redirect_to_a_forbidden_address_is_refused_before_it_is_asked() {
    for (to, kind) in [
        ("http://169.254.169.254/latest", NetErrorKind::AddressPolicy),
        ("http://[::ffff:0:7f00:1]/", NetErrorKind::AddressPolicy),
        ("ws://127.0.0.1/", NetErrorKind::Redirect),
        ("http://u:p@127.0.0.1/", NetErrorKind::Redirect),
    ] {
        let location = format!("Location: {to}\r\n");
        let (port, _) = serve_routes(move |_, _| answer("302 Found", &location, "")).await;
        assert_eq!(look(port, "/card.json").await.unwrap_err().kind(), kind, "{to}");
    }
}

fn token() -> Credentials {
    Credentials { token: Some(Token::new("s3cret")), origin: None }
}

#[tokio::test]
async fn the_token_is_sent_only_after_a_401_at_its_own_origin() {
    let (port, heads) = serve_routes(|_, head| {
        if head.contains("authorization: Bearer s3cret\r\n") {
            answer("200 OK", JSON, "{}")
        } else {
            answer("401 Unauthorized", "", "")
        }
    })
    .await;
    let source = CardSource::Url(url(port, "/card.json"));
    let card = fetch(&source, &local(), &token(), None).await.unwrap();
    assert_eq!(card.tried.len(), 2);
    let sent: Vec<bool> = heads.lock().unwrap().iter().map(|head| head.contains("s3cret")).collect();
    assert_eq!(sent, [false, true]);
    let error = fetch(&source, &local(), &Credentials::default(), None).await.unwrap_err();
    assert!(error.hint().unwrap().contains("--token-env"));
}

#[tokio::test]
async fn a_token_that_is_not_accepted_is_not_asked_for_again() {
    let (port, _) = serve_routes(|_, _| answer("401 Unauthorized", "", "")).await;
    for path in ["/card.json", "/"] {
        let error = fetch(&CardSource::Url(url(port, path)), &local(), &token(), None).await.unwrap_err();
        assert!(error.hint().unwrap().contains("sent and not accepted"), "{path}: {:?}", error.hint());
    }
}

#[tokio::test]
async fn a_redirect_to_another_origin_never_gets_the_token() {
    let (other, heads) = serve_routes(|_, _| answer("401 Unauthorized", "", "")).await;
    let location = format!("Location: http://127.0.0.1:{other}/card.json\r\n");
    let (port, _) = serve_routes(move |_, _| answer("302 Found", &location, "")).await;
    let source = CardSource::Url(url(port, "/card.json"));
    let error = fetch(&source, &local(), &token(), None).await.unwrap_err();
    assert_eq!(error.kind(), NetErrorKind::Status);
    assert!(error.hint().unwrap().contains("belongs to another origin"), "{:?}", error.hint());
    let heads = heads.lock().unwrap();
    assert!(heads.len() == 1 && !heads[0].contains("s3cret"), "{heads:?}");
}

#[tokio::test]
async fn a_card_beyond_256_kib_is_refused_from_the_network_and_from_a_file() {
    let big = "x".repeat(256 * 1024 + 1);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("card.json");
    std::fs::write(&path, &big).unwrap();
    let (port, _) = serve_routes(move |_, _| answer("200 OK", JSON, &big)).await;
    assert_eq!(look(port, "/").await.unwrap_err().kind(), NetErrorKind::Bound);
    let source = CardSource::File(path);
    let error = fetch(&source, &local(), &Credentials::default(), None).await.unwrap_err();
    assert_eq!(error.kind(), NetErrorKind::Bound);
    let missing = CardSource::File(directory.path().join("missing.json"));
    let error = fetch(&missing, &local(), &Credentials::default(), None).await.unwrap_err();
    assert!(error.to_string().contains("missing.json cannot be read: "), "{error}");
}

#[tokio::test]
async fn wait_asks_until_the_agent_is_up() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let source = CardSource::Url(url(port, "/card.json"));
    let up = Arc::new(OnceLock::new());
    let (net, started) = (local(), up.clone());
    let waiting = tokio::spawn(async move {
        let card = fetch(&source, &net, &Credentials::default(), Some(Duration::from_secs(5))).await;
        (card, started.get().is_some())
    });
    // The task has its turn while this asks, and meets the same refusal.
    assert_eq!(look(port, "/").await.unwrap_err().kind(), NetErrorKind::Connect);
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    up.set(()).unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    read_head(&mut stream).await;
    write(&mut stream, answer("200 OK", JSON, "{}")).await;
    until_closed(&mut stream).await;
    let (card, was_up) = waiting.await.unwrap();
    assert!(was_up && card.unwrap().bytes == b"{}");
}
