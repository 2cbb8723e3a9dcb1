//! Every way an agent can answer the offer wrongly.

use std::time::Duration;

use agentcall::net::{Credentials, NetError, NetErrorKind, Origin};
use agentcall::redact::Token;
use agentcall::transport::DialError;
use agentcall::transport::webrtc::{Options, open};

use crate::agent::*;

#[tokio::test]
async fn another_media_type_than_sdp_is_named() {
    for (media_type, came) in [
        ("text/html; charset=utf-8", "text/html"),
        ("application/sdp+json", "application/sdp+json"),
        ("te\u{1b}[2Jxt", "te␛[2Jxt"),
    ] {
        let agent = Agent::answering(move |answer| ok(media_type, answer)).await;
        let Err(error) = agent.dial().await else { panic!("{media_type:?} is taken") };
        if let DialError::Net(NetError::Answer { .. }) = error {
            continue; // A control character is no header at all.
        }
        let url = format!("http://127.0.0.1:{}/agui?…", agent.port);
        let said = format!("{url} answered the SDP offer with {came}, and application/sdp was asked for");
        assert_eq!(error.to_string(), said);
        assert_eq!(error.kind(), NetErrorKind::Connect);
        assert!(error.hint().unwrap().contains("agui.url"));
    }
    let agent = Agent::answering(|answer| http("200 OK", "", answer.as_bytes())).await;
    let error = agent.dial().await.unwrap_err();
    assert!(error.to_string().contains("with no media type, and"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_media_type_may_be_spelled_in_any_case_and_with_parameters_and_both_statuses_are_taken() {
    let mut agent = Agent::answering(|answer| {
        http("200 OK", "Content-Type: Application/SDP; charset=utf-8\r\n", answer.as_bytes())
    })
    .await;
    let link = agent.dial().await.unwrap();
    let _call = agent.call().await;
    assert_eq!(link.peer.status, Some(200));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = "Location: https://b.example/?key=1\r\n";
        let agent = Agent::answering(move |_| http(status, location, b"")).await;
        let error = agent.dial().await.unwrap_err();
        assert_eq!(error.kind(), NetErrorKind::Redirect);
        let said = error.to_string();
        assert!(
            said.contains("redirects to https://b.example/?…") && said.contains("follows no redirect"),
            "{said}"
        );
        assert_eq!(agent.asked().len(), 1);
    }
}

#[tokio::test]
async fn another_status_is_said_with_the_beginning_of_the_body() {
    for status in
        ["400 Bad Request", "202 Accepted", "204 No Content", "406 Not Acceptable", "503 Unavailable"]
    {
        let agent = Agent::answering(move |_| http(status, "", &b"no room ".repeat(40_000))).await;
        let error = agent.dial().await.unwrap_err();
        let code: u16 = status[..3].parse().unwrap();
        assert!(
            matches!(&error, DialError::Net(NetError::Status { status, .. }) if *status == code),
            "{error}"
        );
        assert!(error.to_string().len() < 400, "{error}");
    }
    let agent = Agent::answering(|_| http("401 Unauthorized", "", b"")).await;
    for (origin, hint) in [(Origin::of(&agent.url()), "sent and not accepted"), (None, "was not sent")] {
        let credentials = Credentials { token: Some(Token::new("s3cret")), origin };
        let error = agent.dial_with(&local(), &credentials).await.unwrap_err();
        assert!(error.hint().unwrap().contains(hint), "{:?}", error.hint());
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }
}

/// An answer of exactly so many bytes: blank lines at its end mean nothing.
fn padded(answer: &str, bytes: usize) -> String {
    format!("{answer}{}", "\n".repeat(bytes - answer.len()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_128_kib_is_taken_and_one_byte_more_is_not() {
    let mut agent = Agent::answering(|answer| ok("application/sdp", &padded(answer, 131_072))).await;
    agent.dial().await.unwrap();
    let _call = agent.call().await;
    let announced = Agent::answering(|answer| ok("application/sdp", &padded(answer, 131_073))).await;
    let streamed = Agent::answering(|answer| {
        let body = padded(answer, 131_073);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/sdp\r\nTransfer-Encoding: chunked\r\n\r\n";
        format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes()
    })
    .await;
    for agent in [announced, streamed] {
        let error = agent.dial().await.unwrap_err();
        assert_eq!(error.kind(), NetErrorKind::Bound);
        assert!(error.to_string().contains("131"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_or_not_whole_is_given_up() {
    let silent = Agent::answering(|_| Vec::new()).await;
    let slow = Agent::answering(|answer| {
        let whole = ok("application/sdp", answer);
        whole[..whole.len() - 10].to_vec()
    })
    .await;
    let mut net = local();
    net.timeouts.first_byte = Duration::from_secs(2);
    let options = Options { answer_within: Duration::from_millis(300), ..options() };
    for agent in [silent, slow] {
        let error = open(&agent.url(), &net, &Credentials::default(), &options, "proof-1").await.unwrap_err();
        assert_eq!(error.kind(), NetErrorKind::Timeout, "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("too slow")), "{:?}", error.hint());
    }
}

/// What an agent makes of its good answer.
type Change = fn(&str) -> String;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_12_each_fault_of_an_answer_is_said_with_its_line() {
    #[rustfmt::skip]
    let rows: [(Change, &str); 9] = [
        (|a| a.replace("a=group:BUNDLE 0 1\r\n", ""), "expected a=group:BUNDLE 0 1 before the sections"),
        (|a| a.replace("a=mid:0\r\n", ""), "expected a=mid:NAME in it (RFC 5888, section 4)"),
        (|a| a.replace("a=setup:active", "a=setup:actpass"), "expected active or passive (RFC 8842, section 5.3)"),
        (|a| a.replacen("a=sendrecv", "a=recvonly", 1), "expected a=sendrecv: sound goes both ways"),
        (|a| a.replacen("a=sendrecv", "a=inactive", 1), "expected a=sendrecv: sound goes both ways"),
        (|a| a.replace("m=audio 9", "m=audio 0"), "expected a port: 0 refuses it (RFC 3264, section 6)"),
        (|a| format!("{a}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:2\r\n"), "expected one audio section; this is another"),
        (|a| a.replace("a=fingerprint:sha-256", "a=fingerprint:sha-1"), "expected a fingerprint of sha-256"),
        (|_| "\u{fffd}PNG".to_owned(), "expected v=0 (RFC 8866, section 5.1)"),
    ];
    for (change, expected) in rows {
        let agent = Agent::answering(move |answer| {
            let changed = change(answer);
            assert_ne!(changed, answer, "the change changes nothing");
            ok("application/sdp", &changed)
        })
        .await;
        let error = agent.dial().await.unwrap_err();
        let said = error.to_string();
        let begins = format!("no call with http://127.0.0.1:{}/agui?…: line ", agent.port);
        assert!(said.starts_with(&begins) && said.ends_with(expected), "{said}");
        assert!(error.hint().is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_07_another_fingerprint_is_given_up_with_what_was_reached() {
    let agent = Agent::answering(|answer| {
        let zeros = format!("a=fingerprint:sha-256 {}", ["00"; 32].join(":"));
        let of =
            |line: &str| if line.starts_with("a=fingerprint:") { zeros.clone() } else { line.to_owned() };
        ok("application/sdp", &(answer.lines().map(of).collect::<Vec<_>>().join("\r\n") + "\r\n"))
    })
    .await;
    let mut options = options();
    options.call.connect_within = Duration::from_secs(2);
    let error = open(&agent.url(), &local(), &Credentials::default(), &options, "proof-1").await.unwrap_err();
    assert!(error.to_string().ends_with("(DTLS: connecting)"), "{error}");
    assert!(matches!(error.kind(), NetErrorKind::Timeout | NetErrorKind::Connect));
}
