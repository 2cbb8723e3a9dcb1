//! The A2A part of the card: names, version shape, interfaces (§ Discovery). Nothing here refuses a card:
//! A2A conformance belongs to the A2A TCK, so a wrong type is a note.

use serde_json::Value;

use super::findings::{At, Findings, quoted};
use super::{CardSummary, CardVersion, Interface};
use crate::protocol::rules;

/// Protocol bindings that A2A names.
const BINDINGS: [&str; 3] = ["JSONRPC", "GRPC", "HTTP+JSON"];
/// Most interfaces and names that the summary keeps.
const MOST: usize = 32;

pub(super) fn read(card: &At, summary: &mut CardSummary, found: &mut Findings) {
    summary.name = text(card, "name", true, found);
    summary.description = text(card, "description", true, found);
    summary.agent_version = text(card, "version", true, found);
    let provider = card.member("provider");
    if provider.is_there() {
        summary.provider = text(&provider, "organization", false, found);
    }
    summary.skills = array(card, "skills", found);
    for name in ["defaultInputModes", "defaultOutputModes"] {
        array(card, name, found);
    }
    let capabilities = card.member("capabilities");
    if !capabilities.value.is_some_and(Value::is_object) {
        found.note(
            &rules::CARD_FIELDS,
            &capabilities.pointer,
            format!("expected an object, {}", capabilities.came()),
        );
    }
    shape(card, summary, found);
}

fn text(at: &At, name: &str, expected: bool, found: &mut Findings) -> Option<String> {
    let member = at.member(name);
    if member.text().is_none() && (expected || member.is_there()) {
        found.note(&rules::CARD_FIELDS, &member.pointer, format!("expected a string, {}", member.came()));
    }
    member.text().map(str::to_owned)
}

/// The length of an array that A2A wants.
fn array(at: &At, name: &str, found: &mut Findings) -> usize {
    let member = at.member(name);
    if !member.value.is_some_and(Value::is_array) {
        found.note(&rules::CARD_FIELDS, &member.pointer, format!("expected an array, {}", member.came()));
    }
    member.elements().count()
}

/// A2A 1.0 lists `supportedInterfaces`; 0.3 has `url`, `preferredTransport` and `additionalInterfaces`.
/// Where both stand, the 1.0 list wins.
fn shape(card: &At, summary: &mut CardSummary, found: &mut Findings) {
    let new = card.member("supportedInterfaces");
    let old: Vec<At> = ["url", "preferredTransport", "additionalInterfaces", "protocolVersion"]
        .iter()
        .map(|name| card.member(name))
        .filter(At::is_there)
        .collect();
    summary.shape = match (new.is_there(), old.is_empty()) {
        (true, true) => CardVersion::V1_0,
        (true, false) => CardVersion::Mixed,
        (false, false) => CardVersion::V0_3,
        (false, true) => CardVersion::Unknown,
    };
    if let Some(first) = old.first() {
        let detail = if new.is_there() {
            "the card mixes A2A 0.3 into 1.0; supportedInterfaces counts"
        } else {
            "the card has the shape of A2A 0.3, which is understood"
        };
        found.note(&rules::CARD_VERSION_SHAPE, &first.pointer, detail);
    }
    if new.is_there() {
        current(&new, summary, found);
    } else if old.is_empty() {
        let detail = "expected the agent's A2A interfaces, it is missing";
        found.note(&rules::CARD_INTERFACES_EMPTY, &new.pointer, detail);
    } else {
        previous(card, summary, found);
    }
}

fn current(list: &At, summary: &mut CardSummary, found: &mut Findings) {
    if !list.value.is_some_and(Value::is_array) {
        found.note(&rules::CARD_FIELDS, &list.pointer, format!("expected an array, {}", list.came()));
    } else if list.elements().next().is_none() {
        found.note(
            &rules::CARD_INTERFACES_EMPTY,
            &list.pointer,
            "the list is empty: no A2A interface is offered",
        );
    }
    for at in list.elements().take(MOST) {
        interface(&at, "protocolBinding", summary, found);
    }
}

fn previous(card: &At, summary: &mut CardSummary, found: &mut Findings) {
    if let Some(url) = text(card, "url", true, found) {
        let binding = card.member("preferredTransport").text().unwrap_or("JSONRPC").to_owned();
        let version = card.member("protocolVersion").text().map(str::to_owned);
        summary.interfaces.push(Interface {
            url,
            is_known: BINDINGS.contains(&binding.as_str()),
            binding,
            version,
        });
    }
    for at in card.member("additionalInterfaces").elements().take(MOST) {
        interface(&at, "transport", summary, found);
    }
}

fn interface(at: &At, binding: &str, summary: &mut CardSummary, found: &mut Findings) {
    let url = text(at, "url", true, found);
    let named = text(at, binding, true, found);
    let version = text(at, "protocolVersion", false, found);
    let (Some(url), Some(binding)) = (url, named) else { return };
    let is_known = BINDINGS.contains(&binding.as_str());
    if !is_known {
        let detail = format!("unsupported A2A binding {}", quoted(&binding));
        found.note(&rules::CARD_FIELDS, &at.pointer, detail);
    }
    summary.interfaces.push(Interface { url, binding, version, is_known });
}

/// Notes an AG-UI endpoint that is listed as if it were an A2A interface (§ Discovery).
pub(super) fn endpoint_is_no_interface(endpoint: &str, summary: &CardSummary, found: &mut Findings) {
    if summary.interfaces.iter().any(|interface| interface.url == endpoint) {
        let detail = "params.agui.url stands among the A2A interfaces, and it is not one";
        found.note(&rules::CARD_INTERFACES_EMPTY, "/supportedInterfaces", detail);
    }
}
