//! Whether the card wants a bearer token (R17), from the shapes of A2A 1.0 and 0.3 alike. Authentication is
//! an optional part of the card: whatever is wrong in it is a note.

use serde_json::Value;

use super::findings::{At, Findings, quoted};
use crate::protocol::rules;

/// What the card asks of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Security {
    /// Whether a bearer token is wanted (R17).
    pub needs_bearer: bool,
    /// The required schemes in plain words, such as `HTTP bearer`.
    pub required: Vec<String>,
}

/// What one scheme is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Bearer,
    Other(&'static str),
}

pub(super) fn read(card: &At, found: &mut Findings) -> Security {
    let schemes = card.member("securitySchemes");
    if schemes.is_there() && !schemes.value.is_some_and(Value::is_object) {
        found.note(
            &rules::CARD_SECURITY,
            &schemes.pointer,
            format!("expected an object, {}", schemes.came()),
        );
    }
    let new = card.member("securityRequirements");
    let list = if new.is_there() { new } else { card.member("security") };
    if list.is_there() && !list.value.is_some_and(Value::is_array) {
        found.note(&rules::CARD_SECURITY, &list.pointer, format!("expected an array, {}", list.came()));
    }
    let mut security = Security::default();
    let (mut bearer, mut open, mut alternatives) = (false, false, 0);
    for requirement in list.elements() {
        let names = names(&requirement);
        alternatives += 1;
        open |= names.is_empty() && requirement.value.is_some_and(Value::is_object);
        for at in names {
            let (name, at) = at;
            let Some(scheme) = scheme(&schemes.member(name), &at, name, found) else { continue };
            bearer |= scheme == Scheme::Bearer;
            let word = match scheme {
                Scheme::Bearer => "HTTP bearer",
                Scheme::Other(word) => word,
            };
            if !security.required.iter().any(|known| known == word) {
                security.required.push(word.to_owned());
            }
        }
    }
    if alternatives > 0 && !bearer && !open {
        let detail =
            "it asks for a kind of authentication that this client does not have; it has HTTP bearer";
        found.note(&rules::CARD_SECURITY, &list.pointer, detail);
    }
    security.needs_bearer = bearer && !open;
    security
}

/// The schemes of one requirement: `{"schemes":{"name":…}}` in 1.0, `{"name":[…]}` in 0.3.
fn names<'a>(requirement: &At<'a>) -> Vec<(&'a str, At<'a>)> {
    let inner = requirement.member("schemes");
    let inner = if inner.value.is_some_and(Value::is_object) { inner } else { requirement.clone() };
    inner.members().collect()
}

fn scheme(declared: &At, named: &At, name: &str, found: &mut Findings) -> Option<Scheme> {
    let mut wrong = |at: &At, detail: String| {
        found.note(&rules::CARD_SECURITY, &at.pointer, detail);
        None
    };
    if !declared.value.is_some_and(Value::is_object) {
        return wrong(named, format!("securitySchemes does not declare {}", quoted(name)));
    }
    let kind = declared.member("type").text();
    let http = declared.member("httpAuthSecurityScheme");
    let http = match (http.is_there(), kind) {
        (true, _) => Some(http),
        (false, Some("http")) => Some(declared.clone()),
        _ => None,
    };
    if let Some(http) = http {
        let word = http.member("scheme");
        return match word.text() {
            Some(text) if text.eq_ignore_ascii_case("bearer") => Some(Scheme::Bearer),
            Some(_) => Some(Scheme::Other("another HTTP scheme")),
            None => wrong(&word, format!("expected an HTTP scheme such as \"Bearer\", {}", word.came())),
        };
    }
    let others = [
        ("apiKeySecurityScheme", "apiKey", "an API key"),
        ("oauth2SecurityScheme", "oauth2", "OAuth 2"),
        ("openIdConnectSecurityScheme", "openIdConnect", "OpenID Connect"),
        ("mtlsSecurityScheme", "mutualTLS", "a client certificate"),
    ];
    let other =
        others.iter().find(|(member, old, _)| declared.member(member).is_there() || kind == Some(old));
    match other {
        Some((_, _, word)) => Some(Scheme::Other(word)),
        None => wrong(declared, "it is not a security scheme that A2A names".to_owned()),
    }
}
