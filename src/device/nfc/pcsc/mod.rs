//! Readers through PC/SC: one scan is one thread with a context of its own; the list of readers is another.
//!
//! `system` is the system's service behind the traits of `service`; `scanning` is the thread of a scan, `slots` what lies
//! on its readers, `stop` and `teller` its two lines to the task that waits; `monitor` lists readers.

mod choice;
mod holders;
mod monitor;
mod scanning;
mod service;
mod slots;
mod stop;
mod system;
mod teller;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio::sync::{oneshot, watch};
use tokio::time::MissedTickBehavior;

use super::happening::Told;
use super::kind::Readers;
use super::trouble::ReaderTrouble;
use super::{NfcError, NfcReader, Scanned};
use crate::device::consent::{Armed, DeviceKind, Ended};
use scanning::{Pace, Scanning};
use service::Service;
use stop::Stop;
use system::System;
use teller::Teller;

pub use choice::Choice;

/// How long the service may be over its time before it counts as frozen.
const FROZEN: Duration = Duration::from_secs(2);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How many threads a frozen service may hold; each holds one scan that was given up.
const HELD: usize = 8;
/// How often it is looked whether one of them has ended.
const ENDING: Duration = Duration::from_millis(5);

/// The readers of the system's PC/SC service that are chosen, armed together.
pub struct PcscReaders {
    choice: Choice,
    name: String,
    service: Arc<dyn Service>,
    pace: Pace,
    /// One more for each thread that is alive.
    threads: Arc<()>,
    /// What stops the scan before, which may still wait for its tag to be taken off.
    last: Option<Arc<Stop>>,
    /// The reader on which the scan before read its tag.
    read_last: Arc<Mutex<Option<String>>>,
}

/// The readers that there are now, asked for at most `within`.
pub fn readers(within: Duration) -> Readers {
    let service: Arc<dyn Service> = Arc::new(System);
    monitor::readers(&service, within)
}

/// The readers as they come and go. The value is empty until it changes first; it changes at the latest after two seconds.
/// Ends when the receiver is dropped.
pub fn watch() -> watch::Receiver<Readers> {
    monitor::watch(Arc::new(System), monitor::Pace::default())
}

impl PcscReaders {
    /// The chosen readers. Nothing is opened.
    pub fn new(choice: Choice) -> Self {
        Self::over(Arc::new(System), choice, Pace::default())
    }

    fn over(service: Arc<dyn Service>, choice: Choice, pace: Pace) -> Self {
        Self {
            name: choice.label(),
            choice,
            service,
            pace,
            threads: Arc::new(()),
            last: None,
            read_last: Arc::default(),
        }
    }

    /// Ends the scan before, and waits a moment for it: scans may follow each other faster than threads end.
    async fn end_last(&mut self) {
        if let Some(last) = self.last.take() {
            last.now();
        }
        let until = Instant::now() + FROZEN;
        while Arc::strong_count(&self.threads) > HELD && Instant::now() < until {
            tokio::time::sleep(ENDING).await;
        }
    }

    fn begin(&mut self, told: Told) -> Result<Running, NfcError> {
        if Arc::strong_count(&self.threads) > HELD {
            return Err(NfcError::Trouble(ReaderTrouble::Frozen { within: FROZEN }));
        }
        let (stop, teller) = (Arc::new(Stop::default()), Arc::new(Teller::new(told)));
        self.last = Some(Arc::clone(&stop));
        let (give, given) = oneshot::channel();
        let (service, choice, pace) = (Arc::clone(&self.service), self.choice.clone(), self.pace);
        let running = Running { stop: Arc::clone(&stop), teller: Arc::clone(&teller), given, keep: false };
        let (alive, read_last) = (Arc::clone(&self.threads), Arc::clone(&self.read_last));
        let work = move || {
            let mut scanning = Scanning {
                service: &*service,
                choice: &choice,
                teller: &teller,
                stop: &stop,
                pace,
                plugging: true,
                read_last: &read_last,
            };
            scanning.run(|scanned| drop(give.send(scanned)));
            stop.done();
            drop(alive);
        };
        std::thread::Builder::new().name("reader".into()).spawn(work).map_err(|error| {
            NfcError::Trouble(ReaderTrouble::Other { what: "starting a thread", code: error.to_string() })
        })?;
        Ok(running)
    }
}

/// A scan whose thread runs. Dropping it stops the thread, unless it only waits for the tag to be taken off.
struct Running {
    stop: Arc<Stop>,
    teller: Arc<Teller>,
    given: oneshot::Receiver<Scanned>,
    keep: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.keep {
            self.stop.now();
        }
    }
}

impl Running {
    async fn wait(&mut self, armed: &Armed) -> Result<Scanned, NfcError> {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                biased;
                ended = armed.ended() => return Err(match ended {
                    Ended::Disarmed => NfcError::Disarmed,
                    Ended::Deadline => self.teller.why_nothing(),
                }),
                given = &mut self.given => {
                    self.keep = true;
                    let ended = |_| ReaderTrouble::Other { what: "reading the tag", code: "our thread ended".into() };
                    return given.map_err(|error| NfcError::Trouble(ended(error)));
                }
                _ = look.tick() => if self.stop.stuck() > FROZEN {
                    self.teller.trouble("", ReaderTrouble::Frozen { within: FROZEN });
                },
            }
        }
    }
}

impl NfcReader for PcscReaders {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn scan<'a>(&'a mut self, armed: &'a Armed, told: Told) -> BoxFuture<'a, Result<Scanned, NfcError>> {
        Box::pin(async move {
            if !armed.permits(DeviceKind::Reader) {
                return Err(NfcError::NotArmed);
            }
            tokio::select! {
                biased;
                ended = armed.ended() => return Err(match ended {
                    Ended::Disarmed => NfcError::Disarmed,
                    Ended::Deadline => NfcError::Trouble(ReaderTrouble::Frozen { within: FROZEN }),
                }),
                () = self.end_last() => {}
            }
            self.begin(told)?.wait(armed).await
        })
    }
}

#[cfg(test)]
mod tests;
