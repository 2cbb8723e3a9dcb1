//! TLS that is broken, old, slow, cut short, or another one at the upgrade than at the card.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agentcall::discovery::fetch::{CardSource, fetch};
use agentcall::net::{Credentials, NetContext, NetError, NetErrorKind, http};
use agentcall::redact::Token;
use agentcall::transport::websocket::open;
use agentcall::transport::{Closure, Incoming};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, rustls};
use url::Url;

use crate::answers::secure;
use crate::peer::*;
use crate::server::*;

type Issuer = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Issuer {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// TLS with a certificate for `names`, signed by `issuer` or by itself.
fn acceptor(names: &[&str], issuer: Option<&Issuer>) -> TlsAcceptor {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let params = CertificateParams::new(names).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = match issuer {
        Some(issuer) => params.signed_by(&key, issuer).unwrap(),
        None => params.self_signed(&key).unwrap(),
    };
    let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

fn pem(directory: &tempfile::TempDir, issuer: &Issuer) -> PathBuf {
    let path = directory.path().join("authority.pem");
    std::fs::write(&path, issuer.pem()).unwrap();
    path
}

/// A server that speaks TLS with one acceptor after the other (the last again and again) and goes on as
/// `then` says. Handshakes that fail end their connection.
async fn serve_secured<F, R>(acceptors: Vec<TlsAcceptor>, then: F) -> u16
where
    F: Fn(TlsStream<TcpStream>) -> R + Send + Sync + Clone + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let (acceptors, count) = (Arc::new(acceptors), Arc::new(AtomicUsize::new(0)));
    serve(move |stream| {
        let number = count.fetch_add(1, Ordering::Relaxed).min(acceptors.len() - 1);
        let (acceptor, then) = (acceptors[number].clone(), then.clone());
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                then(stream).await;
            }
        }
    })
    .await
}

async fn get(net: &NetContext, url: &Url) -> Result<http::Answer, NetError> {
    http::get(net, url, "application/json", None, 4096).await
}

/// How a request ends at a server that answers the client's first bytes with these.
async fn hello_answered_with(bytes: &'static [u8]) -> NetError {
    let port = serve(move |mut stream: TcpStream| async move {
        let _hello = stream.read(&mut [0; 4096]).await;
        write(&mut stream, bytes).await;
        until_closed(&mut stream).await;
    })
    .await;
    get(&local(), &secure(port)).await.unwrap_err()
}

#[tokio::test]
async fn a_certificate_that_vouches_for_itself_is_not_trusted_until_it_is_given_with_ca() {
    let then = |mut stream: TlsStream<TcpStream>| async move {
        read_head(&mut stream).await;
        write(&mut stream, answer("200 OK", "", "{}")).await;
        let _ = stream.shutdown().await;
    };
    let port = serve_secured(vec![acceptor(&["localhost"], None)], then).await;
    let error = get(&local(), &secure(port)).await.unwrap_err();
    assert_eq!(error.kind(), NetErrorKind::Tls);
    assert!(error.to_string().ends_with("issued by nobody this machine trusts"), "{error}");
    assert!(error.hint().unwrap().contains("--ca FILE"));
    // Another authority is no help.
    let directory = tempfile::tempdir().unwrap();
    let other = local_trusting(&[pem(&directory, &authority("other"))]);
    assert_eq!(get(&other, &secure(port)).await.unwrap_err().kind(), NetErrorKind::Tls);
}

/// An address is a name like any other: a certificate for a name says nothing of it.
#[tokio::test]
async fn a_certificate_must_name_what_was_typed() {
    let directory = tempfile::tempdir().unwrap();
    let issuer = authority("ours");
    let net = local_trusting(&[pem(&directory, &issuer)]);
    for (names, fits) in [(["localhost"], false), (["127.0.0.1"], true), (["*.localhost"], false)] {
        let then = |mut stream: TlsStream<TcpStream>| async move {
            read_head(&mut stream).await;
            write(&mut stream, answer("200 OK", "", "{}")).await;
            let _ = stream.shutdown().await;
        };
        let port = serve_secured(vec![acceptor(&names, Some(&issuer))], then).await;
        let asked = get(&net, &Url::parse(&format!("https://127.0.0.1:{port}/")).unwrap()).await;
        match asked {
            Ok(_) => assert!(fits, "{names:?}"),
            Err(error) => {
                assert!(
                    !fits && error.to_string().ends_with("its certificate is for another name"),
                    "{error}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_knows_only_tls_1_1_is_named_as_that() {
    // An alert "protocol_version", as OpenSSL sends it, and a ServerHello of TLS 1.1 and of 1.0.
    const HELLO_11: [u8; 47] = hello(2);
    const HELLO_10: [u8; 47] = hello(1);
    for bytes in [b"\x15\x03\x02\x00\x02\x02\x46".as_slice(), &HELLO_11, &HELLO_10] {
        let error = hello_answered_with(bytes).await;
        assert_eq!(error.kind(), NetErrorKind::Tls);
        assert!(error.to_string().ends_with("it offers neither TLS 1.2 nor TLS 1.3 (RFC 8996)"), "{error}");
        assert!(error.hint().unwrap().contains("needs an update"));
    }
}

/// A record with a ServerHello of TLS 1.`minor - 1`: 38 bytes of body, a suite, no compression.
const fn hello(minor: u8) -> [u8; 47] {
    let mut bytes = [0; 47];
    (bytes[0], bytes[1], bytes[2], bytes[4]) = (22, 3, minor, 42);
    (bytes[5], bytes[8], bytes[9], bytes[10]) = (2, 38, 3, minor);
    (bytes[44], bytes[45]) = (0x00, 0x2f);
    bytes
}

#[tokio::test]
async fn plain_answers_on_a_tls_port_are_named_with_what_to_do() {
    for bytes in [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".as_slice(),
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"220 mail.example ESMTP\r\n",
        &[0; 64],
    ] {
        let error = hello_answered_with(bytes).await;
        assert_eq!(error.kind(), NetErrorKind::Tls, "{error}");
        assert!(error.to_string().ends_with("it answers, but not in TLS"), "{error}");
        assert!(error.hint().unwrap().contains("http:// with --local"));
    }
}

#[tokio::test]
async fn tls_on_a_plain_port_is_named_with_what_to_do() {
    let port = serve_secured(vec![acceptor(&["localhost"], None)], |_| async {}).await;
    let plain = get(&local(), &url(port, "/card.json")).await.unwrap_err();
    let upgrade = dial(port, patient()).await.unwrap_err();
    for error in [plain, upgrade] {
        assert_eq!(error.kind(), NetErrorKind::Connect);
        assert!(error.to_string().contains("gave no proper HTTP answer"), "{error}");
        assert!(error.hint().unwrap().ends_with("If it speaks TLS there, use https://."), "{error}");
    }
}

/// In every part of the handshake: nothing at all, half a record, a byte in a while, an endless record.
#[tokio::test]
async fn a_handshake_that_stalls_is_given_up() {
    for (begin, then) in [
        (b"".as_slice(), None),
        (b"\x16\x03\x03\x00", None),
        (b"\x16\x03\x03\x40\x00", Some(0)),
        (b"\x16\x03\x03\x40\x00\x02\xff\xff\xff", Some(0)),
    ] {
        let port = serve(move |mut stream: TcpStream| async move {
            write(&mut stream, begin).await;
            let Some(byte) = then else { return until_closed(&mut stream).await };
            while stream.write_all(&[byte]).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        for error in [
            get(&local(), &secure(port)).await.unwrap_err(),
            open(&secure(port), &local(), &Credentials::default(), patient()).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), NetErrorKind::Timeout, "{begin:02x?}: {error}");
            assert!(error.to_string().starts_with("connecting to https://localhost"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_handshake_that_is_cut_is_named() {
    for reset in [false, true] {
        let port = serve(move |mut stream: TcpStream| async move {
            let _hello = stream.read(&mut [0; 4096]).await;
            if reset {
                stream.set_zero_linger().unwrap();
            }
        })
        .await;
        let error = get(&local(), &secure(port)).await.unwrap_err();
        assert!(error.to_string().ends_with("it ended the connection during the TLS handshake"), "{error}");
    }
}

/// Without its `close_notify` an end may be an attacker's: a body that has no length is not complete.
#[tokio::test]
async fn a_card_that_ends_without_close_notify_is_whole_only_by_its_length() {
    let directory = tempfile::tempdir().unwrap();
    let issuer = authority("ours");
    let net = local_trusting(&[pem(&directory, &issuer)]);
    let delimited = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n";
    let measured = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    for (reply, says_goodbye, whole) in [
        (delimited, true, true),
        (delimited, false, false),
        (chunked, true, false),
        (chunked, false, false),
        (measured, true, true),
        (measured, false, true),
    ] {
        let then = move |mut stream: TlsStream<TcpStream>| async move {
            read_head(&mut stream).await;
            write(&mut stream, reply).await;
            if says_goodbye {
                let _ = stream.shutdown().await;
            }
        };
        let port = serve_secured(vec![acceptor(&["localhost"], Some(&issuer))], then).await;
        match get(&net, &secure(port)).await {
            Ok(answer) => assert!(whole && answer.body == b"{}", "{reply} {says_goodbye}"),
            Err(error) => {
                assert!(!whole, "{reply} {says_goodbye}: {error}");
                let expected = "the connection ended after 2 bytes of its body, before it was whole";
                assert!(error.to_string().ends_with(expected), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_link_that_ends_without_close_notify_is_lost_in_plain_words() {
    let directory = tempfile::tempdir().unwrap();
    let issuer = authority("ours");
    let net = local_trusting(&[pem(&directory, &issuer)]);
    for says_goodbye in [false, true] {
        let then = move |mut stream: TlsStream<TcpStream>| async move {
            let head = read_head(&mut stream).await;
            write(&mut stream, [switch(&head, "").into_bytes(), frame(TEXT, b"first")].concat()).await;
            if says_goodbye {
                let _ = stream.shutdown().await;
            }
        };
        let port = serve_secured(vec![acceptor(&["localhost"], Some(&issuer))], then).await;
        let link = open(&secure(port), &net, &Credentials::default(), patient()).await.unwrap();
        let lost = Closure::Lost("it ended without a close".to_owned());
        assert_eq!(everything(link).await, [text("first"), Incoming::Closed(lost)]);
    }
}

/// Whoever answers at the upgrade must prove anew who it is, before it gets the token.
#[tokio::test]
async fn another_certificate_at_the_upgrade_than_at_the_card_is_judged_for_itself() {
    let directory = tempfile::tempdir().unwrap();
    let issuer = authority("ours");
    let net = local_trusting(&[pem(&directory, &issuer)]);
    let good = || acceptor(&["localhost"], Some(&issuer));
    for (second, fault) in [
        (good(), None),
        (acceptor(&["localhost"], Some(&authority("other"))), Some("issued by nobody this machine trusts")),
        (acceptor(&["localhost"], None), Some("issued by nobody this machine trusts")),
        (acceptor(&["elsewhere.example"], Some(&issuer)), Some("is for another name")),
    ] {
        let heads = Heads::default();
        let kept = heads.clone();
        let then = move |mut stream: TlsStream<TcpStream>| {
            let kept = kept.clone();
            async move {
                let head = read_head(&mut stream).await;
                let reply = match head.starts_with("GET /card.json ") {
                    true => answer("200 OK", "Content-Type: application/json\r\n", "{}"),
                    false => switch(&head, ""),
                };
                kept.lock().unwrap().push(head);
                write(&mut stream, reply).await;
                until_closed(&mut stream).await;
            }
        };
        let port = serve_secured(vec![good(), second], then).await;
        let typed = secure(port).join("card.json").unwrap();
        let credentials =
            Credentials { token: Some(Token::new("s3cret")), origin: agentcall::net::Origin::of(&typed) };
        fetch(&CardSource::Url(typed), &net, &credentials, None).await.unwrap();
        let opened = open(&secure(port), &net, &credentials, patient()).await;
        let got_token = heads.lock().unwrap().iter().any(|head| head.contains("s3cret"));
        match (opened, fault) {
            (Ok(link), None) => assert!(link.peer.tls && got_token),
            (Err(error), Some(fault)) => {
                assert_eq!(error.kind(), NetErrorKind::Tls);
                assert!(error.to_string().ends_with(fault) && !got_token, "{error}");
            }
            (opened, _) => panic!("{fault:?}: {opened:?}"),
        }
    }
}
