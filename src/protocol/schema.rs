//! JSON Schemas (draft 2020-12) of the wire, made from its types. `assets/schemas/` holds them as files.
//!
//! They describe the default names (see [`super::Dialect`]) and our readings of the profile. They are not
//! the schemas that the protocol's site publishes, so their `$id` is a name of our own.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::card::CardExtension;
use super::client::ClientMessage;
use super::observation::{Observation, Passport};
use super::server::Envelope;

/// Which side of a type a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What is written: members that are always written are required.
    Written,
    /// What is read: members with a default may be missing.
    Read,
}

/// The schemas of the profile: file name without its ending, and content.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        document::<CardExtension>(
            Side::Read,
            "agentcall-card-0.1",
            "AgentCall AG-UI extension 0.1 in an A2A Agent Card",
            "One element of capabilities.extensions. Rules over several members (agentRequests within accepted, physical inputs only over mapped transports, the WebRTC object) are checked by the client beyond this schema.",
        ),
        document::<ClientMessage>(
            Side::Written,
            "agentcall-agui-ws-client-0.1",
            "AgentCall client message 0.1",
            "One message from a client to an agent.",
        ),
        document::<Envelope>(
            Side::Written,
            "agentcall-events-0.1",
            "AgentCall server envelope 0.1",
            "One envelope from an agent to a client, with an event that the profile names. Events of other types are ignored by clients and are not described here.",
        ),
        document::<Observation>(
            Side::Written,
            "agentcall-physical-observation-0.1",
            "AgentCall physical observation 0.1",
            "An object, a photo, or both. Digests, byte counts and real dimensions are checked beyond this schema.",
        ),
        document::<Passport>(
            Side::Written,
            "agentcall-object-passport-0.1",
            "AgentCall object passport 0.1",
            "A bounded reference projection, at most 16 KiB. Members beside those named here are kept as given.",
        ),
    ]
}

/// The schema of one type, with its name, title and description.
pub fn document<T: JsonSchema>(
    side: Side,
    name: &'static str,
    title: &str,
    description: &str,
) -> (&'static str, Value) {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(Plain));
    let settings = match side {
        Side::Written => settings.for_serialize(),
        Side::Read => settings.for_deserialize(),
    };
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut ordered = json!({
        "$schema": schema.get("$schema").cloned(),
        "$id": format!("urn:agentcall-tui:schema:{name}"),
        "title": title,
        "description": description,
    });
    if let (Value::Object(ordered), Value::Object(rest)) = (&mut ordered, schema) {
        for (name, value) in rest {
            ordered.entry(name).or_insert(value);
        }
    }
    (name, ordered)
}

/// Leaves out what only Rust knows: number formats, links to items, and `null` for a member that is left
/// out instead.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        if schema
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(|f| f.starts_with("uint") || f == "double")
        {
            schema.remove("format");
        }
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace("[`", "`").replace("`]", "`").replace('\n', " ");
        }
        if let Some(Value::Array(kinds)) = schema.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [only] = kinds.as_slice() {
                let only = only.clone();
                schema.insert("type".to_owned(), only);
            }
        }
        let Some(Value::Array(ways)) = schema.get_mut("anyOf") else { return };
        let before = ways.len();
        ways.retain(|way| *way != json!({"type": "null"}));
        if ways.len() < before && ways.len() == 1 {
            let Some(Value::Object(only)) = ways.pop() else { return };
            schema.remove("anyOf");
            only.into_iter().for_each(|(name, value)| drop(schema.insert(name, value)));
        }
    }
}
