//! A link in memory, for tests: no socket, no clock of its own, and faults that a seed decides.

use std::time::Duration;

use tokio::sync::mpsc;

use super::{Closure, INCOMING_QUEUE, Incoming, Link, OUTGOING_QUEUE, Outgoing, PeerInfo};

/// What goes wrong on the way from the far end to the link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// The frame that is lost, counted from 0.
    pub drop_at: Option<u64>,
    /// The frame before which the connection is lost, counted from 0.
    pub lose_at: Option<u64>,
    /// The longest delay of a frame; the seed decides each one. Frames are never reordered.
    pub delay_up_to: Duration,
}

impl Faults {
    /// Faults drawn from a seed, within the first `frames` frames: nothing, a lost frame, or a lost
    /// connection, each as likely.
    pub fn seeded(seed: u64, frames: u64) -> Self {
        let mut dice = Dice(seed);
        let at = dice.roll() % frames.max(1);
        match dice.roll() % 3 {
            0 => Self::default(),
            1 => Self { drop_at: Some(at), ..Self::default() },
            _ => Self { lose_at: Some(at), ..Self::default() },
        }
    }
}

/// The agent's end of a link in memory.
pub struct FarEnd {
    sent: mpsc::Receiver<Outgoing>,
    came: Option<mpsc::Sender<Incoming>>,
    faults: Faults,
    dice: Dice,
    count: u64,
}

/// A link in memory and its far end. `seed` decides the delays; the same seed gives the same run.
pub fn pair(seed: u64, faults: Faults) -> (Link, FarEnd) {
    let (outgoing, sent) = mpsc::channel(OUTGOING_QUEUE);
    let (came, incoming) = mpsc::channel(INCOMING_QUEUE);
    let peer = PeerInfo { address: None, tls: false, status: None, authorized: false };
    let far = FarEnd { sent, came: Some(came), faults, dice: Dice(seed), count: 0 };
    (Link { outgoing, incoming, peer, sound: None }, far)
}

impl FarEnd {
    /// The next thing the link sent; none once it is dropped.
    pub async fn receive(&mut self) -> Option<Outgoing> {
        self.sent.recv().await
    }

    /// Sends something to the link, unless a fault takes it. Gives whether the link is still open.
    pub async fn send(&mut self, incoming: Incoming) -> bool {
        let at = self.count;
        self.count += 1;
        if self.faults.lose_at == Some(at) {
            self.close(Closure::Lost("the simulated connection broke".to_owned())).await;
        }
        if self.faults.drop_at == Some(at) {
            return self.came.is_some();
        }
        let Some(came) = &self.came else { return false };
        if !self.faults.delay_up_to.is_zero() {
            let thousandths = u32::try_from(self.dice.roll() % 1001).unwrap_or(0);
            tokio::time::sleep(self.faults.delay_up_to * thousandths / 1000).await;
        }
        came.send(incoming).await.is_ok()
    }

    /// Ends the link.
    pub async fn close(&mut self, closure: Closure) {
        if let Some(came) = self.came.take() {
            let _ = came.send(Incoming::Closed(closure)).await;
        }
    }
}

/// SplitMix64: a seed in, the same sequence out, on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
