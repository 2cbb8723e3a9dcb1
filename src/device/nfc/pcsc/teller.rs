//! What a scan tells while it goes on: the same trouble once, and its end.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::super::NfcError;
use super::super::happening::{Happened, Over, Told};
use super::super::trouble::ReaderTrouble;

/// Tells what happens, from the thread of a scan and from the task that waits for it.
pub struct Teller {
    told: Told,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What is wrong with which reader since it last worked, the latest at the end; with the service, or with all readers,
    /// under no name.
    troubles: BTreeMap<String, Vec<ReaderTrouble>>,
    /// How many tags went away in the middle of a read.
    torn: usize,
}

impl State {
    fn is_unplugged(&self, reader: &str) -> bool {
        let latest = self.troubles.get(reader).and_then(|since| since.last());
        matches!(latest, Some(ReaderTrouble::Unplugged { .. }))
    }
}

impl Teller {
    /// Nothing is wrong yet.
    pub fn new(told: Told) -> Self {
        Self { told, state: Mutex::default() }
    }

    /// Whether somebody still listens.
    pub fn is_heard(&self) -> bool {
        self.told.is_heard()
    }

    /// Tells that something happened now.
    pub fn tell(&self, reader: &str, what: Happened) {
        if matches!(what, Happened::TornAway { .. }) {
            self.state().torn += 1;
        }
        self.told.tell(reader, what);
    }

    /// Something is wrong. The same thing again is not told again (A16), also where two things come by turns.
    pub fn trouble(&self, reader: &str, trouble: ReaderTrouble) {
        let mut state = self.state();
        let since = state.troubles.entry(reader.to_owned()).or_default();
        let before = since.iter().position(|old| *old == trouble).map(|at| since.remove(at));
        since.push(trouble.clone());
        drop(state);
        if before.is_none() {
            self.told.tell(reader, Happened::Trouble(trouble));
        }
    }

    /// What was wrong with this reader is so no more.
    pub fn recovered(&self, reader: &str) {
        let over = self.state().troubles.remove(reader);
        if let Some(last) = over.as_ref().and_then(|troubles| troubles.last()) {
            self.told.tell(reader, Happened::Recovered(Over::of(last)));
        }
    }

    /// These readers are there, and so is the service.
    pub fn there(&self, readers: &[String]) {
        self.recovered("");
        for reader in readers {
            let was_unplugged = self.state().is_unplugged(reader);
            if was_unplugged {
                self.recovered(reader);
            }
        }
    }

    /// The tag was taken off this reader. What was wrong with it is no reason any more.
    pub fn taken_off(&self, reader: &str) {
        let mut state = self.state();
        if !state.is_unplugged(reader) {
            state.troubles.remove(reader);
        }
        drop(state);
        self.tell(reader, Happened::Removed);
    }

    /// Why nothing was read until the time was up.
    pub fn why_nothing(&self) -> NfcError {
        let state = self.state();
        // The service comes first: its name is empty.
        match (state.troubles.values().find_map(|since| since.last()), state.torn) {
            (Some(trouble), _) => NfcError::Trouble(trouble.clone()),
            (None, 0) => NfcError::TimedOut,
            (None, times) => NfcError::TornAway { times },
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
