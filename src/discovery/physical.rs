//! `params.physicalObservations`: unique arrays of at most two modalities, requests accepted (§ Discovery).

use serde_json::Value;

use super::findings::{At, Findings, quoted};
use crate::protocol::{Modalities, Modality, bounds, rules};

/// What the card declares, and whether it declares anything physical at all, understood or not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Physical {
    /// What the agent accepts.
    pub accepted: Modalities,
    /// What it may ask for; a card that names more than it accepts is refused.
    pub agent_requests: Modalities,
    /// Whether the card says anything about it.
    pub is_declared: bool,
}

pub(super) fn check(at: &At, found: &mut Findings) -> Physical {
    if !at.is_there() {
        return Physical::default();
    }
    if !at.value.is_some_and(Value::is_object) {
        found.refuse(&rules::CARD_PARAMS, &at.pointer, format!("expected an object, {}", at.came()));
        return Physical { is_declared: true, ..Physical::default() };
    }
    let (accepted_at, requests_at) = (at.member("accepted"), at.member("agentRequests"));
    let accepted = modalities(&accepted_at, found);
    let requests = modalities(&requests_at, found);
    for (modality, pointer) in &requests {
        if !accepted.iter().any(|(other, _)| other == modality) {
            let detail = format!("the agent would ask for {modality}, which accepted does not list");
            found.refuse(&rules::CARD_REQUESTS_ACCEPTED, pointer, detail);
        }
    }
    let is_declared = [&accepted_at, &requests_at]
        .iter()
        .any(|list| list.value.is_some_and(|value| value.as_array().is_none_or(|items| !items.is_empty())));
    let set = |list: &[(Modality, String)]| list.iter().map(|(modality, _)| *modality).collect();
    Physical { accepted: set(&accepted), agent_requests: set(&requests), is_declared }
}

/// The modalities that are understood, each with its place.
fn modalities(at: &At, found: &mut Findings) -> Vec<(Modality, String)> {
    let rule = &rules::CARD_MODALITIES;
    if at.is_there() && !at.value.is_some_and(Value::is_array) {
        found.refuse(rule, &at.pointer, format!("expected an array, {}", at.came()));
    }
    let count = at.elements().count();
    if count > bounds::MODALITIES {
        found.refuse(
            rule,
            &at.pointer,
            format!("it has {count} elements, at most {} are allowed", bounds::MODALITIES),
        );
    }
    let mut list: Vec<(Modality, String)> = Vec::new();
    for element in at.elements() {
        match element.text().map(|name| (name, Modality::from_name(name))) {
            Some((name, Some(modality))) if list.iter().any(|(seen, _)| *seen == modality) => {
                found.refuse(rule, &element.pointer, format!("{} is named twice", quoted(name)));
            }
            Some((_, Some(modality))) => list.push((modality, element.pointer)),
            _ => {
                let detail = format!("expected \"nfc\" or \"photo\", {}", element.came_quoted());
                found.refuse(rule, &element.pointer, detail);
            }
        }
    }
    list
}
