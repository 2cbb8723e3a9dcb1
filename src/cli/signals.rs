//! The signals that end a subcommand in order. The terminal screen has its own handling.

use super::exit::{Failure, Kind, Signal};

/// How long an end in order may take: the session's two seconds, and as long again.
#[cfg(unix)]
const ENDS_WITHIN: std::time::Duration = std::time::Duration::from_secs(4);

/// SIGHUP, SIGINT and SIGTERM, from [`Signals::listen`] on.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    hangup: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// From now on these signals end nothing by themselves.
    ///
    /// # Errors
    /// [`Kind::Internal`] when the system refuses.
    pub fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        last_resort().map_err(|e| refused(&e))?;
        let listen = |kind| signal(kind).map_err(|e| refused(&e));
        Ok(Self {
            hangup: listen(SignalKind::hangup())?,
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            Some(()) = self.hangup.recv() => Signal::Hangup,
            Some(()) = self.interrupt.recv() => Signal::Interrupt,
            Some(()) = self.terminate.recv() => Signal::Terminate,
            else => std::future::pending().await,
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// There is nothing to prepare.
    ///
    /// # Errors
    /// None on this system.
    pub fn listen() -> Result<Self, Failure> {
        Ok(Self)
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Ends the program when a signal has come and the end in order does not: what writes to a pipe that nobody reads never
/// comes back, and nothing else in that thread gets its turn.
#[cfg(unix)]
fn last_resort() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("last-resort".to_owned()).spawn(move || {
        let Some(first) = signals.forever().next() else { return };
        std::thread::sleep(ENDS_WITHIN);
        std::process::exit(128 + first);
    })?;
    Ok(())
}

#[cfg(unix)]
fn refused(error: &std::io::Error) -> Failure {
    Failure::new(Kind::Internal, format!("listening for signals failed: {error}"))
}

/// What is said when a signal has ended a subcommand.
pub fn interrupted(signal: Signal) -> Failure {
    Failure::new(Kind::Interrupted(signal), format!("ended by {}", signal.name()))
}
