//! Watches the terminal itself: its size, and whether it still is there.
//!
//! Standard input is the terminal ([`crate::tui::guard::Guard::enter`] has made sure of it).

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use rustix::stdio::stdin;
use rustix::termios::{tcgetattr, tcgetwinsize};
use tokio::sync::mpsc;

use super::Input;

/// How long the thread sleeps at most: some systems report no hang-up to `poll`, and nothing wakes it when the
/// receiver is dropped.
const NAP: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// Reports sizes, then [`Input::Gone`]. Ends with either that or the receiver.
pub fn watch(sender: &mpsc::Sender<Input>) {
    let mut resizes = resizes().ok();
    let mut known = None;
    loop {
        let size = tcgetwinsize(stdin()).ok().map(|size| (size.ws_col, size.ws_row));
        if let Some((columns, rows)) = size.filter(|_| size != known)
            && sender.blocking_send(Input::Resized(columns, rows)).is_err()
        {
            return;
        }
        known = size.or(known);
        if !wait(resizes.as_mut()) {
            let _ = sender.blocking_send(Input::Gone);
            return;
        }
        if sender.is_closed() {
            return;
        }
    }
}

/// A stream that becomes readable with every SIGWINCH.
fn resizes() -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(Signal::WINCH.as_raw(), writer)?;
    Ok(reader)
}

/// Waits until something may have happened; `false` when the terminal is gone.
fn wait(resizes: Option<&mut UnixStream>) -> bool {
    let terminal = stdin();
    // A hang-up is reported without being asked for; input is the other thread's.
    let mut descriptors = vec![PollFd::new(&terminal, PollFlags::empty())];
    descriptors.extend(resizes.as_deref().map(|stream| PollFd::new(stream, PollFlags::IN)));
    let polled = poll(&mut descriptors, Some(&NAP));
    let hung_up = descriptors[0].revents().intersects(PollFlags::HUP | PollFlags::ERR);
    drop(descriptors);
    if let Some(stream) = resizes {
        while matches!(stream.read(&mut [0; 64]), Ok(1..)) {}
    }
    !(polled.is_ok() && hung_up) && tcgetattr(terminal).is_ok()
}
