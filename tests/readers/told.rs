//! What `agentcall run` tells of real readers, for programs and for people: what came, what was read, what went wrong, and
//! what to do about it.

use rustix::process::Signal;
use serde_json::Value;

use super::common::{Running, checked, finish};
use super::harness::Start;
use super::pcscd::Pcscd;
use super::place::{Place, is_silent_about_the_id, objects};
use super::tag::Tag;

/// What happened at a device, of all lines of `--json`, each held against its schema.
fn at_devices(lines: &[String]) -> Vec<Value> {
    lines.iter().filter_map(|line| checked(line).get("device").cloned()).collect()
}

/// Lines up to the event of this name.
async fn until(running: &mut Running, event: &str, said: &mut Vec<String>) {
    said.extend(running.until(&format!("\"event\":\"{event}\"")).await);
}

#[tokio::test]
async fn programs_get_a_line_for_everything_at_the_reader_and_none_holds_the_id() {
    let mut place = Place::new().await;
    let name = place.daemon.name(0);
    let mut tag = Tag::off(&place.daemon, &[]).await;
    // It is told that the tag is taken off as long as the session lasts.
    let steps = format!("{}wait 50s\n", place.scan());
    let mut running = Running::start(place.run(&["--allow", "reader", "--json"], &steps));
    let mut said = running.until("\"live\"").await;
    tag.tell("rip 3").await;
    tag.tell("on").await;
    until(&mut running, "torn_away", &mut said).await;
    until(&mut running, "removed", &mut said).await;
    place.daemon.kill().await;
    until(&mut running, "trouble", &mut said).await;
    place.daemon.run().await;
    until(&mut running, "recovered", &mut said).await;
    tag.tell("on").await;
    until(&mut running, "read", &mut said).await;
    said.extend(running.until("run.completed").await);
    tag.tell("off").await;
    until(&mut running, "removed", &mut said).await;
    running.signal(Signal::TERM);
    let done = running.end().await;
    assert_eq!((done.code, done.err.as_str()), (143, ""), "{}", done.out);
    said.extend(done.out.lines().map(str::to_owned));

    let told = at_devices(&said);
    let at_reader: Vec<&Value> = told.iter().filter(|device| device["name"] == *name).collect();
    let happened: Vec<&str> = at_reader
        .iter()
        .map(|device| device["event"].as_str().unwrap())
        .filter(|e| *e != "gone" && *e != "appeared")
        .collect();
    assert_eq!(happened, ["inserted", "torn_away", "removed", "inserted", "read", "removed"], "{told:#?}");
    assert!(told.iter().all(|device| device["device"] == "reader"), "{told:#?}");
    let torn = at_reader.iter().find(|device| device["event"] == "torn_away").unwrap();
    assert!(torn["text"].as_str().unwrap().contains("after 3 APDUs"), "{torn}");
    let trouble = told.iter().find(|device| device["event"] == "trouble").unwrap();
    assert_eq!(trouble["text"], "the PC/SC service went away", "{trouble}");
    assert!(trouble["hint"].as_str().unwrap().contains("pcscd"), "{trouble}");

    let read = at_reader.iter().find(|device| device["event"] == "read").unwrap();
    assert_eq!(read["technology"], "Type 2", "{read}");
    let apdus = read["apdus"].as_array().unwrap();
    let of = |field: &str| -> Vec<Value> { apdus.iter().map(|apdu| apdu[field].clone()).collect() };
    assert_eq!(of("header"), ["FFCA0000", "FFB00003", "FFB00007", "FFB0000B", "FFB0000F"], "{read}");
    assert_eq!(of("answered"), [7, 16, 16, 16, 4], "sizes and no bytes: {read}");
    assert!(of("status").iter().all(|status| status == "9000"), "{read}");
    let sum: u64 = apdus.iter().map(|apdu| apdu["us"].as_u64().unwrap()).sum();
    assert!(read["took_us"].as_u64().unwrap() >= sum && sum > 0, "{read}");
    assert!(is_silent_about_the_id(&said.join("\n")) && is_silent_about_the_id(&place.left()));
}

#[tokio::test]
async fn a_tag_torn_away_after_one_answer_is_told_in_good_english() {
    let place = Place::new().await;
    let mut tag = Tag::off(&place.daemon, &[]).await;
    let mut running = Running::start(place.run(&["--allow", "reader"], &place.scan()));
    running.until("session.established").await;
    tag.tell("rip 1").await;
    tag.tell("on").await;
    let said = running.until("torn away").await;
    assert!(said.last().unwrap().contains("after 1 APDU;"), "{said:?}");
    tag.until(" rip ").await;
    tag.tell("on").await;
    let done = running.end().await;
    assert!(done.code == 0 && done.out.contains(", 5 APDUs, "), "{done:?}");
}

// ── a reader that is not there ──

const OMNIKEY: &str = "HID Global OMNIKEY 5022 Smart Card Reader";

#[tokio::test]
async fn a_named_reader_that_is_not_there_is_6_to_a_script_and_those_that_are_are_named() {
    let place = Place::new().await;
    let (origin, name) = (format!("http://{}", place.agent.addr), place.daemon.name(0));
    let config = place.home.path().join("config.toml");
    std::fs::write(&config, "reader = \"OMNIKEY\"\n").unwrap();
    let steps = place.home.path().join("steps.agentcall");
    std::fs::write(&steps, "say hello\n").unwrap();
    let (config, steps) = (config.to_str().unwrap(), steps.to_str().unwrap());
    for chosen in [["--reader", "OMNIKEY"], ["--config", config]] {
        let run = [&["run", "--local", &origin], &chosen[..], &[steps]].concat();
        let done = finish(place.command(&run)).await;
        let says = |text: &str| text.contains("\"OMNIKEY\"") && text.contains(&name);
        assert!(done.code == 6 && done.out.is_empty() && says(&done.err), "{done:?}");
        let done = finish(place.command(&[&run[..], &["--json"]].concat())).await;
        let error = &done.json_lines()[0]["error"];
        assert_eq!((done.code, error["kind"].as_str()), (6, Some("device")), "{done:?}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(&name)), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_screen_waits_for_a_named_reader_and_for_the_service_behind_it() {
    let mut place = Place::at(Pcscd::stopped(&[OMNIKEY]).await).await;
    let origin = format!("http://{}", place.agent.addr);
    let mut pty =
        Start::agentcall(&["connect", "--local", &origin, "--reader", "5022 smart card reader 00 00"])
            .size(40, 160)
            .variable("PCSCLITE_CSOCK_NAME", place.daemon.socket().to_str().unwrap())
            .spawn();
    pty.wait_for("the reason why nothing can be scanned", |text| {
        text.contains("! the PC/SC service does not run") && text.contains("● live")
    });
    pty.send(b"s");
    pty.wait_for("the armed reader", |text| text.contains("hold a tag to the reader"));
    place.daemon.run().await;
    pty.wait_for("the reader", |text| text.contains("reader  HID Global OMNIKEY"));
    let _tag = Tag::on(&place.daemon, &["--type", "t4"]).await;
    pty.wait_for("the review", |text| text.contains("https://example.org/tag/42"));
    assert!(is_silent_about_the_id(&String::from_utf8_lossy(&pty.written())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_screen_says_which_readers_there_are_in_place_of_a_named_one() {
    let place = Place::new().await;
    let origin = format!("http://{}", place.agent.addr);
    let pty = Start::agentcall(&[
        "connect",
        "--local",
        &origin,
        "--reader",
        "omnikey",
        "--camera",
        "No Such Camera",
    ])
    .size(40, 160)
    .variable("PCSCLITE_CSOCK_NAME", place.daemon.socket().to_str().unwrap())
    .spawn();
    pty.wait_for("what is not there", |text| {
        text.contains("! no reader \"omnikey\" is plugged in; there are: ACS ACR122U")
            && text.contains("! there is no camera \"No Such Camera\"; available: SIMULATED")
    });
}

// ── a tag that has no stable identity ──

#[tokio::test]
async fn a_random_id_is_sent_only_where_the_step_insists_and_the_way_to_insist_is_told() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &["--type", "phone"]).await;
    let step = format!("scan reader:\"{}\"", place.daemon.name(0));
    let plain = format!("{step}\nexpect event run.completed\n");

    let done = finish(place.run(&["--allow", "reader"], &plain)).await;
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("this tag has no stable identity"), "{}", done.out);
    assert!(done.out.contains("→ The word insist in the step sends an alias all the same."), "{}", done.out);

    let done = finish(place.run(&["--allow", "reader", "--json"], &plain)).await;
    assert_eq!((done.code, objects(&done).len()), (1, 0), "{done:?}");
    let came = done.json_lines().iter().find_map(|line| line.get("scenario").cloned()).unwrap();
    assert!(came["hint"].as_str().is_some_and(|hint| hint.contains("insist")), "{came}");

    let insisting = format!("{step} insist\nexpect event run.completed\n");
    let mut aliases = Vec::new();
    for _ in 0..2 {
        let done = finish(place.run(&["--allow", "reader", "--json"], &insisting)).await;
        assert_eq!(done.code, 0, "{done:?}");
        let objects = objects(&done);
        assert_eq!(objects.len(), 1, "{}", done.out);
        let alias = objects[0]["objectRef"].as_str().unwrap().to_owned();
        assert!(alias.starts_with("urn:agentcall:local:"), "{alias}");
        aliases.push(alias);
        // Away and back: a phone that is held to it once more.
        tag.place("--type phone --seed 7").await;
    }
    assert_ne!(aliases[0], aliases[1], "it names one tap");
    let ids: Vec<String> = tag
        .exchanges()
        .await
        .into_iter()
        .filter(|e| e.command == "FFCA000000")
        .filter_map(|e| e.answer)
        .collect();
    assert!(ids.iter().all(|id| id.starts_with("08")), "{ids:?}");
}
