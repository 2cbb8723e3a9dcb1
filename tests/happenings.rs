//! What a face hears of devices: in order, until the next scan, and nothing of what nobody asked for.
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentcall::agent::{AgentConfig, Running, serve};
use agentcall::client::devices::{CameraDid, DeviceReport, DeviceSection, DeviceSort, Did};
use agentcall::client::notice::{Activity, Connection};
use agentcall::client::request::Aim;
use agentcall::client::{Client, ClientConfig, DeviceLister, Notice, Request, Watched};
use agentcall::device::Armed;
use agentcall::device::camera::{Camera, CameraError, CameraStream, CameraTrouble};
use agentcall::device::nfc::{
    Happened, NfcError, NfcReader, RawTag, ReaderInfo, ReaderTrouble, Readers, Scanned, TagRead, Told,
};
use agentcall::trace::output::DeviceRecord;
use common::engine::config;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};

const READER: &str = "ACS ACR122U PICC";

/// A reader on which a tag is put as soon as it is armed; where it tells is kept.
#[derive(Clone, Default)]
struct Reader {
    told: Arc<Mutex<Vec<Told>>>,
}

impl Reader {
    /// Where the scan of this number, from 0, tells.
    fn told(&self, scan: usize) -> Told {
        self.told.lock().unwrap()[scan].clone()
    }
}

impl NfcReader for Reader {
    fn name(&self) -> &str {
        READER
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn label(&self) -> String {
        READER.to_owned()
    }

    fn scan<'a>(&'a mut self, _armed: &'a Armed, told: Told) -> BoxFuture<'a, Result<Scanned, NfcError>> {
        self.told.lock().unwrap().push(told.clone());
        Box::pin(async move {
            told.tell(READER, Happened::Inserted { lay_there: false });
            tokio::task::yield_now().await;
            let (took, apdus) = (Duration::from_millis(2), Vec::new());
            told.tell(READER, Happened::Read(TagRead { technology: "Type 2", took, apdus }));
            let bytes = b"\xD1\x01\x09\x55\x00urn:ab:1".to_vec();
            let tag = RawTag::NdefMessage { bytes: bytes.into(), uid: None };
            Ok(Scanned { tag, reader: READER.to_owned() })
        })
    }
}

struct Desk {
    client: Client,
    _agent: Running,
    _state: tempfile::TempDir,
}

impl Desk {
    /// A live session, with this changed in what the engine is told.
    async fn set(change: impl FnOnce(&mut ClientConfig)) -> Self {
        let agent = serve(AgentConfig::default()).await.unwrap();
        let state = tempfile::tempdir().unwrap();
        let mut config = config(&agent.card_url, state.path());
        change(&mut config);
        let mut desk = Self { client: Client::spawn(config), _agent: agent, _state: state };
        desk.ask(Request::Connect).await;
        desk.until(|notice| matches!(notice, Notice::Connection(Connection::Live)).then_some(())).await;
        desk
    }

    async fn ask(&self, request: Request) {
        self.client.requests.send(request).await.unwrap();
    }

    /// The next notice that is wanted.
    async fn until<T>(&mut self, wanted: impl Fn(&Notice) -> Option<T>) -> T {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(10), self.client.notices.recv()).await;
            let Ok(Some(notice)) = next else { panic!("it did not come") };
            if let Some(found) = wanted(&notice) {
                return found;
            }
        }
    }

    /// What happens at devices, and what is then under review, word by word until the last of them.
    async fn hears(&mut self, until: &str) -> Vec<String> {
        let mut heard = Vec::new();
        while heard.last().map(String::as_str) != Some(until) {
            let word = self.until(|notice| match notice {
                Notice::Device(event) => Some(format!("{}.{}", event.device(), event.event())),
                Notice::Physical(view) => match view.activity {
                    Activity::Reviewing { .. } => Some("review".to_owned()),
                    _ => None,
                },
                _ => None,
            });
            heard.push(word.await);
        }
        heard
    }
}

/// Waits until this is so.
async fn becomes(what: impl Fn() -> bool) {
    let wait = async {
        while !what() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), wait).await.expect("it did not become so");
}

#[tokio::test]
async fn what_a_reader_tells_comes_before_the_review_and_goes_on_until_the_next_scan() {
    let reader = Reader::default();
    let mut desk = Desk::set(|config| config.reader = (Box::new(reader.clone()), None)).await;
    desk.ask(Request::ArmScan(Aim::Unrelated)).await;
    assert_eq!(desk.hears("review").await, ["reader.inserted", "reader.read", "review"]);
    let first = reader.told(0);
    first.tell(READER, Happened::Removed);
    assert_eq!(desk.hears("reader.removed").await, ["reader.removed"]);
    desk.ask(Request::ArmScan(Aim::Unrelated)).await;
    desk.hears("review").await;
    becomes(|| !first.is_heard()).await;
    assert!(reader.told(1).is_heard());
    // The engine that stops listens to nobody.
    desk.ask(Request::Quit).await;
    desk.until(|notice| matches!(notice, Notice::Stopped).then_some(())).await;
    becomes(|| !reader.told(1).is_heard()).await;
}

#[tokio::test]
async fn the_time_of_what_happened_is_when_it_happened() {
    let reader = Reader::default();
    let mut desk = Desk::set(|config| config.reader = (Box::new(reader.clone()), None)).await;
    desk.ask(Request::ArmScan(Aim::Unrelated)).await;
    let at = |notice: &Notice| match notice {
        Notice::Device(event) => Some(event.at),
        _ => None,
    };
    let (put_on, read) = (desk.until(at).await, desk.until(at).await);
    assert!(put_on <= read && read - put_on < Duration::from_secs(5), "{put_on:?} {read:?}");
}

#[tokio::test]
async fn readers_that_are_plugged_in_are_shown_at_once_and_told() {
    let (plug, readers) = watch::channel(Readers::default());
    let watched = Watched { names: Vec::new(), readers };
    let mut desk = Desk::set(|config| {
        config.reader = (Box::new(Reader::default()), None);
        config.watched = Some(watched);
    })
    .await;
    plug.send_replace(Readers { trouble: Some(ReaderTrouble::NotRunning), readers: Vec::new() });
    let line = |notice: &Notice| match notice {
        Notice::Physical(view) => view.readers[0].trouble.as_ref().map(|trouble| trouble.hint.is_some()),
        _ => None,
    };
    assert!(desk.until(line).await, "what is wrong, and what to do");
    plug.send_replace(Readers { trouble: None, readers: vec![ReaderInfo::named(READER)] });
    let heard = desk.hears("reader.appeared").await;
    assert_eq!(heard, ["reader.recovered", "reader.appeared"]);
    let named = |notice: &Notice| match notice {
        Notice::Physical(view) => Some(view.readers[0].name == READER && view.readers[0].trouble.is_none()),
        _ => None,
    };
    assert!(desk.until(named).await);
    drop(desk);
    becomes(|| plug.receiver_count() == 0).await;
}

#[tokio::test]
async fn devices_are_listed_only_while_a_face_asks() {
    let lists = Arc::new(Mutex::new(Vec::new()));
    let begun = Arc::clone(&lists);
    let lister: DeviceLister = Arc::new(move || {
        let (tell, told) = mpsc::channel(1);
        begun.lock().unwrap().push(tell);
        told
    });
    let mut desk = Desk::set(|config| config.devices = Some(lister)).await;
    assert!(lists.lock().unwrap().is_empty(), "nobody asked");
    desk.ask(Request::ListDevices).await;
    becomes(|| lists.lock().unwrap().len() == 1).await;
    let section =
        DeviceSection { sort: DeviceSort::Camera, looking: true, trouble: None, devices: Vec::new() };
    let first = lists.lock().unwrap()[0].clone();
    first.send(DeviceReport { sections: vec![section] }).await.unwrap();
    let sort = |notice: &Notice| match notice {
        Notice::Devices(report) => Some(report.sections[0].sort),
        _ => None,
    };
    assert_eq!(desk.until(sort).await, DeviceSort::Camera);
    desk.ask(Request::ListDevices).await;
    becomes(|| first.is_closed()).await;
    becomes(|| lists.lock().unwrap().len() == 2).await;
    let second = lists.lock().unwrap()[1].clone();
    assert!(!second.is_closed());
    desk.ask(Request::EndDevices).await;
    becomes(|| second.is_closed()).await;
}

/// A camera that is never there.
struct NoCamera;

impl Camera for NoCamera {
    fn name(&self) -> &str {
        "any camera"
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn open<'a>(&'a mut self, _: &'a Armed) -> BoxFuture<'a, Result<Box<dyn CameraStream>, CameraError>> {
        let name = self.name().to_owned();
        Box::pin(async { Err(CameraError::Trouble { name, trouble: CameraTrouble::NoCamera }) })
    }
}

#[tokio::test]
async fn a_camera_that_gives_no_picture_is_told_as_a_trouble_and_then_as_the_end_of_the_capture() {
    let mut desk = Desk::set(|config| config.camera = Box::new(NoCamera)).await;
    desk.ask(Request::ArmCapture(Aim::Unrelated)).await;
    let told = |notice: &Notice| match notice {
        Notice::Device(event) => Some(DeviceRecord::from(&**event)),
        Notice::Failed(line) => panic!("the capture is over before it is told why: {line:?}"),
        _ => None,
    };
    let told = desk.until(told).await;
    assert_eq!((told.device.as_str(), told.event.as_str()), ("camera", "trouble"));
    assert_eq!(told.text, "no camera is plugged in");
    assert!(told.hint.is_some());
    let failed = |notice: &Notice| match notice {
        Notice::Failed(line) => Some(line.text.clone()),
        _ => None,
    };
    assert_eq!(desk.until(failed).await, "No camera is plugged in.");
}

#[tokio::test]
async fn a_camera_is_told_open_until_it_is_closed() {
    let mut desk = Desk::set(|_| ()).await;
    desk.ask(Request::ArmCapture(Aim::Unrelated)).await;
    assert_eq!(desk.hears("camera.first_frame").await, ["camera.opened", "camera.first_frame"]);
    desk.ask(Request::Shutter).await;
    assert_eq!(desk.hears("review").await, ["camera.shutter", "camera.closed", "review"]);
    // Esc closes it too, within what the user is promised.
    desk.ask(Request::ArmCapture(Aim::Unrelated)).await;
    desk.hears("camera.first_frame").await;
    desk.ask(Request::Disarm).await;
    let closed = |notice: &Notice| match notice {
        Notice::Device(event) => match event.did {
            Did::Camera(CameraDid::Closed { after, .. }) => after,
            _ => None,
        },
        _ => None,
    };
    assert!(desk.until(closed).await < Duration::from_secs(2));
    let open = |notice: &Notice| match notice {
        Notice::Physical(view) => Some(view.camera_open),
        _ => None,
    };
    assert!(!desk.until(open).await);
}
