//! The way out: what the microphone records, to packets of sound.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::VoiceSettings;
use crate::client::event::Collection;
use crate::device::Armed;
use crate::device::audio::{AudioError, MicrophoneStream};
use crate::media::level::{Level, Meter};
use crate::media::opus::{Encoder, OpusSettings};
use crate::media::timeline::Timeline;
use crate::rtp::{FRAME, SoundPacket};
use crate::transport::SoundOut;

/// The most that is kept of a microphone that is open while nothing of it may leave yet: a second.
const KEPT: usize = 48_000;
/// How long the last packet may take to be handed over.
const FLUSHES_WITHIN: Duration = Duration::from_millis(800);

/// The way out of one session.
pub(super) struct Speaking {
    outgoing: mpsc::Sender<SoundOut>,
    encoder: Encoder,
    timeline: Timeline,
    open: Option<Open>,
    /// Packets that found no room in the call.
    dropped: u64,
}

/// An open microphone.
struct Open {
    id: Collection,
    /// The consent: the device closes when this goes.
    _armed: Armed,
    stream: Box<dyn MicrophoneStream>,
    /// Recorded and not yet sent.
    samples: Vec<f32>,
    is_sending: bool,
    meter: Meter,
}

/// What came of looking at the microphone.
pub(super) enum Looked {
    /// It goes on.
    Goes,
    /// A recording was played to its end.
    Ended(Collection),
    /// It is lost.
    Failed(Collection, AudioError),
}

impl Speaking {
    /// A way out without a microphone. `None`: the codec is not to be had.
    pub fn new(outgoing: mpsc::Sender<SoundOut>, settings: VoiceSettings) -> Option<Self> {
        let VoiceSettings { bitrate, dtx, .. } = settings;
        let encoder = Encoder::new(OpusSettings { bitrate, dtx, ..OpusSettings::default() }).ok()?;
        let mut seed = [0; 6];
        getrandom::fill(&mut seed).ok()?;
        let [a, b, c, d, e, f] = seed;
        let timeline = Timeline::new(u16::from_le_bytes([a, b]), u32::from_le_bytes([c, d, e, f]));
        Some(Self { outgoing, encoder, timeline, open: None, dropped: 0 })
    }

    /// Whether a microphone is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// How loud it is.
    pub fn level(&self) -> Option<Level> {
        self.open.as_ref().map(|open| open.meter.read())
    }

    /// Takes an open microphone. Nothing of it leaves yet.
    pub fn open(&mut self, id: Collection, armed: Armed, stream: Box<dyn MicrophoneStream>) {
        let (samples, meter) = (Vec::with_capacity(KEPT), Meter::new());
        self.open = Some(Open { id, _armed: armed, stream, samples, is_sending: false, meter });
    }

    /// From now on it leaves.
    pub fn send(&mut self, id: Collection) {
        if let Some(open) = self.open.as_mut().filter(|open| open.id == id) {
            open.is_sending = true;
            self.timeline.pause();
        }
    }

    /// Takes what the microphone has, and sends whole packets of it.
    pub fn look(&mut self, now: Duration) -> Looked {
        let Some(open) = &mut self.open else { return Looked::Goes };
        let (id, before) = (open.id, open.samples.len());
        match open.stream.take(&mut open.samples) {
            Ok(taken) => {
                open.meter.add(&open.samples[before..]);
                self.send_whole(now);
                if taken.ended { Looked::Ended(id) } else { Looked::Goes }
            }
            // The consent is over, and whoever ended it closes.
            Err(error) if error.is_by_consent() => Looked::Goes,
            Err(error) => Looked::Failed(id, error),
        }
    }

    /// What the user should know of the microphone.
    pub fn note(&mut self) -> Option<crate::device::audio::AudioNote> {
        self.open.as_mut()?.stream.note()
    }

    fn send_whole(&mut self, now: Duration) {
        let Some(open) = &mut self.open else { return };
        if !open.is_sending {
            let surplus = open.samples.len().saturating_sub(KEPT);
            open.samples.drain(..surplus);
            return;
        }
        let whole = open.samples.len() / FRAME * FRAME;
        let frames: Vec<f32> = open.samples.drain(..whole).collect();
        for frame in frames.chunks_exact(FRAME) {
            self.packet(now, frame);
        }
    }

    /// Sends 20 ms.
    fn packet(&mut self, now: Duration, frame: &[f32]) {
        let Ok(payload) = self.encoder.encode(frame) else { return };
        if payload.is_silence() {
            return self.timeline.skip(now, FRAME);
        }
        let stamp = self.timeline.next(now, FRAME);
        let packet = SoundPacket {
            sequence: stamp.sequence,
            timestamp: stamp.timestamp,
            marker: stamp.marker,
            payload: payload.into_bytes(),
        };
        if self.outgoing.try_send(SoundOut::Packet(packet)).is_err() {
            self.dropped += 1;
        }
    }

    /// Closes the microphone. With `flush`, what it has recorded by now leaves, filled up to a whole packet, and is handed over
    /// when this comes back.
    pub async fn close(&mut self, now: Duration, id: Collection, flush: bool) {
        if self.open.as_ref().is_none_or(|open| open.id != id) {
            return;
        }
        if flush {
            let _last_look = self.look(now);
        }
        let Some(Open { stream, mut samples, is_sending, .. }) = self.open.take() else { return };
        // It may take a second where a sound server hangs; nothing is taken from it any more.
        tokio::spawn(stream.close());
        if !flush || !is_sending {
            return;
        }
        if !samples.is_empty() {
            samples.resize(samples.len().next_multiple_of(FRAME), 0.0);
            for frame in samples.chunks_exact(FRAME) {
                self.packet(now, frame);
            }
        }
        let (done, is_done) = oneshot::channel();
        if self.outgoing.send(SoundOut::Flush(done)).await.is_ok() {
            let _given_up = timeout(FLUSHES_WITHIN, is_done).await;
        }
    }
}
