//! `agentcall run`: scripted sessions with the real binary, against the embedded agent.
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

#[path = "../common/mod.rs"]
mod common;

mod faults;
mod paths;
mod program;
mod speech;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Done, Running, agentcall, command, finish};

use agentcall::agent::{AgentConfig, Fault, serve};
use agentcall::protocol::Modalities;
use serde_json::Value;

/// An agent, a directory for scenarios, and a home.
struct Bench {
    agent: agentcall::agent::Running,
    dir: tempfile::TempDir,
}

impl Bench {
    async fn new(config: AgentConfig) -> Self {
        let config = AgentConfig { delta_interval: Duration::from_millis(1), ..config };
        Self { agent: serve(config).await.unwrap(), dir: tempfile::tempdir().unwrap() }
    }

    async fn sound() -> Self {
        Self::new(AgentConfig::default()).await
    }

    async fn faulty(fault: Fault) -> Self {
        Self::new(AgentConfig { faults: vec![fault], ..AgentConfig::default() }).await
    }

    /// A scenario file with these steps; `TAGS` and `PICTURES` stand for our own.
    fn scenario(&self, name: &str, steps: &str) -> String {
        let path = self.dir.path().join(name);
        let assets = common::root().join("assets");
        let steps = steps
            .replace("TAGS", &assets.join("tags").display().to_string())
            .replace("PICTURES", &assets.join("pictures").display().to_string());
        std::fs::write(&path, steps).unwrap();
        path.display().to_string()
    }

    fn command(&self, args: &[&str]) -> tokio::process::Command {
        let origin = format!("http://{}", self.agent.addr);
        let args: Vec<&str> = ["run", "--local", &origin].into_iter().chain(args.iter().copied()).collect();
        command(self.dir.path(), &args)
    }

    /// Runs one scenario with these steps.
    async fn run(&self, flags: &[&str], steps: &str) -> Done {
        let file = self.scenario("test.agentcall", steps);
        let args: Vec<&str> = flags.iter().copied().chain([file.as_str()]).collect();
        finish(self.command(&args)).await
    }
}

const TALK: &str = "say hello\nexpect event run.completed\n";

/// Everything of one kind in JSON lines.
fn all<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter_map(|line| line.get(kind)).collect()
}

fn findings(lines: &[Value]) -> Vec<&str> {
    all(lines, "finding").iter().filter_map(|f| f["id"].as_str()).filter(|id| *id != "CARD-15").collect()
}

// ── the whole job ──

const JOB: &str = r#"
say hello
expect event run.completed
say scan an object
expect event interaction.requested
scan tag:TAGS/router.ndef                 # answers the request
expect event interaction.resolved
expect text "do not know"
say teach object Workshop router
expect text "Workshop router"
say confirm object
expect event run.completed
scan tag:TAGS/router.ndef intent=identify
expect text "This is Workshop router."
scan tag:uid=04A1B2C3D4E5F6
expect text "do not know"
say take a photo
expect event interaction.requested
capture file:PICTURES/desk.png
expect event interaction.resolved
expect text "JPEG of 1024"
observe tag:TAGS/drill.ndef file:PICTURES/shelf.png intent=inspect
expect event run.completed
say tell a story
expect event text.delta
cancel
expect failure cancelled
end
"#;

#[tokio::test]
async fn a_scenario_does_the_whole_job_and_people_can_read_along() {
    let bench = Bench::sound().await;
    let done = bench.run(&["--strict"], JOB).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let steps = JOB.trim().lines().count();
    for said in [
        "Workshop agent at ws 127.0.0.1".to_owned(),
        "→  session.start".to_owned(),
        "→  user.observation".to_owned(),
        "\"This is Workshop router.\"".to_owned(),
        format!("✓ passed  {}: {steps} of {steps} steps", bench.dir.path().join("test.agentcall").display()),
    ] {
        assert!(done.out.contains(&said), "{said}\n{}", done.out);
    }
    assert_eq!(done.out.matches(" ✓  step ").count(), steps);
}

#[tokio::test]
async fn json_is_one_object_a_line_that_fits_the_schema() {
    let bench = Bench::sound().await;
    let done = bench.run(&["--json"], JOB).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let lines = done.json_lines();
    let states: Vec<&str> = all(&lines, "session").iter().filter_map(|s| s["state"].as_str()).collect();
    assert_eq!(states, ["fetching", "dialling", "starting", "live", "over"]);
    let live = all(&lines, "session").into_iter().find(|s| s["state"] == "live").unwrap();
    assert_eq!(live["modalities"], serde_json::json!(["nfc", "photo"]));
    let frames: Vec<&Value> = all(&lines, "frame");
    assert_eq!(frames[0]["type"], "session.start");
    let image = frames.iter().find_map(|f| f.pointer("/observation/image/data")).unwrap();
    assert!(image["bytes"].as_u64().unwrap() > 1_000 && image["sha256"].as_str().unwrap().len() == 64);
    let steps = all(&lines, "ok");
    assert!(steps.iter().all(|ok| **ok == true) && steps.len() == JOB.trim().lines().count());
    let end = &lines.last().unwrap()["scenario"];
    assert_eq!((end["ok"].as_bool(), end["must"].as_u64()), (Some(true), Some(0)));
    let times: Vec<f64> = frames_times(&lines);
    assert!(times.is_sorted(), "{times:?}");
}

fn frames_times(lines: &[Value]) -> Vec<f64> {
    lines.iter().filter(|line| line.get("frame").is_some()).filter_map(|line| line["t"].as_f64()).collect()
}

#[tokio::test]
async fn the_shipped_scenario_passes() {
    let bench = Bench::sound().await;
    let shipped = shipped_scenarios();
    assert!(!shipped.is_empty());
    for file in shipped {
        let done = finish(bench.command(&["--strict", file.to_str().unwrap()])).await;
        assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    }
}

fn shipped_scenarios() -> Vec<PathBuf> {
    let files = std::fs::read_dir(common::root().join("assets/scenarios")).unwrap();
    let is_scenario = |path: &PathBuf| path.extension().is_some_and(|e| e == "agentcall");
    files.map(|file| file.unwrap().path()).filter(is_scenario).collect()
}

#[tokio::test]
async fn each_scenario_gets_a_session_of_its_own_and_a_verdict_of_its_own() {
    let bench = Bench::sound().await;
    let teach = bench.scenario(
        "teach.agentcall",
        "scan tag:TAGS/router.ndef\nsay teach object Router\nsay confirm object\nexpect event run.completed\n",
    );
    let wrong = bench.scenario("wrong.agentcall", "say hello\nexpect text \"good night\" within 300ms\n");
    let fresh = bench.scenario("fresh.agentcall", "scan tag:TAGS/router.ndef\nexpect text \"do not know\"\n");
    let done = finish(bench.command(&["--json", &teach, &wrong, &fresh])).await;
    assert_eq!((done.code, done.err.as_str()), (1, ""), "{done:?}");
    let lines = done.json_lines();
    let verdicts: Vec<(&str, bool)> = all(&lines, "scenario")
        .iter()
        .map(|s| {
            (Path::new(s["file"].as_str().unwrap()).file_name().unwrap().to_str().unwrap(), s["ok"] == true)
        })
        .collect();
    assert_eq!(verdicts, [("teach.agentcall", true), ("wrong.agentcall", false), ("fresh.agentcall", true)]);
    let ids: Vec<&Value> = all(&lines, "frame").into_iter().filter_map(|f| f.get("sessionId")).collect();
    assert!(ids.len() == 3 && ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
}

// ── exit codes ──

#[tokio::test]
async fn a_failed_expectation_is_1_and_says_what_came_instead() {
    let bench = Bench::sound().await;
    let done = bench.run(&[], "say hello\nexpect text \"good night\" within 300ms\nsay never\n").await;
    assert_eq!(done.code, 1);
    assert!(done.out.contains("✗  step 2 expect (line 2): expected text \"good night\""), "{}", done.out);
    assert!(done.out.contains("✗ failed") && !done.out.contains("\"never\""), "{}", done.out);
}

#[tokio::test]
async fn a_slip_in_any_scenario_is_2_before_anything_is_sent() {
    let bench = Bench::sound().await;
    let good = bench.scenario("good.agentcall", TALK);
    let slip = bench.scenario("slip.agentcall", "say hello\nscan tag:uid=04A1B2C3D4E5F6 intent=buy\n");
    let done = finish(bench.command(&[&good, &slip])).await;
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
    assert!(done.err.contains("slip.agentcall:2:") && done.err.contains("uid=…"), "{}", done.err);
    assert!(!done.err.contains("04A1B2"), "{}", done.err);
    let done = finish(bench.command(&["--json", &good, &slip])).await;
    let lines = done.json_lines();
    assert_eq!((done.code, lines.len(), lines[0]["error"]["kind"].as_str()), (2, 1, Some("usage")));
}

#[tokio::test]
async fn every_other_way_to_fail_has_its_code_its_sentence_and_its_kind() {
    let bench = Bench::sound().await;
    let talk = bench.scenario("talk.agentcall", TALK);
    let card = bench.dir.path().join("card.json");
    std::fs::write(&card, r#"{"name":"no extension","capabilities":{"extensions":[]}}"#).unwrap();
    let lost = bench.scenario("lost.agentcall", "capture file:not-there.png\n");
    let no_tag = bench.scenario("no-tag.agentcall", "scan tag:not-there.ndef\n");
    let (card, closed) = (card.display().to_string(), common::closed_port());
    let origin = format!("http://{}", bench.agent.addr);
    for (args, code, kind, said) in [
        (vec!["--local", &origin, "no-such-file.agentcall"], 2, "usage", "no-such-file.agentcall"),
        (vec![&origin, &talk], 2, "usage", "plain HTTP"),
        (vec!["--local", &origin, &talk, "--config", "none.toml"], 2, "usage", "none.toml"),
        (vec!["--local", &origin, &talk, "--token-env", "lower"], 2, "usage", "never the token itself"),
        (vec![&card, &talk], 3, "card", "CARD-3"),
        (vec!["--local", &closed, &talk], 4, "connection", "127.0.0.1"),
        (vec!["--local", &origin, &talk, "--camera", "no such lens"], 6, "device", "no such lens"),
        (vec!["--local", &origin, &talk, "--reader", "ACR122U"], 6, "device", "there are: SIMULATED tags"),
        (vec!["--local", &origin, &lost], 6, "device", "not-there.png"),
        (vec!["--local", &origin, &no_tag], 6, "device", "not-there.ndef"),
    ] {
        let args: Vec<&str> = ["run"].into_iter().chain(args).collect();
        let done = agentcall(&args).await;
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        let sentence = done.err.lines().next().unwrap_or_default();
        assert!(sentence.starts_with("agentcall: ") && sentence.contains(said), "{args:?}: {}", done.err);
        assert!(done.err.lines().skip(1).all(|line| line.starts_with("hint: ")), "{}", done.err);

        let args: Vec<&str> = args.into_iter().chain(["--json"]).collect();
        let done = agentcall(&args).await;
        let lines = done.json_lines();
        let errors = all(&lines, "error");
        assert_eq!((done.code, done.err.as_str(), errors.len()), (code, "", 1), "{args:?}: {done:?}");
        assert_eq!(errors[0]["kind"], kind, "{args:?}");
    }
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_5() {
    let bench = Bench::faulty(Fault::Silent).await;
    let done =
        bench.run(&["--json", "--timeout", "1"], "say hello\nexpect event run.completed within 60s\n").await;
    assert_eq!(done.code, 5, "{done:?}");
    assert_eq!(all(&done.json_lines(), "error")[0]["kind"], "timeout");
}

#[tokio::test]
async fn a_session_without_the_modality_refuses_to_collect() {
    let bench = Bench::new(AgentConfig { accepted: Modalities::NONE, ..AgentConfig::default() }).await;
    let done = bench.run(&["--json"], "scan tag:TAGS/router.ndef\n").await;
    assert_eq!(done.code, 1, "{done:?}");
    let lines = done.json_lines();
    assert!(all(&lines, "frame").iter().all(|frame| frame["type"] != "user.observation"), "{}", done.out);
    let bench = Bench::sound().await;
    let done = bench.run(&["--json", "--modalities", "none"], "capture file:PICTURES/desk.png\n").await;
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(all(&done.json_lines(), "frame")[0]["clientCapabilities"].get("physicalObservations"), None);
}

#[tokio::test]
async fn acks_are_sent_unless_they_are_switched_off() {
    let bench = Bench::sound().await;
    let acks = |done: &Done| all(&done.json_lines(), "frame").iter().filter(|f| f["type"] == "ack").count();
    let talk = format!("{TALK}wait 100ms\n");
    assert!(acks(&bench.run(&["--json"], &talk).await) > 0);
    assert_eq!(acks(&bench.run(&["--json", "--no-acks"], &talk).await), 0);
    let mut by_environment = bench.command(&["--json", &bench.scenario("a.agentcall", &talk)]);
    by_environment.env("AGENTCALL_ACKS", "no");
    assert_eq!(acks(&finish(by_environment).await), 0);
}

// ── ended from outside ──

#[cfg(unix)]
#[tokio::test]
async fn a_signal_ends_the_session_in_order() {
    use rustix::process::Signal;
    for (signal, code, name) in
        [(Signal::INT, 130, "SIGINT"), (Signal::TERM, 143, "SIGTERM"), (Signal::HUP, 129, "SIGHUP")]
    {
        let bench = Bench::sound().await;
        let file = bench.scenario("long.agentcall", "say hello\nexpect event run.completed\nwait 60s\n");
        let mut run = Running::start(bench.command(&["--json", &file]));
        run.until(r#""step":2"#).await;
        run.signal(signal);
        let done = run.end().await;
        assert_eq!((done.code, done.err.as_str()), (code, ""), "{done:?}");
        assert!(done.out.contains("session.end"), "{}", done.out);
        assert_eq!(done.json_lines().last().unwrap()["error"]["message"], format!("Ended by {name}."));
    }
}

/// The pipe is full and stays so: writing to it never comes back.
#[tokio::test]
async fn a_signal_ends_it_even_when_nobody_reads_what_it_writes() {
    use std::process::Stdio;
    let bench = Bench::sound().await;
    let file = bench.scenario("much.agentcall", &"say help\nexpect event run.completed\n".repeat(400));
    for form in ["--json", "--no-acks"] {
        let mut run = bench.command(&[form, &file]);
        let mut child = run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = child.stdout.take().unwrap();
        let full = async {
            let (mut before, mut same) = (0, 0);
            // Full is what holds much and does not change any more.
            while before < 60_000 || same < 20 {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let waiting = rustix::io::ioctl_fionread(&out).unwrap();
                same = if waiting == before { same + 1 } else { 0 };
                before = waiting;
            }
        };
        tokio::time::timeout(common::PATIENCE, full).await.expect("a pipe that is full");
        let pid = rustix::process::Pid::from_raw(child.id().unwrap().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status =
            tokio::time::timeout(Duration::from_secs(20), child.wait()).await.expect("it ends").unwrap();
        assert_eq!(status.code(), Some(143), "{form}");
    }
}

#[tokio::test]
async fn a_reader_that_leaves_ends_it_quietly() {
    let bench = Bench::sound().await;
    let file =
        bench.scenario("long.agentcall", "say hello\nexpect event run.completed\nsay hello\nwait 60s\n");
    let mut run = Running::start(bench.command(&["--json", &file]));
    run.until("run.started").await;
    let Running { mut child, lines } = run;
    drop(lines);
    let status = tokio::time::timeout(common::PATIENCE, child.wait()).await.expect("it ends").unwrap();
    assert_eq!(status.code(), Some(141));
    let mut err = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut child.stderr.take().unwrap(), &mut err).await.unwrap();
    assert_eq!(err, "");
}
