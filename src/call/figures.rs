//! The stack's own figures of a call.

use std::time::{Duration, Instant};

use webrtc::peer_connection::{
    PeerConnection, RTCIceCandidate, RTCStatsReport, RTCStatsReportEntry, StatsSelector,
};

use crate::safe_text::SafeText;

/// The figures of the stack at one moment.
pub(super) async fn figures(connection: &dyn PeerConnection) -> Figures {
    Figures::of(&connection.get_stats(Instant::now(), StatsSelector::None).await)
}

/// The two addresses in use, as soon as they are chosen.
pub(super) async fn pair(connection: &dyn PeerConnection) -> Option<String> {
    let way = connection.sctp().await?.transport().ice_transport();
    let pair = way.get_selected_candidate_pair().await.ok()??;
    Some(format!("{} ↔ {}", place(pair.local()), place(pair.remote())))
}

/// One end of the way: `host 192.0.2.1:5000`.
fn place(candidate: &RTCIceCandidate) -> String {
    let RTCIceCandidate { typ, address, port, .. } = candidate;
    // A name of multicast DNS is text from outside.
    let address = SafeText::line(address).cut(80);
    if address.as_str().contains(':') {
        format!("{typ} [{address}]:{port}")
    } else {
        format!("{typ} {address}:{port}")
    }
}

/// What is taken from the stack's figures.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub rtt: Option<Duration>,
    /// Packets that the stack has taken over for sending.
    pub sent_packets: u64,
    pub lost: u64,
    pub jitter: Option<Duration>,
}

impl Figures {
    fn of(report: &RTCStatsReport) -> Self {
        let mut figures = Self::default();
        let chosen = report.transport().map(|transport| transport.selected_candidate_pair_id.clone());
        for entry in report.iter() {
            match entry {
                RTCStatsReportEntry::IceCandidatePair(pair) if chosen.as_ref() == Some(&pair.stats.id) => {
                    figures.rtt = seconds(pair.current_round_trip_time);
                }
                RTCStatsReportEntry::OutboundRtp(sent) => {
                    figures.sent_packets += sent.sent_rtp_stream_stats.packets_sent;
                }
                RTCStatsReportEntry::InboundRtp(received) => {
                    let received = &received.received_rtp_stream_stats;
                    figures.lost += u64::try_from(received.packets_lost).unwrap_or(0);
                    figures.jitter = seconds(received.jitter).or(figures.jitter);
                }
                _ => {}
            }
        }
        figures
    }
}

/// Nothing was measured where it says 0.
fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}
