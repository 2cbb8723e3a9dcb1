//! Arming a device, and what devices bring.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Effect, Engine, line};
use super::{Arming, Sketch, Step, device, other, thing};
use crate::client::event::{Collected, Collection};
use crate::client::notice::{Line, LineKind, Notice, Preview, TagName};
use crate::client::request::Aim;
use crate::protocol::Modality;
use crate::session::{PendingState, Phase};

impl Engine {
    pub(in crate::client::engine) fn arm_scan(&mut self, now: Duration, aim: Aim) {
        self.arm(now, Modality::Nfc, aim);
    }

    pub(in crate::client::engine) fn arm_capture(&mut self, now: Duration, aim: Aim) {
        self.arm(now, Modality::Photo, aim);
    }

    pub(super) fn arm(&mut self, now: Duration, modality: Modality, aim: Aim) {
        if !self.may_arm(now, modality) {
            return;
        }
        match &self.physical.draft {
            Some(draft) if draft.holds(other(modality)) => {
                let (have, want) = (thing(other(modality)), thing(modality));
                let hint = format!("b adds a {want} to it, Esc drops it");
                return self.refuse(now, LineKind::Gate, format!("a {have} is under review"), Some(&hint));
            }
            _ => {}
        }
        self.forget_draft();
        self.physical.draft =
            Some(Sketch { answers: self.answer_for(modality, aim), aim, ..Sketch::default() });
        self.start(now, modality, None);
    }

    /// Whether this modality can be collected now; says why not.
    pub(super) fn may_arm(&mut self, now: Duration, modality: Modality) -> bool {
        let view = self.link.session().map(crate::session::Session::view);
        let Some(view) = view.filter(|v| v.phase == Phase::Live) else {
            self.refuse(
                now,
                LineKind::Gate,
                "nothing was armed: there is no live session",
                Some("r connects"),
            );
            return false;
        };
        if !view.negotiated.contains(modality) {
            let text = format!(
                "nothing was armed: this session has negotiated {}, so a {} could not be sent",
                view.negotiated,
                thing(modality)
            );
            self.refuse(now, LineKind::Gate, text, None);
            return false;
        }
        if self.is_talking() {
            let hint = "finish the spoken turn first, or Esc drops it";
            self.refuse(now, LineKind::Gate, "nothing was armed: the microphone is open", Some(hint));
            return false;
        }
        if self.physical.armed.is_some() || self.physical.refitting.is_some() {
            self.refuse(now, LineKind::Gate, "a device is already armed", Some("Esc stops it"));
            return false;
        }
        true
    }

    /// The pending request that a collection of this modality answers.
    pub(super) fn answer_for(&self, modality: Modality, aim: Aim) -> Option<String> {
        let pending = self.link.session()?.pending()?;
        let fits =
            aim == Aim::Answering && pending.modality == modality && pending.state == PendingState::Open;
        fits.then(|| pending.interaction_id.clone())
    }

    pub(super) fn start(&mut self, now: Duration, modality: Modality, source: Option<String>) {
        let id = self.physical.next_id();
        let within = match modality {
            Modality::Nfc => self.settings.scan_within,
            Modality::Photo => self.settings.capture_within,
        };
        self.physical.armed = Some(Arming { id, modality, until: now + within, step: Step::Waiting });
        let effect = match modality {
            Modality::Nfc => {
                self.nothing_hinders();
                Effect::Scan { id, within, place: source }
            }
            Modality::Photo => {
                self.camera_asked(now, id);
                Effect::Aim { id, within, show: source }
            }
        };
        self.effects.push_back(effect);
        self.tell_physical();
    }

    pub(in crate::client::engine) fn add_other(&mut self, now: Duration) {
        let Some(draft) = self.physical.draft.as_ref().filter(|d| !d.is_empty()) else {
            return self.refuse(
                now,
                LineKind::Gate,
                "nothing is under review to add to",
                Some("s scans, c captures"),
            );
        };
        let want = match (draft.holds(Modality::Nfc), draft.holds(Modality::Photo)) {
            (true, false) => Modality::Photo,
            (false, _) => Modality::Nfc,
            (true, true) => {
                return self.refuse(
                    now,
                    LineKind::Gate,
                    "it holds a tag and a photo already",
                    Some("Enter sends it"),
                );
            }
        };
        if !self.may_arm(now, want) {
            return;
        }
        let answers = self.answer_for(want, self.physical.draft.as_ref().map(|d| d.aim).unwrap_or_default());
        if let Some(draft) = self.physical.draft.as_mut().filter(|draft| draft.answers.is_none()) {
            draft.answers = answers;
        }
        self.start(now, want, None);
    }

    /// Stops whatever is armed; what is under review stays.
    pub(in crate::client::engine) fn disarm(&mut self) {
        if self.physical.armed.take().is_some() {
            self.camera_ends(self.now, false);
            self.effects.push_back(Effect::Disarm);
        }
        self.physical.plan = None;
        if self.physical.draft.as_ref().is_some_and(Sketch::is_empty) {
            self.physical.draft = None;
        }
        self.recheck_answer();
        self.tell_physical();
    }

    /// Leaving the foreground disarms (R33); what is under review stays.
    pub(in crate::client::engine) fn foreground(&mut self, now: Duration, front: bool) {
        if !front {
            self.silence(now, "the terminal is no longer in the foreground");
        }
        let Some(armed) = self.physical.armed.filter(|_| !front) else { return };
        self.disarm();
        let text = format!(
            "The {} was disarmed: the terminal is no longer in the foreground.",
            device(armed.modality)
        );
        self.notify(Notice::Info(line(now, LineKind::Info, text, None)));
    }

    pub(in crate::client::engine) fn physical_tick(&mut self, now: Duration) {
        let Some(armed) = self.physical.armed.filter(|armed| now >= armed.until) else { return };
        let text = match armed.modality {
            Modality::Nfc => format!("No tag came within {} s.", self.settings.scan_within.as_secs()),
            Modality::Photo => {
                format!("No picture was taken within {} s.", self.settings.capture_within.as_secs())
            }
        };
        self.disarm();
        self.notify(Notice::Failed(line(now, LineKind::Device, text, Some("arm it again"))));
    }

    pub(in crate::client::engine) fn aiming(&mut self, id: Collection, name: String) {
        self.camera_opened(self.now, id, name);
        let Some(armed) = self.physical.armed.as_mut().filter(|a| a.id == id && a.step == Step::Waiting)
        else {
            return;
        };
        armed.step = Step::Aiming;
        if self.physical.plan.is_some() {
            armed.step = Step::Taking;
            self.effects.push_back(Effect::Shutter(id));
            self.camera_ends(self.now, true);
        }
        self.tell_physical();
    }

    pub(in crate::client::engine) fn preview(&mut self, id: Collection, preview: Preview) {
        if self.physical.armed.is_some_and(|armed| armed.id == id) {
            self.camera_delivered(self.now, id);
            self.notify(Notice::Preview(Arc::new(preview)));
        }
    }

    pub(in crate::client::engine) fn shutter(&mut self, now: Duration) {
        if self.physical.armed.is_some_and(|armed| armed.modality == Modality::Nfc) {
            return self.refuse(
                now,
                LineKind::Gate,
                "the reader still waits for a tag",
                Some("Esc stops waiting"),
            );
        }
        match self.physical.armed.as_mut() {
            Some(armed) if armed.step == Step::Aiming => {
                armed.step = Step::Taking;
                let id = armed.id;
                self.effects.push_back(Effect::Shutter(id));
                self.camera_ends(now, true);
                self.tell_physical();
            }
            Some(armed) if armed.step == Step::Waiting => {
                self.refuse(now, LineKind::Gate, "the camera is still opening", None);
            }
            Some(_) => {}
            None => self.refuse(now, LineKind::Gate, "no camera is open", Some("c arms a capture")),
        }
    }

    pub(in crate::client::engine) fn collected(
        &mut self,
        now: Duration,
        id: Collection,
        result: Result<Collected, Line>,
    ) {
        let is_armed = self.physical.armed.is_some_and(|armed| armed.id == id);
        if !is_armed && self.physical.refitting != Some(id) {
            return;
        }
        self.physical.refitting = None;
        if is_armed {
            self.physical.armed = None;
        }
        match result {
            Ok(collected) => self.keep(now, id, collected),
            Err(why) => {
                let why = Line { at: now, ..self.scrubbed_line(why) };
                self.disarm();
                self.notify(Notice::Failed(why));
            }
        }
    }

    pub(super) fn keep(&mut self, now: Duration, id: Collection, collected: Collected) {
        let Some(draft) = &mut self.physical.draft else { return };
        match collected {
            Collected::Tag(tag) => {
                if let Some(uid) = &tag.uid {
                    self.scrubber.add_uid(uid);
                }
                let mut tag = *tag;
                let insists = self.physical.plan.as_ref().is_some_and(|plan| plan.insist);
                if insists && tag.review.name == TagName::Withheld {
                    tag.review.name = TagName::Insisted;
                }
                draft.tag = Some(tag);
            }
            Collected::Photo(photo) => draft.photo = Some((id, *photo)),
        }
        self.tell_physical();
        self.advance(now);
    }
}
