//! What the screen shows, frame by frame, and what it hands to the terminal besides: the clipboard, titles, the last line.

use data_encoding::BASE64;
use vt100::Parser;

#[allow(dead_code, reason = "each test binary uses its own part")]
#[path = "../terminal/harness.rs"]
mod harness;

use self::harness::Pty;
use crate::common::root;
use crate::hostile::{Hostile, Refusal};
use crate::search::leaks;
use crate::secrets::{Photo, TOKEN};

/// Rows and columns of a screen that shows one pane at a time, so that a line that is wrapped goes on in the next row.
const SIZE: (u16, u16) = (60, 60);
/// Bytes after which the screen is looked at.
const STEP: usize = 512;

/// Screens that these bytes draw: what stands there after every so many of them, which is more often than a frame.
fn screens(written: &[u8]) -> Vec<String> {
    let mut parser = Parser::new(SIZE.0.try_into().unwrap(), SIZE.1.try_into().unwrap(), 0);
    let mut screens: Vec<String> = Vec::new();
    for bytes in written.chunks(STEP) {
        parser.process(bytes);
        // Borders stand between the rows of a wrapped line.
        let screen = parser.screen().contents().replace(['│', '┃'], "");
        if screens.last() != Some(&screen) {
            screens.push(screen);
        }
    }
    screens
}

/// What was handed to the clipboard (OSC 52).
fn clipboard(written: &[u8]) -> Vec<String> {
    let start = b"\x1b]52;c;";
    let at = |window: (usize, &[u8])| (window.1 == start).then_some(window.0 + start.len());
    let copied = |from: usize| {
        let end = written[from..].iter().position(|byte| *byte == 0x1b || *byte == 0x07).unwrap();
        String::from_utf8(BASE64.decode(&written[from..from + end]).unwrap()).unwrap()
    };
    written.windows(start.len()).enumerate().filter_map(at).map(copied).collect()
}

/// Starts the screen on the agent, with the token in a file.
fn connected(origin: &str, directory: &std::path::Path) -> Pty {
    let token = directory.join("token");
    std::fs::write(&token, TOKEN).unwrap();
    let token = token.display().to_string();
    let args = [
        "connect",
        "--local",
        "--token-file",
        &token,
        "--reader",
        "simulated",
        "--camera",
        "simulated",
        origin,
    ];
    let pty = Pty::spawn(&args, SIZE.0, SIZE.1);
    pty.wait_for("a live session", |screen| screen.contains("● live"));
    pty
}

/// A tag file with the id that the agent spells first.
fn tag(directory: &std::path::Path) -> String {
    let plant = std::fs::read_to_string(root().join("assets/tags/plant.nfc")).unwrap();
    let spaced = plant.replace("UID: 04 11 22 33 44 55 66", "UID: 04 A1 B2 C3 D4 E5 F6");
    assert_ne!(spaced, plant);
    let path = directory.join("t.nfc");
    std::fs::write(&path, spaced).unwrap();
    path.display().to_string()
}

fn say(pty: &mut Pty, turn: usize, text: &str) {
    pty.send("1i");
    pty.wait_for("the field", |screen| screen.contains("Esc leave"));
    pty.send(format!("{text}\r"));
    pty.wait_for("the end of the turn", |screen| screen.contains(&format!("turn {turn} · idle")));
    leave_the_field(pty);
}

fn leave_the_field(pty: &mut Pty) {
    pty.send("\x1b");
    pty.wait_for("the panes", |screen| !screen.contains("Esc leave"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_frame_of_the_screen_and_nothing_copied_holds_a_secret() {
    let hostile = Hostile::start(Refusal::None).await;
    let directory = tempfile::tempdir().unwrap();
    let origin = hostile.origin.clone();
    let written = tokio::task::spawn_blocking(move || {
        let mut pty = connected(&origin, directory.path());
        // A tag, which the agent then spells.
        pty.send("s");
        pty.wait_for("the reader is armed", |screen| screen.contains("armed") || screen.contains("Hold"));
        pty.send("p");
        pty.wait_for("the picker", |screen| screen.contains("plant"));
        pty.send(format!("{}\r", tag(directory.path())));
        pty.wait_for("the review", |screen| screen.contains("Enter"));
        let sent = harness::within(std::time::Duration::from_secs(20), || {
            pty.send("\r");
            std::thread::sleep(std::time::Duration::from_millis(1_000));
            pty.wait_for("a screen", |_| true).contains("turn 1 · idle")
        });
        assert!(sent, "{}", pty.wait_for("a screen", |_| true));
        say(&mut pty, 2, "hello");
        say(&mut pty, 3, "in pieces");
        // Every pane, and every one of the last frames as it is inspected and copied.
        for pane in ["1", "2", "3", "4", "2"] {
            pty.send(pane);
            for key in ["g", "\x1b[6~", "\x1b[6~", "G", "\x1b[5~", "\x1b[5~"] {
                pty.send(key);
            }
        }
        pty.send("G");
        for _ in 0..30 {
            pty.send("y3");
            pty.send("\x1b[6~\x1b[6~");
            pty.send("2k");
        }
        pty.send("?");
        pty.wait_for("the help", |screen| screen.contains("Esc closes"));
        pty.send("\x1b");
        pty.wait_for("the panes", |screen| !screen.contains("Esc closes"));
        say(&mut pty, 4, "fail");
        pty.send("\x03");
        assert_eq!(pty.wait_exit(), 0);
        pty.assert_given_back();
        pty.written()
    })
    .await
    .unwrap();

    let screens = screens(&written);
    let all = screens.join("\n");
    for hidden in ["[scrubbed: token]", "[scrubbed: tag id]"] {
        assert!(all.contains(hidden), "{hidden} is nowhere on {} screens", screens.len());
    }
    for screen in &screens {
        assert_eq!(leaks(screen.as_bytes(), &Photo::default()), Vec::<String>::new(), "{screen}");
    }
    let copied = clipboard(&written);
    assert!(copied.len() >= 20, "{}", copied.len());
    assert!(copied.iter().any(|text| text.contains("[scrubbed: token]")), "{copied:?}");
    for text in &copied {
        assert_eq!(leaks(text.as_bytes(), &Photo::default()), Vec::<String>::new(), "{text}");
    }
    // As bytes too: a title, a last line, whatever else the terminal was told.
    assert_eq!(leaks(&written, &Photo::default()), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_sees_what_stands_on_a_screen_wrapped() {
    let hostile = Hostile::start(Refusal::None).await;
    let directory = tempfile::tempdir().unwrap();
    let origin = hostile.origin.clone();
    let written = tokio::task::spawn_blocking(move || {
        let mut pty = connected(&origin, directory.path());
        // What the user says stands there as it was typed.
        say(&mut pty, 1, &format!("{}{TOKEN}", "x".repeat(45)));
        pty.send("\x03");
        assert_eq!(pty.wait_exit(), 0);
        pty.written()
    })
    .await
    .unwrap();
    let seen = screens(&written).iter().any(|s| !leaks(s.as_bytes(), &Photo::default()).is_empty());
    assert!(seen, "a token across two rows is not found");
}
