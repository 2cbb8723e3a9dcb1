//! The table of rules: every rule is named once, belongs to the profile or a reading, and is cited by the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use agentcall::protocol::rules;

/// The sections of the profile.
const SECTIONS: [&str; 7] = [
    "§ Version and migration",
    "§ Discovery",
    "§ WebSocket and WebRTC",
    "§ Session and input",
    "§ Agent-requested collection",
    "§ Security, photos, and exact object lookup",
    "§ Independent reference proof",
];

#[test]
fn every_rule_has_a_name_of_its_own_and_a_place_it_comes_from() {
    let ids: BTreeSet<&str> = rules::ALL.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), rules::ALL.len(), "an id stands twice");
    for rule in rules::ALL {
        assert_eq!(rules::by_id(rule.id), Some(*rule));
        assert!(
            SECTIONS.iter().any(|section| rule.section.starts_with(section)),
            "{}: {}",
            rule.id,
            rule.section
        );
        assert!(rule.text.ends_with('.'), "{}: {}", rule.id, rule.text);
    }
}

#[test]
fn every_rule_is_cited_by_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table = fs::read_to_string(root.join("protocol/rules.rs")).expect("the table");
    let names: Vec<&str> = table
        .lines()
        .filter_map(|line| line.trim().split_once(" = \"").map(|(name, _)| name))
        .filter(|name| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        .collect();
    assert_eq!(names.len(), rules::ALL.len(), "the table was read whole");
    let mut code = String::new();
    gather(&root, &mut code);
    let idle: Vec<&&str> = names.iter().filter(|name| !code.contains(&format!("rules::{name}"))).collect();
    assert!(idle.is_empty(), "no code cites {idle:?}");
}

/// Everything under `directory` but tests.
fn gather(directory: &Path, code: &mut String) {
    for entry in fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("tests") {
            continue;
        }
        if path.is_dir() {
            gather(&path, code);
        } else if name.ends_with(".rs") {
            code.push_str(&fs::read_to_string(&path).expect("a source"));
        }
    }
}
