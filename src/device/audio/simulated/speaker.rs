//! Nowhere, or a WAV file, in the place of a speaker.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use tokio::time::Instant;

use super::super::stream::{AudioError, Boxed, RATE, SPEAKER_SAMPLES, Speaker, SpeakerStream, samples};
use super::super::{AudioTrouble, Direction, Sound};
use super::{form, shown};

/// The most samples in a file: what the format's sizes can count, with room for its head. Six hours.
const MOST: u64 = (u32::MAX as u64 - 1024) / 4;
/// After so many samples the file is brought to a state that others can read, should we be killed: one second.
const SETTLED_EVERY: u64 = RATE as u64;

/// A speaker that nobody hears. Its name begins with SIMULATED.
#[derive(Clone, Debug)]
pub struct SimulatedSpeaker {
    name: String,
    file: Option<PathBuf>,
}

impl Default for SimulatedSpeaker {
    fn default() -> Self {
        Self::nowhere()
    }
}

impl SimulatedSpeaker {
    /// What is played is gone, at its pace.
    pub fn nowhere() -> Self {
        Self { name: "SIMULATED nowhere".to_owned(), file: None }
    }

    /// What is played is written into a WAV file (mono, 48 kHz, 16 bit) at its pace, pauses too. The file is made anew at
    /// each opening. A relative path counts from the working directory.
    pub fn file(path: &Path) -> Self {
        let name = format!("SIMULATED {}", shown(path));
        Self { name, file: Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())) }
    }

    /// What a name means: `simulated` or `nowhere`, `file:PATH`. `None` where it means none of these.
    ///
    /// # Errors
    /// [`AudioError::NoSuchDevice`] for a file without a name.
    pub fn named(name: &str) -> Option<Result<Self, AudioError>> {
        let name = name.trim();
        let lower = name.to_lowercase();
        if lower.starts_with("file:") {
            let path = name["file:".len()..].trim();
            if path.is_empty() {
                let why = "there is no speaker \"file:\": no file is named".to_owned();
                let hint = "give simulated or file:PATH".to_owned();
                return Some(Err(AudioError::NoSuchDevice { why, available: String::new(), hint }));
            }
            return Some(Ok(Self::file(Path::new(path))));
        }
        let nowhere = Self::nowhere();
        let is_it =
            ["simulated", "nowhere"].contains(&lower.as_str()) || lower == nowhere.name.to_lowercase();
        is_it.then_some(Ok(nowhere))
    }

    /// Opens it at once.
    pub(in super::super) fn stream(&self) -> Result<Box<dyn SpeakerStream>, AudioError> {
        self.opened().map(|stream| Box::new(stream) as Box<dyn SpeakerStream>)
    }

    fn opened(&self) -> Result<SimulatedStream, AudioError> {
        let file = self.file.as_deref().map(|path| self.create(path)).transpose()?;
        let opened = Instant::now();
        let name = self.name.clone();
        let waiting = VecDeque::with_capacity(SPEAKER_SAMPLES);
        Ok(SimulatedStream { name, form: form(), opened, played: 0, waiting, file })
    }

    fn create(&self, path: &Path) -> Result<Recording, AudioError> {
        let form = hound::WavSpec {
            channels: 1,
            sample_rate: RATE,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let file = shown(path);
        match hound::WavWriter::create(path, form) {
            Ok(writer) => Ok(Recording { file, writer, written: 0 }),
            Err(error) => Err(unwritable(&self.name, file, &error)),
        }
    }
}

fn unwritable(name: &str, file: String, error: &hound::Error) -> AudioError {
    let trouble = AudioTrouble::File { file, what: error.to_string() };
    AudioError::Trouble { direction: Direction::Speaker, name: name.to_owned(), trouble }
}

impl Speaker for SimulatedSpeaker {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn open(&mut self) -> Boxed<'_, Result<Box<dyn SpeakerStream>, AudioError>> {
        Box::pin(async { self.stream() })
    }
}

/// A file that grows as it is played. It is closed properly when it is dropped.
struct Recording {
    file: String,
    writer: hound::WavWriter<BufWriter<File>>,
    written: u64,
}

impl Recording {
    fn write(&mut self, sample: f32) -> Result<(), hound::Error> {
        if self.written >= MOST {
            return Ok(());
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is clamped to the range")]
        let sample = (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16;
        self.writer.write_sample(sample)?;
        self.written += 1;
        if self.written.is_multiple_of(SETTLED_EVERY) { self.writer.flush() } else { Ok(()) }
    }
}

struct SimulatedStream {
    name: String,
    form: Sound,
    opened: Instant,
    /// Samples of its clock that are accounted for: sound, and silence where there was none.
    played: u64,
    /// What was put and not yet played when it was last accounted.
    waiting: VecDeque<f32>,
    file: Option<Recording>,
}

impl SimulatedStream {
    fn due(&self) -> u64 {
        samples(self.opened.elapsed()).saturating_sub(self.played)
    }

    /// Accounts for the time that has passed.
    fn play(&mut self) -> Result<(), AudioError> {
        let due = self.due();
        self.played += due;
        let sound = usize::try_from(due).unwrap_or(usize::MAX).min(self.waiting.len());
        let heard = self.waiting.drain(..sound);
        let Some(file) = &mut self.file else { return Ok(()) };
        let silence = due - sound as u64;
        let mut all = heard.chain((0..silence).map(|_| 0.0));
        let written = all.try_for_each(|sample| file.write(sample));
        drop(all);
        written.map_err(|error| {
            let file = self.file.take().map_or_else(String::new, |recording| recording.file);
            unwritable(&self.name, file, &error)
        })
    }
}

impl SpeakerStream for SimulatedStream {
    fn sound(&self) -> &Sound {
        &self.form
    }

    fn queued(&self) -> usize {
        self.waiting.len().saturating_sub(usize::try_from(self.due()).unwrap_or(usize::MAX))
    }

    fn room(&self) -> usize {
        SPEAKER_SAMPLES.saturating_sub(self.queued())
    }

    fn put(&mut self, samples: &[f32]) -> Result<(), AudioError> {
        self.play()?;
        let fits = samples.len().min(self.room());
        self.waiting.extend(&samples[..fits]);
        Ok(())
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        drop(self);
        Box::pin(async {})
    }
}

impl Drop for SimulatedStream {
    fn drop(&mut self) {
        // What was played until now belongs to the file, which its writer then closes.
        let _ = self.play();
    }
}
