//! What goes into the engine: a request, or what a driver brings.

use std::time::Duration;

use super::devices::DeviceReport;
use super::notice::{Line, PhotoReview, Preview, TagReview};
use super::request::Request;
use super::voice::{Levels, MediaStats};
use crate::device::camera::CameraError;
use crate::device::nfc::{ReaderEvent, Readers};
use crate::protocol::Finding;
use crate::protocol::card::Offer;
use crate::protocol::frame::RawFrame;
use crate::protocol::observation::{ImageInput, ObjectInput, Passport};
use crate::redact::{ImageBytes, TagUid};

/// The number of one connection attempt: what a driver brings for an older one is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Attempt(pub u64);

/// The number of one collection: what a driver brings for an older one is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Collection(pub u64);

/// One thing that happens to the engine.
#[derive(Debug)]
#[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
pub(crate) enum Event {
    /// A face asks.
    Request(Request),
    /// A deadline may have passed.
    Tick,
    /// The card was fetched and judged, or could not be.
    Card(Attempt, Result<Box<CardResult>, Line>),
    /// The endpoint was dialled, or could not be. With it comes the largest message that the agent takes, in bytes, where its
    /// transport says so.
    Dialled(Attempt, Result<Option<usize>, Line>),
    /// A frame came.
    Frame(Attempt, RawFrame),
    /// The connection has something to tell the user, and goes on.
    Said(Attempt, Line),
    /// The connection is gone.
    Gone(Attempt, Gone),
    /// Something happened at the reader, for this collection or after it; when, as time of the engine.
    Happened(Collection, Duration, ReaderEvent),
    /// There are other readers than before, or the service behind them has changed.
    Readers(Readers),
    /// The devices that were found so far.
    Devices(DeviceReport),
    /// This camera delivers; the preview may begin.
    Aiming(Collection, String),
    /// The camera gives no picture.
    CameraFailed(Collection, CameraError),
    /// The camera is closed.
    Closed(Collection),
    /// A preview frame.
    Preview(Collection, Preview),
    /// A device, or what reads its bytes, brought something.
    Collected(Collection, Result<Collected, Line>),
    /// The microphone is open and delivers.
    MicrophoneOpen(Collection),
    /// A recording that stands for a microphone was played to its end.
    MicrophoneEnded(Collection),
    /// The microphone could not be opened, or is lost.
    MicrophoneFailed(Collection, Line),
    /// The microphone is closed, and the last packet of it handed over.
    MicrophoneClosed(Collection, Recorded),
    /// Something of the agent's sound came, or is played.
    Heard(Heard),
    /// How loud microphone and speaker are.
    Levels(Levels),
    /// How the call does.
    Media(Box<MediaStats>),
    /// The speaker failed, or works again.
    Speaker(Line),
    /// The text of this number was spoken, or could not be.
    Spoke(u64, Result<(), Line>),
    /// The user's passport file was read, or could not be.
    Passport(Collection, Result<Passport, Line>),
    /// Placing a simulated tag went well (what was placed), or did not.
    Placed(Result<String, Line>),
}

/// What a card came down to.
#[derive(Debug)]
pub(crate) struct CardResult {
    /// What to connect to.
    pub offer: Offer,
    /// In plain words.
    pub explanation: Vec<String>,
    /// What was noticed.
    pub notes: Vec<Finding>,
    /// `wss agent.example`.
    pub endpoint: String,
}

/// Why a connection is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// We closed it.
    ByUs,
    /// The agent closed it in an orderly way; a sentence.
    Orderly(String),
    /// It broke; a sentence.
    Broken(String),
}

/// What became of an open microphone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// When it was closed and everything of it handed over, as time of the engine.
    pub at: Duration,
}

/// The agent's sound, as far as latency is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "webrtc"), allow(dead_code, reason = "no session has sound"))]
pub(crate) enum Heard {
    /// A packet that can be heard came, the first after a silence.
    Audible {
        /// When, as time of the engine.
        at: Duration,
    },
    /// Its playing began.
    Playing {
        /// When, as time of the engine.
        at: Duration,
    },
}

/// What was collected.
#[derive(Debug)]
pub(crate) enum Collected {
    /// A tag.
    Tag(Box<CollectedTag>),
    /// A photo.
    Photo(Box<CollectedPhoto>),
}

/// A tag, ready for review.
#[derive(Clone, Debug)]
pub(crate) struct CollectedTag {
    /// What would be sent.
    pub object: ObjectInput,
    /// When, RFC 3339.
    pub captured_at: String,
    /// Its hardware id, for the scrubber alone.
    pub uid: Option<TagUid>,
    /// What is shown.
    pub review: TagReview,
}

/// A photo, ready for review.
#[derive(Clone, Debug)]
pub(crate) struct CollectedPhoto {
    /// What would be sent.
    pub image: ImageInput,
    /// When, RFC 3339.
    pub captured_at: String,
    /// The final JPEG, for the scrubber.
    pub jpeg: ImageBytes,
    /// What is shown.
    pub review: PhotoReview,
}
