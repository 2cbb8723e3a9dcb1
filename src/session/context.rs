//! The physical focus as bounded Context on later turns: facts, never instructions, never the photo (R22).

use super::view::Focus;
use crate::protocol::client::ContextEntry;

/// The Context entries of a turn of text.
pub(super) fn entries(focus: Option<&Focus>) -> Vec<ContextEntry> {
    let Some(focus) = focus else { return Vec::new() };
    let entry = |description: &str, value: &str| ContextEntry {
        description: description.to_owned(),
        value: value.to_owned(),
    };
    vec![
        entry("physical focus: objectRef (untrusted fact)", &focus.object_ref),
        entry("physical focus: carrier", focus.carrier.name()),
        entry("physical focus: assurance", focus.assurance.name()),
    ]
}
