use proptest::prelude::*;
use serde_json::json;

use crate::protocol::json::{Parsed, parse, parse_bytes};

fn findings(parsed: &Parsed) -> Vec<String> {
    let line =
        |f: &crate::protocol::Finding| format!("{} {}", f.rule.id, f.pointer.as_deref().unwrap_or("-"));
    parsed.findings.iter().map(line).collect()
}

#[test]
fn oddities_are_mended_and_noted() {
    for (case, text, value, noted) in [
        ("plain", r#"{"a":1}"#, json!({"a": 1}), vec![]),
        ("byte order mark", "\u{feff}{\"a\":1}", json!({"a": 1}), vec!["FRAME-5 -"]),
        (
            "duplicate, the last counts",
            r#"{"name":"a","name":"b"}"#,
            json!({"name": "b"}),
            vec!["FRAME-4 /name"],
        ),
        (
            "duplicate deep inside",
            r#"{"x":[0,{"a/b":1,"a/b":2}]}"#,
            json!({"x": [0, {"a/b": 2}]}),
            vec!["FRAME-4 /x/1/a~1b"],
        ),
        ("lone high half", r#""a\ud83d""#, json!("a\u{fffd}"), vec!["FRAME-6 -"]),
        ("lone low half", r#""\ude00b""#, json!("\u{fffd}b"), vec!["FRAME-6 -"]),
        ("halves the wrong way round", r#""\ude00\ud83d""#, json!("\u{fffd}\u{fffd}"), vec!["FRAME-6 -"]),
        ("high half, then another pair", r#""\ud83d\ud83d\ude00""#, json!("\u{fffd}😀"), vec!["FRAME-6 -"]),
        ("a good pair", r#""\ud83d\ude00""#, json!("😀"), vec![]),
        ("an escaped backslash before ud83d", r#""\\ud83d""#, json!("\\ud83d"), vec![]),
        ("a bracket inside a string does not nest", r#""[[[[\"[[[""#, json!("[[[[\"[[["), vec![]),
        ("a large number", "18446744073709551615", json!(u64::MAX), vec![]),
    ] {
        let parsed = parse(text).unwrap_or_else(|finding| panic!("{case}: {finding}"));
        assert_eq!(
            (&parsed.value, findings(&parsed)),
            (&value, noted.iter().map(|s| s.to_string()).collect()),
            "{case}"
        );
    }
}

#[test]
fn what_is_not_one_json_value_is_refused_with_the_place() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for (case, text, rule, detail) in [
        ("nothing", "", "FRAME-3", "the text ends"),
        ("cut", r#"{"a":"#, "FRAME-3", "column 5"),
        ("trailing NUL", "{}\0", "FRAME-3", "trailing characters at line 1 column 3"),
        ("a second object", "{} {}", "FRAME-3", "trailing characters at line 1 column 4"),
        ("a second byte order mark", "\u{feff}\u{feff}{}", "FRAME-3", "expected value"),
        ("not JSON", "hello", "FRAME-3", "expected value at line 1 column 1"),
        ("number out of range", "1e999", "FRAME-3", "number out of range"),
        ("200 nested", &deep, "FRAME-7", "65 levels deep"),
    ] {
        let finding = parse(text).expect_err(case);
        assert_eq!(finding.rule.id, rule, "{case}");
        assert!(finding.detail.contains(detail), "{case}: {}", finding.detail);
    }
}

#[test]
fn sixty_four_levels_are_read_and_sixty_five_are_not() {
    let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(parse(&nested(64)).is_ok());
    assert!(parse(&nested(65)).is_err());
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_with_the_place() {
    let finding = parse_bytes(b"{\"a\":\"\xf0\x9f\"}").unwrap_err();
    assert_eq!((finding.rule.id, finding.detail.as_str()), ("FRAME-3", "it is not UTF-8: byte 6 is wrong"));
}

#[test]
fn a_flood_of_duplicates_is_reported_in_bounds() {
    let text = format!("{{{}\"a\":0}}", "\"a\":0,".repeat(20_000));
    let parsed = parse(&text).unwrap();
    assert_eq!(parsed.findings.len(), 16);
    let long = "k".repeat(60_000);
    let parsed = parse(&format!("{{\"{long}\":1,\"{long}\":2}}")).unwrap();
    assert!(parsed.findings[0].pointer.as_ref().is_some_and(|p| p.chars().count() <= 257));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_json_like_text_makes_it_panic(text in r#"[\[\]{}",:\\u0-9a-fdDeE \u{feff}-]{0,80}"#) {
        let _ = parse(&text);
    }

    #[test]
    fn what_serde_writes_is_read_back_without_a_finding(names in proptest::collection::btree_map(any::<String>(), any::<i64>(), 0..8)) {
        let value = serde_json::to_value(&names).unwrap();
        let parsed = parse(&value.to_string()).unwrap();
        prop_assert_eq!(parsed, Parsed { value, findings: vec![] });
    }
}
