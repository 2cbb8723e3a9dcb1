//! The reader: arms it for one scan, reads what it delivers, and never lets a hardware id further than the
//! alias and the scrubber.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;

use super::{Events, captured_at, words};
use crate::client::event::{Collected, CollectedTag, Collection, Event};
use crate::client::notice::{Line, TagName, TagReview};
use crate::device::nfc::{NfcError, NfcReader, Placer, RawTag, ReaderEvent, TagSpec, Told};
use crate::device::{Armed, ArmedBy, DeviceKind, Disarm, key};
use crate::observation::alias::DeviceKey;
use crate::observation::reading::{Naming, TagReading, TagSource, read_tag};
use crate::words::sentence;

/// The port.
pub(super) struct ReaderPort {
    reader: Arc<Mutex<Box<dyn NfcReader>>>,
    placer: Option<Placer>,
    state_dir: PathBuf,
    by: ArmedBy,
    events: Events,
    /// The zero of the engine's time.
    start: Instant,
    armed: Option<Disarm>,
    /// Dropping it ends listening to what goes on after a scan.
    listening: Option<oneshot::Sender<()>>,
}

impl ReaderPort {
    /// The port of this reader, disarmed. What happens is brought to `events`.
    pub fn new(
        reader: Box<dyn NfcReader>,
        placer: Option<Placer>,
        state_dir: PathBuf,
        by: ArmedBy,
        events: Events,
        start: Instant,
    ) -> Self {
        let reader = Arc::new(Mutex::new(reader));
        Self { reader, placer, state_dir, by, events, start, armed: None, listening: None }
    }

    /// Arms the reader: one scan.
    pub fn scan(&mut self, id: Collection, within: Duration, place: Option<String>) {
        self.disarm();
        let armed = Armed::mint(DeviceKind::Reader, self.by, within);
        self.armed = Some(armed.disarm());
        let placed = place.map(|spec| self.put(&spec)).transpose();
        let (reader, state_dir) = (Arc::clone(&self.reader), self.state_dir.clone());
        let (listening, mut unheard) = oneshot::channel::<()>();
        self.listening = Some(listening);
        let mut heard = Heard::new(id, self.events.clone(), self.start);
        tokio::spawn(async move {
            let result = match placed {
                Err(why) => Err(why),
                Ok(_) => heard.during(|told| scan(&reader, &armed, state_dir, told)).await,
            };
            drop(armed);
            let _engine_stopped = heard.events.send(Event::Collected(id, result)).await;
            // What becomes of the tag that was read is told until the next scan.
            tokio::select! {
                _ = &mut unheard => {}
                () = heard.rest() => {}
            }
        });
    }

    /// Takes the consent back; a scan under way ends.
    pub fn disarm(&mut self) {
        self.listening = None;
        if let Some(armed) = self.armed.take() {
            armed.now();
        }
    }

    /// Puts a tag on the simulated reader, outside a scan.
    pub async fn place(&mut self, spec: &str) {
        // One that cannot be parsed is refused below; one that cannot be read is refused here.
        let readable = match TagSpec::parse(spec) {
            Ok(tag) => tag.check().await.map_err(|error| words::device(error.to_string())),
            Err(_) => Ok(()),
        };
        let result = readable.and_then(|()| self.put(spec));
        let _engine_stopped = self.events.send(Event::Placed(result)).await;
    }

    fn put(&self, spec: &str) -> Result<String, Line> {
        let Some(placer) = &self.placer else {
            return Err(words::device(
                "Tags are placed only on the simulated reader, and another one is chosen.",
            ));
        };
        let tag = TagSpec::parse(spec).map_err(|error| words::device(sentence(&error.to_string())))?;
        let what = format!("Placed on the simulated reader: {}.", name(&tag));
        placer.place(tag);
        Ok(what)
    }
}

/// A file by its name alone; an id is never spelled out.
fn name(tag: &TagSpec) -> String {
    match tag {
        TagSpec::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        TagSpec::Uid(_) => tag.to_string(),
    }
}

/// What a reader tells, brought to the engine in its own time.
struct Heard {
    id: Collection,
    events: Events,
    start: Instant,
    told: Option<mpsc::UnboundedReceiver<ReaderEvent>>,
}

impl Heard {
    fn new(id: Collection, events: Events, start: Instant) -> Self {
        Self { id, events, start, told: None }
    }

    /// Scans, and brings what is told meanwhile before what the scan comes to.
    async fn during<F: Future>(&mut self, scan: impl FnOnce(Told) -> F) -> F::Output {
        let (tell, mut told) = Told::channel();
        let mut scan = pin!(scan(tell));
        let result = loop {
            tokio::select! {
                biased;
                Some(event) = told.recv() => self.bring(event).await,
                result = &mut scan => break result,
            }
        };
        while let Ok(event) = told.try_recv() {
            self.bring(event).await;
        }
        self.told = Some(told);
        result
    }

    /// Brings what is told afterwards, until nobody tells any more.
    async fn rest(&mut self) {
        let Some(mut told) = self.told.take() else { return };
        while let Some(event) = told.recv().await {
            self.bring(event).await;
        }
    }

    async fn bring(&self, event: ReaderEvent) {
        let at = self.start.elapsed().saturating_sub(event.at.elapsed());
        let _engine_stopped = self.events.send(Event::Happened(self.id, at, event)).await;
    }
}

async fn scan(
    reader: &Mutex<Box<dyn NfcReader>>,
    armed: &Armed,
    state_dir: PathBuf,
    told: Told,
) -> Result<Collected, Line> {
    let mut reader = reader.lock().await;
    let scanned = reader.scan(armed, told).await;
    let raw = scanned.map_err(|error: NfcError| words::device(error.to_string()))?.tag;
    drop(reader);
    let captured_at = captured_at();
    let read = tokio::task::spawn_blocking(move || {
        let key =
            key::load_or_create(&state_dir).map_err(|error| words::device(sentence(&error.to_string())))?;
        let key = DeviceKey::new(key);
        read_tag(source(&raw), &key).map_err(|error| words::device(error.to_string()))
    });
    let reading = read
        .await
        .map_err(|_| words::device("Reading the tag failed by our own fault; nothing was sent."))??;
    Ok(Collected::Tag(Box::new(collected(reading, captured_at))))
}

fn source(raw: &RawTag) -> TagSource<'_> {
    match raw {
        RawTag::NdefMessage { bytes, uid } => TagSource::NdefMessage { bytes, uid: uid.as_ref() },
        RawTag::Type2Memory { bytes, uid } => TagSource::Type2Memory { bytes, uid: uid.as_ref() },
        RawTag::FlipperFile(text) => TagSource::FlipperFile(text),
        RawTag::UidOnly(uid) => TagSource::UidOnly(uid),
        RawTag::Read { technology, ndef, uid } => TagSource::Read {
            technology,
            ndef: ndef.as_deref().map(Vec::as_slice).map_err(|none| (none.why.as_str(), none.damaged)),
            uid: uid.as_ref(),
        },
    }
}

fn collected(reading: TagReading, captured_at: String) -> CollectedTag {
    let object = reading.object_input(None);
    let TagReading { summary, other_content, notes, uid, naming, .. } = reading;
    CollectedTag {
        review: TagReview {
            technology: summary.technology.clone(),
            records: summary.records.as_ref().map_or(0, Vec::len),
            bytes: summary.ndef_bytes.unwrap_or(0),
            uid_bytes: summary.uid_len,
            object_ref: object.object_ref.clone(),
            carrier: object.carrier,
            payload_sha256: object.payload_sha256.clone(),
            other_content,
            random_uid: summary.random_uid,
            name: match naming {
                Naming::Lasting => TagName::Lasting,
                Naming::OneTap => TagName::Withheld,
            },
            notes,
        },
        object,
        captured_at,
        uid,
    }
}
