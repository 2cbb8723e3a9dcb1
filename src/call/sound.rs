//! Packets of sound, out and in. What they hold is never printed: an error of the stack's may hold a whole packet.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use webrtc::media_stream::track_local::TrackLocal;
use webrtc::media_stream::track_local::static_rtp::TrackLocalStaticRTP;
use webrtc::media_stream::track_remote::{TrackRemote, TrackRemoteEvent};
use webrtc::peer_connection::PeerConnection;

use super::SoundOut;
use super::facts::CallFacts;
use super::figures::figures;
use crate::rtp::SoundPacket;

/// How long a flush waits for the stack; it takes a millisecond.
const FLUSH_WITHIN: Duration = Duration::from_millis(500);

/// Where our sound goes.
pub(super) struct Voice {
    pub track: Arc<TrackLocalStaticRTP>,
    pub ssrc: u32,
    pub payload_type: u8,
}

/// How much sound went and came.
#[derive(Debug, Default)]
pub(super) struct Counted {
    sent_packets: AtomicU64,
    sent_bytes: AtomicU64,
    received_packets: AtomicU64,
    received_bytes: AtomicU64,
}

impl Counted {
    /// Puts the counts among the facts.
    pub fn put_into(&self, facts: &mut CallFacts) {
        facts.sent_packets = self.sent_packets.load(Relaxed);
        facts.sent_bytes = self.sent_bytes.load(Relaxed);
        facts.received_packets = self.received_packets.load(Relaxed);
        facts.received_bytes = self.received_bytes.load(Relaxed);
    }
}

/// Sends packets as they come; never ends by itself. It runs only in an open call: the stack drops what is written before
/// there are keys, and says that all is well.
pub(super) async fn speak(
    voice: Voice,
    mut to_speak: mpsc::Receiver<SoundOut>,
    connection: &dyn PeerConnection,
    counted: &Counted,
) {
    while let Some(asked) = to_speak.recv().await {
        match asked {
            SoundOut::Packet(packet) => {
                let bytes = packet.payload.len() as u64;
                // After a failure the call is over, and the task that reads says so.
                if voice.track.write_rtp(voice.packet(packet)).await.is_ok() {
                    counted.sent_packets.fetch_add(1, Relaxed);
                    counted.sent_bytes.fetch_add(bytes, Relaxed);
                }
            }
            SoundOut::Flush(done) => {
                flush(connection, counted.sent_packets.load(Relaxed)).await;
                let _nobody_waits = done.send(());
            }
        }
    }
    // Nobody speaks any more; the call goes on.
    std::future::pending::<()>().await;
}

/// Waits until the stack has taken so many packets from its own queue. What is sent on the channel then stands behind them.
async fn flush(connection: &dyn PeerConnection, packets: u64) {
    let deadline = Instant::now() + FLUSH_WITHIN;
    while figures(connection).await.sent_packets < packets && Instant::now() < deadline {
        sleep(Duration::from_millis(1)).await;
    }
}

impl Voice {
    fn packet(&self, packet: SoundPacket) -> rtc::rtp::Packet {
        let SoundPacket { sequence, timestamp, marker, payload } = packet;
        let header = rtc::rtp::header::Header {
            version: 2,
            marker,
            payload_type: self.payload_type,
            sequence_number: sequence,
            timestamp,
            ssrc: self.ssrc,
            ..Default::default()
        };
        rtc::rtp::Packet { header, payload }
    }
}

/// Takes one packet of the peer's, if it speaks. `false` when its track has ended.
pub(super) async fn hear(
    track: Option<&dyn TrackRemote>,
    payload_type: u8,
    to_play: &mpsc::Sender<SoundPacket>,
    counted: &Counted,
) -> bool {
    let Some(track) = track else { return std::future::pending().await };
    match track.poll().await {
        Some(TrackRemoteEvent::OnRtpPacket(packet)) => {
            if packet.header.payload_type == payload_type {
                counted.received_packets.fetch_add(1, Relaxed);
                counted.received_bytes.fetch_add(packet.payload.len() as u64, Relaxed);
                // Sound that nobody takes in time is of no use later.
                let _late = to_play.try_send(SoundPacket {
                    sequence: packet.header.sequence_number,
                    timestamp: packet.header.timestamp,
                    marker: packet.header.marker,
                    payload: packet.payload,
                });
            }
            true
        }
        Some(TrackRemoteEvent::OnEnded) | None => false,
        Some(_) => true,
    }
}
