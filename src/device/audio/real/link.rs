//! The way to the child that holds a device.

use std::time::Duration;

use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep, timeout};

use super::super::frame::{Frame, HEAD, Opened};
use super::super::{AudioProgram, AudioTrouble, Direction, child};
use super::{PAUSE, RECOVERY, may_pass};

/// How long opening may take, the child's own bounds within.
const OPENING: Duration = Duration::from_secs(5);
/// A child that says nothing for so long does not work any more; it would itself say so of its device earlier.
const SILENT: Duration = Duration::from_secs(3);
/// How long a child may take to be gone.
const GONE: Duration = Duration::from_millis(900);

/// A child with an open device. Dropping it ends the child, and with it the device.
pub(super) struct Held {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Where a speaker's samples go. The child holds the device as long as it is open.
    pub input: ChildStdin,
    /// What was opened.
    pub opened: Opened,
}

impl Held {
    /// Starts a child and waits until its device works.
    pub async fn open(
        program: &AudioProgram,
        direction: Direction,
        name: &str,
    ) -> Result<Self, AudioTrouble> {
        let crashed = |how: std::io::Error| AudioTrouble::Crashed { how: how.to_string() };
        let word = match direction {
            Direction::Microphone => child::HEAR,
            Direction::Speaker => child::SPEAK,
        };
        let mut child = program.command(&[word, name]).map_err(crashed)?.spawn().map_err(crashed)?;
        let output = BufReader::new(child.stdout.take().expect("its output was asked for"));
        let input = child.stdin.take().expect("its input was asked for");
        let form = super::super::Sound { channels: 0, rate: 0, format: String::new() };
        let mut held = Self { child, output, input, opened: Opened { name: String::new(), sound: form } };
        match timeout(OPENING, held.frame()).await {
            Err(_) => Err(AudioTrouble::Silent { within: OPENING }),
            Ok(Ok(Frame::Opened(opened))) => {
                held.opened = opened;
                Ok(held)
            }
            Ok(Ok(_)) => Err(garbled()),
            Ok(Err(trouble)) => Err(trouble),
        }
    }

    /// Opens it anew, as often as it takes and for as long as it may help.
    pub async fn reopen(
        program: &AudioProgram,
        direction: Direction,
        name: &str,
    ) -> Result<Self, AudioTrouble> {
        let since = Instant::now();
        loop {
            match Self::open(program, direction, name).await {
                Ok(held) => return Ok(held),
                Err(trouble) if !may_pass(&trouble) || since.elapsed() >= RECOVERY => return Err(trouble),
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// The next message. Not cancel-safe.
    pub async fn next(&mut self) -> Result<Frame, AudioTrouble> {
        timeout(SILENT, self.frame()).await.unwrap_or(Err(AudioTrouble::Silent { within: SILENT }))
    }

    /// The two halves, for who does both at a time.
    pub fn halves(&mut self) -> (Messages<'_>, &mut ChildStdin) {
        (Messages { output: &mut self.output, child: &mut self.child }, &mut self.input)
    }

    async fn frame(&mut self) -> Result<Frame, AudioTrouble> {
        self.halves().0.frame().await
    }

    /// Ends the child and waits until it is gone.
    pub async fn end(mut self) {
        let _ = self.child.start_kill();
        let _ = timeout(GONE, self.child.wait()).await;
    }
}

/// What the child tells.
pub(super) struct Messages<'a> {
    output: &'a mut BufReader<ChildStdout>,
    child: &'a mut Child,
}

impl Messages<'_> {
    /// The next message within its bound. Not cancel-safe.
    pub async fn next(&mut self) -> Result<Frame, AudioTrouble> {
        timeout(SILENT, self.frame()).await.unwrap_or(Err(AudioTrouble::Silent { within: SILENT }))
    }

    async fn frame(&mut self) -> Result<Frame, AudioTrouble> {
        let mut head = [0; HEAD];
        if self.output.read_exact(&mut head).await.is_err() {
            return Err(self.ended().await);
        }
        let (letter, length) = Frame::head(head).ok_or_else(garbled)?;
        let mut payload = vec![0; length];
        if self.output.read_exact(&mut payload).await.is_err() {
            return Err(self.ended().await);
        }
        match Frame::read(letter, &payload) {
            Some(Frame::Failed(trouble)) => Err(trouble),
            Some(frame) => Ok(frame),
            None => Err(garbled()),
        }
    }

    async fn ended(&mut self) -> AudioTrouble {
        let status = timeout(GONE, self.child.wait()).await.ok().and_then(Result::ok);
        let how = status.map_or_else(|| "it fell silent".to_owned(), |status| status.to_string());
        AudioTrouble::Crashed { how }
    }
}

fn garbled() -> AudioTrouble {
    AudioTrouble::Crashed { how: "it told something else".to_owned() }
}
