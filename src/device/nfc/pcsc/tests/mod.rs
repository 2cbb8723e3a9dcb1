//! A scan, told as a dialogue between what happens in the world and what is told. The clock is the real one, since threads
//! wait; every wait is for something that is told, and pauses are short.

mod plugging;
mod service;
mod world;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;

use super::scanning::Pace;
use super::service::PcscError;
use super::{Choice, NfcError, PcscReaders, monitor};
use crate::device::consent::{Armed, ArmedBy, DeviceKind};
use crate::device::nfc::flow::tests::storage;
use crate::device::nfc::{Happened, NfcReader, ReaderEvent, ReaderTrouble, Scanned, Told};
use crate::units::count;
use world::{Reader, World, ntag};

const ONE: &str = "ACS ACR122U PICC Interface 00 00";
const TWO: &str = "Identiv uTrust 3700 F CL Reader 01 00";
const LONG: Duration = Duration::from_secs(20);

fn pace() -> Pace {
    Pace {
        again: Duration::from_millis(5),
        slice: Duration::from_millis(100),
        listing: Duration::from_millis(10),
        after: Duration::from_millis(20),
        afterwards: Duration::from_secs(10),
    }
}

/// A scan under way and what it tells.
struct Scan {
    task: tokio::task::JoinHandle<Result<Scanned, NfcError>>,
    told: UnboundedReceiver<ReaderEvent>,
    disarm: crate::device::Disarm,
}

impl Scan {
    fn of(world: &World, choice: Choice, within: Duration) -> Self {
        let mut readers = PcscReaders::over(Arc::new(world.clone()), choice, pace());
        let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, within);
        let disarm = armed.disarm();
        let (tell, told) = Told::channel();
        let task = tokio::spawn(async move { readers.scan(&armed, tell).await });
        Self { task, told, disarm }
    }

    fn auto(world: &World) -> Self {
        Self::of(world, Choice::Auto, LONG)
    }

    /// The next thing that is told.
    async fn hears(&mut self) -> String {
        let heard = tokio::time::timeout(LONG, self.told.recv()).await.expect("something is told");
        heard.map_or_else(|| "(nothing more)".to_owned(), |event| event.to_string())
    }

    async fn hears_that(&mut self, expected: &str) {
        let heard = self.hears().await;
        assert!(heard.contains(expected), "expected {expected:?}, heard {heard:?}");
    }

    async fn reads(&mut self, reader: &str) {
        let read = tokio::time::timeout(LONG, &mut self.task).await.expect("the scan ends").unwrap();
        assert_eq!(read.expect("a tag").reader, reader);
    }

    async fn fails(self) -> NfcError {
        tokio::time::timeout(LONG, self.task).await.expect("the scan ends").unwrap().expect_err("no tag")
    }
}

#[tokio::test]
async fn a_tag_that_already_lies_there_is_read_at_once() {
    let world = World::with(&[ONE]);
    world.put(ONE, ntag());
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on ACS").await;
    scan.hears_that("Type 2 read in").await;
    scan.reads(ONE).await;
    world.take(ONE);
    scan.hears_that("tag taken off ACS").await;
    scan.hears_that("(nothing more)").await;
}

#[tokio::test]
async fn a_tag_is_read_when_it_comes_and_no_command_goes_to_it_afterwards() {
    let world = World::with(&[ONE, TWO]);
    let mut scan = Scan::auto(&world);
    world.put(TWO, ntag());
    // Put on before or after the first look: either is true.
    scan.hears_that("on Identiv").await;
    scan.hears_that("on Identiv uTrust 3700 F CL Reader 01 00").await;
    scan.reads(TWO).await;
    let sent = world.seen(|state| state.transmitted);
    world.take(TWO);
    scan.hears_that("tag taken off Identiv").await;
    assert_eq!(world.seen(|state| state.transmitted), sent);
}

#[tokio::test]
async fn a14_a_tag_torn_away_is_told_and_read_when_it_is_held_again() {
    for after in 0..3 {
        let world = World::with(&[ONE]);
        let mut scan = Scan::auto(&world);
        world.put(ONE, world::Tag { torn: Some(after), ..ntag() });
        scan.hears_that("on ACS").await;
        scan.hears_that(&format!("torn away from {ONE} after {};", count(after, "APDU"))).await;
        // A service sees it go only when it looks next; it is not tried before.
        world.take(ONE);
        scan.hears_that("taken off").await;
        world.put(ONE, ntag());
        scan.hears_that("put on").await;
        scan.hears_that("Type 2 read").await;
        scan.reads(ONE).await;
    }
}

#[tokio::test]
async fn a_tag_that_is_back_before_the_service_saw_it_go_is_tried_again() {
    let world = World::with(&[ONE]);
    let mut scan = Scan::auto(&world);
    world.put(ONE, world::Tag { torn: Some(1), ..ntag() });
    scan.hears_that("on ACS").await;
    scan.hears_that("torn away").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
    assert_eq!(world.seen(|state| state.connected), 2);
}

#[tokio::test]
async fn an_answer_without_a_status_word_is_told_as_the_readers_fault_and_tried_again() {
    for after in 0..3 {
        let world = World::with(&[ONE]);
        let mut scan = Scan::auto(&world);
        world.put(ONE, world::Tag { no_status: Some(after), ..ntag() });
        scan.hears_that("on ACS").await;
        scan.hears_that(&format!("the reader {ONE} answered with 1 byte")).await;
        scan.hears_that("works again").await;
        scan.hears_that("Type 2 read").await;
        scan.reads(ONE).await;
    }
}

#[tokio::test]
async fn a_hand_that_shakes_is_one_placement() {
    let world = World::with(&[ONE]);
    let mut scan = Scan::auto(&world);
    // A tag that cannot be connected to keeps the scan waiting at it.
    world.put(ONE, world::Tag { refused: Some((PcscError::Mute, usize::MAX)), ..ntag() });
    scan.hears_that("on ACS").await;
    scan.hears_that("does not answer").await;
    world.take(ONE);
    // Until the scan has seen it: nothing is told of that.
    tokio::time::sleep(Duration::from_millis(50)).await;
    world.put(ONE, ntag());
    scan.hears_that("ms and back on ACS").await;
    scan.hears_that("works again").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
}

#[tokio::test]
async fn a_scan_ends_at_once_when_it_is_disarmed_and_its_thread_soon_after() {
    let world = World::with(&[ONE]);
    for _ in 0..20 {
        let scan = Scan::auto(&world);
        tokio::task::yield_now().await;
        scan.disarm.now();
        let begun = Instant::now();
        let mut told = scan.told;
        assert!(matches!(scan.task.await.unwrap(), Err(NfcError::Disarmed)));
        assert!(begun.elapsed() < Duration::from_millis(50), "{:?}", begun.elapsed());
        // The thread lets go of its end of the line when it is gone.
        while tokio::time::timeout(LONG, told.recv()).await.expect("the thread ends").is_some() {}
    }
}

#[tokio::test]
async fn one_press_reads_one_tag_and_says_that_there_is_another() {
    let world = World::with(&[ONE, TWO]);
    world.put(ONE, ntag());
    world.put(TWO, ntag());
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on ACS").await;
    scan.hears_that("tag already on Identiv").await;
    scan.hears_that("Type 2 read in").await;
    scan.hears_that("a tag lies on Identiv uTrust 3700 F CL Reader 01 00 too").await;
    scan.reads(ONE).await;
    assert_eq!(world.seen(|state| state.connected), 1);
}

#[tokio::test]
async fn the_press_after_reads_the_other_tag_and_a_lone_one_is_read_again_and_again() {
    let world = World::with(&[ONE, TWO]);
    world.put(ONE, ntag());
    world.put(TWO, ntag());
    let mut readers = PcscReaders::over(Arc::new(world.clone()), Choice::Auto, pace());
    let mut press = async || {
        let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, LONG);
        readers.scan(&armed, Told::nobody()).await.expect("a tag").reader
    };
    assert_eq!([press().await, press().await, press().await], [ONE, TWO, ONE]);
    world.take(TWO);
    assert_eq!([press().await, press().await], [ONE, ONE]);
}

#[tokio::test]
async fn other_kinds_of_tags_come_as_what_they_are() {
    let world = World::with(&[ONE]);
    world.put(ONE, world::Tag { atr: storage(3, 1), ..ntag() });
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on").await;
    scan.hears_that("MIFARE Classic read in").await;
    scan.reads(ONE).await;
}

#[test]
fn what_is_told_of_a_read_is_numbers() {
    let read = crate::device::nfc::TagRead {
        technology: "Type 2",
        took: Duration::from_micros(2_340),
        apdus: Vec::new(),
    };
    let event = ReaderEvent { reader: ONE.into(), at: Instant::now(), what: Happened::Read(read) };
    assert_eq!(event.to_string(), format!("Type 2 read in 2.3 ms, 0 APDUs, on {ONE}"));
}
