//! `agentcall run`: scripted sessions with the real binary, against the embedded agent.
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Done, Running, agentcall, command, finish};

use agentcall::agent::{AgentConfig, Fault, serve};
use agentcall::protocol::Modalities;
use agentcall::protocol::rules::{Level, by_id};
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
    assert_eq!(
        frames.last().unwrap().pointer("/type").or(frames.last().unwrap().pointer("/event/type")).is_some(),
        true
    );
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
        (vec!["--local", &origin, &talk, "--reader", "ACR122U"], 6, "device", "Available: simulated"),
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

// ── agents that do it wrong ──

/// The rule that a fault breaks, and whether the exit code says so.
fn breaks(fault: Fault) -> Option<(&'static str, i32)> {
    Some(match fault {
        Fault::SequenceStepBack => ("ENV-2", 1),
        Fault::EventBeforeEstablished => ("SES-1", 1),
        Fault::SecondRun => ("RUN-1", 1),
        Fault::RequestWhilePending => ("IX-4", 1),
        Fault::UnknownResolve => ("IX-5", 1),
        Fault::OversizedFrame => ("FRAME-1", 1),
        Fault::BinaryFrame => ("FRAME-2", 1),
        Fault::InvalidJson => ("FRAME-3", 1),
        Fault::UnknownEvent => ("EV-7", 0),
        // These end the session: each has a test of its own.
        Fault::Resumed | Fault::CloseMidRun | Fault::Silent => return None,
    })
}

#[tokio::test]
async fn each_broken_rule_is_one_clear_line_and_the_session_goes_on() {
    for (fault, (rule, code)) in Fault::ALL.iter().filter_map(|fault| Some((*fault, breaks(*fault)?))) {
        let bench = Bench::faulty(fault).await;
        let steps = "say scan an object\nexpect event run.completed\nsay hello\nexpect text \"Hello\"\n";
        let done = bench.run(&["--json"], steps).await;
        let lines = done.json_lines();
        assert_eq!(done.code, code, "{fault}: {}", done.out);
        let found = findings(&lines);
        // What follows from it, as a first sequence that is not 1, is at most worth a note.
        let others = found.iter().filter(|id| **id != rule && by_id(id).unwrap().level == Level::Must);
        assert!(found.contains(&rule) && others.count() == 0, "{fault}: {found:?}");
        let steps = all(&lines, "ok");
        assert!(steps.len() == 4 && steps.iter().all(|ok| **ok == true), "{fault}: {}", done.out);

        let done = bench.run(&[], steps_text()).await;
        let line = done.out.lines().find(|line| line.contains(" !  ") && line.contains(rule));
        assert!(line.is_some_and(|line| line.contains('§')), "{fault}: {}", done.out);
    }
}

fn steps_text() -> &'static str {
    "say scan an object\nexpect event run.completed\n"
}

#[tokio::test]
async fn a_should_level_finding_fails_only_a_strict_run() {
    let bench = Bench::faulty(Fault::UnknownEvent).await;
    assert_eq!(bench.run(&[], TALK).await.code, 0);
    let strict = bench.run(&["--strict"], TALK).await;
    assert_eq!(strict.code, 1, "{strict:?}");
    assert!(strict.out.contains("✗ failed"), "{}", strict.out);
}

#[tokio::test]
async fn a_finding_that_was_expected_fails_nothing() {
    let bench = Bench::faulty(Fault::UnknownResolve).await;
    let done = bench.run(&[], "say hello\nexpect finding IX-5\nexpect event run.completed\n").await;
    assert_eq!(done.code, 0, "{}", done.out);
}

#[tokio::test]
async fn a_close_in_the_middle_of_a_run_says_so() {
    let bench = Bench::faulty(Fault::CloseMidRun).await;
    let done = bench.run(&[], TALK).await;
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.err.contains("A run was active; its answer is incomplete."), "{}", done.err);
}

#[tokio::test]
async fn an_agent_that_claims_to_resume_is_no_session() {
    let bench = Bench::faulty(Fault::Resumed).await;
    let file = bench.scenario("test.agentcall", TALK);
    let mut run = bench.command(&["--json", &file]);
    run.env("AGENTCALL_CONNECT_WITHIN", "500ms");
    let done = finish(run).await;
    let lines = done.json_lines();
    assert_eq!((done.code, findings(&lines)), (5, vec!["SES-3"]), "{done:?}");
    assert!(all(&lines, "error")[0]["message"].as_str().unwrap().contains("session.start"), "{done:?}");
}

#[tokio::test]
async fn a_half_open_connection_is_found_out() {
    let bench = Bench::faulty(Fault::Silent).await;
    let file = bench.scenario("test.agentcall", "say hello\nexpect event run.completed within 60s\n");
    let mut run = bench.command(&[&file]);
    run.env("AGENTCALL_PING_EVERY", "100ms").env("AGENTCALL_DEAD_AFTER", "400ms");
    let done = finish(run).await;
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.err.starts_with("agentcall: "), "{}", done.err);
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

// ── our own faults ──

/// Not a test by itself: the next one runs it in a process of its own.
#[test]
#[ignore = "panics on purpose, for the test below"]
fn panics_in_a_thread() {
    let form = match std::env::var("AGENTCALL_TEST_FORM").as_deref() {
        Ok("json") => agentcall::cli::output::Form::Json,
        _ => agentcall::cli::output::Form::Text,
    };
    let secret = std::env::var("AGENTCALL_TEST_SECRET").unwrap();
    let code = agentcall::cli::guarded(form, |_, _| {
        let thread = std::thread::spawn(move || panic!("{secret}"));
        let _panicked = thread.join();
        Ok(agentcall::cli::exit::Exit::Well)
    });
    // The exit code cannot be looked into; it can be compared.
    assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::from(70)));
    std::process::exit(70);
}

#[tokio::test]
async fn a_panic_is_one_line_without_data_and_70() {
    for form in ["text", "json"] {
        let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "panics_in_a_thread", "--ignored", "--nocapture", "--quiet"]);
        child.env("AGENTCALL_TEST_FORM", form).env("AGENTCALL_TEST_SECRET", "tok-4f1c9a7e2b");
        let done = finish(child).await;
        assert_eq!(done.code, 70, "{done:?}");
        let said = format!("{}{}", done.out, done.err);
        assert!(!said.contains("tok-4f1c9a7e2b"), "{said}");
        let lines: Vec<&str> =
            said.lines().filter(|line| line.contains("nternal fault at tests/run.rs:")).collect();
        assert_eq!(lines.len(), 1, "{said}");
        if form == "json" {
            let error = common::checked(lines[0]);
            assert_eq!(error["error"]["kind"], "internal");
        } else {
            assert!(lines[0].starts_with("agentcall: ") && done.err.contains(lines[0]), "{said}");
        }
    }
}

// ── what the program says of itself ──

#[tokio::test]
async fn usage_errors_are_2_for_people_and_for_programs() {
    for args in
        [vec![], vec!["dance"], vec!["run"], vec!["run", "http://a.example"], vec!["agent", "--fault", "x"]]
    {
        let done = agentcall(&args).await;
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{args:?}: {done:?}");
        assert!(
            done.err.starts_with("agentcall: ") && done.err.contains("\nhint: "),
            "{args:?}: {}",
            done.err
        );
        let args: Vec<&str> = args.into_iter().chain(["--json"]).collect();
        let done = agentcall(&args).await;
        let lines = done.json_lines();
        assert_eq!((done.code, done.err.as_str(), lines.len()), (2, "", 1), "{args:?}: {done:?}");
        assert_eq!(lines[0]["error"]["kind"], "usage");
    }
    let done = agentcall(&["--version"]).await;
    assert_eq!((done.code, done.out.as_str()), (0, concat!("agentcall ", env!("CARGO_PKG_VERSION"), "\n")));
}

#[tokio::test]
async fn schemas_pages_and_completions_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let (schemas, pages) = (dir.path().join("new/schemas"), dir.path().join("man"));
    let done = agentcall(&["schemas", "export", schemas.to_str().unwrap()]).await;
    assert_eq!(done.code, 0, "{done:?}");
    for file in std::fs::read_dir(common::root().join("assets/schemas")).unwrap() {
        let file = file.unwrap();
        let written = std::fs::read(schemas.join(file.file_name())).unwrap();
        assert_eq!(written, std::fs::read(file.path()).unwrap(), "{:?}", file.file_name());
    }
    assert_eq!(agentcall(&["man", pages.to_str().unwrap()]).await.code, 0);
    assert!(std::fs::read_to_string(pages.join("agentcall-run.1")).unwrap().contains("SCENARIO"));
    assert!(agentcall(&["man"]).await.out.contains(".TH agentcall"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = agentcall(&["completions", shell]).await;
        assert!(done.code == 0 && done.out.contains("agentcall"), "{shell}");
    }
    let file = dir.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let done = agentcall(&["schemas", "export", file.to_str().unwrap()]).await;
    assert!(done.code == 2 && done.err.contains("a-file"), "{done:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn the_agent_says_where_it_is_and_ends_with_ctrl_c() {
    let home = tempfile::tempdir().unwrap();
    let mut agent =
        Running::start(command(home.path(), &["agent", "--listen", "127.0.0.1:0", "--accept", "none"]));
    let line = agent.line().await.unwrap();
    let origin = line.split(' ').find_map(|word| word.strip_suffix("/.well-known/agent-card.json")).unwrap();
    let done = agentcall(&["card", "--local", origin]).await;
    assert!(done.code == 0 && done.out.contains("Offers: text\n"), "{done:?}");
    let taken = agentcall(&["agent", "--listen", origin.trim_start_matches("http://")]).await;
    assert_eq!((taken.code, taken.out.as_str()), (4, ""), "{taken:?}");
    agent.signal(rustix::process::Signal::INT);
    let done = agent.end().await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{done:?}");
}

#[tokio::test]
async fn the_help_of_agent_lists_every_fault() {
    let help = agentcall(&["agent", "--help"]).await.out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for fault in Fault::ALL {
        assert!(help.contains(&format!("{} {}", fault.name(), fault.help())), "{fault}: {help}");
    }
}
