//! The way out to the terminal, shared by whoever draws and whoever gives the terminal back.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
};

use super::raw_mode_anew;

/// How long giving back waits for a frame that is going out, and for a terminal that takes no output.
const PATIENCE: Duration = Duration::from_millis(300);

/// Whether the terminal is ours; locked while anything is written to it.
#[derive(Debug, Default)]
pub(super) struct Shared {
    ours: Mutex<bool>,
}

impl Shared {
    /// Takes the terminal, also when it is ours already.
    ///
    /// # Errors
    /// When it refuses; it is then given back.
    pub(super) fn take(&self) -> io::Result<()> {
        let mut ours = self.lock();
        *ours = true;
        let taken = raw_mode_anew().and_then(|()| write_all(&taking()?));
        if taken.is_err() {
            restore();
            *ours = false;
        }
        taken
    }

    /// Gives the terminal back if it is ours. Never panics, and waits at most twice [`PATIENCE`].
    pub(super) fn give_back(&self) {
        match self.lock_soon() {
            Some(mut ours) => {
                if std::mem::take(&mut *ours) {
                    restore();
                }
            }
            // Somebody is stuck while drawing, or panicked while drawing: on this very thread, perhaps.
            None => restore(),
        }
    }

    /// A panic while drawing poisons nothing that matters: it is one flag.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.ours.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn lock_soon(&self) -> Option<MutexGuard<'_, bool>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.ours.try_lock() {
                Ok(ours) => return Some(ours),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

/// Collects a frame and writes it at its flush.
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
        let ours = self.shared.lock();
        let written = if *ours { write_all(&self.frame) } else { Ok(()) };
        self.frame.clear();
        written
            .map_err(|error| io::Error::new(error.kind(), format!("writing to the terminal failed: {error}")))
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

/// The screen first and raw mode last: what the terminal still reports meanwhile must not be echoed.
fn restore() {
    if let Ok(bytes) = giving_back()
        && takes_output()
    {
        let _ = write_all(&bytes);
    }
    let _ = disable_raw_mode();
}

/// Whether the terminal takes output, now or within [`PATIENCE`]: writing to one that does not would never end.
#[cfg(unix)]
fn takes_output() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let terminal = rustix::stdio::stdout();
    let mut descriptor = [PollFd::new(&terminal, PollFlags::OUT)];
    let patience = Timespec::try_from(PATIENCE).ok();
    poll(&mut descriptor, patience.as_ref()).is_ok() && descriptor[0].revents().contains(PollFlags::OUT)
}

#[cfg(not(unix))]
fn takes_output() -> bool {
    true
}

/// Past the lock and the buffer of [`io::stdout`], which a thread that is stuck might hold.
#[cfg(unix)]
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
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
