//! Finds the one AgentCall declaration among the extensions of a card, and reads its `params`
//! (§ Version and migration; § Discovery).

use serde_json::Value;

use super::findings::{At, Findings, quoted};
use super::physical::{self, Physical};
use super::{CardContext, OtherExtension, endpoint, transport};
use crate::protocol::card::{CANONICAL_URI, LEGACY_URI, SCHEMA_VERSION, TransportProfile};
use crate::protocol::rules;

/// What the declaration says, as far as it could be understood.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// The URI under which it is declared.
    pub uri: Option<String>,
    /// Other extensions of the card.
    pub others: Vec<OtherExtension>,
    /// `agui.transport`, as it stands there.
    pub transport_name: Option<String>,
    /// The transport that it names, if this profile has it.
    pub profile: Option<TransportProfile>,
    /// `agui.url`, as it stands there.
    pub url: Option<String>,
    /// `voice.owner`, as it stands there.
    pub voice_owner: Option<String>,
    /// What of the physical world it accepts and asks for.
    pub physical: Physical,
    /// Whether spoken turns are explicit.
    pub explicit_turns: bool,
}

pub(super) fn check(card: &At, context: &CardContext, found: &mut Findings) -> Declared {
    let list = card.member("capabilities").member("extensions");
    let mut declared = Declared::default();
    let mut ours: Vec<At> = Vec::new();
    for extension in list.elements() {
        match extension.member("uri").text() {
            Some(uri) if uri == CANONICAL_URI || uri == LEGACY_URI => ours.push(extension),
            _ => other(&extension, &mut declared, found),
        }
    }
    let Some(first) = ours.first() else {
        absent(card, &list, &declared, found);
        return declared;
    };
    let first_uri = first.member("uri").text().unwrap_or_default();
    for again in &ours[1..] {
        let mixed = again.member("uri").text() != Some(first_uri);
        let how = if mixed { "under both its canonical and its legacy URI" } else { "twice" };
        let detail = format!("it declares the AgentCall extension {how}: at {} and again", first.pointer);
        found.refuse(&rules::CARD_ONE_DECLARATION, &again.pointer, detail);
    }
    if first_uri == LEGACY_URI {
        let detail = "it uses the legacy URI, which is understood";
        found.note(&rules::CARD_LEGACY_URI, &first.member("uri").pointer, detail);
    }
    declared.uri = Some(first_uri.to_owned());
    params(&first.member("params"), context, &mut declared, found);
    declared
}

/// An extension that is not ours: refused when a client has to know it (§ Discovery).
fn other(extension: &At, declared: &mut Declared, found: &mut Findings) {
    let (uri, required) = (extension.member("uri"), extension.member("required"));
    if uri.text().is_none() {
        let at = if extension.value.is_some_and(Value::is_object) { &uri } else { extension };
        found.note(
            &rules::CARD_FIELDS,
            &at.pointer,
            format!("expected an extension with a uri, {}", at.came()),
        );
    }
    let is_required = !matches!(required.value, None | Some(Value::Null | Value::Bool(false)));
    if is_required {
        let name = uri.text().map_or_else(|| "an extension without a URI".to_owned(), quoted);
        let detail = format!("it requires {name}, which this client does not know");
        found.refuse(&rules::CARD_REQUIRED_UNKNOWN, &extension.pointer, detail);
    }
    let uri = uri.text().unwrap_or_default().to_owned();
    declared.others.push(OtherExtension { uri, required: is_required });
}

/// Says why no declaration was found, as exactly as the card allows.
fn absent(card: &At, list: &At, declared: &Declared, found: &mut Findings) {
    let rule = &rules::CARD_EXTENSION;
    let near = declared.others.iter().find(|other| other.uri.contains("agentcall-agui"));
    let misplaced =
        ["extensions", "agui", "physicalObservations"].iter().find(|name| card.member(name).is_there());
    if let Some(near) = near.filter(|near| !near.uri.is_empty()) {
        let detail = format!("it declares {}, this client knows \"{CANONICAL_URI}\"", quoted(&near.uri));
        found.refuse(rule, &list.pointer, detail);
    } else if list.is_there() && !list.value.is_some_and(Value::is_array) {
        found.refuse(rule, &list.pointer, format!("expected an array, {}", list.came()));
    } else if let Some(name) = misplaced {
        let detail = format!("no AgentCall extension here; {name} at the top of the card belongs inside it");
        found.refuse(rule, &list.pointer, detail);
    } else {
        found.refuse(rule, &list.pointer, "it does not declare the AgentCall AG-UI extension");
    }
}

fn params(at: &At, context: &CardContext, declared: &mut Declared, found: &mut Findings) {
    if !at.value.is_some_and(Value::is_object) {
        found.refuse(&rules::CARD_PARAMS, &at.pointer, format!("expected an object, {}", at.came()));
        return;
    }
    let version = at.member("schemaVersion");
    if version.text() != Some(SCHEMA_VERSION) {
        let detail = format!("expected \"{SCHEMA_VERSION}\", {}", version.came_quoted());
        found.refuse(&rules::CARD_SCHEMA_VERSION, &version.pointer, detail);
    }
    declared.physical = physical::check(&at.member("physicalObservations"), found);
    let voice = at.member("voice");
    declared.voice_owner = owner(&voice, found);
    let agui = at.member("agui");
    if !agui.value.is_some_and(Value::is_object) {
        found.refuse(&rules::CARD_PARAMS, &agui.pointer, format!("expected an object, {}", agui.came()));
        return;
    }
    declared.transport_name = agui.member("transport").text().map(str::to_owned);
    declared.profile = transport::profile(&agui, declared.physical, found);
    declared.url = endpoint::check(&agui.member("url"), context, found);
    transport::resume(&agui, declared.profile, found);
    if declared.profile == Some(TransportProfile::WebRtc) {
        transport::webrtc(&agui, &voice, found);
        declared.explicit_turns = transport::explicit_turns(at, &context.dialect, found);
    }
}

fn owner(voice: &At, found: &mut Findings) -> Option<String> {
    if !voice.is_there() {
        return None;
    }
    if !voice.value.is_some_and(Value::is_object) {
        found.refuse(&rules::CARD_PARAMS, &voice.pointer, format!("expected an object, {}", voice.came()));
        return None;
    }
    let owner = voice.member("owner");
    match owner.text() {
        Some("client" | "agent") => {}
        Some(_) => {
            let detail = format!("expected \"client\" or \"agent\", {}", owner.came_quoted());
            found.note(&rules::CARD_PARAMS, &owner.pointer, detail);
        }
        None => {
            found.refuse(&rules::CARD_PARAMS, &owner.pointer, format!("expected a string, {}", owner.came()));
        }
    }
    owner.text().map(str::to_owned)
}
