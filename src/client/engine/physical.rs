//! Collecting and reviewing: what is armed and until when, what would be sent, and the moment it is sent.
//!
//! One thing is armed at a time. A draft begins empty when a device is armed, is reviewed when it holds a
//! tag or a photo, and can take the other modality. Its image is forgotten when it is sent or dropped.

use std::sync::Arc;
use std::time::Duration;

use super::{Effect, Engine, line};
use crate::client::event::{Collected, CollectedPhoto, CollectedTag, Collection};
use crate::client::notice::{Activity, ArmedView, Line, LineKind, Notice, PhysicalView, Preview, Review};
use crate::client::request::{Aim, Observe, Orient};
use crate::protocol::Modality;
use crate::protocol::observation::{Intent, Passport};
use crate::session::{Answer, Ask, Draft, PendingState, Phase};
use crate::units::{self, Bytes};

/// The physical side of the engine.
#[derive(Debug, Default)]
pub(super) struct Physical {
    count: u64,
    armed: Option<Arming>,
    /// The photo is being turned and fitted anew.
    refitting: Option<Collection>,
    draft: Option<Sketch>,
    plan: Option<Plan>,
    last: Option<(String, Duration)>,
}

/// A device that was armed.
#[derive(Clone, Copy, Debug)]
struct Arming {
    id: Collection,
    modality: Modality,
    until: Duration,
    step: Step,
}

/// How far a collection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The reader waits, or the camera is opening.
    Waiting,
    /// The camera delivers.
    Aiming,
    /// The shutter was pressed.
    Taking,
}

/// An observation that is being put together.
#[derive(Debug, Default)]
struct Sketch {
    tag: Option<CollectedTag>,
    photo: Option<(Collection, CollectedPhoto)>,
    intent: Intent,
    answers: Option<String>,
    /// Whether it may answer a request at all.
    aim: Aim,
    passport: Option<Passport>,
}

impl Sketch {
    fn is_empty(&self) -> bool {
        self.tag.is_none() && self.photo.is_none()
    }

    fn holds(&self, modality: Modality) -> bool {
        match modality {
            Modality::Nfc => self.tag.is_some(),
            Modality::Photo => self.photo.is_some(),
        }
    }
}

/// What a scenario step still wants collected before it is sent.
#[derive(Debug)]
struct Plan {
    tag: Option<String>,
    picture: Option<String>,
    passport: Option<String>,
}

impl Physical {
    pub fn new() -> Self {
        Self::default()
    }

    /// When the armed device stops by itself.
    pub fn deadline(&self) -> Option<Duration> {
        self.armed.map(|armed| armed.until)
    }

    fn next_id(&mut self) -> Collection {
        self.count += 1;
        Collection(self.count)
    }
}

fn device(modality: Modality) -> &'static str {
    match modality {
        Modality::Nfc => "reader",
        Modality::Photo => "camera",
    }
}

fn thing(modality: Modality) -> &'static str {
    match modality {
        Modality::Nfc => "tag",
        Modality::Photo => "photo",
    }
}

impl Engine {
    // ── arming ──

    pub(super) fn arm_scan(&mut self, now: Duration, aim: Aim) {
        self.arm(now, Modality::Nfc, aim);
    }

    pub(super) fn arm_capture(&mut self, now: Duration, aim: Aim) {
        self.arm(now, Modality::Photo, aim);
    }

    fn arm(&mut self, now: Duration, modality: Modality, aim: Aim) {
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
    fn may_arm(&mut self, now: Duration, modality: Modality) -> bool {
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
        if self.physical.armed.is_some() || self.physical.refitting.is_some() {
            self.refuse(now, LineKind::Gate, "a device is already armed", Some("Esc stops it"));
            return false;
        }
        true
    }

    /// The pending request that a collection of this modality answers.
    fn answer_for(&self, modality: Modality, aim: Aim) -> Option<String> {
        let pending = self.link.session()?.view().pending?;
        let fits =
            aim == Aim::Answering && pending.modality == modality && pending.state == PendingState::Open;
        fits.then_some(pending.interaction_id)
    }

    fn start(&mut self, now: Duration, modality: Modality, source: Option<String>) {
        let id = self.physical.next_id();
        let within = match modality {
            Modality::Nfc => self.settings.scan_within,
            Modality::Photo => self.settings.capture_within,
        };
        self.physical.armed = Some(Arming { id, modality, until: now + within, step: Step::Waiting });
        self.effects.push_back(match modality {
            Modality::Nfc => Effect::Scan { id, within, place: source },
            Modality::Photo => Effect::Aim { id, within, show: source },
        });
        self.tell_physical();
    }

    pub(super) fn add_other(&mut self, now: Duration) {
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
    pub(super) fn disarm(&mut self) {
        if self.physical.armed.take().is_some() {
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
    pub(super) fn foreground(&mut self, now: Duration, front: bool) {
        let Some(armed) = self.physical.armed.filter(|_| !front) else { return };
        self.disarm();
        let text = format!(
            "The {} was disarmed: the terminal is no longer in the foreground.",
            device(armed.modality)
        );
        self.notify(Notice::Info(line(now, LineKind::Info, text, None)));
    }

    pub(super) fn physical_tick(&mut self, now: Duration) {
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

    // ── what devices bring ──

    pub(super) fn aiming(&mut self, id: Collection) {
        let Some(armed) = self.physical.armed.as_mut().filter(|a| a.id == id && a.step == Step::Waiting)
        else {
            return;
        };
        armed.step = Step::Aiming;
        if self.physical.plan.is_some() {
            armed.step = Step::Taking;
            self.effects.push_back(Effect::Shutter(id));
        }
        self.tell_physical();
    }

    pub(super) fn preview(&mut self, id: Collection, preview: Preview) {
        if self.physical.armed.is_some_and(|armed| armed.id == id) {
            self.notify(Notice::Preview(Arc::new(preview)));
        }
    }

    pub(super) fn shutter(&mut self, now: Duration) {
        match self.physical.armed.as_mut().filter(|armed| armed.modality == Modality::Photo) {
            Some(armed) if armed.step == Step::Aiming => {
                armed.step = Step::Taking;
                let id = armed.id;
                self.effects.push_back(Effect::Shutter(id));
                self.tell_physical();
            }
            Some(armed) if armed.step == Step::Waiting => {
                self.refuse(now, LineKind::Gate, "the camera is still opening", None);
            }
            Some(_) => {}
            None => self.refuse(now, LineKind::Gate, "no camera is open", Some("c arms a capture")),
        }
    }

    pub(super) fn collected(&mut self, now: Duration, id: Collection, result: Result<Collected, Line>) {
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

    fn keep(&mut self, now: Duration, id: Collection, collected: Collected) {
        let Some(draft) = &mut self.physical.draft else { return };
        match collected {
            Collected::Tag(tag) => {
                if let Some(uid) = &tag.uid {
                    self.scrubber.add_uid(uid);
                }
                draft.tag = Some(*tag);
            }
            Collected::Photo(photo) => draft.photo = Some((id, *photo)),
        }
        self.tell_physical();
        self.advance(now);
    }

    // ── reviewing ──

    pub(super) fn next_intent(&mut self, now: Duration) {
        let Some(draft) = &mut self.physical.draft else {
            return self.refuse(now, LineKind::Gate, "nothing is under review", Some("s scans, c captures"));
        };
        draft.intent = draft.intent.next();
        self.tell_physical();
    }

    pub(super) fn orient(&mut self, now: Duration, orient: Orient) {
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

    pub(super) fn attach_passport(&mut self, now: Duration, path: String) {
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

    pub(super) fn passport(&mut self, now: Duration, _id: Collection, result: Result<Passport, Line>) {
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

    pub(super) fn drop_reviewed(&mut self, now: Duration) {
        if self.physical.draft.is_none() {
            return self.refuse(now, LineKind::Gate, "nothing is under review", None);
        }
        self.disarm();
        self.forget_draft();
        self.tell_physical();
    }

    /// `response.cancel` cancels the pending collection (§ Session and input): a device that was armed for the
    /// request is disarmed, and what was collected for it is forgotten. An unrelated collection stays.
    pub(super) fn cancel_collection(&mut self) {
        if self.physical.draft.as_ref().is_some_and(|draft| draft.answers.is_some()) {
            self.disarm();
            self.forget_draft();
            self.tell_physical();
        }
    }

    /// A request that is no longer pending cannot be answered, nor one whose modality did not come after all:
    /// the draft goes as unrelated, and says so.
    pub(super) fn recheck_answer(&mut self) {
        let pending = self.link.session().and_then(|s| s.view().pending);
        let (armed, planned) = (self.physical.armed.map(|a| a.modality), self.physical.plan.is_some());
        let Some(draft) = &mut self.physical.draft else { return };
        let Some(answered) = &draft.answers else { return };
        let comes = |modality| planned || draft.holds(modality) || armed == Some(modality);
        if !pending.is_some_and(|p| p.interaction_id == *answered && comes(p.modality)) {
            draft.answers = None;
            self.tell_physical();
        }
    }

    // ── sending ──

    pub(super) fn send_reviewed(&mut self, now: Duration) {
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
    pub(super) fn observe(&mut self, now: Duration, observe: Observe) {
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
        self.physical.plan =
            Some(Plan { tag: observe.tag, picture: observe.picture, passport: observe.passport });
        self.advance(now);
    }

    /// The next thing that a scenario step wants; when there is none, it is sent.
    fn advance(&mut self, now: Duration) {
        let Some(plan) = &mut self.physical.plan else { return };
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

    // ── forgetting and telling ──

    fn forget_draft(&mut self) {
        self.physical.refitting = None;
        if self.physical.draft.take().is_some_and(|draft| draft.photo.is_some()) {
            self.effects.push_back(Effect::ForgetPicture);
        }
    }

    /// The session is over: nothing physical of it stays.
    pub(super) fn forget_physical(&mut self) {
        self.disarm();
        self.forget_draft();
        self.physical.last = None;
        self.tell_physical();
    }

    pub(super) fn placed(&mut self, now: Duration, result: Result<String, Line>) {
        match result {
            Ok(what) => self.notify(Notice::Info(line(now, LineKind::Info, what, None))),
            Err(why) => {
                let why = Line { at: now, ..self.scrubbed_line(why) };
                self.notify(Notice::Failed(why));
            }
        }
    }

    pub(super) fn tell_physical(&mut self) {
        let view = PhysicalView {
            reader: self.settings.reader.clone(),
            camera: self.settings.camera.clone(),
            activity: self.activity(),
            last: self.physical.last.clone(),
        };
        self.notify(Notice::Physical(Arc::new(view)));
    }

    fn activity(&self) -> Activity {
        let draft = self.physical.draft.as_ref();
        let answers = draft.and_then(|d| d.answers.clone());
        let armed = self.physical.armed.filter(|armed| armed.step != Step::Taking);
        let armed = armed.map(|armed| ArmedView { modality: armed.modality, until: armed.until, answers });
        let taking = self.physical.armed.filter(|armed| armed.step == Step::Taking);
        match (draft.filter(|d| !d.is_empty()), armed, taking) {
            (_, _, Some(taking)) => Activity::Preparing(taking.modality),
            (Some(draft), adding, None) => Activity::Reviewing { review: Arc::new(review(draft)), adding },
            (None, Some(armed), None) => Activity::Armed(armed),
            (None, None, None) => Activity::Idle,
        }
    }
}

fn other(modality: Modality) -> Modality {
    match modality {
        Modality::Nfc => Modality::Photo,
        Modality::Photo => Modality::Nfc,
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
fn sent_line(draft: &Sketch) -> String {
    let tag = draft.tag.as_ref().map(|tag| match tag.object.carrier {
        crate::protocol::observation::Carrier::Ndef => "NDEF reference".to_owned(),
        crate::protocol::observation::Carrier::LocalTag => "local alias".to_owned(),
    });
    let photo = draft.photo.as_ref().map(|(_, photo)| {
        let review = &photo.review;
        let digest = review.sha256.get(..8).unwrap_or_default();
        format!("photo {}×{}, {} bytes, {digest}…", review.width, review.height, Bytes(review.bytes))
    });
    tag.into_iter().chain(photo).collect::<Vec<_>>().join(" + ")
}
