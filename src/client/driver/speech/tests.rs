//! Real commands: what they get, in which order, and that nothing of them is left.

use std::path::Path;

use tokio::time::sleep;

use super::*;

/// Longer than anything here takes.
const SOON: Duration = Duration::from_secs(30);

fn command(script: &str, directory: &Path) -> SpeechCommand {
    let words = ["/bin/sh", "-c", script, "speech", &directory.display().to_string()].map(str::to_owned);
    SpeechCommand::new(&words, None).expect("a command")
}

fn port(command: SpeechCommand) -> (SpeechPort, mpsc::Receiver<Event>) {
    let (events, happened) = mpsc::channel(16);
    (SpeechPort::new(Some(command), events), happened)
}

async fn spoke(happened: &mut mpsc::Receiver<Event>) -> (u64, Result<(), Line>) {
    match timeout(SOON, happened.recv()).await {
        Ok(Some(Event::Spoke(number, result))) => (number, result),
        other => panic!("{other:?}"),
    }
}

async fn appears(path: &Path) -> String {
    timeout(SOON, async {
        loop {
            match std::fs::read_to_string(path) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => sleep(Duration::from_millis(5)).await,
            }
        }
    })
    .await
    .unwrap_or_else(|_| panic!("{} did not appear", path.display()))
}

async fn is_gone(id: &str) {
    let id = rustix::process::Pid::from_raw(id.trim().parse().expect("a number")).expect("a process");
    let gone = timeout(SOON, async {
        while rustix::process::test_kill_process(id).is_ok() && !is_zombie(id) {
            sleep(Duration::from_millis(5)).await;
        }
    });
    gone.await.expect("it is gone");
}

/// One that is dead and that its new parent has not collected yet.
fn is_zombie(id: rustix::process::Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", id.as_raw_nonzero()));
    status.is_ok_and(|status| status.lines().any(|line| line.starts_with("State:\tZ")))
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_spoken_in_order_on_standard_input_and_never_by_a_shell() {
    let place = tempfile::tempdir().unwrap();
    let (mut port, mut happened) = port(command("echo begin >>$1/said; cat >>$1/said", place.path()));
    let texts = ["One.", "$(touch owned); `touch owned` 'two'\nlines", "--three"];
    for (number, text) in (1..).zip(texts) {
        port.speak(number, SafeText::block(text));
    }
    for number in 1..=3 {
        assert_eq!(spoke(&mut happened).await, (number, Ok(())));
    }
    let said = std::fs::read_to_string(place.path().join("said")).unwrap();
    let expected: String = texts.iter().map(|text| format!("begin\n{text}\n")).collect();
    assert_eq!(said, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_gets_no_variable_but_those_on_the_list() {
    let place = tempfile::tempdir().unwrap();
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
        "there is a variable that must not be passed on"
    );
    let mut command = command("env >$1/env; cat >/dev/null", place.path());
    // As if the token were in it.
    command.hidden = Some("PATH".to_owned());
    command.arguments[1] = "/usr/bin/env >$1/env; echo read".to_owned();
    let (mut port, mut happened) = port(command);
    port.speak(1, SafeText::line("One."));
    assert_eq!(spoke(&mut happened).await, (1, Ok(())));
    let environment = std::fs::read_to_string(place.path().join("env")).unwrap();
    let by_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names: Vec<&str> =
        environment.lines().filter_map(|line| line.split_once('=')).map(|(n, _)| n).collect();
    for name in &names {
        assert!(ENVIRONMENT.contains(name) || by_the_shell.contains(name), "{name} in {names:?}");
    }
    let ours = std::env::var("PATH").unwrap();
    assert!(!environment.contains(&format!("PATH={ours}\n")), "the hidden one is not passed on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_the_command_and_its_children_and_what_waits_is_not_spoken() {
    let place = tempfile::tempdir().unwrap();
    let script = "cat >/dev/null; sleep 600 & echo $! >$1/child; echo $$ >$1/leader; trap '' TERM; wait";
    let (mut port, mut happened) = port(command(script, place.path()));
    port.speak(1, SafeText::line("One."));
    port.speak(2, SafeText::line("Two."));
    let (child, leader) =
        (appears(&place.path().join("child")).await, appears(&place.path().join("leader")).await);
    port.stop();
    is_gone(&child).await;
    is_gone(&leader).await;
    assert!(happened.try_recv().is_err(), "nothing is told of what was stopped");
    // What comes afterwards is spoken again.
    port.command = Some(command("cat >$1/said", place.path()));
    port.speak(3, SafeText::line("Three."));
    assert_eq!(spoke(&mut happened).await, (3, Ok(())));
    assert_eq!(appears(&place.path().join("said")).await, "Three.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_is_ended_with_its_children_and_told() {
    let place = tempfile::tempdir().unwrap();
    let script = "sleep 600 & echo $! >$1/child; wait";
    let mut hanging = command(script, place.path());
    hanging.patience = Duration::from_millis(500);
    let (mut port, mut happened) = port(hanging);
    port.speak(1, SafeText::line("One."));
    let (_, result) = spoke(&mut happened).await;
    assert_eq!(result.unwrap_err().text, "The speech command /bin/sh did not end within 1 s, and was ended.");
    is_gone(&appears(&place.path().join("child")).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_or_fails_is_one_line_each_with_what_to_do() {
    let missing = SpeechCommand::new(&["no-such-program-here".to_owned()], None).unwrap();
    let failing = SpeechCommand::new(&["/bin/sh", "-c", "exit 3"].map(str::to_owned), None).unwrap();
    for (command, text) in [
        (
            missing,
            "The speech command no-such-program-here was not found; what the agent says is only shown.",
        ),
        (failing, "The speech command /bin/sh failed (exit status: 3)."),
    ] {
        let (mut port, mut happened) = port(command);
        port.speak(1, SafeText::line(&"long ".repeat(800)));
        let (_, result) = spoke(&mut happened).await;
        let line = result.unwrap_err();
        assert_eq!(line.text, text);
        assert!(line.hint.is_some_and(|hint| hint.contains("speech_command")));
    }
}
