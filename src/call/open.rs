//! An open call: one task that reads, sends, watches and closes. Reading and sending run side by side, so that a peer that
//! takes nothing cannot keep us from hearing it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rtc::data_channel::RTCDataChannelMessage;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};
use webrtc::data_channel::{DataChannel, DataChannelEvent};
use webrtc::media_stream::track_remote::TrackRemote;
use webrtc::peer_connection::{PeerConnection, RTCPeerConnectionState};

use super::connecting::Agreed;
use super::facts::{CallFacts, CallState};
use super::figures;
use super::sound::{self, Counted, Voice};
use super::stack::{Happened, Peer, words};
use super::{CallEnd, FarEnds, FromPeer, Settings, ToPeer};

/// What an open call consists of.
pub(super) struct Opened {
    pub peer: Peer,
    pub channel: Arc<dyn DataChannel>,
    /// The peer's sound, if it began to speak already.
    pub track: Option<Arc<dyn TrackRemote>>,
    pub agreed: Agreed,
    pub settings: Settings,
}

/// Runs the call to its end, says how it ended, and gives everything back.
pub(super) async fn run(opened: Opened, far: FarEnds) {
    let Opened { peer, channel, track, agreed, settings } = opened;
    let Peer { connection, mut happened, track: our_track, ssrc, guard } = peer;
    let FarEnds { mut to_send, came, to_play, to_speak, facts } = far;
    let (sent, counted) = (AtomicU64::new(0), Counted::default());
    let voice = Voice { track: our_track, ssrc, payload_type: agreed.to_peer };
    let end = tokio::select! {
        biased;
        end = receive(channel.as_ref(), &came, &settings) => end,
        end = attend(&mut happened, &facts, &settings, (track, agreed.to_us, &to_play, &counted)) => end,
        end = send(channel.as_ref(), &mut to_send, &came, agreed.max_message, &sent) => end,
        end = watch_over(channel.as_ref(), connection.as_ref(), &came, &facts, &settings, (&sent, &counted)) => end,
        () = sound::speak(voice, to_speak, connection.as_ref(), &counted) => CallEnd::ByUs,
        () = came.closed() => CallEnd::ByUs,
    };
    if end == CallEnd::ByUs && !came.is_closed() {
        leave(channel.as_ref(), &came, &settings).await;
    }
    facts.send_modify(|facts| facts.state = CallState::Closed);
    // The sockets do not wait for somebody to take the news, nor the news for the sockets.
    let _nobody_listens = tokio::join!(came.send(FromPeer::Closed(end)), guard.close());
}

/// Reads until the channel ends. Nothing more is taken from the stack while nobody takes it from us: then the peer waits.
async fn receive(channel: &dyn DataChannel, came: &mpsc::Sender<FromPeer>, settings: &Settings) -> CallEnd {
    loop {
        let message = match channel.poll().await {
            Some(DataChannelEvent::OnMessage(message)) => message,
            // The connection's own state follows seconds later, if at all.
            Some(DataChannelEvent::OnClose) => return CallEnd::ByPeer,
            None => return CallEnd::Broken("its channel ended".to_owned()),
            Some(_) => continue,
        };
        let incoming = match sort(message, settings.frame_bytes) {
            Ok(incoming) => incoming,
            Err(end) => return end,
        };
        if came.send(incoming).await.is_err() {
            return CallEnd::ByUs;
        }
    }
}

fn sort(message: RTCDataChannelMessage, bound: usize) -> Result<FromPeer, CallEnd> {
    let bytes = message.data.len();
    if !message.is_string {
        return Ok(FromPeer::Binary { bytes });
    }
    if bytes > bound {
        return Ok(FromPeer::Oversized { bytes });
    }
    let broke = |_| CallEnd::ProtocolError("the other side sent text that is not UTF-8".to_owned());
    String::from_utf8(message.data.into()).map(FromPeer::Text).map_err(broke)
}

/// The peer's sound: where it comes from, under which payload type, where it goes, and how much it is.
type Ear<'a> = (Option<Arc<dyn TrackRemote>>, u8, &'a mpsc::Sender<crate::rtp::SoundPacket>, &'a Counted);

/// Takes what the stack tells, and the peer's sound, until the way is lost. A state that never gets worse than
/// "disconnected" is given up all the same.
async fn attend(
    happened: &mut mpsc::UnboundedReceiver<Happened>,
    facts: &watch::Sender<CallFacts>,
    settings: &Settings,
    (mut track, payload_type, to_play, counted): Ear<'_>,
) -> CallEnd {
    let after = settings.unreachable_after + settings.lost_after;
    // The stack's own verdict comes first where it comes at all.
    let patience = settings.lost_after + settings.unreachable_after;
    let mut give_up: Option<Instant> = None;
    let set = |state| facts.send_if_modified(|facts| std::mem::replace(&mut facts.state, state) != state);
    loop {
        tokio::select! {
            told = happened.recv() => match told {
                Some(Happened::State(RTCPeerConnectionState::Connected)) => {
                    give_up = None;
                    set(CallState::Open);
                }
                Some(Happened::State(RTCPeerConnectionState::Disconnected)) => {
                    give_up = give_up.or(Some(Instant::now() + patience));
                    set(CallState::Unreachable);
                }
                Some(Happened::State(RTCPeerConnectionState::Failed)) => return CallEnd::Lost { after },
                Some(Happened::State(RTCPeerConnectionState::Closed)) => return CallEnd::ByPeer,
                Some(Happened::Track(theirs)) => track = Some(theirs),
                // A second channel has no meaning; dropping it is all that is done about it.
                Some(_) => {}
                None => return CallEnd::Broken("its stack ended".to_owned()),
            },
            more = sound::hear(track.as_deref(), payload_type, to_play, counted) => {
                if !more {
                    track = None;
                }
            }
            () = at(give_up) => return CallEnd::Lost { after },
        }
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Sends what is queued until we close. The stack takes messages after a failure too, and says that all is well: so this
/// runs only while the call is open by our own account.
async fn send(
    channel: &dyn DataChannel,
    to_send: &mut mpsc::Receiver<ToPeer>,
    came: &mpsc::Sender<FromPeer>,
    bound: Option<usize>,
    sent: &AtomicU64,
) -> CallEnd {
    while let Some(ToPeer::Text(text)) = to_send.recv().await {
        let bytes = text.len();
        if let Some(bound) = bound.filter(|bound| bytes > *bound) {
            let refused = FromPeer::Unsendable { bytes, bound };
            if came.send(refused).await.is_err() {
                return CallEnd::ByUs;
            }
            continue;
        }
        // Waits while too much is not acknowledged.
        if let Err(error) = channel.send_text(&text).await {
            return CallEnd::Broken(words(&error));
        }
        sent.fetch_add(bytes as u64, Relaxed);
    }
    CallEnd::ByUs
}

/// Tells the facts, and watches whether what was sent is acknowledged: packets that are too large for a tunnel on the way
/// vanish without an error, and the channel then stands still for ever.
async fn watch_over(
    channel: &dyn DataChannel,
    connection: &dyn PeerConnection,
    came: &mpsc::Sender<FromPeer>,
    told: &watch::Sender<CallFacts>,
    settings: &Settings,
    (sent, counted): (&AtomicU64, &Counted),
) -> CallEnd {
    let mut tick = interval(settings.facts_every);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watch = Backlog::new(Instant::now());
    loop {
        tick.tick().await;
        let backlog = channel.outstanding_bytes().await.unwrap_or(0);
        match watch.look(Instant::now(), sent.load(Relaxed), backlog, settings) {
            // Only remarks: where there is no room for them, they are not made.
            Look::Stalled => drop(came.try_send(FromPeer::Stalled { after: settings.stalled_after })),
            Look::Flowing => drop(came.try_send(FromPeer::Flowing)),
            Look::GiveUp => {
                let after = settings.stalled_after + settings.given_up_after;
                return CallEnd::Stalled { after, backlog };
            }
            Look::Nothing => {}
        }
        let (figures, pair) = (figures::figures(connection).await, figures::pair(connection).await);
        told.send_modify(|facts| {
            facts.pair = pair.or(facts.pair.take());
            facts.rtt = figures.rtt;
            facts.lost = figures.lost;
            facts.jitter = figures.jitter;
            facts.backlog_bytes = backlog;
            counted.put_into(facts);
        });
    }
}

/// Whether what was sent is acknowledged.
struct Backlog {
    /// The most that was ever acknowledged, in bytes.
    acknowledged: u64,
    /// When that last grew, or nothing waited.
    since: Instant,
    stalled: bool,
}

/// What a look at the backlog says.
#[derive(Debug, PartialEq, Eq)]
enum Look {
    Nothing,
    Stalled,
    Flowing,
    GiveUp,
}

impl Backlog {
    fn new(now: Instant) -> Self {
        Self { acknowledged: 0, since: now, stalled: false }
    }

    fn look(&mut self, now: Instant, sent: u64, backlog: usize, settings: &Settings) -> Look {
        let acknowledged = sent.saturating_sub(backlog as u64);
        if backlog == 0 || acknowledged > self.acknowledged {
            self.acknowledged = acknowledged.max(self.acknowledged);
            self.since = now;
            return if std::mem::take(&mut self.stalled) { Look::Flowing } else { Look::Nothing };
        }
        let waited = now - self.since;
        if waited >= settings.stalled_after + settings.given_up_after {
            Look::GiveUp
        } else if waited >= settings.stalled_after && !std::mem::replace(&mut self.stalled, true) {
            Look::Stalled
        } else {
            Look::Nothing
        }
    }
}

/// Closes in order: what is queued leaves, the peer is told, and what it sent before it knew is still handed on.
async fn leave(channel: &dyn DataChannel, came: &mpsc::Sender<FromPeer>, settings: &Settings) {
    let gone = async {
        while channel.outstanding_bytes().await.is_ok_and(|bytes| bytes > 0) {
            sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = timeout(settings.leave_within, gone) => {}
        _closed = receive(channel, came, settings) => return,
    }
    if channel.close().await.is_ok() {
        let _ = timeout(settings.leave_within, receive(channel, came, settings)).await;
    }
}

#[cfg(test)]
#[path = "tests/backlog.rs"]
mod backlog_tests;
