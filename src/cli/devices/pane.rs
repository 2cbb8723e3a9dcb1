//! The list of devices for the screen: what is known at once, the rest as it comes, readers as they change.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::inventory::{self, Heard, Inventory, SORTS};
use super::surroundings::Surroundings;
use crate::client::DeviceLister;
use crate::client::devices::{DeviceReport, DeviceSort};
use crate::device::audio::AudioDevices;
use crate::device::camera::Listing;
use crate::device::nfc::{self, Readers};

/// Reports that may wait for the screen.
const WAITING: usize = 4;

/// What is heard of one sort.
enum Part {
    Readers(Readers),
    Cameras(Listing),
    Audio(AudioDevices),
}

/// Lists this machine's devices for a face.
pub fn lister() -> DeviceLister {
    Arc::new(|| {
        let (tell, told) = mpsc::channel(WAITING);
        tokio::spawn(list(tell));
        told
    })
}

/// Tells what is known whenever more is, until nobody listens.
async fn list(tell: mpsc::Sender<DeviceReport>) {
    let (part, mut parts) = mpsc::channel(SORTS.len());
    let (cameras, audio) = (part.clone(), part.clone());
    tokio::spawn(async move { cameras.send(Part::Cameras(inventory::cameras().await)).await });
    tokio::spawn(async move { audio.send(Part::Audio(inventory::sound().await)).await });
    tokio::spawn(readers(part));
    let mut heard = Heard::default();
    loop {
        let report = Inventory::of(&heard, &Surroundings::here()).report(&looking(&heard));
        if tell.send(report).await.is_err() {
            return;
        }
        let part = tokio::select! {
            part = parts.recv() => part,
            () = tell.closed() => return,
        };
        match part {
            Some(Part::Readers(readers)) => heard.readers = Some(readers),
            Some(Part::Cameras(cameras)) => heard.cameras = Some(cameras),
            Some(Part::Audio(audio)) => heard.audio = Some(audio),
            None => return,
        }
    }
}

/// Tells the readers, and again whenever they change.
async fn readers(tell: mpsc::Sender<Part>) {
    let mut watched = nfc::watch();
    if tell.send(Part::Readers(inventory::readers().await)).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            changed = watched.changed() => if changed.is_err() { return },
            () = tell.closed() => return,
        }
        let now = watched.borrow_and_update().clone();
        if tell.send(Part::Readers(now)).await.is_err() {
            return;
        }
    }
}

/// The sorts of which nothing was heard yet.
fn looking(heard: &Heard) -> Vec<DeviceSort> {
    let is_known = |sort: &DeviceSort| match sort {
        DeviceSort::Reader => heard.readers.is_some(),
        DeviceSort::Camera => heard.cameras.is_some(),
        DeviceSort::Microphone | DeviceSort::Speaker => heard.audio.is_some(),
    };
    SORTS.into_iter().filter(|sort| !is_known(sort)).collect()
}
