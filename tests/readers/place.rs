//! Where the program itself is started: an agent, a home, and a daemon whose readers it finds.

use std::path::Path;
use std::time::Duration;

use agentcall::agent::{AgentConfig, Running as Agent, serve};
use agentcall::redact::{TagUid, spells_uid};
use serde_json::Value;
use tokio::process::Command;

use super::common::{Done, command};
use super::pcscd::Pcscd;

/// The id of the Type 2 and Type 4 tags.
pub const ID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];

/// An agent, a home, and a daemon whose readers the program finds.
pub struct Place {
    /// The agent.
    pub agent: Agent,
    /// The home.
    pub home: tempfile::TempDir,
    /// The daemon.
    pub daemon: Pcscd,
}

impl Place {
    /// A place with one reader.
    pub async fn new() -> Self {
        Self::at(Pcscd::start().await).await
    }

    /// A place with this daemon.
    pub async fn at(daemon: Pcscd) -> Self {
        let config = AgentConfig { delta_interval: Duration::from_millis(1), ..AgentConfig::default() };
        Self { agent: serve(config).await.unwrap(), home: tempfile::tempdir().unwrap(), daemon }
    }

    /// The program with these arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = command(self.home.path(), args);
        command.env("PCSCLITE_CSOCK_NAME", self.daemon.socket());
        command
    }

    /// `run` with these steps on the first reader.
    pub fn run(&self, flags: &[&str], steps: &str) -> Command {
        let file = self.home.path().join("steps.agentcall");
        std::fs::write(&file, steps).unwrap();
        let (origin, reader) = (format!("http://{}", self.agent.addr), self.daemon.name(0));
        let args =
            [&["run", "--local", &origin, "--reader", &reader], flags, &[file.to_str().unwrap()]].concat();
        self.command(&args)
    }

    /// A scan on the first reader, and the agent's answer.
    pub fn scan(&self) -> String {
        format!("scan reader:\"{}\"\nexpect event run.completed\n", self.daemon.name(0))
    }

    /// Everything that the program left in its home, as text.
    pub fn left(&self) -> String {
        let mut left = String::new();
        gather(self.home.path(), &mut left);
        left
    }
}

fn gather(dir: &Path, left: &mut String) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, left);
        } else {
            left.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        }
    }
}

/// The objects of the observations that were sent.
pub fn objects(done: &Done) -> Vec<Value> {
    done.json_lines().iter().filter_map(|line| line.pointer("/frame/observation/object").cloned()).collect()
}

/// The id stands nowhere, however it is spelt.
pub fn is_silent_about_the_id(text: &str) -> bool {
    let condensed: String =
        text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let backwards: Vec<u8> = ID.iter().rev().copied().collect();
    let number = ID.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)).to_string();
    !spells_uid(&TagUid::new(&ID), text)
        && !condensed.contains(&data_encoding::HEXLOWER.encode(&ID))
        && !condensed.contains(&data_encoding::HEXLOWER.encode(&backwards))
        && !text.contains(&data_encoding::BASE64.encode(&ID))
        && !text.contains(&number)
}
