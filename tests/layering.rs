//! The levels of the crate: a module imports only what stands below it, and siblings never import each
//! other. The table in `src/lib.rs` and ARCHITECTURE.md says it; this test holds it, for tests too.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "layering/paths.rs"]
mod paths;

/// The modules of each level, lowest first.
const LEVELS: &[&[&str]] = &[
    &["units", "files", "safe_text", "redact", "rtp", "tlv", "words"],
    &["protocol", "net", "picture", "media", "call"],
    &["session", "observation", "discovery", "transport", "device", "agent", "trace"],
    &["config", "client"],
    &["command"],
    &["app", "scenario"],
    &["tui"],
    &["cli"],
    &["main"],
];

/// These know neither the world nor the time: no I/O, no clock, no runtime. Their tests may read files.
const PURE: &[&str] = &["protocol", "session", "observation", "picture", "media"];
const IMPURE: &[&str] = &[
    "crate::files",
    "tokio",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "std::time::Instant",
    "std::time::SystemTime",
    "jiff::Timestamp::now",
    "jiff::Zoned::now",
    "Timestamp::now",
    "Zoned::now",
    "Instant::now",
    "SystemTime::now",
];

/// What else a module must not know, and why.
const FORBIDDEN: &[(&str, &[&str], &str)] = &[
    (
        "app",
        &["ratatui", "crossterm", "tokio", "std::fs", "crate::files"],
        "the model knows neither terminal nor runtime, and reads no files",
    ),
    ("command", &["ratatui", "crossterm", "tokio"], "the registry knows neither terminal nor runtime"),
    ("client", &["ratatui", "crossterm"], "the engine knows no terminal"),
];

fn level(module: &str) -> Option<usize> {
    LEVELS.iter().position(|modules| modules.contains(&module))
}

/// Every breach in one source file; `file` is its path below `src`, with `/`.
fn breaches(file: &str, source: &str) -> BTreeSet<String> {
    let own = file.split(['/', '.']).next().unwrap_or_default();
    if own == "lib" {
        return BTreeSet::new();
    }
    let Some(own_level) = level(own) else {
        return BTreeSet::from([format!("src/{file}: `{own}` stands on no level: add it to tests/layering")]);
    };
    let mut found = BTreeSet::new();
    for path in paths::of(source, &module_path(file)) {
        let is = |banned: &&&str| path == **banned || path.starts_with(&format!("{banned}::"));
        if let Some(other) = path.strip_prefix("crate::").and_then(|rest| rest.split("::").next()) {
            match level(other) {
                Some(level) if other == own || level < own_level => {}
                Some(level) => {
                    let why = if level == own_level { "a sibling" } else { "above" };
                    found.insert(format!("src/{file}: `{own}` imports `{path}`, which is {why}"));
                }
                None => {}
            }
        }
        if PURE.contains(&own) && !is_test(file) && IMPURE.iter().any(|banned| is(&banned)) {
            found.insert(format!("src/{file}: `{own}` is pure and must not know `{path}`"));
        }
        for (module, banned, why) in FORBIDDEN {
            if *module == own && banned.iter().any(|banned| is(&banned)) {
                found.insert(format!("src/{file}: `{path}` in `{own}`: {why}"));
            }
        }
    }
    found
}

fn is_test(file: &str) -> bool {
    file.contains("/tests/") || file.ends_with("/tests.rs") || file.ends_with("_tests.rs")
}

/// `protocol/card/mod.rs` is `["protocol", "card"]`.
fn module_path(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    stem.strip_suffix("/mod").unwrap_or(stem).split('/').map(str::to_owned).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the source folder can be read") {
        let path = entry.expect("an entry of the source folder can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_module_imports_only_what_stands_below_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&src);
    assert!(files.len() > 20, "only {} files found", files.len());
    let mut found = BTreeSet::new();
    for file in files {
        let name = file.strip_prefix(&src).expect("it was found there").to_string_lossy().replace('\\', "/");
        found.extend(breaches(&name, &fs::read_to_string(&file).expect("a source file can be read")));
    }
    let list: Vec<String> = found.into_iter().collect();
    assert!(list.is_empty(), "the levels are broken:\n{}", list.join("\n"));
}

#[test]
fn breaches_are_found_in_each_spelling() {
    let broken = [
        ("agent/brain.rs", "use crate::session::Session;"),
        ("agent/brain.rs", "use crate::{units::Turn, client::{self, Engine}};"),
        ("agent/brain.rs", "fn f() -> crate::session::State { todo!() }"),
        ("agent/brain.rs", "use super::super::session::Session;"),
        ("agent/mod.rs", "mod tests {\n    use super::super::session;\n}"),
        ("agent/mod.rs", "pub use agentcall::session as s;"),
        ("client/mod.rs", "use crate::config;"),
        ("units.rs", "use crate::redact::Token;"),
        ("protocol/mod.rs", "use std::{fmt, time::{Duration, Instant}};"),
        ("session/mod.rs", "let now = std::time::SystemTime::now();"),
        ("picture/mod.rs", "use std::fs::File;"),
        ("observation/mod.rs", "let at = Timestamp::now();"),
        ("session/mod.rs", "#[tokio::test] async fn f() {}"),
        ("app/mod.rs", "use ratatui::layout::Rect;"),
        ("command/mod.rs", "use crossterm::event::KeyCode;"),
        ("gadget/mod.rs", ""),
    ];
    for (file, source) in broken {
        assert!(!breaches(file, source).is_empty(), "{file}: {source}");
    }
}

#[test]
fn what_is_allowed_or_only_spoken_of_is_not_a_breach() {
    let sound = [
        ("agent/brain.rs", "use crate::{protocol::{Envelope, card}, units::*, agent::server};"),
        ("agent/brain.rs", "// use crate::session::Session;\n/* crate::client */ /// [`crate::tui`]"),
        (
            "agent/brain.rs",
            "let s = \"crate::session\"; let r = r#\"crate::\"client\"#; let c = '\"'; let d = 'a';",
        ),
        ("protocol/mod.rs", "mod tests { use super::client::ClientMessage; }"),
        ("session/mod.rs", "use std::{fmt, time::Duration}; // Instant::now()"),
        ("tui/mod.rs", "use crate::app::Model; use ratatui::Frame;"),
        ("main.rs", "fn main() { agentcall::cli::main() }"),
        ("lib.rs", "pub mod session;"),
    ];
    for (file, source) in sound {
        assert_eq!(breaches(file, source), BTreeSet::new(), "{file}: {source}");
    }
}
