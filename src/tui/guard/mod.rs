//! Takes the terminal and gives it back as it was: at the end, after an error, in a panic, on a signal, for Ctrl-Z.
//!
//! The run loop calls [`Guard::enter`] once a process, draws through [`Guard::output`] whenever
//! [`Outlet::is_free`], and drops the guard on its way
//! out. Giving back is idempotent, and never waits for long: a terminal that is gone, or takes no output, only
//! misses its part. The panic hook of the command line must be installed before, so that its line comes after.

#[cfg(unix)]
mod job;
mod output;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal};
use std::sync::Arc;

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use self::output::Shared;
pub use self::output::{Outlet, Output};

/// Holds the terminal; dropping it gives the terminal back.
///
/// While it is held: raw mode, alternate screen, bracketed paste and focus reports on, cursor hidden. The mouse stays
/// the terminal's, so that text can be selected.
#[derive(Debug)]
pub struct Guard {
    shared: Arc<Shared>,
}

impl Guard {
    /// Takes the terminal, and has every later panic give it back before the hook that stands now says its line.
    ///
    /// # Errors
    /// When standard input or output is no terminal, or the terminal refuses; it is then as it was.
    pub fn enter() -> io::Result<Self> {
        for (is_terminal, name) in
            [(io::stdin().is_terminal(), "standard input"), (io::stdout().is_terminal(), "standard output")]
        {
            if !is_terminal {
                let message = format!("the screen needs a terminal, and {name} is none");
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
        }
        let guard = Self { shared: Arc::default() };
        let shared = Arc::clone(&guard.shared);
        std::thread::Builder::new().name("terminal-output".to_owned()).spawn(move || shared.write_on())?;
        guard.shared.take().map_err(|error| refused(&error))?;
        let shared = Arc::clone(&guard.shared);
        let next = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            shared.give_back();
            next(info);
        }));
        Ok(guard)
    }

    /// Whether the terminal still is there. One that is closed or hung up stays gone.
    pub fn terminal_is_there() -> bool {
        io::stdout().is_terminal()
    }

    /// Whether the terminal takes output, now or very soon. Writing a line to one that does not would never end.
    pub fn terminal_takes_output() -> bool {
        output::takes_output()
    }

    /// What to draw through. A frame goes out whole at its flush; one that comes when the terminal has been given
    /// back (by a panic in another thread) goes nowhere.
    pub fn output(&self) -> Output {
        Output::new(Arc::clone(&self.shared))
    }

    /// Tells whether the terminal keeps up with what is drawn.
    pub fn outlet(&self) -> Outlet {
        Outlet::new(Arc::clone(&self.shared))
    }

    /// Gives the terminal back, stops the whole process group as Ctrl-Z does, and takes the terminal again when
    /// somebody continues it. The caller then draws everything anew. Where no shell could continue it (no job
    /// control, or Windows) nothing happens.
    ///
    /// # Errors
    /// When the system refuses to stop, or the terminal cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        if job::can_be_continued() {
            let stop = job::Stop::prepare().map_err(|error| refused(&error))?;
            self.shared.give_back();
            let stopped = stop.until_continued();
            self.resume()?;
            stopped.map_err(|error| refused(&error))?;
        }
        Ok(())
    }

    /// Takes the terminal anew, whatever somebody else has made of it while this process was stopped.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn resume(&mut self) -> io::Result<()> {
        self.shared.take().map_err(|error| refused(&error))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.shared.end();
    }
}

fn refused(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("taking the terminal failed: {error}"))
}

/// Raw mode, also when it seems to be on already: a shell may have changed it behind the library's back.
fn raw_mode_anew() -> io::Result<()> {
    disable_raw_mode()?;
    enable_raw_mode()
}
