//! Defaults < file < environment < flags.

use std::path::{Path, PathBuf};

use super::{defaults, environment, settled};
use crate::config::{ConfigError, EnvName, Environment, KEYS, Layer, Origin, Time, resolve};
use crate::net::ProxyChoice;
use crate::protocol::{Modalities, Modality};

#[test]
fn a_flag_counts_before_the_environment_and_that_before_the_file() {
    let file = "ping_every = \"11s\"\nscan_within = \"11s\"\ncapture_within = \"11s\"\nacks = false";
    let variables = [("AGENTCALL_PING_EVERY", "12s"), ("AGENTCALL_SCAN_WITHIN", "12s")];
    let flags = Layer { scan_within: Some(Time::seconds(13)), acks: Some(true), ..Layer::default() };
    let settings = settled(file, &variables, flags).expect("they go together");
    assert_eq!(*settings.connect_within, Time::seconds(10));
    assert_eq!(settings.connect_within.origin, Origin::Default);
    assert_eq!(*settings.capture_within, Time::seconds(11));
    assert!(
        matches!(&settings.capture_within.origin, Origin::File(path) if path.ends_with("agentcall/config.toml"))
    );
    assert_eq!(*settings.ping_every, Time::seconds(12));
    assert_eq!(settings.ping_every.origin, Origin::Variable("AGENTCALL_PING_EVERY"));
    assert_eq!(*settings.scan_within, Time::seconds(13));
    assert!(*settings.acks);
    assert_eq!(settings.acks.origin, Origin::Flag("--no-acks"));
}

#[test]
fn every_setting_has_a_variable() {
    let value = |name: &str| match name {
        "AGENTCALL_LOCAL" | "AGENTCALL_ACKS" | "AGENTCALL_FOCUS" | "AGENTCALL_SPEAK" => "no",
        "AGENTCALL_MODALITIES" => "photo",
        "AGENTCALL_PROXY" => "environment",
        "AGENTCALL_CA" => "/a.pem:/b.pem",
        "AGENTCALL_TOKEN_ENV" => "MY_TOKEN",
        "AGENTCALL_SPEECH_COMMAND" => r#"["espeak-ng", "--stdin"]"#,
        "AGENTCALL_DEAD_AFTER" => "59s",
        "AGENTCALL_TRACE_MEGABYTES" => "7",
        other if other.ends_with("_WITHIN") || other.ends_with("_EVERY") => "7s",
        _ => "/x",
    };
    let variables: Vec<(&str, &str)> = KEYS
        .iter()
        .filter(|key| key.variable != "AGENTCALL_TOKEN_FILE")
        .map(|key| (key.variable, value(key.variable)))
        .collect();
    let settings = settled("", &variables, Layer::default()).expect("they go together");
    for (key, _, origin) in settings.explain() {
        let expected = key != "token_file";
        assert_eq!(matches!(origin, Origin::Variable(_)), expected, "{key}");
    }
    assert_eq!(*settings.modalities, Modalities::NONE.with(Modality::Photo));
    assert_eq!(*settings.ca, [PathBuf::from("/a.pem"), PathBuf::from("/b.pem")]);
}

#[test]
fn an_empty_variable_says_nothing_and_a_wrong_one_says_what_was_expected() {
    let settings = settled("", &[("AGENTCALL_READER", "")], Layer::default()).expect("they go together");
    assert_eq!(settings.reader.origin, Origin::Default);
    let wrong =
        settled("", &[("AGENTCALL_ACKS", "maybe-hunter22")], Layer::default()).expect_err("it is wrong");
    insta::assert_snapshot!(wrong, @"The environment variable AGENTCALL_ACKS is not what it should be: expected true or false");
}

#[test]
fn speaking_needs_a_command() {
    let flags = || Layer { speak: Some(true), ..Layer::default() };
    let wrong = settled("", &[], flags()).expect_err("there is nothing that speaks").to_string();
    assert!(wrong.contains("(from --speak) and speech_command is not set"), "{wrong}");
    let settings = settled("speech_command = [\"say\"]", &[], flags()).expect("they go together");
    assert!(*settings.speak);
    let settings = settled("speech_command = [\"say\"]", &[], Layer::default()).expect("they go together");
    assert!(!*settings.speak, "a command alone is no wish to hear it");
}

#[test]
fn readers_are_named_one_or_several() {
    let names = |file: &str, variables: &[(&str, &str)]| {
        let settings = settled(file, variables, Layer::default()).ok()?;
        settings.reader.value.clone().map(|names| names.as_slice().join("|"))
    };
    assert_eq!(names("reader = \"auto\"", &[]).as_deref(), Some("auto"));
    assert_eq!(names("reader = [\"ACR122U\", \"Co., Ltd.\"]", &[]).as_deref(), Some("ACR122U|Co., Ltd."));
    assert_eq!(
        names("", &[("AGENTCALL_READER", "ACR122U; Co., Ltd.")]).as_deref(),
        Some("ACR122U|Co., Ltd.")
    );
    let shown = |file: &str| {
        let settings = settled(file, &[], Layer::default()).expect("it is read");
        settings.explain().into_iter().find(|(key, ..)| *key == "reader").expect("it is a key").1
    };
    assert_eq!(shown("reader = \"auto\""), "\"auto\"");
    assert_eq!(
        shown("reader = [\"A\", \"B\"]"),
        "[\"A\", \"B\"]",
        "it is shown as it would stand in the file"
    );
    for wrong in ["\"\"", "[]", "[\"A\", \"\"]", "[\"A\", \"A\"]", "[1]", "true"] {
        assert_eq!(names(&format!("reader = {wrong}"), &[]), None, "{wrong}");
    }
}

#[test]
fn a_proxy_is_named_and_its_password_never_shown() {
    let choice = |text: &str| settled("", &[("AGENTCALL_PROXY", text)], Layer::default());
    let shown = |text: &str| {
        let settings = choice(text).expect("it is a proxy");
        settings.explain().into_iter().find(|(key, ..)| *key == "proxy").expect("it is a key").1
    };
    assert_eq!(*defaults().proxy, ProxyChoice::None);
    assert_eq!(shown("none"), "\"none\"");
    assert_eq!(shown("environment"), "\"environment\"");
    assert_eq!(shown("http://proxy.example"), "\"http://proxy.example:80\"");
    assert_eq!(shown("http://me:hunter22@[::1]:3128/"), "\"http://[::1]:3128\"");
    let debug = format!("{:?}", choice("http://me:hunter22@proxy.example:3128").expect("it is a proxy"));
    assert!(!debug.contains("hunter22") && !debug.contains("me:"), "{debug}");
    for wrong in [
        "",
        " ",
        "yes",
        "https://me:hunter22@p",
        "socks5://p",
        "http://p/path",
        "http://p?hunter22",
        "p:3128",
    ] {
        let Err(error) = choice(wrong) else {
            assert_eq!(wrong, "", "only an empty variable says nothing");
            continue;
        };
        assert!(error.to_string().contains("expected \"none\", \"environment\", or the URL"), "{error}");
        assert!(!error.to_string().contains("hunter22"), "{error}");
    }
}

#[test]
fn the_place_of_a_token_is_named_once_and_a_higher_layer_replaces_the_lower() {
    let file = "token_file = \"/run/token\"";
    let variable = [("AGENTCALL_TOKEN_ENV", "FROM_ENV")];
    let settings = settled(file, &variable, Layer::default()).expect("they go together");
    assert_eq!((&*settings.token_env, &*settings.token_file), (&Some(EnvName("FROM_ENV".to_owned())), &None));
    let flags = Layer { token_file: Some(Some(PathBuf::from("/flag"))), ..Layer::default() };
    let settings = settled(file, &variable, flags).expect("they go together");
    assert_eq!((&*settings.token_env, &*settings.token_file), (&None, &Some(PathBuf::from("/flag"))));
    let both = settled("token_file = \"/a\"\ntoken_env = \"A\"", &[], Layer::default()).expect_err("both");
    insta::assert_snapshot!(both, @"Both token_env and token_file are set by the configuration file; one of them must go");
}

#[test]
fn a_dead_link_is_noticed_after_more_than_one_ping() {
    let wrong = settled("", &[("AGENTCALL_DEAD_AFTER", "20s")], Layer::default()).expect_err("it is wrong");
    insta::assert_snapshot!(wrong, @"dead_after is 20s (from AGENTCALL_DEAD_AFTER) and must be more than ping_every, which is 20s (from the default)");
}

#[test]
fn the_usual_file_may_be_missing_and_a_named_one_may_not() {
    let nowhere = environment(Path::new("/nowhere"), &[]);
    let settings = resolve(None, &nowhere, Layer::default()).expect("it may be missing");
    assert_eq!(settings, defaults());
    let named = Path::new("/nowhere/c.toml");
    for result in [
        resolve(Some(named), &nowhere, Layer::default()),
        resolve(None, &environment(named, &[("AGENTCALL_CONFIG", "/nowhere/c.toml")]), Layer::default()),
    ] {
        let error = result.expect_err("it must be there").to_string();
        assert!(error.starts_with("Cannot read the configuration /nowhere/c.toml: "), "{error}");
    }
}

#[test]
fn a_file_larger_than_any_configuration_is_not_read() {
    let text = format!("# {}", "x".repeat(256 * 1024));
    assert!(matches!(settled(&text, &[], Layer::default()), Err(ConfigError::TooLarge { .. })));
}

#[test]
fn the_state_directory_is_the_users_unless_one_is_named() {
    let home =
        Environment { state_home: Some(PathBuf::from("/home/me/.local/state")), ..Environment::default() };
    assert_eq!(
        defaults().state_directory(&home).ok(),
        Some(PathBuf::from("/home/me/.local/state/agentcall"))
    );
    assert!(matches!(defaults().state_directory(&Environment::default()), Err(ConfigError::NoHome)));
    let named = settled("state_dir = \"/s\"", &[], Layer::default()).expect("it is read");
    assert_eq!(named.state_directory(&home).ok(), Some(PathBuf::from("/s")));
}
