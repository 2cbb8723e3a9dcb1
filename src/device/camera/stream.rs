//! An open child: asking it under deadlines, and what its answers come to.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::process::over;
use super::wire::{self, Prefix, RawFacts, Reply, Request, Size};
use super::{Boxed, CameraError, CameraStream, CameraTrouble, Probe, StreamFormat};
use crate::device::Leash;
use crate::picture::Picture;

/// A picture darker than this may be one that was taken before the camera found its exposure.
const DARK: u8 = 8;
/// How many dark frames are passed over, and for how long, before darkness is taken for the picture.
const DARK_FRAMES: usize = 30;
const DARK_TIME: Duration = Duration::from_secs(1);

/// What a child is there for; it decides what silence means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Pictures without a lens: a silent child hangs.
    Simulated,
    /// A real camera: a silent one gives no pictures.
    Lens,
    /// Looking which cameras there are.
    Listing,
}

/// An open child. Dropping it drops `stop`, which ends the process.
pub(super) struct ChildStream {
    name: String,
    purpose: Purpose,
    format: StreamFormat,
    input: ChildStdin,
    output: ChildStdout,
    words: Arc<Mutex<VecDeque<u8>>>,
    leash: Option<Leash>,
    within: Duration,
    ended: watch::Receiver<Option<ExitStatus>>,
    stop: oneshot::Sender<()>,
    asked: Instant,
    started: Duration,
    opened: Duration,
    /// Whether the last picture for aiming was neither dark nor unfilled.
    is_usable: bool,
}

/// What went wrong while talking.
enum Broken {
    Pipe,
    Wire(wire::WireError),
}

impl ChildStream {
    #[expect(clippy::too_many_arguments, reason = "each is one part of a process that has just been started")]
    pub fn new(
        name: &str,
        purpose: Purpose,
        asked: Instant,
        (input, output): (ChildStdin, ChildStdout),
        words: Arc<Mutex<VecDeque<u8>>>,
        leash: Option<Leash>,
        within: Duration,
        (ended, stop): (watch::Receiver<Option<ExitStatus>>, oneshot::Sender<()>),
    ) -> Self {
        let format = StreamFormat { name: name.to_owned(), width: 0, height: 0, fourcc: None, fps: None };
        let (name, never) = (name.to_owned(), Duration::ZERO);
        Self {
            name,
            purpose,
            format,
            input,
            output,
            words,
            leash,
            within,
            ended,
            stop,
            asked,
            started: never,
            opened: never,
            is_usable: false,
        }
    }

    /// Notes that the process is there.
    pub fn greeted(&mut self) {
        self.started = self.asked.elapsed();
    }

    /// Notes that the camera is open.
    pub fn opened(&mut self, format: StreamFormat) {
        self.format = format;
        self.opened = self.asked.elapsed();
    }

    /// One encoded request (none for the greeting) and its reply, within the deadline and the consent.
    pub async fn step(
        &mut self,
        step: &'static str,
        request: Option<&[u8]>,
    ) -> Result<(Reply, Zeroizing<Vec<u8>>), CameraError> {
        let (name, within) = (self.name.clone(), self.within);
        let mut leash = self.leash.clone();
        let talked = tokio::select! {
            biased;
            why = over(&mut leash) => {
                gone(&mut self.ended).await;
                return Err(CameraError::Closed { name, why });
            }
            talked = tokio::time::timeout(within, talk(&mut self.input, &mut self.output, request)) => talked,
        };
        match talked {
            Ok(Ok((Reply::Failed { trouble: Some(trouble), .. }, _))) => {
                Err(CameraError::Trouble { name, trouble: trouble.tidied() })
            }
            Ok(Ok((Reply::Failed { message, trouble: None }, _))) => {
                let message = message.chars().filter(|c| !c.is_control()).take(wire::MESSAGE_CHARS).collect();
                Err(CameraError::Refused { name, message })
            }
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Broken::Wire(e))) => Err(CameraError::Garbled { name, step, what: e.to_string() }),
            Ok(Err(Broken::Pipe)) => Err(CameraError::Died { name, step, how: self.last_words().await }),
            // A lens that gives nothing holds its driver, and with it the child, for ever.
            Err(_) if self.purpose == Purpose::Lens && !["starting", "opening"].contains(&step) => {
                let milliseconds = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
                Err(CameraError::Trouble { name, trouble: CameraTrouble::NoFrames { milliseconds } })
            }
            Err(_) => Err(CameraError::Hung { name, step, within }),
        }
    }

    pub fn unexpected(&self, step: &'static str, reply: &Reply) -> CameraError {
        let what = match reply {
            Reply::Hello { version } if *version != wire::VERSION => {
                format!("it speaks version {version}, not {}", wire::VERSION)
            }
            _ => "it answered something that was not asked".to_owned(),
        };
        CameraError::Garbled { name: self.name.clone(), step, what }
    }

    /// Ends the process and waits until it is gone.
    pub async fn end(self) {
        let Self { stop, mut ended, input, .. } = self;
        drop((stop, input));
        gone(&mut ended).await;
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

    /// Waits for the first frame that is neither dark nor unfilled, or for the last that is. Where one was seen already, the
    /// light need not stay on for another.
    async fn settled(&mut self, mut seen: impl FnMut()) -> Result<(), CameraError> {
        if self.is_usable {
            return Ok(());
        }
        let start = Instant::now();
        let mut passed = 0;
        loop {
            let (picture, _) = self.frame("taking the picture", Size::Preview).await?;
            seen();
            if is_usable(&picture) || passed == DARK_FRAMES || start.elapsed() >= DARK_TIME {
                return Ok(());
            }
            passed += 1;
        }
    }

    /// Waits for something to see and takes the last frame, with which the child closes the camera. Also, since it was
    /// asked for, when there was something to see.
    async fn shot(
        &mut self,
        seen: impl FnMut(),
    ) -> Result<(Duration, Picture, Option<RawFacts>), CameraError> {
        self.settled(seen).await?;
        let usable = self.asked.elapsed();
        let (picture, raw) = self.frame("taking the picture", Size::Full).await?;
        Ok((usable, picture, raw))
    }

    async fn frame(
        &mut self,
        step: &'static str,
        size: Size,
    ) -> Result<(Picture, Option<RawFacts>), CameraError> {
        let garbled =
            |e: wire::WireError| CameraError::Garbled { name: self.name.clone(), step, what: e.to_string() };
        let request = wire::encode(&Request::Frame { size }, 0).map_err(garbled)?;
        match self.step(step, Some(&request)).await? {
            (Reply::Frame { format, width, height, stride, raw }, mut payload) => {
                let pixels = std::mem::take(&mut *payload);
                match wire::picture(&format, width, height, stride, pixels) {
                    Ok(picture) => Ok((picture, raw)),
                    Err(e) => {
                        Err(CameraError::Garbled { name: self.name.clone(), step, what: e.to_string() })
                    }
                }
            }
            (other, _) => Err(self.unexpected(step, &other)),
        }
    }

    /// Aims until there is something to see, then takes one picture as the shutter does; tells when what happened.
    async fn probed(mut self: Box<Self>) -> Result<Probe, CameraError> {
        let (asked, mut first, mut frames) = (self.asked, None, 0);
        let taken = self
            .shot(|| {
                first.get_or_insert_with(|| asked.elapsed());
                frames += 1;
            })
            .await;
        let there = asked.elapsed();
        let (format, started, opened) = (self.format.clone(), self.started, self.opened);
        self.close().await;
        let closed = asked.elapsed();
        let (usable, picture, last) = taken?;
        Ok(Probe {
            format,
            width: picture.width(),
            height: picture.height(),
            raw_bytes: last.map(|raw| raw.bytes),
            dropped: last.map_or(0, |raw| raw.dropped),
            frames,
            started,
            opened,
            first_frame: first.unwrap_or(usable),
            first_usable: usable,
            picture: there,
            closed,
        })
    }
}

/// Whether there is something to see: it is neither dark nor a buffer that was not filled yet.
fn is_usable(picture: &Picture) -> bool {
    picture.mean_luma() >= DARK && !picture.is_unfilled_green()
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
        Box::pin(async {
            let (picture, _) = self.frame("aiming", Size::Preview).await?;
            self.is_usable = is_usable(&picture);
            Ok(picture)
        })
    }

    fn shutter(mut self: Box<Self>) -> Boxed<'static, Result<Picture, CameraError>> {
        Box::pin(async move {
            let taken = self.shot(|| {}).await;
            self.close().await;
            taken.map(|(_, picture, _)| picture)
        })
    }

    fn probe(self: Box<Self>) -> Boxed<'static, Result<Probe, CameraError>> {
        Box::pin(self.probed())
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin((*self).end())
    }
}
