//! What can go wrong with daemons, readers and other programs, and how a scan comes through it without being started
//! anew.

use std::time::Duration;

use serde_json::{Value, json};

use super::pace::{AT_ONCE, least, reads};
use super::pcscd::{ACR122U, Pcscd};
use super::scanner::Scanner;
use super::tag::Tag;

fn text(event: &Value) -> &str {
    event["text"].as_str().unwrap()
}

// ── the daemon ──

#[tokio::test]
async fn a_daemon_that_is_not_there_is_picked_up_when_it_comes() {
    let mut daemon = Pcscd::stopped(&[ACR122U]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    assert_eq!(scanner.list().await["trouble"], "the PC/SC service does not run");
    scanner.arm(60).await;
    let trouble = scanner.event("trouble").await;
    assert_eq!(text(&trouble), "the PC/SC service does not run");
    assert!(trouble["hint"].as_str().unwrap().contains("systemctl start pcscd"), "{trouble}");
    daemon.run().await;
    scanner.event("recovered").await;
    let _tag = Tag::on(&daemon, &[]).await;
    assert_eq!(scanner.result().await["technology"], "Type 2");
    assert_eq!(scanner.events("trouble").len(), 1, "it is told once: {:?}", scanner.said);
}

#[tokio::test]
async fn a_daemon_that_dies_under_a_scan_is_picked_up_again_and_so_after() {
    let mut daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    reads(&mut scanner, &mut tag).await;
    for orderly in [false, true] {
        tag.tell("off").await;
        scanner.event("removed").await;
        scanner.arm(60).await;
        // Then the scan goes on, for certain.
        tag.tell("rip 0").await;
        tag.tell("on").await;
        scanner.event("torn").await;
        if orderly {
            daemon.stop().await;
        } else {
            daemon.kill().await;
        }
        let trouble = scanner.event("trouble").await;
        assert_eq!(text(&trouble), "the PC/SC service went away", "{:?}", scanner.said);
        daemon.run().await;
        scanner.event("recovered").await;
        tag.tell("on").await;
        assert_eq!(scanner.result().await["technology"], "Type 2");
        // Between scans nobody holds anything that could be stale (A1).
        daemon.kill().await;
        daemon.run().await;
        reads(&mut scanner, &mut tag).await;
    }
}

#[tokio::test]
async fn a_daemon_that_dies_at_any_command_of_a_read_costs_no_scan_and_nothing_partial_is_kept() {
    // The nearest to a reader that is pulled out: the daemon's virtual ones cannot be.
    let mut daemon = Pcscd::start().await;
    let mut scanner = Scanner::auto(&daemon).await;
    let mut tag = Tag::off(&daemon, &[]).await;
    tag.place("--type t2").await;
    let whole = scanner.scan().await;
    let commands = tag.commands().await.len();
    for after in 0..commands {
        tag.tell("off").await;
        scanner.event("removed").await;
        scanner.arm(60).await;
        tag.tell(&format!("hold {after}")).await;
        tag.tell("on").await;
        tag.until(" held ").await;
        daemon.kill().await;
        assert_eq!(text(&scanner.event("trouble").await), "the PC/SC service went away");
        daemon.run().await;
        let read = scanner.result().await;
        for same in ["technology", "ndef", "id"] {
            assert_eq!(read[same], whole[same], "after {after}: {same} of {read}");
        }
        let told = [scanner.events("torn"), scanner.events("read")].map(|events| events.len());
        assert_eq!(told, [0, 1], "after {after}: {:?}", scanner.said);
        assert_eq!(scanner.events("recovered").len(), 1, "after {after}: {:?}", scanner.said);
        let (came, went) = (scanner.events("inserted").len(), scanner.events("removed").len());
        assert_eq!((came, went), (2, 1), "in pairs, after {after}: {:?}", scanner.said);
    }
}

#[tokio::test]
async fn a_daemon_that_freezes_in_the_middle_of_a_read_is_told_and_the_read_goes_on_when_it_thaws() {
    let daemon = Pcscd::start().await;
    let mut scanner = Scanner::auto(&daemon).await;
    let mut tag = Tag::off(&daemon, &["--type", "t4"]).await;
    scanner.arm(60).await;
    tag.tell("hold 2").await;
    tag.tell("on").await;
    tag.until(" held ").await;
    daemon.freeze();
    tag.tell("go").await;
    let trouble = scanner.event("trouble").await;
    assert!(text(&trouble).starts_with("the PC/SC service does not answer"), "{trouble}");
    daemon.thaw();
    assert_eq!(scanner.result().await["technology"], "Type 4", "{:?}", scanner.said);
    assert_eq!(scanner.events("torn").len(), 0, "{:?}", scanner.said);
}

#[tokio::test]
async fn a_frozen_daemon_is_told_and_holds_up_nobody() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let mut measured = Vec::new();
    for _ in 0..2 {
        scanner.arm(60).await;
        daemon.freeze();
        let trouble = scanner.event("trouble").await;
        assert!(text(&trouble).starts_with("the PC/SC service does not answer"), "{trouble}");
        assert!(trouble["hint"].as_str().unwrap().contains("restart pcscd"), "{trouble}");
        scanner.esc().await;
        measured.push(scanner.result().await["stopped_in"].as_f64().unwrap());
        daemon.thaw();
    }
    assert!(least(&measured) < AT_ONCE, "{measured:?}");
    reads(&mut scanner, &mut tag).await;
}

#[tokio::test]
async fn a_daemon_that_thaws_inside_a_scan_goes_on_with_it() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    daemon.freeze();
    let listed = scanner.list().await;
    assert!(listed["trouble"].as_str().unwrap().starts_with("the PC/SC service does not answer"), "{listed}");
    scanner.arm(60).await;
    scanner.event("trouble").await;
    daemon.thaw();
    tag.tell("on").await;
    assert_eq!(scanner.result().await["technology"], "Type 2", "{:?}", scanner.said);
    assert_eq!(scanner.events("recovered").len(), 1, "{:?}", scanner.said);
}

#[tokio::test]
async fn a_frozen_daemon_that_is_replaced_is_picked_up_inside_the_scan() {
    let mut daemon = Pcscd::start().await;
    let mut scanner = Scanner::auto(&daemon).await;
    daemon.freeze();
    scanner.arm(60).await;
    scanner.event("trouble").await;
    daemon.kill().await;
    daemon.run().await;
    let _tag = Tag::on(&daemon, &[]).await;
    assert_eq!(scanner.result().await["technology"], "Type 2", "{:?}", scanner.said);
}

#[tokio::test]
async fn a_scan_that_ends_in_trouble_says_which() {
    let daemon = Pcscd::stopped(&[ACR122U]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(1).await;
    let failed = scanner.result().await;
    assert_eq!(failed["failed"], "No tag was read: the PC/SC service does not run.");
    assert!(failed["seconds"].as_f64().unwrap() < 3.0, "{failed}");
}

#[tokio::test]
async fn a_user_without_rights_is_told_so_and_not_that_there_is_no_reader() {
    // A daemon whom polkit says no hangs up on its client (A7); polkit itself is not at hand.
    let daemon = Pcscd::stopped(&[ACR122U]).await;
    let _refusing = refusing(&daemon);
    let mut scanner = Scanner::auto(&daemon).await;
    assert_eq!(
        scanner.list().await["trouble"],
        "the PC/SC service does not allow this session to use readers"
    );
    scanner.arm(60).await;
    let trouble = scanner.event("trouble").await;
    assert_eq!(text(&trouble), "the PC/SC service does not allow this session to use readers");
    assert!(trouble["hint"].as_str().unwrap().contains("polkit"), "{trouble}");
    scanner.esc().await;
    scanner.result().await;
}

/// Hears every client of the daemon, which does not run, and hangs up on it.
fn refusing(daemon: &Pcscd) -> tokio::task::JoinHandle<()> {
    let listener = tokio::net::UnixListener::bind(daemon.socket()).unwrap();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            // Hung up on while it speaks, it would take us for gone; what it says comes in two pieces.
            client.readable().await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
}

#[tokio::test]
async fn daemons_side_by_side_serve_their_own_clients() {
    let (one, two) = tokio::join!(Pcscd::start(), Pcscd::start());
    let (mut first, mut second) = tokio::join!(Scanner::auto(&one), Scanner::auto(&two));
    let _tags = tokio::join!(Tag::on(&one, &["--type", "t4"]), Tag::on(&two, &["--type", "t3"]));
    let (a, b) = tokio::join!(first.scan(), second.scan());
    assert_eq!(
        (a["technology"].as_str(), b["technology"].as_str()),
        (Some("Type 4"), Some("Type 3 (FeliCa)"))
    );
}

// ── readers ──

#[tokio::test]
async fn no_reader_is_no_error_but_a_thing_to_say() {
    let daemon = Pcscd::with(&[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let listed = scanner.list().await;
    assert_eq!(listed, json!({ "readers": [], "trouble": null }));
    scanner.arm(60).await;
    assert_eq!(text(&scanner.event("trouble").await), "no reader is plugged in");
    scanner.esc().await;
    assert_eq!(scanner.result().await["technology"], Value::Null);
}

#[tokio::test]
async fn a_reader_that_is_not_there_is_told_with_those_that_are() {
    let daemon = Pcscd::start().await;
    let mut scanner = Scanner::named(&daemon, &["OMNIKEY"]).await;
    scanner.arm(60).await;
    let told = text(&scanner.event("trouble").await).to_owned();
    assert!(told.contains("OMNIKEY") && told.contains(&daemon.name(0)), "{told}");
    scanner.esc().await;
    scanner.result().await;
}

#[tokio::test]
async fn slots_that_are_not_for_tags_are_left_alone() {
    // A8: one device, two readers; what is in the other slot never goes away, and is no tag.
    let sam = "3BDF18FF81F1FE43003F03834D494641524520506C75732053414D3B";
    let daemon = Pcscd::with(&["ACS ACR1252 PICC Reader", "ACS ACR1252 SAM Reader"]).await;
    let mut module = Tag::at(&daemon, 1, &["--type", "unknown", "--atr", sam]).await;
    // One that is not named so, in a slot that may be for tags.
    let mut unnamed = Tag::beside(&daemon, &["--type", "unknown", "--atr", sam]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let kinds: Vec<Value> =
        scanner.list().await["readers"].as_array().unwrap().iter().map(|r| r[1].clone()).collect();
    assert_eq!(kinds, ["contactless", "contactless", "SAM slot", "SAM slot"]);
    scanner.arm(60).await;
    let mut tag = Tag::at(&daemon, 0, &["--start-off"]).await;
    tag.tell("on").await;
    let read = scanner.result().await;
    assert_eq!(
        (read["technology"].as_str(), read["reader"].as_str()),
        (Some("Type 2"), Some(&*daemon.name(0)))
    );
    assert_eq!(module.commands().await.len() + unnamed.commands().await.len(), 0);
}

#[tokio::test]
async fn several_readers_are_armed_at_once_and_one_press_reads_one_tag() {
    let daemon = Pcscd::start().await;
    let mut scanner = Scanner::auto(&daemon).await;
    let mut right = Tag::beside(&daemon, &["--type", "t4"]).await;
    let read = scanner.scan().await;
    assert_eq!(read["technology"], "Type 4", "{read}");
    right.tell("off").await;
    scanner.event("removed").await;
    right.commands().await;
    let mut left = Tag::on(&daemon, &[]).await;
    right.tell("on").await;
    right.until("power down").await;
    scanner.scan().await;
    let told = scanner.events("trouble");
    assert!(told.len() == 1 && text(&told[0]).contains("one press reads one tag"), "{told:?}");
    let (first, second) = (left.commands().await.len(), right.commands().await.len());
    assert!((first == 0) != (second == 0), "one is read: {first} and {second} commands");
}

#[tokio::test]
async fn a_reader_that_gives_one_byte_for_an_answer_is_told_as_at_fault() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &["--id", "90"]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(60).await;
    let trouble = scanner.event("trouble").await;
    let expected = format!("the reader {} answered with 1 byte;", daemon.name(0));
    assert!(text(&trouble).starts_with(&expected), "{trouble}");
    tag.place("--type t2").await;
    assert_eq!(scanner.result().await["technology"], "Type 2", "{:?}", scanner.said);
    let times = ["trouble", "torn"].map(|what| scanner.events(what).len());
    assert_eq!(times, [1, 0], "{:?}", scanner.said);
}

// ── other programs ──

#[tokio::test]
async fn a_card_that_another_program_holds_is_waited_for_and_the_holder_named() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &[]).await;
    let holder = daemon.held_by(&daemon.name(0), "scdaemon").await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(60).await;
    let trouble = scanner.event("trouble").await;
    assert!(text(&trouble).starts_with("another program holds the card"), "{trouble}");
    assert!(text(&trouble).contains(&format!("scdaemon (pid {})", holder.id())), "{trouble}");
    assert!(trouble["hint"].as_str().unwrap().contains("gpgconf --kill scdaemon"), "{trouble}");
    assert_eq!(tag.commands().await.len(), 0);
    holder.let_go().await;
    assert_eq!(scanner.result().await["technology"], "Type 2");
    assert_eq!(scanner.events("trouble").len(), 1, "{:?}", scanner.said);
}

#[tokio::test]
async fn a_card_that_is_held_does_not_keep_others_from_being_read() {
    let daemon = Pcscd::start().await;
    let _held = Tag::on(&daemon, &[]).await;
    let _holder = daemon.held_by(&daemon.name(0), "gsd-smartcard").await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(60).await;
    scanner.event("trouble").await;
    let _free = Tag::beside(&daemon, &["--type", "t4"]).await;
    assert_eq!(scanner.result().await["technology"], "Type 4");
}

#[tokio::test]
async fn a_card_that_is_read_is_shared_and_let_go() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.scan().await;
    // It still lies there and is watched; another program may hold it for itself all the same.
    let holder = daemon.held_by(&daemon.name(0), "other").await;
    holder.let_go().await;
    tag.tell("off").await;
    scanner.event("removed").await;
}
