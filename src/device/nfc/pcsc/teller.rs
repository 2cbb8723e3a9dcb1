//! What a scan tells while it goes on: the same trouble once, and its end.

use std::sync::{Mutex, PoisonError};

use super::super::NfcError;
use super::super::happening::{Happened, Told};
use super::super::trouble::ReaderTrouble;

/// Tells what happens, from the thread of a scan and from the task that waits for it.
pub struct Teller {
    told: Told,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The reader that has it, and what it has.
    trouble: Option<(String, ReaderTrouble)>,
    /// How many tags went away in the middle of a read.
    torn: usize,
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

    /// Something is wrong. The same thing again is not told again (A16).
    pub fn trouble(&self, reader: &str, trouble: ReaderTrouble) {
        let now = (reader.to_owned(), trouble);
        let mut state = self.state();
        if state.trouble.as_ref() != Some(&now) {
            let trouble = now.1.clone();
            state.trouble = Some(now);
            drop(state);
            self.told.tell(reader, Happened::Trouble(trouble));
        }
    }

    /// What was wrong is so no more.
    pub fn recovered(&self) {
        let over = self.state().trouble.take();
        if let Some((reader, _)) = over {
            self.told.tell(&reader, Happened::Recovered);
        }
    }

    /// Why nothing was read until the time was up.
    pub fn why_nothing(&self) -> NfcError {
        let state = self.state();
        match (&state.trouble, state.torn) {
            (Some((_, trouble)), _) => NfcError::Trouble(trouble.clone()),
            (None, 0) => NfcError::TimedOut,
            (None, times) => NfcError::TornAway { times },
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
