//! `agentcall devices --probe` on real readers: what one read took, and how many of many went well.

use std::path::Path;

use serde_json::Value;

use super::common::{Done, Running, finish};
use super::pcscd::Pcscd;
use super::place::{Place, is_silent_about_the_id};
use super::tag::Tag;

/// The commands that reading the tag takes.
const COMMANDS: u64 = 5;

/// One row of the table, by the names of its columns.
type Row = Vec<(String, String)>;

/// The rows behind the heading. No name here holds a comma.
fn rows(table: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(table).unwrap();
    assert!(text.ends_with("\r\n"), "{text}");
    let mut lines = text.split_terminator("\r\n").map(|line| line.split(',').map(str::to_owned));
    let columns: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|cells| {
            let cells: Vec<String> = cells.collect();
            assert_eq!(cells.len(), columns.len(), "{text}");
            columns.iter().cloned().zip(cells).collect()
        })
        .collect()
}

fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    &row.iter().find(|(name, _)| name == column).unwrap_or_else(|| panic!("no {column} in {row:?}")).1
}

/// What was told of each run, and then of all of them.
fn told(done: &Done) -> (Vec<Value>, Value) {
    let lines = done.json_lines();
    let runs = lines.iter().filter_map(|line| line.get("probe").cloned()).collect();
    (runs, lines.iter().find_map(|line| line.get("probes").cloned()).unwrap())
}

/// The time of one part of a run, in microseconds.
fn time(run: &Value, what: &str) -> Option<u64> {
    run["times"].as_array()?.iter().find(|time| time["what"] == what)?["us"].as_u64()
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

#[tokio::test]
async fn many_probes_tell_how_the_times_are_spread_and_leave_a_row_each() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &["--delay", "0.01"]).await;
    let (reader, table) = (place.daemon.name(0), place.home.path().join("runs.csv"));
    let args = ["devices", "--probe", "--repeat", "5", "--json", "--reader", &reader, "--csv"];
    let done = finish(place.command(&[&args[..], &[table.to_str().unwrap()]].concat())).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let (runs, all) = told(&done);
    assert_eq!((all["runs"].as_u64(), all["ok"].as_u64()), (Some(5), Some(5)), "{all}");
    assert_eq!(tag.commands().await.len() as u64, 5 * COMMANDS);
    for what in ["read", "apdus"] {
        let mut times: Vec<u64> = runs.iter().map(|run| time(run, what).unwrap()).collect();
        times.sort_unstable();
        assert!(times[0] >= COMMANDS * 10_000, "a tag that takes 10 ms a command: {times:?}");
        let spread = all["times"].as_array().unwrap().iter().find(|spread| spread["what"] == what).unwrap();
        let percentiles = ["p50_us", "p90_us", "p99_us", "max_us"].map(|part| spread[part].as_u64().unwrap());
        assert_eq!(percentiles, [times[2], times[4], times[4], times[4]], "{what}: {times:?}");
    }
    let rows = rows(&table);
    assert_eq!(rows.len(), 5, "{rows:?}");
    for (at, (row, run)) in rows.iter().zip(&runs).enumerate() {
        let number = (at + 1).to_string();
        for (column, held) in [
            ("run", &*number),
            ("sort", "reader"),
            ("name", &*reader),
            ("ok", "true"),
            ("technology", "Type 2"),
            ("ndef_bytes", "45"),
            ("apdu_count", "5"),
            ("error", ""),
        ] {
            assert_eq!(cell(row, column), held, "{column}: {row:?}");
        }
        for what in ["tag", "read", "apdus"] {
            let held = time(run, what).unwrap().to_string();
            assert_eq!(cell(row, &format!("{what}_us")), held, "{row:?}");
        }
    }
    assert!(is_silent_about_the_id(&done.out) && is_silent_about_the_id(&place.left()));
}

#[tokio::test]
async fn a_tag_torn_away_in_one_of_many_probes_lowers_the_rate_and_is_6() {
    let place = Place::new().await;
    let reader = place.daemon.name(0);
    for form in ["--json", "--reader"] {
        let table = place.home.path().join(format!("runs{form}.csv"));
        // The second run gets two answers; then the tag is gone until the third waits for one.
        let torn_after = (COMMANDS + 2).to_string();
        let mut tag = Tag::on(&place.daemon, &["--rip-after", &torn_after]).await;
        let args = ["devices", "--probe", "--repeat", "4", "--within", "3", "--csv", table.to_str().unwrap()];
        let args = [&args[..], &["--reader", &reader]].concat();
        let args = if form == "--json" { [&args[..], &[form]].concat() } else { args };
        let mut running = Running::start(place.command(&args));
        // The second run is over: it says that it read nothing.
        let mut said =
            running.until(if form == "--json" { "\"ok\":false" } else { "nothing was read" }).await;
        tag.tell("on").await;
        let mut done = running.end().await;
        said.push(std::mem::take(&mut done.out));
        done.out = said.join("\n");
        assert_eq!(done.code, 6, "{done:?}");
        if form == "--json" {
            let (runs, all) = told(&done);
            assert_eq!((all["runs"].as_u64(), all["ok"].as_u64()), (Some(4), Some(3)), "{all}");
            assert_eq!((all["with_ndef"].as_u64(), all["torn"].as_u64()), (Some(3), Some(1)), "{all}");
            let went: Vec<bool> = runs.iter().map(|run| run["ok"].as_bool().unwrap()).collect();
            assert_eq!(went, [true, false, true, true], "{runs:?}");
            let why = runs[1]["trouble"]["text"].as_str().unwrap();
            assert!(why.contains("middle of it"), "{why}");
            assert_eq!(done.err, "", "programs read one stream");
        } else {
            assert!(done.out.contains("3 of 4 read (75.0 %), 1 torn away on the way"), "{}", done.out);
            assert!(done.err.contains("torn away") && done.err.contains("after 2 APDUs"), "{}", done.err);
        }
        let rows = rows(&table);
        let went: Vec<&str> = rows.iter().map(|row| cell(row, "ok")).collect();
        assert_eq!(went, ["true", "false", "true", "true"], "{rows:?}");
        let torn: Vec<&str> = rows.iter().map(|row| cell(row, "torn")).collect();
        assert_eq!(torn, ["0", "1", "0", "0"], "{rows:?}");
        assert!(cell(&rows[1], "read_us").is_empty() && !cell(&rows[1], "error").is_empty(), "{rows:?}");
        assert!(is_silent_about_the_id(&done.out) && is_silent_about_the_id(&done.err));
    }
}

#[tokio::test]
async fn a_tag_that_comes_back_after_it_was_torn_away_is_read_and_the_tear_is_counted() {
    let place = Place::new().await;
    let (reader, table) = (place.daemon.name(0), place.home.path().join("runs.csv"));
    let mut tag = Tag::on(&place.daemon, &["--rip-after", "2"]).await;
    let args = ["devices", "--probe", "--repeat", "2", "--reader", &reader, "--csv", table.to_str().unwrap()];
    let mut running = Running::start(place.command(&args));
    tag.until(" rip ").await;
    tag.tell("on").await;
    let said = running.until("2 of 2 read").await;
    let done = running.end().await;
    assert_eq!(done.code, 0, "{said:?} {done:?}");
    assert!(said.last().unwrap().ends_with("2 of 2 read (100.0 %), 1 torn away on the way"), "{said:?}");
    let rows = rows(&table);
    assert_eq!([cell(&rows[0], "torn"), cell(&rows[1], "torn")], ["1", "0"], "{rows:?}");
}

#[tokio::test]
async fn a_damaged_message_is_no_silent_success_and_a_kind_without_one_is() {
    let place = Place::new().await;
    let reader = place.daemon.name(0);
    // A file that announces 255 bytes and has one.
    for (tag, why, all) in [
        ("--type t4 --file 00FF00", "NDEF message damaged: ", ", 0 with an NDEF message, 2 damaged"),
        (
            "--type classic",
            "no NDEF message: NDEF is not read from MIFARE Classic",
            ", 0 with an NDEF message",
        ),
    ] {
        let words: Vec<&str> = tag.split(' ').collect();
        let _tag = Tag::on(&place.daemon, &words).await;
        let table = place.home.path().join(format!("{}.csv", words[1]));
        let args = ["devices", "--probe", "--repeat", "2", "--reader", &reader, "--csv"];
        let done = finish(place.command(&[&args[..], &[table.to_str().unwrap()]].concat())).await;
        assert_eq!(done.code, 0, "{done:?}");
        assert_eq!(done.out.lines().filter(|line| line.contains(why)).count(), 2, "{}", done.out);
        assert!(done.out.contains(&format!("2 of 2 read (100.0 %){all}\n")), "{}", done.out);
        let text = std::fs::read_to_string(&table).unwrap();
        let notes =
            text.lines().filter(|line| line.contains("bytes") || line.contains("MIFARE Classic,")).count();
        assert!(notes >= 2 && text.starts_with("t_s,") && text.contains(",note,error\r\n"), "{text}");
    }
}

#[tokio::test]
async fn a_watch_waits_for_the_reader_that_is_named_and_shows_it_alone() {
    let mut place = Place::at(Pcscd::with(&["Identiv uTrust A", "Identiv uTrust B"]).await).await;
    let (one, other) = (place.daemon.name(0), place.daemon.name(1));
    let plain = finish(place.command(&["devices", "--reader", "uTrust"])).await;
    let watched = finish(place.command(&["devices", "--watch", "--reader", "uTrust"])).await;
    assert_eq!((watched.code, &watched.err), (6, &plain.err), "as without --watch: {watched:?}");
    assert!(watched.err.contains("give more of the name"), "{watched:?}");
    place.daemon.stop().await;
    let mut running = Running::start(place.command(&["devices", "--watch", "--reader", &one]));
    let mut said = running.until("Waiting for the reader").await;
    place.daemon.run().await;
    said.extend(running.until("+ reader      Identiv").await);
    running.signal(rustix::process::Signal::INT);
    let done = running.end().await;
    assert_eq!(done.code, 0, "{done:?}");
    let said = said.join("\n");
    assert!(
        said.contains(&format!("Waiting for the reader \"{one}\"; what there is now: SIMULATED tags.")),
        "{said}"
    );
    assert!(
        !said.contains(&other) && !done.out.contains(&other),
        "only that one is shown: {said} {}",
        done.out
    );
}
