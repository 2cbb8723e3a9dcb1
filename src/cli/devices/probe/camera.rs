//! One frame: the camera opened, waited for, closed, the picture dropped.

use std::time::Duration;

use super::Say;
use super::reader::time;
use crate::device::camera::{Camera, CameraError, Probe};
use crate::device::{Armed, ArmedBy, DeviceKind};
use crate::trace::found::{FrameRecord, ProbeRecord, WrongRecord};
use crate::words::sentence;

/// The camera that is probed.
pub struct CameraTarget(Box<dyn Camera>);

impl CameraTarget {
    /// This camera.
    pub fn new(camera: Box<dyn Camera>) -> Self {
        Self(camera)
    }

    /// What screens call it.
    pub fn name(&self) -> String {
        self.0.label()
    }

    /// Opens it, takes one frame and closes it.
    pub async fn run(&mut self, within: Duration, _say: &mut dyn FnMut(Say)) -> ProbeRecord {
        let armed = Armed::mint(DeviceKind::Camera, ArmedBy::Key, within);
        let name = self.name();
        let probed = match self.0.open(&armed).await {
            Ok(stream) => stream.probe().await,
            Err(error) => Err(error),
        };
        match probed {
            Ok(probe) => record(name, &probe),
            Err(error) => failed(name, &error),
        }
    }
}

fn record(name: String, probe: &Probe) -> ProbeRecord {
    ProbeRecord {
        sort: "camera",
        name,
        run: 1,
        ok: true,
        frame: Some(FrameRecord {
            width: probe.width,
            height: probe.height,
            fourcc: probe.format.fourcc.clone(),
            bytes: probe.raw_bytes,
            frames: probe.frames,
            dropped: probe.dropped,
        }),
        times: vec![
            time("started", probe.started),
            time("opened", probe.opened),
            time("first_frame", probe.first_frame),
            time("first_usable", probe.first_usable),
            time("picture", probe.picture),
            time("closed", probe.closed),
        ],
        ..ProbeRecord::default()
    }
}

fn failed(name: String, error: &CameraError) -> ProbeRecord {
    let trouble = Some(WrongRecord { text: sentence(&error.to_string()), hint: error.hint() });
    ProbeRecord { sort: "camera", name, run: 1, trouble, ..ProbeRecord::default() }
}
