use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_01_messages_up_to_the_bound_arrive_whole_both_ways() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    for bytes in [0, 1, 1024, 61_440, 65_536, 83_968, 131_072] {
        let text = "é".repeat(bytes / 2) + &"x".repeat(bytes % 2);
        say(&offering, &text).await;
        assert_eq!(next(&mut answering).await, FromPeer::Text(text.clone()));
        say(&answering, &text).await;
        assert_eq!(next(&mut offering).await, FromPeer::Text(text));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_over_the_bound_is_discarded_and_told_and_the_call_goes_on() {
    let Both { offering, mut answering } = both(here(), here()).await;
    say(&offering, &"x".repeat(131_073)).await;
    say(&offering, "after").await;
    assert_eq!(next(&mut answering).await, FromPeer::Oversized { bytes: 131_073 });
    assert_eq!(next(&mut answering).await, FromPeer::Text("after".to_owned()));
}

/// An offering side that believes the other to take messages of so many bytes only.
async fn with_limit(line: &str) -> Both {
    let line = line.to_owned();
    both_with(
        here(),
        here(),
        |offer| offer,
        move |answer| answer.replace("a=max-message-size:262144\r\n", &line),
    )
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_02_a_peer_with_a_small_limit_may_send_more_than_that() {
    let Both { mut offering, mut answering } = with_limit("a=max-message-size:16384\r\n").await;
    assert_eq!(offering.facts.borrow().max_message, Some(16_384));
    say(&answering, &"y".repeat(100_000)).await;
    assert_eq!(next(&mut offering).await, FromPeer::Text("y".repeat(100_000)));
    say(&offering, &"x".repeat(16_384)).await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("x".repeat(16_384)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e2_a_message_over_the_peers_limit_is_not_sent_and_that_is_told() {
    let Both { mut offering, mut answering } = with_limit("").await;
    assert_eq!(offering.facts.borrow().max_message, Some(65_536));
    say(&offering, &"x".repeat(65_537)).await;
    assert_eq!(next(&mut offering).await, FromPeer::Unsendable { bytes: 65_537, bound: 65_536 });
    say(&offering, "smaller").await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("smaller".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e2_a_peer_without_a_limit_has_none() {
    let Both { offering, mut answering } = with_limit("a=max-message-size:0\r\n").await;
    assert_eq!(offering.facts.borrow().max_message, None);
    say(&offering, &"x".repeat(131_072)).await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("x".repeat(131_072)));
}

/// Fills the way to a peer whose session takes nothing: gives how many messages went until a sender had to wait.
async fn fill(call: &Call) -> usize {
    let text = "x".repeat(100_000);
    for sent in 0..100_000 {
        let full =
            timeout(Duration::from_secs(3), call.outgoing.send(ToPeer::Text(text.clone()))).await.is_err();
        if full {
            return sent;
        }
    }
    panic!("it takes everything");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_16_what_waits_to_be_sent_is_bounded_and_shown() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    let sent = fill(&offering).await;
    let facts = until(&mut offering.facts, |facts| facts.backlog_bytes > 100_000).await;
    assert!(facts.backlog_bytes <= 512 * 1024 + 100_000, "{} bytes wait", facts.backlog_bytes);
    for _ in 0..sent {
        assert!(matches!(next(&mut answering).await, FromPeer::Text(text) if text.len() == 100_000));
    }
    until(&mut offering.facts, |facts| facts.backlog_bytes == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e1_a_peer_that_takes_nothing_is_told_of_and_given_up() {
    let settings = Settings {
        stalled_after: Duration::from_millis(300),
        given_up_after: Duration::from_millis(700),
        ..here()
    };
    let Both { mut offering, answering } = both(settings, here()).await;
    let outgoing = offering.outgoing.clone();
    let filling =
        tokio::spawn(async move { while outgoing.send(ToPeer::Text("x".repeat(100_000))).await.is_ok() {} });
    // What still finds room on the way may take longer than the patience of this test to be acknowledged: then it flows
    // once more.
    let mut told = Vec::new();
    let end = loop {
        match next(&mut offering).await {
            FromPeer::Closed(end) => break end,
            other => told.push(other),
        }
    };
    assert_eq!(told.first(), Some(&FromPeer::Stalled { after: Duration::from_millis(300) }), "{told:?}");
    assert_ne!(told.last(), Some(&FromPeer::Flowing), "{told:?}");
    let CallEnd::Stalled { backlog, .. } = &end else { panic!("{end:?}") };
    assert!(*backlog > 100_000, "{end:?}");
    timeout(PATIENCE, filling).await.expect("a sender that is told").expect("no panic");
    drop(answering);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_takes_again_is_told_of() {
    let settings = Settings { stalled_after: Duration::from_millis(300), ..here() };
    let Both { mut offering, mut answering } = both(settings, here()).await;
    let outgoing = offering.outgoing.clone();
    let filling =
        tokio::spawn(async move { while outgoing.send(ToPeer::Text("x".repeat(100_000))).await.is_ok() {} });
    assert!(matches!(next(&mut offering).await, FromPeer::Stalled { .. }));
    let draining = tokio::spawn(async move { while answering.incoming.recv().await.is_some() {} });
    assert_eq!(next(&mut offering).await, FromPeer::Flowing);
    drop(offering);
    for task in [filling, draining] {
        timeout(PATIENCE, task).await.expect("an end").expect("no panic");
    }
}
