//! Tags that are torn away in the middle of a read: in place of every answer and between every two commands of every kind
//! of tag. The reader stays armed, tells it once, keeps nothing of it, and reads the tag when it is back (A14).

use std::ops::Range;

use super::pcscd::Pcscd;
use super::scanner::Scanner;
use super::tag::Tag;

/// These numbers in an order that `seed` gives.
fn shuffled(numbers: Range<usize>, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = numbers.collect();
    let mut state = seed;
    for at in (1..order.len()).rev() {
        // Knuth's MMIX generator: its upper bits are good enough for an order.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, usize::try_from(state >> 33).unwrap() % (at + 1));
    }
    order
}

/// When a tag is torn away.
#[derive(Clone, Copy, Debug)]
enum Tear {
    /// In place of an answer: the daemon gives one of no bytes.
    InACommand,
    /// After an answer and before the next command, which the daemon then refuses.
    BetweenCommands,
}

impl Tear {
    /// How many answers may come before it, of so many.
    fn after(self, commands: usize) -> Range<usize> {
        match self {
            Self::InACommand => 0..commands,
            Self::BetweenCommands => 1..commands,
        }
    }

    /// What the tag is told, and what it logs when it is so.
    fn words(self, after: usize) -> (String, &'static str) {
        match self {
            Self::InACommand => (format!("rip {after}"), " rip "),
            Self::BetweenCommands => (format!("rip-between {after}"), " torn "),
        }
    }
}

/// Reads a tag whole, then once more while it is torn away at each of its commands in turn.
async fn at_every_command(what: &str, seed: u64) {
    for tear in [Tear::InACommand, Tear::BetweenCommands] {
        torn_at_every_command(what, tear, seed).await;
    }
}

async fn torn_at_every_command(what: &str, tear: Tear, seed: u64) {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    tag.place(what).await;
    let whole = scanner.scan().await;
    let commands = tag.commands().await.len();
    tag.tell("off").await;
    scanner.event("removed").await;

    let order = shuffled(tear.after(commands), seed);
    scanner.arm(120).await;
    for (turn, at) in order.iter().enumerate() {
        let (command, logged) = tear.words(*at);
        tag.tell(&command).await;
        tag.tell("on").await;
        tag.until(logged).await;
        scanner.until("event", |event| event["what"] == "torn" && event["after"] == *at).await;
        // Every other time it is back before the daemon looks: then it was never gone, and only an answer is missing.
        if turn % 2 == 0 {
            scanner.event("removed").await;
        }
    }
    tag.tell("rip -1").await;
    tag.tell("rip-between -1").await;
    tag.tell("on").await;
    let read = scanner.result().await;
    // Until the daemon looks, a try ends before the first answer and is told as that.
    let after =
        scanner.events("torn").into_iter().map(|e| usize::try_from(e["after"].as_u64().unwrap()).unwrap());
    let told: Vec<usize> = after.filter(|after| *after != 0).collect();
    let expected: Vec<usize> = order.iter().copied().filter(|at| *at != 0).collect();
    assert_eq!(told, expected, "{what}, {tear:?}, seed {seed}: {:?}", scanner.said);
    for same in ["technology", "ndef", "why", "damaged", "id"] {
        assert_eq!(read[same], whole[same], "{what}, {tear:?}, seed {seed}: {same} of {read}");
    }
    let (came, went) = (scanner.events("inserted").len(), scanner.events("removed").len());
    assert_eq!(came, went + 1, "{what}, {tear:?}, seed {seed}: what comes and goes is told in pairs");
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
async fn a_tag_that_goes_after_its_last_answer_is_read_and_told_to_be_taken_off() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    for what in ["--type t2", "--type t3", "--type t4", "--type t5"] {
        tag.place(what).await;
        let whole = scanner.scan().await;
        let commands = tag.commands().await.len();
        tag.tell("off").await;
        scanner.event("removed").await;
        scanner.arm(60).await;
        tag.tell(&format!("rip-between {commands}")).await;
        tag.tell("on").await;
        let read = scanner.result().await;
        assert_eq!((&read["ndef"], &read["id"]), (&whole["ndef"], &whole["id"]), "{what}: {read}");
        scanner.event("removed").await;
        assert_eq!(scanner.events("torn").len(), 0, "{what}: {:?}", scanner.said);
    }
}

#[tokio::test]
async fn a_tag_whose_going_the_daemon_sees_before_the_next_command_is_torn_away_too() {
    let daemon = Pcscd::start().await;
    // While it thinks for longer than the daemon waits between two looks, the next look stands in line before our command.
    let mut tag = Tag::off(&daemon, &["--type", "t4", "--delay", "0.6"]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(60).await;
    tag.tell("rip-between 2").await;
    tag.tell("on").await;
    assert_eq!(scanner.event("torn").await["after"], 2, "{:?}", scanner.said);
    scanner.event("removed").await;
    tag.tell("delay 0").await;
    tag.tell("on").await;
    assert_eq!(scanner.result().await["technology"], "Type 4", "{:?}", scanner.said);
    assert_eq!(scanner.events("torn").len(), 1, "{:?}", scanner.said);
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
