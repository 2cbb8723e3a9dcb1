//! The signals that end a subcommand in order. The terminal screen has its own handling.

use super::exit::{Failure, Kind, Signal};

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

#[cfg(unix)]
fn refused(error: &std::io::Error) -> Failure {
    Failure::new(Kind::Internal, format!("listening for signals failed: {error}"))
}

/// What is said when a signal has ended a subcommand.
pub fn interrupted(signal: Signal) -> Failure {
    Failure::new(Kind::Interrupted(signal), format!("ended by {}", signal.name()))
}
