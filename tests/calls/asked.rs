//! What the agent is asked, and whom the token reaches.

use agentcall::net::{Credentials, Origin};
use agentcall::redact::Token;
use agentcall::transport::DialError;
use agentcall::transport::webrtc::open;

use crate::agent::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_offer_is_posted_with_the_id_of_the_session_and_nothing_that_was_not_agreed() {
    let mut agent = Agent::good().await;
    let link = agent.dial().await.unwrap();
    let _call = agent.call().await;
    let asked = agent.asked();
    let (head, offer) = asked[0].split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<String> = head.lines().map(str::to_ascii_lowercase).collect();
    lines.retain(|line| !line.starts_with("user-agent: agentcall/") && !line.starts_with("content-length: "));
    let host = format!("host: 127.0.0.1:{}", agent.port);
    let wanted = [
        "post /agui?key=1 http/1.1",
        &host,
        "content-type: application/sdp",
        "accept: application/sdp",
        "accept-encoding: identity",
        "agentcall-session-id: proof-1",
    ];
    assert_eq!(lines, wanted);
    assert!(offer.starts_with("v=0\r\n") && offer.contains("a=setup:actpass\r\n"), "{offer}");
    assert_eq!((link.peer.status, link.peer.tls, link.peer.authorized), (Some(201), false, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_goes_to_its_own_origin_alone() {
    let mut agent = Agent::good().await;
    let own = Origin::of(&agent.url());
    let other = Origin::of(&"http://127.0.0.1:1/".parse().unwrap());
    for (origin, goes) in [(own, true), (other, false), (None, false)] {
        let credentials = Credentials { token: Some(Token::new("s3cret")), origin };
        let link = agent.dial_with(&local(), &credentials).await.unwrap();
        let _call = agent.call().await;
        let request = agent.asked().pop().unwrap();
        assert_eq!(request.contains("Bearer s3cret"), goes, "{request}");
        assert_eq!(link.peer.authorized, goes);
    }
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_refused_before_anything_is_gathered_or_sent() {
    let agent = Agent::good().await;
    let mut net = local();
    net.policy.local = false;
    let https = agent.url().to_string().replace("http:", "https:").parse().unwrap();
    for url in [agent.url(), https] {
        let error = open(&url, &net, &Credentials::default(), &options(), "proof-1").await.unwrap_err();
        assert!(matches!(error, DialError::Net(_)) && error.to_string().contains("refused"), "{error}");
    }
    assert!(agent.asked().is_empty());
}

#[tokio::test]
async fn an_id_that_does_not_fit_is_not_sent() {
    let agent = Agent::good().await;
    for id in ["a b", "a\r\nx: y", "é"] {
        let error = open(&agent.url(), &local(), &Credentials::default(), &options(), id).await.unwrap_err();
        assert!(error.to_string().ends_with("the id of the session does not fit a header (R29)"), "{error}");
    }
    assert!(agent.asked().is_empty());
}
