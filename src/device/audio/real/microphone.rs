//! A real microphone.

use std::collections::VecDeque;
use std::time::Duration;

use rtrb::{Consumer, Producer, RingBuffer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::super::frame::Frame;
use super::super::stream::{AudioError, AudioNote, Boxed, Microphone, MicrophoneStream, RATE, Taken};
use super::super::{AudioProgram, AudioTrouble, Direction, Sound};
use super::link::Held;
use super::{WORKED, may_pass, shown};
use crate::device::{Armed, DeviceKind, Leash};

/// The most that waits until it is taken: two seconds.
const MOST: usize = 2 * RATE as usize;
/// So many exact zeros in a row no room gives (D7): two seconds.
const ZEROS: u64 = 2 * RATE as u64;

/// A microphone of this machine.
#[derive(Clone, Debug)]
pub struct RealMicrophone {
    name: String,
    program: AudioProgram,
    absence: Option<AudioTrouble>,
}

impl RealMicrophone {
    /// The one that is called so: `default`, a name or a part of one as the listing gives it, or the system's own.
    pub fn new(name: &str, program: AudioProgram) -> Self {
        Self { name: name.trim().to_owned(), program, absence: None }
    }

    /// The same, which was not there when it was looked for. It is looked for again when it is opened.
    #[must_use]
    pub fn absent(self, why: AudioTrouble) -> Self {
        Self { absence: Some(why), ..self }
    }

    fn failed(&self, trouble: AudioTrouble) -> AudioError {
        AudioError::Trouble { direction: Direction::Microphone, name: self.name.clone(), trouble }
    }
}

impl Microphone for RealMicrophone {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn absence(&self) -> Option<&AudioTrouble> {
        self.absence.as_ref()
    }

    fn open<'a>(&'a mut self, armed: &'a Armed) -> Boxed<'a, Result<Box<dyn MicrophoneStream>, AudioError>> {
        Box::pin(async move {
            if !armed.permits(DeviceKind::Microphone) {
                return Err(AudioError::NotArmed { name: self.name.clone() });
            }
            let opening = Held::open(&self.program, Direction::Microphone, &self.name);
            let held = tokio::select! {
                biased;
                why = armed.ended() => return Err(AudioError::Closed { name: self.name.clone(), why }),
                held = opening => held.map_err(|trouble| self.failed(trouble))?,
            };
            self.absence = None;
            let (to, from) = RingBuffer::new(MOST);
            let (tell, told) = mpsc::unbounded_channel();
            let form = held.opened.sound.clone();
            let (name, label) = (self.name.clone(), shown(&self.name, &held.opened.name));
            let hearing = Hearing { name, program: self.program.clone(), to, tell, missing: 0 };
            let mut leash = armed.leash();
            let ears = leash.clone();
            let task = tokio::spawn(async move {
                // The consent's end drops the child, and with it the device, whether or not anybody takes sound.
                tokio::select! {
                    biased;
                    _ = leash.ended() => {}
                    () = hearing.run(held) => {}
                }
            });
            let stream = RealStream {
                label,
                form,
                from,
                told,
                leash: ears,
                task,
                notes: VecDeque::new(),
                zeros: 0,
                over: None,
            };
            Ok(Box::new(stream) as Box<dyn MicrophoneStream>)
        })
    }
}

/// What the task beside the stream tells it.
enum Told {
    Lost(u64),
    Reopened { label: String, form: Sound, why: AudioTrouble, gap: Duration },
    Failed(AudioTrouble),
}

/// Reads from the child, and opens it anew.
struct Hearing {
    name: String,
    program: AudioProgram,
    to: Producer<f32>,
    tell: mpsc::UnboundedSender<Told>,
    /// Samples that had no room since it was last told.
    missing: u64,
}

impl Hearing {
    async fn run(mut self, mut held: Held) {
        let mut opened: Option<Instant> = None;
        loop {
            let why = self.hear(&mut held).await;
            let failed = Instant::now();
            // Ended before another one is opened: a device may be had by one at a time.
            held.end().await;
            let is_hopeless = opened.is_some_and(|opened| failed - opened < WORKED) || !may_pass(&why);
            let again = if is_hopeless {
                Err(why.clone())
            } else {
                Held::reopen(&self.program, Direction::Microphone, &self.name).await
            };
            held = match again {
                Ok(again) => again,
                Err(trouble) => {
                    let _ = self.tell.send(Told::Failed(trouble));
                    return;
                }
            };
            opened = Some(Instant::now());
            let (label, form) = (shown(&self.name, &held.opened.name), held.opened.sound.clone());
            let gap = failed.elapsed();
            if self.tell.send(Told::Reopened { label, form, why, gap }).is_err() {
                return;
            }
        }
    }

    /// Until it fails.
    async fn hear(&mut self, held: &mut Held) -> AudioTrouble {
        loop {
            match held.next().await {
                Ok(Frame::Heard(samples)) => {
                    if self.to.push_entire_slice(&samples).is_err() {
                        self.missing += samples.len() as u64;
                    } else if self.missing > 0 {
                        let _ = self.tell.send(Told::Lost(std::mem::take(&mut self.missing)));
                    }
                }
                Ok(Frame::Lost(samples)) => self.missing += samples,
                Ok(_) => {}
                Err(trouble) => return trouble,
            }
        }
    }
}

struct RealStream {
    label: String,
    form: Sound,
    from: Consumer<f32>,
    told: mpsc::UnboundedReceiver<Told>,
    leash: Leash,
    task: JoinHandle<()>,
    notes: VecDeque<AudioNote>,
    /// Exact zeros in a row until now.
    zeros: u64,
    over: Option<AudioError>,
}

impl RealStream {
    /// Ends it with an error, which every later call repeats.
    fn end(&mut self, error: AudioError) -> AudioError {
        self.task.abort();
        self.over.get_or_insert(error).clone()
    }

    fn count_zeros(&mut self, heard: &[f32]) -> bool {
        let was_dead = self.zeros > ZEROS;
        self.zeros = match heard.iter().rposition(|sample| *sample != 0.0) {
            Some(last) => (heard.len() - 1 - last) as u64,
            None => self.zeros + heard.len() as u64,
        };
        if self.zeros > ZEROS && !was_dead {
            self.notes.push_back(AudioNote::Dead { name: self.label.clone() });
        }
        self.zeros > ZEROS
    }
}

impl MicrophoneStream for RealStream {
    fn sound(&self) -> &Sound {
        &self.form
    }

    fn take(&mut self, into: &mut Vec<f32>) -> Result<Taken, AudioError> {
        if let Some(error) = &self.over {
            return Err(error.clone());
        }
        if let Some(why) = self.leash.over() {
            let name = self.label.clone();
            return Err(self.end(AudioError::Closed { name, why }));
        }
        let mut taken = Taken::default();
        let mut failed = None;
        while let Ok(told) = self.told.try_recv() {
            match told {
                Told::Lost(samples) => taken.lost += samples,
                Told::Failed(trouble) => failed = Some(trouble),
                Told::Reopened { label, form, why, gap } => {
                    let direction = Direction::Microphone;
                    self.notes.push_back(AudioNote::Reopened { direction, name: label.clone(), why, gap });
                    (self.label, self.form) = (label, form);
                }
            }
        }
        taken.samples = self.from.slots();
        let at = into.len();
        if let Ok(chunk) = self.from.read_chunk(taken.samples) {
            into.extend(chunk);
        }
        taken.is_dead = self.count_zeros(&into[at..]);
        match failed {
            // What came before the failure is given first.
            Some(trouble) => {
                let name = self.label.clone();
                let error = AudioError::Trouble { direction: Direction::Microphone, name, trouble };
                let error = self.end(error);
                if taken.samples > 0 { Ok(taken) } else { Err(error) }
            }
            None => Ok(taken),
        }
    }

    fn note(&mut self) -> Option<AudioNote> {
        self.notes.pop_front()
    }

    fn close(mut self: Box<Self>) -> Boxed<'static, ()> {
        self.task.abort();
        Box::pin(async move {
            // Over once the child was told to end; a task that is torn down takes a moment.
            let _ = timeout(Duration::from_secs(1), &mut self.task).await;
        })
    }
}

impl Drop for RealStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}
