//! A PC/SC daemon of a test's own, with readers of the vpcd driver: its own directory, its own ports, ended by its id.
//!
//! Clients find it through `PCSCLITE_CSOCK_NAME` ([`Pcscd::socket`]). It can be frozen, killed and started again; any
//! number run side by side, because each has its own `/run` in a mount namespace (and a user namespace where we are
//! not root).

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::common::frozen::freeze;
use super::common::{PATIENCE, root};

/// The reader that a daemon has if nothing else is asked for.
pub const ACR122U: &str = "ACS ACR122U PICC Interface";
/// Where Debian's packages put the driver.
const DRIVER: &str = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so";
/// Below the ports that systems give to clients, so that none is taken between our look and the daemon's.
const PORTS: Range<u16> = 20_000..32_000;
/// The driver makes two slots of each reader, at this port and the next.
const SLOTS: u16 = 2;
/// How often a condition is looked at.
pub const SOON: Duration = Duration::from_millis(20);

/// The daemon. It ends when this is dropped.
pub struct Pcscd {
    dir: tempfile::TempDir,
    readers: Vec<(String, u16)>,
    child: Option<Child>,
}

impl Pcscd {
    /// One with one reader.
    pub async fn start() -> Self {
        Self::with(&[ACR122U]).await
    }

    /// One with these readers, whose names differ, ready to answer.
    pub async fn with(readers: &[&str]) -> Self {
        let mut daemon = Self::stopped(readers).await;
        daemon.run().await;
        daemon
    }

    /// One that does not run yet.
    pub async fn stopped(readers: &[&str]) -> Self {
        assert!(
            Path::new(DRIVER).exists() && Path::new("/usr/sbin/pcscd").exists(),
            "pcscd and its virtual reader are not installed: `make test-packages` installs them"
        );
        let dir = tempfile::tempdir().unwrap();
        for inside in ["run/pcscd", "conf"] {
            std::fs::create_dir_all(dir.path().join(inside)).unwrap();
        }
        let ports = free_ports(readers.len()).await;
        let readers = readers.iter().map(|name| (*name).to_owned()).zip(ports).collect();
        let daemon = Self { dir, readers, child: None };
        daemon.configure();
        daemon
    }

    /// Writes down its readers. The driver keeps its slots in one place for all readers, so each reader gets a driver of
    /// its own, a copy.
    fn configure(&self) {
        let mut lines = String::new();
        for (name, port) in &self.readers {
            let driver = self.dir.path().join(format!("driver-{port}.so"));
            std::fs::copy(DRIVER, &driver).unwrap();
            let driver = driver.display();
            writeln!(lines, "FRIENDLYNAME \"{name}\"\nDEVICENAME /dev/null:{port:#X}").unwrap();
            writeln!(lines, "LIBPATH {driver}\nCHANNELID {port:#X}").unwrap();
        }
        std::fs::write(self.dir.path().join("conf/vpcd"), lines).unwrap();
    }

    /// Starts it and waits until it answers with all its readers.
    pub async fn run(&mut self) {
        // `exec` all the way, so that the process we started is the daemon, and it ends with us even if we are killed.
        let script = "mount --bind \"$1/run\" /run && \
                      exec setpriv --pdeathsig KILL pcscd --foreground --error --config \"$1/conf\"";
        let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-Urm" };
        let mut command = Command::new("unshare");
        command.args([flags, "sh", "-c", script, "sh"]).arg(self.dir.path());
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        let log = std::fs::File::create(self.dir.path().join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).kill_on_drop(true);
        self.child = Some(command.spawn().unwrap());
        let since = Instant::now();
        loop {
            let seen = self.raw(&["list"]).await;
            if self.readers.iter().all(|(name, _)| seen.contains(name.as_str())) {
                return;
            }
            let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
            let log = || std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "pcscd ended: {ended:?}\n{}", log());
            assert!(since.elapsed() < PATIENCE, "pcscd has only {seen:?}\n{}", log());
            tokio::time::sleep(SOON).await;
        }
    }

    /// The socket where clients find it.
    pub fn socket(&self) -> PathBuf {
        self.dir.path().join("run/pcscd/pcscd.comm")
    }

    /// The port of a reader: there a tag is put on it.
    pub fn port(&self, reader: usize) -> u16 {
        self.readers[reader].1
    }

    /// The name that clients see of a reader: behind it stand the numbers of its device and of its first slot.
    pub fn name(&self, reader: usize) -> String {
        format!("{} 00 00", self.readers[reader].0)
    }

    /// It stands still: it is there and answers nobody.
    pub fn freeze(&self) {
        freeze(self.id());
    }

    /// It goes on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// It is gone, without a word to anybody. [`Pcscd::run`] starts it again.
    pub async fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.start_kill().unwrap();
        timeout(PATIENCE, child.wait()).await.expect("it ends").unwrap();
    }

    /// It ends in order, as when a service is stopped.
    pub async fn stop(&mut self) {
        self.signal(Signal::TERM);
        let mut child = self.child.take().expect("it runs");
        timeout(PATIENCE, child.wait()).await.expect("it ends").unwrap();
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.id().try_into().unwrap()).unwrap(), signal).unwrap();
    }

    fn id(&self) -> u32 {
        self.child.as_ref().and_then(Child::id).expect("it runs")
    }

    /// What a client without our code sees: the output of `raw.py`.
    pub async fn raw(&self, args: &[&str]) -> String {
        let mut command = self.python("raw.py");
        command.args(args);
        let output: Output = timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Another program, called `name`, that holds the card on the reader for itself until this is dropped.
    pub async fn held_by(&self, reader: &str, name: &str) -> Holder {
        let mut command = self.python("raw.py");
        command.args(["hold", reader, name]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = lines_of(&mut child);
        let line = timeout(PATIENCE, said.next_line()).await.expect("it says something").unwrap();
        assert_eq!(line.as_deref(), Some("held"));
        Holder { stdin: child.stdin.take(), child }
    }

    fn python(&self, script: &str) -> Command {
        let mut command = Command::new("python3");
        command.arg(script_at(script)).env("PCSCLITE_CSOCK_NAME", self.socket());
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }
}

/// Another program that holds a card.
pub struct Holder {
    stdin: Option<ChildStdin>,
    child: Child,
}

impl Holder {
    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// It lets go, in order.
    pub async fn let_go(mut self) {
        drop(self.stdin.take());
        timeout(PATIENCE, self.child.wait()).await.expect("it ends").unwrap();
    }
}

/// A script beside these tests.
pub fn script_at(name: &str) -> PathBuf {
    root().join("tests/readers").join(name)
}

/// What a child says, line by line.
pub fn lines_of(child: &mut Child) -> Lines<BufReader<ChildStdout>> {
    BufReader::new(child.stdout.take().expect("it is a pipe")).lines()
}

/// Ports where nobody listens, `SLOTS` in a row for each reader.
async fn free_ports(readers: usize) -> Vec<u16> {
    let mut found = Vec::new();
    while found.len() < readers {
        let mut random = [0; 2];
        getrandom::fill(&mut random).unwrap();
        let room = (PORTS.end - PORTS.start) / SLOTS;
        let port = PORTS.start + u16::from_le_bytes(random) % room * SLOTS;
        let mut free = !found.contains(&port);
        for slot in 0..SLOTS {
            free &= TcpListener::bind(("127.0.0.1", port + slot)).await.is_ok();
        }
        if free {
            found.push(port);
        }
    }
    found
}
