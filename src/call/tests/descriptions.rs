use std::net::UdpSocket;

use super::*;

fn candidates(sdp: &str) -> Vec<String> {
    let of =
        |line: &str| line.strip_prefix("a=candidate:").map(|c| c.split(' ').nth(4).unwrap_or("").to_owned());
    sdp.lines().filter_map(of).collect()
}

fn loopback(address: &str) -> bool {
    address.parse::<std::net::IpAddr>().is_ok_and(|a| a.is_loopback())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_offer_has_one_opus_track_both_ways_and_one_channel() {
    let offering = Offering::prepare(here()).await.unwrap();
    let count = |text: &str| offering.sdp().matches(text).count();
    assert_eq!((count("m=audio "), count("m=application "), count("m=")), (1, 1, 2));
    assert_eq!((count("a=rtpmap:"), count("a=rtpmap:111 opus/48000/2\r\n")), (1, 1));
    let sound = offering.sdp().split("m=application").next().unwrap();
    assert_eq!(sound.matches("a=sendrecv").count(), 1);
    assert_eq!(count("a=max-message-size:262144\r\n"), 1);
    assert!(count("a=setup:actpass") >= 1 && count("a=fingerprint:sha-256") >= 1);
    sdp::read_offer(offering.sdp()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_08_a_server_that_does_not_answer_holds_the_offer_no_longer_than_asked() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("stun:{}", silent.local_addr().unwrap());
    let ice_servers = vec![IceServer::new(&url, "", None).unwrap()];
    let settings = Settings { ice_servers, gather_within: Duration::from_millis(800), ..here() };
    let started = std::time::Instant::now();
    let offering = Offering::prepare(settings).await.unwrap();
    // The stack by itself would wait for eleven seconds.
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    assert!(candidates(offering.sdp()).iter().any(|address| loopback(address)), "{}", offering.sdp());
    let theirs = Answering::prepare(offering.sdp(), here()).await.unwrap();
    let answer = theirs.sdp().to_owned();
    let (ours, theirs) = tokio::join!(offering.connect(&answer), theirs.connect());
    assert!(ours.is_ok() && theirs.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_09_each_reach_offers_its_addresses_and_no_others() {
    let of = async |reach| {
        let settings = Settings { reach, ..here() };
        candidates(Offering::prepare(settings).await.unwrap().sdp())
    };
    let (alone, network, all) =
        (of(Reach::Loopback).await, of(Reach::Network).await, of(Reach::NetworkAndLoopback).await);
    assert!(!alone.is_empty() && alone.iter().all(|a| loopback(a)), "{alone:?}");
    assert!(network.iter().all(|a| !loopback(a)), "{network:?}");
    assert!(network.iter().all(|a| all.contains(a)) && alone.iter().all(|a| all.contains(a)), "{all:?}");
    let unspecified = |a: &String| a == "0.0.0.0" || a == "::";
    assert!(!all.iter().any(unspecified) && !network.iter().any(unspecified), "{all:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_10_a_name_of_multicast_dns_that_nobody_answers_for_does_not_keep_a_call_from_opening() {
    let hidden = |answer: String| {
        let mut named = false;
        let of = |line: &str| -> String {
            let words: Vec<&str> = line.split(' ').collect();
            if !line.starts_with("a=candidate:") || std::mem::replace(&mut named, true) {
                return line.to_owned();
            }
            format!(
                "{} 3f2a1c9e-0000-4000-8000-000000000000.local {}",
                words[..4].join(" "),
                words[5..].join(" ")
            )
        };
        let lines: Vec<String> = answer.lines().map(of).filter(|l| !l.contains("127.0.0.1 ")).collect();
        lines.join("\r\n") + "\r\n"
    };
    // Found by what it sends, as a browser on another network would be.
    let Both { offering, mut answering } = both_with(here(), here(), |offer| offer, hidden).await;
    say(&offering, "found").await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("found".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e8_an_answer_without_a_usable_candidate_still_opens_where_the_peer_reaches_us() {
    let junk = |answer: String| answer.replace(" typ host", " typ guess");
    let Both { offering, mut answering } = both_with(here(), here(), |offer| offer, junk).await;
    say(&offering, "found").await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("found".to_owned()));
}

/// What is said of an offer's call within a second after its answer was changed.
async fn opened(changed: impl FnOnce(String) -> String) -> CallError {
    let settings = Settings { connect_within: Duration::from_secs(2), ..here() };
    let ours = Offering::prepare(settings).await.expect("an offer");
    let theirs = Answering::prepare(ours.sdp(), here()).await.expect("an answer");
    let answer = changed(theirs.sdp().to_owned());
    let their_call = tokio::spawn(theirs.connect());
    let error = ours.connect(&answer).await.expect_err("no call");
    their_call.abort();
    error
}

fn with_another_fingerprint(answer: &str) -> String {
    let zeros = format!("a=fingerprint:sha-256 {}", ["00"; 32].join(":"));
    let of = |line: &str| if line.starts_with("a=fingerprint:") { zeros.clone() } else { line.to_owned() };
    answer.lines().map(of).collect::<Vec<_>>().join("\r\n") + "\r\n"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_07_another_certificate_than_that_of_the_answer_opens_nothing_within_our_own_time() {
    let error = opened(|answer| with_another_fingerprint(&answer)).await;
    let said = error.to_string();
    let early = said.starts_with("the call failed: ");
    assert!(early || said.starts_with("the call did not open within 2 s: "), "{said}");
    assert!(said.ends_with("no keys were agreed on over it (DTLS: connecting)"), "{said}");
    assert!(error.hint().is_some_and(|hint| hint.contains("certificate")), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_07_e10_a_peer_that_never_answers_is_given_up_with_the_state_it_was_in() {
    let settings = Settings { connect_within: Duration::from_secs(1), ..here() };
    let ours = Offering::prepare(settings).await.unwrap();
    let answer = {
        let theirs = Answering::prepare(ours.sdp(), here()).await.unwrap();
        theirs.sdp().to_owned()
    };
    let said = ours.connect(&answer).await.expect_err("no call").to_string();
    assert_eq!(said, "the call did not open within 1 s: no way to the other side was found (ICE: checking)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_of_an_answer_may_be_left_out_or_garbled_without_a_hang_or_a_panic() {
    let ours = Offering::prepare(here()).await.unwrap();
    let theirs = Answering::prepare(ours.sdp(), here()).await.unwrap();
    let lines: Vec<String> = theirs.sdp().lines().map(str::to_owned).collect();
    let mut refused = 0;
    for at in 0..lines.len() {
        for garbled in [None, Some(""), Some("x"), Some("99999999999999999999"), Some("\0")] {
            let mut changed = lines.clone();
            match garbled {
                None => drop(changed.remove(at)),
                Some(junk) => {
                    let keep = changed[at].find(':').map_or(2, |colon| colon + 1);
                    changed[at] = format!("{}{junk}", &changed[at][..keep]);
                }
            }
            let settings = Settings { connect_within: Duration::from_millis(1), ..here() };
            let ours = Offering::prepare(settings).await.unwrap();
            let text = changed.join("\r\n") + "\r\n";
            let error = timeout(PATIENCE, ours.connect(&text)).await.expect("no hang").expect_err("no call");
            let said = error.to_string();
            assert!(said.len() < 400 && !said.contains(['\n', '\0']), "{said:?}");
            refused += usize::from(matches!(error, CallError::Sdp(_)));
        }
    }
    assert!(refused > 30, "only {refused} were refused");
}

#[test]
fn servers_are_read_and_their_secrets_are_not_printed() {
    let secret = || Some(crate::redact::Token::new("s3cret-of-turn"));
    let relay = IceServer::new("turn:relay.example:3478?transport=udp", "me", secret()).unwrap();
    assert!(!format!("{relay:?}").contains("s3cret"));
    assert_eq!(relay.url(), "turn:relay.example:3478?transport=udp");
    assert!(IceServer::new("stun:[2001:db8::1]:3478", "", None).is_ok());
    for wrong in
        ["", "stun:", "http://relay.example", "stun:host name", "turns:relay.example", "relay.example"]
    {
        assert!(matches!(IceServer::new(wrong, "me", secret()), Err(IceServerFault::Url(_))), "{wrong:?}");
    }
    for (user, secret) in [("", secret()), ("me", None)] {
        assert!(matches!(
            IceServer::new("turn:relay.example", user, secret),
            Err(IceServerFault::NoCredentials(_))
        ));
    }
}
