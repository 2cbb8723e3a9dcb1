use proptest::prelude::*;
use serde_json::json;

use super::samples;
use crate::protocol::dialect::{Dialect, InteractionIdPlace};
use crate::protocol::{ClientMessage, Modalities};

#[test]
fn the_default_dialect_changes_nothing() {
    for message in samples::messages() {
        assert_eq!(message.encode(&Dialect::default()), serde_json::to_value(&message).unwrap());
    }
}

#[test]
fn each_open_name_moves_on_the_wire() {
    let dialect = Dialect {
        audio_turn_control: "turns".to_owned(),
        audio_turn_start: "audio.start".to_owned(),
        image_media_type: "mime".to_owned(),
        image_data: "base64".to_owned(),
        interaction_id: InteractionIdPlace::Observation,
        carrier_ndef: "ndefUri".to_owned(),
        context: "facts".to_owned(),
        ..Dialect::default()
    };
    let wire: Vec<_> = samples::messages().iter().map(|m| m.encode(&dialect)).collect();
    for (case, message, pointer, value) in [
        ("R4", 0, "/clientCapabilities/turns/mode", json!("explicit")),
        ("R5", 6, "/type", json!("audio.start")),
        ("R6", 2, "/observation/image/mime", json!("image/jpeg")),
        ("R7", 2, "/observation/interactionId", json!("ix-1")),
        ("R8", 2, "/observation/object/carrier", json!("ndefUri")),
        ("R22", 1, "/facts/0/description", json!("physical focus")),
    ] {
        assert_eq!(wire[message].pointer(pointer), Some(&value), "{case}");
    }
    assert!(wire[2].pointer("/observation/image/base64").is_some_and(serde_json::Value::is_string));
    assert_eq!(wire[2].pointer("/interactionId"), None);
}

#[test]
fn two_names_may_be_swapped() {
    let dialect = Dialect {
        image_media_type: "data".to_owned(),
        image_data: "mediaType".to_owned(),
        ..Dialect::default()
    };
    assert_eq!(dialect.problem(), None);
    let message = ClientMessage::UserObservation(samples::shown());
    let wire = message.encode(&dialect);
    assert_eq!(wire.pointer("/observation/image/data"), Some(&json!("image/jpeg")));
    assert_eq!(ClientMessage::decode(&wire.to_string(), &dialect).unwrap().message, message);
}

#[test]
fn a_foreign_member_under_a_default_name_gives_way() {
    let dialect = Dialect { image_data: "base64".to_owned(), ..Dialect::default() };
    let message = ClientMessage::UserObservation(samples::shown());
    for first in [true, false] {
        let mut wire = message.encode(&dialect);
        let image = wire.pointer_mut("/observation/image").and_then(|i| i.as_object_mut()).unwrap();
        if first {
            image.shift_insert(0, "data".to_owned(), json!("not ours"));
        } else {
            image.insert("data".to_owned(), json!("not ours"));
        }
        assert_eq!(ClientMessage::decode(&wire.to_string(), &dialect).unwrap().message, message);
    }
}

#[test]
fn a_dialect_that_cannot_work_says_why() {
    let default = Dialect::default;
    for (dialect, problem) in [
        (default(), None),
        (Dialect { image_data: "sha256".to_owned(), ..default() }, Some("\"sha256\" in image is used twice")),
        (
            Dialect { image_data: "mediaType".to_owned(), ..default() },
            Some("\"mediaType\" in image is used twice"),
        ),
        (Dialect { context: String::new(), ..default() }, Some("a name in user.turn is empty")),
        (Dialect { context: "text".to_owned(), ..default() }, Some("\"text\" in user.turn is used twice")),
        (
            Dialect { carrier_ndef: "localTag".to_owned(), ..default() },
            Some("\"localTag\" in the carriers is used twice"),
        ),
        (
            Dialect { audio_turn_start: "ack".to_owned(), ..default() },
            Some("\"ack\" in the message types is used twice"),
        ),
        (
            Dialect { explicit_turns_at: vec!["agui".to_owned()], ..default() },
            Some("\"agui\" is not a JSON pointer: it has to begin with /"),
        ),
    ] {
        assert_eq!(dialect.problem().as_deref(), problem);
    }
}

prop_compose! {
    fn any_dialect()(names in proptest::collection::vec("[a-z][a-zA-Z.]{0,12}", 8), inside in any::<bool>()) -> Dialect {
        let mut names = names.into_iter();
        let mut next = || names.next().unwrap();
        Dialect {
            audio_turn_control: next(), audio_turn_start: next(), audio_turn_commit: next(),
            audio_turn_cancel: next(), image_media_type: next(), image_data: next(), carrier_ndef: next(),
            context: next(),
            interaction_id: if inside { InteractionIdPlace::Observation } else { InteractionIdPlace::Message },
            ..Dialect::default()
        }
    }
}

proptest! {
    #[test]
    fn what_goes_out_in_any_dialect_comes_back_in_it(dialect in any_dialect().prop_filter("usable", |d| d.problem().is_none())) {
        for message in samples::messages() {
            let wire = message.encode(&dialect);
            let mut back = wire.clone();
            dialect.incoming(&mut back);
            prop_assert_eq!(&back, &serde_json::to_value(&message).unwrap());
            let read = ClientMessage::decode(&wire.to_string(), &dialect).unwrap().message;
            prop_assert!(read.check(Modalities::BOTH).is_ok());
            prop_assert_eq!(read, message);
        }
    }
}
