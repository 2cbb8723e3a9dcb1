//! The open call, as the session driver sees it.

use agentcall::call::{FromPeer, ToPeer};
use agentcall::rtp::SoundPacket;
use agentcall::transport::{CallState, Closure, Incoming, Link, Outgoing, SoundOut};
use bytes::Bytes;
use tokio::time::timeout;

use crate::agent::*;

async fn open() -> (Link, agentcall::call::Call) {
    let mut agent = Agent::good().await;
    let link = agent.dial().await.unwrap();
    let call = agent.call().await;
    (link, call)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_go_both_ways_and_a_photo_fits() {
    let (mut link, mut call) = open().await;
    for text in ["{\"type\":\"session.start\"}".to_owned(), "x".repeat(83_968)] {
        link.outgoing.send(Outgoing::Text(text.clone())).await.unwrap();
        assert_eq!(
            timeout(PATIENCE, call.incoming.recv()).await.unwrap(),
            Some(FromPeer::Text(text.clone()))
        );
        call.outgoing.send(ToPeer::Text(text.clone())).await.unwrap();
        assert_eq!(next(&mut link).await, Incoming::Text(text));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sound_goes_both_ways_beside_the_frames() {
    let (mut link, mut call) = open().await;
    let mut sound = link.sound.take().expect("a line of sound");
    let packet = |sequence| SoundPacket {
        sequence,
        timestamp: u32::from(sequence) * 960,
        marker: sequence == 1,
        payload: Bytes::from_static(&[0xF8, 0xFF, 0xFE]),
    };
    for n in 1..=5 {
        sound.outgoing.send(SoundOut::Packet(packet(n))).await.unwrap();
        assert_eq!(timeout(PATIENCE, call.sound.incoming.recv()).await.unwrap(), Some(packet(n)));
        call.sound.outgoing.send(SoundOut::Packet(packet(n))).await.unwrap();
        assert_eq!(timeout(PATIENCE, sound.incoming.recv()).await.unwrap(), Some(packet(n)));
    }
    let facts =
        timeout(PATIENCE, sound.facts.wait_for(|f| f.sent_packets == 5 && f.received_packets == 5)).await;
    assert_eq!(facts.unwrap().unwrap().state, CallState::Open);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_close_of_ours_reaches_the_agent_behind_what_was_sent() {
    let (mut link, mut call) = open().await;
    link.outgoing.send(Outgoing::Text("session.end".to_owned())).await.unwrap();
    link.outgoing.send(Outgoing::Close).await.unwrap();
    assert_eq!(
        timeout(PATIENCE, call.incoming.recv()).await.unwrap(),
        Some(FromPeer::Text("session.end".to_owned()))
    );
    assert!(matches!(timeout(PATIENCE, call.incoming.recv()).await.unwrap(), Some(FromPeer::Closed(_))));
    assert_eq!(next(&mut link).await, Incoming::Closed(Closure::ByUs));
    assert!(link.incoming.recv().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_05_a_close_of_the_agents_ends_the_link_behind_what_it_sent() {
    let (mut link, call) = open().await;
    call.outgoing.send(ToPeer::Text("goodbye".to_owned())).await.unwrap();
    call.outgoing.send(ToPeer::Close).await.unwrap();
    assert_eq!(next(&mut link).await, Incoming::Text("goodbye".to_owned()));
    let end = next(&mut link).await;
    assert_eq!(end, Incoming::Closed(Closure::HungUp));
    assert_eq!(Closure::HungUp.to_string(), "the agent closed the call");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_link_ends_the_call_at_the_agent() {
    let (link, mut call) = open().await;
    drop(link);
    let end = timeout(PATIENCE, async {
        loop {
            if let Some(FromPeer::Closed(end)) = call.incoming.recv().await {
                return end;
            }
        }
    });
    end.await.expect("an end in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_02_the_agents_own_limit_is_known_and_held() {
    let mut agent = Agent::answering(|answer| {
        ok("application/sdp", &answer.replace("a=max-message-size:262144", "a=max-message-size:16384"))
    })
    .await;
    let mut link = agent.dial().await.unwrap();
    let _call = agent.call().await;
    assert_eq!(link.sound.as_ref().unwrap().facts.borrow().max_message, Some(16_384));
    link.outgoing.send(Outgoing::Text("x".repeat(16_385))).await.unwrap();
    assert_eq!(next(&mut link).await, Incoming::Unsendable { bytes: 16_385, bound: 16_384 });
}
