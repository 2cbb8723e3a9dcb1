//! JSON at the door: bounded, one value, duplicate keys noticed, byte order mark and lone surrogates mended.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::bounds::JSON_DEPTH;
use super::finding::Finding;
use super::rules;

/// A JSON value and what was mended or noticed while reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The value; of a duplicate key the last one counts.
    pub value: Value,
    /// FRAME-4, FRAME-5 and FRAME-6 findings.
    pub findings: Vec<Finding>,
}

/// Parses one JSON value. The caller has checked the size.
///
/// # Errors
/// A [`rules::FRAME_JSON`] or [`rules::FRAME_DEPTH`] finding that says what is wrong and where.
pub fn parse(text: &str) -> Result<Parsed, Finding> {
    let mut findings = Vec::new();
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            findings
                .push(Finding::new(&rules::FRAME_BOM, "it begins with a byte order mark, which was skipped"));
            rest
        }
        None => text,
    };
    let text = mend_surrogates(text, &mut findings);
    if let Some(depth) = too_deep(&text) {
        return Err(Finding::new(
            &rules::FRAME_DEPTH,
            format!("it nests {depth} levels deep or more, at most {JSON_DEPTH} are read"),
        ));
    }
    let mut reader = serde_json::Deserializer::from_str(&text);
    let mut duplicates = Vec::new();
    let seed = Node { place: &Place::Root, duplicates: &mut duplicates };
    let value = seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    let value = value.map_err(|error| {
        Finding::new(&rules::FRAME_JSON, format!("it is not one JSON value: {}", plain(&error.to_string())))
    })?;
    findings.extend(duplicates.into_iter().map(|pointer| {
        Finding::at(
            &rules::FRAME_DUPLICATE_KEY,
            pointer,
            "this member is named more than once; the last one counts",
        )
    }));
    Ok(Parsed { value, findings })
}

/// Parses one JSON value from bytes. The caller has checked the size.
///
/// # Errors
/// As [`parse`], and a [`rules::FRAME_JSON`] finding when the bytes are not UTF-8.
pub fn parse_bytes(bytes: &[u8]) -> Result<Parsed, Finding> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let detail = format!("it is not UTF-8: byte {} is wrong", error.valid_up_to());
        Finding::new(&rules::FRAME_JSON, detail)
    })?;
    parse(text)
}

/// serde_json's message without its words for Rust types.
fn plain(message: &str) -> String {
    match message.strip_prefix("EOF while parsing ") {
        Some(rest) => {
            format!("the text ends in {}", rest.replace("a value at", "the middle, or holds nothing, at"))
        }
        None => message.to_owned(),
    }
}

/// The nesting depth at which reading stops, if the text nests deeper than [`JSON_DEPTH`].
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > JSON_DEPTH {
                    return Some(depth);
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Replaces every lone `\uD800`–`\uDFFF` escape by `\uFFFD`, so that one cut character does not cost the
/// whole frame (RFC 8259 § 8.2).
fn mend_surrogates<'a>(text: &'a str, findings: &mut Vec<Finding>) -> Cow<'a, str> {
    let bytes = text.as_bytes();
    let mut lone = Vec::new();
    let mut i = 0;
    while let Some(step) = bytes[i..].iter().position(|b| *b == b'\\') {
        i += step;
        match unit(bytes, i) {
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, i + 6), Some(0xDC00..=0xDFFF)) => i += 12,
            Some(0xD800..=0xDFFF) => {
                lone.push(i);
                i += 6;
            }
            _ => i = (i + 2).min(bytes.len()),
        }
    }
    if lone.is_empty() {
        return Cow::Borrowed(text);
    }
    findings.push(Finding::new(
        &rules::FRAME_SURROGATE,
        format!("{} escaped half character(s) without the other half, shown as \u{fffd}", lone.len()),
    ));
    let mut out = text.to_owned();
    for at in lone {
        out.replace_range(at..at + 6, "\\ufffd");
    }
    Cow::Owned(out)
}

/// The UTF-16 unit of a `\uXXXX` escape at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// `/`-escapes one member name of a JSON pointer (RFC 6901 § 3).
pub fn pointer_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Where the reader stands. It is written out only for a duplicate: a frame of one long name and many
/// elements would otherwise cost the product of both.
enum Place<'a> {
    Root,
    Member(&'a Place<'a>, &'a str),
    Element(&'a Place<'a>, usize),
}

/// Most duplicates that are reported.
const DUPLICATES: usize = 16;
/// Longest pointer of a duplicate that is written out, in characters.
const POINTER: usize = 256;

impl Place<'_> {
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        match pointer.char_indices().nth(POINTER) {
            Some((at, _)) => format!("{}…", &pointer[..at]),
            None => pointer,
        }
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Member(parent, name) => {
                parent.write(pointer);
                pointer.push('/');
                pointer.push_str(&pointer_token(name));
            }
            Self::Element(parent, index) => {
                parent.write(pointer);
                pointer.push_str(&format!("/{index}"));
            }
        }
    }
}

struct Node<'a> {
    place: &'a Place<'a>,
    duplicates: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        loop {
            let place = Place::Element(self.place, out.len());
            let Some(value) = seq.next_element_seed(Node { place: &place, duplicates: self.duplicates })?
            else {
                return Ok(Value::Array(out));
            };
            out.push(value);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut out = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let place = Place::Member(self.place, &key);
            let value = map.next_value_seed(Node { place: &place, duplicates: self.duplicates })?;
            // A frame of nothing but duplicates must not become a list of a hundred thousand findings.
            if out.contains_key(&key) && self.duplicates.len() < DUPLICATES {
                self.duplicates.push(place.pointer());
            }
            out.insert(key, value);
        }
        Ok(Value::Object(out))
    }
}
