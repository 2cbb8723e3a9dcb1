//! What one session has been taught: the object in view, the proposal, the confirmed labels.
//!
//! A label is stored only by [`Teaching::confirm`], which needs a current proposal for the object in view.
//! References are compared by exact equality (§ Security, photos, and exact object lookup). Everything is
//! gone with the session.

use std::collections::HashMap;

use crate::protocol::bounds;

#[derive(Debug, Default)]
pub(super) struct Teaching {
    labels: HashMap<String, String>,
    /// The object that was scanned last.
    in_view: Option<String>,
    /// A label proposed for the object in view.
    proposal: Option<String>,
}

/// Why nothing was proposed or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotTaught {
    /// No object has been scanned in this session.
    NoObject,
    /// The label is empty.
    NoLabel,
    /// The label is longer than 256 characters, or has line breaks or control characters in it.
    UnfitLabel,
    /// There is no current proposal.
    NoProposal,
    /// 32 objects have labels already.
    Full,
}

impl Teaching {
    /// Takes a scan: another object than the one in view drops the proposal. Its label, if it has one.
    pub(super) fn scan(&mut self, object_ref: &str) -> Option<&str> {
        if self.in_view.as_deref() != Some(object_ref) {
            self.proposal = None;
            self.in_view = Some(object_ref.to_owned());
        }
        self.labels.get(object_ref).map(String::as_str)
    }

    /// Proposes a label for the object in view and stores nothing. An earlier proposal is gone either
    /// way: a confirmation must never mean a label that the user has just tried to replace.
    pub(super) fn propose(&mut self, label: &str) -> Result<&str, NotTaught> {
        self.proposal = None;
        let object = self.in_view.as_deref().ok_or(NotTaught::NoObject)?;
        if label.is_empty() {
            return Err(NotTaught::NoLabel);
        }
        if label.chars().count() > bounds::LABEL || label.chars().any(char::is_control) {
            return Err(NotTaught::UnfitLabel);
        }
        if !self.labels.contains_key(object) && self.labels.len() >= bounds::LABELS {
            return Err(NotTaught::Full);
        }
        self.proposal = Some(label.to_owned());
        Ok(object)
    }

    /// Stores the proposal, consuming it. The label that was stored.
    pub(super) fn confirm(&mut self) -> Result<&str, NotTaught> {
        let label = self.proposal.take().ok_or(NotTaught::NoProposal)?;
        let object = self.in_view.clone().ok_or(NotTaught::NoObject)?;
        Ok(self.labels.entry(object).insert_entry(label).into_mut())
    }

    /// Drops the proposal; whether there was one.
    pub(super) fn cancel(&mut self) -> bool {
        self.proposal.take().is_some()
    }

    pub(super) const fn has_proposal(&self) -> bool {
        self.proposal.is_some()
    }

    /// The object in view and its label, if it has one.
    pub(super) fn in_view(&self) -> Option<Option<&str>> {
        self.in_view.as_ref().map(|object| self.labels.get(object).map(String::as_str))
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.labels.len()
    }
}
