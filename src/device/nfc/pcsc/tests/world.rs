//! A PC/SC service in memory: readers are plugged in and pulled out, tags put on and taken off, the daemon stopped and
//! started, frozen and thawed, while a scan runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::super::service::{Change, Context, PcscError, Service, Slot, Waker, Watch};
use crate::device::nfc::flow::link::{Card, CardError};
use crate::device::nfc::flow::tests::{MESSAGE, in_block, storage, type2};

/// The world; clones are the same one.
#[derive(Clone, Default)]
pub struct World(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
pub struct State {
    pub readers: BTreeMap<String, Reader>,
    /// What every call of the service answers.
    pub down: Option<PcscError>,
    /// The next greeting is refused.
    pub refuses_once: bool,
    /// A reader that is plugged in right after the next listing.
    pub comes_after_listing: Option<&'static str>,
    /// The reader is pulled out in the middle of this command, counted from the first of all.
    pub pulled_at: Option<usize>,
    /// No call returns.
    pub frozen: bool,
    /// How often a daemon was started: a context of an older one is of no use.
    pub life: u64,
    /// Whether it tells of coming and going readers.
    pub tells_plugging: bool,
    pub established: usize,
    pub listed: usize,
    pub connected: usize,
    pub transmitted: usize,
    revision: u64,
    wakes: u64,
}

#[derive(Clone, Default)]
pub struct Reader {
    pub tag: Option<Tag>,
    pub count: u16,
}

/// What lies on a reader.
#[derive(Clone)]
pub struct Tag {
    pub atr: Vec<u8>,
    /// It is torn away after so many answers, then, the first time.
    pub torn: Option<usize>,
    /// What a connection answers, so many times.
    pub refused: Option<(PcscError, usize)>,
    pub mute: bool,
    /// Its reader gives one byte for an answer, after so many, the first time.
    pub no_status: Option<usize>,
}

/// A good tag.
pub fn ntag() -> Tag {
    Tag { atr: storage(3, 3), torn: None, refused: None, mute: false, no_status: None }
}

impl World {
    pub fn with(readers: &[&str]) -> Self {
        let world = Self::default();
        world.change(|state| {
            state.tells_plugging = true;
            state.readers = readers.iter().map(|name| ((*name).to_owned(), Reader::default())).collect();
        });
        world
    }

    /// Changes the world; whoever waits sees it.
    pub fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.0.0.lock().unwrap();
        change(&mut state);
        state.revision += 1;
        self.0.1.notify_all();
    }

    pub fn put(&self, reader: &str, tag: Tag) {
        self.change(|state| {
            let reader = state.readers.get_mut(reader).unwrap();
            reader.tag = Some(tag);
            reader.count += 1;
        });
    }

    pub fn take(&self, reader: &str) {
        self.change(|state| {
            let reader = state.readers.get_mut(reader).unwrap();
            reader.tag = None;
            reader.count += 1;
        });
    }

    pub fn stop_daemon(&self) {
        self.change(|state| state.down = Some(PcscError::NotRunning));
    }

    pub fn start_daemon(&self) {
        self.change(|state| {
            state.down = None;
            state.life += 1;
        });
    }

    pub fn freeze(&self, frozen: bool) {
        self.change(|state| state.frozen = frozen);
    }

    pub fn seen<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.0.0.lock().unwrap())
    }

    /// Whether somebody else still has a line to it.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// A call to the service: none returns while it is frozen.
    fn call(&self, life: u64) -> Result<MutexGuard<'_, State>, PcscError> {
        let state = self.0.0.lock().unwrap();
        let state = self.0.1.wait_while(state, |state| state.frozen).unwrap();
        match &state.down {
            Some(down) => Err(down.clone()),
            None if state.life != life => Err(PcscError::Lost),
            None => Ok(state),
        }
    }
}

impl Service for World {
    fn establish(&self) -> Result<Box<dyn Context>, PcscError> {
        let life = self.seen(|state| state.life);
        {
            let mut state = self.0.0.lock().unwrap();
            state.established += 1;
            if std::mem::take(&mut state.refuses_once) {
                return Err(PcscError::NotAllowed);
            }
        }
        let life = match self.call(life) {
            Err(PcscError::Lost) => self.seen(|state| state.life),
            Err(other) => return Err(other),
            Ok(state) => state.life,
        };
        Ok(Box::new(Line { world: self.clone(), life }))
    }
}

struct Line {
    world: World,
    life: u64,
}

impl Context for Line {
    fn readers(&self) -> Result<Vec<String>, PcscError> {
        let mut state = self.world.call(self.life)?;
        state.listed += 1;
        let listed = state.readers.keys().cloned().collect();
        if let Some(comes) = state.comes_after_listing.take() {
            state.readers.insert(comes.to_owned(), Reader::default());
        }
        Ok(listed)
    }

    fn watch(&self, readers: &[String], plugging: bool) -> Box<dyn Watch> {
        let known = readers.iter().map(|name| (name.clone(), None)).collect();
        Box::new(Looking {
            world: self.world.clone(),
            life: self.life,
            known,
            plugging,
            plugged: None,
            wakes: 0,
        })
    }

    fn connect(&self, reader: &str) -> Result<Box<dyn Card>, PcscError> {
        let mut state = self.world.call(self.life)?;
        state.connected += 1;
        let Some(on) = state.readers.get_mut(reader) else { return Err(PcscError::NoSuchReader) };
        let Some(tag) = &mut on.tag else { return Err(PcscError::NoTag) };
        if let Some((refused, times)) = &mut tag.refused
            && *times > 0
        {
            *times -= 1;
            return Err(refused.clone());
        }
        let mut chip = type2(&in_block(&MESSAGE));
        if let Some(after) = tag.torn.take() {
            chip = chip.torn(after, true);
        }
        if let Some(after) = tag.no_status.take() {
            chip = chip.without_status(after);
        }
        Ok(Box::new(OnLine {
            world: self.world.clone(),
            life: self.life,
            reader: reader.to_owned(),
            chip: Box::new(chip),
        }))
    }

    fn waker(&self) -> Box<dyn Waker> {
        Box::new(Wake(self.world.clone()))
    }
}

struct Wake(World);

impl Waker for Wake {
    fn wake(&self) {
        self.0.change(|state| state.wakes += 1);
    }
}

struct OnLine {
    world: World,
    life: u64,
    reader: String,
    chip: Box<dyn Card>,
}

impl Card for OnLine {
    fn transmit(&mut self, command: &[u8]) -> Result<Zeroizing<Vec<u8>>, CardError> {
        {
            let trouble = |_| CardError::Trouble(crate::device::nfc::ReaderTrouble::Lost);
            let mut state = self.world.call(self.life).map_err(trouble)?;
            state.transmitted += 1;
            if state.pulled_at == Some(state.transmitted) {
                state.readers.remove(&self.reader);
                self.world.0.1.notify_all();
                let reader = self.reader.clone();
                return Err(CardError::Trouble(crate::device::nfc::ReaderTrouble::Unplugged { reader }));
            }
            if state.readers.get(&self.reader).is_none_or(|reader| reader.tag.is_none()) {
                return Err(CardError::Gone);
            }
        }
        self.chip.transmit(command)
    }

    fn reconnect(&mut self) -> Result<(), CardError> {
        self.chip.reconnect()
    }
}

struct Looking {
    world: World,
    life: u64,
    known: Vec<(String, Option<Slot>)>,
    plugging: bool,
    plugged: Option<Vec<String>>,
    wakes: u64,
}

impl Watch for Looking {
    fn wait(&mut self, within: Duration) -> Result<Vec<Change>, PcscError> {
        let end = Instant::now() + within;
        let mut state = self.world.call(self.life)?;
        self.wakes = state.wakes;
        loop {
            if self.plugging && !state.tells_plugging {
                return Err(PcscError::NoPlugging);
            }
            if state.wakes != self.wakes {
                return Err(PcscError::Cancelled);
            }
            let names: Vec<String> = state.readers.keys().cloned().collect();
            let mut changes: Vec<Change> = Vec::new();
            if self.plugging && self.plugged.replace(names.clone()).is_some_and(|before| before != names) {
                changes.push(Change::Plugged);
            }
            for (name, before) in &mut self.known {
                let Some(reader) = state.readers.get(name) else { return Err(PcscError::NoSuchReader) };
                let slot = Slot {
                    reader: name.clone(),
                    present: reader.tag.is_some(),
                    mute: reader.tag.as_ref().is_some_and(|tag| tag.mute),
                    atr: reader.tag.as_ref().map(|tag| tag.atr.clone()).unwrap_or_default(),
                    count: reader.count,
                };
                if before.as_ref() != Some(&slot) {
                    *before = Some(slot.clone());
                    changes.push(Change::Slot(slot));
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if !changes.is_empty() || left.is_zero() {
                return Ok(changes);
            }
            drop(self.world.0.1.wait_timeout(state, left).unwrap());
            state = self.world.call(self.life)?;
        }
    }
}
