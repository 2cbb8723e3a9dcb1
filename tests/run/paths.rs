//! Files that the user names may be anything; each is one line, soon, and nothing is sent.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::common::{agentcall, closed_port};

/// Longer than reading anything here may take, and shorter than a pipe without a writer is waited for twice.
const SOON: Duration = Duration::from_secs(15);

/// What is named, what the line about it holds, and whether it is read at all.
fn paths(home: &Path) -> Vec<(PathBuf, &'static str)> {
    let broken = home.join("broken");
    std::fs::write(&broken, [b'a', b'\n', 0xff, 0xfe, 0]).unwrap();
    vec![
        (home.to_path_buf(), "is a directory"),
        (home.join("nothing here"), "No such file"),
        (PathBuf::from("x".repeat(5_000)), "File name too long"),
        (home.join("broken/below a file"), "Not a directory"),
        (PathBuf::from("/dev/zero"), "more than|larger than|512|UTF-8|empty"),
        (PathBuf::from("/dev/null"), ""),
        (broken, ""),
        (unreadable(home), "denied|No such device"),
    ]
}

/// A file that nobody can open: a socket, because for the superuser every mode is open.
fn unreadable(home: &Path) -> PathBuf {
    let path = home.join("socket");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    path
}

#[tokio::test]
async fn whatever_a_path_names_is_one_line_soon() {
    let home = tempfile::tempdir().unwrap();
    let good = home.path().join("good.agentcall");
    std::fs::write(&good, "say hi\n").unwrap();
    let (good, closed) = (good.display().to_string(), closed_port());
    for (path, said) in paths(home.path()) {
        let path = path.display().to_string();
        let uses: [&[&str]; 5] = [
            &["run", "--local", "--config", &path, &closed, &good],
            &["run", "--local", "--token-file", &path, &closed, &good],
            &["run", "--local", "--ca", &path, &closed, &good],
            &["run", "--local", &closed, &path],
            &["card", &path],
        ];
        for args in uses {
            let begun = Instant::now();
            let done = agentcall(args).await;
            let what =
                format!("{} {}…: {done:?}", args[..args.len() - 1].join(" "), &path[..path.len().min(40)]);
            assert!(begun.elapsed() < SOON, "{what}");
            // An empty file is empty settings, which then find nobody at home; a card that is read is told of as a card.
            assert!([2, 3, 4].contains(&done.code), "{what}");
            let told = if done.err.is_empty() { &done.out } else { &done.err };
            assert!(done.code == 3 || told.starts_with("agentcall: "), "{what}");
            assert!(told.lines().count() <= 4 && told.len() < 1_000, "a line and a hint: {what}");
            assert!(said.is_empty() || said.split('|').any(|part| told.contains(part)), "{what}");
            assert!(!told.contains("panicked") && (done.code != 2 || done.out.is_empty()), "{what}");
        }
    }
}
