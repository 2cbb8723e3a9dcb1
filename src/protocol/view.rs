//! Frames as they may be shown and kept: without images, in bounds; and as one line.
//!
//! Whoever keeps or prints a frame (trace, `run --json`, recordings, the inspector) passes it through
//! [`for_trace`] first. It works on any JSON, of any dialect and from any side: an agent may echo an image
//! anywhere.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, Encoding};
use serde_json::{Map, Value, json};

use super::sha256_hex;
use crate::units::Bytes;

/// Shortest run of base64 characters that is taken for data anywhere in a frame.
pub(super) const RUN: usize = 256;
/// Shortest string inside an `image` object that is taken for its data.
const IMAGE_TEXT: usize = 32;
/// Shortest array of small numbers that is taken for bytes.
const BYTE_ARRAY: usize = 64;
/// Longest string that is kept, in bytes; a frame within its bound never reaches it by much.
const TEXT: usize = 32 * 1024;
/// Longest text that [`summary`] repeats, in characters.
const QUOTED: usize = 40;

/// The same JSON with every image replaced by `{"bytes":N,"sha256":"…"}`.
///
/// Image data is: `data` and every long string of an `image` object, whatever its name; elsewhere any
/// string that is base64 of some length, and any long array of bytes. Base64 inside a longer text becomes
/// `[N characters of base64]`. Strings over 32 KiB are cut.
pub fn for_trace(value: &Value) -> Value {
    masked(value, false)
}

fn masked(value: &Value, in_image: bool) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter().map(|(name, value)| (name.clone(), member(name, value, in_image))).collect(),
        ),
        Value::Array(items) => match bytes_of(items) {
            Some(bytes) => facts(&bytes),
            None => Value::Array(items.iter().map(|item| masked(item, in_image)).collect()),
        },
        Value::String(text) if in_image && is_image_text(text) => text_facts(text),
        Value::String(text) => masked_text(text),
        other => other.clone(),
    }
}

fn member(name: &str, value: &Value, in_image: bool) -> Value {
    match value {
        Value::String(text) if in_image && name == "data" => text_facts(text),
        // An image that is nothing but its data.
        Value::String(text) if name == "image" => text_facts(text),
        value => masked(value, in_image || name == "image"),
    }
}

/// Whether a string of an `image` object is data: anything long but a SHA-256.
fn is_image_text(text: &str) -> bool {
    let is_hash = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    text.len() >= IMAGE_TEXT && !is_hash
}

fn masked_text(text: &str) -> Value {
    let bare =
        text.strip_prefix("data:").and_then(|t| t.split_once(";base64,")).map_or(text, |(_, data)| data);
    if runs(bare).first().is_some_and(|(start, end)| *start == 0 && *end == bare.len()) {
        return text_facts(bare);
    }
    Value::String(mask_text(text))
}

/// The same text with every long run of base64 replaced by `[N characters of base64]`, and cut to 32 KiB:
/// for text that is not JSON, or not only data.
pub fn mask_text(text: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (start, end) in runs(text) {
        out.push_str(&text[from..start]);
        out.push_str(&format!("[{} characters of base64]", Bytes(end - start)));
        from = end;
    }
    out.push_str(&text[from..]);
    if out.len() > TEXT {
        let cut = (0..=TEXT).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
        let left_out = out.len() - cut;
        out.truncate(cut);
        out.push_str(&format!("… ({} more bytes)", Bytes(left_out)));
    }
    out
}

/// Runs of at least [`RUN`] base64 characters, line breaks included, that mix letters and digits as data
/// does and prose does not.
fn runs(text: &str) -> Vec<(usize, usize)> {
    let belongs =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'=' | b'\r' | b'\n');
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..].iter().take_while(|b| belongs(**b)).count();
        let run = &bytes[start..start + length];
        let has = |kind: fn(&u8) -> bool| run.iter().any(kind);
        let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        if length >= RUN && mixed {
            found.push((start, start + length));
        }
        start += length.max(1);
    }
    found
}

fn text_facts(text: &str) -> Value {
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let encodings: [&Encoding; 4] = [&BASE64, &BASE64_NOPAD, &BASE64URL, &BASE64URL_NOPAD];
    match encodings.iter().find_map(|encoding| encoding.decode(packed.as_bytes()).ok()) {
        Some(bytes) => facts(&bytes),
        None => json!({"characters": text.chars().count(), "sha256": sha256_hex(text.as_bytes())}),
    }
}

fn facts(bytes: &[u8]) -> Value {
    json!({"bytes": bytes.len(), "sha256": sha256_hex(bytes)})
}

fn bytes_of(items: &[Value]) -> Option<Vec<u8>> {
    let byte = |item: &Value| item.as_u64().and_then(|n| u8::try_from(n).ok());
    if items.len() < BYTE_ARRAY { None } else { items.iter().map(byte).collect() }
}

/// One line about a client message or an envelope, without its type: `turn 3`, `"I do not k…"`,
/// `scan ix-2`. Text inside is as it came, cut; whoever draws it makes it safe.
pub fn summary(value: &Value) -> String {
    let body = value.get("event").unwrap_or(value);
    let Value::Object(map) = body else { return String::new() };
    match map.get("type").and_then(Value::as_str).unwrap_or_default() {
        "session.start" => format!("session {}", cut(text(map, "sessionId"))),
        "user.turn" => format!("turn {} {}", number(map, "turn"), quoted(text(map, "text"))),
        "user.observation" => observation(map),
        "ack" => number(map, "sequence"),
        "text.delta" | "speech.segment" => quoted(text(map, "text")),
        "failure" => format!("{} {}", cut(text(map, "code")), quoted(text(map, "message"))),
        "interaction.requested" => {
            let kind = match text(map, "kind") {
                "physical.nfc.scan" => "scan",
                "physical.photo.capture" => "photo",
                other => other,
            };
            format!("{} {}", cut(kind), cut(text(map, "interactionId")))
        }
        "interaction.resolved" => {
            format!("{} {}", cut(text(map, "outcome")), cut(text(map, "interactionId")))
        }
        "session.established" if map.get("resumed") == Some(&Value::Bool(true)) => "resumed".to_owned(),
        _ if map.contains_key("turn") => format!("turn {}", number(map, "turn")),
        _ => String::new(),
    }
}

fn observation(map: &Map<String, Value>) -> String {
    let observation = map.get("observation");
    let has = |name: &str| observation.is_some_and(|o| o.get(name).is_some());
    let what = match (has("object"), has("image")) {
        (true, true) => " object and image",
        (true, false) => " object",
        (false, true) => " image",
        (false, false) => "",
    };
    let inside = observation.and_then(|o| o.get("interactionId")).and_then(Value::as_str);
    let answers = map.get("interactionId").and_then(Value::as_str).or(inside);
    let answers = answers.map(|id| format!(" answers {}", cut(id))).unwrap_or_default();
    format!("turn {}{what}{answers}", number(map, "turn"))
}

fn text<'a>(map: &'a Map<String, Value>, name: &str) -> &'a str {
    map.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(map: &Map<String, Value>, name: &str) -> String {
    map.get(name).and_then(Value::as_u64).map_or_else(|| "?".to_owned(), |n| n.to_string())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

/// The beginning of a text of the agent's, as one line has room for it.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
