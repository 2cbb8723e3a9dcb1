//! Tags that are torn away in the middle of a read: at every command of every kind of tag. The reader stays armed, tells
//! it once, keeps nothing of it, and reads the tag when it is back (A14).

use super::pcscd::Pcscd;
use super::scanner::Scanner;
use super::tag::Tag;

/// The numbers below `n` in an order that `seed` gives.
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut state = seed;
    for at in (1..n).rev() {
        // Knuth's MMIX generator: its upper bits are good enough for an order.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, usize::try_from(state >> 33).unwrap() % (at + 1));
    }
    order
}

/// Reads a tag whole, then once more while it is torn away at each of its commands in turn.
async fn at_every_command(what: &str, seed: u64) {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    tag.place(what).await;
    let whole = scanner.scan().await;
    let commands = tag.commands().await.len();
    tag.tell("off").await;
    scanner.event("removed").await;

    let order = shuffled(commands, seed);
    scanner.arm(120).await;
    for (turn, at) in order.iter().enumerate() {
        tag.tell(&format!("rip {at}")).await;
        tag.tell("on").await;
        tag.until(" rip ").await;
        scanner.until("event", |event| event["what"] == "torn" && event["after"] == *at).await;
        // Every other time it is back before the daemon looks: then it was never gone, and only an answer is missing.
        if turn % 2 == 0 {
            scanner.event("removed").await;
        }
    }
    tag.tell("rip -1").await;
    tag.tell("on").await;
    let read = scanner.result().await;
    // Until the daemon looks, a try ends before the first answer and is told as that.
    let after =
        scanner.events("torn").into_iter().map(|e| usize::try_from(e["after"].as_u64().unwrap()).unwrap());
    let told: Vec<usize> = after.filter(|after| *after != 0).collect();
    let expected: Vec<usize> = order.iter().copied().filter(|at| *at != 0).collect();
    assert_eq!(told, expected, "{what}, seed {seed}: {:?}", scanner.said);
    for same in ["technology", "ndef", "why", "damaged", "id"] {
        assert_eq!(read[same], whole[same], "{what}, seed {seed}: {same} of {read}");
    }
    let (came, went) = (scanner.events("inserted").len(), scanner.events("removed").len());
    assert_eq!(came, went + 1, "{what}, seed {seed}: what comes and goes is told in pairs");
    tag.tell("off").await;
    scanner.event("removed").await;
}

#[tokio::test]
async fn a_type_2_tag_at_every_command() {
    at_every_command("--type t2", 2).await;
}

#[tokio::test]
async fn a_type_3_tag_at_every_command() {
    at_every_command("--type t3", 3).await;
}

#[tokio::test]
async fn a_type_4_tag_at_every_command() {
    at_every_command("--type t4 --mle 20", 4).await;
}

#[tokio::test]
async fn a_type_5_tag_at_every_command() {
    at_every_command("--type t5", 5).await;
}

#[tokio::test]
async fn tags_without_a_message_at_every_command() {
    for (what, seed) in [("--type classic", 6), ("--type phone", 7), ("--type unknown", 8)] {
        at_every_command(what, seed).await;
    }
}

#[tokio::test]
async fn a_tag_that_never_stays_is_said_when_the_time_is_up() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &["--type", "t4"]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(3).await;
    tag.tell("rip 2").await;
    tag.tell("on").await;
    scanner.event("torn").await;
    let failed = scanner.result().await;
    assert!(failed["failed"].as_str().unwrap().contains("away in the middle of it"), "{failed}");
}
