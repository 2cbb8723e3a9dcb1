//! Time: what a scan takes, how soon it ends, and what waiting costs.

use std::time::Duration;

use super::pcscd::Pcscd;
use super::scanner::Scanner;
use super::tag::Tag;

/// A user notices no less.
pub const AT_ONCE: f64 = 0.050;

/// The least of several measurements: what the machine does besides cannot make it less.
pub fn least(measured: &[f64]) -> f64 {
    measured.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The value in the middle of several measurements.
pub fn median(measured: &[f64]) -> f64 {
    let mut sorted = measured.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// A tag on this daemon's reader is read by a scan of its own.
pub async fn reads(scanner: &mut Scanner, tag: &mut Tag) {
    tag.place("--type t2").await;
    let read = scanner.scan().await;
    assert_eq!(read["technology"], "Type 2", "{read}");
}

#[tokio::test]
async fn a_tag_that_lies_there_is_read_at_once_and_one_that_comes_as_soon_as_it_is_seen() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let (mut lying, mut coming) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        lying.push(scanner.scan().await["seconds"].as_f64().unwrap());
        assert_eq!(scanner.events("inserted")[0]["lay_there"], true);
        tag.tell("off").await;
        scanner.event("removed").await;
        scanner.arm(60).await;
        tag.tell("on").await;
        let since = std::time::Instant::now();
        scanner.result().await;
        // Whether the reader was looked at before the tag came is up to the scheduler: no word on "lay there".
        coming.push(since.elapsed().as_secs_f64());
    }
    assert!(least(&lying) < 0.1 && least(&coming) < 0.5, "{lying:?} {coming:?}");
}

#[tokio::test]
async fn a_read_takes_little_more_than_its_commands() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &["--delay", "0.01"]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    for kind in ["t2", "t3", "t4", "t5"] {
        let mut ratios = Vec::new();
        for _ in 0..2 {
            tag.place(&format!("--type {kind}")).await;
            scanner.scan().await;
            let read = scanner.events("read").pop().unwrap();
            let (took, sum) = (read["took"].as_f64().unwrap(), read["sum"].as_f64().unwrap());
            assert!(sum > 0.01 * read["apdus"].as_array().unwrap().len() as f64, "{read}");
            ratios.push(took / sum);
        }
        assert!(least(&ratios) < 1.15, "{kind}: {ratios:?}");
    }
}

/// How often Esc is measured in each state.
const ESCS: usize = 20;

#[tokio::test]
async fn esc_ends_a_scan_at_once_whatever_it_is_doing() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let (mut waiting, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..ESCS {
        scanner.arm(60).await;
        // It waits at its reader by now, or is just about to.
        scanner.list().await;
        scanner.esc().await;
        waiting.push(scanner.result().await["stopped_in"].as_f64().unwrap());
    }
    for _ in 0..ESCS {
        scanner.arm(60).await;
        tag.tell("hold 0").await;
        tag.tell("on").await;
        tag.until(" held ").await;
        scanner.esc().await;
        let stopped = scanner.result().await;
        assert_eq!(stopped["failed"], "The scan was stopped; the reader is closed.");
        reading.push(stopped["stopped_in"].as_f64().unwrap());
        tag.tell("go").await;
        tag.swap("--type t2").await;
    }
    for (what, measured) in [("waiting", &waiting), ("reading", &reading)] {
        let most = measured.iter().copied().fold(0.0, f64::max);
        println!("Esc while {what}: median {:.6} s, most {most:.6} s, of {ESCS}", median(measured));
        assert!(median(measured) < AT_ONCE, "{what}: {measured:?}");
    }
    reads(&mut scanner, &mut tag).await;
}

#[tokio::test]
async fn nothing_is_sent_to_a_tag_unless_a_scan_is_armed() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.list().await;
    assert_eq!(tag.commands().await.len(), 0);
    scanner.scan().await;
    let read = tag.commands().await;
    assert!(!read.is_empty());
    // The scan is over; the tag goes and comes, and only that it went is told.
    tag.tell("off").await;
    scanner.event("removed").await;
    tag.tell("on").await;
    tag.until("power down").await;
    assert_eq!(tag.commands().await.len(), 0);
}

#[tokio::test]
async fn no_wait_is_a_busy_loop() {
    let mut daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let mut used = Vec::new();
    scanner.arm(60).await;
    used.push(("armed, no tag", busy(&scanner).await));
    tag.tell("on").await;
    scanner.result().await;
    used.push(("read, the tag lies there", busy(&scanner).await));
    tag.tell("off").await;
    scanner.event("removed").await;
    used.push(("at rest", busy(&scanner).await));
    scanner.arm(60).await;
    daemon.kill().await;
    scanner.event("trouble").await;
    used.push(("no daemon", busy(&scanner).await));
    // Hundredths of a second in a second and a half; a loop would take 150.
    assert!(used.iter().all(|(_, ticks)| *ticks <= 3), "{used:?}");
}

async fn busy(scanner: &Scanner) -> u64 {
    let before = scanner.ticks();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    scanner.ticks() - before
}
