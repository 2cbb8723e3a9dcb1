//! `run --speak`: a command of the user's gets what the agent says, and nothing else of ours.

use super::*;

use tokio::time::sleep;

const SECRET: &str = "secret-token-4711-of-the-speech";

/// A configuration whose command keeps its environment and what it is given.
fn config(bench: &Bench, script: &str) -> String {
    let path = bench.dir.path().join("config.toml");
    let said = bench.dir.path().join("said").display().to_string();
    std::fs::write(
        &path,
        format!("speech_command = [\"/bin/sh\", \"-c\", '{script}', \"speech\", \"{said}\"]\n"),
    )
    .unwrap();
    path.display().to_string()
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_says_is_spoken_and_the_token_stays_here() {
    let bench = Bench::sound().await;
    let config = config(&bench, "env >$1.env; cat >>$1");
    let file = bench.scenario("test.agentcall", &format!("{TALK}wait 60s\n"));
    let mut command =
        bench.command(&["--speak", "--token-env", "OUR_TOKEN", "--config", &config, "--json", &file]);
    command.env("OUR_TOKEN", SECRET).stdout(std::process::Stdio::null());
    let mut running = command.spawn().unwrap();
    let said = bench.dir.path().join("said");
    let text = tokio::time::timeout(common::PATIENCE, async {
        loop {
            match std::fs::read_to_string(&said) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => sleep(Duration::from_millis(10)).await,
            }
        }
    });
    let text = text.await.expect("something is spoken");
    assert!(text.chars().any(char::is_alphabetic), "{text:?}");
    let environment = std::fs::read_to_string(bench.dir.path().join("said.env")).unwrap();
    assert!(environment.contains("PATH=") && !environment.contains(SECRET), "{environment}");
    running.kill().await.unwrap();
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_spoken_unless_it_is_asked_for_and_a_missing_command_is_said() {
    let bench = Bench::sound().await;
    let config = config(&bench, "cat >>$1");
    let done = bench.run(&["--config", &config], &format!("{TALK}wait 200ms\n")).await;
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!bench.dir.path().join("said").exists());
    let done = bench.run(&["--speak"], TALK).await;
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("speech_command is not set"), "{}", done.err);
}
