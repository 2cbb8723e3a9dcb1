//! A process that stands still, surely.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Longer than it takes on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops a process, and comes back once every thread of it stands still. The signal alone is only a wish: until the
/// one thread that takes it has been scheduled, the others go on, for as long as the machine is busy.
pub fn freeze(id: u32) {
    kill_process(Pid::from_raw(id.try_into().unwrap()).unwrap(), Signal::STOP).unwrap();
    let since = Instant::now();
    while !stands_still(id) {
        assert!(since.elapsed() < PATIENCE, "process {id} does not stop");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn stands_still(id: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
    threads.map(|thread| state(&thread.unwrap().path())).all(|state| state.is_none_or(|state| state == 'T'))
}

/// The letter of a thread's state; `None` where it has ended meanwhile.
fn state(thread: &Path) -> Option<char> {
    let stat = std::fs::read_to_string(thread.join("stat")).ok()?;
    // Behind the name, which may hold anything.
    stat.rsplit(')').next()?.trim_start().chars().next()
}
