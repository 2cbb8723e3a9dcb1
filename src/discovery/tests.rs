//! One line per case: what is changed in a good card, and what comes of it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{CardContext, CardReport, CardVersion, explain, validate};
use crate::protocol::card::{CANONICAL_URI, LEGACY_URI, TransportProfile};
use crate::protocol::{Finding, Modalities, Modality, bounds};

const EXT: &str = "/capabilities/extensions/0";
const PARAMS: &str = "/capabilities/extensions/0/params";

fn card() -> Value {
    json!({
        "name": "Workshop agent", "description": "Knows the workshop.", "version": "1.2.0",
        "supportedInterfaces": [{"url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
        "capabilities": {"extensions": [{
            "uri": CANONICAL_URI, "required": false,
            "params": {
                "schemaVersion": "0.1",
                "agui": {"url": "https://agent.example/agui", "transport": "websocket", "session": {"resume": false, "replay": false}},
                "voice": {"owner": "client"},
                "physicalObservations": {"accepted": ["nfc", "photo"], "agentRequests": ["nfc", "photo"]}
            }
        }]}
    })
}

fn webrtc() -> Value {
    let mut card = card();
    set(&mut card, &format!("{PARAMS}/voice/owner"), json!("agent"));
    set(&mut card, &format!("{PARAMS}/agui/transport"), json!("webrtc"));
    set(
        &mut card,
        &format!("{PARAMS}/agui/webrtc"),
        json!({
            "profile": "agentcall-webrtc-0.1",
            "audio": {"codec": "opus", "clockRateHz": 48000, "channels": 1, "direction": "sendrecv", "extra": 1},
            "events": {"transport": "datachannel", "label": "agentcall.events", "protocol": "agentcall-agui-dc-0.1", "ordered": true},
            "future": {}
        }),
    );
    card
}

/// Sets the member at a pointer; `json!("REMOVE")` takes it away.
fn set(card: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let name = name.replace("~1", "/");
    match card.pointer_mut(parent).unwrap() {
        Value::Array(items) if name == "-" => items.push(value),
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        parent if value == "REMOVE" => drop(parent.as_object_mut().unwrap().shift_remove(&name)),
        parent => parent[&name] = value,
    }
}

fn remote() -> CardContext {
    let final_url = Some("https://agent.example/.well-known/agent-card.json".to_owned());
    CardContext { final_url, content_type: Some("application/json".to_owned()), ..CardContext::default() }
}

fn local(url: &str) -> CardContext {
    CardContext { final_url: Some(url.to_owned()), local: true, ..CardContext::default() }
}

fn report(card: &Value, context: &CardContext) -> CardReport {
    validate(card.to_string().as_bytes(), context)
}

/// `CARD-4 /capabilities/extensions/1`, several divided by `; `.
fn lines(findings: &[Finding]) -> String {
    let line =
        |f: &Finding| format!("{} {}", f.rule.id, f.pointer.as_deref().unwrap_or("")).trim_end().to_owned();
    findings.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// Changes one thing in `base`, validates, and compares the refusals and the notes. Pointers in the
/// expectations are relative to the params when they begin with `~`.
fn changed(base: fn() -> Value, cases: &[(&str, &str, Value, &str, &str)]) {
    for (case, pointer, value, refusals, notes) in cases {
        let mut card = base();
        set(&mut card, &pointer.replace('~', PARAMS), value.clone());
        let report = report(&card, &remote());
        let relative = |findings: &[Finding]| lines(findings).replace(PARAMS, "~").replace(EXT, "EXT");
        assert_eq!(
            (relative(&report.refusals).as_str(), relative(&report.notes).as_str()),
            (*refusals, *notes),
            "{case}"
        );
        assert_eq!(report.offer.is_some(), refusals.is_empty(), "{case}");
    }
}

#[test]
fn the_card_of_the_profile_is_good() {
    let report = report(&card(), &remote());
    assert_eq!((lines(&report.refusals), lines(&report.notes)), (String::new(), String::new()));
    let offer = report.offer.unwrap();
    assert_eq!(
        (offer.transport, offer.accepted, offer.agent_requests),
        (TransportProfile::WebSocket, Modalities::BOTH, Modalities::BOTH)
    );
    assert_eq!(
        (offer.agent_name.as_str(), offer.url.as_str()),
        ("Workshop agent", "https://agent.example/agui")
    );
    assert_eq!(
        (offer.voice_owner.as_deref(), offer.explicit_turns, offer.needs_bearer),
        (Some("client"), false, false)
    );
}

#[test]
fn bytes_that_are_no_card() {
    let big = vec![b' '; bounds::CARD_BYTES + 1];
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for (case, bytes, answer) in [
        ("over 256 KiB, unparsed", big.as_slice(), "CARD-1"),
        ("nothing", b"".as_slice(), "CARD-2"),
        ("HTML", b"<!doctype html>", "CARD-2"),
        ("not UTF-8", b"{\"name\":\"\xff\"}", "CARD-2"),
        ("200 nested", deep.as_bytes(), "CARD-2"),
        ("trailing NUL", b"{}\0", "CARD-2"),
        ("an array", b"[]", "CARD-2"),
        ("an empty object", b"{}", "CARD-3 /capabilities/extensions"),
    ] {
        assert_eq!(lines(&validate(bytes, &remote()).refusals), answer, "{case}");
    }
}

#[test]
fn oddities_of_json_are_mended_and_noted() {
    let text = card().to_string();
    let twice = text.replacen("\"name\":", "\"name\":\"first\",\"name\":", 1);
    let half = text.replacen("Knows the workshop.", "Cut \\ud83d", 1);
    for (case, text, note) in [
        ("byte order mark", format!("\u{feff}{text}"), "FRAME-5"),
        ("duplicate name, the last counts", twice, "FRAME-4 /name"),
        ("lone surrogate", half, "FRAME-6"),
    ] {
        let report = validate(text.as_bytes(), &remote());
        assert_eq!((report.offer.is_some(), lines(&report.notes).as_str()), (true, note), "{case}");
        assert_eq!(report.summary.name.as_deref(), Some("Workshop agent"), "{case}");
    }
}

#[test]
fn exactly_one_declaration() {
    let ours = |uri: &str| {
        let mut e = card().pointer(EXT).unwrap().clone();
        e["uri"] = json!(uri);
        e
    };
    let uri = &format!("{EXT}/uri");
    changed(
        card,
        &[
            ("the legacy alias", uri, json!(LEGACY_URI), "", "CARD-18 EXT/uri"),
            (
                "declared twice",
                "/capabilities/extensions/-",
                ours(CANONICAL_URI),
                "CARD-4 /capabilities/extensions/1",
                "",
            ),
            (
                "canonical and legacy mixed",
                "/capabilities/extensions/-",
                ours(LEGACY_URI),
                "CARD-4 /capabilities/extensions/1",
                "",
            ),
            (
                "another version",
                uri,
                json!(CANONICAL_URI.replace("0.1", "0.2")),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            (
                "a trailing slash",
                uri,
                json!(format!("{CANONICAL_URI}/")),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            (
                "other letters' case",
                uri,
                json!(CANONICAL_URI.to_uppercase()),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            ("no extensions", "/capabilities/extensions", json!([]), "CARD-3 /capabilities/extensions", ""),
            (
                "extensions not an array",
                "/capabilities/extensions",
                json!({}),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            (
                "no capabilities",
                "/capabilities",
                json!("REMOVE"),
                "CARD-3 /capabilities/extensions",
                "CARD-17 /capabilities",
            ),
            ("our own, required", &format!("{EXT}/required"), json!(true), "", ""),
        ],
    );
}

#[test]
fn other_extensions() {
    let other = "/capabilities/extensions/-";
    let place = "/capabilities/extensions/1";
    let unknown = format!("CARD-6 {place}");
    changed(
        card,
        &[
            ("optional", other, json!({"uri": "https://x.example/e"}), "", ""),
            ("optional, said so", other, json!({"uri": "https://x.example/e", "required": false}), "", ""),
            ("required", other, json!({"uri": "https://x.example/e", "required": true}), &unknown, ""),
            (
                "required, wrong type",
                other,
                json!({"uri": "https://x.example/e", "required": "true"}),
                &unknown,
                "",
            ),
            (
                "required without a URI",
                other,
                json!({"required": true}),
                &unknown,
                &format!("CARD-17 {place}/uri"),
            ),
            ("not an object", other, json!("https://x.example/e"), "", &format!("CARD-17 {place}")),
        ],
    );
}

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

#[test]
fn the_endpoint_is_an_https_url_that_can_be_reached() {
    let here = "http://127.0.0.1:8787/.well-known/agent-card.json";
    for (url, context, refused) in [
        (json!("https://agent.example/agui"), remote(), ""),
        (json!("https://other.example:8443/x?y=z"), remote(), ""),
        (json!("http://agent.example/agui"), remote(), "expected https:, came http:"),
        (json!("wss://agent.example/agui"), remote(), "derived from an https URL"),
        (json!("ws://127.0.0.1/agui"), local(here), "derived from an https URL"),
        (json!("ftp://agent.example/"), remote(), "came \"ftp\""),
        (json!("/agui"), remote(), "without scheme and host"),
        (json!(""), remote(), "without scheme and host"),
        (json!("https://"), remote(), "it is not a URL"),
        (json!("https://me:secret@agent.example/"), remote(), "carries a user name or a password"),
        (json!(5), remote(), "came a number"),
        (json!("REMOVE"), remote(), "it is missing"),
        (json!("https://0.0.0.0:8443/agui"), remote(), "not reachable"),
        (json!("http://0.0.0.0:8000/agui"), local(here), "not reachable"),
        (json!("http://[::]:8080/agui"), local(here), "the card itself came from http://127.0.0.1:8787"),
        (json!("http://[::ffff:0.0.0.0]/agui"), local(here), "not reachable"),
        (json!("https://localhost/agui"), remote(), "not reachable from here"),
        (json!("https://api.localhost./agui"), remote(), "the card came from https://agent.example"),
        (json!("https://[::ffff:7f00:1]/agui"), remote(), "not reachable from here"),
        (json!("http://127.0.0.1:8787/agui"), local(here), ""),
        (json!("http://localhost:8787/agui"), local(here), ""),
        (json!("http://192.168.1.5/agui"), local("http://192.168.1.5/card.json"), ""),
        (json!("http://93.184.216.34/agui"), local(here), "only to a loopback or private address"),
    ] {
        let mut card = card();
        set(&mut card, &format!("{PARAMS}/agui/url"), url.clone());
        let report = report(&card, &context);
        let said = report.refusals.iter().map(|f| f.detail.as_str()).collect::<Vec<_>>().join("; ");
        assert_eq!(said.is_empty(), refused.is_empty(), "{url}: {said}");
        assert!(said.contains(refused) && !said.contains("secret"), "{url}: {said}");
        assert!(report.refusals.iter().all(|f| f.rule.id == "CARD-11"), "{url}");
    }
}

#[test]
fn a_local_card_that_names_this_machine_from_another_is_noted() {
    let mut card = card();
    set(&mut card, &format!("{PARAMS}/agui/url"), json!("http://localhost:8000/agui"));
    let report = report(&card, &local("http://192.168.1.5:8000/card.json"));
    assert_eq!((report.offer.is_some(), lines(&report.notes)), (true, format!("CARD-11 {PARAMS}/agui/url")));
}

#[test]
fn a2a_types_are_notes_and_both_shapes_are_read() {
    changed(
        card,
        &[
            ("no name", "/name", json!("REMOVE"), "", "CARD-17 /name"),
            ("name a number", "/name", json!(5), "", "CARD-17 /name"),
            ("skills an object", "/skills", json!({}), "", "CARD-17 /skills"),
            ("no interfaces listed", "/supportedInterfaces", json!([]), "", "CARD-15 /supportedInterfaces"),
            (
                "no interfaces at all",
                "/supportedInterfaces",
                json!("REMOVE"),
                "",
                "CARD-15 /supportedInterfaces",
            ),
            ("interfaces a string", "/supportedInterfaces", json!("x"), "", "CARD-17 /supportedInterfaces"),
            (
                "an unknown binding",
                "/supportedInterfaces/0/protocolBinding",
                json!("MQTT"),
                "",
                "CARD-17 /supportedInterfaces/0",
            ),
            ("0.3 mixed in", "/url", json!("https://agent.example/old"), "", "CARD-16 /url"),
            (
                "the endpoint as an interface",
                "/supportedInterfaces/0/url",
                json!("https://agent.example/agui"),
                "",
                "CARD-15 /supportedInterfaces",
            ),
        ],
    );
    let mut old = card();
    set(&mut old, "/supportedInterfaces", json!("REMOVE"));
    set(&mut old, "/url", json!("https://agent.example/a2a"));
    set(&mut old, "/protocolVersion", json!("0.3.0"));
    set(
        &mut old,
        "/additionalInterfaces",
        json!([{"url": "https://agent.example/grpc", "transport": "GRPC"}]),
    );
    let report = report(&old, &remote());
    assert_eq!((report.offer.is_some(), lines(&report.notes).as_str()), (true, "CARD-16 /url"));
    assert_eq!(report.summary.shape, CardVersion::V0_3);
    let interfaces: Vec<String> =
        report.summary.interfaces.iter().map(|i| format!("{} {}", i.binding, i.url)).collect();
    assert_eq!(interfaces, ["JSONRPC https://agent.example/a2a", "GRPC https://agent.example/grpc"]);
}

#[test]
fn bearer_is_needed_when_the_requirements_name_it() {
    let new = json!({"b": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}, "k": {"apiKeySecurityScheme": {"name": "x"}}, "o": {"oauth2SecurityScheme": {}}});
    let old = json!({"b": {"type": "http", "scheme": "bearer"}, "k": {"type": "apiKey", "in": "header", "in_": "x"}, "n": {"type": "http"}});
    let requirements = "securityRequirements";
    for (case, schemes, member, list, needed, notes) in [
        ("1.0", &new, requirements, json!([{"schemes": {"b": {"list": []}}}]), true, ""),
        ("1.0, flat", &new, requirements, json!([{"b": []}]), true, ""),
        ("0.3", &old, "security", json!([{"b": []}]), true, ""),
        ("one of two ways", &old, "security", json!([{"k": []}, {"b": []}]), true, ""),
        ("both at once", &old, "security", json!([{"k": [], "b": []}]), true, ""),
        ("declared and not required", &new, requirements, json!([]), false, ""),
        ("or nothing at all", &old, "security", json!([{"b": []}, {}]), false, ""),
        ("only a key", &old, "security", json!([{"k": []}]), false, "CARD-22 /security"),
        (
            "only OAuth",
            &new,
            requirements,
            json!([{"schemes": {"o": {"list": []}}}]),
            false,
            "CARD-22 /securityRequirements",
        ),
        (
            "not declared",
            &old,
            "security",
            json!([{"z": []}]),
            false,
            "CARD-22 /security/0/z; CARD-22 /security",
        ),
        (
            "http without a scheme",
            &old,
            "security",
            json!([{"n": []}]),
            false,
            "CARD-22 /securitySchemes/n/scheme; CARD-22 /security",
        ),
        ("an object", &old, "security", json!({"b": []}), false, "CARD-22 /security"),
        ("schemes a string", &json!("x"), "security", json!([]), false, "CARD-22 /securitySchemes"),
    ] {
        let mut card = card();
        card["securitySchemes"] = schemes.clone();
        card[member] = list;
        let report = report(&card, &remote());
        assert_eq!(lines(&report.notes), notes, "{case}");
        assert_eq!(
            report.offer.map(|offer| offer.needs_bearer),
            Some(needed),
            "{case}: security never refuses a card"
        );
    }
}

#[test]
fn all_problems_are_collected() {
    let mut card = card();
    set(&mut card, &format!("{PARAMS}/schemaVersion"), json!("9"));
    set(&mut card, &format!("{PARAMS}/agui/url"), json!("wss://agent.example"));
    set(&mut card, &format!("{PARAMS}/physicalObservations/accepted"), json!(["smell"]));
    set(&mut card, "/capabilities/extensions/-", json!({"uri": "https://x.example/e", "required": true}));
    let rules: Vec<&str> = report(&card, &remote()).refusals.iter().map(|f| f.rule.id).collect();
    assert_eq!(rules, ["CARD-6", "CARD-5", "CARD-7", "CARD-8", "CARD-8", "CARD-11"]);
}

#[test]
fn the_media_type_is_noted() {
    for (came, notes) in
        [("application/json; charset=utf-8", ""), ("application/a2a+json", ""), ("text/html", "CARD-21")]
    {
        let context = CardContext { content_type: Some(came.to_owned()), ..remote() };
        assert_eq!(lines(&report(&card(), &context).notes), notes, "{came}");
    }
}

#[test]
fn a_good_card_is_explained() {
    let mut card = card();
    card["securitySchemes"] = json!({"b": {"type": "http", "scheme": "bearer"}});
    card["security"] = json!([{"b": []}]);
    set(&mut card, &format!("{PARAMS}/physicalObservations/agentRequests"), json!(["photo"]));
    assert_eq!(
        explain(&report(&card, &remote())),
        [
            "Workshop agent 1.2.0".to_owned(),
            "  Knows the workshop.".to_owned(),
            format!(
                "  Card: A2A 1.0, 0 skills, {} bytes from https://agent.example/.well-known/agent-card.json",
                card.to_string().len()
            ),
            "Offers: text, scanning a tag (nfc), showing a photo (photo)".to_owned(),
            "  The agent may ask for a photo; you decide each time.".to_owned(),
            "How: WebSocket at https://agent.example/agui".to_owned(),
            "Voice: the client's own; no audio goes over the connection".to_owned(),
            "Authentication: a bearer token is needed (--token-env or --token-file)".to_owned(),
        ]
    );
}

#[test]
fn a_refusal_is_explained_with_rule_and_place() {
    let mut card = card();
    let again = card.pointer(EXT).unwrap().clone();
    set(&mut card, "/capabilities/extensions/-", again);
    let said = explain(&report(&card, &remote()));
    assert_eq!(
        said[3],
        "The card at agent.example was refused: it declares the AgentCall extension twice: at /capabilities/extensions/0 and again at /capabilities/extensions/1 (CARD-4, § Version and migration). Nothing was sent."
    );
    set(&mut card, &format!("{PARAMS}/schemaVersion"), json!("9"));
    let said = explain(&report(&card, &remote()));
    assert_eq!(said[3], "The card at agent.example was refused for 2 reasons. Nothing was sent.");
    assert_eq!(
        said[5],
        format!(
            "  expected \"0.1\", came \"9\" at {PARAMS}/schemaVersion (CARD-5, § Version and migration, R1)"
        )
    );
}

#[test]
fn the_record_says_the_same_for_programs() {
    let record = serde_json::to_value(report(&card(), &remote()).record()).unwrap();
    assert_eq!(
        (&record["usable"], &record["profile"], &record["a2a"]),
        (&json!(true), &json!("agentcall-agui-ws-0.1"), &json!("1.0"))
    );
    let record = serde_json::to_value(validate(b"{}", &remote()).record()).unwrap();
    assert_eq!(
        (&record["usable"], &record["refusals"][0]["id"], &record["refusals"][0]["pointer"]),
        (&json!(false), &json!("CARD-3"), &json!("/capabilities/extensions"))
    );
}

#[test]
fn a_hostile_card_floods_nothing() {
    let mut card = card();
    card["capabilities"]["extensions"] =
        Value::Array(vec![json!({"uri": "x".repeat(100), "required": true}); 1500]);
    let report = report(&card, &remote());
    assert!(report.refusals.len() <= 64 && report.notes.len() <= 64);
    assert!(report.refusals.iter().all(|f| f.detail.chars().count() < 200));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = explain(&validate(&bytes, &remote()));
    }

    /// Whatever stands at any place of a card, the card is judged, and it is used only without a refusal.
    #[test]
    fn no_value_at_any_place_makes_it_panic(at in 0_usize..14, value in prop_oneof![
        Just(json!(null)), Just(json!(true)), Just(json!(-1)), Just(json!([[]])), Just(json!({"a": {}})), "\\PC{0,30}".prop_map(|s| json!(s)),
    ]) {
        let places = ["/name", "/capabilities", "/capabilities/extensions", EXT, "/supportedInterfaces", "/supportedInterfaces/0", "/skills"];
        let inner = ["", "/agui", "/agui/url", "/agui/webrtc", "/agui/webrtc/audio", "/voice", "/physicalObservations"];
        let place = if at < 7 { places[at].to_owned() } else { format!("{PARAMS}{}", inner[at - 7]) };
        let mut card = webrtc();
        *card.pointer_mut(&place).unwrap() = value;
        let report = report(&card, &remote());
        prop_assert_eq!(report.offer.is_some(), report.refusals.is_empty());
        let _ = (explain(&report), report.record());
    }
}
