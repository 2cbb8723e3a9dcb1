//! F10 and its kind: answers that are put together wrongly, that come too slowly, and that never end. Each reads
//! as one line, names what was expected and what came, and costs no more than its bound.

use std::time::Duration;

use agentcall::discovery::fetch::{CardSource, fetch};
use agentcall::net::{Credentials, NetContext, NetError, NetErrorKind, Timeouts, http};
use tokio::net::TcpStream;

use crate::server::*;

const BOUND: usize = 1024;

/// Times that never matter in a test, however busy the machine is.
fn patient() -> NetContext {
    let mut net = local();
    let long = Duration::from_secs(30);
    net.timeouts = Timeouts { resolve: long, address: long, connect: long, first_byte: long, exchange: long };
    net
}

/// What a server becomes that says `bytes` and then hangs up.
async fn answered(bytes: &[u8]) -> Result<http::Answer, NetError> {
    let bytes = bytes.to_vec();
    let port = serve(move |mut stream: TcpStream| {
        let bytes = bytes.clone();
        async move {
            read_head(&mut stream).await;
            write(&mut stream, bytes).await;
        }
    })
    .await;
    http::get(&patient(), &url(port, "/card.json"), "application/json", None, BOUND).await
}

/// Its status and its body.
async fn said(bytes: &[u8]) -> Result<(u16, String), NetError> {
    let answer = answered(bytes).await?;
    Ok((answer.status, String::from_utf8(answer.body).unwrap()))
}

/// The end of the line that such an answer becomes, after `… gave no proper HTTP answer: `.
async fn fault(bytes: &str) -> String {
    let error = match said(bytes.as_bytes()).await {
        Err(error) => error,
        Ok(answer) => panic!("{bytes:?} was taken as {answer:?}"),
    };
    assert_eq!(error.kind(), NetErrorKind::Connect, "{bytes:?}");
    let (text, hint) = (error.to_string(), error.hint());
    assert!(!text.contains('\n') && hint.is_some(), "one line, and what to do: {text}");
    text.split_once(" gave no proper HTTP answer: ").unwrap().1.to_owned()
}

fn with(fields: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{body}")
}

#[tokio::test]
async fn a_body_is_as_long_as_its_one_length_says() {
    for fields in ["Content-Length: 2", "Content-Length: 2\r\nContent-Length: 2", "content-length:2, 2"] {
        for body in ["{}", "{} and more", "{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"] {
            let answer = said(with(fields, body).as_bytes()).await.unwrap();
            assert_eq!(answer, (200, "{}".to_owned()), "{fields:?} {body:?}: the rest belongs to no answer");
        }
    }
    for length in
        ["2\r\nContent-Length: 3", "2, 3", "-2", "+2", "0x2", "2 2", "2.0", "", "99999999999999999999"]
    {
        let fault = fault(&with(&format!("Content-Length: {length}"), "{}")).await;
        assert_eq!(
            fault, "its Content-Length is not one number of at most 64 bits (RFC 9112, section 6.3)",
            "{length}"
        );
    }
    let absurd = said(with(&format!("Content-Length: {}", u64::MAX), "{}").as_bytes()).await.unwrap_err();
    assert_eq!(absurd.kind(), NetErrorKind::Bound);
    let large = said(with("Content-Length: 9223372036854775807", "{}").as_bytes()).await.unwrap_err();
    assert!(
        large.to_string().contains("announces 9,223,372,036,854,775,807 bytes, more than 1,024"),
        "{large}"
    );
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_the_connection() {
    for version in ["1.0", "1.1"] {
        let answer = said(format!("HTTP/{version} 200 OK\r\n\r\n{{}}").as_bytes()).await.unwrap();
        assert_eq!(answer, (200, "{}".to_owned()));
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_says_where() {
    let whole = with("Content-Length: 10", "0123456789");
    let body = whole.len() - 10;
    for at in 0..whole.len() {
        let fault = fault(&whole[..at]).await;
        let expected = match at.checked_sub(body) {
            None => "the connection ended before its header was complete".to_owned(),
            Some(came) => format!("the connection ended after {came} of 10 bytes of its body"),
        };
        assert_eq!(fault, expected, "cut at {at}");
    }
    let whole = with("Transfer-Encoding: chunked", "4\r\n0123\r\n2;x=y\r\n45\r\n0\r\nX: y\r\n\r\n");
    let body = whole.find("4\r\n0123").unwrap();
    for at in body..whole.len() {
        let fault = fault(&whole[..at]).await;
        assert!(fault.starts_with("the connection ended after "), "{fault}");
        assert!(fault.ends_with(" bytes of its body, before it was whole"), "{fault}");
    }
    assert_eq!(said(whole.as_bytes()).await.unwrap(), (200, "012345".to_owned()));
}

#[tokio::test]
async fn chunks_are_chunks_and_nothing_else_is_unpacked() {
    let chunks = "2\r\n{}\r\n0\r\n\r\n";
    for body in
        ["2\r\n{}\r\n0\r\n\r\n", "1;a=\"b\"\r\n{\r\n001\r\n}\r\n000\r\nX: y\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n"]
    {
        let answer = said(with("Transfer-Encoding: Chunked", body).as_bytes()).await.unwrap();
        assert_eq!(answer, (200, "{}".to_owned()), "{body:?}");
    }
    for body in [
        "xyz\r\n{}\r\n0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "1\r\n{}\r\n0\r\n\r\n",
        "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n",
        "{}",
    ] {
        let fault = fault(&with("Transfer-Encoding: chunked", body)).await;
        assert!(fault.starts_with("its chunks break the rules of HTTP ("), "{body:?}: {fault}");
        assert!(fault.ends_with("; RFC 9112, section 7.1)"), "{body:?}: {fault}");
    }
    let two = "it announces both a length and chunks, and only one can be right (RFC 9112, section 6.3)";
    assert_eq!(fault(&with("Content-Length: 2\r\nTransfer-Encoding: chunked", chunks)).await, two);
    assert_eq!(fault(&with("Transfer-Encoding: chunked\r\nContent-Length: 12", chunks)).await, two);
    for coding in
        ["gzip", "gzip, chunked", "chunked, gzip", "identity", "chunked\r\nTransfer-Encoding: chunked"]
    {
        let fault = fault(&with(&format!("Transfer-Encoding: {coding}"), chunks)).await;
        assert!(fault.starts_with("its body is sent as \""), "{coding}: {fault}");
        assert!(
            fault.ends_with("nothing but chunked was accepted (RFC 9112, section 6.1)"),
            "{coding}: {fault}"
        );
    }
    for coding in ["gzip", "x-gzip", "br", "identity, gzip", "identity\r\nContent-Encoding: br", "aes128gcm"]
    {
        let fault = fault(&with(&format!("Content-Encoding: {coding}\r\nContent-Length: 2"), "{}")).await;
        assert!(fault.starts_with("its body is encoded as \""), "{coding}: {fault}");
        assert!(fault.contains("though none but identity was accepted"), "{coding}: {fault}");
    }
    let plain = said(with("Content-Encoding: identity\r\nContent-Length: 2", "{}").as_bytes()).await;
    assert_eq!(plain.unwrap(), (200, "{}".to_owned()));
}

#[tokio::test]
async fn what_is_not_http_is_told_apart_from_a_broken_header() {
    for bytes in [
        "{}",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "220 mail.example ESMTP\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\r\n\r\n\r\n<html>",
    ] {
        let fault = fault(bytes).await;
        assert!(fault.starts_with("what it sends is not HTTP/1.1: "), "{bytes:?}: {fault}");
    }
    for status in ["20 OK", "2000 OK", "099 OK", " 200 OK", "OK", "2x0 OK", ""] {
        let fault = fault(&format!("HTTP/1.1 {status}\r\n\r\n")).await;
        assert!(fault.starts_with("its status line has no status of three digits"), "{status:?}: {fault}");
    }
    for field in ["A b: c", "A : c", "A: b\r\n c", "A: \u{0}", "no colon", ": empty", "\u{e9}: c"] {
        let fault = fault(&with(&format!("{field}\r\nContent-Length: 2"), "{}")).await;
        assert!(fault.starts_with("its header breaks the rules of HTTP: a line"), "{field:?}: {fault}");
    }
    let tls = said("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}".as_bytes()).await.unwrap_err().hint().unwrap();
    assert!(tls.contains("use https://"), "{tls}");
}

#[tokio::test]
async fn interim_answers_are_passed_over_and_not_for_ever() {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    let few = format!("HTTP/1.1 100 Continue\r\n\r\n{}", interim.repeat(15));
    let answer = said(format!("{few}{}", with("Content-Length: 2", "{}")).as_bytes()).await.unwrap();
    assert_eq!(answer, (200, "{}".to_owned()));
    let error = endless(&patient(), "", interim).await;
    assert_eq!(error.kind(), NetErrorKind::Bound);
    assert!(
        error.to_string().ends_with("it sent more than 16 interim answers (1xx) and not the answer itself")
    );
}

/// What a server becomes that says `first`, and then `again` as fast as it is read.
async fn endless(net: &NetContext, first: &'static str, again: &'static str) -> NetError {
    let port = serve(move |mut stream: TcpStream| async move {
        use tokio::io::AsyncWriteExt;
        read_head(&mut stream).await;
        write(&mut stream, first).await;
        let block = again.repeat(8192 / again.len());
        while stream.write_all(block.as_bytes()).await.is_ok() {}
    })
    .await;
    http::get(net, &url(port, "/card.json"), "application/json", None, BOUND).await.unwrap_err()
}

#[tokio::test]
async fn f10_whatever_never_ends_is_cut_off_at_its_bound_and_not_at_its_time() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let rows = [
        ("", "H", "what it sends is not HTTP/1.1"),
        ("HTTP/1.1 200 ", "O", "its header goes beyond 16,384 bytes"),
        ("HTTP/1.1 200 OK\r\nX-a: ", "a", "its header goes beyond 16,384 bytes"),
        ("HTTP/1.1 200 OK\r\n", "X-a: b\r\n", "its header goes beyond 16,384 bytes, 100 fields"),
        ("HTTP/1.1 200 OK\r\n", "aaaa", "its header goes beyond 16,384 bytes"),
        ("HTTP/1.1 200 OK\r\n\r\n", "{", "its body has more than 1,024 bytes"),
        (chunked, "1\r\n{\r\n", "its body has more than 1,024 bytes"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=",
            "b",
            "its chunks break the rules of HTTP",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            "X: y\r\n",
            "its chunks break the rules of HTTP",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",
            "y",
            "its chunks break the rules of HTTP",
        ),
    ];
    for (first, again, expected) in rows {
        let error = endless(&patient(), first, again).await;
        assert!(error.to_string().contains(expected), "{first:?} {again:?}: {error}");
        assert!(error.kind() != NetErrorKind::Timeout, "{first:?} {again:?}: {error}");
    }
    // The zeros before a chunk's size are kept nowhere, and are the one thing that only time bounds.
    let error = endless(&local(), chunked, "0").await;
    assert_eq!(error.kind(), NetErrorKind::Timeout, "{error}");
}

/// The answer of a server that says `quick` at once, and then `slowly` a byte every 20 ms, for ever.
async fn dribbled(quick: &'static str, slowly: &'static str) -> NetError {
    let port = serve(move |mut stream: TcpStream| async move {
        use tokio::io::AsyncWriteExt;
        read_head(&mut stream).await;
        write(&mut stream, quick).await;
        for byte in slowly.bytes().cycle() {
            if stream.write_all(&[byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let source = CardSource::Url(url(port, "/card.json"));
    let error = fetch(&source, &local(), &Credentials::default(), None).await.unwrap_err();
    let agentcall::discovery::fetch::FetchError::Net { source, .. } = error else { panic!("{error}") };
    source
}

#[tokio::test]
async fn a_byte_at_a_time_is_given_up_wherever_in_the_answer_it_comes() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (head, whole) = ("waiting for an answer from ", "the exchange with ");
    let rows = [
        ("HTTP/1.1 200 ", "OK ", head),
        ("HTTP/1.1 200 OK\r\n", "X", head),
        ("HTTP/1.1 200 OK\r\nX: ", "y", head),
        ("HTTP/1.1 200 OK\r\n", "X: y\r\n", head),
        ("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", head),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "{", whole),
        ("HTTP/1.1 200 OK\r\n\r\n", " ", whole),
        (chunked, "1\r\n{\r\n", whole),
        (chunked, "0", whole),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x", whole),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n", whole),
    ];
    let all = rows.map(|(quick, slowly, operation)| async move {
        let error = dribbled(quick, slowly).await;
        assert_eq!(error.kind(), NetErrorKind::Timeout, "{quick:?} {slowly:?}: {error}");
        let text = error.to_string();
        assert!(text.starts_with(operation) && text.ends_with(" s"), "{quick:?} {slowly:?}: {text}");
        assert!(error.hint().unwrap().contains("too slow"), "{:?}", error.hint());
    });
    futures_util::future::join_all(all).await;
}

/// Nothing that a server says makes the reader panic, run over its bound, or wait beyond its time.
#[test]
fn an_answer_with_anything_wrong_in_it_is_an_answer_or_one_line() {
    use proptest::prelude::*;
    let whole = with("Content-Type: application/json\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wrong = (0..whole.len(), 0..4_usize, proptest::collection::vec(any::<u8>(), 0..6));
    proptest!(ProptestConfig::with_cases(256), |((at, cut, put) in wrong)| {
        let mut bytes = whole.clone().into_bytes();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put);
        match runtime.block_on(answered(&bytes)) {
            Ok(answer) => prop_assert!(answer.body.len() <= BOUND),
            Err(error) => prop_assert!(!error.to_string().contains('\n'), "{}", error),
        }
    });
}
