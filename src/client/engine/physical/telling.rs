//! Forgetting, and telling the faces exactly what is armed and what would be sent.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Effect, Engine, line};
use super::{Sketch, Step};
use crate::client::notice::{Activity, ArmedView, Line, LineKind, Notice, PhysicalView, Review};
use crate::protocol::Modality;
use crate::protocol::observation::Carrier;
use crate::units::Bytes;

impl Engine {
    pub(super) fn forget_draft(&mut self) {
        self.physical.refitting = None;
        if self.physical.draft.take().is_some_and(|draft| draft.photo.is_some()) {
            self.effects.push_back(Effect::ForgetPicture);
        }
    }

    /// The session is over: nothing physical of it stays.
    pub(in crate::client::engine) fn forget_physical(&mut self) {
        self.disarm();
        self.forget_draft();
        self.physical.last = None;
        self.tell_physical();
    }

    pub(in crate::client::engine) fn placed(&mut self, now: Duration, result: Result<String, Line>) {
        match result {
            Ok(what) => {
                // Whoever took long to choose must not wait for a scan that is over.
                let armed = matches!(
                    self.activity(),
                    Activity::Armed(_) | Activity::Reviewing { adding: Some(_), .. }
                );
                let hint = (!armed).then_some("no scan is armed, so nothing is read; s arms one");
                self.notify(Notice::Info(line(now, LineKind::Info, what, hint)));
            }
            Err(why) => {
                let why = Line { at: now, ..self.scrubbed_line(why) };
                self.notify(Notice::Failed(why));
            }
        }
    }

    pub(in crate::client::engine) fn tell_physical(&mut self) {
        let view = PhysicalView {
            readers: self.reader_lines(),
            camera: self.camera_line(),
            camera_open: self.is_camera_open(),
            activity: self.activity(),
            last: self.physical.last.clone(),
        };
        self.notify(Notice::Physical(Arc::new(view)));
    }

    pub(super) fn activity(&self) -> Activity {
        let draft = self.physical.draft.as_ref();
        let answers = draft.and_then(|d| d.answers.clone());
        let armed = self.physical.armed.filter(|armed| armed.step != Step::Taking);
        let armed = armed.map(|armed| ArmedView {
            modality: armed.modality,
            until: armed.until,
            answers,
            trouble: self.hindrance().trouble().filter(|_| armed.modality == Modality::Nfc),
            is_reading: self.hindrance().is_reading() && armed.modality == Modality::Nfc,
        });
        let taking = self.physical.armed.filter(|armed| armed.step == Step::Taking);
        match (draft.filter(|d| !d.is_empty()), armed, taking) {
            (_, _, Some(taking)) => Activity::Preparing(taking.modality),
            (Some(draft), adding, None) => Activity::Reviewing { review: Arc::new(review(draft)), adding },
            (None, Some(armed), None) => Activity::Armed(armed),
            (None, None, None) => Activity::Idle,
        }
    }
}

fn review(draft: &Sketch) -> Review {
    let passport = draft.passport.as_ref().map(|p| serde_json::to_value(p).unwrap_or_default());
    Review {
        tag: draft.tag.as_ref().map(|tag| tag.review.clone()),
        photo: draft.photo.as_ref().map(|(_, photo)| photo.review.clone()),
        intent: draft.intent,
        answers: draft.answers.clone(),
        passport,
    }
}

/// What was sent, in one line: no image, no hardware id.
pub(super) fn sent_line(draft: &Sketch) -> String {
    let tag = draft.tag.as_ref().map(|tag| match tag.object.carrier {
        Carrier::Ndef => "NDEF reference".to_owned(),
        Carrier::LocalTag => "local alias".to_owned(),
    });
    let photo = draft.photo.as_ref().map(|(_, photo)| {
        let review = &photo.review;
        let digest = review.sha256.get(..8).unwrap_or_default();
        format!("photo {}×{}, {} bytes, {digest}…", review.width, review.height, Bytes(review.bytes))
    });
    tag.into_iter().chain(photo).collect::<Vec<_>>().join(" + ")
}
