//! The annotated default configuration against the parts that use it.
#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot be")]

use agentcall::command::Keymap;
use agentcall::config::{DEFAULT_FILE, Environment, Layer, resolve};
use agentcall::net::Timeouts;
use agentcall::transport::websocket;

/// The settings of the annotated default, with what it shows in comments under `[keys]` in force.
fn settings() -> agentcall::config::Settings {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("config.toml");
    let (head, keys) = DEFAULT_FILE.split_once("[keys]\n").unwrap();
    std::fs::write(&file, format!("{head}[keys]\n{}", keys.trim_start_matches("# "))).unwrap();
    resolve(Some(&file), &Environment::default(), Layer::default()).unwrap()
}

#[test]
fn the_shown_keys_are_commands_and_free() {
    let settings = settings();
    assert!(!settings.keys.is_empty(), "it shows one");
    let overrides = settings.keys.iter().map(|(id, key)| (id.as_str(), key.as_str()));
    Keymap::with(overrides).unwrap();
}

#[test]
fn the_times_are_those_of_the_parts() {
    let settings = settings();
    let websocket = websocket::Options::default();
    assert_eq!(settings.ping_every.0, websocket.ping_every);
    assert_eq!(settings.dead_after.0, websocket.dead_after);
    assert_eq!(settings.connect_within.0, Timeouts::default().connect);
}
