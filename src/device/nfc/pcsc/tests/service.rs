//! What is wrong with the service, and with cards that others hold.

use super::*;
use crate::device::nfc::pcsc::{FROZEN, HELD};

#[tokio::test]
async fn a_daemon_that_dies_while_it_greets_is_not_taken_for_one_that_refuses() {
    let world = World::with(&[ONE]);
    world.change(|state| state.refuses_once = true);
    let mut scan = Scan::auto(&world);
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a5_a_held_card_is_said_and_the_other_reader_is_read() {
    let world = World::with(&[ONE, TWO]);
    world.put(ONE, world::Tag { refused: Some((PcscError::Busy, usize::MAX)), ..ntag() });
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on ACS").await;
    scan.hears_that("another program holds the card on ACS").await;
    world.put(TWO, ntag());
    scan.hears_that("on Identiv").await;
    // It is still held: nothing else is said of it until the other was read.
    scan.hears_that("Type 2 read").await;
    scan.reads(TWO).await;
}

#[tokio::test]
async fn what_was_wrong_with_a_card_is_no_reason_when_it_is_gone() {
    let world = World::with(&[ONE]);
    world.put(ONE, world::Tag { refused: Some((PcscError::Busy, usize::MAX)), ..ntag() });
    let mut scan = Scan::of(&world, Choice::Auto, Duration::from_secs(2));
    scan.hears_that("tag already on ACS").await;
    scan.hears_that("another program holds the card").await;
    world.take(ONE);
    scan.hears_that("taken off").await;
    let failed = scan.fails().await;
    assert!(matches!(failed, NfcError::TimedOut), "{failed}");
}

#[tokio::test]
async fn a_card_that_is_let_go_of_is_read() {
    let world = World::with(&[ONE]);
    world.put(ONE, world::Tag { refused: Some((PcscError::Busy, 2)), ..ntag() });
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on ACS").await;
    scan.hears_that("another program holds the card").await;
    scan.hears_that("works again").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a1_a_daemon_that_is_stopped_and_started_is_picked_up_in_the_same_scan() {
    let world = World::with(&[ONE]);
    let mut scan = Scan::auto(&world);
    while world.seen(|state| state.listed) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    world.stop_daemon();
    scan.hears_that("the PC/SC service went away").await;
    let before = world.seen(|state| state.established);
    world.start_daemon();
    scan.hears_that("the PC/SC service answers again").await;
    assert!(world.seen(|state| state.established) > before, "with a new context");
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a2_without_a_daemon_the_scan_says_so_and_is_quiet() {
    let world = World::with(&[ONE]);
    world.stop_daemon();
    let mut scan = Scan::of(&world, Choice::Auto, Duration::from_millis(600));
    scan.hears_that("the PC/SC service does not run").await;
    let failed = tokio::time::timeout(LONG, &mut scan.task).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(failed, NfcError::Trouble(ReaderTrouble::NotRunning)), "{failed}");
    scan.hears_that("(nothing more)").await;
    // 600 ms at 5 ms each; a busy loop would have asked thousands of times.
    assert!(world.seen(|state| state.established) < 150);
}

#[tokio::test]
async fn a7_not_allowed_is_not_the_same_as_none() {
    let world = World::with(&[ONE]);
    world.change(|state| state.down = Some(PcscError::NotAllowed));
    let scan = Scan::of(&world, Choice::Auto, Duration::from_millis(100));
    let failed = scan.fails().await;
    let NfcError::Trouble(trouble) = failed else { panic!("{failed}") };
    assert!(trouble.to_string().contains("does not allow"));
    assert!(trouble.hint().unwrap().contains("polkit"));
}

#[tokio::test]
async fn a_frozen_daemon_is_said_and_the_scan_ends_all_the_same() {
    let world = World::with(&[ONE]);
    world.freeze(true);
    let mut scan = Scan::auto(&world);
    scan.hears_that("does not answer").await;
    let begun = Instant::now();
    scan.disarm.now();
    let failed = tokio::time::timeout(LONG, &mut scan.task).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(failed, NfcError::Disarmed));
    assert!(begun.elapsed() < Duration::from_millis(50), "{:?}", begun.elapsed());
    world.freeze(false);
    scan.hears_that("(nothing more)").await;
}

#[tokio::test]
async fn a_daemon_that_thaws_is_picked_up_in_the_same_scan() {
    let world = World::with(&[ONE]);
    world.freeze(true);
    let mut scan = Scan::auto(&world);
    scan.hears_that("does not answer").await;
    world.freeze(false);
    scan.hears_that("answers again").await;
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn threads_that_a_frozen_daemon_holds_are_few() {
    let world = World::with(&[ONE]);
    world.freeze(true);
    let mut readers = PcscReaders::over(Arc::new(world.clone()), Choice::Auto, pace());
    let mut ends = Vec::new();
    for _ in 0..30 {
        let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, Duration::from_millis(10));
        let begun = Instant::now();
        ends.push(readers.scan(&armed, Told::nobody()).await.unwrap_err());
        assert!(begun.elapsed() < FROZEN, "each ends with its consent");
    }
    assert!(Arc::strong_count(&readers.threads) <= HELD + 1);
    assert!(matches!(ends[29], NfcError::Trouble(ReaderTrouble::Frozen { .. })));
    world.freeze(false);
    world.put(ONE, ntag());
    let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, LONG);
    let until_they_are_gone = async {
        loop {
            if let Ok(scanned) = readers.scan(&armed, Told::nobody()).await {
                return scanned;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert_eq!(tokio::time::timeout(LONG, until_they_are_gone).await.unwrap().reader, ONE);
}

#[tokio::test]
async fn a16_what_is_wrong_with_two_readers_is_told_once_of_each() {
    let world = World::with(&[ONE, TWO]);
    for reader in [ONE, TWO] {
        world.put(reader, world::Tag { refused: Some((PcscError::Busy, usize::MAX)), ..ntag() });
    }
    let mut scan = Scan::of(&world, Choice::Auto, Duration::from_secs(1));
    let mut told = Vec::new();
    loop {
        let heard = scan.hears().await;
        if heard.contains("(nothing more)") {
            break;
        }
        told.push(heard);
    }
    let held = told.iter().filter(|line| line.contains("another program holds the card")).count();
    assert_eq!(held, 2, "{told:?}");
    assert!(world.seen(|state| state.connected) > 4, "they are tried again");
}

#[tokio::test]
async fn a16_the_same_trouble_is_told_once() {
    let world = World::with(&[ONE]);
    world.put(
        ONE,
        world::Tag { refused: Some((PcscError::Other("0x80100FFF".into()), usize::MAX)), ..ntag() },
    );
    let mut scan = Scan::of(&world, Choice::Auto, Duration::from_secs(1));
    scan.hears_that("tag already on").await;
    scan.hears_that("the connection to the tag failed: 0x80100FFF").await;
    let failed = tokio::time::timeout(LONG, &mut scan.task).await.unwrap().unwrap().unwrap_err();
    assert!(failed.to_string().contains("0x80100FFF"), "{failed}");
    assert!(world.seen(|state| state.connected) > 1, "it is tried again");
    scan.hears_that("tag taken off").await;
    scan.hears_that("(nothing more)").await;
}
