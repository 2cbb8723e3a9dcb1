//! Speaking texts with a command of the user's: one process at a time, in order, and none of them outlives a stop.
//!
//! The text goes to its standard input, never through a shell and never among its arguments; what it writes is for nobody.
//! It leads a process group of its own, which is ended as a whole. Of our environment it gets what sound needs, and no token.

use std::ffi::OsStr;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{AbortOnDrop, Events, words};
use crate::client::event::Event;
use crate::client::notice::Line;
use crate::safe_text::SafeText;

#[cfg(all(test, unix))]
mod tests;

/// How long one text may take, beside what its length allows.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one character may take: a slow voice says ten in a second.
const CHARACTER: Duration = Duration::from_millis(250);
/// How long a process that was ended may take to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(2);
/// What the command gets of our environment: where programs, languages and sound servers are.
const ENVIRONMENT: [&str; 30] = [
    "SystemRoot",
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "XDG_CACHE_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "PULSE_SERVER",
    "PULSE_COOKIE",
    "PULSE_RUNTIME_PATH",
    "PULSE_SINK",
    "PIPEWIRE_RUNTIME_DIR",
    "PIPEWIRE_REMOTE",
    "ALSA_CONFIG_PATH",
    "ALSA_CONFIG_DIR",
    "ALSA_PLUGIN_DIR",
    "ALSA_CARD",
    "ESPEAK_DATA_PATH",
    "SPEECHD_ADDRESS",
];

/// The command that speaks.
#[derive(Clone, Debug)]
pub struct SpeechCommand {
    program: String,
    arguments: Vec<String>,
    /// An environment variable that it never gets: the one with the token.
    hidden: Option<String>,
    patience: Duration,
}

impl SpeechCommand {
    /// The command of this list, the program first; `None` when it is empty. `hidden` names the environment variable of the
    /// token, which it does not get whatever its name is.
    pub fn new(words: &[String], hidden: Option<&str>) -> Option<Self> {
        let (program, arguments) = words.split_first()?;
        Some(Self {
            program: program.clone(),
            arguments: arguments.to_vec(),
            hidden: hidden.map(str::to_owned),
            patience: PATIENCE,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env_clear().kill_on_drop(true);
        for name in ENVIRONMENT.iter().filter(|name| self.hidden.as_deref() != Some(**name)) {
            if let Some(value) = std::env::var_os(OsStr::new(name)) {
                command.env(name, value);
            }
        }
        #[cfg(unix)]
        command.process_group(0);
        command
    }

    fn name(&self) -> SafeText {
        SafeText::line(&self.program).cut(80)
    }

    /// A line about this command, with what to do.
    fn trouble(&self, what: &str, hint: &str) -> Line {
        let mut line = words::device(format!("The speech command {} {what}", self.name()));
        line.hint = Some(hint.to_owned());
        line
    }
}

/// The port.
pub(super) struct SpeechPort {
    command: Option<SpeechCommand>,
    events: Events,
    speaking: Option<Speaking>,
}

impl SpeechPort {
    /// A port that is silent; for ever so without a command.
    pub fn new(command: Option<SpeechCommand>, events: Events) -> Self {
        Self { command, events, speaking: None }
    }

    /// Speaks this text after those that came before; [`Event::Spoke`] tells when it is done. The engine bounds how many wait.
    pub fn speak(&mut self, number: u64, text: SafeText) {
        let Some(command) = &self.command else { return };
        let speaking =
            self.speaking.get_or_insert_with(|| Speaking::start(command.clone(), self.events.clone()));
        let _task_ended = speaking.texts.send((number, text));
    }

    /// Ends what speaks, at once and with all that it has started, and forgets what waits.
    pub fn stop(&mut self) {
        self.speaking = None;
    }
}

/// The task that speaks one text after the other. Dropping it ends the process.
struct Speaking {
    texts: mpsc::UnboundedSender<(u64, SafeText)>,
    group: Arc<Group>,
    _task: AbortOnDrop,
}

impl Speaking {
    fn start(command: SpeechCommand, events: Events) -> Self {
        let (texts, mut to_speak) = mpsc::unbounded_channel::<(u64, SafeText)>();
        let group = Arc::new(Group::default());
        let of_task = Arc::clone(&group);
        let task = tokio::spawn(async move {
            while let Some((number, text)) = to_speak.recv().await {
                let result = speak(&command, &of_task, &text).await;
                if events.send(Event::Spoke(number, result)).await.is_err() {
                    return;
                }
            }
        });
        Self { texts, group, _task: AbortOnDrop(task.abort_handle()) }
    }
}

impl Drop for Speaking {
    fn drop(&mut self) {
        let mut running = self.group.lock();
        running.is_over = true;
        running.end();
    }
}

/// The process group that speaks now, shared by the task and by whoever stops it.
#[derive(Default)]
struct Group(Mutex<Running>);

#[derive(Default)]
struct Running {
    leader: Option<u32>,
    /// Nothing is started any more.
    is_over: bool,
}

impl Group {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the command, unless everything was stopped meanwhile.
    fn start(&self, command: &mut Command) -> Option<std::io::Result<Child>> {
        let mut running = self.lock();
        if running.is_over {
            return None;
        }
        let started = command.spawn();
        running.leader = started.as_ref().ok().and_then(Child::id);
        Some(started)
    }
}

impl Running {
    /// Ends whatever is in the group. That the leader was collected a moment ago does no harm: as long as the group has
    /// members its number is not given again, and a fresh number is not given again at once.
    fn end(&mut self) {
        let Some(_leader) = self.leader.take() else { return };
        #[cfg(unix)]
        if let Some(id) = rustix::process::Pid::from_raw(_leader.cast_signed()) {
            let _already_gone = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

async fn speak(command: &SpeechCommand, group: &Group, text: &SafeText) -> Result<(), Line> {
    let mut child = match group.start(&mut command.command()) {
        None => return Ok(()),
        Some(Ok(child)) => child,
        Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            let hint = "install it, or name another program in speech_command";
            return Err(command.trouble("was not found; what the agent says is only shown.", hint));
        }
        Some(Err(error)) => {
            let what = format!("could not be started ({error}); what the agent says is only shown.");
            return Err(command.trouble(&what, "name a program that can be run in speech_command"));
        }
    };
    let input = child.stdin.take();
    let length = u32::try_from(text.as_str().chars().count()).unwrap_or(u32::MAX);
    let within = command.patience + CHARACTER * length;
    let spoken = timeout(within, async {
        let write = async {
            if let Some(mut input) = input {
                // A command that reads nothing says so by its exit status, or says nothing.
                let _closed_early = input.write_all(text.as_str().as_bytes()).await;
                let _closed_early = input.write_all(b"\n").await;
            }
        };
        // What ends without having read all is not waited for.
        let (waited, ()) = tokio::join!(child.wait(), write);
        waited
    })
    .await;
    // What it left behind goes with it: otherwise a stop could not reach it.
    group.lock().end();
    let by_hand = "try it by hand with a text on its standard input, or change speech_command";
    match spoken {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(command.trouble(&format!("failed ({status})."), by_hand)),
        Ok(Err(error)) => Err(command.trouble(&format!("was lost ({error})."), by_hand)),
        Err(_) => {
            let _ended = timeout(GONE_WITHIN, child.wait()).await;
            Err(command
                .trouble(&format!("did not end within {} s, and was ended.", within.as_secs()), by_hand))
        }
    }
}
