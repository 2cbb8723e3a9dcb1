//! Stopping as Ctrl-Z does, for a program in raw mode, where Ctrl-Z is a key.

use std::io;

use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use signal_hook::iterator::Signals;

/// Whether a shell with job control stands above. Its jobs are process groups of their own; the group of the
/// session's first process has nobody who would continue it (POSIX calls it orphaned, and SIGTSTP has no effect on it).
pub(super) fn can_be_continued() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Ready to stop, and to notice the continuation.
pub(super) struct Stop {
    continued: Signals,
}

impl Stop {
    /// Begins to listen for SIGCONT.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn prepare() -> io::Result<Self> {
        Ok(Self { continued: Signals::new([Signal::CONT.as_raw()])? })
    }

    /// Stops everything in this process group (such as the `make` above it) and returns when it goes on.
    ///
    /// SIGSTOP, because SIGTSTP is ours to handle ([`crate::tui::signals`]) and stops nothing any more.
    ///
    /// # Errors
    /// When the system refuses to stop it.
    pub(super) fn until_continued(mut self) -> io::Result<()> {
        kill_current_process_group(Signal::STOP)?;
        // The stop may arrive a moment after the call has returned.
        self.continued.wait();
        Ok(())
    }
}
