//! The way out to the terminal, shared by whoever draws and whoever gives the terminal back.
//!
//! One thread writes, because writing to a terminal that takes no output (a stalled ssh, Ctrl-S) does not return and
//! nothing else may depend on it. It has room for one frame: [`Outlet::is_free`] says when the next may be drawn, so
//! that a slow terminal gets the newest state and never a queue of old ones. The terminal's descriptor stays blocking:
//! it is shared with the shell.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
};
use tokio::sync::Notify;

use super::raw_mode_anew;

/// How long giving back waits for a frame that is going out, and for a terminal that takes no output.
const PATIENCE: Duration = Duration::from_millis(300);

/// The most bytes that wait for the writing thread when something is added between two frames: several of the longest
/// texts for the clipboard behind a frame. A terminal that leaves so much waiting does not keep up.
const MOST_WAITING: usize = 1 << 20;

/// Whose the terminal is, and what is on its way to it.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// Something waits to be written, or was written, or the guard is gone.
    changed: Condvar,
    /// Everything was written.
    freed: Notify,
}

#[derive(Debug, Default)]
struct State {
    whose: Whose,
    /// What the writing thread takes next, as one piece.
    waiting: Vec<u8>,
    /// Whether that thread is writing.
    writing: bool,
    /// What the last writing failed with, until a drawing is told.
    failed: Option<io::Error>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Whose {
    /// Somebody else's.
    #[default]
    Theirs,
    /// Ours.
    Ours,
    /// On its way back.
    Returning,
    /// Given back for good: the writing thread ends.
    Over,
}

impl State {
    fn is_free(&self) -> bool {
        self.waiting.is_empty() && !self.writing
    }
}

impl Shared {
    /// Takes the terminal, also when it is ours already.
    ///
    /// # Errors
    /// When it refuses; it is then given back.
    pub(super) fn take(&self) -> io::Result<()> {
        let taken = raw_mode_anew().and_then(|()| taking());
        match taken {
            Ok(bytes) => {
                let mut state = self.lock();
                state.whose = Whose::Ours;
                state.waiting.extend_from_slice(&bytes);
                self.changed.notify_all();
                Ok(())
            }
            Err(error) => {
                let _ = disable_raw_mode();
                Err(error)
            }
        }
    }

    /// Gives the terminal back if it is ours. Never panics, and waits at most [`PATIENCE`], twice if the writing
    /// thread is no more; who comes second waits with the first.
    ///
    /// The screen first and raw mode last: what the terminal still reports meanwhile must not be echoed.
    pub(super) fn give_back(&self) {
        let mut state = self.lock();
        match state.whose {
            Whose::Theirs | Whose::Over => return,
            Whose::Returning => {
                drop(self.wait(state, |state| state.whose == Whose::Returning));
                return;
            }
            Whose::Ours => state.whose = Whose::Returning,
        }
        // A frame that waits is not worth its time any more.
        state.waiting = giving_back().unwrap_or_default();
        self.changed.notify_all();
        state = self.wait(state, |state| !state.is_free());
        let left = std::mem::take(&mut state.waiting);
        let writer_is_gone = !left.is_empty() && !state.writing;
        drop(state);
        if writer_is_gone && takes_output() {
            let _ = write_all(&left);
        }
        let _ = disable_raw_mode();
        self.lock().whose = Whose::Theirs;
        self.changed.notify_all();
    }

    /// Gives the terminal back for good.
    pub(super) fn end(&self) {
        self.give_back();
        self.lock().whose = Whose::Over;
        self.changed.notify_all();
    }

    /// What the writing thread does until [`Shared::end`].
    pub(super) fn write_on(&self) {
        loop {
            let mut state = self.lock();
            while state.waiting.is_empty() {
                if state.whose == Whose::Over {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let bytes = std::mem::take(&mut state.waiting);
            state.writing = true;
            drop(state);
            let written = write_all(&bytes);
            let mut state = self.lock();
            state.writing = false;
            state.failed = written.err();
            drop(state);
            self.changed.notify_all();
            self.freed.notify_one();
        }
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        so: impl Fn(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        self.changed.wait_timeout_while(state, PATIENCE, so).unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects a frame and hands it over at its flush. A frame that comes when the terminal has been given back goes
/// nowhere; what an earlier one failed with is told by the next flush.
#[derive(Debug)]
pub struct Output {
    shared: Arc<Shared>,
    frame: Vec<u8>,
}

impl Output {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared, frame: Vec::new() }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.shared.lock();
        if state.whose != Whose::Ours {
            self.frame.clear();
            return Ok(());
        }
        if let Some(error) = state.failed.take() {
            self.frame.clear();
            return Err(io::Error::new(error.kind(), format!("writing to the terminal failed: {error}")));
        }
        state.waiting.append(&mut self.frame);
        self.shared.changed.notify_all();
        Ok(())
    }
}

/// Whether the terminal keeps up, and what goes to it between two frames.
#[derive(Clone, Debug)]
pub struct Outlet {
    shared: Arc<Shared>,
}

impl Outlet {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Whether everything handed over has gone out. Only then is a frame to be drawn.
    pub fn is_free(&self) -> bool {
        self.shared.lock().is_free()
    }

    /// Returns when something has gone out since the last call; [`Outlet::is_free`] is then to be asked again.
    pub async fn freed(&self) {
        self.shared.freed.notified().await;
    }

    /// Hands over a sequence that is no part of a frame. It goes out behind whatever waits.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when more than a megabyte would wait for a terminal that does not keep up;
    /// nothing of this sequence is kept.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.shared.lock();
        if state.waiting.len() + bytes.len() > MOST_WAITING {
            let message = "the terminal takes no output at the moment; nothing was copied";
            return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
        }
        if state.whose == Whose::Ours {
            state.waiting.extend_from_slice(bytes);
            self.shared.changed.notify_all();
        }
        Ok(())
    }
}

/// What makes the screen ours.
pub(super) fn taking() -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, Hide)?;
    Ok(out)
}

/// What undoes [`taking`], from whatever was being drawn.
pub(super) fn giving_back() -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    queue!(
        out,
        EndSynchronizedUpdate,
        SetAttribute(Attribute::Reset),
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    )?;
    Ok(out)
}

/// Whether the terminal takes output, now or within [`PATIENCE`]: writing to one that does not would never end.
#[cfg(unix)]
pub(super) fn takes_output() -> bool {
    wait_for_room(Some(PATIENCE))
}

#[cfg(unix)]
fn wait_for_room(patience: Option<Duration>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let terminal = rustix::stdio::stdout();
    let mut descriptor = [PollFd::new(&terminal, PollFlags::OUT)];
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    poll(&mut descriptor, patience.as_ref()).is_ok() && descriptor[0].revents().contains(PollFlags::OUT)
}

#[cfg(not(unix))]
pub(super) fn takes_output() -> bool {
    true
}

/// Past the lock and the buffer of [`io::stdout`], which somebody else might hold.
#[cfg(unix)]
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            // Somebody who shares the terminal has made it nonblocking.
            Err(rustix::io::Errno::AGAIN) => {
                let _ = wait_for_room(None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn write_all(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal that is ours, and that nobody writes to yet.
    fn stalled() -> Outlet {
        let shared = Arc::new(Shared::default());
        shared.lock().whose = Whose::Ours;
        Outlet::new(shared)
    }

    #[test]
    fn what_goes_between_frames_waits_behind_them_whole_and_in_order() {
        let outlet = stalled();
        let mut output = Output::new(Arc::clone(&outlet.shared));
        output.write_all(b"frame").unwrap();
        output.flush().unwrap();
        outlet.send(b"first").unwrap();
        outlet.send(b"second").unwrap();
        assert_eq!(outlet.shared.lock().waiting, b"framefirstsecond");
    }

    #[test]
    fn a_terminal_that_does_not_keep_up_is_said_and_nothing_of_the_refused_is_kept() {
        let outlet = stalled();
        let long = vec![b'x'; MOST_WAITING - 4];
        outlet.send(&long).unwrap();
        assert_eq!(outlet.send(b"12345").unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert_eq!(outlet.shared.lock().waiting.len(), MOST_WAITING - 4);
        outlet.send(b"1234").unwrap();
    }
}
