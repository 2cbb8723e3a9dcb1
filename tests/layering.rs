//! Holds the levels of ARCHITECTURE.md: a module imports only what stands below it, siblings never import each
//! other, and what is called pure touches neither clock, network, files nor runtime.

use std::fs;
use std::path::{Path, PathBuf};

/// Top-level modules and their levels.
const LEVELS: &[(&str, u8)] = &[
    ("units", 0),
    ("safe_text", 0),
    ("redact", 0),
    ("protocol", 1),
    ("net", 1),
    ("media", 1),
    ("picture", 1),
    ("session", 2),
    ("observation", 2),
    ("discovery", 2),
    ("transport", 2),
    ("device", 2),
    ("agent", 2),
    ("trace", 2),
    ("config", 3),
    ("client", 3),
    ("command", 4),
    ("app", 5),
    ("scenario", 5),
    ("conformance", 5),
    ("tui", 6),
    ("cli", 7),
];

/// What a module may not mention in its code at all.
const BANNED: &[(&str, &[&str])] = &[
    ("protocol", PURE),
    ("session", PURE),
    ("observation", PURE),
    ("picture", PURE),
    ("app", &["tokio", "ratatui", "crossterm"]),
    ("command", &["tokio", "ratatui", "crossterm"]),
    ("agent", &["crate::session", "crate::client"]),
];

const PURE: &[&str] =
    &["tokio", "std::fs", "std::net", "std::process", "Instant::now", "SystemTime", "Timestamp::now"];

fn level(module: &str) -> Option<u8> {
    LEVELS.iter().find(|(name, _)| *name == module).map(|(_, level)| *level)
}

/// Every `.rs` file under `dir`.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("src can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The source without comments and string literals, so that words about code are not taken for code.
fn code(source: &str) -> String {
    let mut out = String::new();
    for line in source.lines() {
        let mut in_string = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if in_string => drop(chars.next()),
                '"' => in_string = !in_string,
                '/' if !in_string && chars.peek() == Some(&'/') => break,
                _ if !in_string => out.push(c),
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

/// The top-level modules that a piece of code reaches through `crate::`.
fn reached(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            modules.extend(first_names(group));
        } else {
            modules.push(name(rest));
        }
    }
    modules
}

/// The first names inside `{a, b::{c, d}, e}`.
fn first_names(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut expect) = (0, Vec::new(), true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expect = true,
            _ if expect && (c.is_alphanumeric() || c == '_') => {
                names.push(name(&group[at..]));
                expect = false;
            }
            _ => {}
        }
    }
    names
}

fn name(rest: &str) -> String {
    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Whether the file holds tests only: it may read assets and clocks, its imports keep to the levels all the same.
fn is_test(path: &Path) -> bool {
    let words = |part: std::path::Component<'_>| part.as_os_str().to_string_lossy().into_owned();
    path.components().map(words).any(|part| part == "tests" || part.ends_with("tests.rs"))
}

/// What is wrong with a file of `module`.
fn violations(module: &str, source: &str, is_test: bool) -> Vec<String> {
    let own = level(module).unwrap_or(u8::MAX);
    let code = code(source);
    let mut wrong = Vec::new();
    for other in reached(&code) {
        match level(&other) {
            Some(theirs) if other != module && theirs >= own => {
                wrong.push(format!("{module} (level {own}) reaches {other} (level {theirs})"));
            }
            _ => {}
        }
    }
    for (_, words) in BANNED.iter().filter(|(name, _)| !is_test && *name == module) {
        for word in words.iter().filter(|word| code.contains(**word)) {
            wrong.push(format!("{module} mentions {word}"));
        }
    }
    wrong
}

fn module_of(path: &Path, src: &Path) -> Option<String> {
    let first = path.strip_prefix(src).ok()?.components().next()?.as_os_str().to_str()?;
    let name = first.trim_end_matches(".rs");
    (!matches!(name, "lib" | "main")).then(|| name.to_owned())
}

#[test]
fn every_file_keeps_to_its_level() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&src);
    assert!(files.len() > 50, "found only {} files", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let Some(module) = module_of(&path, &src) else { continue };
        assert!(level(&module).is_some(), "{module} has no level; put it into the table and ARCHITECTURE.md");
        let source = fs::read_to_string(&path).expect("a source file is text");
        let place = path.strip_prefix(&src).expect("it lies in src").display().to_string();
        wrong.extend(
            violations(&module, &source, is_test(path.strip_prefix(&src).unwrap_or(&path)))
                .into_iter()
                .map(|v| format!("src/{place}: {v}")),
        );
    }
    assert!(wrong.is_empty(), "the levels are broken:\n{}", wrong.join("\n"));
}

fn found(module: &str, source: &str) -> Vec<String> {
    violations(module, source, false)
}

#[test]
fn a_violation_is_found_in_every_form() {
    assert_eq!(found("protocol", "use crate::session::Session;").len(), 1, "upwards");
    assert_eq!(found("device", "use crate::{units, observation::{ndef, alias}};").len(), 1, "in a group");
    assert_eq!(found("device", "use crate::{\n    picture,\n    transport,\n};").len(), 1, "over lines");
    assert_eq!(found("session", "fn f() { crate::transport::open() }").len(), 1, "in a path");
    assert_eq!(found("app", "use ratatui::Frame;").len(), 1, "a banned crate");
    assert_eq!(found("agent", "use crate::session::Session;").len(), 2, "agent and session");
    assert_eq!(found("session", "let now = Instant::now();").len(), 1, "a clock");
}

#[test]
fn words_about_code_are_no_code() {
    assert!(
        found("session", "/// See [`crate::client`] and tokio.\nlet x = \"crate::cli\"; // ratatui")
            .is_empty()
    );
    assert!(found("client", "use crate::{session, units::Turn};").is_empty(), "downwards");
}
