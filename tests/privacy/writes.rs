//! What `run` and `card` write: for people, for programs, to disk, and over the wire.

use std::path::{Path, PathBuf};

use agentcall::observation::ndef::{RawRecord, encode_message};
use serde_json::Value;

use crate::common::{Done, agentcall, command, finish, root};
use crate::hostile::{Heard, Hostile, Refusal};
use crate::search::leaks;
use crate::secrets::{Photo, TOKEN};

/// The longest beginning of a secret that a single frame may show.
const SHOWN: usize = 5;

const STEPS: &str = "\
say hello
scan tag:uid=04A1B2C3D4E5F6
scan tag:ASSETS/tags/plant.nfc
scan tag:ASSETS/tags/toolbox.nfc
scan tag:TAGS/mirror.ndef
scan tag:TAGS/words.ndef
capture file:ASSETS/pictures/desk.png
say what did you see
say in pieces
say fail
expect failure
scan tag:uid=04A1B2C3D4E5F6 unrelated
expect text \"never said\" within 100ms
";

/// What tags say that repeat the token, and an id that was read before.
const MIRRORED: [&str; 2] = [
    "https://t.example/?uid=04A1B2C3D4E5F6x00002A&t=tok-4f1c9a7e2b-WorkshopBench",
    "urn:agentcall:object:tok-4f1c9a7e2b-WorkshopBench",
];

fn write_tags(directory: &Path) {
    let words = format!("{TOKEN} 04:A1:B2:C3:D4:E5:F6");
    let tags = [
        ("mirror.ndef", vec![RawRecord::uri(MIRRORED[0]), RawRecord::text("en", &words)]),
        ("words.ndef", vec![RawRecord::uri(MIRRORED[1])]),
    ];
    for (name, records) in tags {
        std::fs::write(directory.join(name), encode_message(&records).unwrap()).unwrap();
    }
}

async fn run(hostile: &Hostile, home: &Path, scripts: &Path, flags: &[&str]) -> Done {
    let assets = root().join("assets").display().to_string();
    let script = scripts.join("steps.agentcall");
    write_tags(scripts);
    let steps = STEPS.replace("ASSETS", &assets).replace("TAGS", &scripts.display().to_string());
    std::fs::write(&script, steps).unwrap();
    let script = script.display().to_string();
    let args = ["run", "--local", "--token-env", "WORKSHOP_TOKEN", &hostile.origin, &script];
    let args: Vec<&str> = args.into_iter().chain(flags.iter().copied()).collect();
    let mut command = command(home, &args);
    command.env("WORKSHOP_TOKEN", TOKEN);
    finish(command).await
}

/// Every file below `directory`.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// The photo, which went over the wire in one frame alone; the token in the upgrade's header alone, an id nowhere.
fn hold_the_wire(heard: &Heard) -> Photo {
    assert_eq!(heard.tokens, [format!("Bearer {TOKEN}")]);
    let (with, without): (Vec<&String>, Vec<&String>) =
        heard.frames.iter().partition(|frame| frame.contains("\"image\""));
    assert_eq!(with.len(), 1, "one capture, one frame");
    let observation: Value = serde_json::from_str(with[0]).unwrap();
    let photo = Photo::of(observation["observation"]["image"]["data"].as_str().unwrap());
    assert_eq!(with[0].matches(&photo.base64).count(), 1);
    let rest = with[0].replace(&photo.base64, "");
    for text in without.into_iter().map(String::as_str).chain([rest.as_str()]) {
        // What a tag says of its object is sent as it stands, even if it is our token or another tag's id.
        let text = MIRRORED.iter().fold(text.to_owned(), |text, said| text.replace(said, ""));
        assert_eq!(leaks(text.as_bytes(), &photo), Vec::<String>::new(), "{text}");
    }
    for head in &heard.heads {
        assert_eq!(leaks(head.as_bytes(), &photo), Vec::<String>::new(), "{head}");
    }
    assert!(heard.frames.iter().filter(|f| f.contains("objectRef")).count() >= 4, "the tags were sent");
    photo
}

/// The texts of all deltas, one after another, as somebody would join them who has only the single frames.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let frame = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let event = value.get("event").or_else(|| value.pointer("/frame/event"))?.clone();
        (event["type"] == "text.delta").then(|| event["text"].as_str().unwrap().to_owned())
    };
    lines.filter_map(frame).collect()
}

/// What of the agent's words is found: each of these kinds.
fn assert_all_kinds(found: &[String]) {
    for kind in [
        "the token",
        "the token in base64",
        "the token in hexadecimal",
        "the token in numbers",
        "an id in hexadecimal",
        "an id as a number",
        "an id in base64",
        "an id in numbers",
        "the photo in base64",
        "the photo in hexadecimal",
        "the photo in numbers",
    ] {
        assert!(found.iter().any(|what| what == kind), "{kind} is not in {found:?}");
    }
}

#[tokio::test]
async fn nothing_that_is_written_holds_an_id_the_token_or_the_photo() {
    for flags in [vec!["--json"], vec![]] {
        let hostile = Hostile::start(Refusal::None).await;
        let (home, scripts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let done = run(&hostile, home.path(), scripts.path(), &flags).await;
        assert_eq!(done.code, 1, "the last expectation fails, and says what came instead: {}", done.err);
        let heard = hostile.heard();
        let photo = hold_the_wire(&heard);

        // What the agent said is full of it, whole and in pieces: the search is not blind.
        let (in_pieces, whole): (Vec<&String>, Vec<&String>) =
            heard.said.iter().partition(|frame| frame.len() < 200 && frame.contains("text.delta"));
        let lines =
            |frames: &[&String]| frames.iter().map(|frame| frame.as_str()).collect::<Vec<_>>().join("\n");
        assert_all_kinds(&leaks(lines(&whole).as_bytes(), &photo));
        assert_all_kinds(&leaks(joined(in_pieces.into_iter().map(String::as_str)).as_bytes(), &photo));

        // What people and programs read. It says that something was hidden.
        let hidden = ["[scrubbed: token]", "[scrubbed: tag id]", "[scrubbed: image data]"];
        // For people texts are cut.
        let told = if flags.is_empty() { &hidden[..2] } else { &hidden };
        told.iter().for_each(|hidden| assert!(done.out.contains(hidden), "{hidden} is nowhere"));
        assert_eq!(leaks(done.out.as_bytes(), &photo), Vec::<String>::new());
        assert_eq!(leaks(done.err.as_bytes(), &photo), Vec::<String>::new(), "{}", done.err);
        if flags == ["--json"] {
            let joined = joined(done.out.lines());
            assert!(joined.contains("[scrubbed: beginning of a secret]"), "{joined}");
            // A piece of a photo looks like any word: single frames show it, the joined text above does not.
            assert_eq!(leaks(joined.as_bytes(), &Photo::default()), Vec::<String>::new());
            let begun = &TOKEN[..SHOWN + 1];
            assert!(!joined.to_ascii_lowercase().contains(begun), "{joined}");
        }

        // What is on disk, temporary files too: the device key, and nothing else.
        let left = files(home.path());
        let names: Vec<_> = left.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["device.key"]);
        for path in left {
            let found = leaks(&std::fs::read(&path).unwrap(), &photo);
            assert_eq!(found, Vec::<String>::new(), "{}", path.display());
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
    }
}

#[tokio::test]
async fn refusals_that_repeat_the_token_are_told_without_it() {
    let scripts = tempfile::tempdir().unwrap();
    let script = scripts.path().join("hello.agentcall");
    std::fs::write(&script, "say hello\n").unwrap();
    let script = script.display().to_string();
    for refusal in [Refusal::Card, Refusal::Redirect, Refusal::Fields, Refusal::Upgrade, Refusal::Close] {
        let hostile = Hostile::start(refusal).await;
        for (verb, script) in [("run", Some(script.as_str())), ("card", None)] {
            for json in [None, Some("--json")] {
                let home = tempfile::tempdir().unwrap();
                let args = [verb, "--local", "--token-env", "WORKSHOP_TOKEN", &hostile.origin];
                let args: Vec<&str> = args.into_iter().chain(script).chain(json).collect();
                let mut command = command(home.path(), &args);
                command.env("WORKSHOP_TOKEN", TOKEN);
                let done = finish(command).await;
                let is_told = verb == "run" || !matches!(refusal, Refusal::Upgrade | Refusal::Close);
                assert!(!is_told || done.code != 0, "{refusal:?} {args:?}: {done:?}");
                let said = format!("{}{}", done.out, done.err);
                assert_eq!(
                    leaks(said.as_bytes(), &Photo::default()),
                    Vec::<String>::new(),
                    "{refusal:?} {args:?}: {said}"
                );
                // Not in pieces either.
                assert!(!said.to_ascii_lowercase().contains(&TOKEN[..12]), "{refusal:?} {args:?}: {said}");
            }
        }
        assert!(hostile.heard().heads.len() >= 4, "{refusal:?}: it was asked");
    }
}

#[tokio::test]
async fn what_is_typed_wrong_is_not_repeated() {
    let scripts = tempfile::tempdir().unwrap();
    let photo = Photo::default();
    let script = |text: &str| {
        let path = scripts.path().join("wrong.agentcall");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let slip = script("scan tag:uid=04A1B2C3D4E5F6 intent=buy\n");
    for args in [
        vec!["run", "http://127.0.0.1:1", slip.as_str()],
        vec!["run", "http://127.0.0.1:1", "s", "--uid=04A1B2C3D4E5F6"],
        vec!["card", "http://127.0.0.1:1", "tag:uid=04A1B2C3D4E5F6"],
        vec!["card", "https://agent.example/?token=tok-4f1c9a7e2b-WorkshopBench", "--token-env", TOKEN],
        vec!["card", "http://u:tok-4f1c9a7e2b-WorkshopBench@agent.example/"],
    ] {
        for json in [false, true] {
            let args: Vec<&str> = args.iter().copied().chain(json.then_some("--json")).collect();
            let done = agentcall(&args).await;
            assert!(done.code != 0, "{args:?}");
            let said = format!("{}{}", done.out, done.err);
            assert_eq!(leaks(said.as_bytes(), &photo), Vec::<String>::new(), "{said}");
        }
    }
}
