//! WebSocket links: the upgrade, what an agent may do wrong on an open one, and how each kind of end reads.

use std::time::Duration;

use agentcall::net::{Credentials, NetError, NetErrorKind, Origin};
use agentcall::redact::Token;
use agentcall::transport::websocket::{Options, open};
use agentcall::transport::{Closure, Incoming, Link, Outgoing};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::answers::{secure, serve_tls};
use crate::server::*;

/// Short times, so that silence ends within a test.
fn options() -> Options {
    let ms = Duration::from_millis;
    Options { ping_every: ms(40), dead_after: ms(200), close_within: ms(150), ..Options::default() }
}

/// Times that never matter in a test.
fn patient() -> Options {
    let long = Duration::from_secs(30);
    Options {
        ping_every: long,
        dead_after: long,
        close_within: Duration::from_millis(150),
        ..Options::default()
    }
}

pub fn switch(head: &str, extra: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: ")).unwrap();
    let accept = derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{extra}\r\n"
    )
}

async fn dial(port: u16, options: Options) -> Result<Link, NetError> {
    open(&url(port, "/agui"), &local(), &Credentials::default(), options).await
}

/// One frame from a server, unmasked.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match payload.len() {
        n @ 0..=125 => bytes.push(u8::try_from(n).unwrap()),
        n @ 126..=0xffff => {
            bytes.push(126);
            bytes.extend(u16::try_from(n).unwrap().to_be_bytes());
        }
        n => {
            bytes.push(127);
            bytes.extend((n as u64).to_be_bytes());
        }
    }
    bytes.extend(payload);
    bytes
}

const TEXT: u8 = 1;

/// One frame from a client: its opcode and unmasked payload; none at the end of the stream.
async fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).await.ok()?;
    assert!(head[1] & 0x80 != 0, "clients mask");
    let size = match head[1] & 0x7f {
        126 => usize::from(stream.read_u16().await.ok()?),
        127 => usize::try_from(stream.read_u64().await.ok()?).unwrap(),
        small => usize::from(small),
    };
    let mut mask = [0; 4];
    stream.read_exact(&mut mask).await.ok()?;
    let mut payload = vec![0; size];
    stream.read_exact(&mut payload).await.ok()?;
    payload.iter_mut().enumerate().for_each(|(i, byte)| *byte ^= mask[i % 4]);
    Some((head[0] & 0x0f, payload))
}

/// What an agent still says after `session.end` must not be lost to a hasty close.
#[tokio::test]
async fn frames_that_cross_our_close_still_arrive() {
    let port = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        let Some((8, code)) = read_frame(&mut stream).await else { panic!("no close") };
        write(&mut stream, [frame(TEXT, b"one more thing"), frame(8, &code)].concat()).await;
        until_closed(&mut stream).await;
    })
    .await;
    let link = dial(port, patient()).await.unwrap();
    link.outgoing.send(Outgoing::Close).await.unwrap();
    assert_eq!(everything(link).await, [text("one more thing"), Incoming::Closed(Closure::ByUs)]);
}

/// A link to an agent that sends `bytes` once the link is open, then waits for the close, or hangs up.
async fn link_to_one_that_sends(bytes: Vec<u8>, hangs_up: bool) -> Link {
    let port = serve(move |mut stream: TcpStream| {
        let bytes = bytes.clone();
        async move {
            let head = read_head(&mut stream).await;
            write(&mut stream, switch(&head, "")).await;
            write(&mut stream, bytes).await;
            if !hangs_up {
                until_closed(&mut stream).await;
            }
        }
    })
    .await;
    dial(port, patient()).await.unwrap()
}

/// Everything that comes, to the end.
async fn everything(mut link: Link) -> Vec<Incoming> {
    let mut all = Vec::new();
    while let Some(incoming) = link.incoming.recv().await {
        all.push(incoming);
    }
    all
}

fn text(words: &str) -> Incoming {
    Incoming::Text(words.to_owned())
}

fn ended(incoming: &[Incoming]) -> String {
    match incoming {
        [.., Incoming::Closed(closure)] => closure.to_string(),
        other => panic!("no end: {other:?}"),
    }
}

#[tokio::test]
async fn frames_go_both_ways_and_the_upgrade_asks_for_nothing_extra() {
    let (port, heads) = {
        let heads = Heads::default();
        let kept = heads.clone();
        let port = serve(move |mut stream: TcpStream| {
            let kept = kept.clone();
            async move {
                let head = read_head(&mut stream).await;
                write(&mut stream, switch(&head, "")).await;
                kept.lock().unwrap().push(head);
                while let Some((opcode, payload)) = read_frame(&mut stream).await {
                    write(&mut stream, frame(opcode, &payload)).await;
                }
            }
        })
        .await;
        (port, heads)
    };
    let mut link = dial(port, patient()).await.unwrap();
    assert_eq!((link.peer.status, link.peer.tls, link.peer.authorized), (Some(101), false, false));
    link.outgoing.send(Outgoing::Text("grüß".to_owned())).await.unwrap();
    assert_eq!(link.incoming.recv().await, Some(text("grüß")));
    link.outgoing.send(Outgoing::Close).await.unwrap();
    assert_eq!(link.incoming.recv().await, Some(Incoming::Closed(Closure::ByUs)));
    assert_eq!(link.incoming.recv().await, None);
    let head = heads.lock().unwrap()[0].to_ascii_lowercase();
    for absent in ["authorization", "a2a-extensions", "sec-websocket-protocol", "sec-websocket-extensions"] {
        assert!(!head.contains(absent), "{head}");
    }
}

#[tokio::test]
async fn binary_and_oversized_frames_are_reported_and_the_link_goes_on() {
    let mut bytes = frame(2, b"\x00\x01\x02");
    bytes.extend(frame(TEXT, &vec![b'x'; 128 * 1024 + 1]));
    bytes.extend(frame(TEXT, &vec![b'y'; 128 * 1024]));
    bytes.extend(frame(8, b"\x03\xe8bye"));
    let all = everything(link_to_one_that_sends(bytes, false).await).await;
    let Incoming::Text(full) = &all[2] else { panic!("{:?}", all[2]) };
    assert_eq!(full.len(), 128 * 1024);
    assert_eq!(all[..2], [Incoming::Binary { bytes: 3 }, Incoming::Oversized { bytes: 131_073 }]);
    assert_eq!(ended(&all), "the agent closed the connection (code 1000: bye)");
}

#[tokio::test]
async fn h17_a_character_that_is_cut_between_fragments_arrives_whole() {
    let globe = "a \u{1F30D} b".as_bytes();
    for cut in 1..globe.len() {
        let mut first = frame(TEXT, &globe[..cut]);
        first[0] = TEXT;
        let whole = [first, frame(0, &globe[cut..]), frame(8, b"\x03\xe8")].concat();
        let all = everything(link_to_one_that_sends(whole, false).await).await;
        assert_eq!(all[0], text("a \u{1F30D} b"), "cut at {cut}");
    }
    let half = [frame(TEXT, &globe[..4]), frame(8, b"\x03\xe8")].concat();
    let all = everything(link_to_one_that_sends(half, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(_)]), "half a character is no text: {all:?}");
}

#[tokio::test]
async fn beyond_one_mebibyte_the_link_is_closed_from_the_announcement_alone() {
    let huge = b"\x82\x7f\x00\x00\x00\x00\x01\x10\x00\x00".to_vec();
    let all = everything(link_to_one_that_sends(huge, false).await).await;
    let expected =
        "the connection was closed: the agent sent a message of 17,825,792 bytes, more than 1,048,576 (R30)";
    assert_eq!(ended(&all), expected);
    let endless = [b"\x82\x7f".as_slice(), &[0xff; 8]].concat();
    let all = everything(link_to_one_that_sends(endless, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(Closure::TooLarge { .. })]), "{all:?}");
    // The same in fragments: no frame is too large, the message is.
    let mut first = frame(TEXT, &vec![b'x'; 700 * 1024]);
    first[0] = TEXT;
    let fragments = [first, frame(0, &vec![b'x'; 700 * 1024])].concat();
    let all = everything(link_to_one_that_sends(fragments, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(Closure::TooLarge { bound: 1_048_576, .. })]), "{all:?}");
}

#[tokio::test]
async fn every_kind_of_end_reads_plainly() {
    #[rustfmt::skip]
    let rows: [(&[u8], bool, &str); 11] = [
        (b"", true, "the connection to the agent was lost: it ended without a close"),
        (b"\x81\x05hel", true, "the connection to the agent was lost: it ended without a close"),
        (b"\x88\x00", false, "the agent closed the connection (no code)"),
        (b"\x88\x02\x03\xe9", false, "the agent closed the connection (code 1001)"),
        (b"\x88\x01\x03", false, "the connection was dropped: the agent sent a close frame that is too short"),
        (b"\x88\x02\x03\xed", false, "the connection was dropped: the agent closed with a code that RFC 6455 forbids"),
        (b"\xc1\x01a", false, "the connection was dropped: the agent sent a compressed frame, though no compression was agreed on"),
        (b"\x81\x02\xc3\x28", false, "the connection was dropped: the agent sent a text frame that is not UTF-8"),
        (b"\x81\x81\x00\x00\x00\x00a", false, "the connection was dropped: the agent sent a masked frame, which only clients do"),
        (b"\x80\x01a", false, "the connection was dropped: the agent broke RFC 6455: Continue frame but nothing to continue"),
        (b"\x83\x01a", false, "the connection was dropped: the agent broke RFC 6455: Encountered invalid opcode: 3"),
    ];
    for (bytes, hangs_up, expected) in rows {
        let sent = [frame(TEXT, b"first"), bytes.to_vec()].concat();
        let all = everything(link_to_one_that_sends(sent, hangs_up).await).await;
        assert_eq!((&all[0], ended(&all).as_str()), (&text("first"), expected), "{bytes:02x?}");
        assert_eq!(all.len(), 2);
    }
}

#[tokio::test]
async fn a_half_open_link_is_found_dead_and_one_that_answers_pings_is_not() {
    let silent = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        until_closed(&mut stream).await;
    })
    .await;
    let all = everything(dial(silent, options()).await.unwrap()).await;
    assert_eq!(ended(&all), "the agent has gone silent: nothing came for 0.2 s");

    // Ten pongs are twice as long as silence may last.
    let answering = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        for _ in 0..10 {
            let Some((9, payload)) = read_frame(&mut stream).await else { panic!("no ping") };
            write(&mut stream, frame(10, &payload)).await;
        }
        write(&mut stream, frame(8, b"\x03\xe8")).await;
        until_closed(&mut stream).await;
    })
    .await;
    let all = everything(dial(answering, options()).await.unwrap()).await;
    assert_eq!(ended(&all), "the agent closed the connection (code 1000)");
}

#[tokio::test]
async fn our_close_ends_in_time_though_the_agent_never_answers_it_or_never_reads() {
    let deaf = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        std::future::pending::<()>().await;
    })
    .await;
    for dropped in [false, true] {
        let Link { outgoing, mut incoming, .. } = dial(deaf, patient()).await.unwrap();
        if dropped {
            drop(outgoing);
        } else {
            outgoing.send(Outgoing::Close).await.unwrap();
        }
        let end = tokio::time::timeout(Duration::from_millis(800), incoming.recv()).await.unwrap();
        assert_eq!(end, Some(Incoming::Closed(Closure::ByUs)));
    }
}

#[tokio::test]
async fn an_agent_that_never_reads_is_given_up_and_does_not_keep_us_from_hearing_it() {
    let port = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        write(&mut stream, frame(TEXT, b"still here")).await;
        std::future::pending::<()>().await;
    })
    .await;
    let Link { outgoing, mut incoming, .. } = dial(port, options()).await.unwrap();
    let flood =
        tokio::spawn(
            async move { while outgoing.send(Outgoing::Text("x".repeat(128 * 1024))).await.is_ok() {} },
        );
    assert_eq!(incoming.recv().await, Some(text("still here")));
    let end = incoming.recv().await;
    assert!(matches!(end, Some(Incoming::Closed(Closure::TimedOut { .. }))), "{end:?}");
    flood.await.unwrap();
}

#[tokio::test]
async fn an_agent_that_talks_but_takes_nothing_is_given_up_too() {
    let port = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        for _ in 0..200 {
            write(&mut stream, frame(TEXT, b"on and on")).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let options = Options { dead_after: Duration::from_millis(150), ..options() };
    let Link { outgoing, mut incoming, .. } = dial(port, options).await.unwrap();
    tokio::spawn(async move { while outgoing.send(Outgoing::Text("x".repeat(128 * 1024))).await.is_ok() {} });
    let mut last = incoming.recv().await;
    while last == Some(text("on and on")) {
        last = incoming.recv().await;
    }
    let lost = Closure::Lost("the agent takes nothing any more".to_owned());
    assert_eq!(last, Some(Incoming::Closed(lost)));
}

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
