use super::*;

#[test]
fn params_have_their_types() {
    changed(
        card,
        &[
            ("no schemaVersion", "~/schemaVersion", json!("REMOVE"), "CARD-5 ~/schemaVersion", ""),
            ("another schemaVersion", "~/schemaVersion", json!("0.2"), "CARD-5 ~/schemaVersion", ""),
            ("a number as schemaVersion", "~/schemaVersion", json!(0.1), "CARD-5 ~/schemaVersion", ""),
            ("no params", "~", json!("REMOVE"), "CARD-20 ~", ""),
            ("params an array", "~", json!([]), "CARD-20 ~", ""),
            ("no agui", "~/agui", json!("REMOVE"), "CARD-20 ~/agui", ""),
            ("agui a string", "~/agui", json!("https://agent.example"), "CARD-20 ~/agui", ""),
            ("no transport", "~/agui/transport", json!("REMOVE"), "CARD-10 ~/agui/transport", ""),
            ("transport a number", "~/agui/transport", json!(5), "CARD-10 ~/agui/transport", ""),
            ("session an array", "~/agui/session", json!([]), "CARD-20 ~/agui/session", ""),
            ("resume a string", "~/agui/session/resume", json!("no"), "CARD-20 ~/agui/session/resume", ""),
            (
                "resume on WebSocket",
                "~/agui/session/resume",
                json!(true),
                "",
                "CARD-14 ~/agui/session/resume",
            ),
            (
                "replay on WebSocket",
                "~/agui/session/replay",
                json!(true),
                "",
                "CARD-14 ~/agui/session/replay",
            ),
            ("no session", "~/agui/session", json!("REMOVE"), "", ""),
            ("no voice", "~/voice", json!("REMOVE"), "", ""),
            ("voice an array", "~/voice", json!(["client"]), "CARD-20 ~/voice", ""),
            ("voice owner a number", "~/voice/owner", json!(1), "CARD-20 ~/voice/owner", ""),
            ("voice owner unknown", "~/voice/owner", json!("both"), "", "CARD-20 ~/voice/owner"),
            ("a future member", "~/future", json!({"x": 1}), "", ""),
        ],
    );
}

#[test]
fn modalities_name_the_exact_element() {
    let at = "~/physicalObservations";
    let accepted = &format!("{at}/accepted");
    let requests = &format!("{at}/agentRequests");
    changed(
        card,
        &[
            ("omitted", at, json!("REMOVE"), "", ""),
            ("an empty object", at, json!({}), "", ""),
            ("empty arrays", at, json!({"accepted": [], "agentRequests": []}), "", ""),
            ("an array", at, json!(["nfc"]), "CARD-20 ~/physicalObservations", ""),
            ("null", at, json!(null), "CARD-20 ~/physicalObservations", ""),
            ("only accepted", at, json!({"accepted": ["photo"]}), "", ""),
            (
                "a string",
                accepted,
                json!("nfc"),
                "CARD-7 ~/physicalObservations/accepted; CARD-8 ~/physicalObservations/agentRequests/0; CARD-8 ~/physicalObservations/agentRequests/1",
                "",
            ),
            (
                "twice the same",
                accepted,
                json!(["nfc", "nfc"]),
                "CARD-7 ~/physicalObservations/accepted/1; CARD-8 ~/physicalObservations/agentRequests/1",
                "",
            ),
            (
                "three",
                accepted,
                json!(["nfc", "photo", "nfc"]),
                "CARD-7 ~/physicalObservations/accepted; CARD-7 ~/physicalObservations/accepted/2",
                "",
            ),
            (
                "an unknown one",
                requests,
                json!(["nfc", "smell"]),
                "CARD-7 ~/physicalObservations/agentRequests/1",
                "",
            ),
            ("upper case", requests, json!(["NFC"]), "CARD-7 ~/physicalObservations/agentRequests/0", ""),
            ("a number", requests, json!([1]), "CARD-7 ~/physicalObservations/agentRequests/0", ""),
            (
                "a request that is not accepted",
                accepted,
                json!(["nfc"]),
                "CARD-8 ~/physicalObservations/agentRequests/1",
                "",
            ),
            (
                "requests without accepted",
                accepted,
                json!("REMOVE"),
                "CARD-8 ~/physicalObservations/agentRequests/0; CARD-8 ~/physicalObservations/agentRequests/1",
                "",
            ),
        ],
    );
    let mut card = card();
    set(&mut card, &at.replace('~', PARAMS), json!({"accepted": ["photo"]}));
    let offer = report(&card, &remote()).offer.unwrap();
    assert_eq!(
        (offer.accepted, offer.agent_requests),
        (Modalities::NONE.with(Modality::Photo), Modalities::NONE)
    );
}

#[test]
fn unmapped_profiles_are_rejected_with_physical_inputs_and_unsupported_without() {
    for name in [
        "openai-realtime-webrtc-1",
        "http.sse",
        "realtime.websocket",
        "agentcall-agui-ws-0.1",
        "WebSocket",
        "carrier-pigeon",
        "",
    ] {
        let mut card = card();
        set(&mut card, &format!("{PARAMS}/agui/transport"), json!(name));
        for (physical, rule, word) in [
            (json!({"accepted": ["nfc"]}), "CARD-9", "rejected"),
            (json!({"accepted": "nfc"}), "CARD-9", "rejected"),
            (json!({"accepted": []}), "CARD-10", "unsupported"),
        ] {
            set(&mut card, &format!("{PARAMS}/physicalObservations"), physical);
            let report = report(&card, &remote());
            let refusal =
                report.refusals.iter().find(|f| f.rule.id == rule).unwrap_or_else(|| panic!("{name} {rule}"));
            assert!(
                refusal.detail.starts_with(word) && refusal.detail.contains(&format!("\"{name}\"")),
                "{}",
                refusal.detail
            );
        }
    }
    let mut card = webrtc();
    set(&mut card, &format!("{PARAMS}/agui/webrtc/profile"), json!("openai-realtime-webrtc-1"));
    assert_eq!(lines(&report(&card, &remote()).refusals), format!("CARD-9 {PARAMS}/agui/webrtc/profile"));
}

#[test]
fn the_webrtc_object_is_exact_member_by_member() {
    let offer = report(&webrtc(), &remote()).offer.unwrap();
    assert_eq!((offer.transport, offer.explicit_turns), (TransportProfile::WebRtc, false));
    changed(
        webrtc,
        &[
            ("48000.0 is 48000", "~/agui/webrtc/audio/clockRateHz", json!(48000.0), "", ""),
            (
                "another rate",
                "~/agui/webrtc/audio/clockRateHz",
                json!(44100),
                "CARD-12 ~/agui/webrtc/audio/clockRateHz",
                "",
            ),
            (
                "the rate as a string",
                "~/agui/webrtc/audio/clockRateHz",
                json!("48000"),
                "CARD-12 ~/agui/webrtc/audio/clockRateHz",
                "",
            ),
            (
                "another codec",
                "~/agui/webrtc/audio/codec",
                json!("pcmu"),
                "CARD-12 ~/agui/webrtc/audio/codec",
                "",
            ),
            ("stereo", "~/agui/webrtc/audio/channels", json!(2), "CARD-12 ~/agui/webrtc/audio/channels", ""),
            (
                "one way",
                "~/agui/webrtc/audio/direction",
                json!("sendonly"),
                "CARD-12 ~/agui/webrtc/audio/direction",
                "",
            ),
            (
                "another label",
                "~/agui/webrtc/events/label",
                json!("events"),
                "CARD-12 ~/agui/webrtc/events/label",
                "",
            ),
            (
                "unordered",
                "~/agui/webrtc/events/ordered",
                json!(false),
                "CARD-12 ~/agui/webrtc/events/ordered",
                "",
            ),
            ("no profile", "~/agui/webrtc/profile", json!("REMOVE"), "CARD-12 ~/agui/webrtc/profile", ""),
            ("no webrtc object", "~/agui/webrtc", json!("REMOVE"), "CARD-12 ~/agui/webrtc", ""),
            ("the client owns the voice", "~/voice/owner", json!("client"), "CARD-12 ~/voice/owner", ""),
            ("resume", "~/agui/session/resume", json!(true), "CARD-13 ~/agui/session/resume", ""),
            ("replay", "~/agui/session/replay", json!(true), "CARD-13 ~/agui/session/replay", ""),
            ("explicit turns", "~/agui/webrtc/supportsExplicitTurns", json!(true), "", ""),
            (
                "explicit turns in agui",
                "~/agui/supportsExplicitTurns",
                json!(true),
                "",
                "CARD-19 ~/agui/supportsExplicitTurns",
            ),
            (
                "explicit turns in voice",
                "~/voice/supportsExplicitTurns",
                json!(true),
                "",
                "CARD-19 ~/voice/supportsExplicitTurns",
            ),
            (
                "explicit turns a string",
                "~/agui/webrtc/supportsExplicitTurns",
                json!("yes"),
                "",
                "CARD-20 ~/agui/webrtc/supportsExplicitTurns",
            ),
        ],
    );
}
