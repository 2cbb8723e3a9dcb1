//! Which record of a tag is a portable reference (R9).
//!
//! Pure. Called by [`super::reading`]. The reference is the first well-formed URI record, or URI of a Smart
//! Poster, with scheme `urn:` or `https:`, byte for byte, at most 512 characters. Two things keep a whole tag from
//! being a reference: a URI in the namespace of our own aliases, which a writable tag must not forge (R9), and the
//! tag's own id, which some chips mirror into their URI and which never leaves the client (§ Security, photos,
//! and exact object lookup).

use crate::observation::ndef::{Content, Message, Uri};
use crate::protocol::bounds;
use crate::redact::{TagUid, spells_uid};

/// The namespace of local aliases (R10).
pub const ALIAS_NAMESPACE: &str = "urn:agentcall:local:";

/// What a message says about the object it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The URI, byte for byte as the tag has it.
    Reference(String),
    /// The tag has none.
    None,
    /// The tag carries a URI in our alias namespace.
    ForgedAlias,
    /// The URI that would be the reference spells the tag's own id.
    SpellsUid,
}

/// Finds the reference of a message.
pub fn find(message: &Message, uid: Option<&TagUid>) -> Verdict {
    if uris(message).any(|uri| in_alias_namespace(&uri.uri)) {
        return Verdict::ForgedAlias;
    }
    match uris(message).find(|uri| is_reference(&uri.uri)) {
        None => Verdict::None,
        Some(found) if uid.is_some_and(|uid| spells_uid(uid, &found.uri)) => Verdict::SpellsUid,
        Some(found) => Verdict::Reference(found.uri.clone()),
    }
}

fn uris(message: &Message) -> impl Iterator<Item = &Uri> {
    message.records.iter().flat_map(|record| match &record.content {
        Content::Uri(uri) => std::slice::from_ref(uri),
        Content::SmartPoster(poster) if poster.uri().is_some() => poster.uris.as_slice(),
        _ => &[],
    })
}

/// Whether `uri` lies in our alias namespace, in whatever case and with whatever percent escapes.
pub fn in_alias_namespace(uri: &str) -> bool {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(ALIAS_NAMESPACE.len());
    let mut at = 0;
    while at < bytes.len() && decoded.len() < ALIAS_NAMESPACE.len() {
        match escape(&bytes[at..]) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded.eq_ignore_ascii_case(ALIAS_NAMESPACE.as_bytes())
}

/// Whether `uri` is well-formed, of scheme `urn:` or `https:`, and at most 512 characters long (R9).
pub fn is_reference(uri: &str) -> bool {
    if uri.chars().count() > bounds::OBJECT_REF
        || !uri.chars().all(may_stand_in_uri)
        || !escapes_are_whole(uri)
    {
        return false;
    }
    let Some((scheme, rest)) = uri.split_once(':') else { return false };
    if scheme.eq_ignore_ascii_case("urn") {
        return is_urn(rest);
    }
    scheme.eq_ignore_ascii_case("https") && has_host(rest)
}

/// RFC 8141 § 2: a namespace of 2 to 32 letters, digits and inner hyphens, then something specific to it.
fn is_urn(rest: &str) -> bool {
    let Some((namespace, specific)) = rest.split_once(':') else { return false };
    (2..=32).contains(&namespace.len())
        && namespace.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !namespace.starts_with('-')
        && !namespace.ends_with('-')
        && !specific.is_empty()
        && !specific.starts_with(['/', '?', '#'])
}

/// RFC 9110 § 4.2.2: an `https` URI without a host is invalid.
fn has_host(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("//") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    !host.is_empty() && !host.starts_with(':')
}

/// The characters of RFC 3986, and those of RFC 3987 beyond ASCII without white space and invisible marks,
/// which could make two different references look the same.
fn may_stand_in_uri(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    }
    let invisible = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}');
    let private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..);
    !(c.is_whitespace() || c.is_control() || invisible || private)
}

fn escapes_are_whole(uri: &str) -> bool {
    let bytes = uri.as_bytes();
    (0..bytes.len()).all(|at| bytes[at] != b'%' || escape(&bytes[at..]).is_some())
}

/// The byte of a percent escape at the beginning of `bytes`.
fn escape(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |d: &u8| char::from(*d).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests;
