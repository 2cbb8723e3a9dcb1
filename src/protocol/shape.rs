//! From a JSON value to a typed one, with the place and plain words when the types do not match.
//!
//! serde's derived readers also take an array where an object belongs (member by member), which the wire
//! does not allow; [`objects`] refuses that first. No word here ever repeats a value that came: it may be
//! a secret.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::json;

/// A value that does not have the type it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where, as a JSON pointer relative to the value that was read.
    pub pointer: String,
    /// What was expected and what came.
    pub detail: String,
}

/// Reads a typed value.
///
/// # Errors
/// The first member that has another type.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Mismatch> {
    serde_path_to_error::deserialize(value).map_err(|error| Mismatch {
        pointer: pointer_of(error.path()),
        detail: expected(&error.inner().to_string()),
    })
}

/// Checks that each place, where there is something, holds an object. `*` stands for every element.
///
/// # Errors
/// The first place that holds something else.
pub fn objects(value: &Value, places: &[&str]) -> Result<(), Mismatch> {
    places.iter().try_for_each(|place| object_at(value, place, ""))
}

fn object_at(value: &Value, place: &str, pointer: &str) -> Result<(), Mismatch> {
    let Some(rest) = place.strip_prefix('/') else {
        let fits = value.is_object() || value.is_null();
        let detail = || format!("expected an object, came {}", kind_of(value));
        return if fits { Ok(()) } else { Err(Mismatch { pointer: pointer.to_owned(), detail: detail() }) };
    };
    let (token, rest) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if token == "*" {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        return items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| object_at(item, rest, &format!("{pointer}/{index}")));
    }
    match value.get(token) {
        Some(child) => object_at(child, rest, &format!("{pointer}/{}", json::pointer_token(token))),
        None => Ok(()),
    }
}

/// What a JSON value is, in plain words.
pub const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn pointer_of(path: &Path) -> String {
    path.iter().fold(String::new(), |mut pointer, segment| {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => pointer.push_str(&format!("/{}", json::pointer_token(key))),
            Segment::Enum { variant } => pointer.push_str(&format!("/{variant}")),
            Segment::Unknown => {}
        }
        pointer
    })
}

/// serde's message in plain words. What came stands in the middle of it, what was expected always at the
/// end and in serde's own words, so only the end and the first word are kept.
fn expected(message: &str) -> String {
    if let Some(member) = message.strip_prefix("missing field ") {
        return format!("missing member {member}");
    }
    let Some((came, wanted)) = message.rsplit_once(", expected ") else {
        return "it does not have the type that the profile gives it".to_owned();
    };
    match came.strip_prefix("invalid type: ").and_then(came_kind) {
        Some(kind) => format!("expected {}, came {kind}", wanted_kind(wanted)),
        None => format!("expected {}", wanted_kind(wanted)),
    }
}

fn came_kind(came: &str) -> Option<&'static str> {
    Some(match came.split([' ', '`']).next()? {
        "string" => "a string",
        "integer" | "floating" => "a number",
        "boolean" => "a boolean",
        "null" | "unit" => "null",
        "map" => "an object",
        "sequence" => "an array",
        _ => return None,
    })
}

fn wanted_kind(wanted: &str) -> &str {
    match wanted {
        "u64" | "u32" => "a whole number that is not negative",
        "a map" | "map" => "an object",
        "a sequence" | "sequence" => "an array",
        "unit" => "null",
        name if name.starts_with("struct ") || name.starts_with("internally tagged") => "an object",
        name => name,
    }
}
