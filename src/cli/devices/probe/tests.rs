use std::time::Duration;

use futures_util::future::BoxFuture;

use super::*;
use crate::device::Armed;
use crate::device::nfc::{
    Apdu, Happened, NfcError, NfcReader, NoNdef, RawTag, ReaderTrouble, Scanned, TagRead, Told,
};
use crate::redact::TagUid;

/// A reader on which something happens at each scan.
struct Played(Vec<Result<RawTag, ReaderTrouble>>);

impl NfcReader for Played {
    fn name(&self) -> &str {
        "ACR122U"
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn label(&self) -> String {
        "ACR122U".to_owned()
    }

    fn scan<'a>(&'a mut self, armed: &'a Armed, told: Told) -> BoxFuture<'a, Result<Scanned, NfcError>> {
        assert!(armed.permits(crate::device::DeviceKind::Reader), "each run has a consent of its own");
        let next = self.0.remove(0);
        Box::pin(async move {
            let tag = next.map_err(NfcError::Trouble)?;
            told.tell("ACR122U", Happened::Inserted { lay_there: false });
            told.tell("ACR122U", Happened::TornAway { after: 2 });
            let apdu = |header, answered, us| Apdu {
                header,
                sent: 5,
                answered,
                status: Some(0x9000),
                took: Duration::from_micros(us),
            };
            let apdus = vec![apdu([0xFF, 0xCA, 0, 0], 7, 900), apdu([0xFF, 0xB0, 0, 4], 16, 1_100)];
            let took = Duration::from_micros(2_100);
            told.tell("ACR122U", Happened::Read(TagRead { technology: "Type 2", took, apdus }));
            Ok(Scanned { tag, reader: "ACR122U".to_owned() })
        })
    }
}

fn tag(ndef: Result<usize, &str>) -> RawTag {
    let ndef = match ndef {
        Ok(bytes) => Ok(vec![0x55; bytes].into()),
        Err(why) => Err(NoNdef { why: why.to_owned(), damaged: why.starts_with("its length") }),
    };
    let uid = Some(TagUid::new(&[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]));
    RawTag::Read { technology: "Type 2", ndef, uid }
}

fn plan(played: Vec<Result<RawTag, ReaderTrouble>>) -> Plan {
    let repeat = u32::try_from(played.len()).unwrap();
    let reader = Some(ReaderTarget::new(Box::new(Played(played)), None));
    Plan { reader, camera: None, repeat, within: Duration::from_secs(30), csv: None }
}

/// How it ended, standard output, standard error.
async fn probed(plan: Plan, form: Form) -> (Result<Exit, Failure>, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut printer = Printer::new(form, &mut out, &mut err);
    let ended = probe(plan, 100, &mut Signals::listen().unwrap(), &mut printer).await;
    (ended, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[tokio::test]
async fn one_tag_is_told_with_its_commands_and_nothing_of_it() {
    let (ended, out, err) = probed(plan(vec![Ok(tag(Ok(1_046)))]), Form::Text).await;
    assert_eq!(ended, Ok(Exit::Well));
    let out: Vec<&str> = out.lines().collect();
    assert_eq!(out[0], "ACR122U");
    assert_eq!(out[1], "  Type 2 · NDEF message of 1,046 bytes · 2 APDUs · 1 torn away on the way");
    assert!(
        out[2].starts_with("  a tag came after ") && out[2].ends_with(" · read 2.1 ms · in APDUs 2.0 ms"),
        "{out:?}"
    );
    assert_eq!(
        out[3..],
        [
            "    FF CA 00 00  →    7 bytes  9000        900 µs",
            "    FF B0 00 04  →   16 bytes  9000      1,100 µs"
        ]
    );
    assert!(err.starts_with("ARMED: hold a tag to ACR122U, for at most 30 s.\n"), "{err}");
    assert!(err.contains("tag torn away from ACR122U after 2 APDUs"), "{err}");
}

#[tokio::test]
async fn nothing_of_a_tag_is_in_what_programs_get() {
    let (ended, out, _) = probed(plan(vec![Ok(tag(Ok(46)))]), Form::Json).await;
    assert_eq!(ended, Ok(Exit::Well));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].contains(r#""waiting":{"sort":"reader","name":"ACR122U","seconds":30.0}"#), "{out}");
    assert!(
        lines[1].contains(r#""ok":true,"technology":"Type 2","ndef_bytes":46,"apdus":[{"header":"FFCA0000""#),
        "{out}"
    );
    let upper = out.to_uppercase();
    for spelling in ["A1B2C3", "A1 B2 C3", "A1:B2", "5555", "UUUU"] {
        assert!(!upper.contains(spelling), "{spelling}: {out}");
    }
}

#[tokio::test]
async fn many_runs_end_with_a_rate_and_a_table_on_screen_and_in_a_file() {
    let place = tempfile::tempdir().unwrap();
    let csv = place.path().join("runs.csv");
    let frozen = ReaderTrouble::Frozen { within: Duration::from_secs(2) };
    let empty = "the tag is not formatted for NDEF";
    let damaged = "its length says 255 bytes; the file has room for 1";
    let played = vec![Ok(tag(Ok(46))), Err(frozen), Ok(tag(Err(empty))), Ok(tag(Err(damaged)))];
    let plan = Plan { csv: Some(csv.clone()), ..plan(played) };
    let (ended, out, _) = probed(plan, Form::Text).await;
    assert_eq!(ended, Err(Failure::silent(Kind::Device)), "one of them failed");
    assert!(
        out.contains(
            "\n   2  ACR122U  nothing was read\n  ! No tag was read: the PC/SC service does not answer"
        ),
        "{out}"
    );
    for (run, ndef) in [
        (1, "NDEF message of 46 bytes".to_owned()),
        (3, format!("no NDEF message: {empty}")),
        (4, format!("NDEF message damaged: {damaged}")),
    ] {
        let line = format!("   {run}  Type 2 · {ndef} · 2 APDUs · 1 torn away on the way · read 2.1 ms");
        assert!(out.contains(&line), "{line}: {out}");
    }
    let all = "ACR122U: 3 of 4 read (75.0 %), 1 with an NDEF message, 1 damaged, 3 torn away on the way\n";
    assert!(out.contains(all), "{out}");
    assert!(out.contains("  read                2.1 ms      2.1 ms      2.1 ms      2.1 ms\n"), "{out}");
    let table = std::fs::read_to_string(csv).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{table}");
    let cell = |row: usize, column: &str| rows[row][rows[0].iter().position(|name| *name == column).unwrap()];
    assert_eq!([cell(1, "ok"), cell(1, "read_us"), cell(1, "ndef_bytes")], ["true", "2100", "46"]);
    assert_eq!([cell(2, "ok"), cell(2, "read_us")], ["false", ""]);
    assert!(cell(2, "error").contains("does not answer"), "{table}");
    assert_eq!([cell(1, "torn"), cell(2, "torn")], ["1", "0"], "of the second nothing came");
    assert_eq!([cell(1, "note"), cell(2, "note")], ["", ""]);
    assert_eq!(cell(3, "note"), "The tag is not formatted for NDEF.");
    assert_eq!(cell(4, "note"), "Its length says 255 bytes; the file has room for 1.");
}

#[tokio::test]
async fn a_damaged_content_is_marked_for_programs_and_a_kind_without_one_is_not() {
    let damaged = "its length says 255 bytes; the file has room for 1";
    let played = vec![Ok(tag(Err(damaged))), Ok(tag(Err("NDEF is not read from MIFARE Classic")))];
    let (ended, out, _) = probed(plan(played), Form::Json).await;
    assert_eq!(ended, Ok(Exit::Well), "each tag was read");
    let lines: Vec<&str> = out.lines().filter(|line| line.contains("\"probe")).collect();
    assert!(lines[0].contains(r#""no_ndef":"Its length says 255 bytes; the file has room for 1.""#), "{out}");
    assert!(lines[0].contains(r#""damaged":true"#) && !lines[1].contains("damaged"), "{out}");
    assert!(lines[0].contains(r#""torn":1"#), "{out}");
    assert!(lines[2].contains(r#""runs":2,"ok":2,"with_ndef":0,"damaged":1,"torn":2"#), "{out}");
}

#[test]
fn of_several_readers_each_line_names_its_own_and_a_long_heading_counts_them() {
    let record = |name: &str| ProbeRecord {
        sort: "reader",
        name: name.to_owned(),
        run: 3,
        ok: true,
        technology: Some("Type 2".to_owned()),
        ndef_bytes: Some(46),
        ..ProbeRecord::default()
    };
    let look = Look { width: 100, devices: 4 };
    assert_eq!(look.run(&record("ACR122U"), 9), ["   3  ACR122U  Type 2 · NDEF message of 46 bytes"]);
    assert!(Look { devices: 1, ..look }.run(&record("ACR122U"), 9)[0].starts_with("   3  Type 2"));
    let all = |names: &str, devices| {
        let probes = ProbesRecord {
            sort: "reader",
            name: names.to_owned(),
            runs: 9,
            ok: 9,
            with_ndef: Some(9),
            damaged: Some(0),
            torn: Some(0),
            times: Vec::new(),
        };
        Look { width: 100, devices }.all(&probes).concat()
    };
    let long = ["ACS ACR122U PICC Interface 00 00"; 4].join(", ");
    assert_eq!(all(&long, 4), "4 readers: 9 of 9 read (100.0 %)");
    assert_eq!(all("A, B", 2), "A, B: 9 of 9 read (100.0 %)");
    assert_eq!(all(&long, 1), format!("{long}: 9 of 9 read (100.0 %)"), "one name is never left out");
    let failed = ProbeRecord {
        trouble: Some(crate::trace::found::WrongRecord { text: "No tag came.".to_owned(), hint: None }),
        ..record(&long)
    };
    assert_eq!(look.run(&failed, 9)[0], "   3  4 readers  nothing was read");
}
