//! One request, one bounded answer; TLS in plain words.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentcall::net::{NetContext, NetError, NetErrorKind, http};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, rustls};
use url::Url;

use crate::server::*;

const BOUND: usize = 1024;

async fn get(net: &NetContext, url: &Url) -> Result<http::Answer, NetError> {
    http::get(net, url, "application/json", None, BOUND).await
}

/// Asks a server that writes `bytes` after the request and then waits.
async fn ask_one_that_says(
    bytes: impl AsRef<[u8]> + Clone + Send + Sync + 'static,
) -> Result<http::Answer, NetError> {
    let port = serve(move |mut stream: TcpStream| {
        let bytes = bytes.clone();
        async move {
            read_head(&mut stream).await;
            write(&mut stream, bytes).await;
            until_closed(&mut stream).await;
        }
    })
    .await;
    get(&local(), &url(port, "/card.json")).await
}

#[tokio::test]
async fn an_answer_is_read_with_its_header_whole() {
    let answer = ask_one_that_says(
        "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
    );
    let answer = answer.await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"{}".as_slice()));
    assert_eq!(answer.media_type().as_deref(), Some("application/json"));
}

#[tokio::test]
async fn a_redirect_is_only_returned() {
    let answer =
        ask_one_that_says("HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n");
    let answer = answer.await.unwrap();
    assert_eq!((answer.status, answer.header(hyper::header::LOCATION)), (302, Some("http://10.0.0.1/")));
}

#[tokio::test]
async fn a_body_beyond_its_bound_is_refused_from_its_announcement_or_while_it_streams() {
    let announced = ask_one_that_says("HTTP/1.1 200 OK\r\nContent-Length: 1025\r\n\r\n{").await.unwrap_err();
    assert_eq!(announced.kind(), NetErrorKind::Bound);
    assert!(
        announced.to_string().ends_with("its body announces 1,025 bytes, more than 1,024 bytes"),
        "{announced}"
    );
    let chunk = format!("200\r\n{}\r\n", "x".repeat(512));
    let chunked = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(3));
    let streamed = ask_one_that_says(chunked).await.unwrap_err();
    assert!(streamed.to_string().ends_with("its body has more than 1,024 bytes"), "{streamed}");
}

#[tokio::test]
async fn a_header_that_never_ends_is_cut_off() {
    let long = format!("HTTP/1.1 200 OK\r\nX-a: {}", "a".repeat(32 * 1024));
    let fields = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-a: b\r\n".repeat(101));
    for bytes in [long, fields] {
        let error = ask_one_that_says(bytes).await.unwrap_err();
        assert_eq!(error.kind(), NetErrorKind::Bound, "{error}");
        let expected = "its header goes beyond 16,384 bytes, 100 fields, or a length of 64 bits";
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

#[tokio::test]
async fn silence_and_dribbling_both_end_in_time() {
    let silent = ask_one_that_says("").await.unwrap_err();
    assert!(silent.to_string().starts_with("waiting for an answer from http://127.0.0.1"), "{silent}");
    assert_eq!(silent.kind(), NetErrorKind::Timeout);
    let port = serve(|mut stream: TcpStream| async move {
        read_head(&mut stream).await;
        write(&mut stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n").await;
        for _ in 0..1000 {
            write(&mut stream, "x").await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let slow = get(&local(), &url(port, "/")).await.unwrap_err();
    assert!(slow.to_string().ends_with("took more than 0.3 s"), "{slow}");
}

#[tokio::test]
async fn broken_answers_are_named() {
    let rows = [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            "the connection ended after 3 of 10 bytes of its body",
        ),
        ("not http at all\r\n\r\n", "gave no proper HTTP answer"),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
            "none but identity was accepted",
        ),
    ];
    for (bytes, expected) in rows {
        let port = serve(move |mut stream: TcpStream| async move {
            read_head(&mut stream).await;
            write(&mut stream, bytes).await;
        })
        .await;
        let error = get(&local(), &url(port, "/")).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.kind(), NetErrorKind::Connect);
    }
}

#[tokio::test]
async fn a_closed_port_is_named_with_what_to_do() {
    let port = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let error = get(&local(), &url(port, "/")).await.unwrap_err();
    assert!(error.is_refused() && error.kind() == NetErrorKind::Connect);
    let expected = format!("cannot connect to 127.0.0.1: 127.0.0.1:{port}: ");
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(error.hint().unwrap().contains("Is the agent running?"));
}

/// A TLS server for `names` whose certificate ends in `year`, and the authority's PEM file.
pub async fn serve_tls(
    names: &[&str],
    year: i32,
    reply: fn(&str) -> String,
) -> (u16, PathBuf, tempfile::TempDir) {
    let mut authority = CertificateParams::new(Vec::<String>::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.not_before = rcgen::date_time_ymd(2000, 1, 1);
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("authority.pem");
    std::fs::write(&path, authority.pem()).unwrap();
    let port = serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let head = read_head(&mut stream).await;
            write(&mut stream, reply(&head)).await;
            until_closed(&mut stream).await;
        }
    })
    .await;
    (port, path, directory)
}

fn empty_object(_: &str) -> String {
    answer("200 OK", "", "{}")
}

pub fn secure(port: u16) -> Url {
    Url::parse(&format!("https://localhost:{port}/")).unwrap()
}

#[tokio::test]
async fn an_authority_given_with_ca_is_trusted() {
    let (port, path, _directory) = serve_tls(&["localhost"], 2999, empty_object).await;
    let answer = get(&local_trusting(&[path]), &secure(port)).await.unwrap();
    assert_eq!(answer.body, b"{}");
}

#[tokio::test]
async fn tls_failures_read_plainly_and_say_what_to_do() {
    let (port, _, _directory) = serve_tls(&["localhost"], 2999, empty_object).await;
    let unknown = get(&local(), &secure(port)).await.unwrap_err();
    let expected = format!(
        "no secure connection to localhost at 127.0.0.1:{port}: its certificate was issued by nobody this \
         machine trusts"
    );
    assert_eq!((unknown.kind(), unknown.to_string()), (NetErrorKind::Tls, expected));
    assert!(unknown.hint().unwrap().contains("--ca FILE"));

    let (port, path, _directory) = serve_tls(&["localhost"], 2001, empty_object).await;
    let expired = get(&local_trusting(&[path]), &secure(port)).await.unwrap_err();
    assert!(expired.to_string().ends_with("its certificate has expired"), "{expired}");

    let (port, path, _directory) = serve_tls(&["elsewhere.example"], 2999, empty_object).await;
    let wrong = get(&local_trusting(&[path]), &secure(port)).await.unwrap_err();
    assert!(wrong.to_string().ends_with("its certificate is for another name"), "{wrong}");

    let (port, _) = serve_routes(|_, _| answer("400 Bad Request", "", "")).await;
    let plain = get(&local(), &secure(port)).await.unwrap_err();
    assert_eq!(plain.kind(), NetErrorKind::Timeout, "a plain server waits for its empty line: {plain}");

    let port = serve(|mut stream: TcpStream| async move {
        write(&mut stream, "HTTP/1.1 400 Bad Request\r\n\r\n").await;
        until_closed(&mut stream).await;
    })
    .await;
    let plain = get(&local(), &secure(port)).await.unwrap_err();
    assert!(plain.to_string().ends_with("it answers, but not in TLS"), "{plain}");
}

#[test]
fn a_certificate_file_without_certificates_is_a_mistake_of_setup() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("empty.pem");
    std::fs::write(&path, "nothing").unwrap();
    let error = NetContext::trusting_only(agentcall::net::UrlPolicy { local: false }, &[path]).err().unwrap();
    assert_eq!(error.kind(), NetErrorKind::Setup);
    assert!(error.to_string().ends_with("it holds no PEM certificate"), "{error}");
}
