//! One session over WebRTC: messages of the channel to the brain, replies to the channel, and the sound beside them.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use super::recording::Recording;
use super::{Shared, until};
use crate::agent::brain::{Brain, BrainConfig, Deliberate, Listen, Reply};
use crate::call::{Answering, Call, CallError, FromPeer, Reach, Settings, SoundOut, ToPeer};
use crate::protocol::Dialect;
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
    playing: VecDeque<(Instant, SoundPacket)>,
    /// Of the next packet that is sent.
    sequence: u16,
}

/// What woke the session up.
enum Woken {
    Message(Option<FromPeer>),
    Sound(Option<SoundPacket>),
    Play,
    Deadline,
    Stop,
}

impl Session {
    async fn run(mut self, shared: &Shared) {
        let mut stopping = shared.shutdown.clone();
        loop {
            let next = self.playing.front().map(|(at, _)| *at);
            let woken = tokio::select! {
                biased;
                _ = stopping.wait_for(|stop| *stop) => Woken::Stop,
                message = self.call.incoming.recv() => Woken::Message(message),
                // Sound that came before a message is taken before it, since a commit ends a recording.
                packet = self.call.sound.incoming.recv() => Woken::Sound(packet),
                () = at(next) => Woken::Play,
                () = until(self.started, self.brain.next_deadline()) => Woken::Deadline,
            };
            let flow = match woken {
                Woken::Message(message) => self.message(message).await,
                Woken::Sound(packet) => self.sound(packet),
                Woken::Play => self.play(),
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
        if let Some((_, packet)) = self.playing.pop_front() {
            // A client that takes no sound misses it.
            let _missed = self.call.sound.outgoing.try_send(SoundOut::Packet(packet));
        }
        ControlFlow::Continue(())
    }

    async fn carry_out(&mut self, replies: Vec<Reply>) -> ControlFlow<()> {
        let mut replies = VecDeque::from(replies);
        while let Some(reply) = replies.pop_front() {
            match reply {
                Reply::Envelope(envelope) => self.send(envelope.encode(&self.dialect).to_string()).await?,
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
        let now = Instant::now();
        let samples = self.started.elapsed().as_millis() * u128::from(CLOCK / 1_000);
        let base = u32::try_from(samples % (1 << 32)).unwrap_or(0);
        let mut marker = true;
        for (after, mut packet) in std::mem::take(&mut self.heard).into_packets() {
            let samples = after.as_micros() * u128::from(CLOCK) / 1_000_000;
            packet.timestamp = base.wrapping_add(u32::try_from(samples).unwrap_or(0));
            packet.sequence = self.sequence;
            packet.marker = std::mem::take(&mut marker);
            self.sequence = self.sequence.wrapping_add(1);
            self.playing.push_back((now + after, packet));
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
