//! Scanning, capturing, reviewing, placing tags, and what losing the focus does.

use super::stage::{Stage, asks, both_review, photo_review, preview, tag_review};
use crate::app::{Effect, Message, Mode, Pane};
use crate::client::notice::{Activity, Line, LineKind, TagName};
use crate::client::request::{Aim, Orient};
use crate::client::{Notice, Request};
use crate::protocol::Modality;

fn stage() -> Stage {
    Stage::live(120, 40)
}

#[test]
fn one_press_arms_one_collection_answering_or_not() {
    let mut stage = stage();
    assert_eq!(stage.press("s"), asks(Request::ArmScan(Aim::Answering)));
    assert_eq!(stage.press("S"), asks(Request::ArmScan(Aim::Unrelated)));
    assert_eq!(stage.press("c"), asks(Request::ArmCapture(Aim::Answering)));
    assert_eq!(stage.press("C"), asks(Request::ArmCapture(Aim::Unrelated)));
}

#[test]
fn enter_means_nothing_to_the_engine_while_nothing_is_armed() {
    let mut stage = stage();
    assert_eq!(stage.press("Enter n b [ ] | P"), Vec::new());
}

#[test]
fn an_armed_reader_stops_on_esc_and_takes_a_tag_from_the_picker() {
    let mut stage = stage();
    let armed = stage.armed(Modality::Nfc, true);
    stage.physical(Activity::Armed(armed));
    assert_eq!(stage.press("n"), asks(Request::NextIntent));
    stage.press("p Down");
    assert_eq!(stage.press("Enter"), asks(Request::PlaceTag("/tags/router.ndef".to_owned())));
    assert_eq!(stage.press("Esc"), asks(Request::Disarm));
}

#[test]
fn aiming_shutter_and_turning() {
    let mut stage = stage();
    let armed = stage.armed(Modality::Photo, false);
    stage.physical(Activity::Armed(armed));
    assert_eq!(stage.press("["), asks(Request::Orient(Orient::Left)));
    assert_eq!(stage.press("]"), asks(Request::Orient(Orient::Right)));
    assert_eq!(stage.press("|"), asks(Request::Orient(Orient::Mirror)));
    assert_eq!(stage.press("Enter"), asks(Request::Shutter));
}

#[test]
fn a_review_is_sent_by_enter_and_dropped_by_esc() {
    let mut stage = stage();
    stage.reviews(tag_review(), None);
    assert_eq!(stage.press("n"), asks(Request::NextIntent));
    assert_eq!(stage.press("b"), asks(Request::AddOther));
    assert_eq!(stage.press("Enter"), asks(Request::SendReviewed));
    assert_eq!(stage.press("Esc"), asks(Request::DropReviewed));
    stage.reviews(photo_review(), None);
    assert_eq!(stage.press("["), asks(Request::Orient(Orient::Left)));
}

#[test]
fn a10_insisting_has_a_key_and_a_review_that_withholds_shows_no_reference() {
    let mut stage = stage();
    let mut review = tag_review();
    if let Some(tag) = &mut review.tag {
        tag.name = TagName::Withheld;
    }
    stage.reviews(review.clone(), None);
    let sends = |stage: &Stage| {
        let review = stage.model.physical.activity.review().expect("a review");
        review.sends.iter().map(|(label, value)| format!("{label} {value}")).collect::<Vec<_>>()
    };
    assert_eq!(sends(&stage), ["objectRef none: this tag has no stable identity, its ID is random"]);
    assert_eq!(stage.press("a"), asks(Request::Insist));
    if let Some(tag) = &mut review.tag {
        tag.name = TagName::Insisted;
    }
    stage.reviews(review, None);
    let sends = sends(&stage);
    assert!(
        sends[0].starts_with("objectRef urn:") && sends[3].starts_with("names this tap alone"),
        "{sends:?}"
    );
}

#[test]
fn a_passport_is_attached_by_its_path() {
    let mut stage = stage();
    stage.reviews(tag_review(), None);
    stage.press("P");
    stage.types("/tmp/router.json");
    assert_eq!(stage.press("Enter"), asks(Request::AttachPassport("/tmp/router.json".to_owned())));
}

#[test]
fn a_review_shows_every_fact_of_a_passport_whole() {
    let mut stage = stage();
    let mut review = tag_review();
    let owner = "o".repeat(300);
    review.passport =
        Some(serde_json::json!({"schemaVersion": "0.1", "title": "Router", "location": {"room": "B 12"},
        "owner": owner, "links": [{"name": "manual"}, {"name": "parts"}], "spare": true}));
    stage.reviews(review, None);
    let facts = stage.model.physical.activity.review().expect("a review").clone();
    let sent: Vec<String> = facts
        .sends
        .iter()
        .skip_while(|(label, _)| *label != "passport")
        .map(|(_, fact)| fact.to_string())
        .collect();
    assert_eq!(
        sent,
        [
            "schemaVersion: 0.1",
            "title: Router",
            "location.room: B 12",
            &format!("owner: {owner}"),
            "links[0].name: manual",
            "links[1].name: parts",
            "spare: true",
        ]
    );
}

#[test]
fn while_the_other_is_added_esc_stops_the_device_and_enter_is_its_shutter() {
    let mut stage = stage();
    let armed = stage.armed(Modality::Photo, false);
    stage.reviews(tag_review(), Some(armed));
    assert_eq!(stage.press("Enter"), asks(Request::Shutter));
    assert_eq!(stage.press("Esc"), asks(Request::Disarm));
    stage.reviews(both_review(), None);
    assert_eq!(stage.press("Enter"), asks(Request::SendReviewed));
}

#[test]
fn what_is_reviewed_is_not_sent_by_an_enter_meant_for_a_field() {
    let mut stage = stage();
    stage.press("i");
    stage.reviews(tag_review(), None);
    assert_eq!(stage.press("Enter"), Vec::new());
    stage.press("Esc");
    assert_eq!(stage.press("Enter"), asks(Request::SendReviewed));
}

#[test]
fn what_the_camera_sees_is_kept_only_while_aiming() {
    let mut stage = stage();
    stage.notice(Notice::Preview(preview()));
    assert!(stage.model.preview.is_none(), "a late frame is not shown");
    let armed = stage.armed(Modality::Photo, false);
    stage.physical(Activity::Armed(armed));
    stage.notice(Notice::Preview(preview()));
    assert!(stage.model.preview.is_some());
    stage.physical(Activity::Preparing(Modality::Photo));
    assert!(stage.model.preview.is_none());
}

#[test]
fn the_picker_takes_a_name_a_path_or_an_id() {
    for (typed, placed) in [
        ("rout", "/tags/router.ndef"),
        ("/home/me/tag.nfc", "/home/me/tag.nfc"),
        ("my.ndef", "my.ndef"),
        ("uid=04A1B2C3D4E5F6", "uid=04A1B2C3D4E5F6"),
    ] {
        let mut stage = stage();
        stage.press("p");
        stage.types(typed);
        assert_eq!(stage.press("Enter"), asks(Request::PlaceTag(placed.to_owned())), "{typed}");
        assert!(matches!(stage.model.mode, Mode::Panes));
    }
}

#[test]
fn a_mistyped_path_is_not_typed_again() {
    let failed = |text: &str| Notice::Failed(line(LineKind::Device, text));
    let mut stage = stage();
    stage.press("p");
    stage.types("/tags/ruoter.ndef");
    stage.press("Enter");
    stage.notice(failed("Cannot read the tag file."));
    let Mode::Picker(editor, 0) = &stage.model.mode else { panic!("{:?}", stage.model.mode) };
    assert_eq!(editor.text(), "/tags/ruoter.ndef");
    assert!(stage.model.status.is_some(), "the reason is on the screen");
    assert_eq!(stage.press("Enter"), asks(Request::PlaceTag("/tags/ruoter.ndef".to_owned())));
    stage.notice(Notice::Info(line(LineKind::Info, "Placed on the simulated reader.")));
    stage.notice(failed("Something else."));
    assert!(matches!(stage.model.mode, Mode::Panes), "what was taken is not asked again");
    stage.press("p");
    stage.types("/none");
    stage.press("Enter i");
    stage.notice(failed("Cannot read the tag file."));
    assert!(matches!(stage.model.mode, Mode::Typing), "nobody is interrupted");
}

fn line(kind: LineKind, text: &str) -> Line {
    Line { at: std::time::Duration::ZERO, kind, text: text.to_owned(), hint: None }
}

#[test]
fn where_real_readers_are_chosen_no_tag_can_be_placed_and_that_is_said_at_once() {
    let mut stage = Stage::live(120, 40);
    stage.real_readers(&[("ACS ACR122U PICC", None)]);
    assert_eq!(stage.press("p"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Panes));
    let said = stage.model.status.as_ref().map(|status| status.text.to_string()).unwrap_or_default();
    assert_eq!(said, "Tags are placed only on the simulated reader; choose it with --reader simulated");
}

#[test]
fn the_picker_stays_within_its_list() {
    let mut stage = stage();
    stage.press("p Down Down Down Down Up");
    assert_eq!(stage.press("Enter"), asks(Request::PlaceTag("/tags/kettle.bin".to_owned())));
}

#[test]
fn losing_the_focus_is_told_at_once() {
    let mut stage = stage();
    let effects = stage.model.update(Message::Focus(false));
    assert_eq!(effects, vec![Effect::Ask(Request::Foreground(false))]);
}

#[test]
fn a_narrow_screen_brings_what_is_armed_to_the_front_and_goes_back() {
    let mut stage = Stage::live(60, 16);
    let armed = stage.armed(Modality::Nfc, false);
    stage.physical(Activity::Armed(armed));
    assert_eq!(stage.model.pane, Pane::Physical);
    stage.reviews(tag_review(), None);
    stage.physical(Activity::Idle);
    assert_eq!(stage.model.pane, Pane::Talk);
}

#[test]
fn whoever_looks_elsewhere_meanwhile_is_not_moved() {
    let mut stage = Stage::live(60, 16);
    let armed = stage.armed(Modality::Nfc, false);
    stage.physical(Activity::Armed(armed));
    stage.press("2");
    stage.physical(Activity::Idle);
    assert_eq!(stage.model.pane, Pane::Events);
}
