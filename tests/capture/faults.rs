//! The process behind a camera is stopped, killed, or speaks in every wrong way: one line within the deadline, and
//! nothing of it stays.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentcall::device::camera::simulated::SimulatedCamera;
use agentcall::device::camera::wire::{self, Reply};
use agentcall::device::camera::{Camera, CameraError, CameraProgram, CameraStream};
use rustix::process::{Pid, Signal, kill_process};

use crate::frozen::freeze;
use crate::{armed, capture, hello, message, opened, script, until};

/// What a step may take here beyond its two seconds on a busy machine.
const SLACK: Duration = Duration::from_secs(15);

/// A child that writes its process id first, and the file where it does.
pub(crate) fn marked(home: &Path, lines: &str) -> (CameraProgram, PathBuf) {
    let pid = home.join("pid");
    (script(home, &format!("echo $$ > '{}'\n{lines}", pid.display())), pid)
}

/// The real program behind a script that says its id.
pub(crate) fn marked_real(home: &Path) -> (CameraProgram, PathBuf) {
    marked(home, &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_agentcall")))
}

pub(crate) fn id(file: &Path) -> Pid {
    let text = std::fs::read_to_string(file).unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

/// Neither running nor waiting to be collected.
pub(crate) async fn nothing_is_left(pid: &Path) {
    until(|| std::fs::read_to_string(pid).is_ok_and(|p| p.ends_with('\n'))).await;
    let process = PathBuf::from(format!("/proc/{}", id(pid)));
    until(|| !process.exists()).await;
}

/// What a capture through such a child comes to; the process is gone after it, and no file has been added.
async fn fails(replies: &[u8], after: &str) -> CameraError {
    let home = tempfile::tempdir().unwrap();
    let played = home.path().join("replies");
    std::fs::write(&played, replies).unwrap();
    let (program, pid) = marked(home.path(), &format!("/bin/cat '{}'\n{after}", played.display()));
    let start = Instant::now();
    let failed = capture(SimulatedCamera::test_card(program), &armed()).await.unwrap_err();
    assert!(start.elapsed() < 3 * Duration::from_secs(2) + SLACK, "{failed}");
    nothing_is_left(&pid).await;
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 3, "script, replies and id");
    let line = failed.to_string();
    assert!(!line.contains('\n') && line.chars().count() < 500, "{line}");
    failed
}

async fn open(program: CameraProgram) -> Box<dyn CameraStream> {
    // The consent is handed on: it outlives the stream.
    let armed = Box::leak(Box::new(armed()));
    SimulatedCamera::test_card(program).open(armed).await.unwrap()
}

fn frame(bytes: usize) -> Vec<u8> {
    let reply = Reply::Frame { format: "rgb8".into(), width: 2, height: 1, stride: 6, raw: None };
    let mut message = wire::encode(&reply, 6).unwrap();
    message.extend_from_slice(&vec![9; bytes]);
    message
}

#[tokio::test]
async fn a_child_that_is_stopped_is_ended_in_each_step() {
    for (replies, step) in [(Vec::new(), "starting"), (hello(), "opening"), (opened(), "taking the picture")]
    {
        let failed = fails(&replies, "kill -STOP $$").await;
        assert!(matches!(&failed, CameraError::Hung { step: at, .. } if *at == step), "{failed}");
    }
}

#[tokio::test]
async fn the_real_child_is_stopped_or_killed_while_aiming_and_at_the_shutter() {
    let kill = |id: Pid| kill_process(id, Signal::KILL).unwrap();
    let stop = |id: Pid| freeze(id.as_raw_nonzero().get().unsigned_abs());
    for (end, hangs) in [(&stop as &dyn Fn(Pid), true), (&kill, false)] {
        for aiming in [true, false] {
            let home = tempfile::tempdir().unwrap();
            let (program, pid) = marked_real(home.path());
            let mut stream = open(program).await;
            assert!(stream.preview().await.is_ok());
            end(id(&pid));
            let failed = if aiming {
                let failed = stream.preview().await;
                drop(stream);
                failed
            } else {
                stream.shutter().await
            };
            let failed = failed.unwrap_err();
            let expected = if hangs { "its process was ended" } else { "signal: 9" };
            assert!(failed.to_string().contains(expected), "{failed}");
            nothing_is_left(&pid).await;
        }
    }
}

#[tokio::test]
async fn a_child_that_is_killed_says_so_in_each_step() {
    for replies in [Vec::new(), hello(), opened()] {
        let failed = fails(&replies, "kill -KILL $$").await;
        assert!(matches!(failed, CameraError::Died { .. }), "{failed}");
        assert!(failed.to_string().contains("signal: 9"), "{failed}");
    }
}

#[tokio::test]
async fn the_real_child_has_its_memory_limited() {
    let home = tempfile::tempdir().unwrap();
    let (program, pid) = marked_real(home.path());
    let stream = open(program).await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", id(&pid))).unwrap();
    let line = limits.lines().find(|l| l.starts_with("Max address space")).unwrap();
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let [soft, hard] = numbers[..] else { panic!("{line}") };
    // A gigabyte beyond what the process and its allocator had at the start.
    let gigabyte = 1 << 30;
    assert!(soft == hard && soft >= gigabyte && soft < 3 * gigabyte, "{line}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", id(&pid))).unwrap();
    let size = status.lines().find_map(|l| l.strip_prefix("VmSize:")?.trim().strip_suffix("kB")).unwrap();
    let size = size.trim().parse::<u64>().unwrap() * 1024;
    assert!(soft - size > gigabyte * 7 / 8, "room for what a driver lends: {size} of {soft} are taken");
    stream.close().await;
    nothing_is_left(&pid).await;
}

#[tokio::test]
async fn a_child_that_floods_costs_one_line_and_no_memory() {
    let zeros = fails(&[], "exec /bin/cat /dev/zero").await;
    assert!(zeros.to_string().ends_with("it sent something that is no message"), "{zeros}");
    let after = fails(&opened(), "exec /bin/cat /dev/zero").await;
    assert!(after.to_string().ends_with("it sent something that is no message"), "{after}");
    // Its words are read on and the last 4 KiB kept, or it would stand still.
    let words = fails(&hello(), "/bin/cat /dev/zero >&2").await;
    assert!(matches!(words, CameraError::Hung { step: "opening", .. }), "{words}");
}

#[tokio::test]
async fn answers_nobody_asked_for_are_not_taken_for_the_picture() {
    let hellos = fails(&hello().repeat(1_000), "exec /bin/sleep 600").await;
    assert!(hellos.to_string().ends_with("it answered something that was not asked"), "{hellos}");
    let twice = [opened(), opened()].concat();
    let twice = fails(&twice, "exec /bin/sleep 600").await;
    assert!(matches!(twice, CameraError::Garbled { step: "taking the picture", .. }), "{twice}");
}

#[tokio::test]
async fn a_child_that_trickles_has_one_deadline_for_the_whole_answer() {
    let after = "while :; do printf A; /bin/sleep 0.05; printf C; /bin/sleep 0.05; printf C; printf 1; \
        /bin/sleep 600; done";
    let head = fails(&[], after).await;
    assert!(matches!(head, CameraError::Hung { step: "starting", .. }), "{head}");
    // A frame of 24 MiB, a byte at a time.
    let reply = Reply::Frame { format: "rgb8".into(), width: 2_048, height: 2_048, stride: 6_144, raw: None };
    let replies = [opened(), wire::encode(&reply, 2_048 * 6_144).unwrap()].concat();
    let pixels = fails(&replies, "while printf A; do /bin/sleep 0.02; done").await;
    assert!(matches!(pixels, CameraError::Hung { step: "taking the picture", .. }), "{pixels}");
}

#[tokio::test]
async fn wrong_lengths_cost_one_line() {
    let prefix = |header: u32, payload: u32| {
        [b"ACC1".as_slice(), &header.to_be_bytes(), &payload.to_be_bytes()].concat()
    };
    let header = fails(&prefix(u32::MAX, 0), "exec /bin/sleep 600").await.to_string();
    assert!(header.contains("a header of 4294967295 bytes; at most 32768"), "{header}");
    let payload = fails(&prefix(2, u32::MAX), "exec /bin/sleep 600").await.to_string();
    assert!(payload.contains("a payload of 4294967295 bytes"), "{payload}");
    let none = fails(&prefix(0, 0), "exec /bin/sleep 600").await.to_string();
    assert!(none.ends_with("it sent a message that is not understood"), "{none}");
    // Announced and not sent: silence is a hang, an end is a death.
    let silent = fails(&[opened(), frame(5)].concat(), "exec /bin/sleep 600").await;
    assert!(matches!(silent, CameraError::Hung { .. }), "{silent}");
    let ended = fails(&[opened(), frame(5)].concat(), "exit 3").await.to_string();
    assert!(ended.contains("ended while ") && ended.contains("exit status: 3"), "{ended}");
    // One byte too many belongs to no message.
    let mut more = [opened(), frame(7)].concat();
    more.extend_from_slice(&frame(6));
    let replies = [hello(), vec![0], more].concat();
    let shifted = fails(&replies, "exec /bin/sleep 600").await.to_string();
    assert!(shifted.ends_with("it sent something that is no message"), "{shifted}");
}

#[tokio::test]
async fn c5_another_format_than_the_one_agreed_is_refused_and_not_shown_garbled() {
    for format in ["420v", "yuyv", "RGB8", ""] {
        let reply = Reply::Frame { format: format.into(), width: 2, height: 1, stride: 6, raw: None };
        let replies = [opened(), message(&reply, &[9; 6])].concat();
        let failed = fails(&replies, "exec /bin/sleep 600").await.to_string();
        assert!(failed.ends_with("pixels do not match its size or format"), "{failed}");
    }
}
