//! What is known of the way between the two sides: the stack's figures and our own.

use std::fmt;
use std::time::{Duration, Instant};

use webrtc::peer_connection::{PeerConnection, RTCStatsReport, RTCStatsReportEntry, StatsSelector};

/// Whether anything comes from the peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallState {
    /// It does.
    #[default]
    Open,
    /// Nothing has come for a while. It may come back by itself; a session never does.
    Unreachable,
    /// The call is over.
    Closed,
}

/// What is known of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallFacts {
    /// Whether anything comes from the peer.
    pub state: CallState,
    /// The two addresses in use: `host 192.0.2.1:5000 ↔ relay 198.51.100.7:6000`.
    pub pair: Option<String>,
    /// There and back, by the last test of the way.
    pub rtt: Option<Duration>,
    /// Packets of sound sent.
    pub sent_packets: u64,
    /// Bytes of sound in them.
    pub sent_bytes: u64,
    /// Packets of sound that came.
    pub received_packets: u64,
    /// Bytes of sound in them.
    pub received_bytes: u64,
    /// Packets of sound that should have come and did not.
    pub lost: u64,
    /// How unevenly they come (RFC 3550, section 6.4.1).
    pub jitter: Option<Duration>,
    /// Bytes of messages that were sent and not acknowledged.
    pub backlog_bytes: usize,
    /// The largest message that the peer takes, in bytes; none: any.
    pub max_message: Option<usize>,
}

/// The figures of the stack at one moment.
pub(super) async fn figures(connection: &dyn PeerConnection) -> Figures {
    Figures::of(&connection.get_stats(Instant::now(), StatsSelector::None).await)
}

/// What is taken from the stack's figures.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub pair: Option<String>,
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
                    let [ours, theirs] = [&pair.local_candidate_id, &pair.remote_candidate_id];
                    figures.pair = Some(format!("{} ↔ {}", Place::of(report, ours), Place::of(report, theirs)));
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

/// One end of the way: `host 192.0.2.1:5000`.
enum Place<'a> {
    Known(&'a rtc::statistics::stats::ice_candidate::RTCIceCandidateStats),
    Unknown,
}

impl<'a> Place<'a> {
    fn of(report: &'a RTCStatsReport, id: &str) -> Self {
        let candidate = report.iter().find_map(|entry| match entry {
            RTCStatsReportEntry::LocalCandidate(candidate) | RTCStatsReportEntry::RemoteCandidate(candidate)
                if candidate.stats.id.ends_with(id) =>
            {
                Some(candidate)
            }
            _ => None,
        });
        candidate.map_or(Self::Unknown, Self::Known)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Known(candidate) = self else { return f.write_str("somewhere") };
        let address = candidate.address.as_deref().unwrap_or("somewhere");
        let bracketed = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        write!(f, "{} {bracketed}:{}", candidate.candidate_type, candidate.port)
    }
}
