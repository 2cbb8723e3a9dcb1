//! `params.agui.transport`, the WebRTC object (R31), and profiles that nothing maps (§ Discovery, R20).

use serde_json::{Value, json};

use super::findings::{At, Findings, quoted};
use super::physical::Physical;
use crate::protocol::card::{TransportProfile, WEBRTC, WEBRTC_PROFILE, WEBSOCKET};
use crate::protocol::{Dialect, rules};

/// The members of `params.agui.webrtc` that have exactly one value.
fn exact() -> [(&'static str, Value); 8] {
    [
        ("audio/codec", json!("opus")),
        ("audio/clockRateHz", json!(48000)),
        ("audio/channels", json!(1)),
        ("audio/direction", json!("sendrecv")),
        ("events/transport", json!("datachannel")),
        ("events/label", json!("agentcall.events")),
        ("events/protocol", json!("agentcall-agui-dc-0.1")),
        ("events/ordered", json!(true)),
    ]
}

/// The transport profile, if it is one of the two that the extension maps.
pub(super) fn profile(agui: &At, physical: Physical, found: &mut Findings) -> Option<TransportProfile> {
    let at = agui.member("transport");
    match at.text() {
        Some(WEBSOCKET) => Some(TransportProfile::WebSocket),
        Some(WEBRTC) => {
            let at = agui.member("webrtc").member("profile");
            match at.text() {
                Some(WEBRTC_PROFILE) => Some(TransportProfile::WebRtc),
                Some(other) => unmapped(&at, "WebRTC profile", other, physical, found),
                None => Some(TransportProfile::WebRtc),
            }
        }
        Some(other) => unmapped(&at, "transport", other, physical, found),
        None => {
            let detail = format!("expected \"{WEBSOCKET}\" or \"{WEBRTC}\", {}", at.came());
            found.refuse(&rules::CARD_TRANSPORT, &at.pointer, detail);
            None
        }
    }
}

fn unmapped(
    at: &At,
    what: &str,
    name: &str,
    physical: Physical,
    found: &mut Findings,
) -> Option<TransportProfile> {
    if physical.is_declared {
        let detail = format!(
            "rejected: the card offers nfc or photo over the {what} {}, to which nothing maps them",
            quoted(name)
        );
        found.refuse(&rules::CARD_UNMAPPED_PROFILE, &at.pointer, detail);
    } else {
        let detail = format!("unsupported: this client does not know the {what} {}", quoted(name));
        found.refuse(&rules::CARD_TRANSPORT, &at.pointer, detail);
    }
    None
}

/// Checks the WebRTC object, member by member, and that the agent owns the voice (R31).
pub(super) fn webrtc(agui: &At, voice: &At, found: &mut Findings) {
    let rule = &rules::CARD_WEBRTC;
    let owner = voice.member("owner");
    if owner.text() != Some("agent") {
        let detail = format!("expected \"agent\", {}", owner.came_quoted());
        found.refuse(rule, &owner.pointer, detail);
    }
    let at = agui.member("webrtc");
    if !at.value.is_some_and(Value::is_object) {
        found.refuse(rule, &at.pointer, format!("expected an object, {}", at.came()));
        return;
    }
    let profile = at.member("profile");
    if profile.text().is_none() {
        found.refuse(rule, &profile.pointer, format!("expected \"{WEBRTC_PROFILE}\", {}", profile.came()));
    }
    for (path, wanted) in exact() {
        let member = path.split('/').fold(at.clone(), |at, name| at.member(name));
        if !member.value.is_some_and(|value| same(value, &wanted)) {
            found.refuse(rule, &member.pointer, format!("expected {wanted}, {}", member.came_quoted()));
        }
    }
}

/// JSON equality that does not tell 48000 from 48000.0.
fn same(value: &Value, wanted: &Value) -> bool {
    value == wanted || (wanted.is_number() && value.as_f64().is_some() && value.as_f64() == wanted.as_f64())
}

/// `session.resume` and `session.replay` (R26).
pub(super) fn resume(agui: &At, profile: Option<TransportProfile>, found: &mut Findings) {
    let session = agui.member("session");
    if session.is_there() && !session.value.is_some_and(Value::is_object) {
        found.refuse(
            &rules::CARD_PARAMS,
            &session.pointer,
            format!("expected an object, {}", session.came()),
        );
    }
    for name in ["resume", "replay"] {
        let at = session.member(name);
        match at.value {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) if profile == Some(TransportProfile::WebRtc) => {
                found.refuse(&rules::CARD_RESUME, &at.pointer, "expected false, came true");
            }
            Some(Value::Bool(true)) => {
                let detail = format!("the agent offers {name}, which this client never uses");
                found.note(&rules::CARD_RESUME_UNUSED, &at.pointer, detail);
            }
            Some(_) => {
                found.refuse(&rules::CARD_PARAMS, &at.pointer, format!("expected a boolean, {}", at.came()));
            }
        }
    }
}

/// `supportsExplicitTurns`, where it belongs or where else it is accepted (R3).
pub(super) fn explicit_turns(params: &At, dialect: &Dialect, found: &mut Findings) -> bool {
    let mut understood = false;
    for (index, place) in dialect.explicit_turns_at.iter().enumerate() {
        let names = place.trim_start_matches('/').split('/');
        let at = names.fold(params.clone(), |at, name| at.member(name));
        match at.value {
            None => {}
            Some(Value::Bool(value)) => {
                if index > 0 {
                    let detail =
                        format!("it was found here and belongs in params{}", dialect.explicit_turns_at[0]);
                    found.note(&rules::CARD_EXPLICIT_TURNS_PLACE, &at.pointer, detail);
                }
                understood |= value;
            }
            Some(_) => {
                found.note(
                    &rules::CARD_PARAMS,
                    &at.pointer,
                    format!("expected a boolean, {}; taken as false", at.came()),
                );
            }
        }
    }
    understood
}
