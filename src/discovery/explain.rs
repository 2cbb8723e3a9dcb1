//! What came of a card, in plain words, line by line.

use super::{CardReport, CardSummary, CardVersion};
use crate::protocol::card::{LEGACY_URI, Offer, TransportProfile};
use crate::protocol::{Finding, Modalities, Modality};
use crate::units::{Bytes, count};

/// The lines that `agentcall card` prints. They hold text from the card as it came: whoever draws them
/// makes it safe first.
pub fn explain(report: &CardReport) -> Vec<String> {
    let summary = &report.summary;
    let mut lines = vec![headline(summary)];
    if let Some(description) = &summary.description {
        lines.push(format!("  {}", cut(description, DESCRIPTION)));
    }
    lines.push(about(summary));
    match &report.offer {
        Some(offer) => lines.extend(offered(offer, summary)),
        None => lines.extend(refused(&report.refusals, summary)),
    }
    if !report.notes.is_empty() {
        lines.push("Noticed:".to_owned());
        lines.extend(report.notes.iter().map(cited));
    }
    lines
}

/// Longest name that is shown, in characters: a card may hold 256 KiB of one.
const NAME: usize = 120;
/// Longest description that is shown, in characters.
const DESCRIPTION: usize = 1_000;

/// The beginning of a text of the card's.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn headline(summary: &CardSummary) -> String {
    let name = summary.name.as_deref().map_or("An agent without a name".to_owned(), |name| cut(name, NAME));
    let version = summary.agent_version.as_ref().map(|v| format!(" {}", cut(v, NAME))).unwrap_or_default();
    let provider = summary.provider.as_ref().map(|p| format!(", by {}", cut(p, NAME))).unwrap_or_default();
    format!("{name}{version}{provider}")
}

fn about(summary: &CardSummary) -> String {
    let shape = match summary.shape {
        CardVersion::V1_0 => "A2A 1.0",
        CardVersion::V0_3 => "A2A 0.3",
        CardVersion::Mixed => "A2A 1.0 and 0.3 mixed",
        CardVersion::Unknown => "no A2A version recognised",
    };
    let skills = count(summary.skills, "skill");
    let source = summary.source.as_deref().unwrap_or("a file");
    format!("  Card: {shape}, {skills}, {} bytes from {source}", Bytes(summary.bytes))
}

fn offered(offer: &Offer, summary: &CardSummary) -> Vec<String> {
    let mut lines = vec![format!("Offers: {}", capabilities(offer.accepted))];
    if !offer.accepted.is_empty() {
        let asks = if offer.agent_requests.is_empty() {
            "The agent never asks for one by itself.".to_owned()
        } else {
            format!("The agent may ask for {}; you decide each time.", wished(offer.agent_requests))
        };
        lines.push(format!("  {asks}"));
    }
    let transport = match offer.transport {
        TransportProfile::WebSocket => "WebSocket",
        TransportProfile::WebRtc => "WebRTC",
    };
    lines.push(format!("How: {transport} at {}", offer.url));
    lines.push(format!("Voice: {}", voice(offer)));
    lines.push(format!("Authentication: {}", authentication(offer, summary)));
    if summary.extension_uri.as_deref() == Some(LEGACY_URI) {
        lines.push("Declared under the legacy URI.".to_owned());
    }
    lines
}

fn capabilities(accepted: Modalities) -> String {
    let mut offers = vec!["text"];
    offers.extend(accepted.iter().map(|modality| match modality {
        Modality::Nfc => "scanning a tag (nfc)",
        Modality::Photo => "showing a photo (photo)",
    }));
    offers.join(", ")
}

fn wished(requests: Modalities) -> String {
    let wishes: Vec<&str> = requests
        .iter()
        .map(|modality| match modality {
            Modality::Nfc => "a scan",
            Modality::Photo => "a photo",
        })
        .collect();
    wishes.join(" and ")
}

fn voice(offer: &Offer) -> String {
    match (offer.voice_owner.as_deref(), offer.transport) {
        (Some("agent"), TransportProfile::WebRtc) if offer.explicit_turns => {
            "the agent speaks and listens, also in explicit turns".to_owned()
        }
        (Some("agent"), TransportProfile::WebRtc) => "the agent speaks and listens".to_owned(),
        (Some("client"), _) => "the client's own; no audio goes over the connection".to_owned(),
        (Some(_), TransportProfile::WebSocket) => "no audio goes over a WebSocket".to_owned(),
        _ => "none".to_owned(),
    }
}

fn authentication(offer: &Offer, summary: &CardSummary) -> String {
    if offer.needs_bearer {
        return "a bearer token is needed (--token-env or --token-file)".to_owned();
    }
    match summary.security.is_empty() {
        true => "none".to_owned(),
        false => format!("the card names {}", summary.security.join(", ")),
    }
}

fn refused(refusals: &[Finding], summary: &CardSummary) -> Vec<String> {
    let host = summary.source.as_ref().and_then(|text| url::Url::parse(text).ok());
    let place = match host.as_ref().and_then(url::Url::host_str) {
        Some(host) => format!("The card at {host}"),
        None => "The card".to_owned(),
    };
    let mut lines = match refusals {
        [only] => vec![format!("{place} was refused: {}. Nothing was sent.", sentence(only))],
        many => {
            let mut lines =
                vec![format!("{place} was refused for {} reasons. Nothing was sent.", many.len())];
            lines.extend(many.iter().map(cited));
            lines
        }
    };
    if let [only] = refusals {
        lines.push(format!("  {}: {}", only.rule.id, only.rule.text));
    }
    lines
}

/// `it declares the extension twice at /capabilities/extensions/1 (CARD-4, § Version and migration)`
fn sentence(finding: &Finding) -> String {
    let place = match finding.pointer.as_deref() {
        None | Some("") => String::new(),
        Some(pointer) => format!(" at {pointer}"),
    };
    format!("{}{place} ({}, {})", finding.detail, finding.rule.id, finding.rule.section)
}

fn cited(finding: &Finding) -> String {
    format!("  {}", sentence(finding))
}
