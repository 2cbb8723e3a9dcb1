//! What the documents for engineers say of the repository is so: paths exist, libraries have a reason.
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What stands between backticks in a document, each once.
fn quoted(document: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(document)).expect("every document that is named here exists");
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn spelled_out(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (inner, behind) = rest.split_once('}').unwrap_or((rest, ""));
    inner.split(',').map(|name| format!("{before}{name}{behind}")).collect()
}

/// Whether it names a place in the repository: lower case, with a slash, and nothing that a command or a URL has.
fn is_path(text: &str) -> bool {
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-{},".contains(c);
    text.contains('/') && !text.starts_with(['/', '.']) && !text.contains("..") && text.chars().all(named)
}

fn exists(path: &str) -> bool {
    ["", "src", "tests"].iter().any(|base| {
        let place = root().join(Path::new(base)).join(path);
        place.exists() || place.with_extension("rs").exists()
    })
}

#[test]
fn every_path_that_a_document_names_is_there() {
    let mut checked = 0;
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for path in quoted(document).iter().filter(|text| is_path(text)).flat_map(|text| spelled_out(text)) {
            checked += 1;
            assert!(exists(&path), "{document} names {path}, which is nowhere");
        }
    }
    assert!(checked > 50, "only {checked} paths were found");
}

#[test]
fn every_library_has_a_reason() {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let of = |table: &toml::Table, key: &str| -> Vec<String> {
        table
            .get(key)
            .and_then(toml::Value::as_table)
            .map(|t| t.keys().cloned().collect())
            .unwrap_or_default()
    };
    let targets = manifest.get("target").and_then(toml::Value::as_table).unwrap();
    let targets = targets.values().filter_map(toml::Value::as_table).flat_map(|t| of(t, "dependencies"));
    let libraries: Vec<String> = of(&manifest, "dependencies")
        .into_iter()
        .chain(of(&manifest, "dev-dependencies"))
        .chain(targets)
        .collect();
    let reasons = quoted("docs/decisions.md");
    let names = |library: &String| reasons.contains(library);
    let without: Vec<&String> = libraries.iter().filter(|library| !names(library)).collect();
    assert!(libraries.len() > 40 && without.is_empty(), "docs/decisions.md says nothing of {without:?}");
}
