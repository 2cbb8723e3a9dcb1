//! The only async owner: it feeds the engine and carries out its effects, one small driver for each port.

mod backlog;
mod camera;
mod link;
mod reader;
mod speech;
mod voice;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use self::camera::CameraPort;
use self::link::LinkPort;
use self::reader::ReaderPort;
pub use self::speech::SpeechCommand;
use self::speech::SpeechPort;
use self::voice::VoicePort;
pub use self::voice::VoiceSettings;
use super::devices::{DeviceReport, Trouble};
use super::effect::Effect;
use super::engine::{Engine, EngineSettings};
use super::event::Event;
use super::notice::{DeviceLine, Notice};
use super::request::Request;
use crate::device::ArmedBy;
use crate::device::audio::{Microphone, Speaker};
use crate::device::camera::{Camera, CameraProgram};
use crate::device::nfc::{NfcReader, Placer, Readers};
use crate::discovery::fetch::CardSource;
use crate::files;
use crate::net::{Credentials, NetContext};
use crate::protocol::frame::RawFrame;
use crate::protocol::observation::Passport;
use crate::protocol::{Dialect, Modalities, bounds};
use crate::redact::Scrubber;
use crate::transport::{webrtc, websocket};

/// How many requests may wait for the engine.
const REQUESTS: usize = 256;
/// How many bytes of frames are handled before what they cause is carried out: what is read of a frame can be fifty times
/// its size.
const BATCH_BYTES: usize = 128 * 1024;
/// How long a microphone may stay open.
const TALK_WITHIN: Duration = Duration::from_secs(120);
/// How many notices may wait for a face before the engine waits for it.
const NOTICES: usize = 4096;

/// Everything the engine is told at its start.
pub struct ClientConfig {
    /// Where the card is, as the user typed it.
    pub target: String,
    /// The same, parsed.
    pub source: CardSource,
    /// Policy, resolver, TLS, times.
    pub net: NetContext,
    /// The token and where it may go (R17).
    pub credentials: Credentials,
    /// How long to wait for an agent that is not up yet (`--wait`).
    pub wait: Option<Duration>,
    /// Times and bounds of the WebSocket.
    pub websocket: websocket::Options,
    /// Times, bounds and servers of calls.
    pub webrtc: webrtc::Options,
    /// The modalities that this client offers.
    pub offered: Modalities,
    /// Whether acks are sent (R16).
    pub acks: bool,
    /// The open names of the wire.
    pub dialect: Dialect,
    /// How long a scan stays armed.
    pub scan_within: Duration,
    /// How long a capture stays armed.
    pub capture_within: Duration,
    /// The chosen reader, and the handle that places tags on it if it is simulated.
    pub reader: (Box<dyn NfcReader>, Option<Placer>),
    /// Where a real reader is chosen: what is plugged in, as it changes.
    pub watched: Option<Watched>,
    /// Lists every device of this machine, for faces that ask; it looks in the background.
    pub devices: Option<DeviceLister>,
    /// The chosen camera.
    pub camera: Box<dyn Camera>,
    /// The chosen microphone.
    pub microphone: Box<dyn Microphone>,
    /// The chosen speaker.
    pub speaker: Box<dyn Speaker>,
    /// How sound is sent and played.
    pub voice: VoiceSettings,
    /// What speaks the agent's texts, where the voice is the client's; none where nobody asked for it.
    pub speech: Option<SpeechCommand>,
    /// The program behind simulated cameras of picture files.
    pub camera_program: CameraProgram,
    /// Where the device key is (R10).
    pub state_dir: PathBuf,
    /// Whose act the consents are.
    pub armed_by: ArmedBy,
}

/// The readers of this machine as they come and go, and which of them are chosen.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Names or parts of names; none chooses every reader that is for tags.
    pub names: Vec<String>,
    /// What there is. Its first value counts only if something is in it: nothing may have been looked for yet.
    pub readers: watch::Receiver<Readers>,
}

/// Begins to list devices: what was found so far comes again and again, and goes on as long as the receiver stands.
pub type DeviceLister = Arc<dyn Fn() -> mpsc::Receiver<DeviceReport> + Send + Sync>;

/// The two ends that a face holds.
#[derive(Debug)]
pub struct Client {
    /// What the face asks.
    pub requests: mpsc::Sender<Request>,
    /// What the face may show; [`Notice::Stopped`] is the last.
    pub notices: mpsc::Receiver<Notice>,
}

impl Client {
    /// Starts the engine. It does nothing before [`Request::Connect`], and stops on [`Request::Quit`] or when
    /// a face lets go of its ends.
    pub fn spawn(config: ClientConfig) -> Self {
        let (requests, to_do) = mpsc::channel(REQUESTS);
        let (tell, notices) = mpsc::channel(NOTICES);
        tokio::spawn(run(config, to_do, tell));
        Self { requests, notices }
    }
}

/// Where drivers bring what happened.
type Events = mpsc::Sender<Event>;

/// A task that ends when nobody holds this any more.
struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Ports {
    link: LinkPort,
    reader: ReaderPort,
    camera: CameraPort,
    voice: VoicePort,
    speech: SpeechPort,
    lister: Option<DeviceLister>,
    /// The list of devices that is being brought.
    listing: Option<AbortOnDrop>,
    events: Events,
    notices: mpsc::Sender<Notice>,
    /// What goes to the face next.
    told: Vec<Notice>,
}

async fn run(config: ClientConfig, mut requests: mpsc::Receiver<Request>, notices: mpsc::Sender<Notice>) {
    let start = Instant::now();
    let (events, mut happened) = mpsc::channel(NOTICES);
    let mut scrubber = Scrubber::default();
    if let Some(token) = &config.credentials.token {
        scrubber.add_token(token);
    }
    let mut engine = Engine::new(settings(&config), scrubber);
    if let Some(watched) = &config.watched {
        tokio::spawn(watch_readers(watched.readers.clone(), events.clone()));
    }
    let mut ports = Ports::new(config, events, notices, start);
    let mut now = start.elapsed();
    let mut batched = 0;
    let mut is_faced = true;
    loop {
        // An agent that never pauses holds no deadline up, and no request.
        let is_due = engine.next_deadline().is_some_and(|at| now >= at);
        let is_quick = !is_due && requests.is_empty() && happened.is_empty() && batched < BATCH_BYTES;
        if is_quick && let Some(event) = ports.link.waiting() {
            batched += size_of_frame(&event);
            // Frames of one batch came at one time, and what they cause is carried out together: a face need not be
            // woken for each.
            engine.handle(now, event);
            continue;
        }
        while let Some(effect) = engine.poll() {
            if !ports.carry_out(effect).await {
                return;
            }
        }
        ports.tell().await;
        let deadline = engine.next_deadline().map(|at| start + at);
        let event = tokio::select! {
            biased;
            () = std::future::ready(()), if is_due => Event::Tick,
            // A face that is gone is told once: its end of the channel stays ready for ever.
            request = requests.recv(), if is_faced => {
                is_faced = request.is_some();
                Event::Request(request.unwrap_or(Request::Quit))
            }
            Some(event) = happened.recv() => event,
            event = ports.link.next() => {
                ports.attach_sound();
                event
            }
            () = until(deadline) => Event::Tick,
        };
        now = start.elapsed();
        batched = size_of_frame(&event);
        engine.handle(now, event);
    }
}

/// Brings what is plugged in, whenever it changes, until the engine stops.
async fn watch_readers(mut readers: watch::Receiver<Readers>, events: Events) {
    let mut now = readers.borrow_and_update().clone();
    let mut is_known = now != Readers::default();
    loop {
        if is_known && events.send(Event::Readers(now)).await.is_err() {
            return;
        }
        tokio::select! {
            changed = readers.changed() => if changed.is_err() { return },
            () = events.closed() => return,
        }
        (now, is_known) = (readers.borrow_and_update().clone(), true);
    }
}

/// Brings what is found of devices, until nobody lists any more or this list is let go.
async fn bring_devices(mut found: mpsc::Receiver<DeviceReport>, events: Events) {
    while let Some(report) = found.recv().await {
        if events.send(Event::Devices(report)).await.is_err() {
            return;
        }
    }
}

/// Bytes of text in it, if it is a frame.
fn size_of_frame(event: &Event) -> usize {
    match event {
        Event::Frame(_, RawFrame::Text(text)) => text.len(),
        _ => 0,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn settings(config: &ClientConfig) -> EngineSettings {
    EngineSettings {
        offered: config.offered,
        acks: config.acks,
        dialect: config.dialect.clone(),
        start_within: config.net.timeouts.connect,
        scan_within: config.scan_within,
        capture_within: config.capture_within,
        reader: DeviceLine {
            name: config.reader.0.label(),
            simulated: config.reader.0.is_simulated(),
            trouble: None,
        },
        watched: config.watched.as_ref().map(|watched| watched.names.clone()),
        camera: DeviceLine {
            name: config.camera.label(),
            simulated: config.camera.is_simulated(),
            trouble: config.camera.absence().and_then(Trouble::of_absence),
        },
        talk_within: TALK_WITHIN,
        speaks: config.speech.is_some(),
        microphone: DeviceLine {
            name: config.microphone.label(),
            simulated: config.microphone.is_simulated(),
            trouble: config.microphone.absence().map(Trouble::from),
        },
        speaker: DeviceLine {
            name: config.speaker.label(),
            simulated: config.speaker.is_simulated(),
            trouble: config.speaker.absence().map(Trouble::from),
        },
        target: config.target.clone(),
    }
}

impl Ports {
    fn new(config: ClientConfig, events: Events, notices: mpsc::Sender<Notice>, start: Instant) -> Self {
        let (reader, placer) = config.reader;
        Self {
            reader: ReaderPort::new(reader, placer, config.state_dir, config.armed_by, events.clone(), start),
            lister: config.devices,
            listing: None,
            camera: CameraPort::new(config.camera, config.camera_program, config.armed_by, events.clone()),
            voice: VoicePort::new(
                (config.microphone, config.speaker),
                config.voice,
                config.armed_by,
                events.clone(),
                start,
            ),
            speech: SpeechPort::new(config.speech, events.clone()),
            link: LinkPort::new(
                link::Dialling {
                    source: config.source,
                    net: config.net,
                    credentials: config.credentials,
                    wait: config.wait,
                    options: config.websocket,
                    calls: config.webrtc,
                    dialect: config.dialect,
                },
                events.clone(),
            ),
            events,
            notices,
            told: Vec::new(),
        }
    }

    /// A link that was just opened may carry sound.
    fn attach_sound(&mut self) {
        if let Some(_line) = self.link.sound() {
            #[cfg(feature = "webrtc")]
            self.voice.attach(_line);
        }
    }

    /// Hands what is told to the face, together. A face that is gone is no reason to stop early: its requests end,
    /// and that quits in order.
    async fn tell(&mut self) {
        if let Ok(places) = self.notices.reserve_many(self.told.len()).await {
            places.zip(self.told.drain(..)).for_each(|(place, notice)| place.send(notice));
        }
        self.told.clear();
    }

    /// Carries out one effect; `false` when the engine is to stop.
    async fn carry_out(&mut self, effect: Effect) -> bool {
        // What was told before comes before what this causes.
        if !matches!(effect, Effect::Notify(_)) || self.told.len() == NOTICES / 4 {
            self.tell().await;
        }
        match effect {
            Effect::Notify(notice) => self.told.push(notice),
            Effect::FetchCard(attempt) => self.link.fetch_card(attempt),
            Effect::Dial(attempt, offer, session_id) => self.link.dial(attempt, *offer, session_id),
            Effect::Transmit(text) => self.link.transmit(text),
            Effect::CloseLink => self.link.close(),
            Effect::DropLink => {
                self.voice.detach();
                self.link.drop_now();
            }
            Effect::Scan { id, within, place } => self.reader.scan(id, within, place),
            Effect::Place(spec) => self.reader.place(&spec).await,
            Effect::Aim { id, within, show } => self.camera.aim(id, within, show).await,
            Effect::Shutter(id) => self.camera.shutter(id),
            Effect::Orient(id, orient) => self.camera.orient(id, orient),
            Effect::ForgetPicture => self.camera.forget(),
            Effect::Disarm => {
                self.reader.disarm();
                self.camera.disarm().await;
            }
            Effect::ReadPassport(id, path) => {
                let events = self.events.clone();
                tokio::spawn(async move {
                    let result = read_passport(&path).await;
                    let _engine_stopped = events.send(Event::Passport(id, result)).await;
                });
            }
            Effect::OpenMicrophone { id, within, file } => self.voice.open(id, within, file),
            Effect::SendSound(id) => self.voice.send(id),
            Effect::CloseMicrophone { id, flush } => self.voice.close(id, flush).await,
            Effect::Speak(number, text) => self.speech.speak(number, text),
            Effect::StopSpeaking => self.speech.stop(),
            Effect::ListDevices => {
                self.listing = self.lister.as_ref().map(|list| {
                    let task = tokio::spawn(bring_devices(list(), self.events.clone()));
                    AbortOnDrop(task.abort_handle())
                });
            }
            Effect::EndList => self.listing = None,
            Effect::Stop => return false,
        }
        true
    }
}

/// Reads a passport file (R19): bounded before it is parsed.
async fn read_passport(path: &str) -> Result<Passport, super::notice::Line> {
    let failed =
        |what: String| words::device(format!("The passport {path} was refused: {what}. Nothing was sent."));
    let bytes = files::read_aside(Path::new(path), bounds::PASSPORT_BYTES)
        .await
        .map_err(|e| failed(format!("it cannot be read: {e}")))?;
    Passport::parse(&bytes).map_err(|finding| failed(finding.to_string()))
}

/// The time of a capture, RFC 3339 to the second. It is no trusted device time (§ Session and input).
fn captured_at() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
