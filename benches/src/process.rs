//! A process looked at from outside, through `/proc`.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// A program of this build: `agentcall`, or one of the measurements' own.
///
/// # Panics
/// When it has not been built: `make bench` builds all.
pub fn built(name: &str) -> PathBuf {
    let here = std::env::current_exe().expect("this program has a path");
    let path = here.with_file_name(name);
    assert!(path.is_file(), "{} is missing: make bench builds it", path.display());
    path
}

/// A directory of one's own that goes with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("agentcall-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory can be made in the temporary one");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

/// The memory of a process in MiB.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Resident now.
    pub now: f64,
    /// Resident at most so far.
    pub peak: f64,
}

/// The memory of a process; `None` when it is gone.
pub fn memory(pid: u32) -> Option<Memory> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib / 1024.0)
    };
    Some(Memory { now: field("VmRSS:")?, peak: field("VmHWM:")? })
}

/// Time that all threads of a process have spent on a core, in steps of 10 ms; `None` when it is gone.
pub fn worked(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
}
