use std::time::Duration;

use super::memory::{Faults, pair};
use super::*;

fn text(words: &str) -> Incoming {
    Incoming::Text(words.to_owned())
}

/// Sends frames 0 to 4 through a link with `faults`; gives what arrived.
async fn arrived(seed: u64, faults: Faults) -> Vec<Incoming> {
    let (mut link, mut far) = pair(seed, faults);
    for n in 0..5 {
        far.send(text(&n.to_string())).await;
    }
    drop(far);
    let mut all = Vec::new();
    while let Some(incoming) = link.incoming.recv().await {
        all.push(incoming);
    }
    all
}

#[tokio::test]
async fn a_link_in_memory_carries_frames_both_ways() {
    let (mut link, mut far) = pair(1, Faults::default());
    link.outgoing.send(Outgoing::Text("ask".to_owned())).await.unwrap();
    assert_eq!(far.receive().await, Some(Outgoing::Text("ask".to_owned())));
    assert!(far.send(text("answer")).await);
    assert_eq!(link.incoming.recv().await, Some(text("answer")));
    far.close(Closure::ByUs).await;
    assert_eq!(link.incoming.recv().await, Some(Incoming::Closed(Closure::ByUs)));
    assert!(!far.send(text("late")).await);
}

#[tokio::test]
async fn a_lost_frame_leaves_the_others_in_order() {
    let all = arrived(1, Faults { drop_at: Some(2), ..Faults::default() }).await;
    assert_eq!(all, [text("0"), text("1"), text("3"), text("4")]);
}

#[tokio::test]
async fn a_lost_connection_says_so_and_carries_nothing_more() {
    let all = arrived(1, Faults { lose_at: Some(1), ..Faults::default() }).await;
    assert_eq!(all[0], text("0"));
    assert!(matches!(all[1..], [Incoming::Closed(Closure::Lost(_))]), "{all:?}");
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_delays_in_order() {
    let delays = async |seed| {
        let start = tokio::time::Instant::now();
        let faults = Faults { delay_up_to: Duration::from_secs(1), ..Faults::default() };
        assert_eq!(arrived(seed, faults).await.len(), 5);
        start.elapsed()
    };
    let (first, again, other) = (delays(7).await, delays(7).await, delays(8).await);
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn seeds_reach_every_kind_of_fault() {
    let all: Vec<Faults> = (0..64).map(|seed| Faults::seeded(seed, 5)).collect();
    assert!(all.iter().any(|f| f.drop_at.is_none() && f.lose_at.is_none()));
    assert!(all.iter().any(|f| f.drop_at.is_some_and(|at| at < 5)));
    assert!(all.iter().any(|f| f.lose_at.is_some_and(|at| at < 5)));
}
