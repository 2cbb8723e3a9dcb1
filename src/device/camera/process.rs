//! Our side of the child process: starting it, asking it under deadlines, ending it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use zeroize::Zeroizing;

use super::wire::{self, Prefix, Reply, Request, Size, Source};
use super::{Boxed, CameraError, CameraStream, StreamFormat, child};
use crate::device::{Armed, DeviceKind, Leash};
use crate::picture::Picture;

/// How long each step may take.
const STEP: Duration = Duration::from_secs(5);
/// A picture darker than this may be one that was taken before the camera found its exposure.
const DARK: u8 = 8;
/// How many dark frames are passed over, and for how long, before darkness is taken for the picture.
const DARK_FRAMES: usize = 30;
const DARK_TIME: Duration = Duration::from_secs(1);
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
        let mut stream = self.start(name, armed.leash()).await?;
        match stream.step("starting", None).await? {
            (Reply::Hello { version: wire::VERSION }, _) => {}
            (other, _) => return Err(stream.unexpected("starting", &other)),
        }
        match stream.step("opening", Some(&open)).await? {
            (Reply::Opened { name, width, height }, _) => {
                let name = name.chars().filter(|c| !c.is_control()).take(128).collect();
                stream.format = StreamFormat { name, width, height };
                Ok(Box::new(stream))
            }
            (other, _) => Err(stream.unexpected("opening", &other)),
        }
    }

    async fn start(&self, name: &str, mut leash: Leash) -> Result<ChildStream, CameraError> {
        let path = self.path.clone().map_or_else(std::env::current_exe, Ok);
        let shown = path.as_ref().map_or_else(|_| "agentcall".to_owned(), |p| p.display().to_string());
        let spawning = apart(move || path.and_then(|path| command(path).spawn()));
        let spawned = tokio::select! {
            biased;
            why = leash.ended() => return Err(CameraError::Closed { name: name.to_owned(), why }),
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
        let format = StreamFormat { name: name.to_owned(), width: 0, height: 0 };
        let name = name.to_owned();
        Ok(ChildStream { name, format, input, output, words, leash, within: self.step, ended, stop })
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
    mut leash: Leash,
    stopped: oneshot::Receiver<()>,
    tell: watch::Sender<Option<ExitStatus>>,
    mut listening: JoinHandle<()>,
) {
    let early = tokio::select! {
        status = process.wait() => status.ok(),
        _ = stopped => None,
        _ = leash.ended() => None,
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

/// An open child. Dropping it drops `stop`, which ends the process.
struct ChildStream {
    name: String,
    format: StreamFormat,
    input: ChildStdin,
    output: ChildStdout,
    words: Arc<Mutex<VecDeque<u8>>>,
    leash: Leash,
    within: Duration,
    ended: watch::Receiver<Option<ExitStatus>>,
    stop: oneshot::Sender<()>,
}

/// What went wrong while talking.
enum Broken {
    Pipe,
    Wire(wire::WireError),
}

impl ChildStream {
    /// One encoded request (none for the greeting) and its reply, within the deadline and the consent.
    async fn step(
        &mut self,
        step: &'static str,
        request: Option<&[u8]>,
    ) -> Result<(Reply, Zeroizing<Vec<u8>>), CameraError> {
        let (name, within) = (self.name.clone(), self.within);
        let mut leash = self.leash.clone();
        let talked = tokio::select! {
            biased;
            why = leash.ended() => {
                gone(&mut self.ended).await;
                return Err(CameraError::Closed { name, why });
            }
            talked = tokio::time::timeout(within, talk(&mut self.input, &mut self.output, request)) => talked,
        };
        match talked {
            Ok(Ok((Reply::Failed { message }, _))) => {
                let message = message.chars().filter(|c| !c.is_control()).take(wire::MESSAGE_CHARS).collect();
                Err(CameraError::Refused { name, message })
            }
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Broken::Wire(e))) => Err(CameraError::Garbled { name, step, what: e.to_string() }),
            Ok(Err(Broken::Pipe)) => Err(CameraError::Died { name, step, how: self.last_words().await }),
            Err(_) => Err(CameraError::Hung { name, step, within }),
        }
    }

    fn unexpected(&self, step: &'static str, reply: &Reply) -> CameraError {
        let what = match reply {
            Reply::Hello { version } if *version != wire::VERSION => {
                format!("it speaks version {version}, not {}", wire::VERSION)
            }
            _ => "it answered something that was not asked".to_owned(),
        };
        CameraError::Garbled { name: self.name.clone(), step, what }
    }

    /// How the process ended, and the last line it wrote.
    async fn last_words(&mut self) -> String {
        let ended =
            tokio::time::timeout(Duration::from_millis(500), self.ended.wait_for(Option::is_some)).await;
        let status = ended.ok().and_then(Result::ok).and_then(|s| *s);
        let bytes: Vec<u8> = self.words.lock().map(|w| w.iter().copied().collect()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
        let line: String = line.chars().filter(|c| !c.is_control()).take(200).collect();
        let status = status.map(|s| format!(" ({s})")).unwrap_or_default();
        if line.is_empty() { status } else { format!("{status}: {line}") }
    }

    /// The first full frame that is neither dark nor unfilled, or the last that is.
    async fn settled(&mut self) -> Result<Picture, CameraError> {
        let start = tokio::time::Instant::now();
        let mut picture = self.frame("taking the picture", Size::Full).await?;
        let mut passed = 0;
        while (picture.mean_luma() < DARK || picture.is_unfilled_green())
            && passed < DARK_FRAMES
            && start.elapsed() < DARK_TIME
        {
            picture = self.frame("taking the picture", Size::Full).await?;
            passed += 1;
        }
        Ok(picture)
    }

    async fn frame(&mut self, step: &'static str, size: Size) -> Result<Picture, CameraError> {
        let garbled =
            |e: wire::WireError| CameraError::Garbled { name: self.name.clone(), step, what: e.to_string() };
        let request = wire::encode(&Request::Frame { size }, 0).map_err(garbled)?;
        match self.step(step, Some(&request)).await? {
            (Reply::Frame { format, width, height, stride }, mut payload) => {
                let pixels = std::mem::take(&mut *payload);
                wire::picture(&format, width, height, stride, pixels).map_err(|e| CameraError::Garbled {
                    name: self.name.clone(),
                    step,
                    what: e.to_string(),
                })
            }
            (other, _) => Err(self.unexpected(step, &other)),
        }
    }
}

/// Waits until the child is gone. Ending a process does not take long; a kernel that holds it must not hold us.
async fn gone(ended: &mut watch::Receiver<Option<ExitStatus>>) {
    let _ = tokio::time::timeout(Duration::from_secs(1), ended.wait_for(Option::is_some)).await;
}

async fn talk(
    input: &mut ChildStdin,
    output: &mut ChildStdout,
    request: Option<&[u8]>,
) -> Result<(Reply, Zeroizing<Vec<u8>>), Broken> {
    if let Some(bytes) = request {
        input.write_all(bytes).await.map_err(|_| Broken::Pipe)?;
        input.flush().await.map_err(|_| Broken::Pipe)?;
    }
    let mut prefix = [0; wire::PREFIX_BYTES];
    output.read_exact(&mut prefix).await.map_err(|_| Broken::Pipe)?;
    let prefix = Prefix::parse(&prefix).map_err(Broken::Wire)?;
    let mut header = vec![0; prefix.header];
    output.read_exact(&mut header).await.map_err(|_| Broken::Pipe)?;
    let reply = wire::decode(&header).map_err(Broken::Wire)?;
    // Memory grows with what really comes, not with what was announced.
    let mut payload = Zeroizing::new(Vec::new());
    output.take(prefix.payload as u64).read_to_end(&mut payload).await.map_err(|_| Broken::Pipe)?;
    if payload.len() == prefix.payload { Ok((reply, payload)) } else { Err(Broken::Pipe) }
}

impl CameraStream for ChildStream {
    fn format(&self) -> &StreamFormat {
        &self.format
    }

    fn preview(&mut self) -> Boxed<'_, Result<Picture, CameraError>> {
        Box::pin(self.frame("aiming", Size::Preview))
    }

    fn shutter(mut self: Box<Self>) -> Boxed<'static, Result<Picture, CameraError>> {
        Box::pin(async move {
            let taken = self.settled().await;
            self.close().await;
            taken
        })
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move {
            let Self { stop, mut ended, input, .. } = *self;
            drop((stop, input));
            gone(&mut ended).await;
        })
    }
}
