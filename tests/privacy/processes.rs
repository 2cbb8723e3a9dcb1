//! What other processes can see.

use crate::common::{PATIENCE, Running, command};
use crate::hostile::{Hostile, Refusal};
use crate::secrets::TOKEN;

#[tokio::test]
async fn the_process_list_shows_no_token_and_children_inherit_none() {
    let hostile = Hostile::start(Refusal::None).await;
    let (home, scripts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let script = scripts.path().join("shots.agentcall");
    std::fs::write(&script, "capture camera:\"test card\"\n".repeat(10)).unwrap();
    let script = script.display().to_string();
    let mut command =
        command(home.path(), &["run", "--local", "--token-env", "WORKSHOP_TOKEN", &hostile.origin, &script]);
    command.env("WORKSHOP_TOKEN", TOKEN);
    let run = Running::start(command);
    let parent = run.child.id().unwrap();
    let mut watching = tokio::task::spawn_blocking(move || watch(parent));
    let children = tokio::time::timeout(PATIENCE, &mut watching).await.expect("a child is seen").unwrap();
    assert!(children > 0);
    assert_eq!(run.end().await.code, 1, "the agent broke rules, as it does");
}

/// Looks at the process and its children until it ends; how many looks found a child.
fn watch(parent: u32) -> usize {
    let mut looks = 0;
    let of = |pid: u32, what: &str| std::fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
    let has_token = |bytes: &[u8]| bytes.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes());
    loop {
        // Empty of a process that has ended, and for a moment of one that begins.
        let arguments = of(parent, "cmdline");
        if arguments.is_empty() && has_ended(parent) {
            return looks;
        }
        assert!(!has_token(&arguments));
        for child in children_of(parent) {
            // Between fork and exec it still is the parent, whose own environment holds what the user put there; so
            // the environment counts when the arguments, read first, are the child's.
            let (arguments, environment) = (of(child, "cmdline"), of(child, "environ"));
            assert!(!has_token(&arguments), "child {child}");
            let is_camera = arguments.windows(8).any(|window| window == b"__camera");
            assert!(!is_camera || !has_token(&environment), "child {child}");
            looks += usize::from(is_camera);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn has_ended(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // `pid (name) state …`, which nobody has taken note of yet where it is a zombie.
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
}

fn children_of(parent: u32) -> Vec<u32> {
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // `pid (name) state parent …`
    let parent_of = |pid: u32| {
        stat(pid).rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok())
    };
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}
