//! What is known to go wrong in the stack (webrtc 0.21.1, measured) and in other programs (field reports, family E), and where
//! each is held.
//!
//! | | what | held by |
//! |---|---|---|
//! | hazard 1 | messages over 64 KiB fail | `hazard_01_…` |
//! | hazard 2 | larger messages from a peer with a small limit vanish | `hazard_02_…` |
//! | hazard 3, E5 | sockets leak without a close | `hazard_03_…`, `e5_…` |
//! | hazards 4, 5 | a remote close shows in one event only | `hazard_05_…` |
//! | hazard 6 | a failed connection still takes messages | `hazard_06_…` |
//! | hazard 7, E10, E13 | a call that never opens, a certificate that is another | `hazard_07_…`, `e10_…` |
//! | hazard 8 | a server that does not answer holds gathering | `hazard_08_…` |
//! | hazard 9 | which addresses are offered | `hazard_09_…` |
//! | hazard 10 | multicast DNS | `hazard_10_…` |
//! | hazard 11 | the track shows with its first packet | `hazard_11_…` |
//! | hazard 12 | directions and ports are not looked at | `sdp/tests.rs` |
//! | hazard 13 | sound before the keys is dropped | `hazard_13_…` |
//! | hazard 14 | errors hold packets | `hazard_14_…` |
//! | hazard 15 | the id of a channel is not that of its stream | nothing uses it: `hazard_15_…` |
//! | hazard 16 | sends before open fail, and queue without bound | `hazard_16_…` |
//! | hazard 17 | handlers must not block | `hazard_17_…` |
//! | hazard 18 | it logs | `hazard_18_…` |
//! | E1 | packets too large for the path vanish | `e1_…`, `tests/backlog.rs` |
//! | E2 | limits of messages | `sdp/tests.rs`, `e2_…` |
//! | E4, E11 | names and spellings of descriptions | `sdp/tests.rs` |
//! | E7 | candidates before the description | none are sent apart: both descriptions are complete |
//! | E8 | junk candidates | `sdp/candidates.rs`, `e8_…` |
//! | E13 | states that never get worse, closing from inside | `e13_…` |
//! | E14 | no packets outside a turn | the client decides; nothing is sent here that was not given: `e14_…` |

mod closing;
mod descriptions;
mod messages;
mod opening;
mod sound;

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::*;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

/// Settings for two calls on this machine.
fn here() -> Settings {
    Settings { reach: Reach::Loopback, facts_every: Duration::from_millis(20), ..Settings::default() }
}

/// Both sides of an open call.
struct Both {
    offering: Call,
    answering: Call,
}

async fn both(offering: Settings, answering: Settings) -> Both {
    both_with(offering, answering, |offer| offer, |answer| answer).await
}

/// Both sides, with what each description is changed to on its way.
async fn both_with(
    offering: Settings,
    answering: Settings,
    offer: impl FnOnce(String) -> String,
    answer: impl FnOnce(String) -> String,
) -> Both {
    let ours = Offering::prepare(offering).await.expect("an offer");
    let theirs = Answering::prepare(&offer(ours.sdp().to_owned()), answering).await.expect("an answer");
    let answer = answer(theirs.sdp().to_owned());
    let (ours, theirs) = tokio::join!(ours.connect(&answer), theirs.connect());
    Both { offering: ours.expect("the offering side"), answering: theirs.expect("the answering side") }
}

/// The next thing a call tells.
async fn next(call: &mut Call) -> FromPeer {
    timeout(PATIENCE, call.incoming.recv()).await.expect("something in time").expect("an end that is told")
}

async fn say(call: &Call, text: &str) {
    timeout(PATIENCE, call.outgoing.send(ToPeer::Text(text.to_owned())))
        .await
        .expect("room")
        .expect("a call");
}

/// Waits until the facts are as asked.
async fn until(facts: &mut watch::Receiver<CallFacts>, wanted: impl Fn(&CallFacts) -> bool) -> CallFacts {
    let facts = timeout(PATIENCE, facts.wait_for(|facts| wanted(facts))).await.expect("such facts in time");
    facts.expect("a call that is open").clone()
}

/// The next packet of sound.
async fn hear(sound: &mut mpsc::Receiver<SoundPacket>) -> SoundPacket {
    timeout(PATIENCE, sound.recv()).await.expect("sound in time").expect("a call that is open")
}

fn packet(sequence: u16) -> SoundPacket {
    let payload = bytes::Bytes::from(vec![0xF8, 0xFF, 0xFE, u8::try_from(sequence % 256).unwrap_or(0)]);
    let timestamp = u32::from(sequence) * 960;
    SoundPacket { sequence, timestamp, marker: sequence == 0, payload }
}
