//! What is under review, and the moment it is sent.

use std::time::Duration;

use super::super::{Effect, Engine};
use super::telling::sent_line;
use super::{Plan, Sketch};
use crate::client::event::Collection;
use crate::client::notice::{Line, LineKind, Notice, TagName};
use crate::client::request::{Observe, Orient};
use crate::protocol::Modality;
use crate::protocol::observation::Passport;
use crate::session::{Answer, Ask, Draft, Session};
use crate::units;

/// Why a tag with a random id is not sent just so (R10).
const NO_IDENTITY: &str = "not sent: this tag has no stable identity. Its ID is random, another one at every tap, so an \
                           alias of it names this one tap alone";

impl Engine {
    pub(in crate::client::engine) fn next_intent(&mut self, now: Duration) {
        let Some(draft) = &mut self.physical.draft else {
            return self.refuse(now, LineKind::Gate, "nothing is under review", Some("s scans, c captures"));
        };
        draft.intent = draft.intent.next();
        self.tell_physical();
    }

    /// The user wants an alias of a tag without a stable identity to be sent: once, for this review.
    pub(in crate::client::engine) fn insist(&mut self, now: Duration) {
        let tag = self.physical.draft.as_mut().and_then(|draft| draft.tag.as_mut());
        let Some(tag) = tag.filter(|tag| tag.review.name == TagName::Withheld) else {
            let text = "there is nothing to insist on: no tag without a stable identity is under review";
            return self.refuse(now, LineKind::Gate, text, None);
        };
        tag.review.name = TagName::Insisted;
        self.tell_physical();
    }

    pub(in crate::client::engine) fn orient(&mut self, now: Duration, orient: Orient) {
        let reviewed = self.physical.draft.as_ref().and_then(|d| d.photo.as_ref()).map(|(id, _)| *id);
        let aiming = self.physical.armed.filter(|a| a.modality == Modality::Photo).map(|a| a.id);
        let Some(id) = aiming.or(reviewed) else {
            return self.refuse(now, LineKind::Gate, "there is no picture to turn", Some("c arms a capture"));
        };
        if aiming.is_none() {
            if self.physical.refitting.is_some() {
                return;
            }
            self.physical.refitting = Some(id);
        }
        self.effects.push_back(Effect::Orient(id, orient));
    }

    pub(in crate::client::engine) fn attach_passport(&mut self, now: Duration, path: String) {
        if self.physical.draft.as_ref().is_none_or(|draft| draft.tag.is_none()) {
            return self.refuse(
                now,
                LineKind::Gate,
                "a passport belongs to a scanned tag",
                Some("s scans one"),
            );
        }
        let id = self.physical.next_id();
        self.effects.push_back(Effect::ReadPassport(id, path));
    }

    pub(in crate::client::engine) fn passport(
        &mut self,
        now: Duration,
        _id: Collection,
        result: Result<Passport, Line>,
    ) {
        let Some(draft) = &mut self.physical.draft else { return };
        match result {
            Ok(passport) => {
                draft.passport = Some(passport);
                self.tell_physical();
                self.advance(now);
            }
            Err(why) => {
                let planned = self.physical.plan.take().is_some();
                let why = Line { at: now, ..self.scrubbed_line(why) };
                if planned {
                    self.forget_draft();
                    self.tell_physical();
                }
                self.notify(Notice::Failed(why));
            }
        }
    }

    pub(in crate::client::engine) fn drop_reviewed(&mut self, now: Duration) {
        if self.physical.draft.is_none() {
            return self.refuse(now, LineKind::Gate, "nothing is under review", None);
        }
        self.disarm();
        self.forget_draft();
        self.tell_physical();
    }

    /// `response.cancel` cancels the pending collection (§ Session and input): a device that was armed for the
    /// request is disarmed, and what was collected for it is forgotten. An unrelated collection stays.
    pub(in crate::client::engine) fn cancel_collection(&mut self) {
        if self.physical.draft.as_ref().is_some_and(|draft| draft.answers.is_some()) {
            self.disarm();
            self.forget_draft();
            self.tell_physical();
        }
    }

    /// A request that is no longer pending cannot be answered, nor one whose modality did not come after all:
    /// the draft goes as unrelated, and says so.
    pub(in crate::client::engine) fn recheck_answer(&mut self) {
        let pending = self.link.session().and_then(Session::pending);
        let (armed, planned) = (self.physical.armed.map(|a| a.modality), self.physical.plan.is_some());
        let Some(draft) = &mut self.physical.draft else { return };
        let Some(answered) = &draft.answers else { return };
        let comes = |modality| planned || draft.holds(modality) || armed == Some(modality);
        if !pending.is_some_and(|p| p.interaction_id == *answered && comes(p.modality)) {
            draft.answers = None;
            self.tell_physical();
        }
    }

    pub(in crate::client::engine) fn send_reviewed(&mut self, now: Duration) {
        let Some(draft) = self.physical.draft.as_ref().filter(|d| !d.is_empty()) else {
            return self.refuse(now, LineKind::Gate, "nothing is under review", Some("s scans, c captures"));
        };
        if self.physical.armed.is_some() || self.physical.refitting.is_some() {
            return self.refuse(
                now,
                LineKind::Gate,
                "the other part is not collected yet",
                Some("Esc sends without it"),
            );
        }
        if draft.withheld() {
            return self.refuse(now, LineKind::Gate, NO_IDENTITY, Some("a makes an alias all the same"));
        }
        let mut object = draft.tag.as_ref().map(|tag| tag.object.clone());
        if let Some(object) = &mut object {
            object.passport.clone_from(&draft.passport);
        }
        let image = draft.photo.as_ref().map(|(_, photo)| photo.image.clone());
        let captured_at = match (&draft.photo, &draft.tag) {
            (Some((_, photo)), _) => photo.captured_at.clone(),
            (None, Some(tag)) => tag.captured_at.clone(),
            (None, None) => return,
        };
        let summary = sent_line(draft);
        let ask = Ask::Show(Draft {
            observation_id: units::random_id(),
            captured_at,
            intent: draft.intent,
            object,
            image,
            answer: draft.answers.clone().map_or(Answer::Unrelated, Answer::To),
        });
        if let Some((_, photo)) = &draft.photo {
            self.scrubber.add_image(&photo.jpeg);
        }
        if self.try_ask(now, ask) {
            self.physical.last = Some((summary, now));
            self.forget_draft();
            self.tell_physical();
        }
    }

    /// A scenario step: collect, then send.
    pub(in crate::client::engine) fn observe(&mut self, now: Duration, observe: Observe) {
        if self.physical.draft.is_some() {
            return self.refuse(now, LineKind::Gate, "an observation is already being put together", None);
        }
        let modalities: Vec<Modality> =
            [observe.tag.as_ref().map(|_| Modality::Nfc), observe.picture.as_ref().map(|_| Modality::Photo)]
                .into_iter()
                .flatten()
                .collect();
        if !modalities.iter().all(|m| self.may_arm(now, *m)) {
            return;
        }
        let answers = modalities.iter().find_map(|m| self.answer_for(*m, observe.aim));
        self.physical.draft =
            Some(Sketch { intent: observe.intent, answers, aim: observe.aim, ..Sketch::default() });
        self.physical.plan = Some(Plan {
            tag: observe.tag,
            picture: observe.picture,
            passport: observe.passport,
            insist: observe.insist,
        });
        self.advance(now);
    }

    /// The next thing that a scenario step wants; when there is none, it is sent.
    pub(super) fn advance(&mut self, now: Duration) {
        let Some(plan) = &mut self.physical.plan else { return };
        if self.physical.draft.as_ref().is_some_and(Sketch::withheld) {
            self.physical.plan = None;
            self.forget_draft();
            self.tell_physical();
            let hint = "The word insist in the step sends an alias all the same.";
            return self.refuse(now, LineKind::Gate, NO_IDENTITY, Some(hint));
        }
        let named = |source: String| Some(source).filter(|s| !s.is_empty());
        if let Some(tag) = plan.tag.take() {
            self.start(now, Modality::Nfc, named(tag));
        } else if let Some(picture) = plan.picture.take() {
            self.start(now, Modality::Photo, named(picture));
        } else if let Some(path) = plan.passport.take() {
            self.attach_passport(now, path);
        } else {
            self.physical.plan = None;
            self.send_reviewed(now);
            // A refused observation must not stay behind: a scenario has nobody to review it.
            self.forget_draft();
            self.tell_physical();
        }
    }
}
