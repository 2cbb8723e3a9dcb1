//! The real binary in a fresh home, run to its end or held by a test.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod engine;
pub mod frozen;

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Longer than anything here takes, so that a hang is a failure and not a wait.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What a finished program left.
#[derive(Debug)]
pub struct Done {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Done {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Standard output as JSON lines, each held against the schema.
    pub fn json_lines(&self) -> Vec<Value> {
        self.out.lines().map(checked).collect()
    }
}

/// Parses one line of `--json` output and holds it against `assets/schemas/output.schema.json`.
pub fn checked(line: &str) -> Value {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    let validator = SCHEMA.get_or_init(|| {
        let path = root().join("assets/schemas/output.schema.json");
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    });
    let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("no JSON line ({e}): {line}"));
    assert!(
        validator.is_valid(&value),
        "{line}: {:?}",
        validator.iter_errors(&value).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    value
}

/// The top of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The binary with nothing of our environment but what it needs, and a home of its own under `home`.
pub fn command(home: &std::path::Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentcall"));
    command.args(args).env_clear().stdin(Stdio::null()).kill_on_drop(true);
    command.env("HOME", home).env("TMPDIR", home);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// Runs it to its end.
pub async fn agentcall(args: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    finish(command(home.path(), args)).await
}

/// Runs a prepared command to its end.
pub async fn finish(mut command: Command) -> Done {
    let output = timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
    Done::of(&output)
}

/// Runs it while nobody reads its standard output.
pub async fn without_reader(args: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    let mut child = command(home.path(), args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    Done::of(&timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").unwrap())
}

/// An origin where nothing listens.
pub fn closed_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// A running program whose lines can be awaited.
pub struct Running {
    /// The process.
    pub child: Child,
    /// Its standard output.
    pub lines: tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
}

impl Running {
    /// Starts a prepared command.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next line of standard output.
    pub async fn line(&mut self) -> Option<String> {
        timeout(PATIENCE, self.lines.next_line()).await.expect("it says something").unwrap()
    }

    /// Lines up to the first that holds `text`.
    pub async fn until(&mut self, text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let line = self.line().await.unwrap_or_else(|| panic!("it ended without {text:?}: {seen:#?}"));
            let found = line.contains(text);
            seen.push(line);
            if found {
                return seen;
            }
        }
    }

    /// Sends a signal by its number.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.id().unwrap().try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// What it leaves at its end: exit code, the rest of standard output, standard error.
    pub async fn end(self) -> Done {
        let Self { child, mut lines } = self;
        let rest = async {
            let mut out = String::new();
            while let Some(line) = lines.next_line().await.unwrap() {
                out.push_str(&line);
                out.push('\n');
            }
            out
        };
        let (out, output) =
            timeout(PATIENCE, async { tokio::join!(rest, child.wait_with_output()) }).await.expect("it ends");
        Done { out, ..Done::of(&output.unwrap()) }
    }
}
