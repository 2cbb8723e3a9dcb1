//! The program itself, as people start it: `run` and `devices` on real readers.

use std::path::Path;
use std::time::Duration;

use agentcall::agent::{AgentConfig, Running as Agent, serve};
use agentcall::redact::{TagUid, spells_uid};
use serde_json::Value;
use tokio::process::Command;

use super::common::{Done, Running, command, finish};
use super::pcscd::{ACR122U, Pcscd};
use super::tag::Tag;

/// The id of the Type 2 and Type 4 tags.
const ID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];

/// An agent, a home, and a daemon whose readers the program finds.
struct Place {
    agent: Agent,
    home: tempfile::TempDir,
    daemon: Pcscd,
}

impl Place {
    async fn new() -> Self {
        Self::at(Pcscd::start().await).await
    }

    async fn at(daemon: Pcscd) -> Self {
        let config = AgentConfig { delta_interval: Duration::from_millis(1), ..AgentConfig::default() };
        Self { agent: serve(config).await.unwrap(), home: tempfile::tempdir().unwrap(), daemon }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(self.home.path(), args);
        command.env("PCSCLITE_CSOCK_NAME", self.daemon.socket());
        command
    }

    /// `run` with these steps on the first reader.
    fn run(&self, flags: &[&str], steps: &str) -> Command {
        let file = self.home.path().join("steps.agentcall");
        std::fs::write(&file, steps).unwrap();
        let (origin, reader) = (format!("http://{}", self.agent.addr), self.daemon.name(0));
        let args =
            [&["run", "--local", &origin, "--reader", &reader], flags, &[file.to_str().unwrap()]].concat();
        self.command(&args)
    }

    /// A scan on the first reader, and the agent's answer.
    fn scan(&self) -> String {
        format!("scan reader:\"{}\"\nexpect event run.completed\n", self.daemon.name(0))
    }

    /// Everything that the program left in its home, as text.
    fn left(&self) -> String {
        let mut left = String::new();
        gather(self.home.path(), &mut left);
        left
    }
}

fn gather(dir: &Path, left: &mut String) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, left);
        } else {
            left.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        }
    }
}

/// The objects of the observations that were sent.
fn objects(done: &Done) -> Vec<Value> {
    done.json_lines().iter().filter_map(|line| line.pointer("/frame/observation/object").cloned()).collect()
}

/// The id stands nowhere, however it is spelt.
fn is_silent_about_the_id(text: &str) -> bool {
    let condensed: String =
        text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let backwards: Vec<u8> = ID.iter().rev().copied().collect();
    let number = ID.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)).to_string();
    !spells_uid(&TagUid::new(&ID), text)
        && !condensed.contains(&data_encoding::HEXLOWER.encode(&ID))
        && !condensed.contains(&data_encoding::HEXLOWER.encode(&backwards))
        && !text.contains(&data_encoding::BASE64.encode(&ID))
        && !text.contains(&number)
}

#[tokio::test]
async fn a_scenario_scans_tags_of_every_kind_and_the_agent_gets_what_they_say() {
    let place = Place::new().await;
    let mut tag = Tag::off(&place.daemon, &[]).await;
    for (what, carrier) in [
        ("--type t2", "uri"),
        ("--type t3", "uri"),
        ("--type t4", "uri"),
        ("--type t5", "uri"),
        ("--type classic", "alias"),
        // B1: the factory's lock block, then a text and nothing that is a reference.
        ("--type t2 --tlv 0103A00C340312D1010E5402656E6B697373202D20636F6C64FE", "alias"),
    ] {
        tag.place(what).await;
        let done = finish(place.run(&["--allow", "reader", "--json"], &place.scan())).await;
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{what}: {}", done.out);
        let objects = objects(&done);
        assert_eq!(objects.len(), 1, "{what}: {}", done.out);
        let reference = objects[0]["objectRef"].as_str().unwrap();
        match carrier {
            "uri" => assert_eq!(reference, "https://example.org/tag/42", "{what}"),
            _ => assert!(reference.starts_with("urn:agentcall:local:"), "{what}: {reference}"),
        }
    }
}

#[tokio::test]
async fn the_id_of_a_tag_stands_nowhere() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &["--cc", "00000000"]).await;
    let steps = place.scan();
    let mut said = String::new();
    for flags in [&["--allow", "reader", "--json"][..], &["--allow", "reader"]] {
        let done = finish(place.run(flags, &steps)).await;
        assert_eq!(done.code, 0, "{done:?}");
        said.push_str(&done.out);
        said.push_str(&done.err);
    }
    let reader = place.daemon.name(0);
    for flags in [&["--json"][..], &[]] {
        let args = [&["devices", "--probe", "--reader", &reader], flags].concat();
        let done = finish(place.command(&args)).await;
        assert_eq!(done.code, 0, "{done:?}");
        said.push_str(&done.out);
        said.push_str(&done.err);
    }
    assert!(tag.exchanges().await.iter().any(|e| e.answer.as_deref() == Some("04A1B2C3D4E5F69000")));
    assert!(said.contains("urn:agentcall:local:") && said.contains("FF CA"), "it was read: {said}");
    assert!(is_silent_about_the_id(&said), "{said}");
    assert!(is_silent_about_the_id(&place.left()));
}

#[tokio::test]
async fn nothing_is_sent_to_a_tag_that_no_step_scans_or_no_flag_allows() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &[]).await;
    let talk = "say hello\nexpect event run.completed\n";
    let done = finish(place.run(&["--allow", "reader"], talk)).await;
    assert_eq!(done.code, 0, "{done:?}");
    let steps = format!("scan reader:\"{}\"\n", place.daemon.name(0));
    let refused = finish(place.run(&[], &steps)).await;
    assert!(refused.code == 2 && refused.err.contains("--allow reader"), "{refused:?}");
    let listed = finish(place.command(&["devices", "--json"])).await;
    assert_eq!(listed.code, 0, "{listed:?}");
    assert_eq!(tag.commands().await.len(), 0);
}

#[tokio::test]
async fn a_daemon_killed_and_a_tag_torn_away_are_survived_inside_one_step() {
    let mut place = Place::new().await;
    let mut tag = Tag::off(&place.daemon, &["--type", "t4"]).await;
    let steps = place.scan();
    let mut running = Running::start(place.run(&["--allow", "reader", "--json"], &steps));
    running.until("\"live\"").await;
    tag.tell("rip 3").await;
    tag.tell("on").await;
    running.until("torn away").await;
    place.daemon.kill().await;
    running.until("the PC/SC service went away").await;
    place.daemon.run().await;
    tag.tell("on").await;
    running.until("https://example.org/tag/42").await;
    let done = running.end().await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
}

#[tokio::test]
async fn devices_names_readers_and_what_is_wrong_with_them() {
    let place = Place::new().await;
    let name = place.daemon.name(0);
    let listed = finish(place.command(&["devices", "--json", "--reader", &name])).await;
    assert_eq!(listed.code, 0, "{listed:?}");
    let found = &listed.json_lines()[0]["found"];
    assert_eq!((found["name"].as_str(), found["kind"].as_str()), (Some(&*name), Some("contactless")));
    let missing = finish(place.command(&["devices", "--reader", "OMNIKEY"])).await;
    assert!(
        missing.code == 6 && missing.err.contains("OMNIKEY") && missing.err.contains(&name),
        "{missing:?}"
    );
    let absent = Place::at(Pcscd::stopped(&[ACR122U]).await).await;
    let listed = finish(absent.command(&["devices"])).await;
    assert!(listed.out.to_lowercase().contains("the pc/sc service does not run"), "{listed:?}");
    assert!(listed.out.contains("pcscd"), "{listed:?}");
}

#[tokio::test]
async fn a_probe_tells_what_a_read_took_without_any_agent() {
    let place = Place::new().await;
    let _tag = Tag::on(&place.daemon, &["--delay", "0.01"]).await;
    let reader = place.daemon.name(0);
    let done = finish(place.command(&["devices", "--probe", "--json", "--reader", &reader])).await;
    assert_eq!(done.code, 0, "{done:?}");
    let probe = done.json_lines().into_iter().find_map(|line| line.get("probe").cloned()).unwrap();
    assert_eq!(
        (probe["technology"].as_str(), probe["ndef_bytes"].as_u64()),
        (Some("Type 2"), Some(45)),
        "{probe}"
    );
    assert_eq!(probe["apdus"].as_array().unwrap().len(), 5, "{probe}");
}
