//! How fast pictures come while aiming, and how soon the camera is closed: through the real child, on this machine. Other
//! work may hold one try up, so the best of several counts.

use std::time::{Duration, Instant};

use agentcall::device::camera::Camera;
use agentcall::device::camera::simulated::SimulatedCamera;
use agentcall::device::{Armed, ArmedBy, DeviceKind};

use crate::faults::{id, marked_real};
use crate::{armed, real};

/// The camera's light is off this soon.
const DARK_AFTER: Duration = Duration::from_millis(200);
const TRIES: usize = 8;

#[tokio::test]
async fn ten_pictures_a_second_come_while_aiming() {
    let armed = armed();
    let mut stream = SimulatedCamera::test_card(real()).open(&armed).await.unwrap();
    stream.preview().await.unwrap();
    let mut best = Duration::MAX;
    for _ in 0..TRIES {
        let start = Instant::now();
        for _ in 0..10 {
            stream.preview().await.unwrap();
        }
        best = best.min(start.elapsed());
        if best < Duration::from_secs(1) {
            return;
        }
    }
    panic!("ten pictures took {best:?}");
}

/// What ends a capture.
#[derive(Clone, Copy, Debug)]
enum End {
    Shutter,
    Closed,
    Dropped,
    Esc,
    Deadline,
}

/// How long after the key (or the deadline) the camera's process is gone.
async fn gone_after(end: End) -> Duration {
    let home = tempfile::tempdir().unwrap();
    let (program, pid) = marked_real(home.path());
    let within = if matches!(end, End::Deadline) { 1 } else { 60 };
    let armed = Armed::mint(DeviceKind::Camera, ArmedBy::Key, Duration::from_secs(within));
    let mut stream = SimulatedCamera::test_card(program).open(&armed).await.unwrap();
    stream.preview().await.unwrap();
    let process = std::path::PathBuf::from(format!("/proc/{}", id(&pid).as_raw_nonzero()));
    assert!(process.exists());
    let mut start = Instant::now();
    match end {
        // The whole picture is waited for.
        End::Shutter => drop(stream.shutter().await.unwrap()),
        End::Closed => stream.close().await,
        End::Dropped => drop(stream),
        End::Esc => armed.disarm().now(),
        End::Deadline => {
            let _ = armed.ended().await;
            start = Instant::now();
        }
    }
    while process.exists() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    start.elapsed()
}

#[tokio::test]
async fn the_camera_is_closed_at_once_whatever_ends_the_capture() {
    for end in [End::Shutter, End::Closed, End::Dropped, End::Esc, End::Deadline] {
        let mut best = Duration::MAX;
        for _ in 0..TRIES {
            best = best.min(gone_after(end).await);
            if best < DARK_AFTER {
                break;
            }
        }
        assert!(best < DARK_AFTER, "{end:?}: {best:?}");
    }
}
