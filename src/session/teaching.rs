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

/// Reads a text. White space, case and closing punctuation do not count: an agent may read as generously, and
/// what it would take for a confirmation must not pass here as small talk.
pub(super) fn read(text: &str) -> Teaching {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = words.join(" ").to_lowercase();
    match plain.trim_end_matches(['.', '!', '?', ' ']) {
        "confirm object" => return Teaching::Confirm,
        "cancel teaching" => return Teaching::Cancel,
        _ => {}
    }
    let spoken = |word: &str, with: &str| word.eq_ignore_ascii_case(with);
    match words[..] {
        [teach, object, ..] if spoken(teach, "teach") && spoken(object, "object") => {
            // The label keeps its own spaces, as the agent will.
            let label = text.trim_start()[teach.len()..].trim_start()[object.len()..].trim();
            Teaching::Propose(label.to_owned())
        }
        _ => Teaching::Other,
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
        Teaching::Propose(label) if label.is_empty() => Err(Refusal::by(
            &rules::TEACH_LABEL,
            "not sent: there is no label in it; say \"teach object\" and what it is to be called",
        )),
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
