//! The stack (`webrtc`): how a peer connection is set up, and what it tells.

use std::sync::Arc;
use std::time::Duration;

use rtc::ice::mdns::MulticastDnsMode;
use rtc::peer_connection::configuration::media_engine::MIME_TYPE_OPUS;
use rtc::peer_connection::configuration::setting_engine::SctpMaxMessageSize;
use rtc::rtp_transceiver::rtp_sender::{
    RTCRtpCodec, RTCRtpCodecParameters, RTCRtpCodingParameters, RTCRtpEncodingParameters, RtpCodecKind,
};
use tokio::sync::mpsc;
use tokio::time::timeout;
use webrtc::data_channel::DataChannel;
use webrtc::media_stream::MediaStreamTrack;
use webrtc::media_stream::track_local::TrackLocal;
use webrtc::media_stream::track_local::static_rtp::TrackLocalStaticRTP;
use webrtc::media_stream::track_remote::TrackRemote;
use webrtc::peer_connection::{
    MediaEngine, PeerConnection, PeerConnectionBuilder, PeerConnectionEventHandler, RTCConfigurationBuilder,
    RTCIceConnectionState, RTCIceGatheringState, RTCPeerConnectionState, RTCSessionDescription, Registry,
    SettingEngineBuilder, configure_rtcp_reports,
};

use super::guard::Guard;
use super::sdp::{Description, Kind};
use super::{CallError, Settings, sdp};
use crate::rtp::CLOCK;

/// The payload type under which we offer Opus: what browsers use.
const PAYLOAD_TYPE: u8 = 111;

/// How often each way is tried until one is found (RFC 8445, section 14.2). The stack would take 200 ms.
const TEST_EVERY: Duration = Duration::from_millis(50);
/// How often each is tried at most: for five seconds, since the other side may begin later than we do.
const TESTS: u16 = 100;
/// How long a way through a server waits for a direct one; twice as long if it goes through a relay. The stack would wait 0.5
/// and 2 s, and a second for one that the other side found first, which most direct ones are.
const BETTER_WITHIN: Duration = Duration::from_millis(200);

/// What the stack tells.
pub(super) enum Happened {
    /// Every candidate is there.
    Gathered,
    /// The state of the way.
    Way(RTCIceConnectionState),
    /// The state of the whole.
    State(RTCPeerConnectionState),
    /// The peer opened a channel.
    Channel(Arc<dyn DataChannel>),
    /// The peer's sound: with its first packet, not when it was agreed on.
    Track(Arc<dyn TrackRemote>),
}

/// Hands on what the stack tells. It is called on the task that moves every packet, and so never waits.
struct Handler(mpsc::UnboundedSender<Happened>);

impl Handler {
    fn tell(&self, happened: Happened) {
        let _nobody_listens = self.0.send(happened);
    }
}

#[async_trait::async_trait]
impl PeerConnectionEventHandler for Handler {
    async fn on_ice_gathering_state_change(&self, state: RTCIceGatheringState) {
        if state == RTCIceGatheringState::Complete {
            self.tell(Happened::Gathered);
        }
    }

    async fn on_ice_connection_state_change(&self, state: RTCIceConnectionState) {
        self.tell(Happened::Way(state));
    }

    async fn on_connection_state_change(&self, state: RTCPeerConnectionState) {
        self.tell(Happened::State(state));
    }

    async fn on_data_channel(&self, channel: Arc<dyn DataChannel>) {
        self.tell(Happened::Channel(channel));
    }

    async fn on_track(&self, track: Arc<dyn TrackRemote>) {
        self.tell(Happened::Track(track));
    }
}

/// A peer connection that is being set up or open.
pub(super) struct Peer {
    /// The connection.
    pub connection: Arc<dyn PeerConnection>,
    /// What it tells.
    pub happened: mpsc::UnboundedReceiver<Happened>,
    /// Our sound.
    pub track: Arc<TrackLocalStaticRTP>,
    /// Its source.
    pub ssrc: u32,
    /// Closes it.
    pub guard: Guard,
}

/// A peer connection with our one track, at its beginning.
pub(super) async fn peer(settings: &Settings) -> Result<Peer, CallError> {
    let settings = settings.clone();
    // In a task of its own, which comes to its end whatever becomes of ours: what is given up half-made keeps its sockets.
    let made = tokio::spawn(async move { make(&settings).await }).await;
    made.map_err(|e| CallError::Setup(e.to_string()))?
}

async fn make(settings: &Settings) -> Result<Peer, CallError> {
    let (tell, happened) = mpsc::unbounded_channel();
    let handler = Arc::new(Handler(tell));
    // Names of multicast DNS hide the addresses of browsers. Its port may be taken by a program that does not share it: then
    // such peers are found by what they send.
    let connection = match build(settings, handler.clone(), MulticastDnsMode::QueryOnly).await {
        Ok(connection) => connection,
        Err(_) => build(settings, handler, MulticastDnsMode::Disabled).await.map_err(|e| setup(&e))?,
    };
    let guard = Guard::new(connection.clone(), settings.close_within);
    let ssrc = ssrc()?;
    let track = Arc::new(TrackLocalStaticRTP::new(our_track(ssrc)));
    let as_track: Arc<dyn TrackLocal> = track.clone();
    connection.add_track(as_track).await.map_err(|e| setup(&e))?;
    Ok(Peer { connection, happened, track, ssrc, guard })
}

async fn build(
    settings: &Settings,
    handler: Arc<Handler>,
    mdns: MulticastDnsMode,
) -> webrtc::error::Result<Arc<dyn PeerConnection>> {
    let mut media = MediaEngine::default();
    let codec = RTCRtpCodecParameters { rtp_codec: opus(), payload_type: PAYLOAD_TYPE };
    media.register_codec(codec, RtpCodecKind::Audio)?;
    let servers = settings.ice_servers.iter().map(super::IceServer::for_stack).collect();
    let engine = SettingEngineBuilder::new()
        .with_sctp_max_message_size(SctpMaxMessageSize::Bounded(sdp::MESSAGE_BYTES))
        .with_multicast_dns_mode(mdns)
        .with_ice_timeouts(
            Some(settings.unreachable_after),
            Some(settings.lost_after),
            Some(settings.keep_alive),
        )
        .with_ice_connection_attempts(Some(TEST_EVERY), Some(TESTS))
        .with_prflx_acceptance_min_wait(Some(Duration::ZERO))
        .with_srflx_acceptance_min_wait(Some(BETTER_WITHIN))
        .with_relay_acceptance_min_wait(Some(BETTER_WITHIN * 2));
    let connection = PeerConnectionBuilder::new()
        .with_configuration(RTCConfigurationBuilder::new().with_ice_servers(servers).build())
        .with_setting_engine(engine.build())
        .with_media_engine(media)
        .with_interceptor_registry(configure_rtcp_reports(Registry::new()))
        .with_data_channel_send_buffer_limit(settings.backlog_bytes)
        .with_handler(handler)
        .with_udp_addrs(settings.reach.addresses())
        .build()
        .await?;
    Ok(Arc::new(connection))
}

/// RFC 7587, section 7: two channels in the map, whatever is sent.
fn opus() -> RTCRtpCodec {
    RTCRtpCodec {
        mime_type: MIME_TYPE_OPUS.to_owned(),
        clock_rate: CLOCK,
        channels: 2,
        sdp_fmtp_line: "minptime=10;useinbandfec=1".to_owned(),
        rtcp_feedback: Vec::new(),
    }
}

fn our_track(ssrc: u32) -> MediaStreamTrack {
    let coding = RTCRtpEncodingParameters {
        rtp_coding_parameters: RTCRtpCodingParameters { ssrc: Some(ssrc), ..Default::default() },
        codec: opus(),
        ..Default::default()
    };
    let (stream, track, label) = ("agentcall".to_owned(), "audio".to_owned(), "audio".to_owned());
    MediaStreamTrack::new(stream, track, label, RtpCodecKind::Audio, vec![coding])
}

/// RFC 3550, section 8.1: drawn at random; the stack does not take 0.
fn ssrc() -> Result<u32, CallError> {
    let drawn = getrandom::u32().map_err(|e| CallError::Setup(format!("no random numbers ({e})")))?;
    Ok(drawn.max(1))
}

/// What the stack says of a failure. Some of its errors hold whole packets, so only so much of it is kept.
pub(super) fn words(error: &webrtc::error::Error) -> String {
    crate::safe_text::SafeText::line(&error.to_string()).cut(120).to_string()
}

pub(super) fn setup(error: &webrtc::error::Error) -> CallError {
    CallError::Setup(words(error))
}

impl Peer {
    /// Applies our own description and gives it with the candidates that are there in time.
    pub async fn describe(
        &mut self,
        description: RTCSessionDescription,
        within: Duration,
    ) -> Result<String, CallError> {
        self.connection.set_local_description(description).await.map_err(|e| setup(&e))?;
        let gathered = async {
            while let Some(happened) = self.happened.recv().await {
                if matches!(happened, Happened::Gathered) {
                    return;
                }
            }
        };
        let _some_are_missing = timeout(within, gathered).await;
        let description = self.connection.local_description().await;
        let description = description.ok_or_else(|| CallError::Setup("it has no description".to_owned()))?;
        Ok(sdp::for_peer(&description.sdp))
    }

    /// Applies the other side's.
    pub async fn apply(&self, kind: Kind, description: &Description) -> Result<(), CallError> {
        let refused = |e: webrtc::error::Error| CallError::Refused { kind, reason: words(&e) };
        let text = description.for_stack.clone();
        let description = match kind {
            Kind::Offer => RTCSessionDescription::offer(text),
            Kind::Answer => RTCSessionDescription::answer(text),
        };
        self.connection.set_remote_description(description.map_err(refused)?).await.map_err(refused)
    }
}
