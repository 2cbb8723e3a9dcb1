//! Microphones and speakers of a real sound server: PulseAudio with a null sink, in a place of its own.
#![cfg(all(target_os = "linux", feature = "audio"))]
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod common;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::frozen::freeze;
use common::{Done, PATIENCE, Running, command, finish};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// Listing may take four seconds; the rest is what starting two processes takes on a busy machine.
const BOUND: Duration = Duration::from_secs(10);

/// Half of what asking a server that hangs takes at least: ending a process takes less on a busy machine too.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The server. It ends when this is dropped.
struct Server {
    dir: tempfile::TempDir,
    child: Child,
}

impl Server {
    /// One with one speaker, whose monitor is its only microphone, ready to answer.
    async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, run) = (dir.path().join("home"), dir.path().join("run"));
        std::fs::create_dir(&home).unwrap();
        std::fs::create_dir(&run).unwrap();
        // ALSA's own default leads to the server too, as on a desktop.
        std::fs::write(home.join(".asoundrc"), "pcm.!default { type pulse }\nctl.!default { type pulse }\n")
            .unwrap();
        let script = format!(
            ".fail\nload-module module-null-sink sink_name=desk rate=48000 \
             sink_properties=device.description=\"Desk\\ speaker\"\nset-default-sink desk\n\
             load-module module-native-protocol-unix auth-anonymous=1 socket={}\n",
            run.join("native").display()
        );
        std::fs::write(dir.path().join("script.pa"), script).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "pulseaudio", "-n", "-F"]).arg(dir.path().join("script.pa"));
        command.args(["--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error"]);
        let log = std::fs::File::create(dir.path().join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).kill_on_drop(true);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &home);
        for name in ["XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"] {
            command.env(name, &run);
        }
        let child = command.spawn().expect("`make test-packages` installs pulseaudio");
        let mut server = Self { dir, child };
        server.answers().await;
        server
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("run/native")
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

    /// It stands still: it is there and answers nobody.
    fn freeze(&self) {
        freeze(self.child.id().expect("it runs"));
    }

    fn signal(&self, signal: Signal) {
        let id = self.child.id().expect("it runs");
        kill_process(Pid::from_raw(id.try_into().unwrap()).unwrap(), signal).unwrap();
    }

    /// `agentcall devices --json` with it.
    async fn listed(&self, args: &[&str]) -> Done {
        finish(self.devices(args)).await
    }

    fn devices(&self, args: &[&str]) -> Command {
        let mut command = command(&self.dir.path().join("home"), &[&["devices", "--json"], args].concat());
        command.env("PULSE_SERVER", format!("unix:{}", self.socket().display()));
        command.env("XDG_RUNTIME_DIR", self.dir.path().join("run"));
        command
    }
}

fn found<'a>(lines: &'a [Value], sort: &str) -> Vec<&'a Value> {
    lines.iter().filter_map(|line| line.get("found")).filter(|found| found["sort"] == sort).collect()
}

#[tokio::test]
async fn a_sink_is_a_speaker_and_its_monitor_a_microphone_that_is_named_as_one() {
    let server = Server::start().await;
    let done = server.listed(&["--microphone", "default", "--speaker", "default"]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let lines = done.json_lines();
    let (microphones, speakers) = (found(&lines, "microphone"), found(&lines, "speaker"));
    assert_eq!((microphones.len(), speakers.len()), (1, 1), "{}", done.out);
    for (device, id, monitor) in
        [(microphones[0], "desk.monitor", json!(true)), (speakers[0], "desk", Value::Null)]
    {
        assert!(device["name"].as_str().unwrap().contains("Desk speaker"), "{device}");
        assert_eq!((&device["id"], &device["monitor"]), (&json!(id), &monitor), "{device}");
        assert_eq!((&device["default"], &device["simulated"]), (&json!(true), &json!(false)), "{device}");
        assert_eq!((&device["channels"], &device["rate"]), (&json!(2), &json!(48_000)), "{device}");
    }
    assert!(lines.iter().all(|line| line.get("trouble").is_none()), "{}", done.out);
    let missing = server.listed(&["--microphone", "Headset"]).await;
    assert_eq!(missing.code, 6, "{missing:?}");
    assert!(missing.out.contains("Headset") && missing.out.contains("Desk speaker"), "{missing:?}");
}

#[tokio::test]
async fn a_frozen_server_is_said_within_the_bound_and_works_again_when_it_thaws() {
    let server = Server::start().await;
    server.freeze();
    let since = Instant::now();
    let done = server.listed(&[]).await;
    let took = since.elapsed();
    assert!(done.code == 0 && took < BOUND, "{took:?}: {done:?}");
    let lines = done.json_lines();
    for sort in ["microphone", "speaker"] {
        let troubles: Vec<&Value> =
            lines.iter().filter_map(|line| line.get("trouble")).filter(|t| t["sort"] == sort).collect();
        let text = troubles.iter().find_map(|trouble| trouble["text"].as_str()).unwrap_or_default();
        assert!(
            text.starts_with("The sound server does not answer")
                || text.starts_with("Listing sound devices took"),
            "{sort}: {}",
            done.out
        );
        assert!(troubles[0]["hint"].as_str().unwrap().contains("restart"), "{troubles:?}");
    }
    server.signal(Signal::CONT);
    let done = server.listed(&["--speaker", "Desk"]).await;
    assert_eq!((done.code, found(&done.json_lines(), "speaker").len()), (0, 1), "{done:?}");
}

#[tokio::test]
async fn a_watch_ends_at_once_while_a_frozen_server_is_asked() {
    let server = Server::start().await;
    let mut running = Running::start(server.devices(&["--watch", "--speaker", "Desk"]));
    running.until("\"found\"").await;
    server.freeze();
    // It is said once a listing has waited for its whole bound; the next one hangs again, from three seconds after.
    running.until("\"trouble\"").await;
    let is_asked = || async {
        let children = format!("/proc/{0}/task/{0}/children", running.child.id().unwrap());
        !std::fs::read_to_string(children).unwrap().trim().is_empty()
    };
    let since = Instant::now();
    while !is_asked().await {
        assert!(since.elapsed() < PATIENCE, "sound is asked again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let since = Instant::now();
    running.signal(Signal::INT);
    let done = running.end().await;
    let took = since.elapsed();
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    assert!(took < AT_ONCE, "a hanging server holds nobody: {took:?}");
    server.signal(Signal::CONT);
}
