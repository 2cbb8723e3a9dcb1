//! The physical focus as bounded Context on later turns: facts, never instructions, never the photo (R22).

use super::view::Focus;
use crate::protocol::Dialect;
use crate::protocol::client::ContextEntry;
use crate::protocol::observation::Carrier;

/// The Context entries of a turn of text. The carrier has the name that the agent was shown (R8).
pub(super) fn entries(focus: Option<&Focus>, dialect: &Dialect) -> Vec<ContextEntry> {
    let Some(focus) = focus else { return Vec::new() };
    let entry = |description: &str, value: &str| ContextEntry {
        description: description.to_owned(),
        value: value.to_owned(),
    };
    let carrier = match focus.carrier {
        Carrier::Ndef => &dialect.carrier_ndef,
        Carrier::LocalTag => Carrier::LocalTag.name(),
    };
    vec![
        entry("physical focus: objectRef (untrusted fact)", &focus.object_ref),
        entry("physical focus: carrier", carrier),
        entry("physical focus: assurance", focus.assurance.name()),
    ]
}
