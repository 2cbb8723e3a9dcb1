//! Looking which cameras are plugged in, through children that know some, hang, crash and lie; and cameras of such a
//! listing that fail in every way.

use std::time::Duration;

use agentcall::device::camera::wire::{self, RawFacts, Reply, Source};
use agentcall::device::camera::{
    Camera, CameraError, CameraInfo, CameraProgram, CameraTrouble, FormatInfo, Webcam, Wish, choose, list,
};
#[cfg(feature = "camera")]
use agentcall::device::camera::{Listing, real_cameras};

use crate::faults::{marked, nothing_is_left};
use crate::{armed, hello, message, real, until};

fn info(card: &str, node: &str) -> CameraInfo {
    CameraInfo {
        name: card.into(),
        card: card.into(),
        node: node.into(),
        bus: format!("usb-of-{node}"),
        formats: vec![FormatInfo { fourcc: "YUYV".into(), width: 1_280, height: 720, fps: Some(30.0) }],
        trouble: None,
    }
}

#[cfg(feature = "camera")]
fn told(card: &str, node: &str) -> Vec<u8> {
    message(&Reply::Camera { camera: info(card, node) }, &[])
}

#[cfg(feature = "camera")]
fn listed() -> Vec<u8> {
    message(&Reply::Listed { trouble: None }, &[])
}

#[cfg(feature = "camera")]
/// What comes of a child that plays these replies and then runs `after`; nothing of it is left.
async fn looked(replies: &[Vec<u8>], after: &str) -> Listing {
    let home = tempfile::tempdir().unwrap();
    let played = home.path().join("replies");
    std::fs::write(&played, [hello(), replies.concat()].concat()).unwrap();
    let (program, pid) = marked(home.path(), &format!("/bin/cat '{}'\n{after}", played.display()));
    let listing = list(&program).await;
    nothing_is_left(&pid).await;
    listing
}

#[cfg(feature = "camera")]
fn names(listing: &Listing) -> Vec<&str> {
    listing.cameras.iter().map(|camera| camera.name.as_str()).collect()
}

#[tokio::test]
async fn the_real_child_looks_and_is_gone() {
    let listing = list(&real()).await;
    // What is plugged in here is not known; that looking for it comes to an end is.
    assert_eq!(listing.trouble, (!cfg!(feature = "camera")).then_some(CameraTrouble::NotBuilt));
    assert!(listing.cameras.iter().all(|c| !c.name.is_empty() && c.node.starts_with("/dev/video")));
}

#[cfg(feature = "camera")]
#[tokio::test]
async fn cameras_are_told_in_their_order_and_two_alike_apart() {
    let replies =
        [told("Cam", "/dev/video0"), told("Other", "/dev/video2"), told("Cam", "/dev/video4"), listed()];
    let listing = looked(&replies, "exec /bin/sleep 600").await;
    assert_eq!(names(&listing), ["Cam (usb-of-/dev/video0)", "Other", "Cam (usb-of-/dev/video4)"]);
    assert_eq!(listing.trouble, None);
    assert_eq!(listing.cameras[1], info("Other", "/dev/video2"));
}

#[cfg(feature = "camera")]
#[tokio::test]
async fn what_was_found_before_a_driver_hangs_or_crashes_is_kept() {
    let hung = looked(&[told("Cam", "/dev/video0")], "exec /bin/sleep 600").await;
    assert_eq!(names(&hung), ["Cam"]);
    assert_eq!(hung.trouble, Some(CameraTrouble::Frozen { milliseconds: 2_000 }));
    // It ends once it was asked: a request that finds no reader is a death as well, of which nothing was read.
    let asked = "/bin/dd bs=1 count=12 of=/dev/null 2>/dev/null";
    let crash = format!("{asked}; echo 'called `unwrap()` on nothing' >&2; exit 101");
    let died = looked(&[told("Cam", "/dev/video0")], &crash).await;
    assert_eq!(names(&died), ["Cam"]);
    let trouble = died.trouble.unwrap().to_string();
    assert!(trouble.contains("101") && trouble.ends_with("called `unwrap()` on nothing"), "{trouble}");
    let aborted = looked(&[], &format!("{asked}; kill -ABRT $$")).await;
    assert!(aborted.cameras.is_empty() && aborted.trouble.unwrap().to_string().contains("signal: 6"));
}

#[cfg(feature = "camera")]
#[tokio::test]
async fn a_child_that_lies_is_not_believed() {
    let endless = told("Cam", "/dev/video0").repeat(1_000);
    let endless = looked(&[endless], "exec /bin/sleep 600").await;
    assert_eq!(endless.cameras.len(), 64);
    assert!(endless.trouble.unwrap().to_string().ends_with("it answered something that was not asked"));
    let nonsense = looked(&[b"Welcome to my cameras!".to_vec()], "exec /bin/sleep 600").await;
    assert!(nonsense.trouble.unwrap().to_string().ends_with("it sent something that is no message"));
    let camera = CameraInfo { card: "Two\nlines\u{1b}[2J".into(), ..info("Cam", "/dev/video0") };
    let lines = looked(&[message(&Reply::Camera { camera }, &[]), listed()], "exec /bin/sleep 600").await;
    assert_eq!(names(&lines), ["Twolines[2J"]);
}

#[cfg(feature = "camera")]
#[tokio::test]
async fn cameras_to_choose_from_are_those_that_were_found() {
    let home = tempfile::tempdir().unwrap();
    let played = home.path().join("replies");
    let within = Duration::from_secs(2);
    std::fs::write(&played, [hello(), told("Cam", "/dev/video0")].concat()).unwrap();
    let (program, _) = marked(home.path(), &format!("/bin/cat '{}'\nexec /bin/sleep 600", played.display()));
    let some = real_cameras(&program, within).await.unwrap();
    assert_eq!((some.len(), some[0].label(), some[0].is_simulated()), (1, "Cam".to_owned(), false));
    std::fs::write(&played, hello()).unwrap();
    let none = real_cameras(&program, within).await.err();
    assert_eq!(none, Some(CameraTrouble::Frozen { milliseconds: 2_000 }));
    std::fs::write(&played, [hello(), listed()].concat()).unwrap();
    assert!(real_cameras(&program, within).await.unwrap().is_empty(), "no camera is no error");
}

/// A listed camera whose child plays these replies.
fn webcam(home: &std::path::Path, replies: &[Vec<u8>]) -> (Webcam, std::path::PathBuf) {
    let played = home.join("replies");
    std::fs::write(&played, [hello(), replies.concat()].concat()).unwrap();
    let asked = home.join("asked");
    let lines = format!("/bin/cat '{}'\n/bin/cat > '{}'", played.display(), asked.display());
    let (program, pid) = marked(home, &lines);
    (Webcam::new(info("Cam", "/dev/video0"), program), pid)
}

fn opened() -> Vec<u8> {
    let (name, fourcc) = ("Cam".into(), Some("YUYV".into()));
    message(&Reply::Opened { name, width: 2, height: 1, fourcc, fps: Some(30.0) }, &[])
}

fn frame(value: u8, raw: Option<RawFacts>) -> Vec<u8> {
    message(&Reply::Frame { format: "rgb8".into(), width: 2, height: 1, stride: 6, raw }, &[value; 6])
}

#[tokio::test]
async fn what_is_wrong_with_a_camera_comes_as_a_kind_with_a_hint() {
    for (trouble, at_open) in [
        (CameraTrouble::Busy { holders: vec!["cheese (pid 812)".into()] }, true),
        (CameraTrouble::NoPermission { group: Some("video".into()) }, true),
        (CameraTrouble::Unplugged, false),
        (CameraTrouble::Damaged { frames: 30, why: "half of it".into() }, false),
    ] {
        let home = tempfile::tempdir().unwrap();
        let failed = message(&Reply::Failed { message: "x".into(), trouble: Some(trouble.clone()) }, &[]);
        let replies = if at_open { vec![failed] } else { vec![opened(), failed] };
        let (mut camera, pid) = webcam(home.path(), &replies);
        let armed = armed();
        let error = match camera.open(&armed).await {
            Ok(stream) => stream.shutter().await.unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(error.to_string(), format!("the camera Cam gave no picture: {trouble}"));
        assert_eq!(error.hint(), Some(trouble.hint()));
        nothing_is_left(&pid).await;
    }
}

#[tokio::test]
async fn c7_a_camera_without_pictures_is_ended_and_told_apart_from_a_process_that_hangs() {
    let home = tempfile::tempdir().unwrap();
    let (mut camera, pid) = webcam(home.path(), &[opened()]);
    let armed = armed();
    let error = camera.open(&armed).await.unwrap().shutter().await.unwrap_err();
    let expected = CameraTrouble::NoFrames { milliseconds: 2_000 };
    assert!(matches!(&error, CameraError::Trouble { trouble, .. } if *trouble == expected), "{error}");
    nothing_is_left(&pid).await;
    let (mut camera, pid) = webcam(home.path(), &[]);
    let error = camera.open(&armed).await.err().unwrap();
    assert!(matches!(error, CameraError::Hung { step: "opening", .. }), "{error}");
    nothing_is_left(&pid).await;
}

#[tokio::test]
async fn the_child_is_asked_for_the_camera_and_format_that_were_listed() {
    let home = tempfile::tempdir().unwrap();
    let (mut camera, pid) = webcam(home.path(), &[opened(), frame(99, None)]);
    let armed = armed();
    let stream = camera.open(&armed).await.unwrap();
    assert_eq!(stream.format().fourcc.as_deref(), Some("YUYV"));
    let asked = home.path().join("asked");
    until(|| std::fs::read(&asked).is_ok_and(|bytes| bytes.ends_with(b"}}}"))).await;
    let bytes = std::fs::read(&asked).unwrap();
    let request = wire::decode::<wire::Request>(&bytes[wire::PREFIX_BYTES..]).unwrap();
    let CameraInfo { node, card, bus, formats, .. } = info("Cam", "/dev/video0");
    let format = formats.into_iter().next();
    let wish = Wish::default();
    assert_eq!(request, wire::Request::Open { source: Source::Device { node, card, bus, format, wish } });
    drop(stream);
    nothing_is_left(&pid).await;
}

#[tokio::test]
async fn a_format_that_was_wished_for_before_any_was_known_is_asked_of_the_child() {
    let home = tempfile::tempdir().unwrap();
    let (camera, pid) = webcam(home.path(), &[opened()]);
    let formats = Vec::new();
    let unknown = CameraInfo { formats, trouble: Some(CameraTrouble::NoFormats), ..camera.info().clone() };
    let program = CameraProgram::at(home.path().join("camera")).with_deadline(Duration::from_secs(2));
    let cameras: Vec<Box<dyn Camera>> = vec![Box::new(Webcam::new(unknown, program.clone()))];
    assert!(!cameras[0].is_ready());
    let mut camera = choose("cam@mjpg 640x480", &program, cameras).unwrap();
    let armed = armed();
    let stream = camera.open(&armed).await.unwrap();
    let asked = home.path().join("asked");
    until(|| std::fs::read(&asked).is_ok_and(|bytes| bytes.ends_with(b"}}}"))).await;
    let bytes = std::fs::read(&asked).unwrap();
    let request = wire::decode::<wire::Request>(&bytes[wire::PREFIX_BYTES..]).unwrap();
    let wire::Request::Open { source: Source::Device { format, wish, .. } } = request else {
        panic!("{request:?}")
    };
    assert_eq!((format, wish.to_string().as_str()), (None, "MJPG 640x480"));
    drop(stream);
    nothing_is_left(&pid).await;
}

#[tokio::test]
async fn a_probe_tells_what_one_picture_took() {
    let home = tempfile::tempdir().unwrap();
    let facts = Some(RawFacts { bytes: 1_843_200, dropped: 2 });
    let replies = [opened(), frame(1, facts), frame(2, facts), frame(120, None), frame(130, facts)];
    let (mut camera, pid) = webcam(home.path(), &replies);
    let armed = armed();
    let probe = camera.open(&armed).await.unwrap().probe().await.unwrap();
    assert_eq!((probe.frames, probe.raw_bytes, probe.dropped), (3, Some(1_843_200), 2), "two were dark");
    assert_eq!((probe.width, probe.height, probe.format.fps), (2, 1, Some(30.0)));
    let times =
        [probe.started, probe.opened, probe.first_frame, probe.first_usable, probe.picture, probe.closed];
    assert!(times.is_sorted() && !probe.started.is_zero(), "{times:?}");
    nothing_is_left(&pid).await;
}

#[tokio::test]
async fn a_build_without_cameras_or_a_camera_that_is_gone_says_so() {
    let mut camera = Webcam::new(info("Cam", "/dev/video987"), real());
    let armed = armed();
    let error = camera.open(&armed).await.err().unwrap();
    let expected = if cfg!(feature = "camera") { CameraTrouble::Unplugged } else { CameraTrouble::NotBuilt };
    assert!(matches!(&error, CameraError::Trouble { trouble, .. } if *trouble == expected), "{error}");
    let nowhere = list(&CameraProgram::at("/nowhere/camera")).await;
    assert!(nowhere.cameras.is_empty() && nowhere.trouble.is_some());
}
