//! A tone, silence, or a sound file in the place of a microphone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::stream::{AudioError, Boxed, Microphone, MicrophoneStream, RATE, Taken, samples};
use super::super::{AudioTrouble, Direction, Sound};
use super::{form, shown, sound};
use crate::device::{Armed, DeviceKind, Leash};

/// The tone of the microphone that is called `simulated`, in hertz.
const TONE: u32 = 440;
/// How loud it is: a fifth of the full scale, about −17 dB RMS.
const LOUDNESS: f32 = 0.2;
/// The most that one call gives; what is due beyond it follows with the next.
const AT_ONCE: Duration = Duration::from_secs(10);

/// A microphone before which no air moves. Its name begins with SIMULATED.
#[derive(Clone, Debug)]
pub struct SimulatedMicrophone {
    name: String,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Silence,
    Tone(u32),
    File(PathBuf),
}

impl Default for SimulatedMicrophone {
    fn default() -> Self {
        Self::tone(TONE)
    }
}

impl SimulatedMicrophone {
    /// Nothing is heard: zeros.
    pub fn silence() -> Self {
        Self { name: "SIMULATED silence".to_owned(), source: Source::Silence }
    }

    /// A sine of so many hertz, from its beginning at each opening.
    pub fn tone(hertz: u32) -> Self {
        Self { name: format!("SIMULATED tone {hertz} Hz"), source: Source::Tone(hertz) }
    }

    /// A WAV or Opus file. It is read whole when the microphone is opened, and heard from its beginning at each opening;
    /// silence follows. A relative path counts from the working directory.
    pub fn file(path: &Path) -> Self {
        let name = format!("SIMULATED {}", shown(path));
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { name, source: Source::File(path) }
    }

    /// What a name means: `simulated`, `silence`, `tone:HZ` (20 to 20000), `file:PATH`. `None` where it means none of these.
    ///
    /// # Errors
    /// [`AudioError::NoSuchDevice`] for a tone that cannot be heard, and a file without a name.
    pub fn named(name: &str) -> Option<Result<Self, AudioError>> {
        let name = name.trim();
        let wrong = |why: &str| {
            let why = format!("there is no microphone \"{}\": {why}", shown(Path::new(name)));
            let hint = "give simulated, silence, tone:440 or file:PATH".to_owned();
            Err(AudioError::NoSuchDevice { why, available: String::new(), hint })
        };
        let lower = name.to_lowercase();
        if let Some(hertz) = lower.strip_prefix("tone:") {
            let hertz = hertz.trim().trim_end_matches("hz").trim_end().parse().ok();
            let fits = hertz.filter(|hertz| (20..=20_000).contains(hertz));
            return Some(fits.map_or_else(|| wrong("a tone has 20 to 20000 hertz"), |hz| Ok(Self::tone(hz))));
        }
        if lower.starts_with("file:") {
            let path = name["file:".len()..].trim();
            return Some(if path.is_empty() {
                wrong("no file is named")
            } else {
                Ok(Self::file(Path::new(path)))
            });
        }
        let twins = [Self::default(), Self::silence()];
        let is_first = lower == "simulated";
        let is_silence = lower == "silence";
        let known = twins.into_iter().find(|twin| {
            lower == twin.name.to_lowercase()
                || (is_first && matches!(twin.source, Source::Tone(_)))
                || (is_silence && matches!(twin.source, Source::Silence))
        });
        known.map(Ok)
    }
}

impl Microphone for SimulatedMicrophone {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn MicrophoneStream>, AudioError>> {
        Box::pin(async move {
            if !armed.permits(DeviceKind::Microphone) {
                return Err(AudioError::NotArmed { name: self.name.clone() });
            }
            let playing = match &self.source {
                Source::Silence => Playing::Silence,
                Source::Tone(hertz) => Playing::Tone(*hertz),
                Source::File(path) => Playing::File(self.read(path).await?),
            };
            let leash = armed.leash();
            if let Some(why) = leash.over() {
                return Err(AudioError::Closed { name: self.name.clone(), why });
            }
            let (name, opened) = (self.name.clone(), Instant::now());
            let stream = SimulatedStream { name, form: form(), playing, leash, opened, given: 0 };
            Ok(Box::new(stream) as Box<dyn MicrophoneStream>)
        })
    }
}

impl SimulatedMicrophone {
    async fn read(&self, path: &Path) -> Result<Arc<[f32]>, AudioError> {
        let (file, path) = (shown(path), path.to_owned());
        let read = tokio::task::spawn_blocking(move || sound::read(&path)).await;
        let read = read.unwrap_or_else(|failed| Err(failed.to_string()));
        read.map(Arc::from).map_err(|what| AudioError::Trouble {
            direction: Direction::Microphone,
            name: self.name.clone(),
            trouble: AudioTrouble::File { file, what },
        })
    }
}

/// What is heard.
enum Playing {
    Silence,
    Tone(u32),
    File(Arc<[f32]>),
}

impl Playing {
    /// The samples from a place on, and whether a file ends within them.
    fn give(&self, from: u64, count: u64, into: &mut Vec<f32>) -> bool {
        match self {
            Self::Silence => into.extend((0..count).map(|_| 0.0)),
            Self::Tone(hertz) => into.extend((from..from + count).map(|at| sine(*hertz, at))),
            Self::File(samples) => {
                let length = samples.len() as u64;
                let place = |at: u64| usize::try_from(at.min(length)).unwrap_or(samples.len());
                let heard = &samples[place(from)..place(from + count)];
                into.extend_from_slice(heard);
                into.extend((heard.len() as u64..count).map(|_| 0.0));
                // An empty file ends with the first samples, too.
                return count > 0 && (from < length || from == 0) && from + count >= length;
            }
        }
        false
    }
}

/// One sample of a sine. The phase is worked out from whole numbers, so that it does not drift in an hour.
fn sine(hertz: u32, at: u64) -> f32 {
    let turn = (at * u64::from(hertz)) % u64::from(RATE);
    let phase = f64::from(u32::try_from(turn).unwrap_or(0)) / f64::from(RATE);
    #[expect(clippy::cast_possible_truncation, reason = "a sample is that coarse")]
    let value = (phase * std::f64::consts::TAU).sin() as f32;
    value * LOUDNESS
}

struct SimulatedStream {
    name: String,
    form: Sound,
    playing: Playing,
    leash: Leash,
    opened: Instant,
    /// Samples that were taken so far.
    given: u64,
}

impl MicrophoneStream for SimulatedStream {
    fn sound(&self) -> &Sound {
        &self.form
    }

    fn take(&mut self, into: &mut Vec<f32>) -> Result<Taken, AudioError> {
        if let Some(why) = self.leash.over() {
            return Err(AudioError::Closed { name: self.name.clone(), why });
        }
        let due = samples(self.opened.elapsed()).saturating_sub(self.given).min(samples(AT_ONCE));
        let ended = self.playing.give(self.given, due, into);
        self.given += due;
        let samples = usize::try_from(due).unwrap_or(usize::MAX);
        Ok(Taken { samples, ended, ..Taken::default() })
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async {})
    }
}
