//! The simulated reader: somebody places a file or an id on it, and the next scan reads that.
//!
//! Order: the client keeps the [`Placer`] and gives the [`SimulatedReader`] to whoever scans. A tag lies on the reader
//! until one scan takes it or another tag is placed. Files are read at the scan, at most 64 KiB of a plain file.

mod spec;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::{Happened, NfcError, NfcReader, Scanned, Told};
use crate::device::consent::{Armed, DeviceKind, Ended};

pub use spec::{TAG_FILE_BYTES, TagSpec, TagSpecError};

/// The name the simulated reader is chosen by.
pub const NAME: &str = "simulated";

/// A reader whose tags are placed by a [`Placer`].
#[derive(Debug)]
pub struct SimulatedReader {
    table: Arc<watch::Sender<Option<TagSpec>>>,
}

/// Places tags on a [`SimulatedReader`].
#[derive(Clone, Debug)]
pub struct Placer {
    table: Arc<watch::Sender<Option<TagSpec>>>,
}

impl SimulatedReader {
    /// A reader with nothing on it.
    pub fn new() -> Self {
        let (table, _) = watch::channel(None);
        Self { table: Arc::new(table) }
    }

    /// A handle that places tags on this reader, also during a scan.
    pub fn placer(&self) -> Placer {
        Placer { table: Arc::clone(&self.table) }
    }

    /// Waits for a tag and takes it off, so that one placement is one scan.
    async fn take(&self) -> TagSpec {
        let mut seen = self.table.subscribe();
        loop {
            let mut taken = None;
            self.table.send_if_modified(|slot| {
                taken = slot.take();
                taken.is_some()
            });
            if let Some(tag) = taken {
                return tag;
            }
            // The sender is ours, so this cannot fail; if it did, the loop would only look again.
            let _ = seen.wait_for(Option::is_some).await;
        }
    }
}

impl Default for SimulatedReader {
    fn default() -> Self {
        Self::new()
    }
}

impl Placer {
    /// Places a tag; it replaces one that still lies there.
    pub fn place(&self, tag: TagSpec) {
        self.table.send_replace(Some(tag));
    }

    /// Takes the tag away, as when the scan it was meant for is dropped.
    pub fn clear(&self) {
        self.table.send_replace(None);
    }
}

impl NfcReader for SimulatedReader {
    fn name(&self) -> &str {
        NAME
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn label(&self) -> String {
        "SIMULATED tags".to_owned()
    }

    fn scan<'a>(&'a mut self, armed: &'a Armed, told: Told) -> BoxFuture<'a, Result<Scanned, NfcError>> {
        Box::pin(async move {
            if !armed.permits(DeviceKind::Reader) {
                return Err(NfcError::NotArmed);
            }
            let label = self.label();
            let read = async {
                let placed = self.take().await;
                told.tell(&label, Happened::Inserted { lay_there: false });
                placed.read().await.map(|tag| Scanned { tag, reader: label.clone() })
            };
            tokio::select! {
                biased;
                ended = armed.ended() => Err(match ended {
                    Ended::Deadline => NfcError::TimedOut,
                    Ended::Disarmed => NfcError::Disarmed,
                }),
                tag = read => tag,
            }
        })
    }
}
