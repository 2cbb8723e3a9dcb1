//! A user looks which devices there are, and probes them. Real PC/SC services are in `tests/readers`, real cameras in
//! `tests/hardware`; here no service answers, as on a machine for tests, and everything must still be said.
#![cfg(target_os = "linux")]
// Helpers of tests are tests; clippy exempts only the functions marked so.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Done, Running, checked, command, finish};
use serde_json::{Value, json};

/// `agentcall devices` where no PC/SC service and no sound server answers.
fn devices(home: &std::path::Path, args: &[&str]) -> tokio::process::Command {
    let args: Vec<&str> = ["devices"].iter().chain(args).copied().collect();
    let mut command = command(home, &args);
    command.env("PCSCLITE_CSOCK_NAME", home.join("nobody")).env("PULSE_SERVER", "unix:/nowhere");
    command
}

async fn run(args: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    finish(devices(home.path(), args)).await
}

fn of<'a>(lines: &'a [Value], key: &str, sort: &str) -> Vec<&'a Value> {
    lines.iter().filter_map(|line| line.get(key)).filter(|it| it["sort"] == sort).collect()
}

#[tokio::test]
async fn every_sort_is_listed_and_what_is_wrong_is_said_with_what_to_do() {
    let done = run(&["--json"]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let lines = done.json_lines();
    assert_eq!(
        of(&lines, "found", "reader"),
        [&json!({"sort":"reader","name":"SIMULATED tags","simulated":true})]
    );
    let wrong = of(&lines, "trouble", "reader");
    assert_eq!(wrong.len(), 1, "{lines:?}");
    if cfg!(feature = "nfc") {
        assert_eq!(wrong[0]["text"], "The PC/SC service does not run.");
        assert!(wrong[0]["hint"].as_str().unwrap().contains("PCSCLITE_CSOCK_NAME"), "{wrong:?}");
    }
    let cameras = of(&lines, "found", "camera");
    assert_eq!(cameras.last().unwrap()["name"], "SIMULATED test card");
    // This machine may have a camera and a sound card; where it has none, that is said.
    for (sort, least) in [("camera", 2), ("microphone", 1), ("speaker", 1)] {
        let found = of(&lines, "found", sort).len();
        assert!(found >= least || !of(&lines, "trouble", sort).is_empty(), "{sort}: {lines:?}");
    }
}

#[tokio::test]
async fn people_get_sections_that_fit_their_terminal() {
    for columns in ["60", "200"] {
        let home = tempfile::tempdir().unwrap();
        let mut command = devices(home.path(), &[]);
        command.env("COLUMNS", columns);
        let done = finish(command).await;
        assert_eq!((done.code, done.err.as_str()), (0, ""), "sound libraries write to nobody's screen");
        for heading in ["Readers", "\nCameras", "\nMicrophones", "\nSpeakers"] {
            assert!(done.out.contains(heading), "{}", done.out);
        }
        assert!(done.out.contains("  SIMULATED tags  tag files that are placed on it\n"), "{}", done.out);
        let paths = home.path().to_str().unwrap();
        let lines = done.out.lines().filter(|line| !line.contains(paths));
        lines.for_each(|line| assert!(line.chars().count() <= columns.parse().unwrap(), "{line}"));
    }
}

#[tokio::test]
async fn what_is_named_and_not_there_is_exit_code_6_with_what_there_is() {
    for (flag, sort) in [
        ("--reader", "reader"),
        ("--camera", "camera"),
        ("--microphone", "microphone"),
        ("--speaker", "speaker"),
    ] {
        let done = run(&["--json", flag, "No such thing"]).await;
        assert_eq!(done.code, 6, "{}", done.out);
        let lines = done.json_lines();
        let error = &lines.last().unwrap()["error"];
        assert_eq!(error["kind"], "device");
        let message = error["message"].as_str().unwrap();
        let missing = format!("There is no {sort} \"No such thing\"; there ");
        assert!(message.contains(&missing), "{message}");
        // What is wrong with all of them is the likely cause, and comes first.
        let cause = of(&lines, "trouble", sort).first().map(|trouble| trouble["text"].as_str().unwrap());
        assert!(message.starts_with(cause.unwrap_or(&missing)), "{message}");
        let sorts: Vec<&Value> =
            lines.iter().filter_map(|l| l.get("found")).map(|found| &found["sort"]).collect();
        assert!(sorts.iter().all(|other| **other == sort), "only what was asked for is looked at: {lines:?}");
    }
    let done = run(&["--reader", "simulated", "--camera", "test card"]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(
        done.out.contains("SIMULATED tags") && !done.out.contains("Microphones") && !done.out.contains('!'),
        "{}",
        done.out
    );
    assert_eq!(run(&["--reader", ""]).await.code, 2);
}

#[tokio::test]
async fn a_session_names_what_there_is_when_a_device_is_missing() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("talk.agentcall");
    std::fs::write(&script, "say hello\n").unwrap();
    let script = script.to_str().unwrap();
    for (flag, text) in [
        ("--reader", "there is no reader \"ACR122U\"; there are: SIMULATED tags"),
        ("--camera", "there is no camera \"ACR122U\""),
    ] {
        let args = ["run", "--local", "http://127.0.0.1:1", script, flag, "ACR122U"];
        let mut command = command(home.path(), &args);
        command.env("PCSCLITE_CSOCK_NAME", home.path().join("nobody"));
        let done = finish(command).await;
        assert_eq!(done.code, 6, "{}", done.err);
        assert!(done.err.to_lowercase().contains(&text.to_lowercase()), "{}", done.err);
    }
    let args = ["run", "--local", "http://127.0.0.1:1", script, "--reader", "auto", "--reader", "simulated"];
    assert_eq!(finish(command(home.path(), &args)).await.code, 2);
    let args = ["run", "--local", "http://127.0.0.1:1", script, "--reader", "auto"];
    let done = finish(command(home.path(), &args)).await;
    assert!(done.code == 2 && done.err.contains("--allow reader"), "{}", done.err);
}

#[tokio::test]
async fn a_probe_reads_one_tag_and_one_picture_and_tells_numbers_only() {
    let done = run(&["--probe", "--reader", "simulated", "--camera", "simulated", "--json"]).await;
    assert_eq!(done.code, 0, "{}", done.out);
    let lines = done.json_lines();
    let waiting: Vec<&Value> = lines.iter().filter_map(|line| line.get("waiting")).collect();
    assert_eq!(waiting.len(), 2, "each is told before it is armed");
    let reader = of(&lines, "probe", "reader")[0];
    assert_eq!(
        [&reader["ok"], &reader["technology"], &reader["ndef_bytes"]],
        [&json!(true), &json!("NDEF file"), &json!(37)]
    );
    let camera = of(&lines, "probe", "camera")[0];
    assert_eq!((&camera["ok"], &camera["frame"]["width"]), (&json!(true), &json!(1280)));
    let times: Vec<u64> =
        camera["times"].as_array().unwrap().iter().map(|time| time["us"].as_u64().unwrap()).collect();
    assert_eq!(times.len(), 6);
    assert!(times.is_sorted(), "started, opened, first frame, first usable, picture, closed: {times:?}");
    assert!(!done.out.contains("urn:"), "nothing of the tag: {}", done.out);
}

#[tokio::test]
async fn many_probes_are_counted_spread_and_written_to_a_table() {
    let home = tempfile::tempdir().unwrap();
    let csv = home.path().join("runs.csv");
    let args =
        ["--probe", "--reader", "simulated", "--repeat", "25", "--json", "--csv", csv.to_str().unwrap()];
    let done = finish(devices(home.path(), &args)).await;
    assert_eq!(done.code, 0, "{}", done.out);
    let lines = done.json_lines();
    assert_eq!(of(&lines, "probe", "reader").len(), 25);
    let all = of(&lines, "probes", "reader")[0];
    assert_eq!((&all["runs"], &all["ok"]), (&json!(25), &json!(25)));
    let read = &all["times"].as_array().unwrap().iter().find(|time| time["what"] == "read").unwrap();
    let spread: Vec<u64> =
        ["p50_us", "p90_us", "p99_us", "max_us"].iter().map(|p| read[p].as_u64().unwrap()).collect();
    assert!(spread.is_sorted() && spread[3] > 0, "{spread:?}");
    let table = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(table.lines().count(), 26);
    let again = finish(devices(home.path(), &args)).await;
    assert_eq!(again.code, 2, "a table is not overwritten by a slip: {}", again.out);
    assert!(again.out.contains("is not overwritten") && again.out.contains("another name"), "{}", again.out);
    assert_eq!(again.json_lines().len(), 1, "nothing is read, and nothing else is said: {}", again.out);
    assert_eq!(std::fs::read_to_string(&csv).unwrap(), table);
}

#[tokio::test]
async fn a_probe_with_nothing_to_probe_or_no_tag_in_time_is_exit_code_6() {
    if !std::path::Path::new("/dev/video0").exists() {
        let done = run(&["--probe"]).await;
        assert_eq!(done.code, 6, "{}", done.out);
        assert!(done.err.contains("There is neither a reader nor a camera to probe."), "{}", done.err);
    }
    assert_eq!(run(&["--repeat", "3"]).await.code, 2, "only a probe is repeated");
    assert_eq!(run(&["--watch", "--probe"]).await.code, 2);
    let done = run(&["--probe", "--camera", "file:/nowhere/cup.jpg", "--json"]).await;
    assert_eq!(done.code, 6);
    let lines = done.json_lines();
    let probe = of(&lines, "probe", "camera")[0];
    assert!(probe["ok"] == false && probe["trouble"]["text"].is_string(), "{probe}");
}

#[tokio::test]
async fn the_watch_says_what_there_is_and_ends_with_a_signal() {
    let home = tempfile::tempdir().unwrap();
    let mut running = Running::start(devices(home.path(), &["--watch", "--json", "--reader", "auto"]));
    let seen = running.until("\"trouble\"").await;
    seen.iter().for_each(|line| drop(checked(line)));
    running.signal(rustix::process::Signal::INT);
    let done = running.end().await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "that is how it is meant to end");
}

#[tokio::test]
async fn a_socket_name_that_is_empty_is_said_to_be_so() {
    if !cfg!(feature = "nfc") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut command = devices(home.path(), &["--json", "--reader", "auto"]);
    command.env("PCSCLITE_CSOCK_NAME", "");
    let done = finish(command).await;
    let lines = done.json_lines();
    let wrong = of(&lines, "trouble", "reader");
    assert_eq!(wrong[0]["text"], "The PC/SC service does not run.");
    assert!(wrong[0]["hint"].as_str().unwrap().contains("is set and empty"), "{wrong:?}");
}
