//! One session over WebRTC: messages of the channel to the brain, replies to the channel, and the sound beside them.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep_until, timeout};

use super::recording::Recording;
use super::voice::Voice;
use super::{Shared, until};
use crate::agent::brain::{Brain, BrainConfig, Deliberate, Listen, Reply};
use crate::call::{Answering, Call, CallError, FromPeer, Reach, Settings, SoundOut, ToPeer};
use crate::protocol::{Dialect, Event};
use crate::rtp::{CLOCK, SoundPacket};

/// How long the client may take to take one message.
const WRITE_WITHIN: Duration = Duration::from_secs(10);
/// How long a close may take.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
/// How long a deliberate silence lasts.
const HOLD_WITHIN: Duration = Duration::from_secs(300);

/// Answers an offer.
///
/// # Errors
/// What is wrong with the offer, or why this machine cannot answer it.
pub(super) async fn answer(offer: &str, shared: &Shared) -> Result<Answering, CallError> {
    let reach = if shared.addr.ip().is_loopback() { Reach::Loopback } else { Reach::NetworkAndLoopback };
    Answering::prepare(offer, Settings { reach, ..Settings::default() }).await
}

/// Runs the session to its end, from the moment at which the answer was given.
pub(super) async fn session(answering: Answering, shared: &Shared) {
    let mut stopping = shared.shutdown.clone();
    let call = tokio::select! {
        call = answering.connect() => call,
        _ = stopping.wait_for(|stop| *stop) => return,
    };
    // A client that does not come is no matter of ours.
    let Ok(call) = call else { return };
    let session = Session {
        call,
        brain: Brain::new(BrainConfig { sound: true, ..shared.config.brain() }),
        dialect: shared.config.dialect.clone(),
        started: Instant::now(),
        recording: None,
        heard: Recording::default(),
        playing: VecDeque::new(),
        sequence: 0,
        voice: shared.config.speak.then(Voice::new),
    };
    session.run(shared).await;
}

struct Session {
    call: Call,
    brain: Brain,
    dialect: Dialect,
    started: Instant,
    /// The open turn.
    recording: Option<Recording>,
    /// The committed turn, until it is played back.
    heard: Recording,
    /// What is still to be played, and when.
    playing: VecDeque<Queued>,
    /// Of the next packet that is sent.
    sequence: u16,
    /// What speaks the replies, if that was asked for.
    voice: Option<Voice>,
}

/// One packet that is still to be played.
struct Queued {
    at: Instant,
    packet: SoundPacket,
    /// It is of a spoken reply, not of a recording.
    is_reply: bool,
}

/// How long one packet of a spoken reply lasts.
const PACKET: Duration = Duration::from_millis(20);

/// What woke the session up.
enum Woken {
    Message(Option<FromPeer>),
    Sound(Option<SoundPacket>),
    Play,
    Spoken(Vec<Bytes>),
    Deadline,
    Stop,
}

impl Session {
    async fn run(mut self, shared: &Shared) {
        let mut stopping = shared.shutdown.clone();
        loop {
            let next = self.playing.front().map(|queued| queued.at);
            let woken = tokio::select! {
                biased;
                _ = stopping.wait_for(|stop| *stop) => Woken::Stop,
                message = self.call.incoming.recv() => Woken::Message(message),
                // Sound that came before a message is taken before it, since a commit ends a recording.
                packet = self.call.sound.incoming.recv() => Woken::Sound(packet),
                () = at(next) => Woken::Play,
                spoken = spoken(self.voice.as_mut()) => Woken::Spoken(spoken),
                () = until(self.started, self.brain.next_deadline()) => Woken::Deadline,
            };
            let flow = match woken {
                Woken::Message(message) => self.message(message).await,
                Woken::Sound(packet) => self.sound(packet),
                Woken::Play => self.play(),
                Woken::Spoken(packets) => {
                    self.queue_reply(packets);
                    ControlFlow::Continue(())
                }
                Woken::Deadline => {
                    let replies = self.brain.poll(self.started.elapsed());
                    self.carry_out(replies).await
                }
                Woken::Stop => ControlFlow::Break(()),
            };
            if flow.is_break() {
                return self.close().await;
            }
            if self.brain.is_closed() {
                // Closed without the loop having ended: the fault that leaves the call open and mute.
                let _ = timeout(HOLD_WITHIN, stopping.wait_for(|stop| *stop)).await;
                return self.close().await;
            }
        }
    }

    async fn message(&mut self, message: Option<FromPeer>) -> ControlFlow<()> {
        let now = self.started.elapsed();
        let replies = match message {
            Some(FromPeer::Text(text)) => {
                // What was said before this message may still wait in its own queue.
                while let Ok(packet) = self.call.sound.incoming.try_recv() {
                    let _goes_on = self.sound(Some(packet));
                }
                if self.voice.is_some() && is_cancel(&text) {
                    self.silence();
                }
                self.brain.receive(now, &text)
            }
            Some(FromPeer::Binary { .. }) => self.brain.receive_binary(now),
            // The same that the brain says of a frame over the bound, which it would refuse unread.
            Some(FromPeer::Oversized { bytes }) => self.brain.receive(now, &" ".repeat(bytes)),
            Some(FromPeer::Unsendable { .. } | FromPeer::Stalled { .. } | FromPeer::Flowing) => {
                return ControlFlow::Continue(());
            }
            Some(FromPeer::Closed(_)) | None => return ControlFlow::Break(()),
        };
        self.carry_out(replies).await
    }

    fn sound(&mut self, packet: Option<SoundPacket>) -> ControlFlow<()> {
        match (packet, &mut self.recording) {
            (Some(packet), Some(recording)) => recording.keep(packet),
            // Outside a turn nothing is listened to.
            (Some(_), None) => {}
            (None, _) => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Sends the packet whose time has come.
    fn play(&mut self) -> ControlFlow<()> {
        if let Some(Queued { mut packet, .. }) = self.playing.pop_front() {
            // Counted here: what is dropped before it is sent is no loss on the way.
            packet.sequence = self.sequence;
            self.sequence = self.sequence.wrapping_add(1);
            // A client that takes no sound misses it.
            let _missed = self.call.sound.outgoing.try_send(SoundOut::Packet(packet));
        }
        ControlFlow::Continue(())
    }

    async fn carry_out(&mut self, replies: Vec<Reply>) -> ControlFlow<()> {
        let mut replies = VecDeque::from(replies);
        while let Some(reply) = replies.pop_front() {
            match reply {
                Reply::Envelope(envelope) => {
                    self.say(&envelope.event);
                    self.send(envelope.encode(&self.dialect).to_string()).await?;
                }
                Reply::Deliberate(Deliberate::Text(text)) => self.send(text).await?,
                // The channel carries text alone; a binary message is what this fault is about, and there is none here.
                Reply::Deliberate(Deliberate::Binary(_)) => {}
                Reply::Deliberate(Deliberate::Silence) => return ControlFlow::Continue(()),
                Reply::Listen(listen) => replies.extend(self.listen(listen)),
                Reply::Close(_) => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }

    /// Does with the sound what the brain wants; what it answers to that.
    fn listen(&mut self, listen: Listen) -> Vec<Reply> {
        match listen {
            Listen::Start => {
                // Whoever speaks is not talked over.
                self.silence();
                self.playing.clear();
                self.recording = Some(Recording::default());
            }
            Listen::Stop => {
                self.heard = self.recording.take().unwrap_or_default();
                return self.brain.heard(self.started.elapsed(), self.heard.heard());
            }
            Listen::Forget => {
                self.recording = None;
                self.heard = Recording::default();
            }
            Listen::PlayBack => self.play_back(),
        }
        Vec::new()
    }

    fn play_back(&mut self) {
        let packets = std::mem::take(&mut self.heard).into_packets();
        self.queue(packets.map(|(after, packet)| (after, packet.payload)), false);
    }

    /// A spoken reply comes after what is being played, so after the recording that it speaks of.
    fn queue_reply(&mut self, packets: Vec<Bytes>) {
        self.queue((0..).map(|n| PACKET * n).zip(packets), true);
    }

    /// Plays these packets, each so long after the first, after everything that is to be played already.
    fn queue(&mut self, packets: impl Iterator<Item = (Duration, Bytes)>, is_reply: bool) {
        let now = Instant::now();
        let begin = self.playing.back().map_or(now, |last| now.max(last.at + PACKET));
        let mut marker = true;
        for (after, payload) in packets {
            let at = begin + after;
            let samples = (at - self.started).as_micros() * u128::from(CLOCK) / 1_000_000;
            let packet = SoundPacket {
                sequence: 0,
                timestamp: u32::try_from(samples % (1 << 32)).unwrap_or(0),
                marker: std::mem::take(&mut marker),
                payload,
            };
            self.playing.push_back(Queued { at, packet, is_reply });
        }
    }

    /// Speaks what is said aloud. A newer run, or one that fails or is cancelled, ends what was spoken before.
    fn say(&mut self, event: &Event) {
        match event {
            Event::RunStarted | Event::Failure(_) => self.silence(),
            Event::SpeechSegment(segment) => {
                if let Some(voice) = &self.voice {
                    voice.say(&segment.text);
                }
            }
            _ => {}
        }
    }

    /// Ends what is spoken, and forgets what is still to be.
    fn silence(&mut self) {
        if self.voice.is_some() {
            self.voice = Some(Voice::new());
            self.playing.retain(|queued| !queued.is_reply);
        }
    }

    async fn send(&mut self, text: String) -> ControlFlow<()> {
        match timeout(WRITE_WITHIN, self.call.outgoing.send(ToPeer::Text(text))).await {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(()),
        }
    }

    /// Closes in order, and waits until everything is given back.
    async fn close(mut self) {
        let gone = async {
            let _already_gone = self.call.outgoing.send(ToPeer::Close).await;
            while let Some(said) = self.call.incoming.recv().await {
                if matches!(said, FromPeer::Closed(_)) {
                    break;
                }
            }
        };
        let _given_up = timeout(CLOSE_WITHIN, gone).await;
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// What was spoken next; without a voice, never.
async fn spoken(voice: Option<&mut Voice>) -> Vec<Bytes> {
    match voice {
        Some(voice) => match voice.spoken.recv().await {
            Some(packets) => packets,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

/// Whether this message cancels. The brain judges it; a cancel that it refuses is silence all the same.
fn is_cancel(text: &str) -> bool {
    text.len() < 1_024
        && serde_json::from_str::<serde_json::Value>(text)
            .is_ok_and(|message| message["type"] == "response.cancel")
}
