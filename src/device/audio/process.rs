//! Our side of the child process: starting it, reading what it tells until a deadline, ending it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::wire::{LINE_BYTES, LINES, Told};
use super::{AudioDevices, AudioTrouble, child, in_order};

/// How long listing may take.
const WITHIN: Duration = Duration::from_secs(4);
/// How long its exit status may take once its output has ended.
const LAST_MOMENTS: Duration = Duration::from_millis(500);
/// What the child keeps of our environment: where sound servers are, and how ALSA is set up. No token is in it.
const ENVIRONMENT: [&str; 15] = [
    "SystemRoot",
    "HOME",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "PULSE_SERVER",
    "PULSE_COOKIE",
    "PULSE_RUNTIME_PATH",
    "PULSE_SINK",
    "PULSE_SOURCE",
    "PIPEWIRE_RUNTIME_DIR",
    "PIPEWIRE_REMOTE",
    "ALSA_CONFIG_PATH",
    "ALSA_CONFIG_DIR",
    "ALSA_PLUGIN_DIR",
];

/// The program that plays the child, and how patient we are with it.
#[derive(Clone, Debug)]
pub struct AudioProgram {
    path: Option<PathBuf>,
    within: Duration,
    variables: Vec<(String, OsString)>,
}

impl AudioProgram {
    /// Our own executable.
    pub fn this() -> Self {
        Self { path: None, within: WITHIN, variables: Vec::new() }
    }

    /// Another executable that tells the same way.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), within: WITHIN, variables: Vec::new() }
    }

    /// Has this variable in its environment, whatever ours is: `PULSE_SERVER`, for sound of another place.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// The child, told what to do by `words`, with pipes to and from it.
    ///
    /// # Errors
    /// When our own path is not known.
    pub(super) fn command(&self, words: &[&str]) -> std::io::Result<Command> {
        let mut command = command(self.path.clone().map_or_else(std::env::current_exe, Ok)?, words);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }

    /// Gives the listing this much time instead of four seconds.
    #[must_use]
    pub fn with_deadline(self, within: Duration) -> Self {
        Self { within, ..self }
    }
}

/// Lists microphones and speakers. It always comes back, with what is wrong among the rest.
pub async fn list(program: &AudioProgram) -> AudioDevices {
    let mut found = AudioDevices::default();
    if let Err(trouble) = gather(program, &mut found).await {
        found.troubles.push(trouble);
    }
    in_order(&mut found.devices);
    found
}

async fn gather(program: &AudioProgram, found: &mut AudioDevices) -> Result<(), AudioTrouble> {
    let died = |what: std::io::Error| AudioTrouble::Died { how: what.to_string() };
    let mut process = program.command(&[]).map_err(died)?.spawn().map_err(died)?;
    let output = process.stdout.take().expect("its output was asked for");
    let told = timeout(program.within, told(output, found)).await;
    match told {
        Err(_) => Err(AudioTrouble::Hung { within: program.within }),
        Ok(Ok(())) => Ok(()),
        Ok(Err(Broken::Silent)) => Err(AudioTrouble::Died { how: ending(&mut process).await }),
        Ok(Err(Broken::Garbled)) => Err(AudioTrouble::Died { how: "it told something else".into() }),
    }
    // Dropping the process ends it, wherever it hangs.
}

fn command(path: PathBuf, words: &[&str]) -> Command {
    let mut command = Command::new(path);
    // The open input is what tells the child that we are there; what libraries write to standard error is for nobody.
    command.arg(child::ARGUMENT).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.env_clear().kill_on_drop(true);
    for name in ENVIRONMENT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    // Keys such as Ctrl-C are for us.
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Why the telling ended before its end.
enum Broken {
    Silent,
    Garbled,
}

async fn told(output: ChildStdout, found: &mut AudioDevices) -> Result<(), Broken> {
    let mut output = BufReader::new(output);
    for _ in 0..LINES {
        let mut line = Vec::new();
        let mut bounded = (&mut output).take(LINE_BYTES as u64);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(1..) if line.ends_with(b"\n") => {}
            Ok(LINE_BYTES..) => return Err(Broken::Garbled),
            _ => return Err(Broken::Silent),
        }
        match Told::read(&line).ok_or(Broken::Garbled)? {
            Told::Host(name) => found.host = Some(name),
            Told::Device(device) => found.devices.push(device),
            Told::Trouble(trouble) => found.troubles.push(trouble),
            Told::Done => return Ok(()),
        }
    }
    Err(Broken::Garbled)
}

async fn ending(process: &mut Child) -> String {
    match timeout(LAST_MOMENTS, process.wait()).await {
        Ok(Ok(status)) => format!("its process ended: {status}"),
        _ => "its process fell silent".to_owned(),
    }
}
