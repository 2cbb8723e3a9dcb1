//! What the user does at the terminal, read on threads of its own.
//!
//! The run loop calls [`spawn`] once, after [`super::guard::Guard::enter`], and takes [`Input`]s until `Gone`. Two
//! threads stand behind it. One reads bytes (`tty`) and makes events of them ([`bytes`]). One watches: it knows when
//! the terminal is gone or has another size, also while the first waits for the run loop. Neither is waited for at
//! the end of the program. While the process is stopped (Ctrl-Z) the threads are too, so there is never a second
//! reader beside the shell. Elsewhere than on Unix the terminal library reads, and [`replies`] drops what is no typing.
//!
//! Enter is the byte 0x0D; 0x0A arrives as `Ctrl+J`.

#[cfg(unix)]
pub mod bytes;
pub mod keys;
pub mod replies;
#[cfg(unix)]
mod tty;
#[cfg(unix)]
mod watch;

#[cfg(test)]
mod tests;

use crossterm::event::Event;
use tokio::sync::mpsc;

use crate::command::Key;

/// How many inputs may wait. A reader that is ahead waits; nothing is lost.
const WAITING: usize = 256;

/// One thing that happened at the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed, or repeats while held.
    Key(Key),
    /// Text was pasted as one piece, cut at [`bytes::LONGEST_PASTE`]. It is as it came, with any characters.
    Paste(String),
    /// The terminal now has this many columns and rows; either may be 0.
    Resized(u16, u16),
    /// The terminal got (`true`) or lost the user's attention.
    Focus(bool),
    /// The terminal is gone: nothing more comes, and nothing that is written arrives.
    Gone,
}

/// Starts to read. The current size comes first; the threads end when the receiver is dropped.
pub fn spawn() -> mpsc::Receiver<Input> {
    let (sender, receiver) = mpsc::channel(WAITING);
    #[cfg(unix)]
    start("terminal-watch", &sender, watch::watch);
    #[cfg(unix)]
    start("terminal-input", &sender, tty::read_all);
    #[cfg(not(unix))]
    start("terminal-input", &sender, read_all);
    receiver
}

/// A thread that cannot be started leaves the user without input, which is as good as no terminal.
fn start(name: &str, sender: &mpsc::Sender<Input>, work: fn(&mpsc::Sender<Input>)) {
    let own = sender.clone();
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&own));
    if started.is_err() {
        let _ = sender.try_send(Input::Gone);
    }
}

#[cfg(not(unix))]
fn read_all(sender: &mpsc::Sender<Input>) {
    let start = std::time::Instant::now();
    let mut replies = replies::Replies::default();
    loop {
        let event = match crossterm::event::read() {
            Ok(event) => event,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => {
                let _ = sender.blocking_send(Input::Gone);
                return;
            }
        };
        if replies.counts(&event, start.elapsed())
            && let Some(input) = translate(event)
            && sender.blocking_send(input).is_err()
        {
            return;
        }
    }
}

fn translate(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) => keys::translate(&key).map(Input::Key),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
        // On Unix the watching thread reports it.
        Event::Resize(columns, rows) => cfg!(not(unix)).then_some(Input::Resized(columns, rows)),
        Event::Mouse(_) => None,
    }
}
