//! What the program says of itself, and of its own faults.

use agentcall::agent::Fault;

use super::common::{Running, agentcall, checked, command, finish, root};

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
        child.args(["--exact", "program::panics_in_a_thread", "--ignored", "--nocapture", "--quiet"]);
        child.env("AGENTCALL_TEST_FORM", form).env("AGENTCALL_TEST_SECRET", "tok-4f1c9a7e2b");
        let done = finish(child).await;
        assert_eq!(done.code, 70, "{done:?}");
        let said = format!("{}{}", done.out, done.err);
        assert!(!said.contains("tok-4f1c9a7e2b"), "{said}");
        let lines: Vec<&str> =
            said.lines().filter(|line| line.contains("nternal fault at tests/run/program.rs:")).collect();
        assert_eq!(lines.len(), 1, "{said}");
        if form == "json" {
            let error = checked(lines[0]);
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
    for file in std::fs::read_dir(root().join("assets/schemas")).unwrap() {
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

#[tokio::test]
async fn the_screen_needs_a_terminal_and_says_what_does_without() {
    for args in [vec!["demo"], vec!["connect", "--local", "http://127.0.0.1:1"]] {
        let done = agentcall(&args).await;
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
        assert!(done.err.contains("needs a terminal") && done.err.contains("agentcall run"), "{}", done.err);
    }
}

#[tokio::test]
async fn an_address_without_a_scheme_is_not_taken_for_a_file_in_silence() {
    for command in ["card", "run"] {
        let script = root().join("assets/scenarios/teach.agentcall").display().to_string();
        let mut args = vec![command, "127.0.0.1:8787"];
        if command == "run" {
            args.push(&script);
        }
        let done = agentcall(&args).await;
        assert!(
            done.code == 2 && done.err.contains("hint: Did you mean http://127.0.0.1:8787 --local?"),
            "{done:?}"
        );
    }
}

#[tokio::test]
async fn who_has_waited_is_not_told_to_wait() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}");
    let done = agentcall(&["card", "--local", &url]).await;
    assert!(done.code == 4 && done.err.contains("--wait waits for it"), "{done:?}");
    let done = agentcall(&["card", "--local", "--wait=0.3", &url]).await;
    assert!(
        done.code == 4 && done.err.contains("Is the agent running?") && !done.err.contains("--wait"),
        "{done:?}"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_scenario_is_told_whole_and_without_empty_hints() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let empty = agentcall(&["run", "http://127.0.0.1:1", &write("empty", "")]).await;
    assert!(
        empty.code == 2 && empty.err.contains("no step in it") && !empty.err.contains("hint:"),
        "{empty:?}"
    );
    let two = agentcall(&["run", "http://127.0.0.1:1", &write("two", "shout a\nend\nwait soon\n")]).await;
    assert!(two.err.contains("two:1:1:") && two.err.contains("Also wrong: 3:6: expected a time"), "{two:?}");
    let odd = write("odd", "expect event run.complete\n");
    let done = agentcall(&["run", "--local", "http://127.0.0.1:1", &odd]).await;
    assert!(done.err.contains("odd:1: the profile names no event"), "{done:?}");
}
