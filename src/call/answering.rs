//! The answering side: for the embedded agent.

use super::connecting::{self, Agreed};
use super::sdp::{self, Kind};
use super::stack::{self, Peer, setup};
use super::{Call, CallError, Settings};

/// An offer that has its answer, and becomes a call once the other side has got it. Dropping it gives everything back.
pub struct Answering {
    peer: Peer,
    agreed: Agreed,
    sdp: String,
    settings: Settings,
}

impl Answering {
    /// Checks an offer and prepares the answer, with every candidate that is there in time.
    ///
    /// # Errors
    /// [`CallError::Sdp`] or [`CallError::Refused`] for the offer; [`CallError::Setup`].
    pub async fn prepare(offer: &str, settings: Settings) -> Result<Self, CallError> {
        let offered = sdp::read_offer(offer)?;
        let mut peer = stack::peer(&settings).await?;
        peer.apply(Kind::Offer, &offered).await?;
        let answer = peer.connection.create_answer(None).await.map_err(|e| setup(&e))?;
        let sdp = peer.describe(answer, settings.gather_within).await?;
        let ours = sdp::read_answer(&sdp, &offered).map_err(|e| CallError::Setup(e.to_string()))?;
        let agreed = Agreed {
            to_peer: offered.payload_type,
            to_us: ours.payload_type,
            max_message: offered.max_message,
        };
        Ok(Self { peer, agreed, sdp, settings })
    }

    /// The answer, to be carried to the other side.
    pub fn sdp(&self) -> &str {
        &self.sdp
    }

    /// Waits until the other side has opened its channel, and checks that it is the profile's.
    ///
    /// # Errors
    /// [`CallError::Channel`] for another channel; whatever stands between an answer and an open channel.
    pub async fn connect(self) -> Result<Call, CallError> {
        connecting::open(self.peer, None, self.agreed, self.settings).await
    }
}
