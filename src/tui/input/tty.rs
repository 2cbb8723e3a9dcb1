//! Reads the terminal's bytes on a thread of its own.
//!
//! Standard input is the terminal ([`crate::tui::guard::Guard::enter`] has made sure of it). The thread waits in
//! `poll`, never for the rest of a sequence, and ends when the terminal is gone.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::stdio::stdin;
use rustix::termios::tcgetattr;
use tokio::sync::mpsc;

use super::bytes::Decoder;
use super::{Input, translate};
use crate::provoke;

/// How long a read that gives nothing from a terminal that is there is left alone: it must not become a spin.
const NOTHING: Duration = Duration::from_millis(50);

/// What came of waiting.
enum Came {
    Bytes(usize),
    /// Nothing until the time that was set.
    Nothing,
    /// Nothing yet.
    Interrupted,
    Gone,
}

/// Reads until the terminal is gone, or the receiver.
pub fn read_all(sender: &mpsc::Sender<Input>) {
    let start = Instant::now();
    let mut decoder = Decoder::default();
    let mut bytes = [0; 4_096];
    loop {
        let patience = decoder.due().map(|due| due.saturating_sub(start.elapsed()));
        let events = match wait(&mut bytes, patience) {
            Came::Bytes(count) => {
                provoke::panic_at("input");
                decoder.read(&bytes[..count], start.elapsed())
            }
            Came::Nothing => decoder.pause(start.elapsed()),
            Came::Interrupted => continue,
            Came::Gone => {
                let _ = sender.blocking_send(Input::Gone);
                return;
            }
        };
        for input in events.into_iter().filter_map(translate) {
            if sender.blocking_send(input).is_err() {
                return;
            }
        }
    }
}

fn wait(bytes: &mut [u8], patience: Option<Duration>) -> Came {
    let terminal = stdin();
    let mut descriptor = [PollFd::new(&terminal, PollFlags::IN)];
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match poll(&mut descriptor, patience.as_ref()) {
        Ok(0) => return Came::Nothing,
        Ok(_) => {}
        Err(Errno::INTR) => return Came::Interrupted,
        Err(_) => return Came::Gone,
    }
    match read(terminal, bytes) {
        Ok(count @ 1..) => Came::Bytes(count),
        Err(Errno::INTR | Errno::AGAIN) => Came::Interrupted,
        // An end of file typed into a shell's terminal, or a job in the background.
        Ok(_) | Err(_) if tcgetattr(terminal).is_ok() => {
            std::thread::sleep(NOTHING);
            Came::Interrupted
        }
        Ok(_) | Err(_) => Came::Gone,
    }
}
