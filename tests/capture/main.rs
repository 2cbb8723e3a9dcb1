//! A user takes a picture: with the simulated cameras through the real binary, and with children that fail in every way.
#![cfg(target_os = "linux")]
// Helpers of tests are tests; clippy exempts only the functions marked so.
#![allow(clippy::unwrap_used)]

mod faults;
mod files;
#[path = "../common/frozen.rs"]
mod frozen;
mod listing;
mod pace;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use agentcall::device::camera::simulated::SimulatedCamera;
use agentcall::device::camera::wire::{self, Reply};
use agentcall::device::camera::{Camera, CameraError, CameraProgram};
use agentcall::device::{Armed, ArmedBy, DeviceKind};
use agentcall::picture::{DemoPicture, Picture, demo_picture, fit};

fn armed() -> Armed {
    Armed::mint(DeviceKind::Camera, ArmedBy::Key, Duration::from_secs(60))
}

fn real() -> CameraProgram {
    CameraProgram::at(env!("CARGO_BIN_EXE_agentcall"))
}

fn asset(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures").join(name)
}

async fn capture(mut camera: SimulatedCamera, armed: &Armed) -> Result<Picture, CameraError> {
    camera.open(armed).await?.shutter().await
}

/// A child that first plays the bytes of `replies`, then runs `after`.
fn fake(replies: &[u8], after: &str) -> (tempfile::TempDir, CameraProgram) {
    let home = tempfile::tempdir().unwrap();
    let played = home.path().join("replies");
    std::fs::write(&played, replies).unwrap();
    let program = script(home.path(), &format!("/bin/cat '{}'\n{after}", played.display()));
    (home, program)
}

/// A child that is a shell script.
fn script(home: &Path, lines: &str) -> CameraProgram {
    let script = home.join("camera");
    // Written by another process: a file that this one holds open for writing while another test forks is "busy".
    let text = format!("#!/bin/sh\n{lines}\n");
    let mut writer = std::process::Command::new("/bin/sh")
        .args(["-c", "/bin/cat > \"$0\"", script.to_str().unwrap()])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut writer.stdin.take().unwrap(), text.as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success());
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    CameraProgram::at(script).with_deadline(Duration::from_secs(2))
}

fn message(reply: &Reply, payload: &[u8]) -> Vec<u8> {
    [wire::encode(reply, payload.len()).unwrap(), payload.to_vec()].concat()
}

fn hello() -> Vec<u8> {
    message(&Reply::Hello { version: wire::VERSION }, &[])
}

fn opened() -> Vec<u8> {
    [
        hello(),
        message(&Reply::Opened { name: "fake".into(), width: 2, height: 1, fourcc: None, fps: None }, &[]),
    ]
    .concat()
}

async fn line(replies: &[u8], after: &str) -> String {
    let (_home, program) = fake(replies, after);
    capture(SimulatedCamera::test_card(program), &armed()).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_picture_file_comes_through_the_child_unchanged() {
    let picture = capture(SimulatedCamera::of_file(asset("desk.png"), real()), &armed()).await.unwrap();
    assert_eq!(picture, demo_picture(DemoPicture::Desk));
    assert_eq!(fit(&picture).unwrap().width, 1_024);
}

#[tokio::test]
async fn the_test_card_moves_while_aiming() {
    let armed = armed();
    let mut camera = SimulatedCamera::test_card(real());
    assert!(camera.is_simulated() && camera.label().starts_with("SIMULATED"));
    let mut stream = camera.open(&armed).await.unwrap();
    assert_eq!((stream.format().width, stream.format().height), (1_280, 720));
    let (one, two) = (stream.preview().await.unwrap(), stream.preview().await.unwrap());
    assert_eq!((one.width(), one.height()), (320, 180));
    assert_ne!(one, two);
    assert_eq!(stream.shutter().await.unwrap().width(), 1_280);
}

#[tokio::test]
async fn damaged_and_missing_files_cost_one_line() {
    let home = tempfile::tempdir().unwrap();
    let half = home.path().join("half.png");
    let whole = std::fs::read(asset("desk.png")).unwrap();
    std::fs::write(&half, &whole[..whole.len() / 2]).unwrap();
    let refused = async |path: std::path::PathBuf| {
        capture(SimulatedCamera::of_file(path, real()), &armed()).await.unwrap_err().to_string()
    };
    assert!(refused(half).await.contains("the picture is damaged"));
    assert!(refused(home.path().join("none.jpg")).await.contains("No such file"));
    assert!(refused(home.path().to_owned()).await.contains("it is not a regular file"));
}

#[tokio::test]
async fn without_a_standing_consent_nothing_is_opened() {
    let reader = Armed::mint(DeviceKind::Reader, ArmedBy::Key, Duration::from_secs(60));
    let refused = capture(SimulatedCamera::test_card(real()), &reader).await;
    assert!(matches!(refused, Err(CameraError::NotArmed { .. })));
    let armed = armed();
    let mut stream = SimulatedCamera::test_card(real()).open(&armed).await.unwrap();
    drop(armed);
    assert!(matches!(stream.preview().await, Err(CameraError::Closed { .. })));
}

#[tokio::test]
async fn c7_a_child_that_hangs_is_ended() {
    for (replies, step) in [(Vec::new(), "starting"), (hello(), "opening"), (opened(), "taking the picture")]
    {
        let said = line(&replies, "exec /bin/sleep 600").await;
        let expected = format!("did not answer within 2 s while {step}; its process was ended");
        assert!(said.ends_with(&expected), "{said}");
    }
}

#[tokio::test]
async fn a_child_that_dies_or_talks_nonsense_costs_one_line() {
    let died = line(&opened(), "echo 'thread main panicked' >&2; exit 101").await;
    // Which step it was depends on whether our request still found its pipe open.
    assert!(died.contains("ended while ") && died.contains("101"), "{died}");
    assert!(died.ends_with("thread main panicked"), "{died}");
    let aborted = line(&hello(), "kill -ABRT $$").await;
    assert!(aborted.contains("signal: 6"), "{aborted}");
    let garbage = line(b"Welcome to my camera, version 2!", "exec /bin/sleep 600").await;
    assert!(garbage.ends_with("it sent something that is no message"), "{garbage}");
    let old = line(&message(&Reply::Hello { version: 9 }, &[]), "exec /bin/sleep 600").await;
    assert!(old.ends_with(&format!("it speaks version 9, not {}", wire::VERSION)), "{old}");
    let frame = Reply::Frame { format: "rgb8".into(), width: 2, height: 1, stride: 6, raw: None };
    let short = line(&[opened(), message(&frame, &[1, 2, 3])].concat(), "exec /bin/sleep 600").await;
    assert!(short.contains("pixels do not match"), "{short}");
    let missing = capture(SimulatedCamera::test_card(CameraProgram::at("/nowhere/camera")), &armed()).await;
    assert!(
        missing.unwrap_err().to_string().starts_with("starting the camera process /nowhere/camera failed")
    );
}

#[tokio::test]
async fn c8_dark_or_green_first_frames_are_passed_over() {
    let frame = |value: u8| {
        let reply = Reply::Frame { format: "rgb8".into(), width: 2, height: 1, stride: 6, raw: None };
        message(&reply, &[value; 6])
    };
    // While it is dark the pictures are small ones; the one after the first bright one is what is taken.
    let replies = [opened(), frame(1).repeat(10), frame(119), frame(120)].concat();
    let (_home, program) = fake(&replies, "exec /bin/sleep 600");
    let picture = capture(SimulatedCamera::test_card(program), &armed()).await.unwrap();
    assert_eq!(picture.mean_luma(), 120);
    let green = {
        let reply = Reply::Frame { format: "rgb8".into(), width: 2, height: 1, stride: 6, raw: None };
        message(&reply, &[0, 135, 0, 0, 136, 1])
    };
    let replies = [opened(), green.repeat(10), frame(119), frame(120)].concat();
    let (_home, program) = fake(&replies, "exec /bin/sleep 600");
    let picture = capture(SimulatedCamera::test_card(program), &armed()).await.unwrap();
    assert_eq!(picture.mean_luma(), 120, "a buffer that is not filled yet is green");
    let night = [opened(), frame(1).repeat(40)].concat();
    let (_home, program) = fake(&night, "exec /bin/sleep 600");
    let picture = capture(SimulatedCamera::test_card(program), &armed()).await.unwrap();
    assert_eq!(picture.mean_luma(), 1, "darkness itself is a picture too");
}

#[tokio::test]
async fn the_picture_is_the_one_after_the_key_where_there_was_something_to_see_while_aiming() {
    let frame = |value: u8| {
        let reply = Reply::Frame { format: "rgb8".into(), width: 2, height: 1, stride: 6, raw: None };
        message(&reply, &[value; 6])
    };
    for (seen, taken) in [([100, 120, 130, 140], 120), ([1, 1, 119, 120], 120)] {
        let replies: Vec<u8> = seen.into_iter().flat_map(frame).collect();
        let (_home, program) = fake(&[opened(), replies].concat(), "exec /bin/sleep 600");
        let armed = armed();
        let mut stream = SimulatedCamera::test_card(program).open(&armed).await.unwrap();
        assert_eq!(stream.preview().await.unwrap().mean_luma(), seen[0]);
        assert_eq!(stream.shutter().await.unwrap().mean_luma(), taken, "{seen:?}");
    }
}

/// Waits for a condition, not for a time.
async fn until(done: impl Fn() -> bool) {
    let waiting = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("the condition comes true");
}

#[tokio::test]
async fn the_child_sees_nothing_of_our_environment_and_ends_with_the_stream() {
    let home = tempfile::tempdir().unwrap();
    let (seen, pid) = (home.path().join("seen"), home.path().join("pid"));
    let after =
        format!("/usr/bin/env > '{}'\necho $$ > '{}'\nexec /bin/sleep 600", seen.display(), pid.display());
    let (_home, program) = fake(&opened(), &after);
    let armed = armed();
    let stream = SimulatedCamera::test_card(program).open(&armed).await.unwrap();
    until(|| std::fs::read_to_string(&pid).is_ok_and(|p| p.ends_with('\n'))).await;
    let environment = std::fs::read_to_string(&seen).unwrap();
    let names: Vec<&str> = environment.lines().filter_map(|l| l.split_once('=').map(|(n, _)| n)).collect();
    let ours: Vec<_> = names.iter().filter(|n| !["PWD", "OLDPWD", "SHLVL", "_"].contains(n)).collect();
    assert!(ours.is_empty(), "only what the shell itself sets: {ours:?}");
    let process = Path::new("/proc").join(std::fs::read_to_string(&pid).unwrap().trim());
    assert!(process.exists());
    drop(stream);
    until(|| !process.exists()).await;
}
