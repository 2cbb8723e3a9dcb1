use clap::CommandFactory;

use super::*;
use crate::cli::exit::Failure;
use crate::cli::usage::{Unparsed, unparsed};

fn parse(line: &str) -> Result<Cli, Unparsed> {
    Cli::try_parse_from(line.split(' ')).map_err(|error| unparsed(&error))
}

fn wrong(line: &str) -> Failure {
    match parse(line) {
        Err(Unparsed::Wrong(failure)) => failure,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn wait_takes_a_time_or_none() {
    let wait = |line: &str| match parse(line).unwrap().command {
        Command::Card(card) => card.net.wait,
        other => panic!("{other:?}"),
    };
    assert_eq!(wait("agentcall card u"), None);
    assert_eq!(wait("agentcall card --wait u"), Some(Duration::from_secs(60)));
    assert_eq!(wait("agentcall card --wait=1.5 u"), Some(Duration::from_millis(1500)));
    assert!(wrong("agentcall card --wait=-1 u").message.contains("above 0"));
}

#[test]
fn faults_and_modalities_are_checked_by_name() {
    let Command::Agent(agent) =
        parse("agentcall agent --accept none --fault silent resumed,second-run").unwrap().command
    else {
        panic!()
    };
    assert_eq!(agent.fault, [Fault::Silent, Fault::Resumed, Fault::SecondRun]);
    assert_eq!(agent.accept, Modalities::NONE);
    assert!(wrong("agentcall agent --fault nonsense").message.contains("there are: sequence-step-back"));
    assert!(wrong("agentcall agent --accept smell").message.contains("expected nfc, photo"));
}

#[test]
fn what_is_wrong_is_one_sentence_with_a_way_on() {
    let failure = wrong("agentcall run http://a --jsn s");
    assert_eq!(failure.message, "Unexpected argument '--jsn' found.");
    assert_eq!(
        failure.hint.as_deref(),
        Some("A similar argument exists: '--json'. See agentcall run --help.")
    );
    let failure = wrong("agentcall run http://a");
    assert_eq!(failure.message, "The following required arguments were not provided: <SCENARIO>...");
    assert_eq!(wrong("agentcall").hint.as_deref(), Some("See agentcall --help."));
}

#[test]
fn ids_of_tags_are_not_repeated() {
    let failure = wrong("agentcall card http://a tag:uid=04A1B2C3D4E5F6");
    assert!(failure.message.contains("uid=…") && !failure.message.contains("04A1"), "{failure:?}");
}

#[test]
fn what_is_not_there_is_not_in_the_help() {
    let mut command = Cli::command();
    command.build();
    let mut pages = vec![command.render_long_help().to_string()];
    pages.extend(command.get_subcommands_mut().map(|c| c.render_long_help().to_string()));
    for word in ["--record", "replay", "soak"] {
        assert!(pages.iter().all(|page| !page.to_lowercase().contains(word)), "{word}");
    }
}

#[test]
fn shells_are_told_the_names_of_faults_and_modalities() {
    for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Zsh, clap_complete::Shell::Fish] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "agentcall", &mut script);
        let script = String::from_utf8(script).unwrap();
        let script = script.replace('\\', "");
        for name in ["sequence-step-back", "nfc,photo"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
}

#[test]
fn the_help_of_run_has_the_whole_language() {
    let mut command = Cli::command();
    let help = command.find_subcommand_mut("run").unwrap().render_long_help().to_string();
    for form in crate::scenario::grammar::STEPS.iter().chain(crate::scenario::grammar::PARTS) {
        assert!(help.contains(form.form), "{}", form.form);
    }
    assert!(help.contains("Exit codes:"));
}
