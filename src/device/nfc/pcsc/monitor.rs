//! Which readers there are, once and as they come and go. No tag is looked for, and none is touched.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use tokio::sync::watch;

use super::super::kind::{ReaderInfo, Readers};
use super::super::trouble::ReaderTrouble;
use super::scanning::service_trouble;
use super::service::{Context, PcscError, Service};

/// How long the service has for an answer.
const ANSWERS: Duration = Duration::from_secs(2);

/// How long it waits for what.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// One wait for readers that come or go.
    pub slice: Duration,
    /// Between two listings, where the service does not tell of them; and before one that failed is asked again.
    pub listing: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { slice: Duration::from_secs(2), listing: Duration::from_secs(1) }
    }
}

/// The readers that there are now. A service that does not answer `within` the time is [`ReaderTrouble::Frozen`]; its
/// thread is left to itself.
pub fn readers(service: &Arc<dyn Service>, within: Duration) -> Readers {
    let (tell, told) = mpsc::channel();
    let service = Arc::clone(service);
    let listing = move || {
        let listed = service.establish().and_then(|context| context.readers());
        drop(tell.send(shown(listed, false)));
    };
    if std::thread::Builder::new().name("readers".into()).spawn(listing).is_err() {
        return wrong(ReaderTrouble::Other { what: "starting a thread", code: "the system refuses".into() });
    }
    told.recv_timeout(within).unwrap_or_else(|_| wrong(ReaderTrouble::Frozen { within }))
}

/// The readers as they come and go, until nobody listens. The value is empty until it changes first.
pub fn watch(service: Arc<dyn Service>, pace: Pace) -> watch::Receiver<Readers> {
    let (tell, told) = watch::channel(Readers::default());
    let (beat, beats) = mpsc::sync_channel(1);
    let worker = move || work(&*service, pace, &beat);
    let supervisor = move || {
        let mut is_first = true;
        loop {
            let now = match beats.recv_timeout(if is_first { ANSWERS } else { pace.slice + ANSWERS }) {
                Ok(now) => now,
                Err(RecvTimeoutError::Timeout) => wrong(ReaderTrouble::Frozen { within: ANSWERS }),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if tell.is_closed() {
                return;
            }
            let is_news = std::mem::take(&mut is_first);
            tell.send_if_modified(|known| {
                let changed = is_news || *known != now;
                *known = now;
                changed
            });
        }
    };
    // Without threads nothing is told, and the list stays empty.
    let threads = std::thread::Builder::new()
        .name("readers".into())
        .spawn(worker)
        .and_then(|_| std::thread::Builder::new().name("readers-told".into()).spawn(supervisor));
    drop(threads);
    told
}

/// Lists, waits, lists; each round is one beat. Ends when nobody takes the beat.
fn work(service: &dyn Service, pace: Pace, beat: &mpsc::SyncSender<Readers>) {
    let mut was_up = false;
    loop {
        let failed = match service.establish() {
            Ok(context) => {
                let (lost, nobody) = follow(&*context, pace, beat, &mut was_up);
                if nobody {
                    return;
                }
                lost
            }
            Err(failed) => failed,
        };
        if beat.send(wrong(service_trouble(failed, was_up))).is_err() {
            return;
        }
        std::thread::sleep(pace.listing);
    }
}

/// Follows one context until it fails; also, whether nobody listens any more.
fn follow(
    context: &dyn Context,
    pace: Pace,
    beat: &mpsc::SyncSender<Readers>,
    was_up: &mut bool,
) -> (PcscError, bool) {
    let mut plugging = true;
    let mut plugged = context.watch(&[], true);
    loop {
        let listed = match context.readers() {
            Ok(listed) => listed,
            Err(failed) => return (failed, false),
        };
        *was_up = true;
        if beat.send(shown(Ok(listed), true)).is_err() {
            return (PcscError::Cancelled, true);
        }
        if !plugging {
            std::thread::sleep(pace.listing);
            continue;
        }
        match plugged.wait(pace.slice) {
            Ok(_) => {}
            Err(PcscError::NoPlugging | PcscError::NoSuchReader) => plugging = false,
            Err(failed) => return (failed, false),
        }
    }
}

fn shown(listed: Result<Vec<String>, PcscError>, was_up: bool) -> Readers {
    match listed {
        Ok(names) => {
            Readers { trouble: None, readers: names.iter().map(|name| ReaderInfo::named(name)).collect() }
        }
        Err(failed) => wrong(service_trouble(failed, was_up)),
    }
}

fn wrong(trouble: ReaderTrouble) -> Readers {
    Readers { trouble: Some(trouble), readers: Vec::new() }
}
