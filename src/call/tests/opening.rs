use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_and_its_answer_make_a_call() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    say(&offering, "{\"type\":\"session.start\"}").await;
    assert_eq!(next(&mut answering).await, FromPeer::Text("{\"type\":\"session.start\"}".to_owned()));
    say(&answering, "welcome").await;
    assert_eq!(next(&mut offering).await, FromPeer::Text("welcome".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_16_the_first_message_is_sent_at_once_and_is_not_too_early() {
    for _ in 0..5 {
        let Both { offering, mut answering } = both(here(), here()).await;
        say(&offering, "first").await;
        assert_eq!(next(&mut answering).await, FromPeer::Text("first".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_15_hazard_17_the_answering_side_finds_the_channel_by_its_label_and_protocol_outside_the_handler()
 {
    for (label, protocol, ordered) in [
        ("agentcall.events", "agentcall-agui-dc-0.1", true),
        ("agentcall.events", "agentcall-agui-dc-0.1", false),
        ("agentcall.events", "", true),
        ("chat", "agentcall-agui-dc-0.1", true),
    ] {
        let answered = offered_with(label, protocol, ordered).await;
        if (label, protocol, ordered) == (CHANNEL_LABEL, CHANNEL_PROTOCOL, true) {
            answered.expect("the profile's channel");
        } else {
            let wanted = CallError::Channel {
                label: label.to_owned(),
                protocol: protocol.to_owned(),
                reliable: ordered,
            };
            assert_eq!(answered.expect_err("another channel"), wanted);
        }
    }
}

/// What the answering side makes of an offer with another channel.
async fn offered_with(label: &str, protocol: &str, ordered: bool) -> Result<Call, CallError> {
    let settings = here();
    let mut peer = stack::peer(&settings).await?;
    let init = rtc::data_channel::RTCDataChannelInit {
        ordered,
        protocol: protocol.to_owned(),
        ..Default::default()
    };
    let _channel = peer.connection.create_data_channel(label, Some(init)).await.expect("a channel");
    let offer = peer.connection.create_offer(None).await.expect("an offer");
    let sdp = peer.describe(offer, settings.gather_within).await?;
    let theirs = Answering::prepare(&sdp, here()).await?;
    let answer = sdp::read_answer(theirs.sdp(), &sdp::read_offer(&sdp)?)?;
    peer.apply(sdp::Kind::Answer, &answer).await?;
    theirs.connect().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_that_is_none_is_refused_with_its_line() {
    let said = Answering::prepare("v=0\r\nnonsense\r\n", here()).await.err().expect("no answer").to_string();
    assert_eq!(
        said,
        "line 2 of the SDP offer, \"nonsense\": expected one letter, = and plain text (RFC 8866, section 5)"
    );
}

#[test]
fn hazard_18_nothing_here_takes_what_the_stack_logs() {
    // It logs through `log`, which goes nowhere while nobody installs a logger: no library of ours is one.
    let manifest = include_str!("../../../Cargo.toml");
    for logger in [
        "env_logger",
        "simplelog",
        "fern",
        "flexi_logger",
        "log4rs",
        "tracing-subscriber",
        "pretty_env_logger",
    ] {
        assert!(!manifest.contains(logger), "{logger} would write over the screen");
    }
}
