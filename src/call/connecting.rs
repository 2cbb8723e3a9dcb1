//! From two descriptions to an open channel, within a deadline of our own.

use std::sync::Arc;

use tokio::time::{Instant, sleep_until};
use webrtc::data_channel::{DataChannel, DataChannelEvent};
use webrtc::media_stream::track_remote::TrackRemote;
use webrtc::peer_connection::{RTCIceConnectionState, RTCPeerConnectionState};

use super::error::Reached;
use super::facts::CallFacts;
use super::open::{self, Opened};
use super::stack::{Happened, Peer};
use super::{CHANNEL_LABEL, CHANNEL_PROTOCOL, Call, CallError, Settings, ends};
use crate::safe_text::SafeText;

/// What the two descriptions agree on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    /// The payload type of what we send.
    pub to_peer: u8,
    /// The payload type of what we get.
    pub to_us: u8,
    /// The largest message that the peer takes.
    pub max_message: Option<usize>,
}

/// Waits for the channel, which the peer opens if it is not there, and runs the call.
pub(super) async fn open(
    mut peer: Peer,
    mut channel: Option<Arc<dyn DataChannel>>,
    agreed: Agreed,
    settings: Settings,
) -> Result<Call, CallError> {
    let after = settings.connect_within;
    let deadline = Instant::now() + after;
    let mut seen = Seen::default();
    loop {
        tokio::select! {
            biased;
            event = next_event(channel.as_ref()) => match event {
                Some(DataChannelEvent::OnOpen) => break,
                Some(DataChannelEvent::OnClose) | None => return Err(CallError::ClosedEarly),
                Some(_) => {}
            },
            Some(happened) = peer.happened.recv() => match happened {
                Happened::Channel(theirs) if channel.is_none() => {
                    check(theirs.as_ref()).await?;
                    channel = Some(theirs);
                }
                happened => seen.take(happened)?,
            },
            () = sleep_until(deadline) => return Err(CallError::Late { after, reached: seen.reached }),
        }
    }
    let Some(channel) = channel else { return Err(CallError::ClosedEarly) };
    let facts = CallFacts { max_message: agreed.max_message, ..CallFacts::default() };
    let (call, far) = ends(facts);
    tokio::spawn(open::run(Opened { peer, channel, track: seen.track, agreed, settings }, far));
    Ok(call)
}

async fn next_event(channel: Option<&Arc<dyn DataChannel>>) -> Option<DataChannelEvent> {
    match channel {
        Some(channel) => channel.poll().await,
        None => std::future::pending().await,
    }
}

/// What was seen on the way to an open channel.
#[derive(Default)]
struct Seen {
    reached: Reached,
    /// The peer may speak before the channel is open.
    track: Option<Arc<dyn TrackRemote>>,
}

impl Seen {
    fn take(&mut self, happened: Happened) -> Result<(), CallError> {
        match happened {
            Happened::Way(RTCIceConnectionState::Connected | RTCIceConnectionState::Completed) => {
                self.reached = Reached::Way;
            }
            Happened::State(RTCPeerConnectionState::Connected) => self.reached = Reached::Keys,
            Happened::State(RTCPeerConnectionState::Failed)
            | Happened::Way(RTCIceConnectionState::Failed) => {
                return Err(CallError::Failed { reached: self.reached });
            }
            Happened::State(RTCPeerConnectionState::Closed) => return Err(CallError::ClosedEarly),
            Happened::Track(track) => self.track = Some(track),
            _ => {}
        }
        Ok(())
    }
}

/// Whether a channel of the peer's is the profile's.
async fn check(channel: &dyn DataChannel) -> Result<(), CallError> {
    let gone = |_| CallError::ClosedEarly;
    let label = channel.label().await.map_err(gone)?;
    let protocol = channel.protocol().await.map_err(gone)?;
    let reliable = channel.ordered().await.map_err(gone)?
        && channel.max_packet_life_time().await.map_err(gone)?.is_none()
        && channel.max_retransmits().await.map_err(gone)?.is_none();
    if label == CHANNEL_LABEL && protocol == CHANNEL_PROTOCOL && reliable {
        return Ok(());
    }
    let shown = |text: &str| SafeText::line(text).cut(60).to_string();
    Err(CallError::Channel { label: shown(&label), protocol: shown(&protocol), reliable })
}
