//! Sound: the microphone to the call, the call to the speaker.
//!
//! [`VoicePort`] opens and closes; `sound` is the task that runs as long as a session has sound, `speaking` is its way out
//! and `listening` its way in.

#[cfg(feature = "webrtc")]
mod listening;
#[cfg(feature = "webrtc")]
mod sound;
#[cfg(feature = "webrtc")]
mod speaking;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::{AbortOnDrop, Events, words};
use crate::client::event::{Collection, Event};
use crate::client::notice::Line;
use crate::device::audio::{AudioError, Microphone, MicrophoneStream, SimulatedMicrophone, Speaker};
use crate::device::{Armed, ArmedBy, DeviceKind, Disarm};
use crate::words::sentence;

/// How long a microphone may take to open.
const OPENS_WITHIN: Duration = Duration::from_secs(5);
/// How long closing waits until the last packet is handed over.
const CLOSES_WITHIN: Duration = Duration::from_secs(1);

/// How sound is sent and played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoiceSettings {
    /// Whether the speaker is silent while the microphone is open.
    pub duck: bool,
    /// Bits a second of what is sent, 6,000 to 128,000.
    pub bitrate: u32,
    /// Whether silence is sent as nothing (DTX).
    pub dtx: bool,
}

impl Default for VoiceSettings {
    fn default() -> Self {
        Self { duck: true, bitrate: 32_000, dtx: false }
    }
}

/// A device that one task uses at a time.
type Shared<T> = Arc<Mutex<T>>;

/// The port.
pub(super) struct VoicePort {
    microphone: Shared<Box<dyn Microphone>>,
    #[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
    speaker: Shared<Box<dyn Speaker>>,
    #[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
    settings: VoiceSettings,
    by: ArmedBy,
    events: Events,
    #[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
    start: Instant,
    /// The sound of the session.
    sound: Option<Sound>,
    /// A microphone that is being opened.
    opening: Option<Opening>,
}

struct Sound {
    commands: mpsc::UnboundedSender<Command>,
    _task: AbortOnDrop,
}

struct Opening {
    id: Collection,
    consent: Disarm,
    _task: AbortOnDrop,
}

/// What the task of the sound is told.
#[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
enum Command {
    /// This microphone is open. The consent stands as long as it is held.
    Opened { id: Collection, armed: Armed, stream: Box<dyn MicrophoneStream> },
    /// What it recorded since it was opened, and records from now on, leaves.
    Send(Collection),
    /// Close it; once this is answered nothing of it leaves any more.
    Close { id: Collection, flush: bool, closed: oneshot::Sender<()> },
}

impl VoicePort {
    /// A port with these devices, closed. What happens is brought to `events`, in times since `start`.
    pub fn new(
        (microphone, speaker): (Box<dyn Microphone>, Box<dyn Speaker>),
        settings: VoiceSettings,
        by: ArmedBy,
        events: Events,
        start: Instant,
    ) -> Self {
        let (microphone, speaker) = (Arc::new(Mutex::new(microphone)), Arc::new(Mutex::new(speaker)));
        Self { microphone, speaker, settings, by, events, start, sound: None, opening: None }
    }

    /// A session begins whose link carries sound.
    #[cfg(feature = "webrtc")]
    pub fn attach(&mut self, line: crate::transport::SoundLine) {
        let (commands, to_do) = mpsc::unbounded_channel();
        let speaker = Arc::clone(&self.speaker);
        let run = sound::run(line, speaker, self.settings, to_do, self.events.clone(), self.start);
        let task = AbortOnDrop(tokio::spawn(run).abort_handle());
        self.sound = Some(Sound { commands, _task: task });
    }

    /// The session is over: whatever is open closes.
    pub fn detach(&mut self) {
        self.opening = None;
        self.sound = None;
    }

    /// Opens the microphone, or `file` in its place.
    pub fn open(&mut self, id: Collection, within: Duration, file: Option<String>) {
        self.opening = None;
        let armed = Armed::mint(DeviceKind::Microphone, self.by, within);
        let consent = armed.disarm();
        let microphone = match file {
            Some(path) => {
                let file = SimulatedMicrophone::file(Path::new(&path));
                Arc::new(Mutex::new(Box::new(file) as Box<dyn Microphone>))
            }
            None => Arc::clone(&self.microphone),
        };
        let commands = self.sound.as_ref().map(|sound| sound.commands.clone());
        let events = self.events.clone();
        let task = tokio::spawn(async move {
            let opened = timeout(OPENS_WITHIN, opened(&microphone, &armed)).await;
            let event = match (opened, commands) {
                (Ok(Ok(stream)), Some(commands)) => {
                    if commands.send(Command::Opened { id, armed, stream }).is_err() {
                        return;
                    }
                    Event::MicrophoneOpen(id)
                }
                (Ok(Ok(_)), None) => {
                    Event::MicrophoneFailed(id, words::device("The call is over.".to_owned()))
                }
                (Ok(Err(why)), _) => Event::MicrophoneFailed(id, failed(&why)),
                (Err(_), _) => {
                    let text = format!("The microphone did not open within {} s.", OPENS_WITHIN.as_secs());
                    Event::MicrophoneFailed(id, words::device(text))
                }
            };
            let _engine_stopped = events.send(event).await;
        });
        self.opening = Some(Opening { id, consent, _task: AbortOnDrop(task.abort_handle()) });
    }

    /// From now on what the microphone records leaves.
    pub fn send(&mut self, id: Collection) {
        if let Some(sound) = &self.sound {
            let _task_ended = sound.commands.send(Command::Send(id));
        }
    }

    /// Closes the microphone and waits until nothing of it leaves any more; [`Event::MicrophoneClosed`] tells when. A device
    /// that does not close is not waited for.
    pub async fn close(&mut self, id: Collection, flush: bool) {
        if let Some(opening) = self.opening.take_if(|opening| opening.id == id)
            && !flush
        {
            opening.consent.now();
        }
        let Some(sound) = &self.sound else { return };
        let (closed, is_closed) = oneshot::channel();
        if sound.commands.send(Command::Close { id, flush, closed }).is_ok() {
            let _given_up = timeout(CLOSES_WITHIN, is_closed).await;
        }
    }
}

async fn opened(
    microphone: &Mutex<Box<dyn Microphone>>,
    armed: &Armed,
) -> Result<Box<dyn MicrophoneStream>, AudioError> {
    microphone.lock().await.open(armed).await
}

/// What is said of a device that gives or plays nothing.
fn failed(error: &AudioError) -> Line {
    let mut line = words::device(sentence(&format!("{error}.")));
    line.hint = error.hint().map(str::to_owned);
    line
}
