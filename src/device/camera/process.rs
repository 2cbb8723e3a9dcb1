//! Our side of the child process: starting it, asking it under deadlines, ending it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::stream::{ChildStream, Purpose};
use super::wire::{self, Reply, Request, Source};
use super::{CameraError, CameraStream, StreamFormat, child};
use crate::device::{Armed, DeviceKind, Ended, Leash};

/// How long each step may take.
const STEP: Duration = Duration::from_secs(5);
/// How much of the child's standard error is kept.
const STDERR_BYTES: usize = 4 * 1024;
/// How long its last words may take once it has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// What the child keeps of our environment: nothing but what an operating system needs to start a program at all.
const ENVIRONMENT: [&str; 1] = ["SystemRoot"];

/// The program that plays the child, and how patient we are with it.
#[derive(Clone, Debug)]
pub struct CameraProgram {
    path: Option<PathBuf>,
    step: Duration,
}

impl CameraProgram {
    /// Our own executable.
    pub fn this() -> Self {
        Self { path: None, step: STEP }
    }

    /// Another executable that speaks the protocol.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), step: STEP }
    }

    /// Gives each step (start, open, one frame) this much time instead of five seconds.
    #[must_use]
    pub fn with_deadline(mut self, step: Duration) -> Self {
        self.step = step;
        self
    }

    /// Starts a child for the camera `name`, opens `source` in it.
    pub(super) async fn open(
        &self,
        name: &str,
        source: &Source,
        armed: &Armed,
    ) -> Result<Box<dyn CameraStream>, CameraError> {
        if !armed.permits(DeviceKind::Camera) {
            return Err(CameraError::NotArmed { name: name.to_owned() });
        }
        // Before anything is started: what cannot be asked needs no process.
        let open = Request::Open { source: source.clone() };
        let open = wire::encode(&open, 0).map_err(|_| CameraError::Refused {
            name: name.to_owned(),
            message: format!("the path of its file is too long; at most {} bytes can be", wire::HEADER_BYTES),
        })?;
        let purpose = match source {
            Source::Device { .. } => Purpose::Lens,
            Source::TestCard | Source::File { .. } => Purpose::Simulated,
        };
        let mut stream = self.start(name, Some(armed.leash()), purpose).await?;
        match stream.step("opening", Some(&open)).await? {
            (Reply::Opened { name, width, height, fourcc, fps }, _) => {
                let name = name.chars().filter(|c| !c.is_control()).take(128).collect();
                let fourcc = fourcc.map(|f| f.chars().filter(char::is_ascii_graphic).take(4).collect());
                stream.opened(StreamFormat { name, width, height, fourcc, fps });
                Ok(Box::new(stream))
            }
            (other, _) => Err(stream.unexpected("opening", &other)),
        }
    }

    /// Starts a child and waits for its greeting. Without a leash it may look which cameras there are; nothing else is
    /// asked of it.
    pub(super) async fn start(
        &self,
        name: &str,
        leash: Option<Leash>,
        purpose: Purpose,
    ) -> Result<ChildStream, CameraError> {
        let asked = Instant::now();
        let mut stream = self.spawned(name, leash, purpose, asked).await?;
        match stream.step("starting", None).await? {
            (Reply::Hello { version: wire::VERSION }, _) => {
                stream.greeted();
                Ok(stream)
            }
            (other, _) => Err(stream.unexpected("starting", &other)),
        }
    }

    /// How long each step may take.
    pub(super) fn within(&self) -> Duration {
        self.step
    }

    async fn spawned(
        &self,
        name: &str,
        mut leash: Option<Leash>,
        purpose: Purpose,
        asked: Instant,
    ) -> Result<ChildStream, CameraError> {
        let path = self.path.clone().map_or_else(std::env::current_exe, Ok);
        let shown = path.as_ref().map_or_else(|_| "agentcall".to_owned(), |p| p.display().to_string());
        let spawning = apart(move || path.and_then(|path| command(path).spawn()));
        let spawned = tokio::select! {
            biased;
            why = over(&mut leash) => return Err(CameraError::Closed { name: name.to_owned(), why }),
            spawned = tokio::time::timeout(self.step, spawning) => spawned,
        };
        let spawned = spawned.map_err(|_| CameraError::Hung {
            name: name.to_owned(),
            step: "starting",
            within: self.step,
        })?;
        let mut process = spawned.map_err(|source| CameraError::Start { program: shown, source })?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            unreachable!("all three pipes were asked for");
        };
        let words = Arc::new(Mutex::new(VecDeque::new()));
        let listening = tokio::spawn(listen(errors, Arc::clone(&words)));
        let (stop, stopped) = oneshot::channel();
        let (tell, ended) = watch::channel(None);
        tokio::spawn(keep(process, leash.clone(), stopped, tell, listening));
        Ok(ChildStream::new(name, purpose, asked, (input, output), words, leash, self.step, (ended, stop)))
    }
}

/// Waits until the consent is over; for ever where none is needed.
pub(super) async fn over(leash: &mut Option<Leash>) -> Ended {
    match leash {
        Some(leash) => leash.ended().await,
        None => std::future::pending().await,
    }
}

/// Runs `spawn` on a thread of its own: it waits until the new process has become our program, and one that is held
/// up before that would hold up everybody. Where nobody waits for the process any more, it is ended as soon as it
/// is there; a thread of the runtime's own would also keep the runtime from ending.
pub(super) async fn apart(
    spawn: impl FnOnce() -> std::io::Result<Child> + Send + 'static,
) -> std::io::Result<Child> {
    let runtime = tokio::runtime::Handle::current();
    let (tell, told) = oneshot::channel();
    std::thread::Builder::new().name("camera-start".into()).spawn(move || {
        let _inside = runtime.enter();
        // A child that nobody takes is dropped here, which ends it (`kill_on_drop`).
        drop(tell.send(spawn()));
    })?;
    told.await.unwrap_or_else(|_| Err(std::io::Error::other("the thread that starts it ended")))
}

pub(super) fn command(path: PathBuf) -> Command {
    let mut command = Command::new(path);
    command.arg(child::ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear().kill_on_drop(true);
    for name in ENVIRONMENT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    // Keys such as Ctrl-C are for us; the child ends when its input does.
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Ends the child when the consent or the stream does, and collects its exit status.
async fn keep(
    mut process: Child,
    mut leash: Option<Leash>,
    stopped: oneshot::Receiver<()>,
    tell: watch::Sender<Option<ExitStatus>>,
    mut listening: JoinHandle<()>,
) {
    let early = tokio::select! {
        status = process.wait() => status.ok(),
        _ = stopped => None,
        _ = over(&mut leash) => None,
    };
    let status = match early {
        Some(status) => Some(status),
        None => {
            end_group(&process);
            let _ = process.start_kill();
            process.wait().await.ok()
        }
    };
    // What it said last is in the pipe by now; whoever else still holds the pipe is not listened to.
    let _ = tokio::time::timeout(LAST_WORDS, &mut listening).await;
    listening.abort();
    tell.send_replace(status);
}

/// Ends what the child may have started: it leads a group of its own. It was not collected yet, so the number of the
/// group is still its own.
#[cfg(unix)]
fn end_group(process: &Child) {
    let id = process.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    if let Some(id) = id {
        let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

/// Keeps the last words of the child; reading on keeps it from blocking.
async fn listen(mut errors: ChildStderr, words: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        let Ok(mut kept) = words.lock() else { return };
        kept.extend(&buffer[..count]);
        let over = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..over);
    }
}
