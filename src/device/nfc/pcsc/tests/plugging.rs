//! Which readers there are: those that come and go, those that are chosen, those that are none for tags.

use tokio::sync::watch;

use super::*;
use crate::device::nfc::Readers;
use crate::device::nfc::pcsc::Service;

#[tokio::test]
async fn a4_two_readers_that_come_with_one_event_are_both_waited_at() {
    let world = World::with(&[]);
    let mut scan = Scan::auto(&world);
    scan.hears_that("no reader is plugged in").await;
    world.change(|state| {
        state.readers.insert(ONE.into(), Reader::default());
        state.readers.insert(TWO.into(), Reader::default());
    });
    scan.hears_that("there is a reader to scan with").await;
    world.put(TWO, ntag());
    scan.hears_that("on Identiv").await;
    scan.hears_that("on Identiv uTrust 3700 F CL Reader 01 00").await;
    scan.reads(TWO).await;
}

#[tokio::test]
async fn readers_that_come_between_the_listing_and_the_wait_are_noticed() {
    let world = World::with(&[]);
    world.change(|state| state.comes_after_listing = Some(ONE));
    let mut scan = Scan::auto(&world);
    scan.hears_that("no reader is plugged in").await;
    world.change(|state| state.comes_after_listing = Some(TWO));
    scan.hears_that("there is a reader to scan with").await;
    world.put(TWO, ntag());
    scan.hears_that("on Identiv").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(TWO).await;
}

#[tokio::test]
async fn readers_are_noticed_without_being_told_of() {
    let world = World::with(&[]);
    world.change(|state| state.tells_plugging = false);
    let mut scan = Scan::auto(&world);
    scan.hears_that("no reader is plugged in").await;
    world.change(|state| {
        state.readers.insert(ONE.into(), Reader::default());
    });
    scan.hears_that("there is a reader to scan with").await;
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a_reader_pulled_out_with_its_tag_is_told_in_pairs_and_picked_up_again() {
    let world = World::with(&[ONE]);
    world.put(ONE, world::Tag { refused: Some((PcscError::Mute, usize::MAX)), ..ntag() });
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on").await;
    scan.hears_that("does not answer").await;
    world.change(|state| state.readers.clear());
    let mut heard = vec![scan.hears().await, scan.hears().await];
    if heard[0].contains("was unplugged") {
        heard.push(scan.hears().await);
    }
    assert!(heard.iter().any(|line| line.contains("tag taken off")), "{heard:?}");
    assert!(heard.iter().any(|line| line.contains("no reader is plugged in")), "{heard:?}");
    world.change(|state| {
        state.readers.insert(ONE.into(), Reader::default());
    });
    scan.hears_that("there is a reader to scan with").await;
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a_tag_that_stays_while_another_reader_comes_is_told_once_and_in_pairs() {
    let world = World::with(&[ONE]);
    world.put(ONE, world::Tag { refused: Some((PcscError::Mute, usize::MAX)), ..ntag() });
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on").await;
    scan.hears_that("does not answer").await;
    let listed = world.seen(|state| state.listed);
    world.change(|state| {
        state.readers.insert(TWO.into(), Reader::default());
    });
    while world.seen(|state| state.listed) < listed + 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.take(ONE);
    scan.hears_that(&format!("taken off {ONE}")).await;
    world.put(TWO, ntag());
    scan.hears_that(&format!("put on {TWO}")).await;
    scan.hears_that("Type 2 read").await;
    scan.reads(TWO).await;
}

#[tokio::test]
async fn a_reader_pulled_out_in_the_middle_of_a_read_is_used_when_it_is_back() {
    let world = World::with(&[ONE]);
    world.change(|state| state.pulled_at = Some(3));
    let mut scan = Scan::auto(&world);
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("was unplugged").await;
    scan.hears_that("taken off").await;
    scan.hears_that("no reader is plugged in").await;
    world.change(|state| {
        state.readers.insert(ONE.into(), Reader::default());
    });
    scan.hears_that("there is a reader to scan with").await;
    scan.hears_that("works again").await;
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a8_the_security_module_of_a_reader_is_no_tag() {
    const SAM: [u8; 28] = [
        0x3B, 0xDF, 0x18, 0xFF, 0x81, 0xF1, 0xFE, 0x43, 0x00, 0x3F, 0x03, 0x83, 0x4D, 0x49, 0x46, 0x41, 0x52,
        0x45, 0x20, 0x50, 0x6C, 0x75, 0x73, 0x20, 0x53, 0x41, 0x4D, 0x3B,
    ];
    let slot = "ACS ACR1252 1S CL Reader SAM Interface 00 00";
    let world = World::with(&[ONE, slot]);
    world.put(slot, ntag());
    world.put(ONE, world::Tag { atr: SAM.to_vec(), ..ntag() });
    let failed = Scan::of(&world, Choice::Auto, Duration::from_millis(150)).fails().await;
    assert!(matches!(failed, NfcError::TimedOut), "{failed}");
    assert_eq!(world.seen(|state| state.connected), 0);
}

#[tokio::test]
async fn named_readers_are_waited_at_and_no_others() {
    let world = World::with(&[ONE, TWO]);
    world.put(TWO, ntag());
    let named = |names: &[&str]| Choice::Named(names.iter().map(|n| (*n).to_owned()).collect());
    let failed = Scan::of(&world, named(&["acr122u"]), Duration::from_millis(100)).fails().await;
    assert!(matches!(failed, NfcError::TimedOut), "{failed}");
    let mut both = Scan::of(&world, named(&["acr122u", "identiv"]), LONG);
    both.reads(TWO).await;
    let failed = Scan::of(&world, named(&["Duali"]), Duration::from_millis(100)).fails().await;
    assert_eq!(
        failed.to_string(),
        format!("No tag was read: no reader \"Duali\" is plugged in; there are: {ONE}, {TWO}.")
    );
}

#[test]
fn a_list_of_readers_says_what_each_is_or_what_is_wrong() {
    let world =
        World::with(&[ONE, "Gemalto PC Twin Reader 00 00", "ACS ACR1252 1S CL Reader SAM Interface 01 00"]);
    let service: Arc<dyn Service> = Arc::new(world.clone());
    let listed = monitor::readers(&service, LONG);
    let kinds: Vec<String> = listed.readers.iter().map(|reader| reader.kind.to_string()).collect();
    assert_eq!((kinds.join(", "), listed.trouble), ("contactless, SAM slot, unknown kind".into(), None));
    world.stop_daemon();
    assert_eq!(monitor::readers(&service, LONG).trouble, Some(ReaderTrouble::NotRunning));
    world.freeze(true);
    let within = Duration::from_millis(50);
    assert_eq!(monitor::readers(&service, within).trouble, Some(ReaderTrouble::Frozen { within }));
    world.freeze(false);
}

/// Waits until these readers are told; gives what is wrong.
async fn told_of(readers: &mut watch::Receiver<Readers>, expected: &[&str]) -> Option<ReaderTrouble> {
    let is = |now: &Readers| now.readers.iter().map(|r| r.name.as_str()).eq(expected.iter().copied());
    tokio::time::timeout(LONG, readers.wait_for(is)).await.expect("it is told").unwrap().trouble.clone()
}

/// Readers come and go, and so does the service, under one watch.
async fn are_followed(world: &World, pace: monitor::Pace) -> watch::Receiver<Readers> {
    world.put(ONE, ntag());
    let mut readers = monitor::watch(Arc::new(world.clone()), pace);
    assert_eq!(told_of(&mut readers, &[ONE]).await, None);
    world.change(|state| {
        state.readers.insert(TWO.into(), Reader::default());
    });
    assert_eq!(told_of(&mut readers, &[ONE, TWO]).await, None);
    world.change(|state| {
        state.readers.remove(TWO);
    });
    assert_eq!(told_of(&mut readers, &[ONE]).await, None);
    world.stop_daemon();
    assert_eq!(told_of(&mut readers, &[]).await, Some(ReaderTrouble::Lost));
    world.start_daemon();
    assert_eq!(told_of(&mut readers, &[ONE]).await, None);
    assert_eq!(world.seen(|state| (state.connected, state.transmitted)), (0, 0));
    readers
}

#[tokio::test]
async fn readers_are_followed_and_no_tag_is_looked_for() {
    let pace = monitor::Pace { slice: Duration::from_millis(100), listing: Duration::from_millis(10) };
    are_followed(&World::with(&[ONE]), pace).await;
}

#[tokio::test]
async fn readers_are_followed_by_listing_them_where_the_service_does_not_tell_of_them() {
    assert_eq!(monitor::Pace::default().listing, Duration::from_secs(1), "once a second");
    let world = World::with(&[ONE]);
    world.change(|state| state.tells_plugging = false);
    let listing = Duration::from_millis(20);
    let begun = Instant::now();
    let readers = are_followed(&world, monitor::Pace { slice: LONG, listing }).await;
    // It goes on listing, at its pace: however slow the machine is, a pause is never shorter.
    let before = world.seen(|state| state.listed);
    while world.seen(|state| state.listed) < before + 10 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The first listing of each of the two contexts comes with no pause before it.
    let asked = world.seen(|state| state.listed.max(state.established));
    let most = begun.elapsed().as_millis() / listing.as_millis() + 2;
    assert!(u128::try_from(asked).unwrap() <= most, "{asked} listings, at most {most}");
    // It ends when nobody listens.
    drop(readers);
    while world.is_shared() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn another_reader_is_noticed_at_an_armed_one_without_being_told_of() {
    let world = World::with(&[ONE]);
    world.change(|state| state.tells_plugging = false);
    let mut scan = Scan::auto(&world);
    while world.seen(|state| state.listed) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    world.change(|state| {
        state.readers.insert(TWO.into(), Reader::default());
    });
    world.put(TWO, ntag());
    scan.hears_that(&format!("on {TWO}")).await;
    scan.hears_that("Type 2 read").await;
    scan.reads(TWO).await;
}
