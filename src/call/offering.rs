//! The offering side.

use std::sync::Arc;

use rtc::data_channel::RTCDataChannelInit;
use webrtc::data_channel::DataChannel;

use super::connecting::{self, Agreed};
use super::sdp::{self, Description, Kind};
use super::stack::{self, Peer, setup};
use super::{CHANNEL_LABEL, CHANNEL_PROTOCOL, Call, CallError, Settings};

/// An offer that waits for its answer. Dropping it gives everything back.
pub struct Offering {
    peer: Peer,
    channel: Arc<dyn DataChannel>,
    offered: Description,
    sdp: String,
    settings: Settings,
}

impl Offering {
    /// Prepares an offer of one track both ways and one channel, with every candidate that is there in time.
    ///
    /// # Errors
    /// [`CallError::Setup`].
    pub async fn prepare(settings: Settings) -> Result<Self, CallError> {
        let mut peer = stack::peer(&settings).await?;
        let init = RTCDataChannelInit {
            ordered: true,
            protocol: CHANNEL_PROTOCOL.to_owned(),
            ..RTCDataChannelInit::default()
        };
        let channel = peer.connection.create_data_channel(CHANNEL_LABEL, Some(init)).await;
        let channel = channel.map_err(|e| setup(&e))?;
        let offer = peer.connection.create_offer(None).await.map_err(|e| setup(&e))?;
        let sdp = peer.describe(offer, settings.gather_within).await?;
        let offered = sdp::read_offer(&sdp).map_err(|e| CallError::Setup(e.to_string()))?;
        Ok(Self { peer, channel, offered, sdp, settings })
    }

    /// The offer, to be carried to the other side.
    pub fn sdp(&self) -> &str {
        &self.sdp
    }

    /// Checks the answer, and opens the call.
    ///
    /// # Errors
    /// Whatever is wrong with the answer, or stands between it and an open channel. Everything is given back.
    pub async fn connect(self, answer: &str) -> Result<Call, CallError> {
        let answered = sdp::read_answer(answer, &self.offered)?;
        self.peer.apply(Kind::Answer, &answered).await?;
        let agreed = Agreed {
            to_peer: answered.payload_type,
            to_us: self.offered.payload_type,
            max_message: answered.max_message,
        };
        connecting::open(self.peer, Some(self.channel), agreed, self.settings).await
    }
}
