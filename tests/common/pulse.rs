//! A real sound server in a place of its own: null sinks are its speakers, their monitors its microphones.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use agentcall::device::audio::AudioProgram;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::frozen::freeze;

/// Longer than anything here takes, so that a hang is a failure and not a wait.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The server. It ends when this is dropped.
pub struct Pulse {
    dir: tempfile::TempDir,
    child: Child,
}

impl Pulse {
    /// One with these sinks, the first of which is preferred, and so is its monitor.
    pub async fn start(sinks: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "run"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let socket = dir.path().join("run/native");
        let server = format!("server \"unix:{}\"", socket.display());
        let asound =
            format!("pcm.!default {{ type pulse {server} }}\nctl.!default {{ type pulse {server} }}\n");
        std::fs::write(dir.path().join("home/.asoundrc"), asound).unwrap();
        let mut script = ".fail\n".to_owned();
        for sink in sinks {
            script.push_str(&format!(
                "load-module module-null-sink sink_name={sink} rate=48000 norewinds=1 \
                 sink_properties=device.description={sink}\n"
            ));
        }
        script.push_str(&format!(
            "set-default-sink {0}\nset-default-source {0}.monitor\n\
             load-module module-native-protocol-unix auth-anonymous=1 socket={1}\n",
            sinks[0],
            socket.display()
        ));
        std::fs::write(dir.path().join("script.pa"), script).unwrap();
        let child = spawned(dir.path());
        let mut server = Self { dir, child };
        server.answers().await;
        server
    }

    /// The program whose sound is here, by PulseAudio's own protocol.
    pub fn program(&self) -> AudioProgram {
        let program = AudioProgram::at(env!("CARGO_BIN_EXE_agentcall"));
        let server = format!("unix:{}", self.socket().display());
        program.with_variable("PULSE_SERVER", server).with_variable("HOME", self.dir.path().join("home"))
    }

    /// The same by ALSA, whose plugin leads here.
    pub fn program_of_alsa(&self) -> AudioProgram {
        let nowhere = self.dir.path().join("home");
        let program = AudioProgram::at(env!("CARGO_BIN_EXE_agentcall")).with_variable("HOME", &nowhere);
        program.with_variable("XDG_RUNTIME_DIR", &nowhere).with_variable("PULSE_RUNTIME_PATH", &nowhere)
    }

    /// Where it listens.
    pub fn socket(&self) -> PathBuf {
        self.dir.path().join("run/native")
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Does a thing with `pactl`, and gives what it printed.
    pub async fn pactl(&self, args: &[&str]) -> String {
        let mut command = Command::new("pactl");
        command.args(args).env("PULSE_SERVER", format!("unix:{}", self.socket().display()));
        let output = command.output().await.expect("`make test-packages` installs pulseaudio-utils");
        assert!(output.status.success(), "pactl {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// It stands still: it is there and answers nobody.
    pub fn freeze(&self) {
        freeze(self.child.id().expect("it runs"));
    }

    /// It goes on.
    pub fn thaw(&self) {
        let id = self.child.id().expect("it runs");
        kill_process(Pid::from_raw(id.try_into().unwrap()).unwrap(), Signal::CONT).unwrap();
    }

    /// It is killed, and gone.
    pub async fn kill(&mut self) {
        self.child.kill().await.unwrap();
        let _ = std::fs::remove_file(self.socket());
    }

    /// Another one takes its place.
    pub async fn start_again(&mut self) {
        self.child = spawned(self.dir.path());
        self.answers().await;
    }

    async fn answers(&mut self) {
        let since = Instant::now();
        while std::os::unix::net::UnixStream::connect(self.socket()).is_err() {
            let log = || std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none() && since.elapsed() < PATIENCE, "pulseaudio: {ended:?}\n{}", log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn spawned(dir: &Path) -> Child {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "pulseaudio", "-n", "-F"]).arg(dir.join("script.pa"));
    command.args(["--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error"]);
    let log = std::fs::File::create(dir.join("log")).unwrap();
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).kill_on_drop(true);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", dir.join("home"));
    for name in ["XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"] {
        command.env(name, dir.join("run"));
    }
    command.spawn().expect("`make test-packages` installs pulseaudio")
}
