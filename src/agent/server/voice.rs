//! The agent's voice on a call (`--speak`): its speech segments through espeak-ng, as packets of sound.
//!
//! The text goes to standard input and never among the arguments; each text is one process, bounded in time and in bytes.

use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::media::file::{Bound, read};
use crate::media::opus::{Encoder, OpusSettings};
use crate::rtp::FRAME;

/// The program that speaks.
pub(super) const PROGRAM: &str = "espeak-ng";
/// How long it may take to say which version it is, and to speak one text into a file.
const WITHIN: Duration = Duration::from_secs(10);
/// Most characters of one text that are spoken.
const LONGEST: usize = 400;
/// What one text may be at most as sound.
const BOUND: Bound = Bound { bytes: 8 * 1024 * 1024, seconds: 60 };
/// Most texts that wait; what comes beyond is not spoken.
const WAITING: usize = 16;

/// Whether the program can be run; why not.
pub(super) async fn check() -> std::io::Result<()> {
    let mut command = command(&["--version"]);
    let status = timeout(WITHIN, command.stdin(Stdio::null()).stdout(Stdio::null()).status());
    match status.await.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))?? {
        status if status.success() => Ok(()),
        status => Err(std::io::Error::other(format!("it ended with {status}"))),
    }
}

/// One voice: what it is given comes back as sound, in order. Dropping it stops it, and ends what speaks.
pub(super) struct Voice {
    texts: mpsc::Sender<String>,
    /// The packets of one text, 20 ms each.
    pub spoken: mpsc::Receiver<Vec<Bytes>>,
    task: JoinHandle<()>,
}

impl Voice {
    pub fn new() -> Self {
        let (texts, mut to_speak) = mpsc::channel::<String>(WAITING);
        let (packets, spoken) = mpsc::channel(WAITING);
        let task = tokio::spawn(async move {
            while let Some(text) = to_speak.recv().await {
                // That it can speak was found out at the start; a text that it cannot speak stands on the screen all the same.
                let Ok(sound) = speak(&text).await else { continue };
                if packets.send(sound).await.is_err() {
                    return;
                }
            }
        });
        Self { texts, spoken, task }
    }

    /// Speaks this text after those before it.
    pub fn say(&self, text: &str) {
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let _too_many = self.texts.try_send(plain.take(LONGEST).collect());
    }
}

impl Drop for Voice {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stderr(Stdio::null()).env_clear().kill_on_drop(true);
    for name in ["PATH", "HOME", "LANG", "ESPEAK_DATA_PATH", "SystemRoot"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

async fn speak(text: &str) -> std::io::Result<Vec<Bytes>> {
    let mut command = command(&["--stdin", "--stdout"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let spoken = async {
        let write = async {
            if let Some(mut input) = input {
                let _closed_early = input.write_all(text.as_bytes()).await;
            }
        };
        let mut wav = Vec::new();
        let read = async {
            match output {
                Some(output) => output.take(BOUND.bytes as u64 + 1).read_to_end(&mut wav).await,
                None => Ok(0),
            }
        };
        let ((), read) = tokio::join!(write, read);
        read.map(|_| wav)
    };
    let wav =
        timeout(WITHIN, spoken).await.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??;
    tokio::task::spawn_blocking(move || packets(&wav)).await.map_err(std::io::Error::other)?
}

/// The sound of a WAV file in packets.
fn packets(wav: &[u8]) -> std::io::Result<Vec<Bytes>> {
    let mut samples = read(wav, BOUND).map_err(std::io::Error::other)?;
    samples.resize(samples.len().next_multiple_of(FRAME), 0.0);
    let mut encoder = Encoder::new(OpusSettings::default()).map_err(std::io::Error::other)?;
    let frames = samples.chunks_exact(FRAME);
    frames.map(|frame| encoder.encode(frame).map(|p| p.into_bytes()).map_err(std::io::Error::other)).collect()
}
