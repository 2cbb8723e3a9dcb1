//! The file: the annotated default, and what a wrong line says.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{defaults, settled};
use crate::config::file::read_text as parse;
use crate::config::{CommandLine, DEFAULT_FILE, EnvName, KEYS, Layer, Settings, docs, file};
use crate::protocol::dialect::InteractionIdPlace;

/// The values alone, without their origins.
fn values(settings: &Settings) -> Vec<(&'static str, String)> {
    settings.explain().into_iter().map(|(key, value, _)| (key, value)).collect()
}

#[test]
fn the_annotated_default_is_the_default() {
    let annotated = settled(DEFAULT_FILE, &[], Layer::default()).expect("it is read");
    assert_eq!(values(&annotated), values(&defaults()));
    assert_eq!(annotated.dialect.value, defaults().dialect.value);
    assert_eq!(annotated.keys.value, defaults().keys.value);
}

#[test]
fn the_annotated_default_mentions_every_key_once() {
    let named = |line: &str| {
        let (key, _) = line.strip_prefix("# ").unwrap_or(line).split_once(" = ")?;
        key.chars().all(|c| c.is_ascii_lowercase() || c == '_').then(|| key.to_owned())
    };
    let (top, rest) = DEFAULT_FILE.split_once("\n[keys]").expect("it has keys");
    let (_, dialect) = rest.split_once("\n[dialect]").expect("it has a dialect");
    let mut mentioned: Vec<String> = top.lines().filter_map(named).collect();
    let mut keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    mentioned.sort();
    keys.sort_unstable();
    assert_eq!(mentioned, keys);
    let mentioned: Vec<String> = dialect.lines().filter_map(named).collect();
    let names: Vec<String> = file::defaults().keys().cloned().collect();
    assert_eq!(mentioned, names);
    let documented: Vec<&str> = docs::DIALECT.iter().map(|(name, _)| *name).collect();
    assert_eq!(documented, names);
}

#[test]
fn what_it_shows_in_comments_can_be_used() {
    let (top, _) = DEFAULT_FILE.split_once("\n[keys]").expect("it has keys");
    let shown = |line: &&str| line.starts_with("# ") && line.contains(" = ");
    let lines: Vec<&str> = top.lines().filter(shown).map(|line| &line[2..]).collect();
    assert_eq!(lines.len(), 10, "{lines:?}");
    for line in lines {
        assert!(parse(Path::new("c.toml"), line).is_ok(), "{line}");
    }
}

#[test]
fn every_key_is_read() {
    let text = r#"
        local = true
        ca = ["ca.pem", "/etc/other.pem"]
        token_env = "MY_TOKEN"
        token_origin = "https://agent.example"
        modalities = []
        reader = "simulated"
        camera = "front"
        microphone = "headset"
        speaker = "desk"
        speak = true
        speech_command = ["./say", "-v", ""]
        acks = false
        focus = false
        connect_within = "500ms"
        ping_every = "1s"
        dead_after = "2m"
        scan_within = "1m"
        capture_within = "45s"
        tags = "tags"
        state_dir = "/var/lib/agentcall"
        [keys]
        scan = "z"
        [dialect]
        interaction_id = "observation"
        image_data = "base64"
    "#;
    let layer = parse(Path::new("/etc/agentcall/config.toml"), text).expect("it is read");
    assert_eq!(layer.ca, Some(vec![PathBuf::from("/etc/agentcall/ca.pem"), PathBuf::from("/etc/other.pem")]));
    assert_eq!(layer.token_env, Some(Some(EnvName("MY_TOKEN".to_owned()))));
    let command = layer.speech_command.as_ref().and_then(Option::as_ref).map(CommandLine::as_slice);
    assert_eq!(command, Some(&["/etc/agentcall/./say", "-v", ""].map(str::to_owned)[..]));
    assert_eq!(layer.tags, Some(Some(PathBuf::from("/etc/agentcall/tags"))));
    let dialect = layer.dialect.clone().expect("a dialect");
    assert_eq!((dialect.interaction_id, &*dialect.image_data), (InteractionIdPlace::Observation, "base64"));
    assert_eq!(dialect.context, "context", "what is not named stays as it is");
    let settings = settled(text, &[], Layer::default()).expect("it is read");
    let shown: Vec<String> =
        values(&settings).into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let shown = shown.join("\n");
    for line in
        ["local = true", "modalities = []", "ping_every = \"1s\"", "dead_after = \"120s\"", "acks = false"]
    {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert_eq!(settings.keys.get("scan").map(String::as_str), Some("z"));
}

#[test]
fn a_wrong_line_says_where_which_key_and_what_was_expected() {
    let wrong = [
        "acks = \"yes\"",
        "acks = 1",
        "\n  scan_within = 30",
        "ping_every = \"20\"",
        "ping_every = \"2h\"",
        "ping_every = \"0s\"",
        "modalities = [\"nfc\", \"smell\"]",
        "speech_command = \"espeak-ng --stdin\"",
        "speech_command = []",
        "speech_command = [\"\"]",
        "modalities = [\"nfc\", \"nfc\"]",
        "modalities = \"nfc\"",
        "ca = \"ca.pem\"",
        "reader = \"\"",
        "readr = \"x\"",
        "scan-within = \"1s\"",
        "volume = 11",
        "token = \"secret-token\"",
        "Bearer = \"secret-token\"",
        "token_env = \"eyJhbGciOiJIUzI1NiJ9\"",
        "local = true\nlocal = false",
        "acks = ",
        "a b = 1",
        "keys = 1",
        "[keys]\nscan = 1",
        "[dialect]\nimage_date = \"x\"",
        "[dialect]\nimage_data = 7",
        "[dialect]\nimage_data = \"\"",
        "[dialect]\ninteraction_id = \"beside\"",
        "[dialect]\nexplicit_turns_at = []",
    ];
    let said = wrong.map(|text| match parse(Path::new("c.toml"), text) {
        Err(error) => format!("{text:?}\n  {error}"),
        Ok(_) => panic!("{text:?} was taken"),
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn no_message_repeats_a_value() {
    for text in [
        "token = \"hunter22\"",
        "token_env = \"hunter22\"",
        "acks = \"hunter22\"",
        "modalities = [\"hunter22\"]",
        "[keys]\nscan = [\"hunter22\"]",
        "[dialect]\ninteraction_id = \"hunter22\"",
        "token_env = \"hunter22",
        "token_env = hunter22",
    ] {
        let error = parse(Path::new("c.toml"), text).expect_err("it is wrong");
        assert!(!format!("{error} {error:?}").contains("hunter22"), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_stumble(text in "([a-z_]{1,8}|\"|=|\\[|\\]|\n| |true|30|é|\"20s\"){0,20}") {
        let _read_or_refused = parse(Path::new("c.toml"), &text);
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_an_end_is_read_to_its_bound_only() {
    let error = file::load(Path::new("/dev/zero"), true).unwrap_err().to_string();
    assert!(error.contains("larger than 262144 bytes"), "{error}");
}
