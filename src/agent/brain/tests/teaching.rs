//! The reference proof (§ Independent reference proof).

use super::*;
use crate::agent::brain::teaching::NotTaught;

#[test]
fn an_object_is_taught_by_proposal_and_confirmation() {
    let script = format!(
        "> scan 1 urn:a
         < {UNKNOWN}
         > say 2 teach object Workshop router
         < {PROPOSED}
         > scan 3 urn:a
         < {UNKNOWN}
         > say 4 confirm object
         < run: I will remember \"Workshop router\" until this session ends.
         > scan 5 urn:a
         < run: This is Workshop router.
         > scan 6 urn:b
         < {UNKNOWN}
         > scan 7 URN:A
         < {UNKNOWN}
         > scan 8 urn:a#
         < {UNKNOWN}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn another_object_drops_the_proposal_and_the_same_one_keeps_it() {
    let script = format!(
        "> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}
         > scan 3 urn:b\n< {UNKNOWN}\n> say 4 confirm object\n< {NO_PROPOSAL}
         > scan 5 urn:a\n< {UNKNOWN}\n> say 6 confirm object\n< {NO_PROPOSAL}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn cancelling_drops_the_proposal() {
    for cancel in ["> say 3 cancel teaching\n< run: The proposal is dropped. Nothing was stored.", "> cancel"]
    {
        let script = format!(
            "> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}
             {cancel}
             > say 4 confirm object\n< {NO_PROPOSAL}"
        );
        Dialogue::open().expect(&script);
    }
}

#[test]
fn a_replacement_needs_its_own_confirmation_and_a_failed_one_confirms_nothing() {
    let script = format!(
        "> scan 1 urn:a\n< {UNKNOWN}
         > say 2 teach object Lathe
         < run: I would remember urn:a as \"Lathe\". Nothing is stored yet. Say \"confirm object\" to store it, or \"cancel teaching\" to drop it.
         > say 3 teach object Workshop router\n< {PROPOSED}
         > say 4 confirm object\n< run: I will remember \"Workshop router\" until this session ends.
         > say 5 confirm object\n< {NO_PROPOSAL}
         > say 6 teach object Drill
         < run: I would remember urn:a as \"Drill\". Nothing is stored yet. Say \"confirm object\" to store it, or \"cancel teaching\" to drop it.
         > say 7 teach object
         < run: Say \"teach object\" and the name to remember. Nothing is proposed now.
         > say 8 confirm object\n< {NO_PROPOSAL}
         > scan 9 urn:a\n< run: This is Workshop router."
    );
    Dialogue::open().expect(&script);
}

#[test]
fn generic_assent_stores_nothing() {
    let mut dialogue = Dialogue::open();
    dialogue
        .expect(&format!("> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}"));
    for (turn, assent) in (3..).zip(["yes", "OK", "Sure!", "do it", "confirm", "yes please."]) {
        dialogue.expect(&format!("> say {turn} {assent}\n< run: {}", words::ASSENT));
    }
    dialogue.expect(&format!("> scan 20 urn:a\n< {UNKNOWN}"));
    dialogue.expect(
        "> say 21 Confirm  object.\n< run: I will remember \"Workshop router\" until this session ends.",
    );
    dialogue.expect(&format!("> say 22 yes\n< run: {}", words::NOTHING_PROPOSED));
}

#[test]
fn teaching_needs_an_object() {
    Dialogue::open().expect(
        "> say 1 teach object Lathe\n< run: Show me the object first. Nothing was proposed.
         > say 2 what is this?\n< run: Nothing has been shown to me yet.",
    );
}

#[test]
fn a_remember_intent_and_a_photo_store_nothing() {
    let mut scan = observation(1, Some("urn:a"), Some(image()), None);
    scan["observation"]["intent"] = json!("remember");
    let mut dialogue = Dialogue::open();
    dialogue.expect(&format!("> {scan}\n< run: {} {}", see(), &UNKNOWN[5..]));
    dialogue.expect(&format!("> say 2 confirm object\n< {NO_PROPOSAL}\n> scan 3 urn:a\n< {UNKNOWN}"));
}

#[test]
fn labels_have_256_characters_and_a_session_32_of_them() {
    let mut dialogue = Dialogue::open();
    let (fits, too_long) = ("ü".repeat(256), "ü".repeat(257));
    dialogue.expect(&format!("> scan 1 urn:0\n< {UNKNOWN}"));
    let unfit = words::not_taught(NotTaught::UnfitLabel);
    dialogue.expect(&format!("> say 2 teach object {too_long}\n< run: {unfit}"));
    let mut turn = 2;
    let mut say = |dialogue: &mut Dialogue, line: String| {
        turn += 1;
        let replies = dialogue.brain.receive(Duration::ZERO, &client(&line.replace('N', &turn.to_string())));
        dialogue.shown(&replies).join("|")
    };
    for n in 0..32 {
        say(&mut dialogue, format!("scan N urn:{n}"));
        say(&mut dialogue, format!("say N teach object {fits}"));
        assert!(say(&mut dialogue, "say N confirm object".into()).starts_with("run: I will remember"));
    }
    say(&mut dialogue, "scan N urn:32".into());
    let full = say(&mut dialogue, "say N teach object one more".into());
    assert_eq!(full, format!("run: {}", words::not_taught(NotTaught::Full)));
    assert!(say(&mut dialogue, "say N confirm object".into()).contains("no proposal"));
    say(&mut dialogue, "scan N urn:7".into());
    say(&mut dialogue, "say N teach object Seven".into());
    say(&mut dialogue, "say N confirm object".into());
    assert_eq!(say(&mut dialogue, "scan N urn:7".into()), "run: This is Seven.");
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let (mut one, mut other) = (Dialogue::open(), Dialogue::open());
    one.expect(&format!("> scan 1 urn:a\n< {UNKNOWN}\n> say 2 teach object Workshop router\n< {PROPOSED}"));
    other.expect(&format!("> scan 1 urn:a\n< {UNKNOWN}\n> say 2 confirm object\n< {NO_PROPOSAL}"));
    one.expect("> say 3 confirm object\n< run: I will remember \"Workshop router\" until this session ends.");
    other.expect(&format!("> scan 3 urn:a\n< {UNKNOWN}"));
}

#[test]
fn other_text_is_said_back_cut_and_without_control_characters() {
    let mut dialogue = Dialogue::open();
    let frame = json!({ "type": "user.turn", "turn": 1, "text": format!("a\u{1b}[2Jb{}", "c".repeat(500)) });
    let replies = dialogue.brain.receive(Duration::ZERO, &frame.to_string());
    let said = dialogue.shown(&replies).join("|");
    assert!(said.starts_with("run: I heard: a[2Jbcc") && said.contains("ccc…\nI know only"), "{said}");
}
