//! Stopping a thread that waits in PC/SC, and pausing in a way that can be stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::service::Waker;

/// How often a waiter is woken until it has heard: a wake that comes before the wait is forgotten by the service.
const WAKE_EVERY: Duration = Duration::from_millis(10);
/// How long it is tried. A frozen service does not even take the wake.
const WAKE_FOR: Duration = Duration::from_secs(2);

/// Shared between a scan and its thread.
#[derive(Default)]
pub struct Stop {
    stopped: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waker: Option<Box<dyn Waker>>,
    /// When the call under way, which may never return, should have returned.
    call: Option<Instant>,
    done: bool,
}

impl Stop {
    /// The flag that a read looks at between two commands.
    pub fn flag(&self) -> &AtomicBool {
        &self.stopped
    }

    /// Whether it is to stop.
    pub fn is_set(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// What ends its waits from now on.
    pub fn arm(&self, waker: Option<Box<dyn Waker>>) {
        self.lock().waker = waker;
    }

    /// Runs a call that may never return, so that [`Stop::stuck`] can tell. It has `within` to wait for something.
    pub fn call<T>(&self, within: Duration, call: impl FnOnce() -> T) -> T {
        self.lock().call = Some(Instant::now() + within);
        let given = call();
        self.lock().call = None;
        given
    }

    /// Pauses, until it is to stop at the latest.
    pub fn pause(&self, for_: Duration) {
        let state = self.lock();
        let _state = self
            .changed
            .wait_timeout_while(state, for_, |_| !self.is_set())
            .unwrap_or_else(PoisonError::into_inner);
    }

    /// The thread is at its end.
    pub fn done(&self) {
        let mut state = self.lock();
        (state.done, state.waker, state.call) = (true, None, None);
        self.changed.notify_all();
    }

    /// How long the call under way has been over its time.
    pub fn stuck(&self) -> Duration {
        self.lock().call.map_or(Duration::ZERO, |due| Instant::now().saturating_duration_since(due))
    }

    /// Stops the thread. Returns at once; waking it is done aside, since that too may never return.
    pub fn now(self: &Arc<Self>) {
        self.stopped.store(true, Ordering::Relaxed);
        let has_waker = {
            let state = self.lock();
            self.changed.notify_all();
            state.waker.is_some() && !state.done
        };
        if has_waker {
            let stop = Arc::clone(self);
            // Without a thread it ends with its next slice of waiting.
            drop(
                std::thread::Builder::new().name("reader-stop".into()).spawn(move || stop.wake_until_done()),
            );
        }
    }

    fn wake_until_done(&self) {
        let end = Instant::now() + WAKE_FOR;
        while Instant::now() < end {
            // Taken out for the call: the waiter must not wait for us to put itself at its end.
            let Some(waker) = self.lock().waker.take() else { return };
            waker.wake();
            let mut state = self.lock();
            if state.done {
                return;
            }
            state.waker.get_or_insert(waker);
            let waited = self.changed.wait_timeout_while(state, WAKE_EVERY, |state| !state.done);
            if waited.unwrap_or_else(PoisonError::into_inner).0.done {
                return;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
