//! The upgrade: what is asked, whom the token reaches, and every way an agent can answer it wrongly.

use std::time::Duration;

use agentcall::net::{Credentials, NetError, NetErrorKind, Origin};
use agentcall::redact::Token;
use agentcall::transport::websocket::open;
use agentcall::transport::{Closure, Incoming};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::answers::{secure, serve_tls};
use crate::peer::*;
use crate::server::*;

#[tokio::test]
async fn a_refused_upgrade_says_its_status_and_the_beginning_of_its_body() {
    let page = format!("<html>{}", "z".repeat(1000));
    for (status, kind) in [("401 Unauthorized", 401), ("200 OK", 200), ("503 Service Unavailable", 503)] {
        let body = page.clone();
        let (port, _) = serve_routes(move |_, _| answer(status, "", &body)).await;
        match dial(port, patient()).await.unwrap_err() {
            NetError::Status { status, body, .. } => {
                assert_eq!((status, body.as_str()), (kind, &page[..200]));
            }
            other => panic!("{other}"),
        }
    }
    let (port, _) = serve_routes(|_, _| answer("401 Unauthorized", "", "")).await;
    let agent = url(port, "/agui");
    for (origin, hint) in [(Origin::of(&agent), "sent and not accepted"), (None, "was not sent")] {
        let credentials = Credentials { token: Some(Token::new("s3cret")), origin };
        let error = open(&agent, &local(), &credentials, patient()).await.unwrap_err();
        assert!(error.hint().unwrap().contains(hint), "{:?}", error.hint());
    }
    let (port, _) =
        serve_routes(|_, _| answer("301 Moved", "Location: https://b.example/?key=1\r\n", "")).await;
    let error = dial(port, patient()).await.unwrap_err();
    assert_eq!(error.kind(), NetErrorKind::Redirect);
    assert!(error.to_string().contains("redirects to https://b.example/?…, which was refused"), "{error}");
}

/// What an agent answers to `head` with these lines between the status and the empty line; `ACCEPT` is the
/// right key.
fn switched_with(head: &str, lines: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: ")).unwrap();
    let lines = lines.replace("ACCEPT", &derive_accept_key(key.as_bytes()));
    format!("HTTP/1.1 101 Switching Protocols\r\n{lines}\r\n")
}

#[tokio::test]
async fn each_header_of_the_upgrade_is_needed_and_checked() {
    const UPGRADE: &str = "it switched to another protocol than WebSocket";
    const CONNECTION: &str = "its upgrade lacks \"Connection: Upgrade\"";
    const ACCEPT: &str = "does not match the key that was sent";
    #[rustfmt::skip]
    let rows = [
        ("Connection: Upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n", UPGRADE),
        ("Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n", UPGRADE),
        ("Upgrade: websocket\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n", UPGRADE),
        ("Upgrade: websocket\r\nSec-WebSocket-Accept: ACCEPT\r\n", CONNECTION),
        ("Upgrade: websocket\r\nConnection: keep-alive\r\nSec-WebSocket-Accept: ACCEPT\r\n", CONNECTION),
        ("Upgrade: websocket\r\nConnection: not-upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n", CONNECTION),
        ("Upgrade: websocket\r\nConnection: Upgrade\r\n", ACCEPT),
        ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \r\n", ACCEPT),
        ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ACCEPTx\r\n", ACCEPT),
        ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", ACCEPT),
        ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\nSec-WebSocket-Accept: x\r\n", ACCEPT),
    ];
    for (lines, expected) in rows {
        let (port, _) = serve_routes(move |_, head| switched_with(head, lines)).await;
        let error = dial(port, patient()).await.unwrap_err();
        assert!(error.to_string().ends_with(expected), "{lines}: {error}");
        assert_eq!(error.kind(), NetErrorKind::Connect);
    }
    // Names in any case, and a list over several fields, are right.
    let right = "upgrade: WebSocket\r\nConnection: keep-alive\r\nconnection: x, UPGRADE\r\nSec-WebSocket-Accept: ACCEPT\r\n";
    let (port, _) = serve_routes(move |_, head| switched_with(head, right)).await;
    assert!(dial(port, patient()).await.is_ok());
}

#[tokio::test]
async fn frames_that_are_glued_to_the_upgrade_are_not_lost_wherever_they_are_cut() {
    let frames = [frame(TEXT, b"first"), frame(TEXT, &[b'x'; 300]), frame(8, b"\x03\xe8")].concat();
    for cut in [0, 1, 2, 6, 7, 8, 9, 10, 50, frames.len()] {
        let frames = frames.clone();
        let port = serve(move |mut stream: TcpStream| {
            let frames = frames.clone();
            async move {
                let head = read_head(&mut stream).await;
                write(&mut stream, [switch(&head, "").as_bytes(), &frames[..cut]].concat()).await;
                write(&mut stream, &frames[cut..]).await;
                until_closed(&mut stream).await;
            }
        })
        .await;
        let all = everything(dial(port, patient()).await.unwrap()).await;
        let words = "x".repeat(300);
        assert_eq!(all[..2], [text("first"), text(&words)], "cut at {cut}");
        assert_eq!(ended(&all), "the agent closed the connection (code 1000)");
    }
}

/// A `101` has no body (RFC 9110, section 15.2.2): what follows the empty line is WebSocket or nothing.
#[tokio::test]
async fn what_is_glued_to_the_upgrade_and_is_no_frame_ends_the_link() {
    for (extra, trailing) in [
        ("", "\r\n\r\n"),
        ("", "<html>welcome</html>"),
        (
            "",
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 40\r\n\r\nAnother answer, as if nothing had happened",
        ),
        ("Content-Length: 5\r\n", "hello"),
        ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
    ] {
        let (port, _) = serve_routes(move |_, head| {
            // Long enough for any frame that the first bytes could announce.
            format!("{}{trailing}{}", switch(head, extra), " ".repeat(200))
        })
        .await;
        let dialled = dial(port, patient()).await;
        match dialled {
            Err(error) => assert_eq!(error.kind(), NetErrorKind::Connect, "{error}"),
            Ok(link) => {
                let all = everything(link).await;
                assert!(
                    matches!(all[..], [Incoming::Closed(Closure::ProtocolError(_))]),
                    "{trailing:?}: {all:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn interim_answers_go_before_the_upgrade_but_not_for_ever() {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let (port, _) = serve_routes(move |_, head| format!("{hints}{hints}{}", switch(head, ""))).await;
    assert!(dial(port, patient()).await.is_ok());
    for pause in [0, 5] {
        let port = serve(move |mut stream: TcpStream| async move {
            read_head(&mut stream).await;
            while stream.write_all(hints.as_bytes()).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        })
        .await;
        let error = tokio::time::timeout(Duration::from_secs(10), dial(port, patient())).await.unwrap();
        let error = error.unwrap_err();
        assert!(matches!(error.kind(), NetErrorKind::Timeout | NetErrorKind::Bound), "{error}");
    }
}

/// A byte in a while, in each part of the answer.
#[tokio::test]
async fn an_upgrade_that_dribbles_is_given_up() {
    let parts = [
        "",
        "HTTP/1.1 101 Switching",
        "HTTP/1.1 101 S\r\nX-a: ",
        "HTTP/1.1 401 U\r\nContent-Length: 900\r\n\r\n",
    ];
    for begin in parts {
        let port = serve(move |mut stream: TcpStream| async move {
            read_head(&mut stream).await;
            write(&mut stream, begin).await;
            while stream.write_all(b"a").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        let error = tokio::time::timeout(Duration::from_secs(10), dial(port, patient())).await.unwrap();
        let error = error.unwrap_err();
        let kinds = [NetErrorKind::Timeout, NetErrorKind::Connect, NetErrorKind::Status];
        assert!(kinds.contains(&error.kind()), "{begin:?}: {error}");
    }
}

#[tokio::test]
async fn an_upgrade_that_breaks_the_handshake_is_refused() {
    let rows = [
        ("Sec-WebSocket-Protocol: chat\r\n", "it chose a subprotocol though none was offered"),
        (
            "Sec-WebSocket-Extensions: permessage-deflate\r\n",
            "it chose a WebSocket extension though none was offered",
        ),
    ];
    for (extra, expected) in rows {
        let (port, _) = serve_routes(move |_, head| switch(head, extra)).await;
        let error = dial(port, patient()).await.unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
    let (port, _) = serve_routes(|_, _| switch("sec-websocket-key: another", "")).await;
    let error = dial(port, patient()).await.unwrap_err().to_string();
    assert!(error.ends_with("does not match the key that was sent"), "{error}");
    let (port, _) = serve_routes(|_, _| format!("HTTP/1.1 101 S\r\nX-a: {}", "a".repeat(32 * 1024))).await;
    assert_eq!(dial(port, patient()).await.unwrap_err().kind(), NetErrorKind::Bound);
    let silent = serve(|mut stream: TcpStream| async move { until_closed(&mut stream).await }).await;
    assert_eq!(dial(silent, patient()).await.unwrap_err().kind(), NetErrorKind::Timeout);
}

#[tokio::test]
async fn a_link_to_an_https_url_runs_over_tls_and_may_carry_the_token() {
    // Without the token the upgrade would be refused.
    let reply = |head: &str| match head.contains("authorization: Bearer s3cret\r\n") {
        true => switch(head, ""),
        false => answer("401 Unauthorized", "", ""),
    };
    let (port, path, _directory) = serve_tls(&["localhost"], 2999, reply).await;
    let credentials = Credentials { token: Some(Token::new("s3cret")), origin: Origin::of(&secure(port)) };
    let link = open(&secure(port), &local_trusting(&[path]), &credentials, patient()).await.unwrap();
    assert!(link.peer.tls && link.peer.authorized);
    let untrusting = open(&secure(port), &local(), &credentials, patient()).await.unwrap_err();
    assert_eq!(untrusting.kind(), NetErrorKind::Tls);
}

#[tokio::test]
async fn a_literal_ws_url_and_a_forbidden_address_are_refused_before_connecting() {
    for (text, kind) in [
        ("ws://127.0.0.1:1/agui", NetErrorKind::UrlForm),
        ("wss://agent.example/agui", NetErrorKind::UrlForm),
        ("https://169.254.169.254/agui", NetErrorKind::AddressPolicy),
    ] {
        let url = url::Url::parse(text).unwrap();
        let error = open(&url, &local(), &Credentials::default(), patient()).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}

#[tokio::test]
async fn the_token_goes_in_the_upgrade_to_its_own_origin_alone() {
    let (port, heads) = serve_routes(|_, head| switch(head, "")).await;
    let agent = url(port, "/agui");
    for (origin, sent) in [(Origin::of(&agent), true), (Origin::of(&url(1, "/")), false), (None, false)] {
        let credentials = Credentials { token: Some(Token::new("s3cret")), origin };
        let link = open(&agent, &local(), &credentials, patient()).await.unwrap();
        assert_eq!(link.peer.authorized, sent);
        let head = heads.lock().unwrap().pop().unwrap();
        assert_eq!(head.contains("authorization: Bearer s3cret\r\n"), sent);
        assert!(!head.lines().next().unwrap().contains("s3cret"));
    }
}
