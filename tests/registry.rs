//! One registry: what it names must exist everywhere else.

use agentcall::command::{ALL, Keymap};
use agentcall::config;
use agentcall::scenario::VERBS;

#[test]
fn every_verb_of_the_registry_is_a_verb_of_scenarios() {
    for command in ALL {
        if let Some(verb) = command.verb {
            assert!(VERBS.contains(&verb), "{} names the verb {verb}", command.id);
        }
    }
    for verb in VERBS.iter().filter(|verb| !matches!(**verb, "expect" | "wait")) {
        assert!(ALL.iter().any(|command| command.verb == Some(verb)), "no command does what {verb} does");
    }
}

#[test]
fn the_annotated_default_changes_no_key() {
    assert!(config::DEFAULT_FILE.contains("[keys]"), "the default file shows where keys are changed");
    assert!(Keymap::with([]).is_ok());
}
