//! Nothing leaves unseen: a review can be sent only when it has been on the screen for a moment.
//!
//! The Enter that took the picture may repeat; a tag may come, or an addition time out, just as Enter is
//! pressed for something else.

use std::time::Duration;

use super::facts::ActivityFacts;
use super::message::Effect;
use super::model::Model;
use crate::client::{Notice, Request};

#[cfg(test)]
mod tests;

/// How long a review must have been there, and Enter not pressed in vain, before it can be sent: longer than
/// keyboards wait before they repeat, so that holding Enter never sends.
const SEEN: Duration = Duration::from_millis(800);

impl Model {
    /// Hears a notice and keeps the moment at which a review comes up: one that Enter would send as it is.
    pub(super) fn hear_watching_reviews(&mut self, notice: Notice) -> Vec<Effect> {
        let before = self.is_reviewing();
        let effects = self.hear(notice);
        if !before {
            self.review_since = self.now;
        }
        effects
    }

    fn is_reviewing(&self) -> bool {
        matches!(self.physical.activity, ActivityFacts::Reviewing(_, None))
    }

    /// Takes the sending of a review out of `effects` that nobody can have read yet, and says so.
    pub(super) fn nothing_unseen(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        let too_soon = self.now < self.review_since + SEEN;
        if too_soon && effects.contains(&Effect::Ask(Request::SendReviewed)) {
            self.review_since = self.now;
            effects.retain(|effect| *effect != Effect::Ask(Request::SendReviewed));
            self.note("not sent yet: this has only just come up for review; Enter sends it");
        }
        effects
    }
}
