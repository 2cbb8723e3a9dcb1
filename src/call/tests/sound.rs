use super::*;

async fn speak(call: &Call, sequence: u16) {
    let sent = call.sound.outgoing.send(SoundOut::Packet(packet(sequence)));
    timeout(PATIENCE, sent).await.expect("room").expect("a call that is open");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_11_hazard_13_the_first_packets_after_opening_arrive_both_ways_unchanged() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    for n in 0..10 {
        speak(&offering, n).await;
        assert_eq!(hear(&mut answering.sound.incoming).await, packet(n));
        speak(&answering, n).await;
        assert_eq!(hear(&mut offering.sound.incoming).await, packet(n));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e14_nothing_leaves_that_was_not_given() {
    let Both { offering, mut answering } = both(here(), here()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(answering.sound.incoming.try_recv().is_err());
    assert_eq!(offering.facts.borrow().sent_packets, 0);
    assert_eq!(answering.facts.borrow().received_packets, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_sent_after_a_flush_arrives_behind_the_packets_before_it() {
    let Both { offering, mut answering } = both(here(), here()).await;
    for round in 0..20_u16 {
        for n in 0..10 {
            speak(&offering, round * 10 + n).await;
        }
        let (done, flushed) = oneshot::channel();
        offering.sound.outgoing.send(SoundOut::Flush(done)).await.unwrap();
        timeout(PATIENCE, flushed).await.expect("a flush in time").unwrap();
        say(&offering, "commit").await;
        assert_eq!(next(&mut answering).await, FromPeer::Text("commit".to_owned()));
        // All were on their way before the message was, and nothing is lost on this machine.
        for n in 0..10 {
            assert_eq!(hear(&mut answering.sound.incoming).await.sequence, round * 10 + n);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_facts_say_which_way_the_call_goes_and_how_much() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    for n in 0..5 {
        speak(&offering, n).await;
        hear(&mut answering.sound.incoming).await;
    }
    let sent = until(&mut offering.facts, |facts| facts.sent_packets == 5 && facts.pair.is_some()).await;
    assert_eq!(sent.sent_bytes, 20);
    let pair = sent.pair.unwrap();
    let ends: Vec<&str> = pair.split(" ↔ ").collect();
    assert!(
        ends.len() == 2 && ends.iter().all(|end| end.contains("127.0.0.1:") || end.contains("[::1]:")),
        "{pair}"
    );
    let came = until(&mut answering.facts, |facts| facts.received_packets == 5).await;
    assert_eq!((came.received_bytes, came.lost, came.backlog_bytes), (20, 0, 0));
    until(&mut offering.facts, |facts| facts.rtt.is_some_and(|rtt| rtt < Duration::from_secs(1))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_packets_are_counted() {
    let Both { offering, mut answering } = both(here(), here()).await;
    for n in (0..40).filter(|n| n % 4 != 1) {
        speak(&offering, n).await;
        hear(&mut answering.sound.incoming).await;
    }
    until(&mut answering.facts, |facts| facts.lost == 10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sound_that_nobody_takes_holds_up_no_message() {
    let Both { offering, mut answering } = both(here(), here()).await;
    for n in 0..1000 {
        speak(&offering, n).await;
    }
    say(&offering, "still here").await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("still here".to_owned()));
    drop(offering.sound);
    let mut kept = 0;
    while answering.sound.incoming.try_recv().is_ok() {
        kept += 1;
    }
    // Some may have come while these were taken out.
    assert!(kept < 2 * SOUND_IN_QUEUE, "{kept}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_sound_leaves_the_call_open() {
    let Both { offering, mut answering } = both(here(), here()).await;
    let Call { outgoing, incoming: _kept, sound, .. } = offering;
    drop(sound);
    outgoing.send(ToPeer::Text("still here".to_owned())).await.unwrap();
    assert_eq!(next(&mut answering).await, FromPeer::Text("still here".to_owned()));
}

#[test]
fn hazard_14_no_end_of_a_call_can_print_sound() {
    let printed = format!("{:?}", SoundOut::Packet(packet(7)));
    assert!(printed.contains("4 bytes") && !printed.contains("248"), "{printed}");
}
