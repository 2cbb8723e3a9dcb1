//! What the system tells the screen: end, terminal gone, stop, continue.
//!
//! The run loop calls [`signals`] once, inside the runtime. From then on none of these signals acts by itself, so
//! that the session is ended in order and the terminal is given back first. In raw mode Ctrl-C and Ctrl-Z are keys;
//! they come as signals only from outside (`kill`, a terminal multiplexer, a shell that ends).

use std::io;

use tokio::sync::mpsc;

/// How many signals may wait; equal ones that come faster than they are taken are one.
const WAITING: usize = 8;

/// One signal, by what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: end the session, give the terminal back, leave.
    Terminate,
    /// SIGQUIT: the same, and no core is dumped: it would hold what the session knew.
    Quit,
    /// SIGINT from outside: the same.
    Interrupt,
    /// SIGHUP: the terminal is gone; the same, but there is nobody to say anything to.
    HangUp,
    /// SIGCONT: somebody may have used the terminal meanwhile; take it anew ([`super::guard::Guard::resume`]) and
    /// draw everything. It comes after every [`super::guard::Guard::suspend`] too.
    Continue,
    /// SIGTSTP from outside: [`super::guard::Guard::suspend`], as for Ctrl-Z.
    Stop,
}

/// Begins to listen; the listening ends when the receiver is dropped.
///
/// # Errors
/// When the system refuses a handler.
///
/// # Panics
/// Outside a tokio runtime.
pub fn signals() -> io::Result<mpsc::Receiver<Signal>> {
    let mut heard = Heard::listen().map_err(|error| {
        io::Error::new(error.kind(), format!("listening for the system's signals failed: {error}"))
    })?;
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        loop {
            let signal = tokio::select! {
                signal = heard.next() => signal,
                () = sender.closed() => return,
            };
            if sender.send(signal).await.is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

#[cfg(unix)]
struct Heard {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    quit: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    proceed: tokio::signal::unix::Signal,
    stop: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Heard {
    fn listen() -> io::Result<Self> {
        use rustix::process::Signal as Number;
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            proceed: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
            stop: signal(SignalKind::from_raw(Number::TSTP.as_raw()))?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            Some(()) = self.hang_up.recv() => Signal::HangUp,
            Some(()) = self.terminate.recv() => Signal::Terminate,
            Some(()) = self.interrupt.recv() => Signal::Interrupt,
            Some(()) = self.quit.recv() => Signal::Quit,
            Some(()) = self.proceed.recv() => Signal::Continue,
            Some(()) = self.stop.recv() => Signal::Stop,
            else => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
struct Heard;

#[cfg(not(unix))]
impl Heard {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}
