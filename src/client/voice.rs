//! Speaking and hearing, as faces are told: whether the microphone is open, how loud it is, how the call does, and how
//! long the agent took to be heard. Nothing of what is said is in any of it.

use std::time::Duration;

use super::notice::DeviceLine;
use crate::units::Turn;

/// The voice side of a session whose transport carries sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceView {
    /// The chosen microphone.
    pub microphone: DeviceLine,
    /// The chosen speaker.
    pub speaker: DeviceLine,
    /// Whether turns are opened and committed (`supportsExplicitTurns`); else the open microphone alone is the turn.
    pub explicit: bool,
    /// Whether what is recorded leaves this machine.
    pub state: MicrophoneState,
}

/// How far the microphone is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MicrophoneState {
    /// Nothing is recorded.
    #[default]
    Closed,
    /// It is being opened; nothing leaves yet.
    Opening,
    /// What it records leaves this machine.
    Open {
        /// Since when, as time of the engine.
        since: Duration,
        /// When it closes by itself.
        until: Duration,
        /// The audio turn, where turns are explicit.
        turn: Option<Turn>,
    },
    /// Nothing is recorded any more; the last packet is on its way.
    Closing,
}

impl MicrophoneState {
    /// Whether nothing is recorded and nothing is about to be.
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Closed)
    }
}

/// When what happened in a spoken turn, each as time of the engine; `None`: not measured, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpokenTurn {
    /// The turn.
    pub turn: Turn,
    /// The key that committed it, or the end of the recording.
    pub key: Duration,
    /// The microphone was closed and its last packet handed over.
    pub closed: Option<Duration>,
    /// `audio.turn.commit` was handed to the transport.
    pub committed: Option<Duration>,
    /// `run.started` came.
    pub started: Option<Duration>,
    /// The first text of the answer came.
    pub first_text: Option<Duration>,
    /// The first packet of the answer came that can be heard.
    pub first_audible: Option<Duration>,
    /// Its playing began.
    pub heard: Option<Duration>,
}

/// One part of the latency of a spoken turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyPart {
    /// What it ends with.
    pub what: &'static str,
    /// How long it took since the part before; `None`: not measured, and its time is in the next one that is.
    pub took: Option<Duration>,
}

impl SpokenTurn {
    /// A turn that the user ends now.
    pub const fn ended_at(turn: Turn, key: Duration) -> Self {
        Self {
            turn,
            key,
            closed: None,
            committed: None,
            started: None,
            first_text: None,
            first_audible: None,
            heard: None,
        }
    }

    /// The parts in the order in which they happened; what was not measured stands last. The measured ones sum to
    /// [`SpokenTurn::total`].
    pub fn parts(&self) -> Vec<LatencyPart> {
        let steps = [
            ("microphone closed", self.closed),
            ("commit sent", self.committed),
            ("run started", self.started),
            ("first text", self.first_text),
            ("first audible packet", self.first_audible),
            ("heard", self.heard),
        ];
        let mut measured: Vec<_> = steps.iter().filter_map(|(what, at)| at.map(|at| (at, *what))).collect();
        // The order of sound and text is the agent's affair.
        measured.sort_by_key(|(at, _)| *at);
        let mut before = self.key;
        let parts = measured.into_iter().map(|(at, what)| {
            let took = at.saturating_sub(before);
            before = at.max(before);
            LatencyPart { what, took: Some(took) }
        });
        let unmeasured = steps.iter().filter(|(_, at)| at.is_none());
        let unmeasured = unmeasured.map(|(what, _)| LatencyPart { what, took: None });
        parts.chain(unmeasured).collect()
    }

    /// From the key to the last thing that was measured.
    pub fn total(&self) -> Duration {
        let last =
            [self.closed, self.committed, self.started, self.first_text, self.first_audible, self.heard];
        last.into_iter().flatten().max().unwrap_or(self.key).saturating_sub(self.key)
    }
}

/// How loud something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loudness {
    /// Root mean square of the last tenth of a second in dBFS, from −100 to 0.
    pub rms_db: f32,
    /// The highest sample of the last seconds in dBFS, falling slowly.
    pub hold_db: f32,
    /// Whether samples were cut off lately.
    pub clipped: bool,
}

/// How loud microphone and speaker are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// When.
    pub at: Duration,
    /// `None` while the microphone is closed.
    pub microphone: Option<Loudness>,
    /// What is played.
    pub speaker: Loudness,
    /// Whether the speaker is silent because the microphone is open.
    pub ducked: bool,
}

/// How a call does. Counts are since its beginning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MediaStats {
    /// When.
    pub at: Duration,
    /// The two ends that talk to each other, such as `host 192.0.2.7:50000 – host 192.0.2.9:40000`.
    pub pair: Option<String>,
    /// Round-trip time.
    pub rtt: Option<Duration>,
    /// Packets of sound that were sent.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets of sound that came.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Bits a second that were sent lately.
    pub send_rate: u64,
    /// Bits a second that came lately.
    pub receive_rate: u64,
    /// Packets that never came.
    pub lost: u64,
    /// Packets that came too late to be played.
    pub late: u64,
    /// Jitter of what comes (RFC 3550, section 6.4.1).
    pub jitter: Option<Duration>,
    /// How much sound waits to be played.
    pub depth: Duration,
    /// How much should.
    pub target: Duration,
    /// How much sound was made up for what was lost.
    pub concealed: Duration,
    /// How often there was nothing to play while the agent was speaking.
    pub underruns: u64,
    /// Bytes of messages that wait in the data channel.
    pub backlog: usize,
    /// The largest message that the agent takes; `None`: it sets no limit.
    pub max_message: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_parts_of_a_latency_sum_to_its_total_and_what_was_not_measured_says_so() {
        let mut turn = SpokenTurn::ended_at(Turn(3), ms(1_000));
        assert_eq!((turn.total(), turn.parts().iter().filter(|p| p.took.is_some()).count()), (ms(0), 0));
        turn.closed = Some(ms(1_012));
        turn.committed = Some(ms(1_013));
        turn.started = Some(ms(1_020));
        // Sound before text.
        turn.first_audible = Some(ms(1_100));
        turn.first_text = Some(ms(1_150));
        let parts = turn.parts();
        let told: Vec<(&str, Option<u128>)> =
            parts.iter().map(|part| (part.what, part.took.map(|t| t.as_millis()))).collect();
        assert_eq!(
            told,
            [
                ("microphone closed", Some(12)),
                ("commit sent", Some(1)),
                ("run started", Some(7)),
                ("first audible packet", Some(80)),
                ("first text", Some(50)),
                ("heard", None),
            ]
        );
        assert_eq!(parts.iter().filter_map(|part| part.took).sum::<Duration>(), turn.total());
        assert_eq!(turn.total(), ms(150));
    }
}
