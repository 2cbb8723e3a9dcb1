//! The proposal on the client (R32): there is no event for it, so it is read from what the user says.

use super::output::Refusal;
use super::view::{Focus, Proposal};
use crate::protocol::{bounds, rules};

/// What a text means for the teaching conversation (§ Independent reference proof).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Teaching {
    /// `teach object LABEL`: a new proposal for the object in focus.
    Propose(String),
    /// `confirm object`.
    Confirm,
    /// `cancel teaching`.
    Cancel,
    /// Anything else.
    Other,
}

/// Reads a text. The agent compares exactly, so case and inner spaces count here too.
pub(super) fn read(text: &str) -> Teaching {
    match text.trim() {
        "confirm object" => Teaching::Confirm,
        "cancel teaching" => Teaching::Cancel,
        other => match other.strip_prefix("teach object ").map(str::trim) {
            Some(label) if !label.is_empty() => Teaching::Propose(label.to_owned()),
            _ => Teaching::Other,
        },
    }
}

/// Refuses a confirmation without a current proposal, and a label out of bounds.
pub(super) fn check(
    teaching: &Teaching,
    focus: Option<&Focus>,
    proposal: Option<&Proposal>,
) -> Result<(), Refusal> {
    match teaching {
        Teaching::Confirm if proposal.is_none() => Err(Refusal::by(
            &rules::TEACH_CONFIRM,
            "not sent: there is no current proposal to confirm; say \"teach object …\" for the object in focus first",
        )),
        Teaching::Confirm if proposal.map(|p| &p.object_ref) != focus.map(|f| &f.object_ref) => {
            Err(Refusal::by(
                &rules::TEACH_CONFIRM,
                "not sent: the proposal is for another object than the one in focus; teach this one anew",
            ))
        }
        Teaching::Propose(label) if label.chars().count() > bounds::LABEL => Err(Refusal::by(
            &rules::TEACH_LABEL,
            format!(
                "not sent: the label has {} characters, at most {} are kept",
                label.chars().count(),
                bounds::LABEL
            ),
        )),
        _ => Ok(()),
    }
}

/// The proposal after this text was sent.
pub(super) fn after(
    teaching: Teaching,
    focus: Option<&Focus>,
    proposal: Option<Proposal>,
) -> Option<Proposal> {
    match teaching {
        Teaching::Propose(label) => {
            focus.map(|focus| Proposal { object_ref: focus.object_ref.clone(), label })
        }
        Teaching::Confirm | Teaching::Cancel => None,
        Teaching::Other => proposal,
    }
}
