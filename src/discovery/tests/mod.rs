//! One line per case: what is changed in a good card, and what comes of it.

mod a2a;
mod declaration;
mod endpoint;
mod explained;
mod params;

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
