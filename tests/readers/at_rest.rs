//! The screen on a reader with a tag on it, and nothing armed: no activity at the reader, and next to none of ours.

use std::time::Duration;

use super::harness::{Pty, Start, children, process};
use super::place::Place;
use super::tag::Tag;

/// How long it is watched at a time.
const WATCHED: Duration = Duration::from_secs(4);
/// One in a hundred of that, in ticks of 10 ms.
const ONE_PERCENT: u64 = 4;

/// What the program holds open that is a device: readers, cameras, sound.
fn devices_held(pid: u32) -> Vec<String> {
    let held = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let paths = held.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let is_device = |path: &String| {
        ["/dev/bus/usb", "/dev/hidraw", "/dev/video", "/dev/media", "/dev/snd", "/dev/nfc"]
            .iter()
            .any(|device| path.starts_with(device))
    };
    paths.map(|path| path.display().to_string()).filter(is_device).collect()
}

/// What it uses, in ticks: the least of three times, because what a start leaves behind is over soon.
fn used(pty: &Pty) -> Vec<u64> {
    let ticks = || process(pty.pid()).unwrap().ticks;
    let watch = |_| {
        let before = ticks();
        std::thread::sleep(WATCHED);
        ticks() - before
    };
    (0..3).map(watch).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_nothing_armed_no_reader_is_touched_and_next_to_nothing_is_used() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &[]).await;
    let origin = format!("http://{}", place.agent.addr);
    let mut pty = Start::agentcall(&["connect", "--local", &origin, "--camera", "simulated"])
        .size(30, 140)
        .variable("PCSCLITE_CSOCK_NAME", place.daemon.socket().to_str().unwrap())
        .spawn();
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    let used = used(&pty);
    assert!(used.iter().min() < Some(&ONE_PERCENT), "ticks of 10 ms in {WATCHED:?}: {used:?}");
    assert_eq!(devices_held(pty.pid()), [""; 0]);
    assert!(children(pty.pid()).is_empty(), "{:?}", children(pty.pid()));
    // Nobody else holds the card, so that another program may have it for itself.
    let holder = place.daemon.held_by(&place.daemon.name(0), "other").await;
    holder.let_go().await;
    tag.tell("off").await;
    tag.tell("on").await;
    tag.until("power down").await;
    assert_eq!(tag.commands().await.len(), 0, "nothing was armed");
    // The same tag is read as soon as a key arms the reader.
    pty.send("s");
    pty.wait_for("what would be sent", |screen| screen.contains("https://example.org/tag/42"));
    assert!(!tag.commands().await.is_empty());
    pty.send("\x1bq");
}
