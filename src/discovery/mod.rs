//! From the bytes of a card to what it offers, with everything that is wrong in it (§ Discovery).
//!
//! [`fetch`] gets the bytes; [`validate`] is pure: it looks at all of the card and collects every problem,
//! refusals and notes apart, instead of stopping at the first. [`explain`] says the result in plain words.
//! Cards are fetched and validated anew at every connect (R27); which addresses may be reached is the
//! business of `net`.

mod a2a;
mod endpoint;
mod explain;
mod extension;
pub mod fetch;
mod findings;
mod physical;
mod record;
mod security;
#[cfg(test)]
mod tests;
mod transport;
mod typed;

use crate::protocol::card::{Offer, TransportProfile};
use crate::protocol::{Dialect, Finding, bounds, json, rules};
use crate::units::Bytes;

use findings::{At, Findings};

pub use explain::explain;
pub use record::CardRecord;

/// What is known about where a card came from.
#[derive(Clone, Debug, Default)]
pub struct CardContext {
    /// The URL that served it, after redirects; `None` for a card from a file.
    pub final_url: Option<String>,
    /// The media type that it was served as, if a server said so.
    pub content_type: Option<String>,
    /// Whether the user allowed HTTP and private addresses with `--local`.
    pub local: bool,
    /// The open names of the wire.
    pub dialect: Dialect,
}

impl CardContext {
    /// The context of a card that [`fetch`] got; `local` as in the policy that fetched it.
    pub fn of(card: &fetch::FetchedCard, local: bool, dialect: Dialect) -> Self {
        let final_url = match &card.location {
            fetch::CardSource::Url(url) => Some(crate::net::shown(url)),
            fetch::CardSource::File(_) => None,
        };
        let content_type = card.tried.last().and_then(|attempt| attempt.media_type.clone());
        Self { final_url, content_type, local, dialect }
    }
}

/// What came of a card.
#[derive(Clone, Debug)]
pub struct CardReport {
    /// What a session needs to know; `None` when the card was refused.
    pub offer: Option<Offer>,
    /// What the card says, as far as it could be read, refused or not.
    pub summary: CardSummary,
    /// Why it was refused: all of the reasons, empty when it was not.
    pub refusals: Vec<Finding>,
    /// What was noticed besides.
    pub notes: Vec<Finding>,
}

/// The version of A2A whose shape a card has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardVersion {
    /// `supportedInterfaces`.
    V1_0,
    /// `url`, `preferredTransport`, `additionalInterfaces`.
    V0_3,
    /// Members of both; those of 1.0 count.
    Mixed,
    /// Members of neither.
    #[default]
    Unknown,
}

/// One A2A interface of the agent. This client uses none of them; it shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its URL, as it came.
    pub url: String,
    /// Its binding, as it came, such as `JSONRPC`.
    pub binding: String,
    /// Its A2A version, if the card says it.
    pub version: Option<String>,
    /// Whether A2A names the binding.
    pub is_known: bool,
}

/// An extension of the card that is not AgentCall's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherExtension {
    /// Its URI, as it came; empty when there is none.
    pub uri: String,
    /// Whether a client has to know it.
    pub required: bool,
}

/// What a card says. Every text is as it came, neither cut nor made safe to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardSummary {
    /// Where it came from: a URL, or nothing for a file.
    pub source: Option<String>,
    /// Its size in bytes.
    pub bytes: usize,
    /// The agent's name.
    pub name: Option<String>,
    /// What the agent is.
    pub description: Option<String>,
    /// The version of the agent.
    pub agent_version: Option<String>,
    /// Who provides it.
    pub provider: Option<String>,
    /// How many skills it lists.
    pub skills: usize,
    /// The shape of the card.
    pub shape: CardVersion,
    /// Its A2A interfaces, at most 33.
    pub interfaces: Vec<Interface>,
    /// The URI under which it declares the AgentCall extension.
    pub extension_uri: Option<String>,
    /// Its other extensions.
    pub other_extensions: Vec<OtherExtension>,
    /// `params.agui.transport`.
    pub transport: Option<String>,
    /// `params.agui.url`, when its form is good.
    pub endpoint: Option<String>,
    /// `params.voice.owner`.
    pub voice_owner: Option<String>,
    /// The modalities that it accepts, those that could be understood.
    pub accepted: Vec<String>,
    /// The modalities that the agent may ask for, those that could be understood.
    pub agent_requests: Vec<String>,
    /// The authentication that it asks for, in plain words.
    pub security: Vec<String>,
}

/// Validates the bytes of a card.
pub fn validate(bytes: &[u8], context: &CardContext) -> CardReport {
    let mut found = Findings::default();
    let mut summary =
        CardSummary { source: context.final_url.clone(), bytes: bytes.len(), ..CardSummary::default() };
    let offer = read(bytes, context, &mut summary, &mut found);
    let Findings { refusals, notes } = found;
    CardReport { offer: offer.filter(|_| refusals.is_empty()), summary, refusals, notes }
}

fn read(
    bytes: &[u8],
    context: &CardContext,
    summary: &mut CardSummary,
    found: &mut Findings,
) -> Option<Offer> {
    if bytes.len() > bounds::CARD_BYTES {
        let detail =
            format!("it has {} bytes, at most {} are read", Bytes(bytes.len()), Bytes(bounds::CARD_BYTES));
        found.refusals.push(Finding::new(&rules::CARD_SIZE, detail));
        return None;
    }
    let parsed = match json::parse_bytes(bytes) {
        Ok(parsed) => parsed,
        Err(error) => {
            found.refusals.push(Finding::new(&rules::CARD_JSON, error.detail));
            return None;
        }
    };
    found.notes.extend(parsed.findings);
    media_type(context, found);
    let card = At::root(&parsed.value);
    if !parsed.value.is_object() {
        found.refuse(&rules::CARD_JSON, "", format!("expected an object, {}", card.came()));
        return None;
    }
    a2a::read(&card, summary, found);
    let declared = extension::check(&card, context, found);
    let security = security::read(&card, found);
    if let Some(url) = &declared.url {
        a2a::endpoint_is_no_interface(url, summary, found);
    }
    fill(summary, &declared, &security);
    offer(summary, declared, &security)
}

fn media_type(context: &CardContext, found: &mut Findings) {
    let Some(came) = &context.content_type else { return };
    let essence = came.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence != "application/json" && !essence.ends_with("+json") {
        let detail = format!("expected application/json, came {}", findings::quoted(&essence));
        found.notes.push(Finding::new(&rules::CARD_MEDIA_TYPE, detail));
    }
}

fn fill(summary: &mut CardSummary, declared: &extension::Declared, security: &security::Security) {
    let names = |set: crate::protocol::Modalities| set.iter().map(|m| m.name().to_owned()).collect();
    summary.extension_uri.clone_from(&declared.uri);
    summary.other_extensions.clone_from(&declared.others);
    summary.transport.clone_from(&declared.transport_name);
    summary.endpoint.clone_from(&declared.url);
    summary.voice_owner.clone_from(&declared.voice_owner);
    summary.accepted = names(declared.physical.accepted);
    summary.agent_requests = names(declared.physical.agent_requests);
    summary.security.clone_from(&security.required);
}

fn offer(
    summary: &CardSummary,
    declared: extension::Declared,
    security: &security::Security,
) -> Option<Offer> {
    let transport: TransportProfile = declared.profile?;
    Some(Offer {
        agent_name: summary.name.clone().unwrap_or_default(),
        url: declared.url?,
        transport,
        accepted: declared.physical.accepted,
        agent_requests: declared.physical.agent_requests,
        voice_owner: declared.voice_owner,
        explicit_turns: declared.explicit_turns,
        needs_bearer: security.needs_bearer,
    })
}
