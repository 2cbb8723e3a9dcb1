//! The grammar: what a line means, and what a wrong line says.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use crate::client::request::{Aim, Observe};
use crate::protocol::observation::Intent;
use crate::scenario::{Action, Expectation, VERBS, What, parse};

/// The one step of `line`, in a file beside which paths are looked for.
fn step(line: &str) -> Action {
    let scenario = parse("bench/demo.agentcall", line).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.steps.len(), 1);
    scenario.steps[0].action.clone()
}

fn observed(line: &str) -> Observe {
    match step(line) {
        Action::Observe { observe, .. } => observe,
        other => panic!("{other:?}"),
    }
}

fn expected(what: What) -> Expectation {
    Expectation { what, absent: false, within: None }
}

#[test]
fn the_text_of_a_turn_is_taken_as_it_stands() {
    for (line, text) in [
        ("say hello", "hello"),
        ("  say   teach object  Workshop router  ", "teach object  Workshop router"),
        (r#"say what is "this"?"#, r#"what is "this"?"#),
        ("say ticket #5, please", "ticket #5, please"),
        ("say hello # a comment", "hello"),
        (r##"say "quoted # text""##, "quoted # text"),
        (r#"say "a \"b\" \\ \n \t \u{e9}""#, "a \"b\" \\ \n \t é"),
        ("say it's 7 o'clock", "it's 7 o'clock"),
    ] {
        assert_eq!(step(line), Action::Say(text.to_owned()), "{line}");
    }
}

#[test]
fn tags_and_pictures_are_looked_for_beside_the_scenario() {
    let plain = Observe {
        tag: None,
        picture: None,
        intent: Intent::Identify,
        aim: Aim::Answering,
        passport: None,
        insist: false,
    };
    let own = |path: &str| Some(path.to_owned());
    assert_eq!(observed("scan tag:router.ndef"), Observe { tag: own("bench/router.ndef"), ..plain.clone() });
    assert_eq!(observed("scan tag:/x/a.bin"), Observe { tag: own("/x/a.bin"), ..plain.clone() });
    assert_eq!(observed("scan tag:uid=04A1B2C3"), Observe { tag: own("uid=04A1B2C3"), ..plain.clone() });
    let insisted = Observe { tag: own("uid=080E6459"), insist: true, ..plain.clone() };
    assert_eq!(observed("scan tag:uid=080E6459 insist"), insisted);
    assert_eq!(observed("scan reader:\"My reader\""), Observe { tag: own(""), ..plain.clone() });
    assert_eq!(observed("capture camera:front"), Observe { picture: own(""), ..plain.clone() });
    assert_eq!(
        observed("capture file:\"my desk.png\" unrelated intent=inspect"),
        Observe {
            picture: own("bench/my desk.png"),
            aim: Aim::Unrelated,
            intent: Intent::Inspect,
            ..plain.clone()
        }
    );
    assert_eq!(
        observed("observe tag:router.ndef file:desk.png intent=remember passport:p.json"),
        Observe {
            tag: own("bench/router.ndef"),
            picture: own("bench/desk.png"),
            intent: Intent::Remember,
            passport: own("bench/p.json"),
            ..plain
        }
    );
}

#[test]
fn a_scenario_uses_one_reader_and_one_camera() {
    let text = "scan reader:\"A b\"\ncapture camera:C\nobserve reader:\"A b\" camera:C";
    let scenario = parse("x", text).expect("it is read");
    assert_eq!((scenario.reader.as_deref(), scenario.camera.as_deref()), (Some("A b"), Some("C")));
    assert!(parse("x", "scan reader:A\nscan reader:B").is_err());
}

#[test]
fn expectations_name_what_and_how_long() {
    let text = |t: &str| What::Text(t.to_owned());
    for (line, expectation) in [
        ("expect text \"do not know\"", expected(text("do not know"))),
        ("expect text Hi", expected(text("Hi"))),
        ("expect event run.completed", expected(What::Event("run.completed".to_owned()))),
        ("expect failure", expected(What::Failure(None))),
        ("expect failure busy", expected(What::Failure(Some("busy".to_owned())))),
        ("expect finding ENV-2", expected(What::Finding("ENV-2"))),
        (
            "expect event run.completed within 5s",
            Expectation {
                within: Some(Duration::from_secs(5)),
                ..expected(What::Event("run.completed".to_owned()))
            },
        ),
        (
            "expect failure within 1.5s",
            Expectation { within: Some(Duration::from_millis(1_500)), ..expected(What::Failure(None)) },
        ),
        ("expect no failure", Expectation { absent: true, ..expected(What::Failure(None)) }),
        (
            "expect no text \"no\" within 2m",
            Expectation { absent: true, within: Some(Duration::from_secs(120)), ..expected(text("no")) },
        ),
    ] {
        assert_eq!(step(line), Action::Expect(expectation), "{line}");
    }
}

#[test]
fn comments_and_empty_lines_are_no_steps_and_lines_keep_their_numbers() {
    let text = "\u{feff}# a scenario\n\n  # more\r\ncancel # now\r\n\twait 500ms\nend\n";
    let scenario = parse("x", text).expect("it is read");
    let lines: Vec<(usize, &str)> = scenario.steps.iter().map(|s| (s.line, s.action.verb())).collect();
    assert_eq!(lines, [(4, "cancel"), (5, "wait"), (6, "end")]);
}

#[test]
fn a_wrong_line_says_where_and_what_was_expected() {
    let wrong = [
        "",
        "shout hello",
        "say",
        "say   # nothing",
        "say \"open",
        "say \"a\" b",
        "say \"a \\q\"",
        "scan",
        "scan tag:",
        "scan router.ndef",
        "scan tag:a tag:b",
        "scan tag:a intent=buy",
        "scan tag:a #comment",
        "scan file:a.png",
        "scan tag:uid=04A1B2C3D4E5F6 intent=buy",
        "scan uid=04A1B2C3D4E5F6",
        "capture tag:a",
        "capture file:a passport:b",
        "observe tag:a",
        "expect",
        "expect no",
        "expect silence",
        "expect text",
        "expect text do not know",
        "expect event",
        "expect finding ENV-99",
        "expect failure busy within",
        "expect failure busy within soon",
        "wait",
        "wait 500",
        "wait 5h",
        "wait 9999999999s",
        "wait 1s 2s",
        "cancel now",
        "end\nsay more",
    ];
    let said = wrong.map(|text| match parse("demo.agentcall", text) {
        Err(error) => error.to_string(),
        Ok(scenario) => panic!("{text:?} was read as {scenario:?}"),
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_tag_id_is_never_repeated() {
    for text in ["scan tag:uid=04A1B2C3D4E5F6 buy", "scan tag:a \"uid=04 A1 B2\"", "uid=04A1B2C3D4E5F6"] {
        let error = parse("x", text).expect_err("it is wrong");
        let all = format!("{error} {error:?}").to_uppercase();
        assert!(!all.contains("04A1") && !all.contains("04 A1"), "{all}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_stumble(text in "(say|scan|expect|wait|observe|#|tag:|uid=|\"|\\\\|[ \n\t]|[a-zé#=:]){0,30}") {
        match parse("x", &text) {
            Ok(scenario) => prop_assert!(!scenario.steps.is_empty()),
            Err(error) => {
                let shown = error.to_string();
                prop_assert!(error.column <= error.shown.chars().count() + 1, "{shown}");
            }
        }
    }

    #[test]
    fn what_is_quoted_is_said(text in "[ -~é\n\t]{1,40}") {
        prop_assume!(!text.trim().is_empty());
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
        let scenario = parse("x", &format!("say \"{escaped}\""));
        prop_assert_eq!(scenario.map(|s| s.steps[0].action.clone()), Ok(Action::Say(text)));
    }
}

/// What a person can do with a key, a script can do with a verb, and the other way round; only what watches has no
/// key.
#[test]
fn the_verbs_are_those_of_the_registry() {
    let of_registry: BTreeSet<&str> = crate::command::ALL.iter().filter_map(|command| command.verb).collect();
    let acting: BTreeSet<&str> =
        VERBS.iter().copied().filter(|verb| !matches!(*verb, "expect" | "wait" | "hear")).collect();
    assert_eq!(of_registry, acting);
}

#[test]
fn every_verb_is_read() {
    let text = "say x\ntalk file:a\nhear\nscan tag:a\ncapture file:a\nobserve tag:a file:b\nexpect failure\ncancel\nwait 1s\nend";
    let scenario = parse("x", text).unwrap_or_else(|error| panic!("{error}"));
    let verbs: Vec<&str> = scenario.steps.iter().map(|step| step.action.verb()).collect();
    assert_eq!(verbs, VERBS);
}

#[test]
fn a_slip_of_the_keyboard_does_not_give_an_id_away() {
    for line in [
        "scan tag:uid= 04A1B2C3D4E5F6",
        "scan tag:UID =04A1B2C3D4E5F6",
        "scan tag:uid=04 A1 B2 C3",
        "scan 04A1B2C3D4E5F6",
        "scan tag:x 04:A1:B2:C3",
        "scan tag:\"uid=04 A1 B2 C3\" x",
    ] {
        let error = parse("s", line).unwrap_err().to_string();
        assert!(!error.contains("A1") && !error.contains("B2") && !error.contains("C3"), "{line}: {error}");
    }
}

#[test]
fn a_long_line_is_not_repeated_whole() {
    let error = parse("s", &"x".repeat(100_000)).unwrap_err().to_string();
    assert!(error.len() < 1_000, "{}", error.len());
    let error = parse("s", &format!("scan {}", "tag:a ".repeat(20_000))).unwrap_err().to_string();
    assert!(error.len() < 1_000, "{}", error.len());
}

#[test]
fn every_example_of_the_table_is_read_and_the_steps_are_the_verbs() {
    use crate::scenario::grammar::{PARTS, STEPS};
    for form in STEPS.iter().chain(PARTS) {
        step(form.example);
    }
    let mut verbs: Vec<&str> = STEPS.iter().filter_map(|f| f.form.split(' ').next()).collect();
    verbs.dedup();
    assert_eq!(verbs, VERBS);
}

#[test]
fn every_wrong_line_of_a_file_is_told() {
    let error = parse("x", "say\ncancel\nshout\nwait soon").unwrap_err();
    assert_eq!((error.line, error.also.iter().map(|e| e.line).collect::<Vec<_>>()), (1, vec![3, 4]));
    let error = parse("x", &"shout\n".repeat(1_000)).unwrap_err();
    assert!(error.also.len() < 10, "a file of something else is not repeated whole");
}

#[test]
fn an_event_that_the_profile_does_not_name_is_noted_unless_it_is_quoted() {
    let notes = |line: &str| parse("x", line).unwrap().notes.join("\n");
    assert!(
        notes("expect event run.complete")
            .contains("x:1: the profile names no event \"run.complete\"; did you mean run.completed?")
    );
    let note = notes("cancel\nexpect no event something");
    assert!(note.starts_with("x:2:") && !note.contains("did you mean"), "{note}");
    assert_eq!(notes("expect event \"run.complete\""), "");
    assert_eq!(notes("expect event run.completed"), "");
}

#[test]
fn the_named_events_are_those_that_are_decoded() {
    use crate::protocol::{Dialect, Envelope, Event};
    for kind in Event::KINDS {
        let text = format!("{{\"sequence\":1,\"event\":{{\"type\":{kind:?}}}}}");
        let unknown = Envelope::decode(&text, &Dialect::default())
            .is_ok_and(|decoded| matches!(decoded.message.event, Event::Unknown { .. }));
        assert!(!unknown, "{kind}");
    }
}
