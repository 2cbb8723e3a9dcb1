//! A scan, told as a dialogue between what happens in the world and what is told. The clock is the real one, since threads
//! wait; every wait is for something that is told, and pauses are short.

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
async fn a5_a_held_card_is_said_and_the_other_reader_is_read() {
    let world = World::with(&[ONE, TWO]);
    world.put(ONE, world::Tag { refused: Some((PcscError::Busy, usize::MAX)), ..ntag() });
    let mut scan = Scan::auto(&world);
    scan.hears_that("tag already on ACS").await;
    scan.hears_that("another program holds the card on ACS").await;
    world.put(TWO, ntag());
    scan.hears_that("on Identiv").await;
    loop {
        let heard = scan.hears().await;
        if heard.contains("Type 2 read") {
            break;
        }
        assert!(heard.contains("works again"), "{heard}");
    }
    scan.reads(TWO).await;
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
async fn a4_two_readers_that_come_with_one_event_are_both_waited_at() {
    let world = World::with(&[]);
    let mut scan = Scan::auto(&world);
    scan.hears_that("no reader is plugged in").await;
    world.change(|state| {
        state.readers.insert(ONE.into(), Reader::default());
        state.readers.insert(TWO.into(), Reader::default());
    });
    scan.hears_that("answers again").await;
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
    scan.hears_that("answers again").await;
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
    scan.hears_that("answers again").await;
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
    scan.hears_that("again").await;
    world.put(ONE, ntag());
    scan.hears_that("on ACS").await;
    scan.hears_that("Type 2 read").await;
    scan.reads(ONE).await;
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
async fn threads_that_a_frozen_daemon_holds_are_few() {
    let world = World::with(&[ONE]);
    world.freeze(true);
    let mut readers = PcscReaders::over(Arc::new(world.clone()), Choice::Auto, pace());
    let mut ends = Vec::new();
    for _ in 0..30 {
        let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, Duration::from_millis(10));
        let begun = Instant::now();
        ends.push(readers.scan(&armed, Told::nobody()).await.unwrap_err());
        assert!(begun.elapsed() < super::FROZEN, "each ends with its consent");
    }
    assert!(Arc::strong_count(&readers.threads) <= super::HELD + 1);
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
fn a_list_of_readers_says_what_each_is_or_what_is_wrong() {
    let world =
        World::with(&[ONE, "Gemalto PC Twin Reader 00 00", "ACS ACR1252 1S CL Reader SAM Interface 01 00"]);
    let service: Arc<dyn super::Service> = Arc::new(world.clone());
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

#[tokio::test]
async fn readers_are_followed_and_no_tag_is_looked_for() {
    let world = World::with(&[ONE]);
    world.put(ONE, ntag());
    let pace = monitor::Pace { slice: Duration::from_millis(100), listing: Duration::from_millis(10) };
    let mut readers = monitor::watch(Arc::new(world.clone()), pace);
    let mut names = async |expected: &[&str]| {
        let is = |now: &crate::device::nfc::Readers| {
            now.readers.iter().map(|r| r.name.as_str()).eq(expected.iter().copied())
        };
        tokio::time::timeout(LONG, readers.wait_for(is)).await.expect("it is told").unwrap().trouble.clone()
    };
    assert_eq!(names(&[ONE]).await, None);
    world.change(|state| {
        state.readers.insert(TWO.into(), Reader::default());
    });
    assert_eq!(names(&[ONE, TWO]).await, None);
    world.stop_daemon();
    assert_eq!(names(&[]).await, Some(ReaderTrouble::Lost));
    world.start_daemon();
    assert_eq!(names(&[ONE, TWO]).await, None);
    assert_eq!(world.seen(|state| (state.connected, state.transmitted)), (0, 0));
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
