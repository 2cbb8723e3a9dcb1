//! The camera: open from the capture key to the shutter, and no longer; then the JPEG that fits.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::{Events, captured_at, words};
use crate::client::event::{Collected, CollectedPhoto, Collection, Event};
use crate::client::notice::{Line, PhotoReview, Preview};
use crate::client::request::Orient;
use crate::device::camera::simulated::SimulatedCamera;
use crate::device::camera::{Camera, CameraError, CameraProgram, CameraStream};
use crate::device::{Armed, ArmedBy, DeviceKind, Disarm};
use crate::observation::photo;
use crate::picture::{self, FittedJpeg, Picture, Thumbnail, Turning};
use crate::words::sentence;

/// Columns and rows that a preview is made for; the view scales it to its pane.
const PREVIEW: (u16, u16) = (96, 40);

/// How long disarming waits for the camera.
const CLOSES_WITHIN: Duration = Duration::from_secs(1);

/// The port.
pub(super) struct CameraPort {
    camera: Arc<tokio::sync::Mutex<Box<dyn Camera>>>,
    program: CameraProgram,
    by: ArmedBy,
    events: Events,
    armed: Option<Aimed>,
    kept: Kept,
}

/// A capture under way.
struct Aimed {
    id: Collection,
    consent: Disarm,
    commands: mpsc::UnboundedSender<Command>,
    /// Ends, without a value, when the camera is closed.
    closed: oneshot::Receiver<()>,
}

/// The captured picture while its photo is under review, so that it can be turned.
type Kept = Arc<Mutex<Option<Original>>>;

/// A captured picture, or the place kept for one.
struct Original {
    id: Collection,
    picture: Option<Picture>,
    camera: String,
    captured_at: String,
}

enum Command {
    Shutter,
    Orient(Orient),
}

impl CameraPort {
    /// The port of this camera, closed. What happens is brought to `events`.
    pub fn new(camera: Box<dyn Camera>, program: CameraProgram, by: ArmedBy, events: Events) -> Self {
        let camera = Arc::new(tokio::sync::Mutex::new(camera));
        Self { camera, program, by, events, armed: None, kept: Kept::default() }
    }

    /// Arms the camera and opens it. `show` puts a picture file before the simulated camera for this capture.
    pub async fn aim(&mut self, id: Collection, within: Duration, show: Option<String>) {
        self.disarm().await;
        let armed = Armed::mint(DeviceKind::Camera, self.by, within);
        let (commands, to_do) = mpsc::unbounded_channel();
        let (open, closed) = oneshot::channel();
        self.armed = Some(Aimed { id, consent: armed.disarm(), commands, closed });
        *lock(&self.kept) =
            Some(Original { id, picture: None, camera: String::new(), captured_at: String::new() });
        let camera = match show {
            Some(path) => {
                let camera = SimulatedCamera::of_file(PathBuf::from(path), self.program.clone());
                Arc::new(tokio::sync::Mutex::new(Box::new(camera) as Box<dyn Camera>))
            }
            None => Arc::clone(&self.camera),
        };
        let (events, kept) = (self.events.clone(), Arc::clone(&self.kept));
        tokio::spawn(async move {
            let result = capture(id, &camera, (armed, open), to_do, &events, &kept).await;
            let _engine_stopped = events.send(Event::Collected(id, result)).await;
        });
    }

    /// Takes the picture of this collection, if it is the one being aimed.
    pub fn shutter(&mut self, id: Collection) {
        self.command(id, Command::Shutter);
    }

    /// Turns what is aimed at, or the photo under review, which is then fitted anew.
    pub fn orient(&mut self, id: Collection, orient: Orient) {
        if self.command(id, Command::Orient(orient)) {
            return;
        }
        let (events, kept) = (self.events.clone(), Arc::clone(&self.kept));
        tokio::spawn(async move {
            if let Some(original) = lock(&kept).as_mut().filter(|o| o.id == id) {
                original.picture = original.picture.as_ref().map(|p| p.turned(turning(orient)));
            }
            let result = fitted(id, &kept).await;
            let _engine_stopped = events.send(Event::Collected(id, result)).await;
        });
    }

    fn command(&self, id: Collection, command: Command) -> bool {
        match &self.armed {
            Some(aimed) if aimed.id == id => aimed.commands.send(command).is_ok(),
            _ => false,
        }
    }

    /// Takes the consent back and waits until the camera is closed, so that "closed" on screen is true and nothing
    /// stays open when the process is stopped next (R33). A camera that cannot be closed is not waited for.
    pub async fn disarm(&mut self) {
        if let Some(aimed) = self.armed.take() {
            aimed.consent.now();
            let _closed = tokio::time::timeout(CLOSES_WITHIN, aimed.closed).await;
        }
    }

    /// Forgets the captured picture.
    pub fn forget(&mut self) {
        *lock(&self.kept) = None;
    }
}

fn lock(kept: &Kept) -> std::sync::MutexGuard<'_, Option<Original>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn turning(orient: Orient) -> Turning {
    match orient {
        Orient::Left => Turning::Left,
        Orient::Right => Turning::Right,
        Orient::Mirror => Turning::Mirror,
    }
}

async fn capture(
    id: Collection,
    camera: &tokio::sync::Mutex<Box<dyn Camera>>,
    (armed, open): (Armed, oneshot::Sender<()>),
    mut commands: mpsc::UnboundedReceiver<Command>,
    events: &Events,
    kept: &Kept,
) -> Result<Collected, Line> {
    let taken = take(id, camera, &armed, &mut commands, events).await;
    drop((armed, open));
    let taken = match taken {
        Ok(taken) => Ok(taken),
        Err(Untaken::Stopped) => Err(words::device("The camera was closed.")),
        Err(Untaken::Camera(error)) => {
            let line = failed(&error);
            if !error.is_by_consent() {
                let _engine_stopped = events.send(Event::CameraFailed(id, error)).await;
            }
            Err(line)
        }
    };
    let _engine_stopped = events.send(Event::Closed(id)).await;
    let (picture, name) = taken?;
    if let Some(original) = lock(kept).as_mut().filter(|original| original.id == id) {
        original.picture = Some(picture);
        original.camera = name;
        original.captured_at = captured_at();
    }
    fitted(id, kept).await
}

/// Why no picture was taken.
enum Untaken {
    /// The camera says so.
    Camera(CameraError),
    /// It was told to close.
    Stopped,
}

/// Opens the camera and waits for the shutter; when this is over, the camera is closed. Also its name.
async fn take(
    id: Collection,
    camera: &tokio::sync::Mutex<Box<dyn Camera>>,
    armed: &Armed,
    commands: &mut mpsc::UnboundedReceiver<Command>,
    events: &Events,
) -> Result<(Picture, String), Untaken> {
    let mut camera = camera.lock().await;
    let stream = camera.open(armed).await.map_err(Untaken::Camera)?;
    // One that chooses when it is opened has its name now.
    let name = camera.label();
    let _engine_stopped = events.send(Event::Aiming(id, name.clone())).await;
    Ok((aim(id, stream, commands, events).await?, name))
}

/// Shows previews until the shutter; the stream ends by itself when the consent does.
async fn aim(
    id: Collection,
    mut stream: Box<dyn CameraStream>,
    commands: &mut mpsc::UnboundedReceiver<Command>,
    events: &Events,
) -> Result<Picture, Untaken> {
    let mut turnings = Vec::new();
    let apply = |picture: Picture, turnings: &[Turning]| turnings.iter().fold(picture, |p, t| p.turned(*t));
    loop {
        // A preview that was asked for is waited for: its reply must not be taken for the next one's.
        let frame = apply(stream.preview().await.map_err(Untaken::Camera)?, &turnings);
        loop {
            match commands.try_recv() {
                Ok(Command::Orient(orient)) => turnings.push(turning(orient)),
                Ok(Command::Shutter) => {
                    let picture = stream.shutter().await.map_err(Untaken::Camera)?;
                    return Ok(apply(picture, &turnings));
                }
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => {
                    stream.close().await;
                    return Err(Untaken::Stopped);
                }
            }
        }
        let preview = preview(Thumbnail::of(&frame, PREVIEW.0, PREVIEW.1));
        // A face that draws slowly must not slow the camera down.
        drop(events.try_send(Event::Preview(id, preview)));
    }
}

fn failed(error: &CameraError) -> Line {
    let mut line = words::device(sentence(&error.to_string()));
    line.hint = error.hint();
    line
}

fn preview(thumbnail: Thumbnail) -> Preview {
    Preview { width: thumbnail.width, height: thumbnail.height, rgb: thumbnail.into_rgb() }
}

/// Makes the JPEG that fits, away from the async threads.
async fn fitted(id: Collection, kept: &Kept) -> Result<Collected, Line> {
    let forgotten = || words::device("The picture was dropped.");
    let original = lock(kept)
        .as_ref()
        .filter(|o| o.id == id)
        .and_then(|o| o.picture.clone().map(|picture| (picture, o.camera.clone(), o.captured_at.clone())));
    let (picture, camera, captured_at) = original.ok_or_else(forgotten)?;
    let fit = tokio::task::spawn_blocking(move || {
        let size = (picture.width(), picture.height());
        let jpeg = picture::fit(&picture)?;
        let shown = Thumbnail::of_jpeg(&jpeg, PREVIEW.0, PREVIEW.1)?;
        Ok::<_, picture::PictureError>((jpeg, shown, size))
    });
    let (jpeg, shown, size) = fit
        .await
        .map_err(|_| words::device("Fitting the photo failed by our own fault; nothing was sent."))?
        .map_err(|error| words::device(sentence(&error.to_string())))?;
    Ok(Collected::Photo(Box::new(collected(jpeg, preview(shown), size, camera, captured_at))))
}

fn collected(
    jpeg: FittedJpeg,
    preview: Preview,
    source_size: (u32, u32),
    source: String,
    captured_at: String,
) -> CollectedPhoto {
    CollectedPhoto {
        image: photo::image_input(&jpeg),
        captured_at,
        review: PhotoReview {
            width: jpeg.width,
            height: jpeg.height,
            bytes: jpeg.jpeg.len(),
            quality: jpeg.quality,
            sha256: jpeg.sha256,
            source,
            source_size,
            preview: Arc::new(preview),
        },
        jpeg: jpeg.jpeg,
    }
}
