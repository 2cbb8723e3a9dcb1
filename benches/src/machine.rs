//! What the figures were made on: figures of two machines, or of a busy one, are not to be compared.

use std::fmt;
use std::process::Command;

/// Load from which a measurement is worth little: half a core is somebody else's.
const BUSY: f64 = 0.5;

/// This machine, as it is now.
pub struct Machine {
    cores: usize,
    processor: String,
    kernel: String,
    compiler: String,
    commit: String,
    load: f64,
}

impl Machine {
    /// Looks.
    pub fn here() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let information = read("/proc/cpuinfo");
        let processor =
            information.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
        Self {
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            processor: processor.unwrap_or("unknown processor").to_owned(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            compiler: said("rustc", &["--version"]),
            commit: said("git", &["describe", "--always", "--dirty"]),
            load: read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
        }
    }

    /// What is wrong with measuring now, if something is.
    pub fn busy(&self) -> Option<String> {
        let load = self.load;
        (load > BUSY).then(|| format!("the machine is busy (load {load:.2}): these figures are worth little"))
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cores, processor, kernel, compiler, commit, load } = self;
        write!(
            f,
            "{cores} cores of {processor}, Linux {kernel}, {compiler}, commit {commit}, load {load:.2} at the start."
        )?;
        self.busy().map_or(Ok(()), |busy| write!(f, " **{busy}.**"))
    }
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}
