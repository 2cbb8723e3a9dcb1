//! A real speaker.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::super::frame::Frame;
use super::super::simulated::SimulatedSpeaker;
use super::super::stream::{AudioError, AudioNote, Boxed, SPEAKER_SAMPLES, Speaker, SpeakerStream};
use super::super::{AudioProgram, AudioTrouble, Direction, Sound};
use super::link::{Held, Messages};
use super::{WORKED, may_pass, shown};

/// A speaker of this machine.
#[derive(Clone, Debug)]
pub struct RealSpeaker {
    name: String,
    program: AudioProgram,
    absence: Option<AudioTrouble>,
}

impl RealSpeaker {
    /// The one that is called so: `default`, a name or a part of one as the listing gives it, or the system's own.
    pub fn new(name: &str, program: AudioProgram) -> Self {
        Self { name: name.trim().to_owned(), program, absence: None }
    }

    /// The same, which was not there when it was looked for. It is looked for again when it is opened.
    #[must_use]
    pub fn absent(self, why: AudioTrouble) -> Self {
        Self { absence: Some(why), ..self }
    }
}

impl Speaker for RealSpeaker {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn absence(&self) -> Option<&AudioTrouble> {
        self.absence.as_ref()
    }

    fn open(&mut self) -> Boxed<'_, Result<Box<dyn SpeakerStream>, AudioError>> {
        Box::pin(async move {
            let held = Held::open(&self.program, Direction::Speaker, &self.name).await;
            let held = held.map_err(|trouble| AudioError::Trouble {
                direction: Direction::Speaker,
                name: self.name.clone(),
                trouble,
            })?;
            self.absence = None;
            let (tell, told) = mpsc::unbounded_channel();
            let form = held.opened.sound.clone();
            let (name, label) = (self.name.clone(), shown(&self.name, &held.opened.name));
            let (way, samples) = Way::new();
            let speaking = Speaking { name, program: self.program.clone(), tell };
            let facts = Arc::clone(&way.facts);
            let task = tokio::spawn(speaking.run(held, facts, samples));
            let stream =
                RealStream { label, form, way, gap: None, told, task, notes: VecDeque::new(), over: None };
            Ok(Box::new(stream) as Box<dyn SpeakerStream>)
        })
    }
}

/// How far the device is, as it told last; in samples.
#[derive(Debug, Default)]
struct Facts {
    taken: AtomicU64,
    waiting: AtomicU64,
    delay: AtomicU64,
    is_over: AtomicBool,
}

/// The way to one opening of the device.
struct Way {
    facts: Arc<Facts>,
    samples: mpsc::UnboundedSender<Vec<u8>>,
    sent: u64,
}

impl Way {
    fn new() -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        // What waits in it is bounded by the room that is given.
        let (samples, to) = mpsc::unbounded_channel();
        (Self { facts: Arc::default(), samples, sent: 0 }, to)
    }

    /// Of what was sent, what the device has not taken.
    fn ours(&self) -> usize {
        let taken = self.facts.taken.load(Ordering::Acquire);
        let waiting = self.facts.waiting.load(Ordering::Acquire);
        usize::try_from(self.sent.saturating_sub(taken) + waiting).unwrap_or(usize::MAX)
    }

    fn delay(&self) -> usize {
        usize::try_from(self.facts.delay.load(Ordering::Acquire)).unwrap_or(0)
    }
}

enum Told {
    Failing,
    Reopened { label: String, form: Sound, why: AudioTrouble, gap: Duration, way: Way },
    Failed(AudioTrouble),
}

struct Speaking {
    name: String,
    program: AudioProgram,
    tell: mpsc::UnboundedSender<Told>,
}

impl Speaking {
    async fn run(self, mut held: Held, mut facts: Arc<Facts>, mut samples: mpsc::UnboundedReceiver<Vec<u8>>) {
        let mut opened: Option<Instant> = None;
        loop {
            let (messages, input) = held.halves();
            let written = async {
                while let Some(bytes) = samples.recv().await {
                    if input.write_all(&bytes).await.is_err() {
                        break;
                    }
                }
                // What it died of is told by the other half.
                std::future::pending::<()>().await;
            };
            let why = tokio::select! {
                why = watched(messages, &facts) => why,
                () = written => return,
            };
            let failed = Instant::now();
            facts.is_over.store(true, Ordering::Release);
            let _ = self.tell.send(Told::Failing);
            held.end().await;
            let is_hopeless = opened.is_some_and(|opened| failed - opened < WORKED) || !may_pass(&why);
            let again = if is_hopeless {
                Err(why.clone())
            } else {
                Held::reopen(&self.program, Direction::Speaker, &self.name).await
            };
            held = match again {
                Ok(again) => again,
                Err(trouble) => {
                    let _ = self.tell.send(Told::Failed(trouble));
                    return;
                }
            };
            opened = Some(Instant::now());
            let (way, next) = Way::new();
            (facts, samples) = (Arc::clone(&way.facts), next);
            let (label, form) = (shown(&self.name, &held.opened.name), held.opened.sound.clone());
            let gap = failed.elapsed();
            if self.tell.send(Told::Reopened { label, form, why, gap, way }).is_err() {
                return;
            }
        }
    }
}

/// Notes how far the device is, until it fails.
async fn watched(mut messages: Messages<'_>, facts: &Facts) -> AudioTrouble {
    loop {
        match messages.next().await {
            Ok(Frame::Played(played)) => {
                facts.delay.store(played.delay, Ordering::Release);
                facts.waiting.store(played.waiting, Ordering::Release);
                facts.taken.store(played.taken, Ordering::Release);
            }
            Ok(_) => {}
            Err(trouble) => return trouble,
        }
    }
}

struct RealStream {
    label: String,
    form: Sound,
    way: Way,
    /// What keeps the pace while the device is opened anew.
    gap: Option<Box<dyn SpeakerStream>>,
    told: mpsc::UnboundedReceiver<Told>,
    task: JoinHandle<()>,
    notes: VecDeque<AudioNote>,
    over: Option<AudioError>,
}

impl RealStream {
    fn listen(&mut self) {
        while let Ok(told) = self.told.try_recv() {
            match told {
                Told::Failing => self.gap = SimulatedSpeaker::nowhere().stream().ok(),
                Told::Failed(trouble) => {
                    let (direction, name) = (Direction::Speaker, self.label.clone());
                    self.over = Some(AudioError::Trouble { direction, name, trouble });
                }
                Told::Reopened { label, form, why, gap, way } => {
                    let (direction, name) = (Direction::Speaker, label.clone());
                    self.notes.push_back(AudioNote::Reopened { direction, name, why, gap });
                    (self.label, self.form, self.way, self.gap) = (label, form, way, None);
                }
            }
        }
    }
}

impl SpeakerStream for RealStream {
    fn sound(&self) -> &Sound {
        &self.form
    }

    fn queued(&self) -> usize {
        match &self.gap {
            Some(gap) => gap.queued(),
            None if self.way.facts.is_over.load(Ordering::Acquire) => 0,
            None => self.way.ours() + self.way.delay(),
        }
    }

    fn delay(&self) -> usize {
        let is_over = self.gap.is_some() || self.way.facts.is_over.load(Ordering::Acquire);
        if is_over { 0 } else { self.way.delay() }
    }

    fn room(&self) -> usize {
        match &self.gap {
            Some(gap) => gap.room(),
            None => SPEAKER_SAMPLES.saturating_sub(self.way.ours()),
        }
    }

    fn put(&mut self, samples: &[f32]) -> Result<(), AudioError> {
        self.listen();
        if let Some(error) = &self.over {
            return Err(error.clone());
        }
        if let Some(gap) = &mut self.gap {
            return gap.put(samples);
        }
        let fits = &samples[..samples.len().min(self.room())];
        let bytes: Vec<u8> = fits.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        self.way.sent += fits.len() as u64;
        // Where nobody takes them any more, the reason is on its way.
        let _ = self.way.samples.send(bytes);
        Ok(())
    }

    fn note(&mut self) -> Option<AudioNote> {
        self.listen();
        self.notes.pop_front()
    }

    fn close(mut self: Box<Self>) -> Boxed<'static, ()> {
        self.task.abort();
        Box::pin(async move {
            let _ = timeout(Duration::from_secs(1), &mut self.task).await;
        })
    }
}

impl Drop for RealStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}
