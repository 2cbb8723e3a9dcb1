//! What is under review leaves only by an Enter that can have been meant for it.

use std::sync::Arc;
use std::time::Duration;

use crate::app::{Effect, Message, Model};
use crate::client::Request;
use crate::client::notice::{
    Activity, ArmedView, DeviceLine, Notice, PhysicalView, Review, TagName, TagReview,
};
use crate::command::Key;
use crate::protocol::Modality;
use crate::protocol::observation::{Carrier, Intent};

struct Desk(Model);

impl Desk {
    fn new() -> Self {
        Self(Model::default())
    }

    fn at(&mut self, ms: u64) -> &mut Self {
        assert!(self.0.update(Message::Tick(Duration::from_millis(ms))).is_empty());
        self
    }

    fn hears(&mut self, activity: Activity) {
        let device = |name: &str| DeviceLine { name: name.into(), simulated: true, trouble: None };
        let (reader, camera) = (device("SIMULATED tags"), device("SIMULATED test card"));
        let view = PhysicalView { readers: vec![reader], camera, camera_open: false, activity, last: None };
        assert!(self.0.update(Message::Notice(Notice::Physical(Arc::new(view)))).is_empty());
    }

    fn enter(&mut self) -> Vec<Effect> {
        self.0.update(Message::Key(Key::Enter))
    }
}

fn armed(modality: Modality) -> ArmedView {
    ArmedView { modality, until: Duration::from_secs(30), answers: None, trouble: None, is_reading: false }
}

fn review(adding: Option<ArmedView>) -> Activity {
    let tag = TagReview {
        technology: "Type 2".into(),
        records: 1,
        bytes: 46,
        uid_bytes: Some(7),
        object_ref: "urn:agentcall:object:workshop-router".into(),
        carrier: Carrier::Ndef,
        payload_sha256: "9f".repeat(32),
        other_content: Vec::new(),
        random_uid: false,
        name: TagName::Lasting,
        notes: Vec::new(),
    };
    let review =
        Review { tag: Some(tag), photo: None, intent: Intent::Identify, answers: None, passport: None };
    Activity::Reviewing { review: Arc::new(review), adding }
}

fn sent() -> Vec<Effect> {
    vec![Effect::Ask(Request::SendReviewed)]
}

#[test]
fn the_enter_of_the_shutter_may_repeat_and_sends_nothing() {
    let mut desk = Desk::new();
    desk.at(1_000).hears(Activity::Armed(armed(Modality::Photo)));
    assert_eq!(desk.enter(), [Effect::Ask(Request::Shutter)]);
    desk.at(1_200).hears(Activity::Preparing(Modality::Photo));
    desk.at(1_400).hears(review(None));
    assert_eq!(desk.at(1_430).enter(), []);
    assert!(desk.0.status.as_ref().unwrap().text.as_str().starts_with("not sent yet"));
    assert_eq!(desk.at(2_300).enter(), sent());
}

#[test]
fn holding_enter_never_sends_and_letting_go_makes_it_work_again() {
    let mut desk = Desk::new();
    desk.at(1_000).hears(review(None));
    for ms in (1_660..6_000).step_by(33) {
        assert_eq!(desk.at(ms).enter(), []);
    }
    assert_eq!(desk.at(6_900).enter(), sent());
}

#[test]
fn a_tag_that_comes_just_as_enter_is_pressed_is_not_sent() {
    let mut desk = Desk::new();
    desk.at(1_000).hears(Activity::Armed(armed(Modality::Nfc)));
    desk.at(5_000).hears(review(None));
    assert_eq!(desk.enter(), []);
}

#[test]
fn an_addition_that_times_out_as_enter_is_pressed_sends_nothing_without_it() {
    let mut desk = Desk::new();
    desk.at(1_000).hears(review(Some(armed(Modality::Photo))));
    desk.at(31_000).hears(review(None));
    assert_eq!(desk.at(31_100).enter(), []);
    assert_eq!(desk.at(32_000).enter(), sent());
}

#[test]
fn a_change_of_intent_does_not_start_the_wait_anew() {
    let mut desk = Desk::new();
    desk.at(1_000).hears(review(None));
    desk.at(3_000).hears(review(None));
    assert_eq!(desk.enter(), sent());
}
